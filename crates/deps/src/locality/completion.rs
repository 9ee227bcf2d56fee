//! Access completion: subscripts that let different iterations of the loops around a reference touch different lines.

use super::hermite::{Hermite, Overflow};

/// The rows to prepend to `rows`, the linear parts of a reference's subscripts over `n` iterators, so that together they
/// have full column rank. None where the rank is full.
///
/// **Paper.** O. Zinenko, S. Verdoolaege, C. Reddy, J. Shirako, T. Grosser, V. Sarkar, A. Cohen, *Unified polyhedral
/// modeling of temporal and spatial locality*, Inria RR-9110, 2017, section 4.2 (access completion). The paper has as many independent
/// rows as subscripts; here they may depend on one another, and the unit vectors begin after the rank.
///
/// **Formulation.** With the Hermite normal form `H = A Q`, the unit vectors `e_k`, `rank(A) < k <= n`, complete `H` to a
/// basis; `e_k` times the inverse of `Q` complete `A`.
///
/// # Errors
/// [`Overflow`] when a number does not fit.
///
/// # Example
/// `B[k][j]` under loops `i, j, k` has the rows `(0, 0, 1)` and `(0, 1, 0)`; the row `(1, 0, 0)` makes it `B[i][k][j]`.
pub(crate) fn completion(rows: &[Vec<i64>], n: usize) -> Result<Vec<Vec<i64>>, Overflow> {
    Ok(Hermite::of(rows, n)?.complement().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The completion of rows.
    fn complete(rows: &[&[i64]], n: usize) -> Vec<Vec<i64>> {
        let rows: Vec<Vec<i64>> = rows.iter().map(|row| row.to_vec()).collect();
        completion(&rows, n).unwrap()
    }

    #[test]
    fn a_loop_that_a_reference_does_not_depend_on() {
        assert_eq!(complete(&[&[0, 0, 1], &[0, 1, 0]], 3), [[1, 0, 0]]);
        assert_eq!(complete(&[&[1, 0, 0]], 3), [[0, 1, 0], [0, 0, 1]]);
        assert_eq!(complete(&[], 2), [[1, 0], [0, 1]]);
    }

    #[test]
    fn full_rank_needs_nothing() {
        assert!(complete(&[&[1, 0], &[0, 1]], 2).is_empty());
        assert!(complete(&[&[1, 1], &[1, -1], &[1, 0]], 2).is_empty());
        assert!(complete(&[&[]], 0).is_empty());
    }

    #[test]
    fn dependent_subscripts_count_once() {
        assert_eq!(complete(&[&[1, 0], &[1, 0]], 2), [[0, 1]]);
        assert_eq!(complete(&[&[1, 1]], 2), [[0, 1]]);
        assert_eq!(complete(&[&[0, 2]], 2), [[1, 0]]);
    }

    #[test]
    fn completed_rows_have_full_rank() {
        for code in 0..3_i64.pow(6) {
            let entry = |i: u32| code / 3_i64.pow(i) % 3 - 1;
            let rows: Vec<Vec<i64>> =
                vec![(0..3).map(entry).collect(), (3..6).map(entry).collect()];
            let rank = Hermite::of(&rows, 3).unwrap().rank();
            let completion = completion(&rows, 3).unwrap();
            assert_eq!(completion.len(), 3 - rank, "{rows:?}");
            let all = [completion, rows].concat();
            assert_eq!(Hermite::of(&all, 3).unwrap().rank(), 3, "{all:?}");
        }
    }
}
