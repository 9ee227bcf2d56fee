//! Sizes of register tiles and of the blocks around them.

use farkas_machine::Machine;
use farkas_scop::ElementKind;

/// What register tiling has to know of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Registers {
    /// Bytes of a vector register.
    vector_bytes: u32,
    /// How many vector registers a program can name.
    n_vectors: u32,
    /// Bytes of a core's first-level data cache.
    l1_bytes: u64,
    /// Bytes of the second-level cache that a core has for itself.
    l2_bytes: u64,
    /// Scalar operations that begin before the first of them has ended.
    in_flight: u32,
    /// Whether it computes with half precision as with other numbers.
    has_halves: bool,
}

impl Registers {
    /// Those of a core, and its share of the caches.
    pub(super) fn of(machine: &Machine) -> Self {
        Self {
            vector_bytes: machine.vector.width_bytes,
            n_vectors: machine.vector.registers,
            l1_bytes: machine.cache_bytes(1),
            l2_bytes: machine.cache_bytes(2),
            in_flight: machine.vector.fma_latency_cycles
                * machine.vector.fma_per_cycle.max(SCALARS_A_CYCLE),
            has_halves: false,
        }
    }

    /// The same where a GPU computes, for which floating-point numbers of 16 bits are as others are.
    pub(super) fn with_halves(self) -> Self {
        Self { has_halves: true, ..self }
    }

    /// Whether elements of this kind are multiplied and added in vector lanes: none does so with bytes, few processors with half precision.
    fn has_lanes(&self, kind: ElementKind) -> bool {
        let is_wide = kind.size_bytes().is_some_and(|bytes| bytes > 1);
        let has_vectors = kind.has_vectors() || self.has_halves && kind.is_short_floating();
        is_wide && has_vectors && (kind.is_floating() || kind.is_integer())
    }
}

/// Sizes in iterations of the loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sizes {
    /// Of a register tile along the loop that is unrolled.
    pub(super) rows: i64,
    /// Of a register tile along the loop that runs in vector lanes.
    pub(super) columns: i64,
    /// Of the block of the unrolled loop whose operands are packed together.
    pub(super) row_block: i64,
    /// The same of the vector loop.
    pub(super) column_block: i64,
    /// The same of the loop that sums up.
    pub(super) depth_block: i64,
}

/// Blocks of register tiles without rows take this share of the first-level cache, so that sums stay there from strip to strip.
const COLUMNS_SHARE: u64 = 8;

/// Sizes of register tiles without rows, in iterations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Columns {
    /// Rows that are added at once.
    pub(super) rows: i64,
    /// Columns of a block.
    pub(super) columns: i64,
}

impl Columns {
    /// Those for sums of so many bytes; `None` where vector registers have no place for several.
    pub(super) fn of(registers: &Registers, bytes: u32) -> Option<Self> {
        if registers.vector_bytes < 2 * bytes {
            return None;
        }
        let columns = registers.l1_bytes / COLUMNS_SHARE / u64::from(bytes.max(1));
        let columns = i64::try_from(columns).unwrap_or(i64::MAX);
        Some(Self { rows: MAX_ROWS, columns: columns.max(MAX_ROWS) })
    }
}

/// The most rows of a strip in which nests follow one another: those of one sum along each.
pub(super) const STRIP_ROWS: i64 = MAX_ROWS;
/// The most sums along rows that share a walk through a strip, which has two rows then.
pub(super) const MAX_SUMS: usize = 4;

/// The rows of a strip in which so many sums along rows share a walk: registers hold the sums of [`STRIP_ROWS`] rows, whose lines have place in
/// a cache side by side wherever they lie.
pub(super) fn strip_rows(n_sums: usize) -> i64 {
    STRIP_ROWS / i64::try_from(n_sums.clamp(1, MAX_SUMS)).unwrap_or(1)
}
/// The most rows: compilers unroll short loops completely up to so many iterations.
const MAX_ROWS: i64 = 8;
/// Scalar operations that begin in a cycle, also where wide ones do not.
const SCALARS_A_CYCLE: u32 = 2;
/// The fewest rows of a register tile without columns.
const MIN_ROWS: i64 = 4;
/// How many times as deep as it has rows a block of a register tile without columns is, where rows are not of one length: for one
/// that some rows do not reach, so many others are full.
const MIN_DEPTH: i64 = 8;
/// The most vectors in a row of a register tile.
const MAX_VECTORS: i64 = 4;
/// How many register tiles lie side by side in a block of columns at least: rows are packed again for each block.
const MIN_TILES: i64 = 8;

/// The most bytes of a block: buffers are local variables.
const MAX_BLOCK_BYTES: i64 = 2 << 20;

/// How many iterations loops have at most, where that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Extents {
    /// The loop that is unrolled.
    pub(super) rows: Option<i64>,
    /// The loop that runs in vector lanes.
    pub(super) columns: Option<i64>,
    /// The loop that sums up.
    pub(super) depth: Option<i64>,
}

impl Sizes {
    /// The sizes for sums of this kind; `None` where lanes have no place for it.
    ///
    /// **Paper** K. Goto, R. van de Geijn, *Anatomy of high-performance matrix multiplication*, TOMS 2008; T. M. Low et al.,
    /// *Analytical modeling is enough for high-performance BLIS*, TOMS 2016. A register tile of `r` rows of `c` vectors has
    /// `r c` sums, `c` vectors of the one operand and one broadcast of the other in registers, and `r c` operations for `r + c`
    /// loads. Sums are loaded and stored once for each block of the depth, so blocks are as deep as caches allow: what a tile
    /// reads along the depth takes at most six times the first-level cache, through which it streams, and its columns an eighth of
    /// the second-level one, where they stay for a block of rows, which takes a quarter. A block of columns is twice as large as
    /// that cache: the larger, the less often rows are packed, and each of its panels comes from the next cache once for a block
    /// of rows. Where the loop that sums up is known to be short, blocks have no more depth, and more columns;
    /// rows run on several threads, and stay as few. Tiles have no rows or vectors of which all are beyond a known extent.
    pub(super) fn of(registers: &Registers, kind: ElementKind, extents: Extents) -> Option<Self> {
        let element = i64::from(kind.size_bytes()?);
        let lanes = i64::from(registers.vector_bytes) / element;
        let n_vectors = i64::from(registers.n_vectors);
        if lanes < 2 || !registers.has_lanes(kind) {
            return None;
        }
        let shapes = [MAX_ROWS, MAX_ROWS / 2, MAX_ROWS / 4]
            .into_iter()
            .flat_map(|rows| (1..=MAX_VECTORS).map(move |vectors| (rows, vectors)));
        let fitting = shapes.filter(|(rows, vectors)| {
            let is_filled = |extent: Option<i64>, most| extent.is_none_or(|extent| extent > most);
            rows * vectors + vectors < n_vectors
                && is_filled(extents.rows, rows / 2)
                && is_filled(extents.columns, (vectors - 1) * lanes)
        });
        // Operations for each thousand loads.
        let reuse = |(rows, vectors): &(i64, i64)| 1000 * rows * vectors / (rows + vectors);
        let (rows, vectors) = fitting.max_by_key(reuse)?;
        let columns = vectors * lanes;
        let bytes = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let multiple = |n: i64, of: i64| (n / of).max(1) * of;
        let by_l1 = 6 * bytes(registers.l1_bytes) / (element * (rows + columns));
        let by_l2 = bytes(registers.l2_bytes) / (element * MIN_TILES * columns);
        let most = odd_multiple(by_l1.min(by_l2), 8);
        let depth_block = extents.depth.map_or(most, |depth| depth.clamp(1, most));
        let block = |bytes: i64, of: i64, depth: i64| multiple(bytes / (element * depth), of);
        let l2 = bytes(registers.l2_bytes);
        Some(Self {
            rows,
            columns,
            row_block: block(l2 / 4, rows, most),
            column_block: block((2 * l2).min(MAX_BLOCK_BYTES), columns, depth_block),
            depth_block,
        })
    }
}

impl Sizes {
    /// The sizes of register tiles without columns, for sums of this kind: as many rows as operations are in flight, in no more
    /// than half of the registers; `None` where sums need not stay in order.
    pub(super) fn of_rows(registers: &Registers, kind: ElementKind) -> Option<Self> {
        if !matches!(kind, ElementKind::Float | ElementKind::Double) {
            return None;
        }
        let most = MAX_ROWS.min(i64::from(registers.n_vectors) / 2);
        let rows = i64::from(registers.in_flight).max(MIN_ROWS).min(most);
        let rows = (rows > 1).then_some(rows)?;
        let depth_block = MIN_DEPTH * rows;
        Some(Self { rows, columns: 1, row_block: rows, column_block: 1, depth_block })
    }

    /// What the sides of blocks are multiples of, so that no register tile is cut by them.
    pub(super) fn tile_unit(&self) -> i64 {
        let (mut a, mut b) = (self.rows, self.columns);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        self.rows / a.max(1) * self.columns
    }

    /// The sizes where so many operands of the rows, and of the columns, share the place in caches.
    pub(super) fn shared(self, n_rows: usize, n_columns: usize) -> Self {
        let share = |block: i64, n: usize, of: i64| {
            let n = i64::try_from(n).unwrap_or(i64::MAX).max(1);
            (block / n / of).max(1) * of
        };
        Self {
            row_block: share(self.row_block, n_rows, self.rows),
            column_block: share(self.column_block, n_columns, self.columns),
            ..self
        }
    }
}

/// The largest odd multiple of a number that is at most `n`, or the number: panels that are a power of two apart would compete for
/// the same places in a cache.
fn odd_multiple(n: i64, of: i64) -> i64 {
    let factor = (n / of).max(1);
    (factor - (factor + 1) % 2) * of
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A core with AVX-512.
    fn large() -> Registers {
        Registers {
            vector_bytes: 64,
            n_vectors: 32,
            l1_bytes: 32 << 10,
            l2_bytes: 1 << 20,
            in_flight: 8,
            has_halves: false,
        }
    }

    #[test]
    fn tiles_fill_the_registers() {
        let shape = |vector_bytes, n_vectors, kind| {
            let registers = Registers { vector_bytes, n_vectors, ..large() };
            Sizes::of(&registers, kind, Extents::default()).map(|s| (s.rows, s.columns))
        };
        assert_eq!(shape(64, 32, ElementKind::Double), Some((8, 24)));
        assert_eq!(shape(32, 16, ElementKind::Double), Some((4, 12)));
        assert_eq!(shape(32, 16, ElementKind::Float), Some((4, 24)));
        assert_eq!(shape(16, 16, ElementKind::Double), Some((4, 6)));
        assert_eq!(shape(64, 32, ElementKind::Signed(32)), Some((8, 48)));
        assert_eq!(shape(32, 16, ElementKind::Unsigned(64)), Some((4, 12)));
        use ElementKind::{Bf16, Half, LongDouble, Signed};
        for kind in [Signed(8), Half, Bf16, LongDouble] {
            assert_eq!(shape(64, 32, kind), None, "{kind:?}");
        }
        assert_eq!(shape(8, 16, ElementKind::Double), None);
        let on_gpu = large().with_halves();
        for kind in [Half, Bf16] {
            assert!(Sizes::of(&on_gpu, kind, Extents::default()).is_some());
        }
    }

    #[test]
    fn tiles_are_no_larger_than_what_there_is() {
        let shape = |rows, columns| {
            let extents = Extents { rows: Some(rows), columns: Some(columns), depth: None };
            Sizes::of(&large(), ElementKind::Double, extents).map(|s| (s.rows, s.columns))
        };
        assert_eq!(shape(100, 100), Some((8, 24)));
        assert_eq!(shape(5, 17), Some((8, 24)));
        assert_eq!(shape(4, 16), Some((4, 16)));
        assert_eq!(shape(3, 5), Some((4, 8)));
        assert_eq!(shape(2, 1), Some((2, 8)));
        assert_eq!(shape(1, 8), None);
    }

    #[test]
    fn rows_hide_latency() {
        let rows = |in_flight, n_vectors| {
            let registers = Registers { in_flight, n_vectors, ..large() };
            Sizes::of_rows(&registers, ElementKind::Double).map(|s| s.rows)
        };
        assert_eq!(rows(8, 32), Some(8));
        assert_eq!(rows(3, 16), Some(4));
        assert_eq!(rows(10, 16), Some(8));
        assert_eq!(rows(8, 2), None);
        assert_eq!(Sizes::of_rows(&large(), ElementKind::Signed(32)), None);
    }

    #[test]
    fn sums_share_the_rows_of_a_strip() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(strip_rows), [8, 8, 4, 2, 2, 2]);
    }

    #[test]
    fn sums_stay_in_the_first_cache() {
        let sizes = |bytes| Columns::of(&large(), bytes).map(|s| (s.rows, s.columns));
        assert_eq!(sizes(8), Some((8, 512)));
        assert_eq!(sizes(4), Some((8, 1024)));
        assert_eq!(sizes(64), None);
    }

    #[test]
    fn operands_share_blocks() {
        let sizes = Sizes::of(&large(), ElementKind::Double, Extents::default()).expect("sizes");
        let shared = sizes.shared(1, 2);
        assert_eq!((shared.row_block, shared.column_block), (48, 192));
        assert_eq!(sizes.shared(100, 0), Sizes { row_block: 8, ..sizes });
    }

    #[test]
    fn blocks_are_whole_tiles() {
        let sizes = Sizes::of(&large(), ElementKind::Double, Extents::default()).expect("sizes");
        assert_eq!(sizes.row_block % sizes.rows, 0);
        assert_eq!(sizes.column_block % sizes.columns, 0);
        assert!(sizes.column_block * sizes.depth_block * 8 <= MAX_BLOCK_BYTES);
        assert_eq!((sizes.row_block, sizes.column_block, sizes.depth_block), (48, 384, 680));
        let depth = |n| Extents { depth: Some(n), ..Extents::default() };
        let short = Sizes::of(&large(), ElementKind::Double, depth(24)).expect("sizes");
        assert_eq!(short.depth_block, 24);
        assert!(short.column_block > 4 * sizes.column_block, "{short:?} {sizes:?}");
    }
}
