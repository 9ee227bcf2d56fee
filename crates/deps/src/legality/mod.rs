//! The legality check: does a schedule tree compute what the scop computes?
//!
//! It judges a tree against the scop alone and shares no code with a scheduler. Checked, in this order:
//!
//! 1. Every instance of the scop's own domains, under the scop's context, runs exactly once: the domain node holds just
//!    these instances, filters and guards drop none, the children of a sequence or set node partition them, and every
//!    band dates all of them.
//! 2. Where a [`Mark::Private`](farkas_tree::Mark::Private) gives the iterations of a loop copies of an array, nothing
//!    notices: no value of the array enters or leaves an iteration.
//!    Where a [`Mark::Reduce`](farkas_tree::Mark::Reduce) gives them copies that they update, they do nothing else with the array.
//! 3. Every pair of instances of which one writes an element that the other touches runs in the original order: some
//!    band member dates the later one later, or some sequence puts it into a later child, before anything says the
//!    opposite. A pair that nothing orders, or that only the iterations of a loop under a
//!    [`Mark::Parallel`](farkas_tree::Mark::Parallel) or [`Mark::Vector`](farkas_tree::Mark::Vector) or the children of
//!    a set node distinguish, may run in either order and is a fault. Pairs that update an element by one operator may be in
//!    any order where the [scop permits it](farkas_scop::Reassociation), one after the other, or in copies.
//!    In a kernel of a GPU, instances that run one after the other must do so in one thread or wait at a barrier ([`races`]).
//! 4. An array that fails in the third may still pass by its dataflow: every read gets its value from the same write as
//!    in the original order, and so does code after the region; nothing races.
//!
//! All is decided by isl on exact relations, within a budget of isl operations. [`check_required`] and [`check_conditional`] judge a tree against given relations
//! instead of accesses.

mod calls;
mod clause;
mod conditional;
mod counterexample;
mod dataflow;
mod division;
mod examples;
mod placement;
mod plan;
mod private;
mod privatisation;
mod quick;
mod races;
mod reduced;
mod refinement;
pub(crate) mod relations;
mod required;
mod smallest;
mod walk;

use crate::analysis::{Prepared, Reference};
use crate::{DependenceKind, Error, Result};
use farkas_scop::{AccessKind, ArrayId, Scop};
use farkas_tree::ScheduleTree;
use std::collections::{BTreeSet, HashSet};

pub use calls::check_call;
pub use clause::Clause;
pub use conditional::{Tagged, check_conditional};
pub use counterexample::{
    Broken, Conflict, Counterexample, Cut, Fault, How, Instance, InstanceFault, NotPrivate, Place,
    Unsynchronised, WhyShared,
};
pub use division::check_division;
pub use privatisation::{Privatisation, privatisations};
pub use races::{BlockRaces, MissingBarriers};
pub use refinement::{check_program, check_storage};
pub use required::{Demand, Required, check_required};

/// isl operations that [`check`] may spend.
pub const DEFAULT_BUDGET: u64 = 200_000_000;

/// isl operations that the dataflow of an array may take; what takes more is judged by the order of its accesses.
const DATAFLOW_BUDGET: u64 = 20_000_000;

/// The counterexamples that are compared to find the smallest.
const MAX_COMPARED: usize = 8;

/// What the check says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The tree computes what the scop computes.
    Legal,
    /// It does not, or that cannot be seen; here is an example.
    Illegal(Box<Counterexample>),
}

impl Verdict {
    /// Whether the tree is legal.
    pub fn is_legal(&self) -> bool {
        *self == Self::Legal
    }
}

/// Judges `tree` against `scop` within [`DEFAULT_BUDGET`].
///
/// # Errors
/// [`Error::OutOfBudget`](crate::Error::OutOfBudget) when the budget is used up, and
/// [`Error::Unsupported`](crate::Error::Unsupported) for nodes that cannot be judged: the tree counts as illegal then.
pub fn check(scop: &Scop, tree: &ScheduleTree) -> Result<Verdict> {
    check_within(scop, tree, DEFAULT_BUDGET)
}

/// Judges `tree` against `scop` with at most `max_operations` isl operations.
///
/// # Errors
/// As for [`check`].
pub fn check_within(scop: &Scop, tree: &ScheduleTree, max_operations: u64) -> Result<Verdict> {
    farkas_poly::with_budget(max_operations, || match races::first_race(scop, tree)? {
        Some(found) => Ok(Verdict::Illegal(Box::new(found))),
        None => judge(scop, tree, max_operations),
    })
}

/// Whether `tree` keeps every pair of accesses to these arrays in order of which one writes, within `max_operations` isl
/// operations. Unlike [`check`] it does not ask whether values are the same all the same, so what holds of arrays that are one
/// holds of arrays that are several, too.
///
/// # Errors
/// As for [`check`].
pub fn keeps_order(
    scop: &Scop,
    tree: &ScheduleTree,
    arrays: &[ArrayId],
    max_operations: u64,
) -> Result<bool> {
    farkas_poly::with_budget(max_operations, || {
        let prepared = Prepared::of(scop)?;
        let Ok(plan) = plan::plan(scop, &prepared, tree)? else { return Ok(false) };
        for array in arrays {
            if !conflicts((scop, &BTreeSet::new()), &prepared, &plan, *array)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

/// Judges without a budget of its own, dataflow within `max_operations`.
fn judge(scop: &Scop, tree: &ScheduleTree, max_operations: u64) -> Result<Verdict> {
    judge_but(scop, tree, max_operations, &BTreeSet::new())
}

/// The same, but for updates of one element by statements of these names, and selections, which run elsewhere: in partial results.
fn judge_but(
    scop: &Scop,
    tree: &ScheduleTree,
    max_operations: u64,
    gathered: &BTreeSet<String>,
) -> Result<Verdict> {
    let prepared = Prepared::of(scop)?;
    let plan = match plan::plan(scop, &prepared, tree)? {
        Ok(plan) => plan,
        Err(found) => return Ok(Verdict::Illegal(Box::new(found))),
    };
    if let Some(found) = private::first_obstacle(scop, &prepared, &plan)? {
        return Ok(Verdict::Illegal(Box::new(found)));
    }
    if let Some(found) = reduced::first_obstacle(scop, &prepared, &plan)? {
        return Ok(Verdict::Illegal(Box::new(found)));
    }
    let mut found: Vec<Counterexample> = Vec::new();
    for array in scop.arrays().ids() {
        let conflicts = conflicts((scop, gathered), &prepared, &plan, array)?;
        if conflicts.is_empty() {
            continue;
        }
        let budget = max_operations.min(DATAFLOW_BUDGET);
        let judged =
            farkas_poly::with_budget(budget, || dataflow::judge(scop, &prepared, &plan, array));
        found.extend(match judged {
            Ok(Some(faults)) => faults,
            // Where a budget around is used up, nothing was found out.
            Err(Error::OutOfBudget) if farkas_poly::left() == Some(0) => {
                return Err(Error::OutOfBudget);
            }
            Ok(None) | Err(Error::OutOfBudget) => conflicts,
            Err(error) => return Err(error),
        });
        if found.len() >= MAX_COMPARED {
            break;
        }
    }
    let smallest = found.into_iter().min_by_key(Counterexample::size);
    Ok(smallest.map_or(Verdict::Legal, |found| Verdict::Illegal(Box::new(found))))
}

/// The accesses to `array` that `plan` does not keep in order, or some of them.
fn conflicts(
    (scop, gathered): (&Scop, &BTreeSet<String>),
    prepared: &Prepared,
    plan: &plan::Plan,
    array: ArrayId,
) -> Result<Vec<Counterexample>> {
    let mut found = Vec::new();
    let is_gathered = |of: &Reference| gathered.contains(&scop.stmts()[of.stmt].name);
    let selects = |of: &Reference| scop.stmts()[of.stmt].selection(scop.arrays()).is_some();
    for (kind, source, sink) in conflicting(&prepared.references[array]) {
        if quick::proves(&prepared.tables, plan, source, sink) {
            continue;
        }
        let accesses = [source, sink].map(|end| (end.stmt, end.access));
        let excused = match prepared.updates.relaxed(accesses) {
            Some(_) if is_gathered(source) || is_gathered(sink) => continue,
            Some(relaxed) => walk::Excused::Order(array, relaxed),
            None if source.stmt == sink.stmt && is_gathered(source) && selects(source) => continue,
            None => walk::Excused::Nothing,
        };
        for piece in prepared.ordered_roughly(source, sink)? {
            let ends = [source.stmt, sink.stmt];
            if let Some(violation) = walk::violation_but(plan, ends, piece.pairs, excused)? {
                found.push(examples::conflict(scop, kind, source, sink, violation)?);
            }
        }
        if found.len() >= MAX_COMPARED {
            break;
        }
    }
    Ok(found)
}

/// The pairs of accesses to an array that conflict, one for each pair of statements and relations.
fn conflicting(references: &[Reference]) -> Vec<(DependenceKind, &Reference, &Reference)> {
    let mut known = HashSet::new();
    let mut pairs = Vec::new();
    for source in references {
        for sink in references {
            let key = (source.stmt, source.like, sink.stmt, sink.like);
            if let Some(kind) = conflict(source.kind, sink.kind)
                && known.insert(key)
            {
                pairs.push((kind, source, sink));
            }
        }
    }
    pairs
}

/// The kind of conflict between such accesses.
fn conflict(source: AccessKind, sink: AccessKind) -> Option<DependenceKind> {
    match (source, sink) {
        (AccessKind::Kill, _) | (_, AccessKind::Kill) => None,
        (AccessKind::Read, AccessKind::Read) => None,
        (AccessKind::Read, _) => Some(DependenceKind::Anti),
        (_, AccessKind::Read) => Some(DependenceKind::Flow),
        _ => Some(DependenceKind::Output),
    }
}
