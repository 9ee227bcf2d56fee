//! What the loops of a tiled band cost in cycles: cache lines, and loops themselves.

use crate::footprint::{Footprint, Group, Nest};
use farkas_machine::{Cache, Machine};

/// Iterations of a loop where parameters decide: arrays of this side exceed the caches of one core.
const ASSUMED_EXTENT: u64 = 2000;

/// The part of a cache or of the translation buffers that a tile may fill, as a fraction: code, stack and lines that fall
/// into the same set need the rest.
const FILLED: (u64, u64) = (3, 4);

/// Rows that miss are asked for this many at a time.
const MISSES_AT_ONCE: u64 = 4;

/// Cycles that a page costs that no translation buffer holds.
const PAGE_CYCLES: u64 = 40;

/// Cycles from the end of an innermost loop to its next start, with the branch that nobody foresaw.
const LOOP_CYCLES: u64 = 32;

/// A nest on a machine.
#[derive(Clone, Debug)]
pub struct TileCost<'a> {
    nest: &'a Nest,
    machine: &'a Machine,
    /// Iterations of each loop.
    extents: Vec<u64>,
    /// Elements of a vector register, of the smallest elements.
    lanes: u64,
}

/// A loop of the tiled band.
#[derive(Clone, Copy)]
struct Level {
    member: usize,
    trips: u64,
    /// Iterations of the member that one execution of the loop covers.
    covered: u64,
}

/// What some iterations touch.
#[derive(Clone, Copy, Default)]
struct Touched {
    /// Bytes of lines.
    bytes: u64,
    /// Bytes that move, once for what is read and twice for what is written.
    moved: u64,
    rows: u64,
    pages: u64,
}

impl<'a> TileCost<'a> {
    /// The cost of a nest on a machine.
    pub fn new(nest: &'a Nest, machine: &'a Machine) -> Self {
        let extents = nest.loops.iter().map(|l| l.extent.unwrap_or(ASSUMED_EXTENT).max(1));
        let smallest = nest.groups.iter().map(|g| g.element_bytes).min().unwrap_or(8);
        let lanes = u64::from(machine.lanes(smallest));
        Self { nest, machine, extents: extents.collect(), lanes }
    }

    /// Iterations of each loop, assumed where parameters decide.
    pub fn extents(&self) -> &[u64] {
        &self.extents
    }

    /// Elements of a vector register.
    pub fn lanes(&self) -> u64 {
        self.lanes
    }

    /// How much work one question for the cycles is; some, even where nothing but scalars is used.
    pub fn work(&self, n_levels: usize) -> u64 {
        let terms: u64 = self.nest.groups.iter().map(Group::work).sum();
        let loops = self.nest.n_members.saturating_mul(n_levels + 1) as u64 + 1;
        terms.saturating_mul(loops).max(1)
    }

    /// Cycles for all iterations of the band, cut into tiles of the sizes `levels`, outermost first, with a size a member;
    /// only what depends on the sizes.
    ///
    /// **Formulation** of the loops, tile loops first, the cache keeps what the longest run of inner ones touches that
    /// fits into it. The loop around that run brings each line in once; the loops around that one repeat it. A line
    /// costs what a stream of them does; a row costs its first line's latency. The translation buffers are a cache of pages.
    /// Written lines move twice.
    ///
    /// **Paper** the count of distinct lines as the measure of a tile is that of J. Ferrante, V. Sarkar and W. Thrash, *On
    /// Estimating and Enhancing Cache Effectiveness*, LCPC 1991. Ours differs: shapes are zonotopes, all levels count at
    /// once, and rows have a price.
    pub fn cycles(&self, levels: &[Vec<u64>]) -> u128 {
        let loops = self.loops(levels);
        let touched = self.touched_at(&loops);
        let caches = self.machine.caches.iter().map(|c| self.cache_cycles(c, &loops, &touched));
        caches.sum::<u128>() + self.page_cycles(&loops, &touched) + self.loop_cycles(&loops)
    }

    /// Bytes of the lines that one tile of these sizes touches.
    pub fn tile_bytes(&self, sizes: &[u64]) -> u64 {
        let inner = self.extents.iter().skip(sizes.len());
        let sizes: Vec<u64> = sizes.iter().chain(inner).copied().collect();
        self.touched(&sizes).bytes
    }

    /// The loops of the band, outermost first.
    fn loops(&self, levels: &[Vec<u64>]) -> Vec<Level> {
        let n = self.nest.n_members;
        let mut found = Vec::new();
        let mut covered: Vec<u64> = self.extents[..n].to_vec();
        for sizes in levels {
            for (member, &size) in sizes.iter().enumerate().take(n) {
                let size = size.clamp(1, covered[member]);
                let trips = covered[member].div_ceil(size);
                found.push(Level { member, trips, covered: covered[member] });
                covered[member] = size;
            }
        }
        found.extend(covered.iter().enumerate().map(|(member, &n)| Level {
            member,
            trips: n,
            covered: n,
        }));
        found
    }

    /// What each loop touches with the loops inside it; at last what the innermost body does.
    fn touched_at(&self, loops: &[Level]) -> Vec<Touched> {
        let n = self.nest.n_members;
        let mut sizes: Vec<u64> =
            self.extents.iter().enumerate().map(|(k, &e)| if k < n { 1 } else { e }).collect();
        let mut found = vec![self.touched(&sizes)];
        for level in loops.iter().rev() {
            sizes[level.member] = level.covered;
            found.push(self.touched(&sizes));
        }
        found.reverse();
        found
    }

    /// What these iterations touch.
    fn touched(&self, sizes: &[u64]) -> Touched {
        let mut sum = Touched::default();
        for group in &self.nest.groups {
            let Footprint { elements, rows, line_bytes } =
                group.footprint(sizes, self.machine.line_bytes());
            // Rows lie a page or more apart, or together.
            let bytes = elements.saturating_mul(u64::from(group.element_bytes));
            let pages = rows.max(bytes / u64::from(self.machine.page_bytes.max(1)));
            let moves = if group.is_written { 2 } else { 1 };
            sum.bytes = sum.bytes.saturating_add(line_bytes);
            sum.moved = sum.moved.saturating_add(line_bytes.saturating_mul(moves));
            sum.rows = sum.rows.saturating_add(rows);
            sum.pages = sum.pages.saturating_add(pages);
        }
        sum
    }

    /// Cycles for the lines that come into a cache.
    fn cache_cycles(&self, cache: &Cache, loops: &[Level], touched: &[Touched]) -> u128 {
        let capacity = self.machine.share_bytes(cache) / FILLED.1 * FILLED.0;
        let (repeats, at) = repeats(loops, |at| touched[at].bytes <= capacity);
        let lines = touched[at].moved / u64::from(cache.line_bytes.max(1));
        let first = u64::from(cache.miss_cycles) / MISSES_AT_ONCE;
        let cycles = u128::from(lines) * u128::from(cache.fill_cycles)
            + u128::from(touched[at].rows) * u128::from(first);
        cycles.saturating_mul(repeats)
    }

    /// Cycles for pages that the translation buffers do not hold.
    fn page_cycles(&self, loops: &[Level], touched: &[Touched]) -> u128 {
        let capacity = u64::from(self.machine.tlb_pages) / FILLED.1 * FILLED.0;
        let (repeats, at) = repeats(loops, |at| touched[at].pages <= capacity);
        u128::from(touched[at].pages.saturating_mul(PAGE_CYCLES)).saturating_mul(repeats)
    }

    /// Cycles for the loops themselves, and for the iterations that fill no vector register.
    fn loop_cycles(&self, loops: &[Level]) -> u128 {
        let Some((last, outer)) = loops.split_last() else { return 0 };
        let starts = outer.iter().fold(1_u128, |n, l| n.saturating_mul(u128::from(l.trips)));
        let rest =
            if self.nest.loops.len() > self.nest.n_members { 0 } else { last.trips % self.lanes };
        starts.saturating_mul(u128::from(LOOP_CYCLES + rest))
    }
}

/// How often the loops at and inside the second number run, of which all but the outermost fit by `fits`. All fit where
/// that is the outermost loop of all.
fn repeats(loops: &[Level], fits: impl Fn(usize) -> bool) -> (u128, usize) {
    let mut at = loops.len();
    while at > 0 && fits(at) {
        at -= 1;
    }
    let outside = loops[..at].iter().map(|level| u128::from(level.trips));
    (outside.fold(1, u128::saturating_mul), at)
}
