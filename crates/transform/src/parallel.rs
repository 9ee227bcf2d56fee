//! Which loops run on several threads.

use crate::plan::{interchange, mark};
use crate::threads::has_threads;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::is_long;
use farkas_poly::UnionSet;
use farkas_steps::{LoopKind, Step};
use farkas_tree::{Band, Cursor, Mark, Member, Node, OneThread, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A loop with fewer iterations leaves threads without work, and threads with uneven shares.
const ENOUGH: i64 = 8;

/// Loops on threads: [`plan_parallel`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parallel {}

impl Plans for Parallel {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        if !view.setting.has_threads {
            return Ok(Proposal::Nothing);
        }
        Ok(Proposal::Steps(plan_parallel(view.tree(), remarks)?))
    }
}

/// Marks the outermost coincident member on each path from the root, moved to the front of its band where the band is
/// permutable.
///
/// A loop that runs inside a sequential one is marked only when there is a loop inside it: starting threads costs more
/// than a single short loop can win.
///
/// Each other loop gets the reason why it stays on one thread, where it has none yet.
///
/// # Errors
/// When isl refuses.
pub fn plan_parallel(tree: &ScheduleTree, remarks: &mut Vec<Remark>) -> Result<Plan> {
    let domain = match tree.node() {
        Node::Domain { domain, .. } => domain.clone(),
        _ => UnionSet::none()?,
    };
    let mut planning = Planning { domain, steps: Vec::new(), remarks };
    let tree = planning.below(tree, &Cursor::root(), false)?;
    Ok(Plan { steps: planning.steps, ..Plan::none(&tree) })
}

/// The state of a walk.
struct Planning<'a> {
    /// All instances.
    domain: UnionSet,
    steps: Vec<Step>,
    remarks: &'a mut Vec<Remark>,
}

impl Planning<'_> {
    /// Plans for the loops of a subtree, told whether a sequential loop surrounds it; the subtree with the reasons of those that stay
    /// on one thread.
    fn below(
        &mut self,
        tree: &ScheduleTree,
        here: &Cursor,
        inside_loop: bool,
    ) -> Result<ScheduleTree> {
        match tree.node() {
            Node::Band { band, child } => return self.band((band, child), here, 0, inside_loop),
            Node::Mark { mark: Mark::Shaped, child } => {
                return Ok(tree.with_children(vec![told_of_shape(child)?]));
            }
            // A planner before this one decided.
            Node::Mark { mark: Mark::Parallel, .. } => return told_of_shape(tree),
            // Lanes of strips stay together on one thread.
            Node::Mark { mark: Mark::Unroll, .. } => return told(tree, &OneThread::Shaped),
            Node::Mark { mark: Mark::Wavefront, child } => {
                if let Node::Band { band, child: points } = child.node() {
                    // The sum stays outside; the parallel loop is looked for among the others.
                    let waves = self.band((band, points), &here.child(0), 1, true)?;
                    return Ok(tree.with_children(vec![waves]));
                }
            }
            _ => {}
        }
        let children = tree.children().iter().enumerate();
        let children = children.map(|(at, c)| self.below(c, &here.child(at), inside_loop));
        let children = children.collect::<Result<_>>()?;
        Ok(tree.with_children(children))
    }

    /// One band, whose loops up to `first` run in order: marks a loop, or looks further inside.
    fn band(
        &mut self,
        (band, child): (&Band, &ScheduleTree),
        here: &Cursor,
        first: usize,
        inside_loop: bool,
    ) -> Result<ScheduleTree> {
        let (outer, members) = band.members.split_at(first.min(band.members.len()));
        let others = Band { members: members.to_vec(), permutable: band.permutable };
        let found = worthwhile_member(&others, child, &self.domain, inside_loop)?;
        let outer = outer.iter().map(unmarked);
        let Some(position) = found else {
            let members = outer.chain(others.members.iter().map(unmarked)).collect();
            let band = Band { members, permutable: band.permutable };
            return Ok(ScheduleTree::band(band, self.below(child, &here.child(0), true)?));
        };
        let front = if band.permutable { 0 } else { position };
        let stmts = stmt_names(&others.members[position].schedule.domain()?)?;
        let text =
            if front == 0 { "the outermost loop is parallel" } else { "an inner loop is parallel" };
        self.remarks.push(Remark { pass: "parallel", stmts, text: text.to_owned() });
        let mut order: Vec<usize> = (0..band.members.len()).collect();
        order[first + front..=first + position].rotate_right(1);
        self.steps.extend(interchange(here, &order));
        self.steps.push(mark(here, first + front, LoopKind::Parallel));
        let members = outer.chain(beside(&others, position)).collect();
        let band = Band { members, permutable: band.permutable };
        Ok(ScheduleTree::band(band, told(child, &OneThread::Outer)?))
    }
}

/// The members of a band of which the one at `position` is to run in parallel, each other one with the reason why it does not.
fn beside(band: &Band, position: usize) -> Vec<Member> {
    let reason = |at: usize| match at.cmp(&position) {
        Ordering::Less if band.members[at].coincident => Some(OneThread::Short(ENOUGH)),
        Ordering::Less => Some(OneThread::NotCoincident),
        Ordering::Equal => None,
        Ordering::Greater => Some(OneThread::Outer),
    };
    let members = band.members.iter().enumerate();
    members.map(|(at, member)| with_reason(member, reason(at))).collect()
}

/// A member of a band in which no loop is marked.
fn unmarked(member: &Member) -> Member {
    let why = if member.coincident { OneThread::Innermost } else { OneThread::NotCoincident };
    with_reason(member, Some(why))
}

/// The member with a reason, unless it has one.
fn with_reason(member: &Member, reason: Option<OneThread>) -> Member {
    Member { one_thread: member.one_thread.clone().or(reason), ..member.clone() }
}

/// The tree with a reason for each of its members that has none.
fn told(tree: &ScheduleTree, why: &OneThread) -> Result<ScheduleTree> {
    tree.map_bottom_up(&mut |tree| {
        let Node::Band { band, child } = tree.node() else { return Ok(tree) };
        let members = band.members.iter().map(|member| with_reason(member, Some(why.clone())));
        let band = Band { members: members.collect(), permutable: band.permutable };
        Ok(ScheduleTree::band(band, child.clone()))
    })
}

/// A nest that has its shape, with the reasons of its loops: those that whoever shaped it did not mark.
fn told_of_shape(tree: &ScheduleTree) -> Result<ScheduleTree> {
    if let Node::Mark { mark: Mark::Parallel, child } = tree.node()
        && let Node::Band { band, child } = child.node()
    {
        let band = ScheduleTree::band(band.clone(), told(child, &OneThread::Outer)?);
        return Ok(ScheduleTree::mark(Mark::Parallel, band));
    }
    let children = tree.children().iter().map(told_of_shape).collect::<Result<_>>()?;
    let tree = tree.with_children(children);
    let Node::Band { band, child } = tree.node() else { return Ok(tree) };
    let why = if has_threads(child) { OneThread::Inner } else { OneThread::Shaped };
    let members = band.members.iter().map(|member| with_reason(member, Some(why.clone())));
    let band = Band { members: members.collect(), permutable: band.permutable };
    Ok(ScheduleTree::band(band, child.clone()))
}

/// The position of the member to run in parallel, where threads are worth starting.
fn worthwhile_member(
    band: &Band,
    child: &ScheduleTree,
    domain: &UnionSet,
    inside_loop: bool,
) -> Result<Option<usize>> {
    let worthwhile = |position: &usize| {
        let outermost = !inside_loop && (*position == 0 || band.permutable);
        outermost || band.members.len() > position + 1 || child.contains_band()
    };
    Ok(parallel_member(band, child, domain)?.filter(worthwhile))
}

/// The position of the outermost coincident member; in a permutable band, where it has fewer than [`ENOUGH`] iterations, of
/// the first of the coincident members right below it that has as many. The innermost loop of all stays where it is,
/// for the sake of vector lanes, and a loop that carries a dependence is not passed over: the data of the loops inside it
/// would be walked through once more for each thread's share.
fn parallel_member(band: &Band, child: &ScheduleTree, domain: &UnionSet) -> Result<Option<usize>> {
    let Some(first) = band.members.iter().position(|m| m.coincident) else { return Ok(None) };
    if band.permutable {
        let is_innermost = |at: usize| at + 1 == band.members.len() && !child.contains_band();
        for (at, member) in band.members.iter().enumerate().skip(first) {
            if !member.coincident || is_innermost(at) {
                break;
            }
            if is_long(member, domain, ENOUGH)? {
                return Ok(Some(at));
            }
        }
    }
    Ok(Some(first))
}
