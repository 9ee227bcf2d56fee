//! The rows as the engine uses them: normalised, packed one after another, never in the tableau unless tight.

use farkas_base::Id;

use crate::number::{Number, Overflow};
use crate::{Row, RowKind, VarIdx};

/// What is left of a row after normalisation.
pub(crate) enum Normalized {
    /// Holds at every non-negative point.
    Trivial,
    /// Holds at no integer point.
    Impossible,
    /// Is kept.
    Kept,
}

/// Packed sparse rows. Row `r` has the terms `starts[r] .. starts[r + 1]`.
#[derive(Clone, Debug)]
pub(crate) struct RowStore<N> {
    starts: Vec<usize>,
    vars: Vec<VarIdx>,
    coefficients: Vec<N>,
    constants: Vec<N>,
}

impl<N: Number> RowStore<N> {
    pub(crate) fn new() -> Self {
        Self { starts: vec![0], vars: Vec::new(), coefficients: Vec::new(), constants: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.constants.len()
    }

    /// Forgets the rows beyond the first `n_rows`.
    pub(crate) fn truncate(&mut self, n_rows: usize) {
        self.starts.truncate(n_rows + 1);
        self.constants.truncate(n_rows);
        let n_terms = self.starts.last().copied().unwrap_or(0);
        self.vars.truncate(n_terms);
        self.coefficients.truncate(n_terms);
    }

    /// The terms of row `row`.
    pub(crate) fn terms(&self, row: usize) -> impl Iterator<Item = (usize, &N)> + Clone {
        let range = self.starts[row]..self.starts[row + 1];
        self.vars[range.clone()].iter().map(|v| v.index()).zip(&self.coefficients[range])
    }

    /// The constant of row `row`.
    pub(crate) fn constant(&self, row: usize) -> &N {
        &self.constants[row]
    }

    /// Appends the row that `terms` and `constant` give.
    pub(crate) fn push(&mut self, terms: impl Iterator<Item = (usize, N)>, constant: N) {
        for (var, coefficient) in terms {
            self.vars.push(VarIdx::from_index(var));
            self.coefficients.push(coefficient);
        }
        self.starts.push(self.vars.len());
        self.constants.push(constant);
    }

    /// Appends `row` divided by the gcd of its coefficients; an inequality's constant is rounded down, which loses no
    /// integer point. Appends nothing when the row holds everywhere or nowhere.
    pub(crate) fn push_normalized(
        &mut self,
        kind: RowKind,
        row: &Row,
    ) -> Result<Normalized, Overflow> {
        let constant = N::from_i64(row.constant());
        if let Some(verdict) = plain_verdict(kind, row) {
            return Ok(verdict);
        }
        let gcd = row.terms().iter().fold(N::zero(), |gcd, t| gcd.gcd(&N::from_i64(t.1)));
        let scaled = constant.div_floor(&gcd);
        if kind == RowKind::Equality && scaled.mul(&gcd)? != constant {
            return Ok(Normalized::Impossible);
        }
        self.push(
            row.terms().iter().map(|t| (t.0.index(), N::from_i64(t.1).div_exact(&gcd))),
            scaled,
        );
        Ok(Normalized::Kept)
    }
}

/// What the signs of the coefficients alone say of a row over non-negative variables.
fn plain_verdict(kind: RowKind, row: &Row) -> Option<Normalized> {
    let constant = row.constant();
    let all_at_least_zero = row.terms().iter().all(|t| t.1 >= 0);
    let all_at_most_zero = row.terms().iter().all(|t| t.1 <= 0);
    match kind {
        RowKind::Inequality if all_at_least_zero && constant >= 0 => Some(Normalized::Trivial),
        RowKind::Equality if row.terms().is_empty() && constant == 0 => Some(Normalized::Trivial),
        RowKind::Inequality | RowKind::Equality if all_at_most_zero && constant < 0 => {
            Some(Normalized::Impossible)
        }
        RowKind::Equality if all_at_least_zero && constant > 0 => Some(Normalized::Impossible),
        RowKind::Inequality | RowKind::Equality => None,
    }
}
