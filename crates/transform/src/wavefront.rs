//! Wavefronts: parallelism for tiled bands that have no parallel loop.

use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_deps::{DepId, Dependences, carried};
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
        let wavefronts = Wavefront { deps: view.all_deps()?, steps: Vec::new(), remarks };
        Ok(Proposal::Steps(wavefronts.plan(view.tree())?))
    }
}

/// A descent into a tree.
struct Wavefront<'a> {
    deps: &'a Dependences,
    steps: Vec<Step>,
    remarks: &'a mut Vec<Remark>,
}

impl Wavefront<'_> {
    /// Skews the first tile loop by the second in every permutable tile band without a coincident member, so that tiles run in
    /// wavefronts. Where the first carries nothing but updates whose order is free, it can run on threads by itself.
    ///
    /// # Errors
    /// When isl refuses.
    fn plan(mut self, tree: &ScheduleTree) -> Result<Plan> {
        self.below(tree, &Cursor::root())?;
        Ok(Plan { steps: self.steps, ..Plan::none(tree) })
    }

    /// The wavefronts below a node, the root first.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor) -> Result<()> {
        let mut nodes = vec![(tree.clone(), here.clone())];
        while let Some((node, at)) = nodes.pop() {
            if matches!(node.node(), Node::Mark { mark: Mark::Shaped, .. }) {
                continue;
            }
            if let Node::Mark { mark: Mark::Tile(_), child } = node.node()
                && let Node::Band { band, .. } = child.node()
                && band.permutable
                && let [_, second, ..] = band.members.as_slice()
                && band.members.iter().all(|m| !m.coincident)
                && !self.is_reduction(tree, &at.child(0))?
                && !self.goes_back(tree, &at.child(0))?
            {
                let stmts = stmt_names(&second.schedule.domain()?)?;
                let text =
                    "no tile loop is parallel: tiles run in wavefronts of the first two".to_owned();
                self.remarks.push(Remark { pass: "wavefront", stmts, text });
                let loops = [0, 1].map(|member| LoopAddress::member(at.child(0), member));
                let [first, by] = loops;
                self.steps.push(Step::Skew(Skew { at: first, by, factor: 1 }));
                continue;
            }
            let children = node.children().iter().enumerate().rev();
            nodes.extend(children.map(|(i, child)| (child.clone(), at.child(i))));
        }
        Ok(())
    }

    /// Whether one of the first two loops of a band of the tree dates updates whose order is free backward: tiles of one wavefront would
    /// update the same elements then.
    fn goes_back(&self, tree: &ScheduleTree, band: &Cursor) -> Result<bool> {
        let is_free = |id: &DepId| self.deps[*id].relaxed.is_some();
        if self.deps.deps.iter().all(|dep| dep.relaxed.is_none()) {
            return Ok(false);
        }
        let reports = carried::directions(self.deps, tree, band)?;
        let mut first = reports.iter().filter(|report| report.cursor == *band && report.member < 2);
        Ok(first.any(|report| report.reversed.iter().any(is_free)))
    }

    /// Whether the first loop of a band of the tree carries nothing but updates whose order is free.
    fn is_reduction(&self, tree: &ScheduleTree, band: &Cursor) -> Result<bool> {
        if self.deps.deps.iter().all(|dep| dep.relaxed.is_none()) {
            return Ok(false);
        }
        let carries = carried::report(self.deps, tree, band, 0)?.blocked_by;
        Ok(carries.iter().all(|id| self.deps[*id].relaxed.is_some()))
    }
}
