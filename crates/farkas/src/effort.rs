//! How much work a run of the tool may take, and how the regions of a file share it.
//!
//! Work is counted in isl operations, never timed, and shares are fixed before any region is begun: what becomes of a region
//! depends on the file alone, not on the machine, its load or the number of threads.

use crate::Error;
use farkas_poly::{weighted, with_budget};
use farkas_scop::{Region, Scop};

/// isl operations that all regions of a run may take together: half a minute of one processor, or less. Parts of regions that
/// stay as they are may take half as many again, their parts half of that, and so on.
pub const RUN_OPERATIONS: u64 = 100_000_000;

/// isl operations that printing a region in its original order may take where the others are spent, unless options say otherwise.
pub(crate) const LAST_OPERATIONS: u64 = 4_000_000;

/// Up to so many loops around one another, an isl operation takes about as long as any.
const USUAL_DEPTH: u64 = 7;

/// The work that each region may take of what all may take together: half of it is shared evenly, for what takes as long in
/// small regions as in large ones, and half by the number of accesses and of loops around them.
pub fn shares(regions: &[Region], total: u64) -> Vec<u64> {
    let sizes: Vec<u128> = regions.iter().map(|region| size(&region.scop)).collect();
    let (all, n) = (sizes.iter().sum::<u128>().max(1), sizes.len().max(1) as u128);
    let half = u128::from(total) / 2;
    let share = |size: u128| u64::try_from(half / n + half * size / all).unwrap_or(total);
    sizes.into_iter().map(share).collect()
}

/// How large a scop is.
fn size(scop: &Scop) -> u128 {
    let of_stmt = |accesses: usize, depth: usize| (1 + accesses as u128) * (1 + depth as u128);
    scop.stmts().iter().map(|stmt| of_stmt(stmt.accesses.len(), stmt.depth())).sum()
}

/// Runs `work` on a scop with at most so many isl operations. Those on the sets of deep nests count more: a tableau with
/// twice the columns has four times the entries and twice the pivots, of larger numbers.
///
/// # Errors
/// Out of budget, or whatever `work` returns.
pub(crate) fn within<T>(
    scop: &Scop,
    operations: u64,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let depth = scop.stmts().iter().map(|stmt| stmt.depth() as u64).max().unwrap_or(0);
    let weight = depth.saturating_pow(4) / USUAL_DEPTH.pow(4);
    weighted(weight, || with_budget(operations, work))
}
