//! What pointers visibly point into: by the assignments of the function that set them.

use super::hir::VarId;
use super::parse::Parser;
use super::vars::Var;
use crate::source::{self, ScopeKind, Symbol};
use farkas_scop::ArrayScope;
use std::collections::{BTreeMap, BTreeSet};

/// A variable of the file: its name and, for one that a function declares, where.
pub(super) type Home = (String, Option<usize>);

/// The variables that each array visibly is or points into.
pub(super) struct Bases {
    homes: BTreeMap<VarId, BTreeSet<Home>>,
}

impl Bases {
    /// Those of `vars`.
    pub(super) fn of<'v, 'u: 'v>(
        parser: &Parser<'_, '_>,
        vars: impl Iterator<Item = (VarId, &'v Var<'u>)>,
    ) -> Self {
        let homes = |id, var: &Var<'_>| match parser.retyped(id) {
            Some(name) => of_name(parser, name),
            None if var.scope == ArrayScope::Region => {
                BTreeSet::from([(var.name.clone(), Some(var.span.range().start))])
            }
            None => of_name(parser, var.whole()),
        };
        Self { homes: vars.map(|(id, var)| (id, homes(id, var))).collect() }
    }

    /// Whether two arrays visibly share memory.
    pub(super) fn meet(&self, a: VarId, b: VarId) -> bool {
        match (self.homes.get(&a), self.homes.get(&b)) {
            (Some(x), Some(y)) => !x.is_disjoint(y),
            _ => false,
        }
    }

    /// Whether an array visibly is or points into the variable that the region knows as `name`.
    pub(super) fn has(&self, parser: &Parser<'_, '_>, array: VarId, name: &str) -> bool {
        let home = home(name, parser.table.get(name));
        self.homes.get(&array).is_some_and(|homes| homes.contains(&home))
    }
}

/// The variables that the one that the region knows as `name` visibly is or points into.
pub(super) fn of_name(parser: &Parser<'_, '_>, name: &str) -> BTreeSet<Home> {
    let mut found = BTreeSet::new();
    let mut queue = vec![(name.to_owned(), parser.table.get(name).cloned())];
    while let Some((name, symbol)) = queue.pop() {
        if found.insert(home(&name, symbol.as_ref())) {
            for value in symbol.iter().flat_map(|symbol| values_of(parser, symbol)) {
                pointed_to(parser, value, &mut queue);
            }
        }
    }
    found
}

/// The variable `name`, which `symbol` declares, if anything does.
fn home(name: &str, symbol: Option<&Symbol<'_>>) -> Home {
    let own = symbol.filter(|s| s.is_own());
    (name.to_owned(), own.map(|s| s.identifier.start_byte()))
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
    let assigned =
        parser.table.assignments(symbol).into_iter().filter_map(|a| a.child_by_field_name("right"));
    symbol.initializer.into_iter().chain(assigned).collect()
}

/// The variables, with their declarations, whose memory the pointer expression `node` leads to.
fn pointed_to<'u>(
    parser: &Parser<'u, '_>,
    node: source::Node<'u>,
    found: &mut Vec<(String, Option<Symbol<'u>>)>,
) {
    let mut queue = vec![(node, false)];
    while let Some((node, addressed)) = queue.pop() {
        let is_address = node.kind() == "pointer_expression"
            && node.child_by_field_name("operator").is_some_and(|o| parser.unit.text(o) == "&");
        let fields: &[&str] = match node.kind() {
            "identifier" => {
                // A number that is added to a pointer leads nowhere.
                let symbol = parser.table.meant_by(node);
                let leads = symbol.as_ref().is_none_or(|s| !s.ctype.layers.is_empty());
                if addressed || leads {
                    found.push((parser.unit.text(node).to_owned(), symbol));
                }
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
