//! A tree on the statements of a scop.

use super::{Influence, Node};
use crate::constraint::{Constraint, ResolvedTerm, resolve as resolve_constraint};
use crate::names::Names;
use crate::report::Report;
use farkas_schedule::{Fallback, InfluenceConstraint, InfluenceNode, InfluenceTerm, InfluenceTree};

/// The tree, with messages where it does not fit.
pub(super) fn resolve(
    fallbacks: Option<&[Fallback]>,
    children: &[Node],
    names: &Names<'_>,
    report: &mut Report,
) -> Influence {
    let children = children.iter().map(|child| node(child, 0, names, report)).collect();
    let mut tree = InfluenceTree::new(children);
    if let Some(fallbacks) = fallbacks {
        tree.fallbacks = fallbacks.to_vec();
    }
    Influence { tree, tiles: Vec::new() }
}

/// A node at a depth.
fn node(from: &Node, depth: usize, names: &Names<'_>, report: &mut Report) -> InfluenceNode {
    let constraints = from.constraints.iter().flat_map(|c| constraint(c, depth, names, report));
    let constraints = constraints.collect();
    let unfused = names.all_stmts(report, &from.unfused);
    let children = from.children.iter().map(|child| node(child, depth + 1, names, report));
    InfluenceNode {
        constraints,
        requires_parallel: from.parallel,
        requires_permutable: from.permutable,
        unfused,
        variables: from.variables.clone(),
        objectives: from.objectives.clone(),
        children: children.collect(),
    }
}

/// A constraint of a node at a depth, for each statement that it stands for.
fn constraint(
    from: &Constraint,
    own_depth: usize,
    names: &Names<'_>,
    report: &mut Report,
) -> Vec<InfluenceConstraint> {
    let term = |term| match term {
        ResolvedTerm::Variable(position) => InfluenceTerm::Variable(position),
        ResolvedTerm::Coefficient(stmt, which, depth) => {
            InfluenceTerm::Coefficient { stmt, depth: depth.unwrap_or(own_depth), which }
        }
    };
    let rows = resolve_constraint(from, names, report);
    let constraint = |row: crate::constraint::Resolved| InfluenceConstraint {
        kind: row.kind,
        terms: row.terms.into_iter().map(|(t, factor)| (term(t), factor)).collect(),
        constant: row.constant,
        text: from.text.clone(),
    };
    rows.into_iter().map(constraint).collect()
}
