//! Exact elimination on integer rows: what the equalities of a relation say, without isl.

use farkas_poly::LinearRow;

/// An affine form over dimensions, parameters and divisions of one relation, flattened; the constant comes last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Row(Vec<i64>);

/// The equalities of a convex relation in echelon form.
pub(crate) struct Equalities {
    rows: Vec<(usize, Row)>,
}

impl Row {
    /// The form of an isl row; columns are divisions, dimensions, parameters, constant.
    pub(crate) fn of(row: &LinearRow) -> Self {
        let columns = row.divs.iter().chain(&row.dims).chain(&row.params);
        Self(columns.copied().chain([row.constant]).collect())
    }

    /// The form `x_plus - x_minus` of two dimensions in the shape of `like`.
    pub(crate) fn difference(shape: Shape, plus: usize, minus: usize) -> Self {
        let mut row = vec![0; shape.divs + shape.dims + shape.params + 1];
        row[shape.divs + plus] += 1;
        row[shape.divs + minus] -= 1;
        Self(row)
    }

    /// The constant, where the form is one.
    pub(crate) fn constant(&self) -> Option<i64> {
        let (constant, rest) = self.0.split_last()?;
        rest.iter().all(|&c| c == 0).then_some(*constant)
    }

    /// `a * self + b * other`; `None` on overflow.
    fn combine(&self, a: i64, other: &Self, b: i64) -> Option<Self> {
        let sum = |(x, y): (&i64, &i64)| a.checked_mul(*x)?.checked_add(b.checked_mul(*y)?);
        self.0.iter().zip(&other.0).map(sum).collect::<Option<Vec<i64>>>().map(Self)
    }
}

/// Numbers of columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Integer divisions.
    pub(crate) divs: usize,
    /// Dimensions, those of the source first.
    pub(crate) dims: usize,
    /// Parameters.
    pub(crate) params: usize,
}

impl Shape {
    /// The shape of `rows`; `None` where there are none.
    pub(crate) fn of(rows: &[LinearRow]) -> Option<Self> {
        let row = rows.first()?;
        Some(Self { divs: row.divs.len(), dims: row.dims.len(), params: row.params.len() })
    }
}

impl Equalities {
    /// The equalities `rows`; those that overflow are left out.
    pub(crate) fn of(rows: &[LinearRow]) -> Self {
        let mut system = Self { rows: Vec::new() };
        for row in rows {
            let Some((row, _)) = system.reduce(&Row::of(row)) else { continue };
            let pivot = row.0[..row.0.len() - 1].iter().position(|&c| c != 0);
            if let Some(pivot) = pivot {
                system.rows.push((pivot, row));
            }
        }
        system
    }

    /// Whether the first `n` columns are functions of the others.
    pub(crate) fn determine_first(&self, n: usize) -> bool {
        self.rows.iter().filter(|(pivot, _)| *pivot < n).count() == n
    }

    /// A positive multiple of `row` modulo the equalities, without their pivots, and the factor; `None` on overflow.
    pub(crate) fn reduce(&self, row: &Row) -> Option<(Row, i64)> {
        let (mut row, mut scale) = (row.clone(), 1_i64);
        for (pivot, equality) in &self.rows {
            let (here, there) = (row.0[*pivot], equality.0[*pivot]);
            if here == 0 {
                continue;
            }
            let (mut a, mut b) = (there, here.checked_neg()?);
            if a < 0 {
                (a, b) = (a.checked_neg()?, b.checked_neg()?);
            }
            let divisor = gcd(a, b);
            (a, b) = (a / divisor, b / divisor);
            row = row.combine(a, equality, b)?;
            scale = scale.checked_mul(a)?;
        }
        Some((row, scale))
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
