//! The cost of nested loops, from the inside out.

use crate::Result;
use crate::core::{At, Iteration, Straight};
use crate::counted::{Counted, Loop, Part};
use crate::footprint::{Touched, of_arrays, touched};
use crate::memory::{Room, fill, handed_over, kept, kept_pages, translate};
use crate::restarts::Outer;
use crate::sample::MAX_PEELED;
use crate::terms::Estimate;
use farkas_astgen::ASKED_AT_ONCE;
use farkas_machine::Machine;
use farkas_scop::Scop;
use std::collections::{BTreeMap, BTreeSet};

/// Cycles from the start of an innermost loop to its first iteration, and for the branch at its end that nobody foresaw.
const INNERMOST_CYCLES: f64 = 14.0;
/// Cycles of an iteration of any other loop.
const OUTER_CYCLES: f64 = 3.0;
/// Cycles of a loop that might have started threads and does not: compilers make a function of it, which the runtime calls.
const NO_THREADS_CYCLES: f64 = 1500.0;

/// One start of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// Cycles on one core whose caches hold what they can of what the loop touches, from the start before.
    pub(crate) cycles: f64,
    /// The part of this start of what comes once with each run of the region: cycles until threads are awake, and those that lines
    /// take from one core's own caches to another's and back, if the loop's iterations are divided among two cores and what
    /// is around the region runs on one of them.
    pub(crate) once: f64,
}

/// One start of each of some loops, by number.
pub(crate) fn starts(
    scop: &Scop,
    machine: &Machine,
    counted: &Counted,
    wanted: &BTreeSet<usize>,
) -> BTreeMap<usize, Start> {
    let model = Model { scop, machine, counted };
    let mut left: Vec<(&Part, f64)> = counted.body.iter().map(|part| (part, 1.0)).collect();
    let mut found = BTreeMap::new();
    while let Some((part, runs)) = left.pop() {
        let Part::Loop(inner) = part else { continue };
        let n_starts = runs * inner.rate;
        let n_iterations = n_starts * counted.trips[inner.id];
        left.extend(inner.body.iter().map(|part| (part, n_iterations)));
        if wanted.contains(&inner.id) {
            let all = model.touched(std::slice::from_ref(part), None);
            let cycles = model.again(inner, &all).cycles();
            let awake = f64::from(machine.threads.wake_cycles);
            let once = (awake + handed_over(machine, &all)) / n_starts.max(1.0);
            found.insert(inner.id, Start { cycles, once });
        }
    }
    found
}

/// The cost of counted code.
pub(crate) fn cost(scop: &Scop, machine: &Machine, counted: &Counted) -> Result<Estimate> {
    let model = Model { scop, machine, counted };
    let mut sum = model.parts(&counted.body, None, false);
    model.handed_on(&counted.body, &mut sum);
    Ok(sum)
}

/// Code on a machine.
struct Model<'a> {
    scop: &'a Scop,
    machine: &'a Machine,
    counted: &'a Counted,
}

impl Model<'_> {
    /// One run through some parts, in a loop or in none, on one of several threads or on all there are.
    fn parts(&self, parts: &[Part], around: Option<&Loop>, on_thread: bool) -> Estimate {
        let mut sum = self.none();
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Loop(inner) => {
                    let outer = around.map(|around| Outer { around, before: &parts[..at] });
                    sum.add(&self.repeated(inner, outer, on_thread), inner.rate);
                }
                Part::Leaf(_) => {
                    // How often the statement runs is in what it touches and in the straight code.
                    let alone = std::slice::from_ref(part);
                    let mut own = self.brought(&self.touched(alone, None));
                    let straight = Straight::of(alone, false);
                    if let Some(once) = straight.map(|s| self.iteration(&s, None)) {
                        (own.core, own.peak) = (once.alone, once.peak);
                    }
                    sum.add(&own, 1.0);
                }
            }
        }
        sum
    }

    /// One start of a loop, which stands in another or in none.
    fn repeated(&self, around: &Loop, outer: Option<Outer<'_>>, on_thread: bool) -> Estimate {
        let trips = self.counted.trips[around.id];
        let is_asked = around.asks_for_threads && !on_thread;
        let forks = around.on_threads > 0.0 && !on_thread && self.machine.cores > 1;
        let mut sum = self.none();
        let inner = self.touched(&around.body, None);
        let all = self.touched(&around.body, Some(around));
        match Straight::of(&around.body, around.is_unrolled) {
            Some(straight) => self.innermost(around, (&straight, outer), trips, &mut sum),
            None => {
                sum.add(&self.parts(&around.body, Some(around), on_thread || forks), trips);
                if !on_thread && !forks {
                    sum.threads += trips * self.taken_turns(&around.body);
                }
                if !self.is_written_out_in(around) {
                    sum.loops += trips * OUTER_CYCLES;
                }
            }
        }
        let room = match on_thread || forks {
            true => Room::Thread,
            false => self.room_around(&around.body),
        };
        self.kept((&inner, room), &all, &mut sum);
        let mut alone = sum.clone();
        if is_asked {
            alone.loops += NO_THREADS_CYCLES;
        }
        if !forks {
            return alone;
        }
        let cores = f64::from(self.machine.cores);
        let shares = self.counted.shared_trips(around);
        let busy = shares / (shares / cores).ceil().max(1.0);
        sum = sum.shared(busy.max(1.0));
        sum.threads += f64::from(self.machine.threads.start_cycles);
        if around.on_threads >= 1.0 {
            return sum;
        }
        let mut mixed = self.none();
        mixed.add(&sum, around.on_threads);
        mixed.add(&alone, 1.0 - around.on_threads);
        mixed
    }

    /// Cycles that lines take from one core to others and back, where loops on threads stand beside code on one that touches the same.
    fn taken_turns(&self, parts: &[Part]) -> f64 {
        let is_shared = |part: &&Part| matches!(part, Part::Loop(inner) if inner.on_threads > 0.0);
        let (shared, others): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(is_shared);
        let alone: Vec<Part> =
            others.into_iter().filter(|part| !starts_threads(part)).cloned().collect();
        if shared.is_empty() || alone.is_empty() || self.machine.cores < 2 {
            return 0.0;
        }
        let touched = |parts: &[Part]| of_arrays(parts, None, self.counted, self.machine);
        let by_one = touched(&alone);
        let mut cycles = 0.0;
        for part in shared {
            let Part::Loop(inner) = part else { continue };
            let mut both = Touched::default();
            for (array, by_all) in touched(std::slice::from_ref(part)) {
                let one = by_one.get(&array);
                if let Some(one) = one.filter(|one| one.is_written() || by_all.is_written()) {
                    both.add(if one.bytes < by_all.bytes { one } else { &by_all });
                }
            }
            cycles += inner.rate * inner.on_threads * handed_over(self.machine, &both);
        }
        cycles
    }

    /// One start of a loop, which touches `all`, after another: what caches keep of it need not come in.
    fn again(&self, around: &Loop, all: &Touched) -> Estimate {
        let mut sum = self.repeated(around, None, true);
        for (cycles, cache) in sum.caches.iter_mut().zip(&self.machine.caches) {
            *cycles *= 1.0 - kept(self.machine, cache, all, Room::Thread);
        }
        for (cycles, part) in sum.pages.iter_mut().zip(kept_pages(self.machine, all)) {
            *cycles *= 1.0 - part;
        }
        sum
    }

    /// The core's part of one start of an innermost loop.
    fn innermost(
        &self,
        around: &Loop,
        (straight, outer): (&Straight<'_>, Option<Outer<'_>>),
        trips: f64,
        sum: &mut Estimate,
    ) {
        let at = At { around, outer, trips };
        let Iteration { lanes, cycles, alone, peak } = self.iteration(straight, Some(at));
        let cycles = cycles.max(1.0);
        sum.peak += trips * peak;
        if around.is_unrolled && around.constant_trips.is_some() {
            sum.core += trips * cycles / lanes;
            return;
        }
        // Nothing is counted then, and no branch is guessed.
        if self.is_short(around, lanes) {
            sum.core += trips / lanes * cycles;
            return;
        }
        let is_whole = around.constant_trips.is_some_and(|n| n as f64 % lanes == 0.0);
        let at_once = if around.is_rare { ASKED_AT_ONCE as f64 } else { lanes };
        let rest = if is_whole { 0.0 } else { trips.min((at_once - 1.0) / 2.0) };
        let own = (trips - rest) / lanes * cycles + rest * alone.max(1.0);
        let waits = if lanes > 1.0 { straight.between_starts(self.machine, &at) } else { 0.0 };
        sum.core += own.max(waits - INNERMOST_CYCLES);
        sum.loops += INNERMOST_CYCLES;
    }

    /// Whether all that is left of a loop is its body: what is in it is one loop that compilers write out.
    fn is_written_out_in(&self, around: &Loop) -> bool {
        let [Part::Loop(inner)] = around.body.as_slice() else { return false };
        let Some(straight) = Straight::of(&inner.body, inner.is_unrolled) else { return false };
        let at = At { around: inner, outer: None, trips: self.counted.trips[inner.id] };
        self.is_short(inner, self.iteration(&straight, Some(at)).lanes)
    }

    /// Whether compilers write an innermost loop out, so many iterations of which run at once.
    fn is_short(&self, inner: &Loop, lanes: f64) -> bool {
        inner
            .constant_trips
            .is_some_and(|n| n as f64 % lanes == 0.0 && n as f64 <= lanes * MAX_PEELED as f64)
    }

    /// Who has room for what is touched around some parts, outside of all that threads share.
    fn room_around(&self, parts: &[Part]) -> Room {
        if self.machine.cores > 1 && parts.iter().any(starts_threads) {
            return Room::All;
        }
        Room::Core
    }

    /// The lines and pages of a loop: where what an iteration touches is kept, what all touch comes in once.
    fn kept(&self, (inner, room): (&Touched, Room), all: &Touched, sum: &mut Estimate) {
        for (at, cache) in self.machine.caches.iter().enumerate() {
            let part = kept(self.machine, cache, inner, room);
            sum.caches[at] = mixed(part, fill(self.machine, at, all), sum.caches[at]);
        }
        let parts = kept_pages(self.machine, inner);
        for ((cycles, part), once) in sum.pages.iter_mut().zip(parts).zip(translate(all)) {
            *cycles = mixed(part, once, *cycles);
        }
    }

    /// The lines and pages of loops one after another: what one touches is there for the next, where caches keep what all touch.
    fn handed_on(&self, parts: &[Part], sum: &mut Estimate) {
        let all = self.touched(parts, None);
        let mut once = sum.clone();
        self.kept((&all, self.room_around(parts)), &all, &mut once);
        let both = sum.caches.iter_mut().zip(&once.caches);
        both.for_each(|(cycles, once)| *cycles = cycles.min(*once));
        let both = sum.pages.iter_mut().zip(&once.pages);
        both.for_each(|(cycles, once)| *cycles = cycles.min(*once));
    }

    /// What it costs to bring in what is touched once.
    fn brought(&self, touched: &Touched) -> Estimate {
        let levels = 0..self.machine.caches.len();
        let caches = levels.map(|at| fill(self.machine, at, touched)).collect();
        Estimate { caches, pages: translate(touched), ..Estimate::default() }
    }

    /// The cost of an iteration of straight code.
    fn iteration(&self, straight: &Straight<'_>, at: Option<At<'_>>) -> Iteration {
        straight.cost(self.scop, self.machine, self.counted.is_original, at)
    }

    /// What some parts touch, or all iterations of a loop around them.
    fn touched(&self, parts: &[Part], around: Option<&Loop>) -> Touched {
        touched(parts, around, self.counted, self.machine)
    }

    /// Nothing.
    fn none(&self) -> Estimate {
        Estimate::none(self.machine.caches.len())
    }
}

/// Whether iterations of a loop in a part run on several threads.
fn starts_threads(part: &Part) -> bool {
    let Part::Loop(inner) = part else { return false };
    inner.on_threads > 0.0 || inner.body.iter().any(starts_threads)
}

/// A part of the first and the rest of the second.
fn mixed(part: f64, first: f64, second: f64) -> f64 {
    if part == 0.0 { second } else { part * first + (1.0 - part) * second }
}
