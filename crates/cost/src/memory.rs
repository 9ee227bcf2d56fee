//! Cycles that lines and pages take on their way to the core.

use crate::footprint::Touched;
use farkas_machine::{Cache, Machine};

/// Data that fills this part of a cache or of the translation buffers is kept, data that fills this much is lost before it is used
/// again, and between the two some of it is: code, stack and lines that fall into the same set are in the way.
const FILLED: (f64, f64) = (0.75, 1.1);

/// Rows that miss are asked for this many at a time.
const MISSES_AT_ONCE: f64 = 10.0;

/// Cycles that a page costs that no translation buffer holds.
const PAGE_CYCLES: f64 = 40.0;

/// Pages that the first level of translation buffers holds, and what a page costs that the second one has.
const NEAR_PAGES: f64 = 64.0;
/// Cycles of such a page.
const NEAR_PAGE_CYCLES: f64 = 2.0;

/// Bytes of a page, and the cycles until the system has given and cleared one that nobody has used.
const FRESH_PAGE: (f64, f64) = (4096.0, 4000.0);

/// Cores that memory keeps busy: this many, or the part of all of them.
const FED_CORES: (f64, f64) = (1.4, 0.25);

/// Who has room in a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    /// One of as many threads as there are cores.
    Thread,
    /// One core, while the others do nothing.
    Core,
    /// All cores, among which the same data are divided again and again.
    All,
}

/// The part of what is touched that a cache keeps.
pub(crate) fn kept(machine: &Machine, cache: &Cache, touched: &Touched, room: Room) -> f64 {
    let bytes = match room {
        Room::Thread => machine.share_bytes(cache),
        Room::Core => cache.size_bytes,
        Room::All => machine.joint_bytes(cache),
    };
    part_kept(touched.bytes, bytes as f64)
}

/// Cycles until there is memory for as many bytes.
pub(crate) fn fresh(bytes: f64) -> f64 {
    bytes / FRESH_PAGE.0 * FRESH_PAGE.1
}

/// The part of the pages that each level of translation buffers keeps.
pub(crate) fn kept_pages(machine: &Machine, touched: &Touched) -> [f64; 2] {
    [NEAR_PAGES, f64::from(machine.tlb_pages)].map(|n| part_kept(touched.pages, n))
}

/// The part that is kept of `needed` where there is room for `room`.
fn part_kept(needed: f64, room: f64) -> f64 {
    let (all, none) = (FILLED.0 * room, FILLED.1 * room);
    ((none - needed) / (none - all)).clamp(0.0, 1.0)
}

/// The cores between which the lines of memory are shared, of these that work.
pub(crate) fn fed(cores: f64) -> f64 {
    cores.min((cores * FED_CORES.1).max(FED_CORES.0))
}

/// Cycles to bring into the cache at position `at` what is touched, each line once, beyond what it takes to bring it on into the
/// caches inside of it.
pub(crate) fn fill(machine: &Machine, at: usize, touched: &Touched) -> f64 {
    let cycles = |cache: &Cache| {
        let lines = touched.moved / f64::from(cache.line_bytes.max(1));
        let first = f64::from(cache.miss_cycles) / MISSES_AT_ONCE;
        lines * f64::from(cache.fill_cycles) + touched.rows * first
    };
    let inner = at.checked_sub(1).and_then(|at| machine.caches.get(at));
    (cycles(&machine.caches[at]) - inner.map_or(0.0, cycles)).max(0.0)
}

/// Cycles until half of what the own caches of one core hold of what is touched has come to another core, and what that one writes has
/// come back: a line at a time, since no core asks ahead for what another one has changed.
pub(crate) fn handed_over(machine: &Machine, touched: &Touched) -> f64 {
    let is_own = |cache: &&Cache| cache.shared_by <= machine.threads_per_core;
    let Some(cache) = machine.caches.iter().rfind(is_own) else { return 0.0 };
    let held = |bytes: f64| bytes.min(cache.size_bytes as f64) / f64::from(cache.line_bytes.max(1));
    let written = touched.moved - touched.bytes;
    (held(touched.bytes) + held(written)) / 2.0 * f64::from(cache.miss_cycles)
}

/// Cycles for pages that are new to each level of translation buffers.
pub(crate) fn translate(touched: &Touched) -> [f64; 2] {
    [NEAR_PAGE_CYCLES, PAGE_CYCLES].map(|cycles| touched.pages * cycles)
}
