//! Does a tree respect relations that somebody else gave, such as isl's schedule constraints?

use super::counterexample::{Broken, Counterexample, Fault, How};
use super::plan::{Plan, plan};
use super::relations::{Order, related};
use super::smallest;
use super::walk::{depths, violation};
use super::{DEFAULT_BUDGET, Verdict};
use crate::Result;
use crate::analysis::Prepared;
use farkas_poly::Map;
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Node, ScheduleTree};

/// What a relation demands of a tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Demand {
    /// The source of each pair runs strictly before its sink.
    Order,
    /// Each band member that is called coincident dates source and sink of those pairs equally that no node around its
    /// band separates.
    Coincidence,
}

/// A relation between the instances of two statements that a tree is judged against.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Required {
    /// The statement of the sources.
    pub source: StmtId,
    /// The statement of the sinks.
    pub sink: StmtId,
    /// The pairs, all of them in the domains; parameters are those of the scop, in its order. No order satisfies the pair
    /// of an instance and itself.
    pub pairs: Map,
    /// What is demanded.
    pub demand: Demand,
}

/// Judges `tree` against `required` alone, within [`DEFAULT_BUDGET`]: every instance of the scop's domains runs exactly
/// once, and every demand is met. Exact, by following pairs down the tree. Accesses are not looked at.
///
/// # Errors
/// As for [`check`](super::check).
///
/// # Example
/// The order `{ S[i] -> [-i] }` does not meet the demand of order on `{ S[i] -> S[i + 1] }`.
pub fn check_required(scop: &Scop, tree: &ScheduleTree, required: &[Required]) -> Result<Verdict> {
    farkas_poly::with_budget(DEFAULT_BUDGET, || judge(scop, tree, required))
}

/// Judges without a budget of its own.
fn judge(scop: &Scop, tree: &ScheduleTree, required: &[Required]) -> Result<Verdict> {
    let prepared = Prepared::of(scop)?;
    let plan = match plan(scop, &prepared, tree)? {
        Ok(plan) => plan,
        Err(found) => return Ok(Verdict::Illegal(Box::new(found))),
    };
    let mut found: Vec<Counterexample> = Vec::new();
    for relation in required {
        let Required { source, sink, pairs, demand } = relation;
        let broken = match demand {
            Demand::Order => violation(&plan, *source, *sink, pairs.clone())?
                .map(|violation| (violation.pairs, How::OutOfOrder(violation.place))),
            Demand::Coincidence => torn(&plan, tree, *source, *sink, pairs.clone())?,
        };
        if let Some((pairs, how)) = broken {
            found.push(counterexample(scop, relation, &pairs, how)?);
        }
    }
    let smallest = found.into_iter().min_by_key(Counterexample::size);
    Ok(smallest.map_or(Verdict::Legal, |found| Verdict::Illegal(Box::new(found))))
}

/// Those of `pairs`, all of whose instances reach `plan`, that a member called coincident dates differently.
fn torn(
    plan: &Plan,
    tree: &ScheduleTree,
    source: StmtId,
    sink: StmtId,
    pairs: Map,
) -> Result<Option<(Map, How)>> {
    if pairs.is_empty()? {
        return Ok(None);
    }
    match plan {
        Plan::Leaf { .. } => Ok(None),
        Plan::Band { cursor, members, child, .. } => {
            let Node::Band { band, .. } = tree.at(cursor)?.node() else { return Ok(None) };
            let mut left = pairs.clone();
            for (member, dates) in members.iter().enumerate() {
                let (from, to) = (&dates[&source].function, &dates[&sink].function);
                let same = related(&pairs, from, to, Order::Same)?;
                let is_coincident = band.members.get(member).is_some_and(|m| m.coincident);
                if is_coincident && !pairs.is_subset(&same)? {
                    let how = How::NotCoincident { cursor: cursor.clone(), member };
                    return Ok(Some((pairs.subtract(&same)?, how)));
                }
                left = left.intersect(&same)?;
            }
            torn(child, tree, source, sink, left)
        }
        Plan::Fork { of, children, .. } => {
            for (i, first) in &of[&source] {
                for (j, second) in of[&sink].iter().filter(|(j, _)| i == j) {
                    let mut inside = pairs.clone();
                    if let Some(filter) = first {
                        inside = inside.intersect_domain(filter)?;
                    }
                    if let Some(filter) = second {
                        inside = inside.intersect_range(filter)?;
                    }
                    let found = torn(&children[*j], tree, source, sink, inside)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
            }
            Ok(None)
        }
    }
}

/// The smallest of the pairs that are not respected.
fn counterexample(
    scop: &Scop,
    relation: &Required,
    pairs: &Map,
    how: How,
) -> Result<Counterexample> {
    let (n_source, n_sink) = depths(pairs)?;
    let point = smallest::point(scop, &pairs.wrap()?, n_source + n_sink)?;
    let (first, second) = point.dims.split_at(n_source);
    let source = smallest::at(scop, relation.source, &point.params, first)?;
    let sink = smallest::at(scop, relation.sink, &point.params, second)?;
    let fault = Fault::Required(Broken { source, sink, how });
    Ok(Counterexample { params: smallest::named(scop, &point.params), fault })
}
