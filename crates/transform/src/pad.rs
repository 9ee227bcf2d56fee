//! Whole tiles of buffers, also where tiles are partial.

use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result};
use farkas_analysis::stmt_names;
use farkas_scop::ArrayScope;
use farkas_steps::{self as steps, LoopAddress, Step, Subject};
use farkas_tree::{Cursor, Mark, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where full tiles are apart and loops within them use buffers: the step `pad` for each statement that it applies to. Compilers keep sums in
/// registers over loops of known length alone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pad {}

impl Plans for Pad {
    fn plan(&self, view: &View<'_>, _: &mut Vec<Remark>) -> Result<Proposal> {
        let (program, tree) = (view.program, view.tree());
        let mut arrays = program.scop.arrays().iter();
        if !arrays.any(|array| array.scope == ArrayScope::Buffer) {
            return Ok(Proposal::Nothing);
        }
        let mut bands = Vec::new();
        innermost_apart(tree, &Cursor::root(), false, &mut bands);
        let (mut plan, mut padded) = (Plan::none(tree), program.clone());
        for cursor in bands {
            let Node::Band { band, .. } = tree.at(&cursor)?.node() else { continue };
            let Some(member) = band.members.first() else { continue };
            let at = LoopAddress::member(cursor, 0);
            let stmts = stmt_names(&member.schedule.domain()?)?;
            let subject = Subject { program: &padded, deps: None };
            match steps::Pad::chosen(&subject, at, stmts) {
                Ok(Some((step, tree))) => {
                    plan.steps.push(Step::Pad(step));
                    padded.tree = tree;
                }
                Ok(None) | Err(steps::Error::NotApplicable(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        plan.program = Some(padded);
        Ok(Proposal::Steps(plan))
    }
}

/// The bands of tile loops that have no others inside and whose full tiles are apart, last ones first. None is inside another.
fn innermost_apart(tree: &ScheduleTree, here: &Cursor, is_apart: bool, bands: &mut Vec<Cursor>) {
    let mut below = false;
    match tree.node() {
        Node::Band { child, .. } if is_apart && !has_tiles(child) => {
            return bands.push(here.clone());
        }
        Node::Mark { mark: Mark::SeparateFullTiles, .. } => below = true,
        Node::Mark { .. } => below = is_apart,
        _ => {}
    }
    for (at, child) in tree.children().iter().enumerate() {
        innermost_apart(child, &here.child(at), below, bands);
    }
}

/// Whether there are loops over tiles.
fn has_tiles(tree: &ScheduleTree) -> bool {
    matches!(tree.node(), Node::Mark { mark: Mark::Tile(_), .. })
        || tree.children().iter().any(has_tiles)
}
