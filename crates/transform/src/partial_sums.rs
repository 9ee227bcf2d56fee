//! Which loops may build a sum from several partial sums.

use crate::Remark;
use crate::plan::mark;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Result};
use farkas_analysis::{StmtRows, StrideModel};
use farkas_base::Id as _;
use farkas_scop::{AccessId, Scop, StmtId, Stride, Sum};
use farkas_steps::{LoopKind, Step};
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sums built from several partial sums: [`plan_partial_sums`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartialSums {}

impl Plans for PartialSums {
    fn plan(&self, view: &View<'_>, _: &mut Vec<Remark>) -> Result<Proposal> {
        if !view.setting.has_lanes || !view.setting.reassociates {
            return Ok(Proposal::Nothing);
        }
        let plan = plan_partial_sums(&view.program.scop, view.tree(), view.strides()?)?;
        Ok(Proposal::Steps(plan))
    }
}

/// Marks the innermost member of every innermost band for partial sums where one statement adds neighbouring elements up into one
/// element along it. The order of the sums is not kept then: only for users who say so.
///
/// # Errors
/// When isl refuses.
fn plan_partial_sums(scop: &Scop, tree: &ScheduleTree, strides: &StrideModel) -> Result<Plan> {
    let mut plan = Plan::none(tree);
    let mut marker = Marker { scop, strides, steps: &mut plan.steps };
    marker.below(tree, &Cursor::root(), &mut Vec::new())?;
    Ok(plan)
}

/// A descent into a tree.
struct Marker<'a> {
    scop: &'a Scop,
    strides: &'a StrideModel,
    steps: &'a mut Vec<Step>,
}

impl Marker<'_> {
    /// As [`plan_partial_sums`]; `outer` holds the members around `tree`.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor, outer: &mut Vec<Member>) -> Result<()> {
        let depth = outer.len();
        if matches!(tree.node(), Node::Mark { mark: Mark::Shaped | Mark::Vector, .. }) {
            return Ok(());
        }
        if let Node::Band { band, child } = tree.node() {
            outer.extend(band.members.iter().cloned());
            let carries = band.members.last().is_some_and(|member| !member.coincident);
            if carries && matches!(child.node(), Node::Leaf) && self.adds_up(outer)? {
                self.steps.push(mark(here, band.members.len() - 1, LoopKind::PartialSums));
            }
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at), outer)?;
        }
        outer.truncate(depth);
        Ok(())
    }

    /// Whether the innermost of `loops` adds neighbouring elements up into one.
    fn adds_up(&self, loops: &[Member]) -> Result<bool> {
        let Some(stmts) = self.strides.rows_of(loops)? else { return Ok(false) };
        let [(stmt, rows)] = stmts.as_slice() else { return Ok(false) };
        let Some(sum) = self.scop.stmts()[*stmt].sum() else { return Ok(false) };
        Ok(self.is_smooth((*stmt, rows.clone()), sum) && self.is_alone(*stmt, sum)?)
    }

    /// Whether the sum stays at its element along the innermost of the loops and no other access jumps.
    fn is_smooth(&self, (stmt, rows): StmtRows, sum: Sum<'_>) -> bool {
        let innermost = rows.len().checked_sub(1);
        let along = innermost.and_then(|last| self.strides.strides(stmt, &rows, last));
        along.is_some_and(|strides| {
            let of = |at: AccessId| strides.get(at.index());
            of(sum.target) == Some(&Stride::Invariant) && !strides.contains(&Stride::Strided)
        })
    }

    /// Whether no other access of an instance is to the element that it adds to.
    fn is_alone(&self, stmt: StmtId, sum: Sum<'_>) -> Result<bool> {
        let stmt = &self.scop.stmts()[stmt];
        let target = &stmt.accesses[sum.target];
        for (at, access) in stmt.accesses.iter_enumerated() {
            if at == sum.target || at == sum.read || access.array != target.array {
                continue;
            }
            let both = access.relation.intersect(&target.relation)?;
            if !both.intersect_domain(&stmt.domain)?.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
