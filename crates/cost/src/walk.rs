//! In which order a nest walks through the rows of an array.

/// How many rows of an array of these extents lie one behind the other where loops walk through them: loops move the subscripts by
/// these steps, the outermost first, and iterate as often. Rows are walked through in whole.
///
/// `for (i) for (k) for (j) a[i][k][j]` goes through all rows of `a[500][64][500]` in one run, `for (k) for (i) for (j) a[i][k][j]`
/// comes to a row elsewhere after each one.
pub(crate) fn rows_in_a_run(moves: &[(&[i64], u64)], extents: &[u64]) -> u64 {
    let Some(mut dim) = extents.len().checked_sub(2) else { return 1 };
    let (mut run, mut covered) = (1_u64, 1_u64);
    for (step, trips) in moves.iter().rev().filter(|(_, trips)| *trips > 1) {
        while covered >= extents[dim] && dim > 0 {
            (run, covered, dim) = (run.saturating_mul(covered), 1, dim - 1);
        }
        let is_along_rows = step[..extents.len() - 1].iter().all(|&s| s == 0);
        if is_along_rows && run == 1 && covered == 1 {
            continue;
        }
        let is_next = step.iter().enumerate().all(|(at, s)| match at == dim {
            true => s.unsigned_abs() == covered,
            false => *s == 0,
        });
        if !is_next {
            break;
        }
        covered = covered.saturating_mul(*trips);
    }
    run.saturating_mul(covered)
}

#[cfg(test)]
mod tests {
    use super::rows_in_a_run;

    #[test]
    fn rows_lie_one_behind_the_other_where_loops_follow_the_layout() {
        let extents = [500, 64, 400];
        let (i, k, j): (&[i64], &[i64], &[i64]) = (&[1, 0, 0], &[0, 1, 0], &[0, 0, 1]);
        assert_eq!(rows_in_a_run(&[(i, 500), (k, 64), (j, 400)], &extents), 500 * 64);
        assert_eq!(rows_in_a_run(&[(k, 64), (i, 500), (j, 400)], &extents), 1);
        // Blocks of 16 channels, which do not lie one behind the other in the next sample.
        let blocks: &[i64] = &[0, 16, 0];
        let blocked = [(blocks, 4), (i, 500), (k, 16), (j, 400)];
        assert_eq!(rows_in_a_run(&blocked, &extents), 16);
        assert_eq!(rows_in_a_run(&[(i, 500), (blocks, 4), (k, 16), (j, 400)], &extents), 500 * 64);
        // A loop through blocks of a row leaves the row.
        let halves: &[i64] = &[0, 0, 200];
        assert_eq!(rows_in_a_run(&[(halves, 2), (k, 64), (j, 200)], &extents), 64);
        assert_eq!(rows_in_a_run(&[(k, 64), (halves, 2), (j, 200)], &extents), 64);
    }

    #[test]
    fn every_second_row_lies_apart() {
        assert_eq!(rows_in_a_run(&[(&[2, 0], 50), (&[0, 1], 30)], &[100, 30]), 1);
        assert_eq!(rows_in_a_run(&[(&[1, 0, 0], 9), (&[0, 0, 1], 30)], &[9, 1, 30]), 9);
        assert_eq!(rows_in_a_run(&[(&[-1, 0], 50), (&[0, -1], 30)], &[50, 30]), 50);
        assert_eq!(rows_in_a_run(&[(&[1], 50)], &[50]), 1);
    }
}
