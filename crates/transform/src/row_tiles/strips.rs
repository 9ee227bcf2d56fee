//! Recurrences side by side: strips of a parallel loop inside of a loop that carries dependences.

use super::RowTiles;
use super::latency::chain_cycles;
use super::residual::left_over;
use crate::extent::is_long;
use crate::tile::tile_member;
use crate::{Remark, Result, stmt_names};
use farkas_deps::DependenceKind;
use farkas_poly::UnionSet;
use farkas_scop::{AccessId, ArrayId, StmtId, Stride};
use farkas_tree::{Band, Mark, Member, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};

/// Recurrences of fewer cycles an instance gain less than jumps in memory cost.
const SLOW_CYCLES: u32 = 16;

/// Recurrences of fewer cycles an instance, a single addition for instance, are no reason for strips.
const NOT_FAST_CYCLES: u32 = 8;

/// The most recurrences side by side.
const MOST: i64 = 256;

/// A band of a parallel loop and a recurrence, with strips of the parallel loop innermost.
///
/// **Rewrite**: `band [f, g]` or `band [g, f]`, of which `f` alone is coincident, becomes
/// `mark tile; band [s floor(f / s)]; mark point; band [g, f]`: the first where an instance takes long for what the next
/// one along `g` waits for, as a division does, so that the `s` recurrences of a strip overlap in the processor; the
/// second where accesses jump along `f` all the same, so that the lines that they are in stay until the next steps of `g`
/// use the rest of them. Legal because any tiles and any order of a permutable band are.
///
/// `None` where the band is no such band.
///
/// # Errors
/// When isl refuses.
pub(super) fn stripped(
    band: &Band,
    child: &ScheduleTree,
    instances: &UnionSet,
    outer: &[Member],
    context: &RowTiles<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<Option<ScheduleTree>> {
    let [first, second] = band.members.as_slice() else { return Ok(None) };
    let (lane, chain) = if first.coincident { (first, second) } else { (second, first) };
    let fits = band.permutable && lane.coincident && !chain.coincident && !child.contains_band();
    if !fits || !is_long(lane, instances, MOST)? {
        return Ok(None);
    }
    let loops: Vec<Member> = outer.iter().chain([lane, chain]).cloned().collect();
    let Some(jumping) = jumping(context, &loops)? else { return Ok(None) };
    let is_innermost = !first.coincident;
    let least = if is_innermost { NOT_FAST_CYCLES } else { SLOW_CYCLES };
    if is_innermost && jumping.is_empty() || chain_of(context, instances, &loops)? < least {
        return Ok(None);
    }
    let size = strip(context, &jumping);
    let stmts = stmt_names(&lane.schedule.domain()?)?;
    let text = format!("strips of {size} recurrences side by side");
    remarks.push(Remark { pass: "strips", stmts, text });
    let tile = Band { members: vec![tile_member(lane, size)?], permutable: true };
    let members = vec![chain.clone(), lane.clone()];
    let points = ScheduleTree::band(Band { members, permutable: false }, child.clone());
    let points = ScheduleTree::mark(Mark::Point, points);
    Ok(Some(ScheduleTree::mark(Mark::Tile(vec![size]), ScheduleTree::band(tile, points))))
}

/// The cycles that an instance takes for what the next one along the last of `loops` waits for, at most.
fn chain_of(context: &RowTiles<'_>, instances: &UnionSet, loops: &[Member]) -> Result<u32> {
    let fixed = &loops[..loops.len() - 1];
    let mut chained: BTreeMap<StmtId, BTreeSet<AccessId>> = BTreeMap::new();
    for (_, dep) in context.deps.validity() {
        let is_new = !chained.get(&dep.sink).is_some_and(|known| known.contains(&dep.sink_access));
        if dep.kind == DependenceKind::Flow
            && is_new
            && !left_over(&dep.relation, instances, fixed)?.is_empty()?
        {
            chained.entry(dep.sink).or_default().insert(dep.sink_access);
        }
    }
    let stmts = chained.iter().map(|(stmt, reads)| (&context.scop.stmts()[*stmt], reads));
    Ok(stmts.map(|(stmt, reads)| chain_cycles(stmt, reads)).max().unwrap_or(0))
}

/// The arrays with accesses that jump along the last but one of `loops`; `None` where it does not have one direction.
fn jumping(context: &RowTiles<'_>, loops: &[Member]) -> Result<Option<BTreeSet<ArrayId>>> {
    let Some(stmts) = context.strides.rows_of(loops)? else { return Ok(None) };
    let mut jumping: BTreeSet<ArrayId> = BTreeSet::new();
    for (stmt, rows) in stmts {
        let lane = rows.len().checked_sub(2).filter(|_| rows.len() == loops.len());
        let strides = lane.and_then(|lane| context.strides.strides(stmt, &rows, lane));
        let Some(strides) = strides else { return Ok(None) };
        let accesses = context.scop.stmts()[stmt].accesses.iter().zip(strides);
        jumping.extend(
            accesses.filter(|(_, stride)| *stride == Stride::Strided).map(|(a, _)| a.array),
        );
    }
    Ok(Some(jumping))
}

/// How many recurrences run side by side: so many that the lines of the `jumping` arrays that they are in, which each
/// step along them uses again, take an eighth of the second level of cache at most.
fn strip(context: &RowTiles<'_>, jumping: &BTreeSet<ArrayId>) -> i64 {
    let line = u64::from(context.machine.line_bytes());
    let bytes = line.saturating_mul(jumping.len().max(1) as u64).max(1);
    let fitting = i64::try_from(context.machine.cache_bytes(2) / 8 / bytes).unwrap_or(MOST);
    fitting.clamp(8, MOST)
}
