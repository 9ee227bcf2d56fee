//! Small statistics of timings.

use serde::{Deserialize, Serialize};

/// The spread of a set of timings, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The shortest.
    pub min_s: f64,
    /// The middle one; the mean of the middle two of an even number.
    pub median_s: f64,
    /// The longest.
    pub max_s: f64,
}

/// How many times faster one program is than another, from interleaved rounds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Speedup {
    /// The median of the rounds' ratios.
    pub median: f64,
    /// The least ratio of a round.
    pub low: f64,
    /// The greatest ratio of a round.
    pub high: f64,
}

impl Summary {
    /// The summary of `samples`; `None` for none.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let sorted = sorted(samples);
        Some(Self { min_s: *sorted.first()?, median_s: median(&sorted)?, max_s: *sorted.last()? })
    }

    /// The distance from the shortest to the longest, as a fraction of the median.
    pub fn spread(&self) -> f64 {
        (self.max_s - self.min_s) / self.median_s
    }
}

impl Speedup {
    /// The speed-up of `after` over `before`, timed in the same rounds; `None` for no round.
    pub fn of(before: &[f64], after: &[f64]) -> Option<Self> {
        let ratios: Vec<f64> = before.iter().zip(after).map(|(b, a)| b / a).collect();
        let sorted = sorted(&ratios);
        Some(Self { median: median(&sorted)?, low: *sorted.first()?, high: *sorted.last()? })
    }
}

/// Whether some times are shorter than others beyond the spread: three quarters of them are below three quarters of the others.
pub fn is_faster(times: &[f64], others: &[f64]) -> bool {
    match (quartiles(times), quartiles(others)) {
        (Some((_, slow)), Some((fast, _))) => slow < fast,
        _ => false,
    }
}

/// The lower and the upper quartile, each a value of the list; `None` for none.
fn quartiles(values: &[f64]) -> Option<(f64, f64)> {
    let sorted = sorted(values);
    let last = sorted.len().checked_sub(1)?;
    Some((sorted[last / 4], sorted[last - last / 4]))
}

/// The geometric mean of positive values; `None` for none.
///
/// ```
/// assert_eq!(farkas_run::geometric_mean([2.0, 8.0]), Some(4.0));
/// ```
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        count += 1.0;
    }
    (count > 0.0).then(|| (sum / count).exp())
}

/// The values in ascending order.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The median of ascending values.
fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 { Some(upper) } else { Some(f64::midpoint(sorted[middle - 1], upper)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_and_speedups() {
        let summary = Summary::of(&[3.0, 1.0, 2.0, 4.0]).expect("four samples");
        assert_eq!(summary, Summary { min_s: 1.0, median_s: 2.5, max_s: 4.0 });
        assert!((summary.spread() - 1.2).abs() < 1e-12);
        let speedup = Speedup::of(&[2.0, 9.0, 4.0], &[1.0, 3.0, 4.0]);
        assert_eq!(speedup, Some(Speedup { median: 2.0, low: 1.0, high: 3.0 }));
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(geometric_mean([]), None);
        let times = [1.0, 1.1, 1.2, 1.1, 1.0];
        assert!(is_faster(&[0.8, 0.8, 9.0, 0.8, 0.8], &times));
        assert!(!is_faster(&[0.8, 1.05, 0.9, 1.3, 0.9], &times) && !is_faster(&[], &times));
    }
}
