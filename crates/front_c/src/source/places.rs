//! Parameters that are addresses of variables: after `step(&grid, dt)`, `g->cells` in `step` is `grid.cells`.
//!
//! Where the function's body comes in the place of the call, so does the variable in the place of what the parameter leads to. Then nothing
//! is left that takes the address, and the members of `grid` are those that its caller uses.

use super::nodes::{for_each_node, strip_parentheses};
use super::symbols::{ScopeKind, declared_symbols};
use super::unit::TranslationUnit;
use std::collections::BTreeMap;
use tree_sitter::Node;

/// New texts for parts of a text, by where these begin: where they end, and the text.
#[derive(Default)]
pub(super) struct Replaced(BTreeMap<usize, (usize, String)>);

impl Replaced {
    /// The new text of what begins at `start`, with the end of that.
    pub(super) fn at(&self, start: usize) -> Option<(usize, &str)> {
        self.0.get(&start).map(|(end, text)| (*end, text.as_str()))
    }

    /// Adds others.
    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// The variable, or the member of one, whose address an argument is.
pub(super) fn addressed<'u>(unit: &TranslationUnit, argument: Node<'u>) -> Option<Node<'u>> {
    let argument = strip_parentheses(argument);
    let is_address = argument.kind() == "pointer_expression"
        && unit.text(argument.child_by_field_name("operator")?) == "&";
    let place = strip_parentheses(argument.child_by_field_name("argument").filter(|_| is_address)?);
    let mut root = place;
    while root.kind() == "field_expression" {
        let is_inside = unit.text(root.child_by_field_name("operator")?) == ".";
        root = root.child_by_field_name("argument").filter(|_| is_inside)?;
    }
    (root.kind() == "identifier").then_some(place)
}

/// What comes in the place of the uses of the parameter `name` in `body`, where the argument is the address of `place`; nothing where it is
/// used in a way that needs the address.
pub(super) fn uses(
    unit: &TranslationUnit,
    body: Node<'_>,
    (name, declaration): (&str, Node<'_>),
    (place, caller): (Node<'_>, Node<'_>),
) -> Option<Replaced> {
    let place_text = unit.text(place);
    let is_same_type = is_declared_like(unit, place, caller, declaration);
    let (mut replaced, mut all) = (Replaced::default(), true);
    for_each_node(body, &mut |node| {
        if node.kind() != "identifier" || unit.text(node) != name {
            return;
        }
        let Some(around) = node.parent() else { return };
        let operator = around.child_by_field_name("operator").map(|o| (unit.text(o), o));
        match (around.kind(), operator) {
            ("field_expression", Some(("->", arrow))) => {
                let text = format!("{place_text}.");
                replaced.0.insert(node.start_byte(), (arrow.end_byte(), text));
            }
            ("pointer_expression", Some(("*", star))) if is_same_type => {
                replaced.0.insert(star.start_byte(), (node.end_byte(), place_text.to_owned()));
            }
            ("argument_list", _) => {
                let text = format!("&{place_text}");
                replaced.0.insert(node.start_byte(), (node.end_byte(), text));
            }
            _ => all = false,
        }
    });
    all.then_some(replaced)
}

/// Whether `place` is a variable of the function `caller` with the type that a parameter points to.
fn is_declared_like(
    unit: &TranslationUnit,
    place: Node<'_>,
    caller: Node<'_>,
    parameter: Node<'_>,
) -> bool {
    let ty = |node: Node<'_>| node.child_by_field_name("type").map(|ty| unit.text(ty).to_owned());
    let (name, of_parameter) = (unit.text(place), ty(parameter));
    let mut types = Vec::new();
    for_each_node(caller, &mut |node| {
        if matches!(node.kind(), "declaration" | "parameter_declaration") {
            let symbols = declared_symbols(unit, node, ScopeKind::Local).into_iter();
            let same = symbols.filter(|symbol| symbol.name == name);
            types.extend(same.map(|symbol| ty(node).filter(|_| symbol.ctype.layers.is_empty())));
        }
    });
    of_parameter.is_some() && !types.is_empty() && types.iter().all(|ty| *ty == of_parameter)
}
