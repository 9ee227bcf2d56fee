//! Which loops run in vector lanes.

use crate::Remark;
use crate::plan::mark;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Result};
use farkas_analysis::{Bounds, StmtRows, StrideModel};
use farkas_poly::{Set, UnionSet};
use farkas_scop::{StmtId, Stride};
use farkas_steps::{LoopKind, Step, reaching};
use farkas_tree::{Cursor, MAX_WRITTEN_OUT, Mark, Member, Node, ScheduleTree};
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

/// The most copies of a body that loops inside a loop in vector lanes are written out as.
const MAX_COPIES: i64 = 64;

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
/// is contiguous or invariant along it. What is written out one after another stays so. Loops of windows do not count: where all
/// that is inside of a band has the same few iterations whatever the loops around it do, it is written out.
///
/// # Errors
/// When isl refuses.
pub fn plan_vectors(tree: &ScheduleTree, strides: &StrideModel) -> Result<Plan> {
    planned(tree, strides, &|stmt, at| is_smooth(stmt, at, strides))
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
    planned(tree, strides, &|stmt, at| is_wanted(stmt, at, wanted))
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
fn planned(tree: &ScheduleTree, strides: &StrideModel, fits: &Fits<'_>) -> Result<Plan> {
    let mut planning = Planning { tree, strides, fits, outer: Vec::new(), steps: Vec::new() };
    planning.below(tree, &Cursor::root())?;
    Ok(Plan { steps: planning.steps, ..Plan::none(tree) })
}

/// Whether one of the loops of a statement, of which there are the linear parts, fits it.
type Fits<'a> = dyn Fn(&StmtRows, usize) -> bool + 'a;

/// The state of a walk.
struct Planning<'a> {
    tree: &'a ScheduleTree,
    strides: &'a StrideModel,
    fits: &'a Fits<'a>,
    /// The members around the place.
    outer: Vec<Member>,
    steps: Vec<Step>,
}

impl Planning<'_> {
    /// The marks for loops below a node.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor) -> Result<()> {
        if matches!(
            tree.node(),
            Node::Mark { mark: Mark::Shaped | Mark::Vector | Mark::Unroll, .. }
        ) {
            return Ok(());
        }
        let depth = self.outer.len();
        if let Node::Band { band, child } = tree.node() {
            self.outer.extend(band.members.iter().cloned());
            let is_coincident = band.members.last().is_some_and(|m| m.coincident);
            if is_coincident && let Some(written_out) = self.written_out(child, &here.child(0))? {
                self.steps.extend(written_out);
                self.steps.push(mark(here, band.members.len() - 1, LoopKind::Vector));
                self.outer.truncate(depth);
                return Ok(());
            }
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at))?;
        }
        self.outer.truncate(depth);
        Ok(())
    }

    /// What writes out the loops of a subtree, where the loop around it fits all statements; `None` where it does not, or where a loop
    /// has too many iterations, or not always the same number, or marks.
    fn written_out(&self, tree: &ScheduleTree, here: &Cursor) -> Result<Option<Vec<Step>>> {
        if !tree.contains_band() {
            let Some(stmts) = self.strides.rows_of(&self.outer)? else { return Ok(None) };
            let fits = |stmt: &StmtRows| {
                stmt.1.len().checked_sub(1).is_some_and(|at| (self.fits)(stmt, at))
            };
            return Ok((!stmts.is_empty() && stmts.iter().all(fits)).then(Vec::new));
        }
        let outer = self.outer.clone();
        let mut writing = WritingOut { planning: self, outer, steps: Vec::new() };
        let inside = reaching(self.tree, here)?;
        let is_known = writing.below(tree, here, &inside)?;
        Ok(is_known.then_some(writing.steps))
    }

    /// Whether the loop fits the statement of some instances, which has these loops.
    fn fits_inside(&self, loops: &[Member], instances: &Set) -> Result<bool> {
        let name = instances.tuple_name().unwrap_or_default();
        let Some(stmt) = self.strides.stmt(&name) else { return Ok(false) };
        let (mut rows, mut at) = (Vec::new(), None);
        for (number, member) in loops.iter().enumerate() {
            rows.extend(self.strides.member_row(stmt, member)?);
            if number + 1 == self.outer.len() {
                at = rows.len().checked_sub(1);
            }
        }
        Ok(at.is_some_and(|at| (self.fits)(&(stmt, rows), at)))
    }
}

/// Loops that are to be written out.
struct WritingOut<'a> {
    planning: &'a Planning<'a>,
    /// The members around the place.
    outer: Vec<Member>,
    steps: Vec<Step>,
}

impl WritingOut<'_> {
    /// Whether the loops of a subtree can be; their marks, the innermost first.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor, instances: &UnionSet) -> Result<bool> {
        let depth = self.outer.len();
        let filtered = match tree.node() {
            Node::Leaf => return self.fits(instances),
            Node::Mark { .. } => return Ok(false),
            Node::Filter { filter, .. } => Some(instances.intersect(filter)?),
            _ => None,
        };
        let n_members = match tree.node() {
            Node::Band { band, .. } => {
                self.outer.extend(band.members.iter().cloned());
                band.members.len()
            }
            _ => 0,
        };
        for (at, child) in tree.children().iter().enumerate() {
            if !self.below(child, &here.child(at), filtered.as_ref().unwrap_or(instances))? {
                return Ok(false);
            }
        }
        self.outer.truncate(depth);
        let marks = (0..n_members).rev().map(|at| mark(here, at, LoopKind::Unroll));
        self.steps.extend(marks);
        Ok(true)
    }

    /// Whether the loop in lanes fits the statements of some instances, and all loops inside it have few iterations, always as many.
    fn fits(&self, instances: &UnionSet) -> Result<bool> {
        let first = self.planning.outer.len();
        for set in instances.sets()? {
            let mut copies = 1_i64;
            if self.outer.len() > first {
                let Some(bounds) = Bounds::of(&set, &self.outer)? else { return Ok(false) };
                for at in first..self.outer.len() {
                    match bounds.iterations(at) {
                        Some(n) if n <= MAX_WRITTEN_OUT => copies = copies.saturating_mul(n),
                        _ => return Ok(false),
                    }
                }
            }
            if copies > MAX_COPIES || !self.planning.fits_inside(&self.outer, &set)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a statement wants one of its loops in vector lanes.
fn is_wanted((stmt, rows): &StmtRows, at: usize, wanted: &WantedLoops) -> bool {
    let own = rows.get(at).zip(wanted.get(stmt));
    own.is_some_and(|(row, iterators)| {
        iterators.iter().any(|&iterator| row.get(iterator).is_some_and(|&c| c != 0))
    })
}

/// Whether no access of a statement jumps along one of its loops.
fn is_smooth((stmt, rows): &StmtRows, at: usize, strides: &StrideModel) -> bool {
    let along = strides.strides(*stmt, rows, at);
    along.is_some_and(|all| !all.contains(&Stride::Strided))
}
