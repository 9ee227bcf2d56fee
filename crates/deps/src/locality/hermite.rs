//! Hermite normal forms of small integer matrices, exact.

/// A number does not fit the machine's integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Overflow;

/// The Hermite normal form of a matrix by operations on its columns.
///
/// **Formulation.** `H = A Q` with `A` the `m x n` matrix, `Q` unimodular, and `H` lower echelon: in each of its first
/// `rank` columns the first entry that is not zero, the pivot, is positive, stands below the pivots of the columns before
/// it, and entries to its left are not negative and less than it; the other columns are zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Hermite {
    /// `H`, row by row.
    form: Vec<Vec<i64>>,
    /// `Q`, row by row.
    transform: Vec<Vec<i64>>,
    /// The inverse of `Q`, row by row.
    inverse: Vec<Vec<i64>>,
    /// The row of the pivot of each column that has one.
    pivots: Vec<usize>,
}

impl Hermite {
    /// The form of the matrix with these rows of `n` columns.
    pub(crate) fn of(rows: &[Vec<i64>], n: usize) -> Result<Self, Overflow> {
        let mut hermite = Self {
            form: rows.to_vec(),
            transform: identity(n),
            inverse: identity(n),
            pivots: Vec::new(),
        };
        for row in 0..rows.len() {
            hermite.reduce(row, n)?;
        }
        Ok(hermite)
    }

    /// Makes all but one of the columns without a pivot zero in `row`, and that one the next pivot.
    fn reduce(&mut self, row: usize, n: usize) -> Result<(), Overflow> {
        let pivot = self.pivots.len();
        loop {
            let open = (pivot..n).filter(|&column| self.form[row][column] != 0);
            let Some(least) = open.min_by_key(|&column| self.form[row][column].unsigned_abs())
            else {
                return Ok(());
            };
            self.swap(pivot, least);
            if self.form[row][pivot] < 0 {
                self.negate(pivot)?;
            }
            let mut is_last = true;
            for column in pivot + 1..n {
                let factor = self.form[row][column] / self.form[row][pivot];
                self.subtract(column, pivot, factor)?;
                is_last &= self.form[row][column] == 0;
            }
            if is_last {
                break;
            }
        }
        for column in 0..pivot {
            let factor = self.form[row][column].div_euclid(self.form[row][pivot]);
            self.subtract(column, pivot, factor)?;
        }
        self.pivots.push(row);
        Ok(())
    }

    /// Swaps two columns.
    fn swap(&mut self, a: usize, b: usize) {
        self.form.iter_mut().chain(&mut self.transform).for_each(|row| row.swap(a, b));
        self.inverse.swap(a, b);
    }

    /// Negates a column.
    fn negate(&mut self, column: usize) -> Result<(), Overflow> {
        for row in self.form.iter_mut().chain(&mut self.transform) {
            row[column] = row[column].checked_neg().ok_or(Overflow)?;
        }
        for entry in &mut self.inverse[column] {
            *entry = entry.checked_neg().ok_or(Overflow)?;
        }
        Ok(())
    }

    /// Subtracts `factor` times a column from another one.
    fn subtract(&mut self, from: usize, column: usize, factor: i64) -> Result<(), Overflow> {
        if factor == 0 {
            return Ok(());
        }
        for row in self.form.iter_mut().chain(&mut self.transform) {
            row[from] = minus(row[from], factor, row[column])?;
        }
        let negative = factor.checked_neg().ok_or(Overflow)?;
        for i in 0..self.inverse.len() {
            self.inverse[column][i] =
                minus(self.inverse[column][i], negative, self.inverse[from][i])?;
        }
        Ok(())
    }

    /// The rank of the matrix.
    pub(crate) fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// A basis of the integer vectors that the matrix maps to zero.
    pub(crate) fn kernel(&self) -> Vec<Vec<i64>> {
        let n = self.transform.len();
        (self.rank()..n)
            .map(|column| self.transform.iter().map(|row| row[column]).collect())
            .collect()
    }

    /// Rows that complete those of the matrix to a basis of all rows: unit vectors times the inverse of `Q`.
    pub(crate) fn complement(&self) -> &[Vec<i64>] {
        &self.inverse[self.rank()..]
    }

    /// The nonzero columns of the form, each with the row of its pivot.
    pub(crate) fn echelon(&self) -> impl Iterator<Item = (usize, Vec<i64>)> {
        let column = |i: usize| self.form.iter().map(|row| row[i]).collect();
        self.pivots.iter().enumerate().map(move |(i, &pivot)| (pivot, column(i)))
    }

    /// An integer vector that the matrix maps to `image`; `None` where there is none.
    pub(crate) fn solve(&self, image: &[i64]) -> Result<Option<Vec<i64>>, Overflow> {
        let mut rest = image.to_vec();
        let mut solution = vec![0; self.transform.len()];
        for (column, &pivot) in self.pivots.iter().enumerate() {
            let factor = rest[pivot] / self.form[pivot][column];
            for (left, row) in rest.iter_mut().zip(&self.form) {
                *left = minus(*left, factor, row[column])?;
            }
            for (entry, row) in solution.iter_mut().zip(&self.transform) {
                *entry = minus(*entry, factor.checked_neg().ok_or(Overflow)?, row[column])?;
            }
        }
        Ok(rest.iter().all(|&left| left == 0).then_some(solution))
    }
}

/// `a - factor * b`.
fn minus(a: i64, factor: i64, b: i64) -> Result<i64, Overflow> {
    factor.checked_mul(b).and_then(|product| a.checked_sub(product)).ok_or(Overflow)
}

/// The identity matrix.
fn identity(n: usize) -> Vec<Vec<i64>> {
    (0..n).map(|i| (0..n).map(|j| i64::from(i == j)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product of two matrices.
    fn product(a: &[Vec<i64>], b: &[Vec<i64>]) -> Vec<Vec<i64>> {
        let n = b.first().map_or(0, Vec::len);
        let entry = |row: &[i64], j: usize| row.iter().zip(b).map(|(x, other)| x * other[j]).sum();
        a.iter().map(|row| (0..n).map(|j| entry(row, j)).collect()).collect()
    }

    /// Checks what a Hermite normal form of `rows` must satisfy.
    fn check(rows: &[Vec<i64>], n: usize) -> Hermite {
        let hermite = Hermite::of(rows, n).unwrap();
        assert_eq!(product(rows, &hermite.transform), hermite.form, "{rows:?}");
        assert_eq!(product(&hermite.transform, &hermite.inverse), identity(n), "{rows:?}");
        assert!(hermite.pivots.is_sorted_by(|a, b| a < b), "{rows:?}");
        for (column, &pivot) in hermite.pivots.iter().enumerate() {
            let diagonal = hermite.form[pivot][column];
            assert!(diagonal > 0, "{rows:?}");
            assert!(hermite.form[..pivot].iter().all(|row| row[column] == 0), "{rows:?}");
            assert!(
                hermite.form[pivot][..column].iter().all(|c| (0..diagonal).contains(c)),
                "{rows:?}"
            );
        }
        for vector in hermite.kernel() {
            assert!(
                product(rows, &vector.iter().map(|&c| vec![c]).collect::<Vec<_>>())
                    .concat()
                    .iter()
                    .all(|&c| c == 0)
            );
        }
        hermite
    }

    /// All matrices of a shape with small entries.
    fn matrices(m: usize, n: usize) -> impl Iterator<Item = Vec<Vec<i64>>> {
        let entries = [-3, -1, 0, 1, 2];
        (0..entries.len().pow((m * n) as u32)).map(move |mut code| {
            let mut entry = || {
                let value = entries[code % entries.len()];
                code /= entries.len();
                value
            };
            (0..m).map(|_| (0..n).map(|_| entry()).collect()).collect()
        })
    }

    #[test]
    fn forms_of_all_small_matrices() {
        for (m, n) in [(1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (2, 2), (2, 3), (3, 2)] {
            for rows in matrices(m, n) {
                check(&rows, n);
            }
        }
        check(&[], 2);
        check(&[Vec::new()], 0);
    }

    #[test]
    fn images_have_integer_sources_or_none() {
        let hermite = check(&[vec![2, 4], vec![0, 3]], 2);
        assert_eq!(hermite.solve(&[6, 3]), Ok(Some(vec![1, 1])));
        assert_eq!(hermite.solve(&[1, 0]), Ok(None));
        assert_eq!(check(&[vec![1, 1]], 2).solve(&[3]).unwrap().map(|v| v[0] + v[1]), Some(3));
        assert_eq!(Hermite::of(&[], 1).unwrap().solve(&[]), Ok(Some(vec![0])));
    }

    #[test]
    fn what_does_not_fit_is_no_panic() {
        assert_eq!(Hermite::of(&[vec![i64::MIN]], 1), Err(Overflow));
        assert_eq!(check(&[vec![1]], 1).solve(&[i64::MIN]), Err(Overflow));
        let wide = [vec![i64::MAX, i64::MAX - 1], vec![i64::MAX, 2]];
        assert!(Hermite::of(&wide, 2).is_err());
    }
}
