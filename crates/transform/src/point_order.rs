//! The order of loops inside a permutable band, for caches and vector lanes.

use crate::{Remark, Result, StrideModel};
use farkas_poly::DimType;
use farkas_scop::StmtId;
use farkas_scop::Stride;
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};

/// Moves, in each permutable band under which no further band stands, the member that suits vector lanes best to the
/// innermost place, and orders the others by how badly they would do there, worst outermost, as far as the scheduler's
/// order leaves ties.
///
/// A member's suitability counts the accesses that jump when it advances (fewer is better), then whether it is
/// coincident, then the accesses that are contiguous rather than invariant. It runs before tiling, so that tile loops
/// follow the same order. Legal because any order of the members of a permutable band is.
///
/// # Errors
/// When isl refuses.
pub fn order_point_loops(
    tree: &ScheduleTree,
    strides: &StrideModel,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    order_below(tree, &mut Vec::new(), strides, remarks)
}

/// As [`order_point_loops`]; `outer` holds the members around `tree`.
fn order_below(
    tree: &ScheduleTree,
    outer: &mut Vec<Member>,
    strides: &StrideModel,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    if matches!(tree.node(), Node::Mark { mark: Mark::Shaped, .. }) {
        return Ok(tree.clone());
    }
    let depth = outer.len();
    let mut here = tree.clone();
    if let Node::Band { band, child } = tree.node() {
        if band.permutable && band.members.len() >= 2 && !child.contains_band() {
            let ordered = order_band(band, outer, strides, remarks)?;
            here = ScheduleTree::band(ordered, child.clone());
        }
        outer.extend(band.members.iter().cloned());
    }
    let children = here
        .children()
        .iter()
        .map(|c| order_below(c, outer, strides, remarks))
        .collect::<Result<_>>()?;
    outer.truncate(depth);
    Ok(here.with_children(children))
}

/// How a member would do as the innermost loop; smaller is better.
type Suitability = (usize, bool, usize);

/// The band with its best member innermost.
fn order_band(
    band: &Band,
    outer: &[Member],
    strides: &StrideModel,
    remarks: &mut Vec<Remark>,
) -> Result<Band> {
    let mut scored: Vec<(Suitability, usize)> = Vec::new();
    for position in 0..band.members.len() {
        scored.push((suitability(band, outer, position, strides)?, position));
    }
    let Some(&(_, best)) = scored.iter().min_by_key(|(s, position)| (*s, usize::MAX - position))
    else {
        return Ok(band.clone());
    };
    let mut members = band.members.clone();
    let innermost = members.remove(best);
    let moved = best + 1 != band.members.len();
    if moved {
        let stmts = crate::stmt_names(&innermost.schedule.domain()?)?;
        let text =
            format!("loop {best} of the band moves innermost: fewest accesses jump along it");
        remarks.push(Remark { pass: "point-order", stmts, text });
    }
    members.push(innermost);
    Ok(Band { members, permutable: band.permutable })
}

/// The suitability of one member over all statements of the band.
fn suitability(
    band: &Band,
    outer: &[Member],
    position: usize,
    strides: &StrideModel,
) -> Result<Suitability> {
    let (mut strided, mut contiguous) = (0, 0);
    for stmt in stmts(band, strides)? {
        for stride in member_strides(stmt, band, outer, position, strides)? {
            match stride {
                Stride::Strided => strided += 1,
                Stride::Contiguous => contiguous += 1,
                Stride::Invariant => {}
            }
        }
    }
    Ok((strided, !band.members[position].coincident, usize::MAX - contiguous))
}

/// The strides of a statement's accesses along one member; every access counts as strided where none can be told.
fn member_strides(
    stmt: StmtId,
    band: &Band,
    outer: &[Member],
    position: usize,
    strides: &StrideModel,
) -> Result<Vec<Stride>> {
    let mut rows = Vec::new();
    let mut at = None;
    for (k, member) in outer.iter().chain(&band.members).enumerate() {
        if let Some(row) = strides.member_row(stmt, member)? {
            if k == outer.len() + position {
                at = Some(rows.len());
            }
            rows.push(row);
        }
    }
    Ok(at.and_then(|at| strides.strides(stmt, &rows, at)).unwrap_or_else(|| vec![Stride::Strided]))
}

/// The statements that a band schedules.
fn stmts(band: &Band, strides: &StrideModel) -> Result<Vec<StmtId>> {
    let Some(first) = band.members.first() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for part in first.schedule.pw_affs()? {
        found.extend(
            part.domain_space()?.tuple_name(DimType::SET).and_then(|name| strides.stmt(&name)),
        );
    }
    Ok(found)
}
