//! Wavefronts: parallelism for tiled bands that have no parallel loop.

use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_deps::{Dependences, carried};
use farkas_steps::{LoopAddress, Skew, Step, Subject};
use farkas_tree::{Cursor, Mark, Node, Program, ScheduleTree};
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
        let deps = view.all_deps()?;
        let wavefronts = Wavefront { program: view.program, deps, steps: Vec::new(), remarks };
        Ok(Proposal::Steps(wavefronts.plan(view.tree())?))
    }
}

/// A descent into a tree.
struct Wavefront<'a> {
    program: &'a Program,
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
            {
                let [first, by] = [0, 1].map(|member| LoopAddress::member(at.child(0), member));
                let step = Step::Skew(Skew { at: first, by, factor: 1 });
                if self.is_parallel(&step, &at.child(0))? {
                    let stmts = stmt_names(&second.schedule.domain()?)?;
                    let text = "no tile loop is parallel: tiles run in wavefronts of the first two"
                        .to_owned();
                    self.remarks.push(Remark { pass: "wavefront", stmts, text });
                    self.steps.push(step);
                }
                continue;
            }
            let children = node.children().iter().enumerate().rev();
            nodes.extend(children.map(|(i, child)| (child.clone(), at.child(i))));
        }
        Ok(())
    }

    /// Whether tiles of a wavefront, in a band that a step skews, do not wait for one another: they may update the same elements.
    fn is_parallel(&self, step: &Step, band: &Cursor) -> Result<bool> {
        if self.deps.deps.iter().all(|dep| dep.relaxed.is_none()) {
            return Ok(true);
        }
        let tree = step.apply(&Subject { program: self.program, deps: Some(self.deps) })?.tree;
        Ok(tree.member(&band.child(0), 1).is_some_and(|second| second.coincident))
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
