//! The order of loops inside a permutable band, for caches and vector lanes.

use crate::plan::innermost;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result};
use farkas_analysis::StrideModel;
use farkas_poly::DimType;
use farkas_scop::{StmtId, Stride};
use farkas_steps::Step;
use farkas_tree::{Band, Cursor, Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The loop that suits vector lanes best innermost in bands without bands inside: [`plan_point_order`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Innermost {}

impl Plans for Innermost {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        Ok(Proposal::Steps(plan_point_order(view.tree(), view.strides()?, remarks)?))
    }
}

/// Moves, in each permutable band under which no further band stands, the member that suits vector lanes best to the
/// innermost place. The others keep their order.
///
/// A member's suitability counts the accesses that jump when it advances (fewer is better), then whether it is
/// coincident, then the accesses that are contiguous rather than invariant. It runs before tiling, so that tile loops
/// follow the same order. Legal because any order of the members of a permutable band is.
///
/// # Errors
/// When isl refuses.
fn plan_point_order(
    tree: &ScheduleTree,
    strides: &StrideModel,
    remarks: &mut Vec<Remark>,
) -> Result<Plan> {
    let mut plan = Plan::none(tree);
    let mut order = Ordering { outer: Vec::new(), strides, steps: &mut plan.steps, remarks };
    order.below(tree, &Cursor::root())?;
    Ok(plan)
}

/// The state of a walk.
struct Ordering<'a> {
    /// The members around the place.
    outer: Vec<Member>,
    strides: &'a StrideModel,
    steps: &'a mut Vec<Step>,
    remarks: &'a mut Vec<Remark>,
}

impl Ordering<'_> {
    /// The orders of bands below a node.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor) -> Result<()> {
        if matches!(tree.node(), Node::Mark { mark: Mark::Shaped, .. }) {
            return Ok(());
        }
        let depth = self.outer.len();
        if let Node::Band { band, child } = tree.node() {
            if band.permutable && band.members.len() >= 2 && !child.contains_band() {
                self.band(band, here)?;
            }
            self.outer.extend(band.members.iter().cloned());
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at))?;
        }
        self.outer.truncate(depth);
        Ok(())
    }

    /// Brings the best member of a band innermost.
    fn band(&mut self, band: &Band, here: &Cursor) -> Result<()> {
        let mut scored: Vec<(Suitability, usize)> = Vec::new();
        for position in 0..band.members.len() {
            scored.push((suitability(band, &self.outer, position, self.strides)?, position));
        }
        let best = scored.iter().min_by_key(|(s, position)| (*s, usize::MAX - position));
        let Some(&(_, best)) = best else { return Ok(()) };
        if let Some(step) = innermost(here, best, band.members.len()) {
            let stmts = crate::stmt_names(&band.members[best].schedule.domain()?)?;
            let text =
                format!("loop {best} of the band moves innermost: fewest accesses jump along it");
            self.remarks.push(Remark { pass: "point-order", stmts, text });
            self.steps.push(step);
        }
        Ok(())
    }
}

/// How a member would do as the innermost loop; smaller is better.
pub(crate) type Suitability = (usize, bool, usize);

/// The suitability of one member over all statements of the band.
pub(crate) fn suitability(
    band: &Band,
    outer: &[Member],
    position: usize,
    strides: &StrideModel,
) -> Result<Suitability> {
    let (mut strided, mut contiguous) = (0, 0);
    for stmt in stmts(band, strides)? {
        for stride in member_strides(stmt, band, outer, position, strides)? {
            match stride {
                Stride::Strided => strided += 1,
                Stride::Contiguous => contiguous += 1,
                Stride::Invariant => {}
            }
        }
    }
    Ok((strided, !band.members[position].coincident, usize::MAX - contiguous))
}

/// The strides of a statement's accesses along one member; every access counts as strided where none can be told.
fn member_strides(
    stmt: StmtId,
    band: &Band,
    outer: &[Member],
    position: usize,
    strides: &StrideModel,
) -> Result<Vec<Stride>> {
    let mut rows = Vec::new();
    let mut at = None;
    for (k, member) in outer.iter().chain(&band.members).enumerate() {
        if let Some(row) = strides.member_row(stmt, member)? {
            if k == outer.len() + position {
                at = Some(rows.len());
            }
            rows.push(row);
        }
    }
    Ok(at.and_then(|at| strides.strides(stmt, &rows, at)).unwrap_or_else(|| vec![Stride::Strided]))
}

/// The statements that a band schedules.
fn stmts(band: &Band, strides: &StrideModel) -> Result<Vec<StmtId>> {
    let Some(first) = band.members.first() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for part in first.schedule.pw_affs()? {
        found.extend(
            part.domain_space()?.tuple_name(DimType::SET).and_then(|name| strides.stmt(&name)),
        );
    }
    Ok(found)
}
