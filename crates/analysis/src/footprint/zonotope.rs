//! Integer points of sums of segments.

/// Sums with more segments are counted by the box around them.
const MAX_SEGMENTS: usize = 10;

/// A sum of segments from the origin, of fixed directions and variable lengths: the set of all `sum l_k v_k` with `0 <= l_k
/// <= n_k` over the reals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Zonotope {
    segments: Vec<Vec<i64>>,
    /// The segments of each independent subset, as bits, and the points that it counts for.
    terms: Vec<(u32, u64)>,
}

impl Zonotope {
    /// The sum of segments in these directions, all of one dimension.
    pub(crate) fn new(segments: Vec<Vec<i64>>) -> Self {
        let dims = segments.first().map_or(0, Vec::len);
        let n = segments.len();
        let subsets = if n > MAX_SEGMENTS { 0..0 } else { 0..1_u32 << n };
        let volume_of = |set: u32| {
            let chosen: Vec<&[i64]> =
                (0..n).filter(|k| set >> k & 1 == 1).map(|k| segments[k].as_slice()).collect();
            Some((set, volume(&chosen, dims)?))
        };
        let terms: Option<Vec<(u32, u64)>> =
            subsets.filter(|set| set.count_ones() as usize <= dims).map(volume_of).collect();
        let mut terms = terms.unwrap_or_default();
        terms.retain(|(_, points)| *points > 0);
        Self { segments, terms }
    }

    /// Its integer points, with the segments `lengths` long.
    ///
    /// **Paper** R. P. Stanley, *A zonotope associated with graphical degree sequences*, Applied Geometry and Discrete
    /// Mathematics, 1991, Theorem 2.2.
    ///
    /// **Formulation** the sum, over all linearly independent subsets of the segments, of the product of their lengths
    /// and of the greatest common divisor of the largest minors of their directions.
    pub(crate) fn points(&self, lengths: &[u64]) -> u64 {
        if self.terms.is_empty() {
            return self.points_of_box(lengths);
        }
        let term = |(set, points): &(u32, u64)| {
            let lengths = lengths.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1);
            lengths.fold(*points, |product, (_, length)| product.saturating_mul(*length))
        };
        self.terms.iter().map(term).fold(0, u64::saturating_add)
    }

    /// How many terms are added up.
    pub(crate) fn work(&self) -> u64 {
        self.terms.len() as u64 + 1
    }

    /// The integer points of the box around it.
    fn points_of_box(&self, lengths: &[u64]) -> u64 {
        let dims = self.segments.first().map_or(0, Vec::len);
        let along = |dim: usize| {
            let steps = self.segments.iter().zip(lengths);
            let steps = steps.map(|(v, length)| v[dim].unsigned_abs().saturating_mul(*length));
            steps.fold(1, u64::saturating_add)
        };
        (0..dims).map(along).fold(1, u64::saturating_mul)
    }
}

/// The greatest common divisor of the largest minors of `rows`, zero where they are dependent; `None` where it does not
/// fit.
fn volume(rows: &[&[i64]], dims: usize) -> Option<u64> {
    let mut columns: Vec<usize> = (0..rows.len()).collect();
    let mut gcd: u128 = 0;
    loop {
        let minor: Vec<Vec<i128>> = rows
            .iter()
            .map(|row| columns.iter().map(|&column| i128::from(row[column])).collect())
            .collect();
        gcd = num_gcd(gcd, determinant(minor)?.unsigned_abs());
        // The next choice of columns in lexicographic order.
        let n = columns.len();
        let Some(at) = (0..n).rev().find(|&i| columns[i] + n - i < dims) else { break };
        let next = columns[at] + 1;
        for (k, column) in columns[at..].iter_mut().enumerate() {
            *column = next + k;
        }
    }
    u64::try_from(gcd).ok()
}

/// The greatest common divisor.
fn num_gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The determinant by Bareiss' elimination, whose divisions leave no remainder; `None` on overflow.
fn determinant(mut rows: Vec<Vec<i128>>) -> Option<i128> {
    let n = rows.len();
    let (mut previous, mut sign) = (1, 1);
    for k in 0..n {
        let Some(pivot) = (k..n).find(|&r| rows[r][k] != 0) else { return Some(0) };
        if pivot != k {
            rows.swap(pivot, k);
            sign = -sign;
        }
        let top = rows[k].clone();
        for row in &mut rows[k + 1..] {
            for column in k + 1..n {
                let product = row[column].checked_mul(top[k])?;
                row[column] = product.checked_sub(row[k].checked_mul(top[column])?)? / previous;
            }
        }
        previous = top[k];
    }
    Some(sign * previous)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The points `sum x_k v_k` with integers `0 <= x_k <= n_k`.
    fn sums(segments: &[Vec<i64>], lengths: &[u64]) -> u64 {
        let mut found = BTreeSet::from([vec![0; segments[0].len()]]);
        for (segment, &length) in segments.iter().zip(lengths) {
            let shifted = |point: &Vec<i64>, steps: u64| -> Vec<i64> {
                point.iter().zip(segment).map(|(p, v)| p + v * steps as i64).collect()
            };
            found = found
                .iter()
                .flat_map(|point| (0..=length).map(move |steps| shifted(point, steps)))
                .collect();
        }
        found.len() as u64
    }

    #[test]
    fn points_are_those_of_enumeration_where_the_segments_are_unimodular() {
        for (segments, lengths) in [
            (vec![vec![1, 0], vec![0, 1]], vec![4, 6]),
            (vec![vec![1], vec![1]], vec![4, 6]),
            (vec![vec![1, 1]], vec![5]),
            (vec![vec![1, 0], vec![0, 1], vec![-1, -1]], vec![4, 5, 3]),
            (vec![vec![1, 0, 0], vec![0, 1, 1], vec![0, 0, 1]], vec![2, 3, 4]),
            (vec![vec![0, 0], vec![0, 1]], vec![2, 3]),
        ] {
            let points = Zonotope::new(segments.clone()).points(&lengths);
            assert_eq!(points, sums(&segments, &lengths), "{segments:?}");
        }
    }

    #[test]
    fn points_between_steps_count() {
        // 0, 3, 6 and what lies between them.
        assert_eq!(Zonotope::new(vec![vec![3]]).points(&[2]), 7);
        // The diagonal of step (2, 2) has the points between, too.
        assert_eq!(Zonotope::new(vec![vec![2, 2]]).points(&[3]), 7);
    }

    #[test]
    fn no_segments_are_a_point() {
        assert_eq!(Zonotope::new(vec![]).points(&[]), 1);
        assert_eq!(Zonotope::new(vec![vec![]]).points(&[7]), 1);
    }

    #[test]
    fn many_segments_are_a_box() {
        let segments = [[1, 0], [0, 1]].map(|v| v.to_vec()).into_iter().cycle().take(12).collect();
        assert_eq!(Zonotope::new(segments).points(&[1; 12]), 49);
    }
}
