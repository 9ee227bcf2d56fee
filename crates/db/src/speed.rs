//! What a recipe is worth.

use crate::entry::{Entry, Measurement, Samples};
use std::collections::BTreeMap;

/// How many times faster a recipe's code is than the original, on so many threads each.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Speedup {
    /// Threads of the original.
    pub baseline_threads: u32,
    /// Threads of the recipe's code.
    pub recipe_threads: u32,
    /// The median over the measurements of the quotients of their medians.
    pub ratio: f64,
}

impl Entry {
    /// The speed-up for each pair of numbers of threads that was measured, in their order.
    pub fn speedups(&self) -> Vec<Speedup> {
        let mut ratios: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
        for measurement in &self.measurements {
            let threads = (measurement.baseline.threads, measurement.recipe.threads);
            ratios.entry(threads).or_default().push(ratio(measurement));
        }
        let speedup = |((baseline_threads, recipe_threads), ratios)| Speedup {
            baseline_threads,
            recipe_threads,
            ratio: median(ratios),
        };
        ratios.into_iter().map(speedup).collect()
    }

    /// The greatest of [`Entry::speedups`]; none where nothing was measured.
    pub fn best_speedup(&self) -> Option<Speedup> {
        self.speedups().into_iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio))
    }
}

/// The quotient of both medians.
fn ratio(measurement: &Measurement) -> f64 {
    measurement.baseline.median() / measurement.recipe.median()
}

impl Samples {
    /// The median, in nanoseconds.
    #[expect(clippy::cast_precision_loss, reason = "times are no longer than months")]
    pub fn median(&self) -> f64 {
        median(self.ns.iter().map(|&ns| ns as f64).collect())
    }
}

/// The median of numbers; not a number where there are none.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match (numbers.get(middle.wrapping_sub(1)), numbers.get(middle)) {
        (Some(low), Some(high)) if numbers.len().is_multiple_of(2) => f64::midpoint(*low, *high),
        (_, Some(middle)) => *middle,
        _ => f64::NAN,
    }
}
