//! How large the tiles of products are on a GPU.

use super::operands::{Operand, Side};
use super::sizes::Sizes;
use farkas_analysis::{Layout, Touched};
use farkas_machine::{BlockNeeds, Gpu};
use std::collections::BTreeMap;

/// Sizes that somebody asked for, in the place of those that suit the GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Asked {
    /// The threads of a block along x and y.
    pub(super) threads: Option<[i64; 2]>,
    /// The rows and columns of sums of a thread.
    pub(super) sums: Option<[i64; 2]>,
    /// The steps of the sum for which a block brings its operands at once.
    pub(super) depth: Option<i64>,
    /// The buffers of each operand in shared memory.
    pub(super) buffers: u16,
    /// Whether tensor cores are to compute products, where they can.
    pub(super) tensor: bool,
}

/// The threads of a block along x and y that are compared.
const THREADS: [[i64; 2]; 4] = [[16, 16], [16, 8], [8, 8], [32, 8]];

/// The rows, and the columns, of sums of a thread that are compared.
const SIDES: [i64; 4] = [8, 4, 2, 1];

/// Steps of the sum between two times at which operands are brought into shared memory: as many as a block has threads along an axis, mostly, so
/// that each brings as many elements as any other; fewer only where nothing else fits.
const DEPTHS: [i64; 3] = [16, 8, 4];

/// Registers of a thread that hold neither sums nor operands: addresses, iterators.
pub(super) const OTHER_REGISTERS: i64 = 24;

/// What runs beside what takes longest costs this part of its time.
const OVERLAP: f64 = 1.0 / 8.0;

/// What is summed up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    /// Bytes of a sum, and of an element of an operand.
    pub(super) element_bytes: u32,
    /// The operands that rows have, and those that columns have.
    pub(super) operands: [i64; 2],
    /// How many rows and columns there are at most, where that is known.
    pub(super) extents: [Option<i64>; 2],
}

/// The sizes for sums of products: those for which a multiplication and addition costs least.
///
/// **Formulation** in one step of the sum, a warp of `w` threads, each with `r` rows and `c` columns of sums, takes `w r c / rate` cycles of
/// arithmetic; it reads `r` elements of each operand of rows and `c` of each of columns from shared memory, each of which takes a cycle for as many
/// bytes as all banks have in one; and its block of `y r` rows and `x c` columns brings `y r` and `x c` elements from memory, of which each multiprocessor has its part of the bandwidth. What
/// takes longest counts in full, the rest by an eighth; the fewer blocks a multiprocessor has, the longer it waits at barriers. Sums take half
/// of the registers of a thread at most.
///
/// **Paper** the roofline of S. Williams, A. Waterman and D. Patterson, CACM 2009, for registers and shared memory, too; that registers are what makes
/// products fast is from V. Volkov and J. Demmel, SC 2008.
pub(super) fn sizes_on_gpu(product: Product, gpu: &Gpu, asked: Asked) -> Sizes {
    let blocks = asked.threads.map_or_else(|| THREADS.to_vec(), |threads| vec![threads]);
    let sides = SIDES.iter().flat_map(|rows| SIDES.iter().map(move |columns| [*rows, *columns]));
    let sums: Vec<[i64; 2]> = asked.sums.map_or_else(|| sides.collect(), |sums| vec![sums]);
    let depths = asked.depth.map_or_else(|| DEPTHS.to_vec(), |depth| vec![depth]);
    for depth in &depths {
        let shapes = blocks.iter().flat_map(|threads| {
            sums.iter().map(|sums| Shape { threads: *threads, sums: *sums, depth: *depth })
        });
        let costs =
            shapes.filter_map(|shape| Some((shape.cycles(product, gpu, asked.buffers)?, shape)));
        if let Some((_, shape)) = costs.min_by(|(one, _), (other, _)| one.total_cmp(other)) {
            return shape.sizes();
        }
    }
    // Where nothing fits, what somebody asked for, or the smallest: devices that cannot run it leave the region on the host.
    let [threads, sums] = [asked.threads.unwrap_or([8, 8]), asked.sums.unwrap_or([1, 1])];
    Shape { threads, sums, depth: asked.depth.unwrap_or(DEPTHS[0]) }.sizes()
}

/// By how many elements the dimensions of an operand in shared memory are padded: its steps of the sum, its register tiles, and the points of one.
///
/// Threads read from the rows of their own tiles, and bring elements along the lines of memory. Of a few paddings that one is taken for which the banks
/// take the fewest cycles for both, as often as each is done; of equals the smallest.
pub(super) fn padding(sizes: &Sizes, operand: &Operand, gpu: &Gpu) -> Vec<u16> {
    let candidates = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [1, 2]];
    let best = candidates.into_iter().min_by_key(|[tiles, points]: &[u16; 2]| {
        let used = Use::of(sizes, operand);
        (used.bank_cycles([*tiles, *points], gpu), tiles + points)
    });
    match best {
        Some([tiles, points]) if tiles + points > 0 => vec![0, tiles, points],
        _ => Vec::new(),
    }
}

/// How the threads of a block use an operand in shared memory.
struct Use {
    /// The register tiles of a block, and the points of one.
    extents: [i64; 2],
    element_bytes: u32,
    /// The threads of a block along x, and all of them.
    n_along_x: i64,
    n_threads: i64,
    side: Side,
    is_along_depth: bool,
}

impl Use {
    /// That of an operand in a block of these sizes.
    fn of(sizes: &Sizes, operand: &Operand) -> Self {
        let [x, y] = [sizes.column_block / sizes.columns, sizes.row_block / sizes.rows];
        let extents = match operand.side {
            Side::Rows => [y, sizes.rows],
            Side::Columns => [x, sizes.columns],
        };
        let element_bytes = operand.element.kind.size_bytes().unwrap_or(8);
        let (side, is_along_depth) = (operand.side, operand.is_along_depth);
        Self { extents, element_bytes, n_along_x: x, n_threads: x * y, side, is_along_depth }
    }

    /// The cycles of banks for one step of the sum: a warp reads each point of its threads' tiles, and all warps together write each element once.
    fn bank_cycles(&self, [tiles, points]: [u16; 2], gpu: &Gpu) -> i64 {
        let inner = [self.extents[0] + i64::from(tiles), self.extents[1] + i64::from(points)];
        let layout = Layout { element_bytes: self.element_bytes, inner: Some(inner.to_vec()) };
        let warp = i64::from(gpu.warp_threads).min(self.n_threads);
        let cycles = |element: &dyn Fn(i64, i64) -> Vec<i64>| {
            let of =
                |thread: i64| (thread, element(thread % self.n_along_x, thread / self.n_along_x));
            let all: BTreeMap<i64, Vec<i64>> = (0..warp).map(of).collect();
            i64::from(Touched::of(&all, &layout, gpu).bank_cycles)
        };
        let read = cycles(&|x, y| match self.side {
            Side::Rows => vec![0, y, 0],
            Side::Columns => vec![0, x, 0],
        });
        let written = cycles(&|x, y| match self.is_along_depth {
            true => vec![x, y, 0],
            false => vec![y, x, 0],
        });
        let n_warps = self.n_threads / warp.max(1);
        let [n_tiles, n_points] = self.extents;
        n_warps * n_points * read + n_tiles * n_points / warp.max(1) * written
    }
}

/// The shape of a block.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Threads along x and y.
    threads: [i64; 2],
    /// Rows and columns of sums of each.
    sums: [i64; 2],
    /// Steps of the sum at once.
    depth: i64,
}

impl Shape {
    /// The cycles of a multiprocessor for a multiplication and addition, with so many buffers for each operand; `None` where the GPU cannot run it.
    fn cycles(&self, product: Product, gpu: &Gpu, buffers: u16) -> Option<f64> {
        let Product { element_bytes, operands: [n_rows, n_columns], extents } = product;
        let ([x, y], [r, c]) = (self.threads, self.sums);
        let words = i64::from(element_bytes.div_ceil(4));
        // A single tile would leave one thread to work.
        let is_whole =
            |(side, extent): (i64, Option<i64>)| side > 1 && extent.is_some_and(|n| side >= n);
        if self.sums.into_iter().zip(extents).any(is_whole) {
            return None;
        }
        if 2 * words * r * c > i64::from(gpu.registers.per_thread) {
            return None;
        }
        // What comes next waits in registers until it has a place.
        let fetched = match buffers {
            1 => 0,
            _ => self.depth * (n_rows * y * r + n_columns * x * c) / (x * y).max(1),
        };
        let registers = OTHER_REGISTERS + words * (r * c + n_rows * r + n_columns * c + fetched);
        let number = |n: i64| u32::try_from(n).ok();
        let bytes = i64::from(element_bytes);
        let needs = BlockNeeds {
            threads: number(x * y)?,
            registers: number(registers)?,
            // With a tile, and a point of each, that nothing uses.
            shared_bytes: number(
                i64::from(buffers)
                    * bytes
                    * self.depth
                    * (n_rows * (y + 1) * (r + 1) + n_columns * (x + 1) * (c + 1)),
            )?,
        };
        let n_blocks = gpu.occupancy(needs).blocks;
        if n_blocks == 0 {
            return None;
        }
        let warp = i64::from(gpu.warp_threads).min(x * y);
        let n_warps = (x * y) as f64 / warp as f64;
        let arithmetic = (warp * r * c) as f64 / f64::from(gpu.fma_rate(element_bytes).max(1));
        let at_once = i64::from(gpu.shared.banks * gpu.shared.bank_bytes).max(1);
        let reads = |n: i64| (n * bytes + at_once - 1) / at_once;
        let (of_row, of_column) = (reads((warp / x).max(1)), reads(x.min(warp)));
        let shared = (n_rows * r * of_row + n_columns * c * of_column) as f64;
        let brought =
            (bytes * (n_rows * y * r + n_columns * x * c)) as f64 / bytes_per_cycle(gpu) / n_warps;
        let all = [arithmetic, shared, brought];
        Some(overlapping(&all, n_blocks) / (warp * r * c) as f64)
    }

    /// The sizes of its tiles.
    fn sizes(&self) -> Sizes {
        let ([x, y], [rows, columns]) = (self.threads, self.sums);
        let (row_block, column_block) = (rows * y, columns * x);
        Sizes { rows, columns, row_block, column_block, depth_block: self.depth }
    }
}

/// The cycles that several things take at the same time: what takes longest counts in full, the rest by a part; the fewer blocks a multiprocessor has, the longer it waits at barriers.
pub(super) fn overlapping(all: &[f64], n_blocks: u32) -> f64 {
    let longest = all.iter().copied().fold(0.0, f64::max);
    let total = longest + OVERLAP * (all.iter().sum::<f64>() - longest);
    total * (1.0 + OVERLAP / f64::from(n_blocks))
}

/// What a multiprocessor has of the bandwidth of memory, in bytes a cycle.
pub(super) fn bytes_per_cycle(gpu: &Gpu) -> f64 {
    let cycles = f64::from(gpu.clock_mhz) * f64::from(gpu.multiprocessors);
    (f64::from(gpu.memory_mb_per_s) / cycles).max(1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An H100, as its file has it.
    fn h100() -> Gpu {
        let mut gpu = Gpu { multiprocessors: 132, ..Gpu::generic() };
        gpu.limits.threads_per_block = 1024;
        (gpu.limits.threads, gpu.limits.blocks) = (2048, 32);
        (gpu.shared.bytes, gpu.shared.bytes_per_block) = (228 << 10, 48 << 10);
        (gpu.fma_per_cycle.doubles, gpu.fma_per_cycle.floats) = (64, 128);
        Gpu { clock_mhz: 1980, memory_mb_per_s: 3_350_000, ..gpu }
    }

    /// Two operands of elements of so many bytes.
    fn product(element_bytes: u32) -> Product {
        Product { element_bytes, operands: [1, 1], extents: [None; 2] }
    }

    /// Threads along x and y, rows and columns of each.
    fn shape(bytes: u32, gpu: &Gpu, asked: Asked) -> [i64; 4] {
        let Sizes { rows, columns, row_block, column_block, .. } =
            sizes_on_gpu(product(bytes), gpu, asked);
        [column_block / columns, row_block / rows, rows, columns]
    }

    #[test]
    fn tiles_suit_the_gpu() {
        let none = Asked { threads: None, sums: None, depth: None, buffers: 1, tensor: false };
        // Sums of floats are as large as shared memory asks for; those of doubles take twice the registers.
        assert_eq!(shape(4, &h100(), none), [16, 16, 8, 8]);
        let [.., rows, columns] = shape(8, &h100(), none);
        assert_eq!(rows * columns, 32);
        // Half of the registers: tiles are smaller.
        let mut few = h100();
        few.registers.per_thread = 63;
        let [.., rows, columns] = shape(8, &few, none);
        assert!(rows * columns <= 15, "{rows} x {columns}");
        // Few rows: several tiles all the same.
        let few_rows = Product { extents: [Some(5), None], ..product(8) };
        assert!(sizes_on_gpu(few_rows, &h100(), none).rows < 5);
        // Little shared memory: blocks are smaller.
        let mut little = h100();
        little.shared.bytes_per_block = 8 << 10;
        let sizes = sizes_on_gpu(product(8), &little, none);
        assert!((sizes.row_block + sizes.column_block) * sizes.depth_block * 8 <= 8 << 10);
        // Two products at once share the place.
        let two = Product { operands: [2, 2], ..product(8) };
        let sizes = sizes_on_gpu(two, &h100(), none);
        let elements = 2 * (sizes.row_block + sizes.column_block) * sizes.depth_block;
        assert!(elements * 8 <= 48 << 10 && sizes.rows * sizes.columns >= 16, "{sizes:?}");
        let mut small = h100();
        small.limits.threads_per_block = 64;
        assert_eq!(shape(4, &small, none)[..2], [8, 8]);
    }

    #[test]
    fn two_buffers_take_twice_the_shared_memory() {
        let [one, two] = [1, 2].map(|buffers| Asked {
            threads: None,
            sums: None,
            depth: None,
            buffers,
            tensor: false,
        });
        assert_eq!(shape(4, &h100(), one), shape(4, &h100(), two));
        let mut little = h100();
        little.shared.bytes_per_block = 24 << 10;
        let bytes = |asked: Asked| {
            let sizes = sizes_on_gpu(product(4), &little, asked);
            i64::from(asked.buffers)
                * 4
                * sizes.depth_block
                * (sizes.row_block + sizes.column_block)
        };
        assert_ne!(shape(4, &little, one), shape(4, &little, two));
        assert!(bytes(one) <= 24 << 10 && bytes(two) <= 24 << 10);
    }

    #[test]
    fn rows_begin_in_different_banks() {
        let used = |rows, columns, side, is_along_depth, element_bytes| {
            let extents = if side == Side::Rows { [16, rows] } else { [16, columns] };
            Use { extents, element_bytes, n_along_x: 16, n_threads: 256, side, is_along_depth }
        };
        // Rows of 4 doubles: those of 16 threads begin in 4 banks, those of 5 in different ones.
        let columns = used(8, 4, Side::Columns, false, 8);
        assert!(columns.bank_cycles([0, 1], &h100()) < columns.bank_cycles([0, 0], &h100()));
        // Elements that lie along the sum are written from row to row, where 16 rows of 8 tiles begin in one bank.
        let rows = used(8, 4, Side::Rows, true, 8);
        assert!(3 * rows.bank_cycles([1, 1], &h100()) < 2 * rows.bank_cycles([0, 0], &h100()));
        // A warp of one thread has no conflicts.
        let cpu = Gpu { warp_threads: 1, ..h100() };
        assert_eq!(columns.bank_cycles([0, 1], &cpu), columns.bank_cycles([0, 0], &cpu));
    }

    #[test]
    fn what_is_asked_for_counts() {
        let asked = Asked {
            threads: Some([32, 4]),
            sums: Some([2, 3]),
            depth: Some(8),
            buffers: 1,
            tensor: false,
        };
        assert_eq!(shape(8, &h100(), asked), [32, 4, 2, 3]);
        assert_eq!(sizes_on_gpu(product(8), &h100(), asked).depth_block, 8);
    }
}
