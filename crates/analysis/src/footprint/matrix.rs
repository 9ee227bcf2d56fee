//! Matrices of integers: independent rows, inverses.

use crate::stride::eliminate;

/// The positions of rows that together determine a point, as far as they do: each is independent of those before.
pub(crate) fn independent(rows: &[&[i64]]) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    for at in 0..rows.len() {
        let with: Vec<&[i64]> = chosen.iter().chain([&at]).map(|&k| rows[k]).collect();
        if rank(&with) == with.len() {
            chosen.push(at);
        }
    }
    chosen
}

/// The rank of some rows; what overflows counts as dependent.
fn rank(rows: &[&[i64]]) -> usize {
    let mut rows: Vec<Vec<i128>> =
        rows.iter().map(|row| row.iter().map(|&c| i128::from(c)).collect()).collect();
    let mut rank = 0;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let Some(at) = (rank..rows.len()).find(|&r| rows[r][column] != 0) else { continue };
        rows.swap(rank, at);
        if eliminate(&mut rows, rank, column).is_none() {
            return rank;
        }
        rank += 1;
    }
    rank
}

/// The inverse of a square matrix of full rank: numerators, and the denominator of each row.
pub(crate) fn inverse(rows: &[&[i64]]) -> Option<Vec<(Vec<i64>, i64)>> {
    let n = rows.len();
    let mut wide: Vec<Vec<i128>> = rows
        .iter()
        .enumerate()
        .map(|(k, row)| {
            let unit = (0..n).map(|i| i128::from(i == k));
            row.iter().map(|&c| i128::from(c)).chain(unit).collect()
        })
        .collect();
    for column in 0..n {
        let at = (column..n).find(|&r| wide[r][column] != 0)?;
        wide.swap(column, at);
        eliminate(&mut wide, column, column)?;
    }
    let narrow = |value: i128| i64::try_from(value).ok();
    let row = |i: usize| {
        let sign = wide[i][i].signum();
        let numerators: Option<Vec<i64>> = wide[i][n..].iter().map(|&c| narrow(c * sign)).collect();
        Some((numerators?, narrow(wide[i][i] * sign)?))
    };
    (0..n).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_others_determine_are_left_out() {
        let rows: [&[i64]; 4] = [&[1, 0], &[2, 0], &[0, 0], &[1, 1]];
        assert_eq!(independent(&rows), [0, 3]);
    }

    #[test]
    fn the_inverse_of_a_skewed_nest() {
        // t and 2 t + i over (t, i).
        let found = inverse(&[&[1, 0], &[2, 1]]);
        assert_eq!(found, Some(vec![(vec![1, 0], 1), (vec![-2, 1], 1)]));
        assert_eq!(inverse(&[&[-2]]), Some(vec![(vec![-1], 2)]));
        assert_eq!(inverse(&[&[1, 1], &[2, 2]]), None);
    }
}
