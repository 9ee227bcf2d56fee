//! Loops whose iterations wait for one another, but whose starts do not: a core begins with the next start while the chain of this
//! one is still under way.

use crate::counted::{Leaf, Loop, Moves, Part};

/// What stands around an innermost loop.
#[derive(Clone, Copy)]
pub(crate) struct Outer<'a> {
    /// The loop around it.
    pub(crate) around: &'a Loop,
    /// What runs before it in each of that loop's iterations.
    pub(crate) before: &'a [Part],
}

impl Outer<'_> {
    /// Whether each iteration of the loop around sets the place that `read` reads anew, before the loop inside starts.
    pub(crate) fn sets(&self, read: &Moves) -> bool {
        self.before.iter().any(|part| match part {
            Part::Leaf(leaf) => leaf.rate >= 1.0 && sets(leaf, read),
            Part::Loop(_) => false,
        })
    }
}

/// Whether a statement writes the place that `read` reads, and reads nothing of that array.
fn sets(leaf: &Leaf, read: &Moves) -> bool {
    let own = || leaf.references.iter().filter(|r| r.array == read.array);
    own().all(|r| r.is_write) && own().any(|w| w.steps == read.steps && w.at == read.at)
}

impl Moves {
    /// Whether it is in a later start of the loop `inner`, which stands in `outer`, where `write` is in this one, as far as is known.
    pub(crate) fn meets(&self, write: &Self, inner: usize, outer: usize) -> bool {
        if self.array != write.array {
            return false;
        }
        let (Some(steps), Some(others)) = (&self.steps, &write.steps) else { return true };
        if steps != others {
            return true;
        }
        let gap: Vec<i64> =
            write.at.iter().zip(&self.at).map(|(w, r)| w.wrapping_sub(*r)).collect();
        let still = vec![0; gap.len()];
        let along = |id| steps.iter().find(|(at, _)| *at == id).map_or(&still, |(_, step)| step);
        is_later(&gap, along(outer), along(inner))
    }
}

/// Whether `gap` is at least one step of the outer loop and any number of steps of the inner one; true where these are
/// the same way.
fn is_later(gap: &[i64], outer: &[i64], inner: &[i64]) -> bool {
    let det = |a: &[i64], b: &[i64], (d, e): (usize, usize)| {
        i128::from(a[d]) * i128::from(b[e]) - i128::from(a[e]) * i128::from(b[d])
    };
    let n = gap.len();
    let pairs = (0..n).flat_map(|d| (d + 1..n).map(move |e| (d, e)));
    let is_zero = |step: &[i64]| step.iter().all(|&s| s == 0);
    // The gap is off the plane of both steps, or the line of the one that is none.
    let is_along = |step: &[i64]| pairs.clone().all(|pair| det(gap, step, pair) == 0);
    match pairs.clone().find(|pair| det(outer, inner, *pair) != 0) {
        Some(pair) => {
            let all = det(outer, inner, pair);
            let (a, b) = (det(gap, inner, pair), det(outer, gap, pair));
            let is_there =
                gap.iter().zip(outer).zip(inner).all(|((&g, &o), &i)| {
                    a * i128::from(o) + b * i128::from(i) == all * i128::from(g)
                });
            is_there && a % all == 0 && b % all == 0 && a / all > 0
        }
        None if is_zero(outer) => {
            is_zero(inner) && is_zero(gap) || !is_zero(inner) && is_along(inner)
        }
        None if is_zero(inner) => {
            let forward = gap.iter().zip(outer).any(|(g, o)| g.signum() * o.signum() > 0);
            !is_zero(gap) && forward && is_along(outer)
        }
        None => true,
    }
}

/// The part that shows of a chain of results, one for each of `trips` iterations, where the next start of the loop waits for
/// none of them, and a core has as many iterations at once `in_flight`: it takes in new ones as the oldest are done, in their
/// order. So an iteration of the next start begins when the one that stands `in_flight` before it is done; where these are
/// `m` starts and `r` iterations, a start takes the longer of `(trips - r) / (m + 1)` and `trips / (m + 2)` results.
pub(crate) fn apart(trips: f64, in_flight: f64) -> f64 {
    let trips = trips.max(1.0);
    let starts = (in_flight / trips).floor();
    let rest = in_flight - starts * trips;
    let shown = ((trips - rest) / (starts + 1.0)).max(trips / (starts + 2.0));
    shown / trips
}

#[cfg(test)]
mod tests {
    use super::{apart, is_later};

    #[test]
    fn later_starts_are_known_from_steps() {
        // x[i] += ...: each start has its own element; x[0] += ...: all have the same.
        assert!(!is_later(&[0], &[1], &[0]));
        assert!(is_later(&[], &[], &[]));
        assert!(is_later(&[0], &[0], &[0]));
        // a[i][j] from a[i][j - 1], and from a[i - 1][j + 1].
        assert!(!is_later(&[0, 1], &[1, 0], &[0, 1]));
        assert!(is_later(&[1, -1], &[1, 0], &[0, 1]));
        // The same in loops that are skewed: a[i][s - i].
        assert!(!is_later(&[0, 1], &[1, -1], &[0, 1]));
        assert!(is_later(&[1, 0], &[1, -1], &[0, 1]));
        // a[i] from a[i - 2], one at a time and every second one alone.
        assert!(is_later(&[2], &[1], &[0]));
        assert!(!is_later(&[0, 2], &[1, 0], &[0, 4]));
        // x[i + j] from x[i + j - 1].
        assert!(is_later(&[1], &[1], &[1]));
    }

    /// Cycles an iteration on a core that takes in iterations of starts one after another, `in_flight` at once at most, and
    /// lets them go in their order.
    fn simulated(trips: usize, in_flight: usize) -> f64 {
        const N_STARTS: usize = 400;
        let (mut result, mut gone): (f64, Vec<f64>) = (0.0, Vec::new());
        for at in 0..N_STARTS * trips {
            let taken_in = at.checked_sub(in_flight).map_or(0.0, |before| gone[before]);
            let needed = if at % trips == 0 { 0.0 } else { result };
            result = taken_in.max(needed) + 1.0;
            gone.push(result.max(gone.last().copied().unwrap_or(0.0)));
        }
        let half = N_STARTS / 2;
        let last = |start: usize| gone[start * trips - 1];
        (last(N_STARTS) - last(half)) / (half * trips) as f64
    }

    #[test]
    fn starts_overlap_as_far_as_iterations_are_in_flight() {
        for (trips, in_flight) in [(512, 48), (100, 48), (60, 48), (48, 48), (30, 48), (16, 48)] {
            let (own, found) = (apart(trips as f64, in_flight as f64), simulated(trips, in_flight));
            assert!((own - found).abs() < 0.05, "{trips} {in_flight}: {own} {found}");
        }
    }
}
