//! Copies of arrays for the iterations of concurrent loops.

use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result};
use farkas_deps::Dependences;
use farkas_deps::legality::{Privatisation, privatisations};
use farkas_scop::{Array, Scop, StmtId};
use farkas_steps::{ArrayAddress, LoopAddress, LoopKind, Step};
use farkas_tree::{Cursor, Mark, Node, OneThread, Program, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the pass in remarks.
const PASS: &str = "private";

/// Copies of temporaries for the iterations of parallel loops, where live ranges may be in another order: [`plan_copies`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrivateCopies {}

impl Plans for PrivateCopies {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        if view.setting.keeps_all {
            return Ok(Proposal::Nothing);
        }
        let (scop, deps) = (&view.program.scop, view.all_deps()?);
        let is_original = *scop == *view.setting.scop;
        Ok(Proposal::Steps(plan_copies((scop, is_original), deps, view.tree(), remarks)?))
    }
}

/// Copies of the temporaries whose dependences concurrent loops carry, and loops in order for which there can be no copies. Other
/// loops that carry some are not called coincident.
///
/// # Errors
/// When isl refuses or its budget is used up.
fn plan_copies(
    (scop, is_original): (&Scop, bool),
    deps: &Dependences,
    tree: &ScheduleTree,
    remarks: &mut Vec<Remark>,
) -> Result<Plan> {
    let mut plan = Plan::none(tree);
    let mut inner_first = privatisations(scop, deps, tree)?;
    for Privatisation { cursor, obstacles, .. } in &inner_first {
        for obstacle in obstacles {
            let text = format!("a loop runs in order: {obstacle}");
            remarks.push(Remark { pass: PASS, stmts: stmts_below(scop, tree, cursor), text });
        }
    }
    // What is done to a loop leaves the places of those outside of it.
    inner_first.sort_by_key(|found| std::cmp::Reverse(found.cursor.steps().len()));
    for Privatisation { cursor, member, is_marked, arrays, obstacles } in inner_first {
        let at = LoopAddress::member(cursor.clone(), 0);
        let missing = arrays.iter().filter(|array| {
            !marks_above(tree, &cursor).any(|mark| is_private(mark, &scop.arrays()[**array]))
        });
        let arrays: Vec<_> = missing.map(|array| ArrayAddress::of(scop, *array)).collect();
        if is_marked && obstacles.is_empty() && (is_original || arrays.is_empty()) {
            let is_parallel = marks_above(tree, &cursor).any(|mark| *mark == Mark::Parallel);
            let kind = if is_parallel { LoopKind::Parallel } else { LoopKind::Vector };
            if !arrays.is_empty() {
                plan.steps.push(Step::Mark(farkas_steps::Mark {
                    private: arrays,
                    ..farkas_steps::Mark::new(at, kind)
                }));
            }
            continue;
        }
        // Those of a loop that nobody marked stop nothing that was decided.
        let obstacles = obstacles.iter().filter(|_| is_marked).map(ToString::to_string).collect();
        plan.tree = not_coincident(&plan.tree, &cursor, member, obstacles)?;
        if marks_above(tree, &cursor).any(is_concurrent) {
            plan.steps.push(Step::Mark(farkas_steps::Mark::new(at, LoopKind::Sequential)));
        }
    }
    Ok(plan)
}

/// The tree in which no loop without a mark is called coincident that would need copies of temporaries.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub(crate) fn without_copies(
    program: &Program,
    deps: &Dependences,
    tree: &ScheduleTree,
) -> Result<ScheduleTree> {
    let mut tree = tree.clone();
    for needed in privatisations(&program.scop, deps, &tree)? {
        if !needed.is_marked {
            tree = not_coincident(&tree, &needed.cursor, needed.member, Vec::new())?;
        }
    }
    Ok(tree)
}

/// Whether a mark gives iterations copies of an array.
fn is_private(mark: &Mark, array: &Array) -> bool {
    matches!(mark, Mark::Private(names) if names.contains(&array.name))
}

/// Whether a mark makes iterations concurrent.
fn is_concurrent(mark: &Mark) -> bool {
    matches!(mark, Mark::Parallel | Mark::Vector | Mark::Private(_) | Mark::Reduce(_))
}

/// The marks right above a node.
fn marks_above<'t>(tree: &'t ScheduleTree, at: &Cursor) -> impl Iterator<Item = &'t Mark> {
    std::iter::successors(at.parent(), Cursor::parent).map_while(|here| {
        match tree.at(&here).ok()?.node() {
            Node::Mark { mark, .. } => Some(mark),
            _ => None,
        }
    })
}

/// The statements that the band at `cursor` dates.
fn stmts_below(scop: &Scop, tree: &ScheduleTree, cursor: &Cursor) -> Vec<String> {
    let Node::Band { band, .. } = (match tree.at(cursor) {
        Ok(band) => band.node(),
        Err(_) => return Vec::new(),
    }) else {
        return Vec::new();
    };
    let dated = |stmt: StmtId| {
        let space = scop.stmts()[stmt].domain.space().ok()?;
        let date = band.members.first()?.schedule.extract_pw_aff(&space).ok()?;
        date.n_piece().ok().filter(|n| *n > 0)
    };
    let stmts = scop.stmts().ids().filter(|stmt| dated(*stmt).is_some());
    stmts.map(|stmt| scop.stmts()[stmt].name.clone()).collect()
}

/// The tree with a member of the band at `cursor` that is not coincident, because of `obstacles` where it was marked.
fn not_coincident(
    tree: &ScheduleTree,
    cursor: &Cursor,
    member: usize,
    obstacles: Vec<String>,
) -> Result<ScheduleTree> {
    let Node::Band { band, child } = tree.at(cursor)?.node() else { return Ok(tree.clone()) };
    let mut band = band.clone();
    if let Some(member) = band.members.get_mut(member) {
        member.coincident = false;
        if !obstacles.is_empty() {
            member.one_thread = Some(OneThread::NoCopies(obstacles));
        }
    }
    Ok(tree.replace(cursor, ScheduleTree::band(band, child.clone()))?)
}
