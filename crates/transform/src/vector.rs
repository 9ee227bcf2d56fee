//! Which loops run in vector lanes.

use crate::Remark;
use crate::plan::mark;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Result};
use farkas_analysis::{StmtRows, StrideModel};
use farkas_scop::{StmtId, Stride};
use farkas_steps::{LoopKind, Step};
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Loops in vector lanes: [`plan_vectors`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vectors {}

impl Plans for Vectors {
    fn plan(&self, view: &View<'_>, _: &mut Vec<Remark>) -> Result<Proposal> {
        if !view.setting.has_lanes {
            return Ok(Proposal::Nothing);
        }
        Ok(Proposal::Steps(plan_vectors(view.tree(), view.strides()?)?))
    }
}

/// Loops in vector lanes that the user asks for: [`plan_wanted_vectors`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedVectors {
    /// The loops.
    pub loops: Vec<WantedLoop>,
}

/// The loop that an iterator of a statement makes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedLoop {
    /// The name of the statement.
    pub stmt: String,
    /// The position of the iterator among those of the statement, from zero.
    pub iterator: usize,
}

impl Plans for WantedVectors {
    fn plan(&self, view: &View<'_>, _: &mut Vec<Remark>) -> Result<Proposal> {
        // What other programs were made of the scop has loops of its own.
        if !view.setting.has_lanes || view.program.scop != *view.setting.scop {
            return Ok(Proposal::Nothing);
        }
        let mut wanted = WantedLoops::new();
        for WantedLoop { stmt, iterator } in &self.loops {
            if let Some(stmt) = view.program.scop.stmt_by_name(stmt) {
                wanted.entry(stmt).or_default().push(*iterator);
            }
        }
        Ok(Proposal::Steps(plan_wanted_vectors(view.tree(), view.strides()?, &wanted)?))
    }
}

/// Marks the innermost member of every innermost band for vector lanes where it is coincident and every access of its statements
/// is contiguous or invariant along it. What is written out one after another stays so.
///
/// # Errors
/// When isl refuses.
pub fn plan_vectors(tree: &ScheduleTree, strides: &StrideModel) -> Result<Plan> {
    planned(tree, &|loops| is_smooth(loops, strides))
}

/// The same for innermost coincident members however accesses move along them, where the user wants that: `wanted` has the
/// iterators of each statement whose loops are to run in vector lanes, and all statements in the loop want it.
///
/// # Errors
/// When isl refuses.
fn plan_wanted_vectors(
    tree: &ScheduleTree,
    strides: &StrideModel,
    wanted: &WantedLoops,
) -> Result<Plan> {
    planned(tree, &|loops| are_wanted(loops, strides, wanted))
}

/// The statements of `wanted` for which no vector loop of the tree runs over one of the iterators.
///
/// # Errors
/// When isl refuses.
pub fn without_vector_loop(
    tree: &ScheduleTree,
    strides: &StrideModel,
    wanted: &WantedLoops,
) -> Result<WantedLoops> {
    let mut left = wanted.clone();
    remove_found(tree, strides, false, &mut left)?;
    Ok(left)
}

/// For statements the iterators whose loops the user wants in vector lanes.
pub type WantedLoops = BTreeMap<StmtId, Vec<usize>>;

/// Takes out of `left` what vector loops in `tree` run over; told whether `tree` is what a vector mark is on.
fn remove_found(
    tree: &ScheduleTree,
    strides: &StrideModel,
    is_vector: bool,
    left: &mut WantedLoops,
) -> Result<()> {
    if let Node::Band { band, .. } = tree.node()
        && is_vector
    {
        for (stmt, rows) in strides.rows_of(&band.members)?.unwrap_or_default() {
            let is_over = |&iterator: &usize| {
                rows.iter().any(|row| row.get(iterator).is_some_and(|&c| c != 0))
            };
            if left.get(&stmt).is_some_and(|iterators| iterators.iter().any(is_over)) {
                left.remove(&stmt);
            }
        }
    }
    let is_vector = matches!(tree.node(), Node::Mark { mark: Mark::Vector, .. });
    tree.children().iter().try_for_each(|child| remove_found(child, strides, is_vector, left))
}

/// Marks for innermost loops that fit.
fn planned(tree: &ScheduleTree, fits: &Fits<'_>) -> Result<Plan> {
    let mut plan = Plan::none(tree);
    plan_below(tree, &Cursor::root(), &mut Vec::new(), fits, &mut plan.steps)?;
    Ok(plan)
}

/// Whether the innermost of some loops fits.
type Fits<'a> = dyn Fn(&[Member]) -> Result<bool> + 'a;

/// The marks for loops below a node; `outer` holds the members around it.
fn plan_below(
    tree: &ScheduleTree,
    here: &Cursor,
    outer: &mut Vec<Member>,
    fits: &Fits<'_>,
    steps: &mut Vec<Step>,
) -> Result<()> {
    let depth = outer.len();
    if matches!(tree.node(), Node::Mark { mark: Mark::Shaped | Mark::Vector | Mark::Unroll, .. }) {
        return Ok(());
    }
    if let Node::Band { band, child } = tree.node() {
        outer.extend(band.members.iter().cloned());
        let is_coincident = band.members.last().is_some_and(|m| m.coincident);
        if !child.contains_band() && is_coincident && fits(outer)? {
            steps.push(mark(here, band.members.len() - 1, LoopKind::Vector));
        }
    }
    for (at, child) in tree.children().iter().enumerate() {
        plan_below(child, &here.child(at), outer, fits, steps)?;
    }
    outer.truncate(depth);
    Ok(())
}

/// Whether all statements under `loops` want the innermost one in vector lanes.
fn are_wanted(loops: &[Member], strides: &StrideModel, wanted: &WantedLoops) -> Result<bool> {
    let Some(stmts) = strides.rows_of(loops)? else { return Ok(false) };
    let is_wanted = |(stmt, rows): &StmtRows| {
        let innermost = rows.last().zip(wanted.get(stmt));
        innermost.is_some_and(|(row, iterators)| {
            iterators.iter().any(|&iterator| row.get(iterator).is_some_and(|&c| c != 0))
        })
    };
    Ok(!stmts.is_empty() && stmts.iter().all(is_wanted))
}

/// Whether no access of the statements under `loops` jumps along the innermost one.
fn is_smooth(loops: &[Member], strides: &StrideModel) -> Result<bool> {
    let Some(stmts) = strides.rows_of(loops)? else { return Ok(false) };
    let is_smooth = |(stmt, rows): &StmtRows| {
        let innermost = rows.len().checked_sub(1);
        let along = innermost.and_then(|last| strides.strides(*stmt, rows, last));
        along.is_some_and(|all| !all.contains(&Stride::Strided))
    };
    Ok(!loops.is_empty() && stmts.iter().all(is_smooth))
}
