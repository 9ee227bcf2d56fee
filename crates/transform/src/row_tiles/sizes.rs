//! The sizes of row tiles, from the bytes that they touch.

use super::footprint::Footprint;
use super::{Context, Form};

/// What an instance costs by itself, in bytes that come from beyond the second level of cache meanwhile.
const INSTANCE_BYTES: f64 = 8.0;

/// What a tile costs by itself, in the same bytes: threads wait for one another after each.
const TILE_BYTES: f64 = 4096.0;

/// Sizes that cost so much more than the best are as good, if they make smaller tiles: these leave more work for threads.
const AS_GOOD: f64 = 1.03;

/// Sizes that are tried.
const SIZES: [i64; 6] = [2, 4, 8, 16, 32, 64];

/// Sizes of pieces of rows that are tried where rows do not stay whole.
const PIECES: [i64; 6] = [256, 512, 1024, 2048, 4096, 8192];

/// Rows that are walked side by side: enough to hide the latency of an instance, few enough that the lines that they are
/// in stay in the first level of cache.
const LANES: i64 = 16;

/// Loops whose sizes are tried independently of one another; deeper ones have the size of the last of these.
const MAX_FREE: usize = 4;

/// The sizes of the tile loops, outermost first: of all members but the row, or of all where there are two only.
///
/// Those are good for which few bytes come into the second level of cache for each instance; among those nearly as good
/// as the best, the ones with the fewest instances.
pub(super) fn choose(footprint: &Footprint, form: Form, context: &Context<'_>) -> Vec<i64> {
    let n_members = footprint.n_members();
    let n_sizes = if n_members == 2 { 2 } else { n_members - 1 };
    match context.sizes {
        Some(sizes) => {
            let last = sizes.last().copied().unwrap_or(1);
            sizes.iter().copied().chain(std::iter::repeat(last)).take(n_sizes).collect()
        }
        None => best(footprint, form, context.machine.cache_bytes(2))
            .unwrap_or_else(|| vec![LANES; n_sizes]),
    }
}

/// The best sizes of all that are tried.
fn best(footprint: &Footprint, form: Form, l2_bytes: u64) -> Option<Vec<i64>> {
    let mut rated: Vec<(f64, Vec<i64>)> = candidates(form, footprint.n_members())
        .into_iter()
        .map(|sizes| (cost(footprint, &sizes, l2_bytes), sizes))
        .collect();
    let least = rated.iter().map(|(cost, _)| *cost).fold(f64::INFINITY, f64::min);
    rated.retain(|(cost, _)| *cost <= least * AS_GOOD);
    let instances = |sizes: &[i64]| sizes.iter().fold(1i64, |all, &size| all.saturating_mul(size));
    let smallest = rated.into_iter().min_by_key(|(_, sizes)| instances(sizes));
    smallest.map(|(_, sizes)| sizes)
}

/// Combinations of sizes, small ones first: all of them for the outermost loops, whatever the depth as many as for
/// [`MAX_FREE`] loops.
fn candidates(form: Form, n_members: usize) -> Vec<Vec<i64>> {
    let with = |all: Vec<Vec<i64>>, sizes: &[i64]| -> Vec<Vec<i64>> {
        all.iter().flat_map(|one| sizes.iter().map(|&s| [one.as_slice(), &[s]].concat())).collect()
    };
    let steps = |n: usize| {
        let mut all = (0..n.min(MAX_FREE)).fold(vec![Vec::new()], |all, _| with(all, &SIZES));
        for sizes in &mut all {
            let last = sizes.last().copied().unwrap_or(1);
            sizes.resize(n, last);
        }
        all
    };
    match form {
        Form::Lanes => with(steps(n_members.saturating_sub(2)), &[LANES]),
        Form::Rows if n_members == 2 => with(steps(1), &PIECES),
        Form::Rows => steps(n_members.saturating_sub(1)),
    }
}

/// The bytes that come into the second level of cache for an instance, and what else it costs.
///
/// A tile brings all that it touches, once, if what it uses again from one step of the outermost loop to the next stays:
/// the footprint of two steps. Else each step brings its own.
fn cost(footprint: &Footprint, sizes: &[i64], l2_bytes: u64) -> f64 {
    let mut sizes: Vec<f64> = sizes.iter().map(|&size| size as f64).collect();
    let is_whole = sizes.len() < footprint.n_members();
    let row = if is_whole { footprint.row_iters() } else { 1.0 };
    let instances = row * sizes.iter().product::<f64>();
    let steps = std::mem::replace(&mut sizes[0], 2.0);
    let kept = footprint.bytes(&sizes);
    sizes[0] = steps;
    let bytes = if kept > l2_bytes as f64 { kept * steps } else { footprint.bytes(&sizes) };
    (bytes + TILE_BYTES) / instances + INSTANCE_BYTES
}

#[cfg(test)]
mod tests {
    use super::super::footprint::tests::skewed;
    use super::*;

    /// What is kept from step to step fits, and larger tiles would bring little.
    #[test]
    fn sizes_follow_the_cache() {
        let rows = |n_arrays, row_iters, l2_bytes| {
            best(&skewed(n_arrays, 2.0, row_iters), Form::Rows, l2_bytes)
        };
        assert_eq!(rows(2, 1300.0, 1 << 20), Some(vec![32, 32]));
        assert_eq!(rows(2, 1300.0, 1 << 18), Some(vec![32, 8]));
        assert_eq!(rows(4, 1300.0, 1 << 20), Some(vec![64, 16]));
    }

    /// Deep nests have no more combinations than others.
    #[test]
    fn combinations_are_few_at_any_depth() {
        for n_members in 2..40 {
            for form in [Form::Rows, Form::Lanes] {
                let all = candidates(form, n_members);
                assert!(
                    !all.is_empty() && all.len() <= 6usize.pow(4),
                    "{n_members}: {}",
                    all.len()
                );
                let n_sizes = if n_members == 2 && form == Form::Rows { 2 } else { n_members - 1 };
                assert!(all.iter().all(|sizes| sizes.len() == n_sizes), "{n_members}");
            }
        }
    }

    #[test]
    fn lanes_are_a_few_rows() {
        let sizes = best(&skewed(1, 1.0, 2000.0), Form::Lanes, 1 << 20);
        assert_eq!(sizes, Some(vec![32, LANES]));
    }
}
