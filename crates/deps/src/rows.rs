//! Exact linear algebra on the integer rows of small systems: what can be seen without isl.
//!
//! Everything here errs on one side: a row that overflows is left out, which makes the system larger, and a bound that
//! is not found is not claimed.

use farkas_poly::LinearRow;

/// An affine form with integer coefficients; the constant comes last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Row(pub(crate) Vec<i64>);

/// Integer points that satisfy linear equalities and inequalities.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    /// Rows that are zero, in echelon form: each with its pivot column, which no later row mentions.
    equalities: Vec<(usize, Row)>,
    /// Rows that are not negative, without pivots.
    inequalities: Vec<Row>,
    /// Whether contradictory rows were added.
    is_empty: bool,
}

/// How many inequalities a bound may combine.
const MAX_COMBINED: u32 = 3;

impl Row {
    /// The form of an isl row; columns are divisions, dimensions, parameters, constant.
    pub(crate) fn of(row: &LinearRow) -> Self {
        let columns = row.divs.iter().chain(&row.dims).chain(&row.params);
        Self(columns.copied().chain([row.constant]).collect())
    }

    /// The form with these few nonzero columns among `n`.
    pub(crate) fn sparse(n: usize, columns: &[(usize, i64)]) -> Self {
        let mut row = vec![0; n];
        columns.iter().for_each(|&(column, value)| row[column] += value);
        Self(row)
    }

    /// The constant, where the form is one.
    pub(crate) fn constant(&self) -> Option<i64> {
        let (constant, rest) = self.0.split_last()?;
        rest.iter().all(|&c| c == 0).then_some(*constant)
    }

    /// The first column other than the constant that is not zero.
    fn lead(&self) -> Option<usize> {
        let (_, rest) = self.0.split_last()?;
        rest.iter().position(|&c| c != 0)
    }

    /// The form plus a constant; `None` on overflow.
    pub(crate) fn plus(&self, constant: i64) -> Option<Self> {
        let mut row = self.clone();
        let last = row.0.last_mut()?;
        *last = last.checked_add(constant)?;
        Some(row)
    }

    /// `self - other`; `None` on overflow.
    pub(crate) fn minus(&self, other: &Self) -> Option<Self> {
        self.combine(1, other, -1)
    }

    /// `a * self + b * other`; `None` on overflow.
    pub(crate) fn combine(&self, a: i64, other: &Self, b: i64) -> Option<Self> {
        let sum = |(x, y): (&i64, &i64)| a.checked_mul(*x)?.checked_add(b.checked_mul(*y)?);
        self.0.iter().zip(&other.0).map(sum).collect::<Option<Vec<i64>>>().map(Self)
    }

    /// `self` without `column`, as `a * self - b * other` with positive `a`, and `a`; `None` on overflow.
    fn eliminate(&self, column: usize, other: &Self) -> Option<(Self, i64)> {
        let (here, there) = (self.0[column], other.0[column]);
        let divisor = gcd(here, there);
        let (mut a, mut b) = (there / divisor, here / divisor);
        if a < 0 {
            (a, b) = (a.checked_neg()?, b.checked_neg()?);
        }
        Some((self.combine(a, other, b.checked_neg()?)?, a))
    }

    /// The greatest common divisor of the columns other than the constant.
    fn content(&self) -> i64 {
        let (_, rest) = self.0.split_last().unwrap_or((&0, &[]));
        rest.iter().fold(0, |divisor, &c| gcd(divisor, c))
    }
}

impl System {
    /// The points that satisfy the equalities `rows` of isl; columns as of [`Row::of`].
    pub(crate) fn of_equalities(rows: &[LinearRow]) -> Self {
        let mut system = Self::default();
        rows.iter().for_each(|row| system.add_equality(&Row::of(row)));
        system
    }

    /// Whether there is obviously no point.
    pub(crate) fn plain_is_empty(&self) -> bool {
        self.is_empty
    }

    /// Adds that `row` is zero.
    pub(crate) fn add_equality(&mut self, row: &Row) {
        let Some((mut row, _)) = self.reduce(row) else { return };
        let content = row.content();
        let constant = row.0.last().copied().unwrap_or(0);
        let Some(pivot) = row.lead() else {
            self.is_empty |= constant != 0;
            return;
        };
        if constant % content != 0 {
            self.is_empty = true;
            return;
        }
        row.0.iter_mut().for_each(|c| *c /= content);
        let inequalities = std::mem::take(&mut self.inequalities);
        self.equalities.push((pivot, row));
        inequalities.iter().for_each(|row| self.add_inequality(row));
    }

    /// Adds that `row` is not negative.
    pub(crate) fn add_inequality(&mut self, row: &Row) {
        let Some((mut row, _)) = self.reduce(row) else { return };
        let content = row.content();
        let Some(constant) = row.0.pop() else { return };
        if content == 0 {
            self.is_empty |= constant < 0;
            return;
        }
        row.0.iter_mut().for_each(|c| *c /= content);
        row.0.push(constant.div_euclid(content));
        self.is_empty |= self.inequalities.iter().any(|other| {
            row.combine(1, other, 1).and_then(|sum| sum.constant()).is_some_and(|c| c < 0)
        });
        self.inequalities.push(row);
    }

    /// A positive multiple of `row` modulo the equalities, without their pivots, and the factor; `None` on overflow.
    pub(crate) fn reduce(&self, row: &Row) -> Option<(Row, i64)> {
        let (mut row, mut scale) = (row.clone(), 1_i64);
        for (pivot, equality) in &self.equalities {
            if row.0[*pivot] != 0 {
                let (reduced, factor) = row.eliminate(*pivot, equality)?;
                row = reduced;
                scale = scale.checked_mul(factor)?;
            }
        }
        Some((row, scale))
    }

    /// The value of `row`, where the equalities make it a constant.
    pub(crate) fn value(&self, row: &Row) -> Option<i64> {
        let (row, scale) = self.reduce(row)?;
        let constant = row.constant()?;
        (constant % scale == 0).then(|| constant / scale)
    }

    /// Whether the equalities make the first `n` columns functions of the others.
    pub(crate) fn determines_first(&self, n: usize) -> bool {
        self.equalities.iter().filter(|(pivot, _)| *pivot < n).count() == n
    }

    /// An integer that `row` does not fall below on any point; `None` where none is found.
    ///
    /// **Formulation.** By Farkas' lemma the row is at least `c` where `row = c + sum of l_k g_k` with inequalities
    /// `g_k >= 0` and factors `l_k >= 0`; sums of at most [`MAX_COMBINED`] of them are tried.
    pub(crate) fn lower_bound(&self, row: &Row) -> Option<i64> {
        let (row, scale) = self.reduce(row)?;
        let mut best = None;
        self.bound(&row, scale, MAX_COMBINED, &mut best);
        best
    }

    /// Raises `best` to what is found for `row`, a multiple by `scale` of the form in question less what was combined.
    fn bound(&self, row: &Row, scale: i64, left: u32, best: &mut Option<i64>) {
        let Some(lead) = row.lead() else {
            let constant = row.0.last().copied().unwrap_or(0);
            let bound = -(-constant).div_euclid(scale);
            *best = Some(best.map_or(bound, |b| b.max(bound)));
            return;
        };
        if left == 0 || best.is_some_and(|b| b > 0) {
            return;
        }
        for inequality in &self.inequalities {
            if inequality.0[lead].signum() == row.0[lead].signum()
                && let Some((rest, factor)) = row.eliminate(lead, inequality)
                && let Some(scale) = scale.checked_mul(factor)
            {
                self.bound(&rest, scale, left - 1, best);
            }
        }
    }
}

/// The greatest common divisor, not negative.
fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a.wrapping_rem(b));
    }
    a.saturating_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The system over `x, y, z` with these rows, constants last.
    fn system(equalities: &[[i64; 4]], inequalities: &[[i64; 4]]) -> System {
        let mut system = System::default();
        equalities.iter().for_each(|row| system.add_equality(&Row(row.to_vec())));
        inequalities.iter().for_each(|row| system.add_inequality(&Row(row.to_vec())));
        system
    }

    #[test]
    fn values_and_bounds() {
        let points = system(&[[1, -1, 0, 2]], &[[0, 1, 0, 0], [0, -1, 1, -1]]);
        let row = |row: [i64; 4]| Row(row.to_vec());
        assert_eq!(points.value(&row([-1, 1, 0, 0])), Some(2));
        assert_eq!(points.value(&row([0, 1, 0, 0])), None);
        assert_eq!(points.lower_bound(&row([1, 0, 0, 0])), Some(-2));
        assert_eq!(points.lower_bound(&row([0, 0, 1, 0])), Some(1));
        assert_eq!(points.lower_bound(&row([0, -1, 2, 0])), Some(2));
        assert_eq!(points.lower_bound(&row([0, 0, -1, 0])), None);
    }

    #[test]
    fn bounds_are_rounded_to_integers() {
        let points = system(&[], &[[2, 0, 0, -3]]);
        assert_eq!(points.lower_bound(&Row(vec![1, 0, 0, 0])), Some(2));
    }

    #[test]
    fn contradictions_are_seen() {
        assert!(system(&[[2, 0, 0, 1]], &[]).plain_is_empty());
        assert!(system(&[[1, 0, 0, 1]], &[[1, 0, 0, 0]]).plain_is_empty());
        assert!(system(&[], &[[1, -1, 0, 0], [-1, 1, 0, -1]]).plain_is_empty());
        assert!(!system(&[], &[[1, -1, 0, 0], [-1, 1, 0, 1]]).plain_is_empty());
    }

    #[test]
    fn determined_columns() {
        let points = system(&[[1, 0, -1, 2], [1, 1, 0, 0]], &[]);
        assert!(points.determines_first(2));
        assert!(!points.determines_first(3));
        assert!(!system(&[[1, 1, 0, 0]], &[]).determines_first(2));
    }
}
