//! Sizes of tiles by what tiles touch and what the machine has.

use farkas_analysis::{Nest, TileCost};
use farkas_machine::Machine;

/// Sizes that are tried.
const SIZES: [u64; 13] = [4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];

/// Sizes that are tried for the innermost loop, as far as they fill vector registers.
const INNERMOST_SIZES: [u64; 11] = [16, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048];

/// How much larger outer tiles are, tried for each loop.
const OUTER_FACTORS: [u64; 5] = [1, 2, 4, 8, 16];

/// Terms of footprints that may be added up for one search: some tens of milliseconds.
const MAX_WORK: u64 = 1 << 22;

/// Sizes of all loops that a search begins with.
const STARTS: [u64; 5] = [8, 16, 32, 64, 128];

/// Tiles, or a further level of them, must cost less than this, in percent of what is without.
const WORTH_PERCENT: u128 = 97;

/// Tiles that one core has at least along a parallel loop, or along each of the two that a wavefront crosses, so that uneven
/// ones do not matter.
const TILES_A_CORE: u64 = 8;
/// A tile of this size is small enough for any number of cores.
const SMALL: u64 = 16;

/// Sizes of tiles for a band, and what they come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TileChoice {
    /// Levels, outermost first, in each a size a member; none where tiles do not pay.
    pub levels: Vec<Vec<i64>>,
    /// Bytes of the cache lines that a tile of each level touches.
    pub tile_bytes: Vec<u64>,
    /// Estimated cycles for the lines that move and for loops: those of the tiles, and those without.
    pub cycles: (u128, u128),
}

/// The tile sizes for which a nest costs least on a machine, in one or two levels.
///
/// Sizes are multiples of the vector length in the innermost loop, and leave each core some tiles of a parallel loop.
/// All combinations are tried where these are few, else the sizes of one loop and of two are improved, from several
/// beginnings, until none improves or the counted work is used up.
pub fn choose_tile_sizes(nest: &Nest, machine: &Machine) -> TileChoice {
    let cost = TileCost::new(nest, machine);
    let search = Search { nest, machine, cost: &cost };
    let untiled = cost.cycles(&[]);
    let (inner, cycles) = search.one_level();
    let mut best = (vec![inner.clone()], cycles);
    let (outer, cycles) = search.around(&inner);
    if is_worthwhile(cycles, best.1) {
        best = (vec![outer, inner], cycles);
    }
    let (levels, cycles) =
        if is_worthwhile(best.1, untiled) { best } else { (Vec::new(), untiled) };
    let signed = |sizes: &Vec<u64>| {
        sizes.iter().map(|&size| i64::try_from(size).unwrap_or(i64::MAX)).collect()
    };
    TileChoice {
        tile_bytes: levels.iter().map(|sizes| cost.tile_bytes(sizes)).collect(),
        levels: levels.iter().map(signed).collect(),
        cycles: (cycles, untiled),
    }
}

/// Whether the first is enough less than the second.
fn is_worthwhile(cycles: u128, before: u128) -> bool {
    cycles.saturating_mul(100) < before.saturating_mul(WORTH_PERCENT)
}

/// A search over sizes.
struct Search<'a> {
    nest: &'a Nest,
    machine: &'a Machine,
    cost: &'a TileCost<'a>,
}

impl Search<'_> {
    /// The best sizes of one level, and their cycles.
    fn one_level(&self) -> (Vec<u64>, u128) {
        let candidates: Vec<Vec<u64>> =
            (0..self.nest.n_members).map(|member| self.candidates(member)).collect();
        let n = candidates.iter().fold(1, |n: u64, c| n.saturating_mul(c.len() as u64));
        let cycles = |sizes: &[u64]| self.cost.cycles(&[sizes.to_vec()]);
        if n.saturating_mul(self.cost.work(1)) <= MAX_WORK {
            return best_of_all(&candidates, cycles);
        }
        let starts = STARTS.map(|size| candidates.iter().map(|c| nearest(c, size)).collect());
        improved(&starts, &candidates, MAX_WORK / self.cost.work(1), cycles)
    }

    /// The best sizes of tiles around those of `inner`, and the cycles of both.
    fn around(&self, inner: &[u64]) -> (Vec<u64>, u128) {
        let candidates: Vec<Vec<u64>> = inner
            .iter()
            .enumerate()
            .map(|(member, size)| {
                let most = self.most(member);
                let sizes = OUTER_FACTORS.iter().map(|factor| size * factor);
                sizes.filter(|s| s <= size || *s <= most).collect()
            })
            .collect();
        let cycles = |sizes: &[u64]| self.cost.cycles(&[sizes.to_vec(), inner.to_vec()]);
        improved(&[inner.to_vec()], &candidates, MAX_WORK / self.cost.work(2), cycles)
    }

    /// The sizes to try for a member.
    fn candidates(&self, member: usize) -> Vec<u64> {
        let is_innermost =
            member + 1 == self.nest.n_members && self.nest.loops.len() == self.nest.n_members;
        let lanes = self.cost.lanes();
        let (sizes, least): (&[u64], u64) =
            if is_innermost { (&INNERMOST_SIZES, lanes) } else { (&SIZES, 1) };
        let most = self.most(member);
        // Tiles of a wavefront that run at the same time touch where they meet: they are wider than what caches hand over.
        let is_wavefront = !self.nest.loops[..self.nest.n_members].iter().any(|l| l.coincident);
        let narrowest = if is_wavefront { 2 * lanes } else { 1 };
        let fits = |size: &u64| {
            (narrowest..=most.max(narrowest)).contains(size) && size.is_multiple_of(least)
        };
        let mut found: Vec<u64> = sizes.iter().copied().filter(fits).collect();
        let extent = self.cost.extents()[member];
        if self.nest.loops[member].extent.is_some() && extent <= most && !found.contains(&extent) {
            found.push(extent);
        }
        if found.is_empty() {
            found.push(sizes[0].min(extent));
        }
        found
    }

    /// The largest size for a member: the outermost parallel loop leaves some tiles to each core.
    fn most(&self, member: usize) -> u64 {
        let extent = self.cost.extents()[member];
        let members = &self.nest.loops[..self.nest.n_members];
        // Without a parallel loop, a wavefront runs along the first two.
        let first = members.iter().position(|l| l.coincident);
        let is_shared = first.map_or(member < 2, |first| first == member);
        // The ends of wavefronts have few tiles.
        let per_core = if first.is_some() { TILES_A_CORE } else { 2 * TILES_A_CORE };
        let n_tiles = u64::from(self.machine.cores).saturating_mul(per_core).max(1);
        if is_shared && self.machine.cores > 1 {
            (extent / n_tiles).max(SMALL.min(extent))
        } else {
            extent
        }
    }
}

/// The best of all combinations; of equal ones the first.
fn best_of_all(candidates: &[Vec<u64>], cycles: impl Fn(&[u64]) -> u128) -> (Vec<u64>, u128) {
    let mut at = vec![0; candidates.len()];
    let sizes =
        |at: &[usize]| -> Vec<u64> { at.iter().zip(candidates).map(|(&k, c)| c[k]).collect() };
    let mut best = (sizes(&at), cycles(&sizes(&at)));
    while let Some(member) = (0..at.len()).rev().find(|&m| at[m] + 1 < candidates[m].len()) {
        at[member] += 1;
        at[member + 1..].fill(0);
        let here = sizes(&at);
        let cost = cycles(&here);
        if cost < best.1 {
            best = (here, cost);
        }
    }
    best
}

/// The best of the sizes that are found from `starts` by changing the sizes of one loop, then of two, while that improves
/// them; at most `budget` sizes are tried.
fn improved(
    starts: &[Vec<u64>],
    candidates: &[Vec<u64>],
    budget: u64,
    cycles: impl Fn(&[u64]) -> u128,
) -> (Vec<u64>, u128) {
    let mut climb = Climb { candidates, budget, cycles, best: (Vec::new(), u128::MAX) };
    let mut best = climb.best.clone();
    for start in starts {
        climb.best = (start.clone(), (climb.cycles)(start));
        while climb.change_one() {}
        best = std::cmp::min_by_key(best, climb.best.clone(), |(_, cycles)| *cycles);
    }
    climb.best = best;
    while climb.change_two() || climb.change_one() {}
    climb.best
}

/// A search that goes from sizes to better ones.
struct Climb<'a, F> {
    candidates: &'a [Vec<u64>],
    /// Sizes that may still be tried.
    budget: u64,
    cycles: F,
    best: (Vec<u64>, u128),
}

impl<F: Fn(&[u64]) -> u128> Climb<'_, F> {
    /// Tries sizes; whether they are better.
    fn attempt(&mut self, sizes: Vec<u64>) -> bool {
        let Some(left) = self.budget.checked_sub(1) else { return false };
        self.budget = left;
        let cycles = (self.cycles)(&sizes);
        let is_better = cycles < self.best.1;
        if is_better {
            self.best = (sizes, cycles);
        }
        is_better
    }

    /// Changes the size of each loop in turn; whether that improved anything.
    fn change_one(&mut self) -> bool {
        let mut is_better = false;
        for member in 0..self.candidates.len() {
            for &size in &self.candidates[member] {
                let mut sizes = self.best.0.clone();
                sizes[member] = size;
                is_better |= self.attempt(sizes);
            }
        }
        is_better
    }

    /// Changes the sizes of each pair of loops in turn; whether that improved anything.
    fn change_two(&mut self) -> bool {
        let mut is_better = false;
        for first in 0..self.candidates.len() {
            for second in first + 1..self.candidates.len() {
                for &size in &self.candidates[first] {
                    for &other in &self.candidates[second] {
                        let mut sizes = self.best.0.clone();
                        (sizes[first], sizes[second]) = (size, other);
                        is_better |= self.attempt(sizes);
                    }
                }
            }
        }
        is_better
    }
}

/// The size that is nearest to `wanted`.
fn nearest(sizes: &[u64], wanted: u64) -> u64 {
    sizes.iter().copied().min_by_key(|size| size.abs_diff(wanted)).unwrap_or(1)
}
