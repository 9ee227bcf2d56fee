//! Which loops run in vector lanes.

use crate::{Result, StmtRows, StrideModel};
use farkas_scop::{StmtId, Stride};
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};
use std::collections::BTreeMap;

/// Splits off the innermost member of every innermost band and marks it [`Mark::Vector`] where it is coincident and
/// every access of its statements is contiguous or invariant along it.
///
/// Legal because a coincident member carries no dependence that outer nodes leave.
///
/// # Errors
/// When isl refuses.
pub fn mark_vector(tree: &ScheduleTree, strides: &StrideModel) -> Result<ScheduleTree> {
    mark_below(tree, &mut Vec::new(), &|loops| is_smooth(loops, strides))
}

/// The same for innermost coincident members however accesses move along them, where the user wants that: `wanted` has the
/// iterators of each statement whose loops are to run in vector lanes, and all statements in the loop want it.
///
/// # Errors
/// When isl refuses.
pub fn mark_wanted_vectors(
    tree: &ScheduleTree,
    strides: &StrideModel,
    wanted: &WantedVectors,
) -> Result<ScheduleTree> {
    mark_below(tree, &mut Vec::new(), &|loops| are_wanted(loops, strides, wanted))
}

/// The statements of `wanted` for which no vector loop of the tree runs over one of the iterators.
///
/// # Errors
/// When isl refuses.
pub fn without_vector_loop(
    tree: &ScheduleTree,
    strides: &StrideModel,
    wanted: &WantedVectors,
) -> Result<WantedVectors> {
    let mut left = wanted.clone();
    remove_found(tree, strides, false, &mut left)?;
    Ok(left)
}

/// For statements the iterators whose loops the user wants in vector lanes.
pub type WantedVectors = BTreeMap<StmtId, Vec<usize>>;

/// Takes out of `left` what vector loops in `tree` run over; told whether `tree` is what a vector mark is on.
fn remove_found(
    tree: &ScheduleTree,
    strides: &StrideModel,
    is_vector: bool,
    left: &mut WantedVectors,
) -> Result<()> {
    if let Node::Band { band, .. } = tree.node()
        && is_vector
    {
        for (stmt, rows) in strides.rows_of(&band.members)?.unwrap_or_default() {
            let is_over = |&iterator: &usize| {
                rows.iter().any(|row| row.get(iterator).is_some_and(|&c| c != 0))
            };
            if left.get(&stmt).is_some_and(|iterators| iterators.iter().any(is_over)) {
                left.remove(&stmt);
            }
        }
    }
    let is_vector = matches!(tree.node(), Node::Mark { mark: Mark::Vector, .. });
    tree.children().iter().try_for_each(|child| remove_found(child, strides, is_vector, left))
}

/// As [`mark_vector`], of loops that fit; `outer` holds the members around `tree`.
fn mark_below(
    tree: &ScheduleTree,
    outer: &mut Vec<Member>,
    fits: &dyn Fn(&[Member]) -> Result<bool>,
) -> Result<ScheduleTree> {
    let depth = outer.len();
    if matches!(tree.node(), Node::Mark { mark: Mark::Shaped | Mark::Vector, .. }) {
        return Ok(tree.clone());
    }
    if let Node::Band { band, child } = tree.node() {
        outer.extend(band.members.iter().cloned());
        let result = if child.contains_band() {
            Ok(tree.with_children(vec![mark_below(child, outer, fits)?]))
        } else if band.members.last().is_some_and(|m| m.coincident) && fits(outer)? {
            Ok(split_last(band, child))
        } else {
            Ok(tree.clone())
        };
        outer.truncate(depth);
        return result;
    }
    let children =
        tree.children().iter().map(|c| mark_below(c, outer, fits)).collect::<Result<_>>()?;
    Ok(tree.with_children(children))
}

/// The band with its last member in a band of its own under the mark.
fn split_last(band: &Band, child: &ScheduleTree) -> ScheduleTree {
    let mut members = band.members.clone();
    let last: Vec<Member> = members.pop().into_iter().collect();
    let vector =
        ScheduleTree::band(Band { members: last, permutable: band.permutable }, child.clone());
    ScheduleTree::band(
        Band { members, permutable: band.permutable },
        ScheduleTree::mark(Mark::Vector, vector),
    )
}

/// Whether all statements under `loops` want the innermost one in vector lanes.
fn are_wanted(loops: &[Member], strides: &StrideModel, wanted: &WantedVectors) -> Result<bool> {
    let Some(stmts) = strides.rows_of(loops)? else { return Ok(false) };
    let is_wanted = |(stmt, rows): &StmtRows| {
        let innermost = rows.last().zip(wanted.get(stmt));
        innermost.is_some_and(|(row, iterators)| {
            iterators.iter().any(|&iterator| row.get(iterator).is_some_and(|&c| c != 0))
        })
    };
    Ok(!stmts.is_empty() && stmts.iter().all(is_wanted))
}

/// Whether no access of the statements under `loops` jumps along the innermost one.
fn is_smooth(loops: &[Member], strides: &StrideModel) -> Result<bool> {
    let Some(stmts) = strides.rows_of(loops)? else { return Ok(false) };
    let is_smooth = |(stmt, rows): &StmtRows| {
        let innermost = rows.len().checked_sub(1);
        let along = innermost.and_then(|last| strides.strides(*stmt, rows, last));
        along.is_some_and(|all| !all.contains(&Stride::Strided))
    };
    Ok(!loops.is_empty() && stmts.iter().all(is_smooth))
}
