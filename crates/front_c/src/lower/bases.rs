//! What pointers visibly point into: by the assignments of the function that set them.

use super::hir::VarId;
use super::parse::Parser;
use super::vars::Var;
use crate::source::{self, ScopeKind};
use std::collections::{BTreeMap, BTreeSet};

/// The names of the variables that each array visibly is or points into.
pub(super) struct Bases {
    names: BTreeMap<VarId, BTreeSet<String>>,
}

impl Bases {
    /// Those of `vars`.
    pub(super) fn of<'v, 'u: 'v>(
        parser: &Parser<'_, '_>,
        vars: impl Iterator<Item = (VarId, &'v Var<'u>)>,
    ) -> Self {
        let names = |id, var: &Var<'_>| of_name(parser, parser.retyped(id).unwrap_or(var.whole()));
        Self { names: vars.map(|(id, var)| (id, names(id, var))).collect() }
    }

    /// Whether two arrays visibly share memory.
    pub(super) fn meet(&self, a: VarId, b: VarId) -> bool {
        match (self.names.get(&a), self.names.get(&b)) {
            (Some(x), Some(y)) => !x.is_disjoint(y),
            _ => false,
        }
    }

    /// Whether an array visibly is or points into the variable called `name`.
    pub(super) fn has(&self, array: VarId, name: &str) -> bool {
        self.names.get(&array).is_some_and(|names| names.contains(name))
    }
}

/// The names of the variables that the variable `name` visibly is or points into.
pub(super) fn of_name(parser: &Parser<'_, '_>, name: &str) -> BTreeSet<String> {
    let whole = name.to_owned();
    let mut found = BTreeSet::new();
    let mut queue = vec![whole];
    while let Some(name) = queue.pop() {
        if found.insert(name.clone()) {
            for value in pointer_values(parser, &name) {
                pointed_to(parser, value, &mut queue);
            }
        }
    }
    found
}

/// What a pointer is set to in the function.
pub(super) fn pointer_values<'u>(parser: &Parser<'u, '_>, name: &str) -> Vec<source::Node<'u>> {
    parser.table.get(name).map_or_else(Vec::new, |s| values_of(parser, s))
}

/// What the variable `symbol`, if a pointer, is set to in the function. A parameter of array type is a pointer; one without
/// any layer is a number, whatever array element it is set to.
fn values_of<'u>(parser: &Parser<'u, '_>, symbol: &source::Symbol<'u>) -> Vec<source::Node<'u>> {
    let is_pointer = match symbol.ctype.layers.first() {
        Some(source::Layer::Pointer(_)) => true,
        Some(_) => symbol.scope == ScopeKind::Parameter,
        None => false,
    };
    if !is_pointer {
        return Vec::new();
    }
    let assigned = parser
        .table
        .assignments(&symbol.name)
        .into_iter()
        .filter_map(|a| a.child_by_field_name("right"));
    symbol.initializer.into_iter().chain(assigned).collect()
}

/// The variables whose memory the pointer expression `node` leads to.
fn pointed_to(parser: &Parser<'_, '_>, node: source::Node<'_>, names: &mut Vec<String>) {
    let mut queue = vec![(node, false)];
    while let Some((node, addressed)) = queue.pop() {
        let is_address = node.kind() == "pointer_expression"
            && node.child_by_field_name("operator").is_some_and(|o| parser.unit.text(o) == "&");
        let fields: &[&str] = match node.kind() {
            "identifier" => {
                // A number that is added to a pointer leads nowhere.
                let name = parser.unit.text(node);
                let leads = parser.table.get(name).is_none_or(|s| !s.ctype.layers.is_empty());
                names.extend((addressed || leads).then(|| name.to_owned()));
                &[]
            }
            "cast_expression" => &["value"],
            "pointer_expression" | "subscript_expression" | "field_expression" => &["argument"],
            "binary_expression" => &["left", "right"],
            "conditional_expression" => &["consequence", "alternative"],
            "assignment_expression" => &["right"],
            "parenthesized_expression" => {
                queue.extend(node.named_child(0).map(|n| (n, addressed)));
                &[]
            }
            _ => &[],
        };
        let addressed = is_address || addressed && node.kind() == "field_expression";
        queue.extend(
            fields.iter().filter_map(|f| node.child_by_field_name(f)).map(|n| (n, addressed)),
        );
    }
}
