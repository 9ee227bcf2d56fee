//! Exact linear algebra on the integer rows of small systems: what can be seen without isl.
//!
//! Everything here errs on one side: a row that overflows is left out, which makes the system larger, and a bound that
//! is not found is not claimed.

use farkas_base::gcd;
use farkas_poly::LinearRow;

/// An affine form with integer coefficients; the constant comes last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Row(pub(crate) Vec<i64>);

/// Integer points that satisfy linear equalities and inequalities.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    /// Number of columns; zero until the first row.
    width: usize,
    /// Rows that are zero, one after another, in echelon form.
    equalities: Vec<i64>,
    /// The pivot column of each equality, which no later row mentions.
    pivots: Vec<usize>,
    /// Rows that are not negative, one after another, without pivots, coefficients without a common factor.
    inequalities: Vec<i64>,
    /// Whether contradictory rows were added.
    is_empty: bool,
}

/// How many inequalities a bound may combine.
const MAX_COMBINED: usize = 3;

/// How far from its only bound a column is, so that what it bounds has room.
const FAR: i128 = 1 << 40;

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

    /// The form plus a constant; `None` on overflow.
    pub(crate) fn plus(&self, constant: i64) -> Option<Self> {
        let mut row = self.clone();
        let last = row.0.last_mut()?;
        *last = last.checked_add(constant)?;
        Some(row)
    }

    /// `-self`; `None` on overflow.
    pub(crate) fn negated(&self) -> Option<Self> {
        self.0.iter().map(|c| c.checked_neg()).collect::<Option<Vec<i64>>>().map(Self)
    }
}

impl System {
    /// The points that satisfy the equalities `rows` of isl; columns as of [`Row::of`].
    pub(crate) fn of_equalities(rows: &[LinearRow]) -> Self {
        let mut system = Self::default();
        rows.iter().for_each(|row| system.add_equality(Row::of(row)));
        system
    }

    /// Whether there is obviously no point.
    pub(crate) fn plain_is_empty(&self) -> bool {
        self.is_empty
    }

    /// Adds that `row` is zero.
    pub(crate) fn add_equality(&mut self, row: Row) {
        let mut row = row.0;
        self.width = row.len();
        if self.reduce(&mut row).is_none() {
            return;
        }
        let (content, constant) = (content(&row), row[self.width - 1]);
        let Some(pivot) = lead(&row) else {
            self.is_empty |= constant != 0;
            return;
        };
        if constant % content != 0 {
            self.is_empty = true;
            return;
        }
        row.iter_mut().for_each(|c| *c /= content);
        let inequalities = std::mem::take(&mut self.inequalities);
        for other in inequalities.chunks_exact(self.width) {
            if other[pivot] == 0 {
                self.inequalities.extend_from_slice(other);
            } else {
                let mut other = other.to_vec();
                if eliminate(&mut other, pivot, &row).is_some() {
                    self.insert(other);
                }
            }
        }
        self.equalities.extend(row);
        self.pivots.push(pivot);
    }

    /// Adds that `row` is not negative.
    pub(crate) fn add_inequality(&mut self, row: Row) {
        let mut row = row.0;
        self.width = row.len();
        if self.reduce(&mut row).is_some() {
            self.insert(row);
        }
    }

    /// Adds that `row`, which has no pivots, is not negative.
    fn insert(&mut self, mut row: Vec<i64>) {
        let last = self.width - 1;
        let content = content(&row);
        if content == 0 {
            self.is_empty |= row[last] < 0;
            return;
        }
        if content > 1 {
            row.iter_mut().for_each(|c| *c = c.div_euclid(content));
        }
        for other in self.inequalities.chunks_exact_mut(self.width) {
            let (constant, coefficients) = (row[last], &row[..last]);
            if coefficients == &other[..last] {
                other[last] = other[last].min(constant);
                return;
            }
            let is_opposite =
                coefficients.iter().zip(&other[..last]).all(|(a, b)| a.checked_neg() == Some(*b));
            self.is_empty |= is_opposite && constant.saturating_add(other[last]) < 0;
        }
        self.inequalities.extend(row);
    }

    /// Makes `row` a positive multiple of itself modulo the equalities, without their pivots; the factor, or `None` on
    /// overflow.
    fn reduce(&self, row: &mut [i64]) -> Option<i64> {
        let mut scale = 1_i64;
        let equalities = self.equalities.chunks_exact(self.width.max(1));
        for (pivot, equality) in self.pivots.iter().zip(equalities) {
            if row[*pivot] != 0 {
                scale = scale.checked_mul(eliminate(row, *pivot, equality)?)?;
            }
        }
        Some(scale)
    }

    /// The value of `row`, where the equalities make it a constant.
    pub(crate) fn value(&self, row: &Row) -> Option<i64> {
        let mut row = row.0.clone();
        let scale = self.reduce(&mut row)?;
        let constant = *row.last()?;
        (lead(&row).is_none() && constant % scale == 0).then(|| constant / scale)
    }

    /// The rows that are zero, then those that are not negative.
    pub(crate) fn rows(&self) -> [impl Iterator<Item = &[i64]>; 2] {
        let width = self.width.max(1);
        [&self.equalities, &self.inequalities].map(|rows| rows.chunks_exact(width))
    }

    /// Whether there are points with all that are at most `margin` from them in each column that is no pivot: then the
    /// system has no other equalities. May be false where there are; whether such a point is an integer in pivots is not
    /// asked.
    ///
    /// **Formulation.** From the last column to the first, each takes a value halfway between the bounds that those chosen
    /// before give it, or far from the only one. The point holds where it makes each inequality at least `margin` times
    /// the sum of its coefficients' magnitudes.
    pub(crate) fn has_room(&self, margin: i64) -> bool {
        let inequalities = || self.inequalities.chunks_exact(self.width.max(1));
        let Some(last) = self.width.checked_sub(1).filter(|_| !self.is_empty) else {
            return !self.is_empty;
        };
        let mut point = vec![0; self.width];
        point[last] = 1;
        for column in (0..last).rev() {
            let bounds = inequalities().filter(|row| row[column] != 0 && lead(row) == Some(column));
            point[column] = halfway(bounds, &point, column);
        }
        inequalities().all(|row| {
            let needed = row[..last].iter().map(|c| i128::from(*c).abs()).sum::<i128>();
            value(row, &point) >= needed * i128::from(margin)
        })
    }

    /// Whether the equalities make the first `n` columns functions of the others.
    pub(crate) fn determines_first(&self, n: usize) -> bool {
        self.pivots.iter().filter(|pivot| **pivot < n).count() == n
    }

    /// How many of these columns the equalities make functions of columns after them.
    pub(crate) fn n_determined(&self, columns: std::ops::Range<usize>) -> usize {
        self.pivots.iter().filter(|pivot| columns.contains(pivot)).count()
    }

    /// An integer that `row` does not fall below on any point; `None` where none is found.
    ///
    /// **Formulation.** By Farkas' lemma the row is at least `c` where `row = c + sum of l_k g_k` with inequalities
    /// `g_k >= 0` and factors `l_k >= 0`; sums of at most [`MAX_COMBINED`] of them are tried.
    pub(crate) fn lower_bound(&self, row: &Row) -> Option<i64> {
        let mut rows = vec![Vec::new(); MAX_COMBINED + 1];
        rows[0].extend_from_slice(&row.0);
        let scale = self.reduce(&mut rows[0])?;
        let mut best = None;
        self.bound(&mut rows, scale, &mut best);
        best
    }

    /// Raises `best` to what is found for the first of `rows`, a multiple by `scale` of the form in question less what
    /// was combined; the others are scratch, and their number is how many may still be combined.
    fn bound(&self, rows: &mut [Vec<i64>], scale: i64, best: &mut Option<i64>) {
        let Some((row, rest)) = rows.split_first_mut() else { return };
        let Some(lead) = lead(row) else {
            let constant = row.last().copied().unwrap_or(0);
            let bound = -(-constant).div_euclid(scale);
            *best = Some(best.map_or(bound, |b| b.max(bound)));
            return;
        };
        if rest.is_empty() || best.is_some_and(|b| b > 0) {
            return;
        }
        for inequality in self.inequalities.chunks_exact(self.width.max(1)) {
            if inequality[lead].signum() != row[lead].signum() {
                continue;
            }
            rest[0].clear();
            rest[0].extend_from_slice(row);
            if let Some(factor) = eliminate(&mut rest[0], lead, inequality)
                && let Some(scale) = scale.checked_mul(factor)
            {
                self.bound(rest, scale, best);
            }
        }
    }
}

/// A value of `column` between what `bounds` say of it at `point`, whose own value of it is zero.
fn halfway<'a>(bounds: impl Iterator<Item = &'a [i64]>, point: &[i64], column: usize) -> i64 {
    let (mut least, mut most) = (None::<i128>, None::<i128>);
    for row in bounds {
        let bound = -value(row, point) / i128::from(row[column]);
        if row[column] > 0 {
            least = Some(least.map_or(bound, |other| other.max(bound)));
        } else {
            most = Some(most.map_or(bound, |other| other.min(bound)));
        }
    }
    let halfway = match (least, most) {
        (Some(least), Some(most)) => least.midpoint(most),
        (Some(least), None) => least + FAR,
        // Others may need it above zero.
        (None, Some(most)) if most > 0 => most / 2,
        (None, Some(most)) => most - FAR,
        (None, None) => FAR,
    };
    i64::try_from(halfway).unwrap_or(0)
}

/// The value of a row at a point whose last entry is one.
fn value(row: &[i64], point: &[i64]) -> i128 {
    let products = row.iter().zip(point).map(|(&a, &b)| i128::from(a) * i128::from(b));
    products.fold(0, i128::saturating_add)
}

/// Replaces `row` by `a * row - b * other` without `column`, with positive `a`; `a`, or `None` on overflow.
fn eliminate(row: &mut [i64], column: usize, other: &[i64]) -> Option<i64> {
    let (here, there) = (row[column], other[column]);
    let divisor = gcd(here, there);
    let (mut a, mut b) = (there / divisor, here / divisor);
    if a < 0 {
        (a, b) = (a.checked_neg()?, b.checked_neg()?);
    }
    for (x, y) in row.iter_mut().zip(other) {
        *x = a.checked_mul(*x)?.checked_sub(b.checked_mul(*y)?)?;
    }
    Some(a)
}

/// The first column other than the constant that is not zero.
fn lead(row: &[i64]) -> Option<usize> {
    let (_, rest) = row.split_last()?;
    rest.iter().position(|&c| c != 0)
}

/// The greatest common divisor of the columns other than the constant.
fn content(row: &[i64]) -> i64 {
    let (_, rest) = row.split_last().unwrap_or((&0, &[]));
    rest.iter().fold(0, |divisor, &c| if divisor == 1 { 1 } else { gcd(divisor, c) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The system over `x, y, z` with these rows, constants last.
    fn system(equalities: &[[i64; 4]], inequalities: &[[i64; 4]]) -> System {
        let mut system = System::default();
        equalities.iter().for_each(|row| system.add_equality(Row(row.to_vec())));
        inequalities.iter().for_each(|row| system.add_inequality(Row(row.to_vec())));
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
    fn room_is_seen() {
        // 0 <= x <= y, y <= z.
        let wedge = system(&[], &[[1, 0, 0, 0], [-1, 1, 0, 0], [0, -1, 1, 0]]);
        assert!(wedge.has_room(1000));
        // The same with z = y - 3, which fixes nothing else.
        assert!(system(&[[0, 1, -1, -3]], &[[1, 0, 0, 0], [-1, 1, 0, 0]]).has_room(1000));
        // 0 <= x <= 1, and 0 <= x <= 10.
        assert!(!system(&[], &[[1, 0, 0, 0], [-1, 0, 0, 1]]).has_room(1));
        assert!(system(&[], &[[1, 0, 0, 0], [-1, 0, 0, 10]]).has_room(1));
        // x = y by two rows, and nothing at all.
        assert!(!system(&[], &[[1, -1, 0, 0], [-1, 1, 0, 0]]).has_room(1));
        assert!(!system(&[], &[[1, -1, 0, 0], [-1, 1, 0, -1]]).has_room(1));
    }

    #[test]
    fn determined_columns() {
        let points = system(&[[1, 0, -1, 2], [1, 1, 0, 0]], &[]);
        assert!(points.determines_first(2));
        assert!(!points.determines_first(3));
        assert!(!system(&[[1, 1, 0, 0]], &[]).determines_first(2));
    }
}
