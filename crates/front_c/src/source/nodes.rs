//! Walking the syntax tree.

use super::unit::TranslationUnit;
use tree_sitter::Node;

/// All children of `node`, in linear time.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

/// Calls `f` for `node` and everything below, in the order of the text.
pub fn for_each_node<'u>(node: Node<'u>, f: &mut impl FnMut(Node<'u>)) {
    let mut cursor = node.walk();
    loop {
        f(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The identifier that a declarator declares, through pointers, arrays, parameter lists and parentheses.
pub fn declarator_name(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut node = declarator;
    loop {
        match node.kind() {
            "identifier" | "type_identifier" | "field_identifier" => return Some(node),
            _ => node = inner_declarator(node)?,
        }
    }
}

/// The declarator inside `node`, one step further in.
pub(super) fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("declarator").or_else(|| {
        children(node)
            .into_iter()
            .find(|c| c.kind().ends_with("declarator") || c.kind().ends_with("identifier"))
    })
}

/// Whether a `do` statement runs once, as those of macros do: its condition is zero.
pub fn runs_once(unit: &TranslationUnit, node: Node<'_>) -> bool {
    let condition = node.child_by_field_name("condition").and_then(|c| c.named_child(0));
    node.kind() == "do_statement"
        && condition.is_some_and(|c| c.kind() == "false" || unit.text(c) == "0")
}

/// Whether a node of one of some kinds stands in `node`.
pub fn holds_kind(node: Node<'_>, kinds: &[&str]) -> bool {
    let mut found = false;
    for_each_node(node, &mut |n| found |= kinds.contains(&n.kind()));
    found
}

/// What an update or an assignment changes, without parentheses.
pub fn changed_place(node: Node<'_>) -> Option<Node<'_>> {
    let field = match node.kind() {
        "update_expression" => "argument",
        "assignment_expression" => "left",
        _ => return None,
    };
    node.child_by_field_name(field).map(strip_parentheses)
}

/// `node` without the parentheses around it.
pub fn strip_parentheses(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        match node.named_child(0) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}
