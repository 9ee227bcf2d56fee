//! Whether tiling a band brings anything.

use crate::Result;
use farkas_analysis::{StrideModel, is_long};
use farkas_poly::UnionSet;
use farkas_scop::Stride;
use farkas_tree::{Band, Member, ScheduleTree};

/// A loop with fewer iterations is not worth tiles: what it reuses, it reuses a few times.
const LONG: i64 = 16;

/// Whether tiles of the `band` above `child` may win anything, with the members `outer` around it.
///
/// Tiles bring two uses of an element together that a loop inside keeps apart. In a nest of two long loops, of which the
/// outer one carries no dependence, there are none where no access stays at its element, or goes to its neighbour, as
/// the outer loop advances, and goes elsewhere along the inner one: stencils and other steps on two-dimensional data.
/// What such a nest reads again from the rows before stays in the caches without tiles, which make its inner loops
/// short. Where that cannot be told, tiles may win.
///
/// # Errors
/// When isl refuses.
pub(crate) fn may_win(
    band: &Band,
    child: &ScheduleTree,
    outer: &[Member],
    domain: &UnionSet,
    strides: &StrideModel,
) -> Result<bool> {
    let Some((_, outside)) = band.members.split_last() else { return Ok(false) };
    let mut long = Vec::new();
    for (position, member) in band.members.iter().enumerate() {
        if is_long(member, domain, LONG)? {
            long.push(position);
        }
    }
    let carries = |&position: &usize| outside.get(position).is_some_and(|m| !m.coincident);
    if child.contains_band() || long.len() > 2 || long.iter().any(carries) {
        return Ok(true);
    }
    let long: Vec<usize> = long.into_iter().map(|position| outer.len() + position).collect();
    let loops: Vec<Member> = outer.iter().chain(&band.members).cloned().collect();
    reuses(&loops, &long, strides)
}

/// Whether an access of a statement under `loops` is reused along one of the `long` ones, and not along one inside it.
fn reuses(loops: &[Member], long: &[usize], strides: &StrideModel) -> Result<bool> {
    let Some(stmts) = strides.rows_of(loops)? else { return Ok(true) };
    for (stmt, rows) in stmts {
        if rows.len() < loops.len() {
            // Its instances or dates have gaps: so have its accesses.
            continue;
        }
        let along: Option<Vec<Vec<Stride>>> =
            long.iter().map(|&at| strides.strides(stmt, &rows, at)).collect();
        let Some(along) = along else { return Ok(true) };
        for (at, near) in along.iter().enumerate() {
            for (access, stride) in near.iter().enumerate() {
                let moves_inside = along[at + 1..].iter().any(|inner| match stride {
                    Stride::Invariant => inner[access] != Stride::Invariant,
                    Stride::Contiguous => inner[access] == Stride::Strided,
                    Stride::Strided => false,
                });
                if moves_inside {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}
