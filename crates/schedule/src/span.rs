//! Linear spans of integer vectors: ranks and orthogonal complements.

/// The rational span of integer vectors of one length, in reduced echelon form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    n_dims: usize,
    /// Primitive rows; each is the only one that is not zero in its pivot column, where it is positive.
    rows: Vec<(usize, Vec<i128>)>,
}

impl Span {
    /// The span of no vector of length `n_dims`.
    pub fn new(n_dims: usize) -> Self {
        Self { n_dims, rows: Vec::new() }
    }

    /// Length of the vectors.
    pub fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Its dimension.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// Whether it is the whole space.
    pub fn is_full(&self) -> bool {
        self.rank() == self.n_dims
    }

    /// The columns of the pivots: all vectors of the span are known from their entries there.
    pub(crate) fn pivots(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().map(|(pivot, _)| *pivot)
    }

    /// Whether it holds `vector`.
    pub fn contains(&self, vector: &[i64]) -> bool {
        self.reduce(vector).iter().all(|&c| c == 0)
    }

    /// Adds `vector`; says whether the span grew.
    pub fn insert(&mut self, vector: &[i64]) -> bool {
        let mut new = self.reduce(vector);
        let Some(pivot) = new.iter().position(|&c| c != 0) else { return false };
        make_primitive(&mut new);
        for (_, row) in &mut self.rows {
            if row[pivot] != 0 {
                eliminate(row, pivot, &new);
            }
        }
        self.rows.push((pivot, new));
        true
    }

    /// The vectors of the span followed by those of `other`.
    pub(crate) fn direct_sum(&self, other: &Self) -> Self {
        let n_dims = self.n_dims + other.n_dims;
        let padded = |n_before: usize, row: &[i128]| {
            let mut all = vec![0; n_before];
            all.extend_from_slice(row);
            all.resize(n_dims, 0);
            all
        };
        let own = self.rows.iter().map(|(pivot, row)| (*pivot, padded(0, row)));
        let n = self.n_dims;
        let others = other.rows.iter().map(|(pivot, row)| (n + pivot, padded(n, row)));
        Self { n_dims, rows: own.chain(others).collect() }
    }

    /// A basis of the vectors that are orthogonal to the span: primitive integer vectors whose first entry that is not
    /// zero is positive, in the order of the columns that have no pivot.
    pub fn complement(&self) -> Vec<Vec<i64>> {
        let free = (0..self.n_dims).filter(|c| self.rows.iter().all(|(pivot, _)| pivot != c));
        free.filter_map(|column| self.orthogonal(column)).collect()
    }

    /// The vector of the complement with weight in the free `column` and the pivot columns alone.
    fn orthogonal(&self, column: usize) -> Option<Vec<i64>> {
        let multiple = self.rows.iter().filter(|(_, row)| row[column] != 0).try_fold(
            1_i128,
            |multiple, (pivot, row)| {
                (multiple / gcd(multiple, row[*pivot])).checked_mul(row[*pivot])
            },
        )?;
        let mut vector = vec![0; self.n_dims];
        vector[column] = multiple;
        for (pivot, row) in &self.rows {
            vector[*pivot] = -(multiple / row[*pivot]).checked_mul(row[column])?;
        }
        make_primitive(&mut vector);
        vector.into_iter().map(|c| i64::try_from(c).ok()).collect()
    }

    /// What is left of `vector` without its components in the pivot columns, up to a factor.
    fn reduce(&self, vector: &[i64]) -> Vec<i128> {
        let mut rest: Vec<i128> = vector.iter().map(|&c| i128::from(c)).collect();
        for (pivot, row) in &self.rows {
            if rest[*pivot] != 0 {
                eliminate(&mut rest, *pivot, row);
            }
        }
        rest
    }
}

/// Makes `row` zero in column `pivot` by a combination with `by`, which is positive there.
fn eliminate(row: &mut [i128], pivot: usize, by: &[i128]) {
    let divisor = gcd(row[pivot], by[pivot]);
    let (keep, take) = (by[pivot] / divisor, row[pivot] / divisor);
    for (entry, other) in row.iter_mut().zip(by) {
        *entry = *entry * keep - other * take;
    }
    divide_by_gcd(row);
}

/// Divides by the greatest common divisor and makes the first entry that is not zero positive.
fn make_primitive(row: &mut [i128]) {
    divide_by_gcd(row);
    if row.iter().find(|&&c| c != 0).is_some_and(|&c| c < 0) {
        row.iter_mut().for_each(|entry| *entry = -*entry);
    }
}

/// Divides by the greatest common divisor.
fn divide_by_gcd(row: &mut [i128]) {
    let divisor = row.iter().fold(0, |divisor, &entry| gcd(divisor, entry));
    if divisor > 1 {
        row.iter_mut().for_each(|entry| *entry /= divisor);
    }
}

/// The greatest common divisor, not negative.
fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::Span;

    fn span(rows: &[&[i64]]) -> Span {
        let mut span = Span::new(rows[0].len());
        for row in rows {
            span.insert(row);
        }
        span
    }

    #[test]
    fn ranks_and_membership() {
        let span = span(&[&[1, 1, 0], &[2, 2, 0], &[1, 0, 1]]);
        assert_eq!(span.rank(), 2);
        assert!(span.contains(&[0, 1, -1]));
        assert!(!span.contains(&[0, 0, 1]));
        assert!(!span.is_full());
    }

    #[test]
    fn direct_sums_have_both() {
        let mut sum = span(&[&[1, 1]]).direct_sum(&span(&[&[0, 2, 1]]));
        assert_eq!((sum.n_dims(), sum.rank()), (5, 2));
        assert!(sum.contains(&[3, 3, 0, 4, 2]) && !sum.contains(&[1, 0, 0, 2, 1]));
        assert!(sum.insert(&[1, 0, 0, 2, 1]) && !sum.insert(&[0, 1, 0, 0, 0]));
    }

    #[test]
    fn complements_are_orthogonal_and_primitive() {
        assert_eq!(Span::new(2).complement(), [[1, 0], [0, 1]]);
        assert_eq!(span(&[&[1, 1]]).complement(), [[1, -1]]);
        assert_eq!(span(&[&[1, 0, 0], &[1, 1, 0]]).complement(), [[0, 0, 1]]);
        assert_eq!(span(&[&[2, 3, 5]]).complement(), [[3, -2, 0], [5, 0, -2]]);
        assert!(span(&[&[1, 2], &[0, 1]]).complement().is_empty());
    }
}
