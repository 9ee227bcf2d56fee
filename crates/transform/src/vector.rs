//! Which loops run in vector lanes.

use crate::{Result, StmtRows, StrideModel};
use farkas_scop::Stride;
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};

/// Splits off the innermost member of every innermost band and marks it [`Mark::Vector`] where it is coincident and
/// every access of its statements is contiguous or invariant along it.
///
/// Legal because a coincident member carries no dependence that outer nodes leave.
///
/// # Errors
/// When isl refuses.
pub fn mark_vector(tree: &ScheduleTree, strides: &StrideModel) -> Result<ScheduleTree> {
    mark_below(tree, &mut Vec::new(), strides)
}

/// As [`mark_vector`]; `outer` holds the members around `tree`.
fn mark_below(
    tree: &ScheduleTree,
    outer: &mut Vec<Member>,
    strides: &StrideModel,
) -> Result<ScheduleTree> {
    let depth = outer.len();
    if matches!(tree.node(), Node::Mark { mark: Mark::Shaped, .. }) {
        return Ok(tree.clone());
    }
    if let Node::Band { band, child } = tree.node() {
        outer.extend(band.members.iter().cloned());
        let result = if child.contains_band() {
            Ok(tree.with_children(vec![mark_below(child, outer, strides)?]))
        } else if band.members.last().is_some_and(|m| m.coincident) && is_smooth(outer, strides)? {
            Ok(split_last(band, child))
        } else {
            Ok(tree.clone())
        };
        outer.truncate(depth);
        return result;
    }
    let children =
        tree.children().iter().map(|c| mark_below(c, outer, strides)).collect::<Result<_>>()?;
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
