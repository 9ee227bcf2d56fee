//! What bands say of their dependences, after a step that may have made it untrue.

use crate::Result;
use crate::tree::{Loop, members_around};
use farkas_deps::{Dependences, carried};
use farkas_poly::{MultiUnionPwAff, UnionSet};
use farkas_tree::{Band, Cursor, Node, ScheduleTree};

/// The tree with the flags of all bands at or below `top` decided anew by the dependences of the program. A loop that has a single
/// iteration whenever it runs is not called coincident: there is nothing to gain.
///
/// # Errors
/// When isl refuses.
pub fn decided(
    tree: &ScheduleTree,
    deps: Option<&Dependences>,
    top: &Cursor,
) -> Result<ScheduleTree> {
    let reports = deps.map(|deps| carried::directions(deps, tree, top)).transpose()?;
    let mut tree = tree.clone();
    for cursor in tree.cursors() {
        if cursor != *top && !top.is_above(&cursor) {
            continue;
        }
        let Node::Band { band, child } = tree.at(&cursor)?.node() else { continue };
        let mut band: Band = band.clone();
        let child = child.clone();
        let own = reports.iter().flatten().filter(|report| report.cursor == cursor);
        let own: Vec<_> = own.collect();
        for (at, member) in band.members.iter_mut().enumerate() {
            let report = own.iter().find(|report| report.member == at);
            member.coincident = report.is_some_and(|report| report.is_coincident());
            member.one_thread = None;
        }
        without_single(&tree, &cursor, &mut band)?;
        band.permutable = reports.is_some() && own.iter().all(|report| report.reversed.is_empty());
        tree = tree.replace(&cursor, ScheduleTree::band(band, child))?;
    }
    Ok(tree)
}

/// The tree after a step that leaves all instances in their order, so that what the bands at or below `top` say of their dependences is
/// as true as it was. A loop that has a single iteration is not called coincident, as for [`decided`].
///
/// # Errors
/// When isl refuses.
pub(crate) fn kept(tree: &ScheduleTree, top: &Cursor) -> Result<ScheduleTree> {
    let mut tree = tree.clone();
    for cursor in tree.cursors() {
        if (cursor == *top || top.is_above(&cursor))
            && let Node::Band { band, child } = tree.at(&cursor)?.node()
        {
            let (mut band, child) = (band.clone(), child.clone());
            without_single(&tree, &cursor, &mut band)?;
            tree = tree.replace(&cursor, ScheduleTree::band(band, child))?;
        }
    }
    Ok(tree)
}

/// Has no loop of the band at a cursor called coincident that has a single iteration.
fn without_single(tree: &ScheduleTree, cursor: &Cursor, band: &mut Band) -> Result<()> {
    for at in 0..band.members.len() {
        if band.members[at].coincident {
            let loop_at = Loop { band: cursor.clone(), member: at, roles: Vec::new(), size: None };
            band.members[at].coincident = !has_one_iteration(tree, &loop_at)?;
        }
    }
    Ok(())
}

/// Whether a loop has at most one iteration in each iteration of the loops around it.
fn has_one_iteration(tree: &ScheduleTree, at: &Loop) -> Result<bool> {
    let instances = reaching(tree, &at.band)?;
    if !has_equalities(&instances)? {
        return Ok(false);
    }
    let date = MultiUnionPwAff::from_members(&[at.member_in(tree)?.schedule.clone()])?;
    let dates = date.to_union_map()?.intersect_domain(&instances)?;
    let around = members_around(tree, at)?;
    if around.is_empty() {
        let dates = dates.range()?.sets()?;
        return Ok(match dates.as_slice() {
            [dates] => dates.is_singleton()?,
            _ => dates.is_empty(),
        });
    }
    let around = MultiUnionPwAff::from_members(&around)?.to_union_map()?;
    Ok(around.reverse()?.apply_range(&dates)?.is_single_valued()?)
}

/// The instances that reach a node.
///
/// # Errors
/// When there is no such node, or isl refuses.
pub fn reaching(tree: &ScheduleTree, at: &Cursor) -> Result<UnionSet> {
    let (mut here, mut instances) = (Cursor::root(), UnionSet::none()?);
    for step in at.steps() {
        match tree.at(&here)?.node() {
            Node::Domain { domain, .. } => instances = domain.clone(),
            Node::Filter { filter, .. } => instances = instances.intersect(filter)?,
            _ => {}
        }
        here = here.child(*step);
    }
    Ok(instances)
}

/// Whether some of the instances satisfy an equality, without which no loop has one iteration.
fn has_equalities(instances: &UnionSet) -> Result<bool> {
    for set in instances.sets()? {
        for piece in set.basic_sets()? {
            if !piece.constraints()?.equalities.is_empty() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
