//! What names of types stand for at a place: the definition before it in the innermost block that has one, else in the file.

use crate::source::nodes::{declarator_name, for_each_node};
use crate::source::writer::is_builtin_type;
use crate::source::{Node, TranslationUnit};
use std::collections::BTreeMap;
use std::ops::Range;

/// The types that a file and its headers define, by name.
#[derive(Debug, Default)]
pub(super) struct TypeScopes {
    /// Of `typedef`, the definitions.
    definitions: BTreeMap<String, Vec<Defined>>,
    /// Of structs, the lists of members.
    structs: BTreeMap<String, Vec<Defined>>,
}

/// A definition and where its name is known, both as bytes of the text.
#[derive(Debug)]
struct Defined {
    node: Range<usize>,
    scope: Range<usize>,
}

impl TranslationUnit {
    /// The `type_definition` that defines `name` as it is meant at `at`, and the declarator that does; none for what system
    /// headers define.
    pub(crate) fn type_definition<'u>(
        &'u self,
        name: &str,
        at: Node<'u>,
    ) -> Option<(Node<'u>, Node<'u>)> {
        let known = self.type_scopes().definitions.get(name)?;
        let definition = self.node_of(innermost(known, at.start_byte())?)?;
        let declarator = declarators(definition)
            .into_iter()
            .find(|d| declarator_name(*d).is_some_and(|n| self.text(n) == name))?;
        Some((definition, declarator))
    }

    /// Whether what stands for a type is one: a name that is none may be a variable that the parser took for a type.
    pub(crate) fn names_type(&self, descriptor: Node<'_>) -> bool {
        let Some(specifier) = descriptor.child_by_field_name("type") else { return false };
        let name = self.text(specifier);
        specifier.kind() != "type_identifier" || self.is_type_name(name) || is_builtin_type(name)
    }

    /// The members of the struct called `name` at `at`; the file may say them later.
    pub(crate) fn struct_body<'u>(&'u self, name: &str, at: Node<'u>) -> Option<Node<'u>> {
        let known = self.type_scopes().structs.get(name)?;
        let is_of_file = |defined: &&Defined| defined.scope == self.root().byte_range();
        let found = innermost(known, at.start_byte()).or_else(|| known.iter().find(is_of_file));
        self.node_of(found?)
    }

    /// The types of the file, which are looked for once.
    fn type_scopes(&self) -> &TypeScopes {
        self.type_scopes.get_or_init(|| {
            let mut found = TypeScopes::default();
            for_each_node(self.root(), &mut |node| match node.kind() {
                "type_definition" => {
                    for name in declarators(node).into_iter().filter_map(declarator_name) {
                        let known = found.definitions.entry(self.text(name).to_owned());
                        known.or_default().push(Defined::new(node));
                    }
                }
                "struct_specifier" => {
                    let part = |field| node.child_by_field_name(field);
                    if let (Some(name), Some(body)) = (part("name"), part("body")) {
                        let known = found.structs.entry(self.text(name).to_owned());
                        known.or_default().push(Defined::new(body));
                    }
                }
                _ => {}
            });
            found
        })
    }

    /// The node of a definition.
    fn node_of(&self, defined: &Defined) -> Option<Node<'_>> {
        self.root().descendant_for_byte_range(defined.node.start, defined.node.end)
    }
}

impl Defined {
    fn new(node: Node<'_>) -> Self {
        let around = std::iter::successors(node.parent(), Node::parent);
        let is_scope = |n: &Node<'_>| {
            matches!(
                n.kind(),
                "compound_statement" | "for_statement" | "function_definition" | "translation_unit"
            )
        };
        let scope = around.into_iter().find(is_scope).map_or(0..usize::MAX, |n| n.byte_range());
        Self { node: node.byte_range(), scope }
    }
}

/// The last definition before a byte in the innermost scope around it.
fn innermost(known: &[Defined], at: usize) -> Option<&Defined> {
    let is_known = |defined: &&Defined| defined.scope.contains(&at) && defined.node.start <= at;
    known.iter().filter(is_known).max_by_key(|d| (d.scope.start, d.node.start))
}

/// What a definition declares.
fn declarators(definition: Node<'_>) -> Vec<Node<'_>> {
    definition.children_by_field_name("declarator", &mut definition.walk()).collect()
}
