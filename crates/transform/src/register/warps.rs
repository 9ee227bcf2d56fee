//! Steps and sizes that give a nest register tiles on a GPU whose warps compute products at once, by tensor cores.
//!
//! Each of 4 by 8 threads of a warp has a tile of sums, so that a warp has as many columns as four and as many rows as eight of these; further warps of a
//! block have further rows. Loops are ordinary ones, of which the one that sums up is marked `tensor`.

use super::Tiling;
use super::gpu_sizes::{Asked, OTHER_REGISTERS, bytes_per_cycle, overlapping};
use super::nest::{Steps, Tiled};
use super::operands::{Operand, Side};
use super::plan::{Nest, Plan, iterations};
use super::sizes::Sizes;
use crate::Result;
use farkas_analysis::{Layout, Touched};
use farkas_base::NameGenerator;
use farkas_machine::{BlockNeeds, Gpu};
use farkas_scop::{ElementKind, NoHalfProduct};
use farkas_steps::{
    Ahead, ArrayAddress, Axis, Interchange, Kernel, LoopAddress, LoopKind, Map, MappedTo, Stage,
    Step, Tile,
};
use farkas_tree::MAX_WRITTEN_OUT;
use std::collections::BTreeMap;

/// The threads of a warp along x and y.
const WARP: [i64; 2] = [4, 8];

/// The steps of the sum for which operands are brought at once: those that the threads of a warp have one each of, which lie along lines.
const DEPTH: i64 = 32;

/// The rows, and the columns, of sums of a thread that are compared, and the warps of a block.
const ROWS: [i64; 3] = [8, 4, 2];
const COLUMNS: [i64; 2] = [16, 8];
const N_WARPS: [i64; 4] = [8, 4, 2, 1];

/// The most sums of a thread: loops over more are not written out, and their sums would not be in registers.
const MOST_SUMS: i64 = 64;

/// Bytes of an element of an operand.
const ELEMENT_BYTES: u32 = 2;

/// Why a nest gets no products of tensor cores.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum NoWarps {
    /// Its statement is something else.
    #[error("{0}")]
    Other(#[from] NoHalfProduct),
    /// Kernels have no words for them.
    #[error("kernels in OpenCL C have no words for them")]
    Language,
    /// The GPU has none.
    #[error("{gpu} has none for `{ty}`")]
    Gpu {
        /// Its name.
        gpu: String,
        /// The type.
        ty: &'static str,
    },
    /// Loops are shorter than the least tile of a warp.
    #[error("a warp has {} rows, {} columns and {} steps of the sum at once at least, and there are fewer", WARP[1] * ROWS[2], WARP[0] * COLUMNS[1], DEPTH)]
    Short,
    /// Sizes were asked for that do not suit warps.
    #[error("blocks are to have {} threads along x and a multiple of {} along y, each an even number of rows and columns of sums, at most {} sums, and {} steps of the sum at once, or a multiple", WARP[0], WARP[1], MOST_SUMS, DEPTH)]
    Asked,
}

impl Tiling<'_> {
    /// The sizes of tiles whose products tensor cores compute.
    ///
    /// # Errors
    /// The reason why there are none, or an error of isl.
    pub(super) fn in_warps(
        &self,
        nest: &Nest<'_>,
        plan: &Plan,
    ) -> Result<std::result::Result<Sizes, NoWarps>> {
        let (Some((gpu, asked)), Some(column)) = (self.on_gpu, plan.loops.column) else {
            return Ok(Err(NoHalfProduct::Other.into()));
        };
        let kind = match self.scop.stmts()[nest.stmt].half_product(self.scop) {
            Ok(product) => product.kind,
            Err(why) => return Ok(Err(why.into())),
        };
        if !self.view.setting.has_tensor_cores {
            return Ok(Err(NoWarps::Language));
        }
        let (rate, ty) = match kind {
            ElementKind::Bf16 => (gpu.fma_per_cycle.tensor_bf16s, "__bf16"),
            _ => (gpu.fma_per_cycle.tensor_halves, "_Float16"),
        };
        if rate == 0 {
            return Ok(Err(NoWarps::Gpu { gpu: gpu.name.clone(), ty }));
        }
        let mut extents = [None; 3];
        for (at, extent) in [plan.loops.row, column, plan.loops.depth].iter().zip(&mut extents) {
            *extent = iterations(nest, *at)?;
        }
        Ok(sizes_in_warps(extents, rate, gpu, asked))
    }
}

/// The sizes of tiles for rows, columns and steps of a sum of which there are so many at most, where that is known: those for which a multiplication and addition
/// costs least.
///
/// **Formulation** as in [`sizes_on_gpu`](super::gpu_sizes::sizes_on_gpu), with the rate of tensor cores. Of `r` rows and `c` columns of sums of a thread, with 16 steps of the sum
/// a warp reads `8 r` rows and `4 c` columns of 32 bytes, the columns of its own tile once for all rows; banks serve 128 bytes a cycle. What a block brings takes two
/// instructions for each 32 elements.
fn sizes_in_warps(
    extents: [Option<i64>; 3],
    rate: u32,
    gpu: &Gpu,
    asked: Asked,
) -> std::result::Result<Sizes, NoWarps> {
    let depth = asked.depth.unwrap_or(DEPTH);
    let n_warps = match asked.threads {
        None => N_WARPS.to_vec(),
        Some([x, y]) if x == WARP[0] && y % WARP[1] == 0 => vec![y / WARP[1]],
        Some(_) => return Err(NoWarps::Asked),
    };
    let sums = match asked.sums {
        None => ROWS.iter().flat_map(|rows| COLUMNS.map(|columns| [*rows, columns])).collect(),
        Some(sums) => vec![sums],
    };
    let is_fit = |[rows, columns]: &[i64; 2]| {
        rows % 2 == 0 && columns % 2 == 0 && rows * columns <= MOST_SUMS
    };
    let sums: Vec<[i64; 2]> = sums.into_iter().filter(is_fit).collect();
    if depth % DEPTH != 0 || sums.is_empty() {
        return Err(NoWarps::Asked);
    }
    let shapes = sums
        .iter()
        .flat_map(|sums| n_warps.iter().map(|n| Shape { sums: *sums, n_warps: *n, depth }));
    let costs = shapes
        .filter(|shape| shape.fits(extents))
        .filter_map(|shape| Some((shape.cycles(rate, gpu, asked.buffers)?, shape)));
    let best = costs.min_by(|(one, _), (other, _)| one.total_cmp(other));
    best.map(|(_, shape)| shape.sizes()).ok_or(NoWarps::Short)
}

/// The shape of a block.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Rows and columns of sums of each thread.
    sums: [i64; 2],
    n_warps: i64,
    /// Steps of the sum at once.
    depth: i64,
}

impl Shape {
    /// The rows and columns of a block.
    fn block(&self) -> [i64; 2] {
        let [rows, columns] = self.sums;
        [WARP[1] * rows * self.n_warps, WARP[0] * columns]
    }

    /// Whether some tile of a warp may be full.
    fn fits(&self, extents: [Option<i64>; 3]) -> bool {
        let [rows, columns] = self.sums;
        let of_warp = [WARP[1] * rows, WARP[0] * columns, self.depth];
        extents.into_iter().zip(of_warp).all(|(extent, n)| extent.is_none_or(|extent| extent >= n))
    }

    /// The cycles of a multiprocessor for a multiplication and addition; `None` where the GPU cannot run it.
    fn cycles(&self, rate: u32, gpu: &Gpu, buffers: u16) -> Option<f64> {
        let ([rows, columns], [block_rows, block_columns]) = (self.sums, self.block());
        let threads = WARP[0] * WARP[1];
        let number = |n: i64| u32::try_from(n).ok();
        let bytes = i64::from(ELEMENT_BYTES);
        // Sums, a pair of rows and all columns of operands for 16 steps, and what is on its way from memory.
        let registers = OTHER_REGISTERS + rows * columns + columns + 4 + rows;
        // With eight steps that nothing uses.
        let shared_bytes =
            i64::from(buffers) * bytes * (self.depth + 8) * (block_rows + block_columns);
        let needs = BlockNeeds {
            threads: number(threads * self.n_warps)?,
            registers: number(registers)?,
            shared_bytes: number(shared_bytes)?,
        };
        let n_blocks = gpu.occupancy(needs).blocks;
        if n_blocks == 0 {
            return None;
        }
        let n_sums = (threads * rows * columns) as f64;
        let n_warps = self.n_warps as f64;
        let brought = (block_rows + block_columns) as f64 / n_warps;
        let read = (WARP[1] * rows + WARP[0] * columns) as f64 * f64::from(ELEMENT_BYTES) / 128.0;
        let issued = 2.0 * brought / threads as f64;
        let all = [
            n_sums / f64::from(rate),
            read + issued,
            brought * f64::from(ELEMENT_BYTES) / bytes_per_cycle(gpu),
        ];
        Some(overlapping(&all, n_blocks) / n_sums)
    }

    /// The sizes of its tiles.
    fn sizes(&self) -> Sizes {
        let ([rows, columns], [row_block, column_block]) = (self.sums, self.block());
        Sizes { rows, columns, row_block, column_block, depth_block: self.depth }
    }
}

impl Tiled<'_> {
    /// The steps: as those for other products on a GPU, with the rows of a warp between those of a block and those of a thread. Threads along x and y have columns
    /// and rows of a warp's sums, those along z are of further warps. The loop that sums up is marked.
    ///
    /// None where the loops are not those of the plan.
    pub(super) fn mapped_in_warps(
        &self,
        column: usize,
        (gpu, buffers): (&Gpu, u16),
        names: &mut NameGenerator,
    ) -> Option<Steps> {
        let (loops, sizes) = (self.plan.loops, self.plan.sizes);
        let at = |position| self.tiled(position);
        let of_warp = WARP[1] * sizes.rows;
        let mut steps = Steps::default();
        let own = &mut steps.steps;
        own.extend(self.in_order(&[loops.row, column, loops.depth])?);
        let blocks = vec![sizes.row_block, sizes.column_block, sizes.depth_block];
        own.push(Step::Tile(Tile { first: at(1), sizes: blocks }));
        own.push(Step::Tile(Tile { first: at(4), sizes: vec![of_warp] }));
        own.push(Step::Tile(Tile { first: at(5), sizes: vec![sizes.rows, sizes.columns] }));
        own.push(Step::Interchange(Interchange { loops: vec![at(9), at(7), at(8)] }));
        let [load, store] =
            ["load", "store"].map(|what| names.fresh(&format!("{}_{what}", self.name())));
        own.push(Step::Stage(Stage {
            at: at(2),
            stmt: self.name().to_owned(),
            array: ArrayAddress::WrittenBy(self.name().to_owned()),
            layout: [4, 5, 6, 8, 9].map(at).to_vec(),
            pad: Vec::new(),
            buffers: 1,
            others: Vec::new(),
            load: Some(load.clone()),
            store: Some(store.clone()),
        }));
        let mut shared = Vec::new();
        for operand in &self.plan.operands {
            let name = names.fresh(&format!("{}_share", self.name()));
            own.push(self.shared_by_warps(operand, &name, (gpu, buffers)));
            shared.push((operand, name));
        }
        for stmt in [load, store] {
            own.extend(self.on_threads(&stmt, [(3, Axis::Z), (4, Axis::Y), (5, Axis::X)]));
        }
        for (operand, name) in &shared {
            own.extend(self.brought(operand, name));
        }
        let to = |to, first, axes| Step::Map(Map { first, to, axes });
        own.push(to(MappedTo::Threads, at(4), vec![Axis::Z]));
        own.push(to(MappedTo::Threads, at(5), vec![Axis::Y, Axis::X]));
        own.push(to(MappedTo::Blocks, at(1), vec![Axis::Y, Axis::X]));
        let first_free = self.plan.others.iter().position(|is_coincident| *is_coincident);
        if let Some(free) = first_free {
            own.push(to(MappedTo::Blocks, self.own(free + 1), vec![Axis::Z]));
        }
        let kernel = self.own(first_free.unwrap_or(0) + 1);
        let threads = [WARP[0], WARP[1], sizes.row_block / of_warp];
        own.push(Step::Kernel(Kernel { at: Some(kernel), stmts: Vec::new(), threads }));
        if buffers > 1 {
            let stmts = shared.into_iter().map(|(_, name)| name).collect();
            own.push(Step::Ahead(Ahead { at: at(3), stmts, by: buffers - 1, last: Vec::new() }));
        }
        steps.marks.extend([3, 4, 5].map(|tiles| (at(tiles), LoopKind::FullTilesApart)));
        steps.marks.push((at(7), LoopKind::Tensor));
        Some(steps)
    }

    /// The steps that divide loops around a statement, behind those around the nest, among the threads of a block.
    fn on_threads<const N: usize>(&self, stmt: &str, loops: [(i64, Axis); N]) -> [Step; N] {
        let first = self.n_before();
        loops.map(|(position, axis)| {
            let first = LoopAddress::new(stmt, first + position);
            Step::Map(Map { first, to: MappedTo::Threads, axes: vec![axis] })
        })
    }

    /// The step that brings an operand into shared memory, where the steps of the sum are innermost: two that follow one another are one word.
    fn shared_by_warps(&self, operand: &Operand, name: &str, (gpu, buffers): (&Gpu, u16)) -> Step {
        let at = |position| self.tiled(position);
        let layout = match operand.side {
            Side::Rows => [4, 5, 8, 7].map(at).to_vec(),
            Side::Columns => [6, 9, 7].map(at).to_vec(),
        };
        Step::Stage(Stage {
            at: at(3),
            stmt: self.name().to_owned(),
            array: ArrayAddress::of(self.scop, operand.array),
            layout,
            pad: padding(&self.plan.sizes, operand, gpu),
            buffers,
            others: Vec::new(),
            load: Some(name.to_owned()),
            store: None,
        })
    }

    /// The steps by which threads bring an operand, so that those of a warp do so along lines of memory: loops that threads have are in strips of as many iterations as there
    /// are threads, so that the loops over strips, and the others, have few iterations of known number, which are written out.
    fn brought(&self, operand: &Operand, stmt: &str) -> Vec<Step> {
        let sizes = self.plan.sizes;
        let n_warps = sizes.row_block / (WARP[1] * sizes.rows);
        let [x, y] = WARP;
        let mut steps = Vec::new();
        let mut strips = |position: i64, n: i64, size: i64| {
            let first = LoopAddress::new(stmt, self.n_before() + position);
            let has_several = n > size;
            steps.extend(has_several.then(|| Step::Tile(Tile { first, sizes: vec![size] })));
            i64::from(has_several)
        };
        // The innermost loop first: each strip is a loop more.
        let maps = match (operand.side, operand.is_along_depth) {
            (Side::Rows, true) => {
                strips(7, sizes.depth_block, x);
                [(4, Axis::Z), (7, Axis::Y), (8, Axis::X)]
            }
            (Side::Rows, false) => {
                strips(7, sizes.depth_block, MAX_WRITTEN_OUT);
                let inner = strips(6, sizes.rows, x);
                [(4, Axis::Z), (5, Axis::Y), (6 + inner, Axis::X)]
            }
            (Side::Columns, true) => {
                strips(6, sizes.depth_block, x);
                let inner = strips(5, sizes.columns, n_warps);
                [(5 + inner, Axis::Z), (6 + inner, Axis::Y), (7 + inner, Axis::X)]
            }
            (Side::Columns, false) => {
                strips(6, sizes.depth_block, n_warps);
                let inner = strips(5, sizes.columns, y);
                [(4, Axis::X), (5 + inner, Axis::Y), (7 + inner, Axis::Z)]
            }
        };
        steps.extend(self.on_threads(stmt, maps));
        steps
    }
}

/// By how many elements the dimensions of an operand in shared memory are padded: of a few paddings those for which banks take the fewest cycles, as often as threads read and
/// write; of equals the smallest. Rows have an even number of elements, so that two steps of the sum are one word.
fn padding(sizes: &Sizes, operand: &Operand, gpu: &Gpu) -> Vec<u16> {
    let candidates = (0..=2).flat_map(|points| [0, 2, 4, 6, 8].map(|depth| [points, depth]));
    let best =
        candidates.min_by_key(|pads| (bank_cycles(sizes, operand, *pads, gpu), pads[0] + pads[1]));
    let [points, depth] = best.unwrap_or_default();
    if points + depth == 0 {
        return Vec::new();
    }
    let outer = match operand.side {
        Side::Rows => 2,
        Side::Columns => 1,
    };
    let mut pads = vec![0; outer];
    pads.extend([points, depth]);
    pads
}

/// The cycles of banks for 16 steps of the sum: warps read the operand in pairs of steps, and all of them together write each element once.
fn bank_cycles(sizes: &Sizes, operand: &Operand, [points, depth]: [u16; 2], gpu: &Gpu) -> i64 {
    let n_warps = sizes.row_block / (WARP[1] * sizes.rows).max(1);
    let along = |n: i64| n + i64::from(points);
    let depths = sizes.depth_block + i64::from(depth);
    let inner = match operand.side {
        Side::Rows => vec![WARP[1], along(sizes.rows), depths],
        Side::Columns => vec![along(sizes.columns), depths],
    };
    let layout = Layout { element_bytes: ELEMENT_BYTES, inner: Some(inner) };
    let cycles = |element: &dyn Fn(i64, i64) -> Vec<i64>| {
        let of = |thread: i64| (thread, element(thread % WARP[0], thread / WARP[0]));
        let all: BTreeMap<i64, Vec<i64>> = (0..WARP[0] * WARP[1]).map(of).collect();
        i64::from(Touched::of(&all, &layout, gpu).bank_cycles)
    };
    let read = cycles(&|x, y| match operand.side {
        Side::Rows => vec![0, y, 0, 2 * x],
        Side::Columns => vec![y / 2, y % 2, 2 * x],
    });
    let written = cycles(&|x, y| match (operand.side, operand.is_along_depth) {
        (Side::Rows, true) => vec![0, 0, 0, WARP[0] * y + x],
        (Side::Rows, false) => vec![0, y, x, 0],
        (Side::Columns, true) => vec![0, 0, WARP[0] * y + x],
        (Side::Columns, false) => vec![x, y, 0],
    });
    match operand.side {
        Side::Rows => 2 * sizes.rows * n_warps * read + 4 * sizes.rows * n_warps * written,
        Side::Columns => sizes.columns * n_warps * read + 2 * sizes.columns * written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An H100, as far as it matters here.
    fn h100() -> Gpu {
        let mut gpu = Gpu { multiprocessors: 132, ..Gpu::generic() };
        gpu.limits.threads_per_block = 1024;
        (gpu.limits.threads, gpu.limits.blocks) = (2048, 32);
        (gpu.shared.bytes, gpu.shared.bytes_per_block) = (228 << 10, 48 << 10);
        gpu.fma_per_cycle.tensor_halves = 2048;
        Gpu { clock_mhz: 1980, memory_mb_per_s: 3_350_000, ..gpu }
    }

    /// Nothing that somebody asked for.
    const NONE: Asked = Asked { threads: None, sums: None, depth: None, buffers: 1, tensor: true };

    fn sizes(extents: [Option<i64>; 3], asked: Asked) -> std::result::Result<Sizes, NoWarps> {
        sizes_in_warps(extents, 2048, &h100(), asked)
    }

    #[test]
    fn blocks_have_whole_warps() {
        let Sizes { rows, columns, row_block, column_block, depth_block } =
            sizes([None; 3], NONE).expect("sizes");
        assert_eq!((rows * columns, column_block, depth_block), (MOST_SUMS, 4 * columns, DEPTH));
        assert_eq!(row_block % (8 * rows), 0);
        // Of few rows, tiles are as small as one warp asks for; where there are fewer, there are none.
        let few = sizes([Some(16), None, None], NONE).expect("sizes");
        assert_eq!(few.rows, 2);
        for extents in [[Some(15), None, None], [None, Some(31), None], [None, None, Some(31)]] {
            assert_eq!(sizes(extents, NONE), Err(NoWarps::Short));
        }
    }

    #[test]
    fn what_is_asked_for_counts_where_it_suits_warps() {
        let asked = Asked { threads: Some([4, 16]), sums: Some([6, 10]), depth: Some(64), ..NONE };
        let found = sizes([None; 3], asked).expect("sizes");
        let expected =
            Sizes { rows: 6, columns: 10, row_block: 96, column_block: 40, depth_block: 64 };
        assert_eq!(found, expected);
        let no = |asked| assert_eq!(sizes([None; 3], asked), Err(NoWarps::Asked));
        no(Asked { threads: Some([16, 16]), ..NONE });
        no(Asked { threads: Some([4, 12]), ..NONE });
        no(Asked { sums: Some([3, 4]), ..NONE });
        no(Asked { sums: Some([16, 8]), ..NONE });
        no(Asked { depth: Some(16), ..NONE });
    }
}
