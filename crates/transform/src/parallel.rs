//! Which loops run on several threads.

use crate::extent::is_long;
use crate::{Remark, Result, stmt_names};
use farkas_poly::UnionSet;
use farkas_tree::{Band, Mark, Member, Node, OneThread, ScheduleTree};
use std::cmp::Ordering;

/// A loop with fewer iterations leaves threads without work, and threads with uneven shares.
const ENOUGH: i64 = 8;

/// Marks the outermost coincident member on each path from the root, moved to the front of its band where the band is
/// permutable, and gives it a band of its own under [`Mark::Parallel`].
///
/// A loop that runs inside a sequential one is marked only when there is a loop inside it: starting threads costs more
/// than a single short loop can win.
///
/// Each other loop gets the reason why it stays on one thread, where it has none yet.
///
/// Legal because a coincident member carries no dependence that outer nodes leave.
///
/// # Errors
/// When isl refuses.
pub fn mark_parallel(tree: &ScheduleTree, remarks: &mut Vec<Remark>) -> Result<ScheduleTree> {
    let domain = match tree.node() {
        Node::Domain { domain, .. } => domain.clone(),
        _ => UnionSet::none()?,
    };
    mark_below(tree, &domain, false, remarks)
}

/// As [`mark_parallel`], told whether a sequential loop surrounds `tree`.
fn mark_below(
    tree: &ScheduleTree,
    domain: &UnionSet,
    inside_loop: bool,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    match tree.node() {
        Node::Band { band, child } => {
            return mark_band(band, child, domain, inside_loop, remarks);
        }
        Node::Mark { mark: Mark::Shaped, child } => {
            return Ok(tree.with_children(vec![told_of_shape(child)?]));
        }
        Node::Mark { mark: Mark::Wavefront, child } => {
            return mark_wavefront(tree, child, domain, remarks);
        }
        Node::Mark { mark: Mark::Tile(sizes), child: below } => {
            if let Node::Band { band, child } = below.node()
                && band.permutable
                && let Some(position) = worthwhile_member(band, child, domain, inside_loop)?
                && position < sizes.len()
            {
                // The sizes follow their members.
                let mut sizes = sizes.clone();
                sizes[..=position].rotate_right(1);
                let below = mark_below(below, domain, inside_loop, remarks)?;
                return Ok(ScheduleTree::mark(Mark::Tile(sizes), below));
            }
        }
        _ => {}
    }
    let children = tree
        .children()
        .iter()
        .map(|c| mark_below(c, domain, inside_loop, remarks))
        .collect::<Result<_>>()?;
    Ok(tree.with_children(children))
}

/// One band: splits the parallel member off, or looks further inside.
fn mark_band(
    band: &Band,
    child: &ScheduleTree,
    domain: &UnionSet,
    inside_loop: bool,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    let Some(position) = worthwhile_member(band, child, domain, inside_loop)? else {
        let members = band.members.iter().map(unmarked).collect();
        let band = Band { members, permutable: band.permutable };
        return Ok(ScheduleTree::band(band, mark_below(child, domain, true, remarks)?));
    };
    let mut members = beside(band, position);
    let front = if band.permutable { 0 } else { position };
    let member = members.remove(position);
    members.insert(front, member);
    let inner = members.split_off(front + 1);
    let parallel = members.split_off(front);
    let stmts = stmt_names(&parallel[0].schedule.domain()?)?;
    let text =
        if front == 0 { "the outermost loop is parallel" } else { "an inner loop is parallel" };
    remarks.push(Remark { pass: "parallel", stmts, text: text.to_owned() });
    let part = |members| Band { members, permutable: band.permutable };
    let inner = ScheduleTree::band(part(inner), told(child, &OneThread::Outer)?);
    let parallel = ScheduleTree::mark(Mark::Parallel, ScheduleTree::band(part(parallel), inner));
    Ok(ScheduleTree::band(part(members), parallel))
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
    let why = if contains_parallel(child) { OneThread::Inner } else { OneThread::Shaped };
    let members = band.members.iter().map(|member| with_reason(member, Some(why.clone())));
    let band = Band { members: members.collect(), permutable: band.permutable };
    Ok(ScheduleTree::band(band, child.clone()))
}

/// Whether a loop is marked somewhere in the tree.
fn contains_parallel(tree: &ScheduleTree) -> bool {
    matches!(tree.node(), Node::Mark { mark: Mark::Parallel, .. })
        || tree.children().iter().any(contains_parallel)
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

/// A wavefront's sum stays outside; the parallel member is looked for among the others.
fn mark_wavefront(
    tree: &ScheduleTree,
    below: &ScheduleTree,
    domain: &UnionSet,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    let Node::Band { band, child } = below.node() else {
        return Ok(tree.with_children(vec![mark_below(below, domain, false, remarks)?]));
    };
    let (sum, others) = band.members.split_at(1.min(band.members.len()));
    let sum: Vec<Member> = sum.iter().map(unmarked).collect();
    let part = |members: &[farkas_tree::Member]| Band {
        members: members.to_vec(),
        permutable: band.permutable,
    };
    let inner =
        mark_below(&ScheduleTree::band(part(others), child.clone()), domain, true, remarks)?;
    Ok(ScheduleTree::mark(Mark::Wavefront, ScheduleTree::band(part(&sum), inner)))
}
