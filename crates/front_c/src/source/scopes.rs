//! What names of types stand for at a place: the definition before it in the innermost block that has one, else in the file.

use crate::source::nodes::{children, declarator_name};
use crate::source::writer::is_builtin_type;
use crate::source::{Node, TranslationUnit};

impl TranslationUnit {
    /// The `type_definition` that defines `name` as it is meant at `at`, and the declarator that does; none for what system
    /// headers define.
    pub(crate) fn type_definition<'u>(
        &'u self,
        name: &str,
        at: Node<'u>,
    ) -> Option<(Node<'u>, Node<'u>)> {
        if !self.is_type_name(name) {
            return None;
        }
        innermost(at, |node| match node.kind() {
            "type_definition" => self.definition_of(node, name),
            _ => None,
        })
    }

    /// Whether what stands for a type is one: a name that is none may be a variable that the parser took for a type.
    pub(crate) fn names_type(&self, descriptor: Node<'_>) -> bool {
        let Some(specifier) = descriptor.child_by_field_name("type") else { return false };
        let name = self.text(specifier);
        specifier.kind() != "type_identifier" || self.is_type_name(name) || is_builtin_type(name)
    }

    /// The members of the struct called `name` at `at`; the file may say them later.
    pub(crate) fn struct_body<'u>(&'u self, name: &str, at: Node<'u>) -> Option<Node<'u>> {
        let body = |node: Node<'u>| {
            let tag =
                node.child_by_field_name("name").filter(|_| node.kind() == "struct_specifier");
            node.child_by_field_name("body").filter(|_| tag.is_some_and(|n| self.text(n) == name))
        };
        let last = |node: Node<'u>| {
            let mut found = None;
            for_each_outside_blocks(node, &mut |node| found = body(node).or(found));
            found
        };
        innermost(at, last).or_else(|| children(self.root()).into_iter().find_map(last))
    }

    /// The type definition `node` and its declarator of `name`, if it has one.
    fn definition_of<'u>(&'u self, node: Node<'u>, name: &str) -> Option<(Node<'u>, Node<'u>)> {
        let declarators: Vec<_> =
            node.children_by_field_name("declarator", &mut node.walk()).collect();
        let defines = |d: &Node<'u>| declarator_name(*d).is_some_and(|n| self.text(n) == name);
        declarators.into_iter().find(defines).map(|declarator| (node, declarator))
    }
}

/// What `find` makes of the last of the nodes that begin before `at`, in the innermost node around it where it makes something.
fn innermost<'u, T>(at: Node<'u>, find: impl Fn(Node<'u>) -> Option<T>) -> Option<T> {
    std::iter::successors(Some(at), Node::parent).find_map(|around| {
        let before =
            children(around).into_iter().rev().filter(|n| n.start_byte() <= at.start_byte());
        before.into_iter().find_map(&find)
    })
}

/// Calls `f` for a node and all nodes inside of it, in their order, but for those in blocks.
fn for_each_outside_blocks<'u>(node: Node<'u>, f: &mut impl FnMut(Node<'u>)) {
    let mut cursor = node.walk();
    loop {
        f(cursor.node());
        if cursor.node().kind() != "compound_statement" && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
