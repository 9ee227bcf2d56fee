//! How many threads the blocks of a kernel have.

use farkas_machine::{BlockNeeds, Gpu};
use farkas_steps::{MAX_ALONG_Z, MAX_THREADS};

/// Threads along x, of several axes, that run side by side: neighbouring elements of a line, at least.
const LINE: i64 = 32;

/// Blocks have no more threads than this without need: more of them on a multiprocessor leave it something to do while one waits.
const ENOUGH: i64 = 256;

/// The blocks that a multiprocessor should have at least, so that it has something to do while one of them waits.
const BLOCKS: u32 = 4;

/// The threads of a block along x, y and z for loops along these axes, of which some have a known number of iterations; a loop has a thread for
/// each two iterations at least. Others have one.
///
/// Of all sizes of blocks, that is taken with which most warps run at a time on average, from the first wave of blocks to the last one: of those that equal each other, one
/// that keeps more multiprocessors busy, leaves each several blocks, and has at most 256 threads.
///
/// **Source** NVIDIA, *CUDA C++ best practices guide*, "Thread and block heuristics": multiples of warps, 128 to 256 threads to begin with, several
/// small blocks rather than one large one; the limits are those of [`Gpu::occupancy`].
pub(crate) fn block_size(gpu: &Gpu, registers: u32, extents: [Option<Option<i64>>; 3]) -> [i64; 3] {
    let most = i64::from(gpu.limits.threads_per_block).min(MAX_THREADS);
    let sizes = (0..31).map(|n| i64::from(gpu.warp_threads) << n).take_while(|n| *n <= most);
    let shapes = sizes.map(|n| shape(n, extents));
    let best = shapes.max_by_key(|threads| {
        let n: i64 = threads.iter().product();
        let needs = BlockNeeds {
            threads: u32::try_from(n).unwrap_or(u32::MAX),
            registers: registers.min(gpu.registers.per_thread),
            shared_bytes: 0,
        };
        let occupancy = gpu.occupancy(needs);
        let at_once = u64::from(occupancy.blocks) * u64::from(gpu.multiprocessors);
        let n_blocks = n_blocks(*threads, extents).unwrap_or(u64::MAX >> 20);
        let waves = n_blocks.div_ceil(at_once.max(1));
        let warps = n.div_euclid(i64::from(gpu.warp_threads)).max(1).unsigned_abs();
        let busy = if at_once == 0 { 0 } else { n_blocks * warps / waves.max(1) };
        let multiprocessors = n_blocks.min(u64::from(gpu.multiprocessors));
        (busy, multiprocessors, occupancy.blocks.min(BLOCKS), -(n - ENOUGH).max(0), n)
    });
    best.unwrap_or([1; 3])
}

/// A block of at most so many threads: a line along x where there are several axes, the rest along the others in turns.
fn shape(n: i64, extents: [Option<Option<i64>>; 3]) -> [i64; 3] {
    let most = |axis: usize| match extents[axis] {
        None => 1,
        Some(None) => i64::MAX,
        Some(Some(extent)) => {
            u64::try_from(extent).map_or(1, u64::next_power_of_two).try_into().unwrap_or(i64::MAX)
        }
    };
    let is_alone = extents[1].is_none() && extents[2].is_none();
    let along_x = if is_alone { n } else { n.min(LINE) };
    let mut threads = [along_x.min(most(0)), 1, 1];
    while threads.iter().product::<i64>() * 2 <= n {
        let can_grow = |axis: &usize| {
            let limit = if *axis == 2 { MAX_ALONG_Z } else { i64::MAX };
            threads[*axis] * 2 <= most(*axis).min(limit)
        };
        // Along x last: a line is there already.
        let along = [1, 2].into_iter().filter(can_grow).min_by_key(|axis| threads[*axis]);
        let Some(axis) = along.or_else(|| Some(0).filter(can_grow)) else { break };
        threads[axis] *= 2;
    }
    threads
}

/// How many blocks there are, where that is known.
fn n_blocks(threads: [i64; 3], extents: [Option<Option<i64>>; 3]) -> Option<u64> {
    let mut n: u64 = 1;
    for (size, extent) in threads.into_iter().zip(extents) {
        if let Some(extent) = extent {
            let extent = u64::try_from(extent?).unwrap_or(1).max(1);
            n = n.saturating_mul(extent.div_ceil(size.unsigned_abs().max(1)));
        }
    }
    Some(n.min(u64::MAX >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An H100, as its file has it.
    fn h100() -> Gpu {
        let mut gpu = Gpu { multiprocessors: 132, ..Gpu::generic() };
        gpu.limits.threads_per_block = 1024;
        (gpu.limits.threads, gpu.limits.blocks) = (2048, 32);
        gpu
    }

    const LONG: Option<Option<i64>> = Some(None);

    /// A loop of so many iterations.
    fn of(extent: i64) -> Option<Option<i64>> {
        Some(Some(extent))
    }

    #[test]
    fn blocks_of_long_loops_fill_multiprocessors() {
        let size = |extents| block_size(&h100(), 32, extents);
        assert_eq!(size([LONG, None, None]), [256, 1, 1]);
        assert_eq!(size([LONG, LONG, None]), [32, 8, 1]);
        assert_eq!(size([LONG, LONG, LONG]), [32, 4, 2]);
        // 72 registers leave 28 warps, of which blocks of 128 threads make use.
        assert_eq!(block_size(&h100(), 72, [LONG, None, None]), [128, 1, 1]);
        let mut small = h100();
        small.limits.threads_per_block = 64;
        assert_eq!(block_size(&small, 32, [LONG, LONG, None]), [32, 2, 1]);
    }

    #[test]
    fn short_loops_have_small_blocks() {
        let size = |extents| block_size(&h100(), 32, extents);
        // 4096 iterations are 128 warps: each on a multiprocessor of its own.
        assert_eq!(size([of(4096), None, None]), [32, 1, 1]);
        assert_eq!(size([of(1 << 24), None, None]), [256, 1, 1]);
        // Threads along x that have no iterations would be idle.
        let [x, y, _] = size([of(3), LONG, None]);
        assert_eq!((x, y), (4, 64));
        assert_eq!(size([of(1), None, None]), [1, 1, 1]);
    }

    #[test]
    fn a_block_is_no_longer_than_a_device_allows() {
        assert_eq!(shape(4096, [of(1), of(1), LONG]), [1, 1, 64]);
    }
}
