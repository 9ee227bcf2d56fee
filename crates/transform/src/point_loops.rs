//! The order of loops inside tiles alone, for caches and vector lanes.

use crate::plan::innermost;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::StrideModel;
use farkas_steps::Step;
use farkas_tree::{Band, Cursor, Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The loop that serves locality best innermost within tiles: [`plan_order_within_tiles`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InnermostPoints {}

impl Plans for InnermostPoints {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        Ok(Proposal::Steps(plan_order_within_tiles(view.tree(), view.strides()?, remarks)?))
    }
}

/// Moves in each band of point loops the one that serves locality best to the innermost place; tile loops keep their order.
///
/// **Paper** the locality model, eq. (2), which is Pluto's. Ours differs: ties leave the scheduler's order as it is.
///
/// **Formulation** loop `j` with the greatest `n (sum over accesses of (2 s + 4 l - 16 o) + 8 v)`, where `n` counts the
/// statements that run through `j`; for each access `s` is 1 where it moves by one to four elements along `j`, `l` where it
/// stays, `o` where neither; `v` is 1 where no access has `o`.
///
/// Legal because any order of the members of a permutable band is, and tiles are left as they are.
///
/// # Errors
/// When isl refuses.
fn plan_order_within_tiles(
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
    /// The members around the place, tile loops left out.
    outer: Vec<Member>,
    strides: &'a StrideModel,
    steps: &'a mut Vec<Step>,
    remarks: &'a mut Vec<Remark>,
}

impl Ordering<'_> {
    /// The orders of bands of point loops below a node.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor) -> Result<()> {
        let depth = self.outer.len();
        match tree.node() {
            Node::Mark { mark: Mark::Shaped, .. } => return Ok(()),
            Node::Mark { mark: Mark::Tile(_), child } => {
                let Node::Band { child: points, .. } = child.node() else { return Ok(()) };
                return self.below(points, &here.child(0).child(0));
            }
            Node::Mark { mark: Mark::Point, child } => {
                if let Node::Band { band, child: body } = child.node()
                    && !body.contains_band()
                {
                    self.band(band, &here.child(0))?;
                }
            }
            Node::Band { band, .. } => self.outer.extend(band.members.iter().cloned()),
            _ => {}
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at))?;
        }
        self.outer.truncate(depth);
        Ok(())
    }

    /// Brings the best member of a band innermost.
    fn band(&mut self, band: &Band, here: &Cursor) -> Result<()> {
        if !band.permutable || band.members.len() < 2 {
            return Ok(());
        }
        let mut best: Option<(i64, usize)> = None;
        for position in (0..band.members.len()).rev() {
            let worth = worth(band, &self.outer, position, self.strides)?;
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, position));
            }
        }
        let Some((_, position)) = best else { return Ok(()) };
        if let Some(step) = innermost(here, position, band.members.len()) {
            let stmts = stmt_names(&band.members[position].schedule.domain()?)?;
            let text =
                format!("point loop {position} moves innermost: lines are used best along it");
            self.remarks.push(Remark { pass: "point-order", stmts, text });
            self.steps.push(step);
        }
        Ok(())
    }
}

/// What a member is worth as the innermost loop.
fn worth(band: &Band, outer: &[Member], position: usize, strides: &StrideModel) -> Result<i64> {
    let mut loops: Vec<Member> = outer.iter().chain(&band.members).cloned().collect();
    let at = outer.len() + position;
    // The statements are those of the innermost loop.
    let member = loops.remove(at);
    loops.push(member);
    let Some(stmts) = strides.rows_of(&loops)? else { return Ok(i64::MIN) };
    let (mut n_stmts, mut sum, mut is_smooth) = (0_i64, 0_i64, true);
    for (stmt, rows) in stmts {
        let Some(last) = rows.len().checked_sub(1) else { continue };
        if rows[last].iter().all(|&c| c == 0) {
            continue;
        }
        n_stmts += 1;
        for step in strides.steps(stmt, &rows, last) {
            sum += match step.map(i64::unsigned_abs) {
                Some(0) => 4,
                Some(1..=4) => 2,
                Some(_) | None => {
                    is_smooth = false;
                    -16
                }
            };
        }
    }
    Ok(n_stmts * (sum + if is_smooth { 8 } else { 0 }))
}
