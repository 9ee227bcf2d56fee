//! Wavefronts: parallelism for tiled bands that have no parallel loop.

use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_steps::{LoopAddress, Skew, Step};
use farkas_tree::{Cursor, Mark, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Wavefronts of tiles where no tile loop is parallel: [`plan_wavefronts`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wavefronts {}

impl Plans for Wavefronts {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        if !view.setting.has_threads {
            return Ok(Proposal::Nothing);
        }
        Ok(Proposal::Steps(plan_wavefronts(view.tree(), remarks)?))
    }
}

/// Skews the first tile loop by the second in every permutable tile band without a coincident member, so that tiles run in
/// wavefronts.
///
/// # Errors
/// When isl refuses.
fn plan_wavefronts(tree: &ScheduleTree, remarks: &mut Vec<Remark>) -> Result<Plan> {
    let mut plan = Plan::none(tree);
    plan_below(tree, &Cursor::root(), &mut plan.steps, remarks)?;
    Ok(plan)
}

/// The wavefronts below a node.
fn plan_below(
    tree: &ScheduleTree,
    here: &Cursor,
    steps: &mut Vec<Step>,
    remarks: &mut Vec<Remark>,
) -> Result<()> {
    if matches!(tree.node(), Node::Mark { mark: Mark::Shaped, .. }) {
        return Ok(());
    }
    if let Node::Mark { mark: Mark::Tile(_), child } = tree.node()
        && let Node::Band { band, .. } = child.node()
        && band.permutable
        && let [_, second, ..] = band.members.as_slice()
        && band.members.iter().all(|m| !m.coincident)
    {
        let stmts = stmt_names(&second.schedule.domain()?)?;
        let text = "no tile loop is parallel: tiles run in wavefronts of the first two".to_owned();
        remarks.push(Remark { pass: "wavefront", stmts, text });
        let loops = [0, 1].map(|member| LoopAddress::member(here.child(0), member));
        let [at, by] = loops;
        steps.push(Step::Skew(Skew { at, by, factor: 1 }));
        return Ok(());
    }
    for (at, child) in tree.children().iter().enumerate() {
        plan_below(child, &here.child(at), steps, remarks)?;
    }
    Ok(())
}
