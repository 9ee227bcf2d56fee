//! The sizes of row tiles, from the bytes that they touch.

use super::RowTiles;
use super::footprint::Footprint;

/// The caches of one core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caches {
    /// The first level, for data.
    pub l1_bytes: u64,
    /// The second level.
    pub l2_bytes: u64,
}

impl Default for Caches {
    /// 32 KiB and 1 MiB.
    fn default() -> Self {
        Self { l1_bytes: 32 << 10, l2_bytes: 1 << 20 }
    }
}

/// What beginning a row costs, in bytes that could come from memory meanwhile.
const ROW_START_BYTES: f64 = 64.0;

/// Sizes that are tried.
const SIZES: [i64; 6] = [2, 4, 8, 16, 32, 64];

/// Sizes of pieces of rows that are tried where rows do not stay whole.
const PIECES: [i64; 6] = [256, 512, 1024, 2048, 4096, 8192];

/// The sizes of the tile loops, outermost first: of all members but the row, or of all where there are two only. The
/// footprint is to take no more than the second level of cache; of sizes that do, those are best with the fewest bytes
/// that come into the cache for an instance, tiles with the fewest instances where there are several.
pub(super) fn choose(footprint: &Footprint, n_members: usize, context: &RowTiles<'_>) -> Vec<i64> {
    let n_sizes = if n_members == 2 { 2 } else { n_members - 1 };
    if let Some(sizes) = context.sizes {
        let last = sizes.last().copied().unwrap_or(1);
        return sizes.iter().copied().chain(std::iter::repeat(last)).take(n_sizes).collect();
    }
    let mut best: Option<(f64, Vec<i64>)> = None;
    for sizes in candidates(n_members) {
        let cost = cost(footprint, &sizes, n_members, context.caches);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, sizes));
        }
    }
    best.map_or_else(|| vec![16; n_sizes], |(_, sizes)| sizes)
}

/// All combinations of sizes, small ones first.
fn candidates(n_members: usize) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n_members - 1 {
        all = all
            .iter()
            .flat_map(|sizes: &Vec<i64>| SIZES.iter().map(|&s| [sizes.as_slice(), &[s]].concat()))
            .collect();
    }
    if n_members == 2 {
        all = all.iter().flat_map(|sizes| PIECES.iter().map(|&s| [sizes.as_slice(), &[s]].concat())).collect();
    }
    all
}

/// The bytes that come into the second level of cache for an instance, and what beginnings of rows cost.
fn cost(footprint: &Footprint, sizes: &[i64], n_members: usize, caches: Caches) -> f64 {
    let mut sizes: Vec<f64> = sizes.iter().map(|&size| size as f64).collect();
    if sizes.len() < n_members {
        sizes.push(footprint.row_iters());
    }
    let bytes = footprint.bytes(&sizes);
    let instances: f64 = sizes.iter().product();
    let row = sizes.last().copied().unwrap_or(1.0);
    // What does not fit comes in again in each step of the outermost loop.
    let times = if bytes > caches.l2_bytes as f64 { sizes[0] } else { 1.0 };
    bytes * times / instances + ROW_START_BYTES / row
}
