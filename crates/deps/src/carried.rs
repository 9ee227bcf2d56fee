//! Which loops of a tree carry which dependences: what parallelism is decided from, and what `explain` shows.

use crate::legality::relations::{Order, between, restricted};
use crate::{DepId, Dependences, Result};
use farkas_poly::{Map, UnionPwAff};
use farkas_tree::{Band, Cursor, Node, ScheduleTree};

/// One loop of a tree and the dependences that its iterations order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberReport {
    /// The band.
    pub cursor: Cursor,
    /// The position of the loop in its band.
    pub member: usize,
    /// The dependences that stop this loop, where it stands, from being parallel: neither an outer node nor an earlier
    /// member of the band orders all of their pairs, and some of the rest lie in different iterations.
    pub blocked_by: Vec<DepId>,
    /// The same with the earlier members of the band left out of account: what stops the member from being coincident,
    /// wherever in the band it stands.
    pub blocked_in_band: Vec<DepId>,
}

impl MemberReport {
    /// Whether the loop, where it stands, may be parallel.
    pub fn is_parallel(&self) -> bool {
        self.blocked_by.is_empty()
    }

    /// Whether the member is coincident: it may be parallel wherever in its band it stands.
    pub fn is_coincident(&self) -> bool {
        self.blocked_in_band.is_empty()
    }
}

/// A report on each loop of `tree`, bands in the order of [`ScheduleTree::cursors`], outermost member first. Input
/// dependences order nothing and are left out.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn coincidence(deps: &Dependences, tree: &ScheduleTree) -> Result<Vec<MemberReport>> {
    let pairs = deps.validity().map(|(id, dep)| (id, dep.relation.clone())).collect();
    let mut reports = Vec::new();
    descend(tree, &Cursor::root(), pairs, &mut reports)?;
    Ok(reports)
}

/// Whether the loop at position `member` of the band at `cursor`, where it stands, carries no dependence.
///
/// # Errors
/// When there is no such band, isl refuses or its budget is used up.
pub fn is_parallel(
    deps: &Dependences,
    tree: &ScheduleTree,
    cursor: &Cursor,
    member: usize,
) -> Result<bool> {
    Ok(report(deps, tree, cursor, member)?.is_parallel())
}

/// Whether the member at position `member` of the band at `cursor` is coincident.
///
/// # Errors
/// When there is no such band, isl refuses or its budget is used up.
pub fn is_coincident(
    deps: &Dependences,
    tree: &ScheduleTree,
    cursor: &Cursor,
    member: usize,
) -> Result<bool> {
    Ok(report(deps, tree, cursor, member)?.is_coincident())
}

/// The report on one loop.
fn report(
    deps: &Dependences,
    tree: &ScheduleTree,
    cursor: &Cursor,
    member: usize,
) -> Result<MemberReport> {
    let found = coincidence(deps, tree)?
        .into_iter()
        .find(|report| report.cursor == *cursor && report.member == member);
    found.ok_or_else(|| farkas_tree::Error::NoNode(cursor.clone()).into())
}

/// Pairs of dependences that outer nodes leave.
type Left = Vec<(DepId, Map)>;

/// Reports on the loops of `tree`, which `left` reach.
fn descend(
    tree: &ScheduleTree,
    here: &Cursor,
    left: Left,
    reports: &mut Vec<MemberReport>,
) -> Result<()> {
    match tree.node() {
        Node::Band { band, child } => {
            let left = report_band(band, here, left, reports)?;
            descend(child, &here.child(0), left, reports)
        }
        Node::Filter { filter, child } => {
            let inside = |(id, pairs): &(DepId, Map)| {
                let pairs = restricted(pairs, filter)?;
                Ok((!pairs.is_empty()?).then_some((*id, pairs)))
            };
            let left: Result<Vec<Option<_>>> = left.iter().map(inside).collect();
            descend(child, &here.child(0), left?.into_iter().flatten().collect(), reports)
        }
        _ => {
            for (i, child) in tree.children().iter().enumerate() {
                descend(child, &here.child(i), left.clone(), reports)?;
            }
            Ok(())
        }
    }
}

/// Reports on the members of a band; what they leave.
fn report_band(
    band: &Band,
    here: &Cursor,
    reached: Left,
    reports: &mut Vec<MemberReport>,
) -> Result<Left> {
    let mut left = reached.clone();
    for (member, m) in band.members.iter().enumerate() {
        let mut report = MemberReport {
            cursor: here.clone(),
            member,
            blocked_by: Vec::new(),
            blocked_in_band: Vec::new(),
        };
        for (id, pairs) in &reached {
            if distinguishes(pairs, &m.schedule)? {
                report.blocked_in_band.push(*id);
            }
        }
        let mut next = Vec::new();
        for (id, pairs) in &left {
            if distinguishes(pairs, &m.schedule)? {
                report.blocked_by.push(*id);
            }
            let same = between(pairs, &m.schedule, Order::Same)?;
            if !same.is_empty()? {
                next.push((*id, same));
            }
        }
        left = next;
        reports.push(report);
    }
    Ok(left)
}

/// Whether some of `pairs` have different dates under `schedule`.
fn distinguishes(pairs: &Map, schedule: &UnionPwAff) -> Result<bool> {
    Ok(!between(pairs, schedule, Order::Before)?.is_empty()?
        || !between(pairs, schedule, Order::After)?.is_empty()?)
}
