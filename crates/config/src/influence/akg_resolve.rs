//! AKG's flat form to a tree with one branch.

use super::akg::{Entry, SoftConstraint, SoftRow};
use super::akg_read::twice;
use super::strips::{Strips, places, strips};
use super::{Influence, TileRequest};
use crate::names::{Name, Names};
use crate::report::Report;
use farkas_base::{DiagnosticId, Id};
use farkas_schedule::{
    Coefficient, InfluenceConstraint, InfluenceNode, InfluenceTerm, InfluenceTree,
};
use farkas_scop::{ParamId, StmtId};
use farkas_solve::RowKind;
use std::collections::{BTreeMap, BTreeSet};

/// The tree: one node for each depth, whose constraints are the rows of that depth.
pub(super) fn resolve(
    constraints: &[SoftConstraint],
    names: &Names<'_>,
    report: &mut Report,
) -> Influence {
    let mut stmts: Vec<Option<StmtId>> = Vec::new();
    for constraint in constraints {
        let stmt = statement(constraint, names, report);
        if let Some(first) = stmts.iter().position(|s| stmt.is_some() && *s == stmt) {
            let first = constraints.get(first).unwrap_or(constraint);
            let diagnostic = twice(constraint, first, report);
            report.push(diagnostic);
        }
        stmts.push(stmt);
    }
    let strips: Vec<Vec<Strips>> = constraints.iter().map(|c| strips(&c.rows, report)).collect();
    let places = places(constraints, &strips, report);
    let mut branch = Branch::default();
    for (number, place) in places.iter().enumerate() {
        for ((constraint, stmt), strips) in constraints.iter().zip(&stmts).zip(&strips) {
            let (Some(row), Some(stmt)) = (constraint.rows.get(number), stmt) else { continue };
            let Some(strips) = strips.get(number) else { continue };
            branch.sizes.entry(place.depth).or_default().extend(&strips.sizes);
            if !place.is_part {
                branch.add(row, *stmt, place.depth, constraint.meta.0);
            }
        }
    }
    let n_depths = places.iter().map(|place| place.depth + 1).max().unwrap_or(0);
    Influence { tiles: branch.tiles(), tree: InfluenceTree::new(branch.nodes(n_depths)) }
}

/// The statement: by its name, or by AKG's, where `S_2` is the third. Its iterators and parameters must be as many as
/// `meta` says.
fn statement(
    constraint: &SoftConstraint,
    names: &Names<'_>,
    report: &mut Report,
) -> Option<StmtId> {
    let name = &constraint.statement;
    let number = name.text.strip_prefix("S_").filter(|rest| rest.parse::<usize>().is_ok());
    let stmt = match number {
        Some(number) if names.find_stmts(&name.text).is_empty() => {
            names.stmt(report, &Name { text: number.to_owned(), span: name.span })?
        }
        _ => names.stmt(report, name)?,
    };
    let depth = names.scop.stmts().get(stmt)?.depth();
    let n_params = names.scop.params().len();
    if constraint.meta != (depth, n_params) {
        let (iterators, params) = constraint.meta;
        let message =
            format!("statement `{}` has other numbers of iterators and parameters", name.text);
        let label = format!("{depth} and {n_params}, not {iterators} and {params}");
        report.error(DiagnosticId::ContradictoryEntries, constraint.meta_span, message, label);
        return None;
    }
    Some(stmt)
}

/// The constraints of each depth on the way.
#[derive(Default)]
struct Branch {
    constraints: BTreeMap<usize, Vec<InfluenceConstraint>>,
    sizes: BTreeMap<usize, BTreeSet<i64>>,
    /// Where each named unknown appeared first.
    named: BTreeMap<String, InfluenceTerm>,
}

impl Branch {
    /// Adds what a row asks for.
    fn add(&mut self, row: &SoftRow, stmt: StmtId, depth: usize, n_iterators: usize) {
        let last = row.entries.len().saturating_sub(1);
        for (position, entry) in row.entries.iter().enumerate() {
            let which = match position {
                _ if position == last => Coefficient::Constant,
                _ if position < n_iterators => Coefficient::Iterator(position),
                _ => Coefficient::Param(ParamId::from_index(position - n_iterators)),
            };
            let term = InfluenceTerm::Coefficient { stmt, depth, which };
            let (terms, constant) = match entry {
                Entry::Free => continue,
                Entry::Imposed(value) => (vec![(term, 1)], -value),
                Entry::Named(name) => match self.named.get(name) {
                    Some(first) => (vec![(term, 1), (*first, -1)], 0),
                    None => {
                        self.named.insert(name.clone(), term);
                        continue;
                    }
                },
            };
            let text = format!("{stmt}: {}", row.text);
            let constraint = InfluenceConstraint { kind: RowKind::Equality, terms, constant, text };
            self.constraints.entry(depth).or_default().push(constraint);
        }
    }

    /// The tiles of each depth, largest first.
    fn tiles(&self) -> Vec<TileRequest> {
        let of = |(depth, sizes): (&usize, &BTreeSet<i64>)| {
            let dimension = *depth;
            sizes
                .iter()
                .rev()
                .map(move |size| TileRequest { dimension, size: *size })
                .collect::<Vec<_>>()
        };
        self.sizes.iter().flat_map(of).collect()
    }

    /// The outermost node with the others below it.
    fn nodes(mut self, n_depths: usize) -> Vec<InfluenceNode> {
        let mut below = Vec::new();
        for depth in (0..n_depths).rev() {
            let constraints = self.constraints.remove(&depth).unwrap_or_default();
            below =
                vec![InfluenceNode { constraints, children: below, ..InfluenceNode::default() }];
        }
        below
    }
}
