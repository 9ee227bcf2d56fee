//! One linear form over the unknowns, and what is asked of it.

use std::fmt;

farkas_base::define_id!(
    /// An unknown of a [`Problem`](crate::Problem): a non-negative integer. A smaller index is minimised first.
    pub struct VarIdx("x")
);
farkas_base::define_id!(
    /// A row of a [`Problem`](crate::Problem), in the order of adding.
    pub struct RowIdx("r")
);

/// What is asked of a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RowKind {
    /// `a.x + b = 0`.
    Equality,
    /// `a.x + b >= 0`.
    Inequality,
}

/// The sparse linear form `a.x + b` with machine-integer coefficients.
///
/// The terms are sorted by variable, each variable occurs once, no coefficient is zero; every method keeps that. A sum
/// that leaves the range of `i64` makes the row *overflowed*, which [`Solver::add_row`](crate::Solver::add_row)
/// refuses, so that building a row needs no error handling.
///
/// # Example
/// ```
/// use farkas_base::Id;
/// use farkas_solve::{Row, VarIdx};
/// let [u, c, d] = [0, 1, 2].map(VarIdx::from_index);
/// let row = Row::new().with(d, 1).with(u, 2).with(c, -1).with(d, -1).with_constant(-3);
/// assert_eq!(row.to_string(), "2 x0 - x1 - 3");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Row {
    terms: Vec<(VarIdx, i64)>,
    constant: i64,
    overflowed: bool,
}

impl Row {
    /// The form `0`.
    pub fn new() -> Self {
        Self::default()
    }

    /// The form `sum of coefficient * variable + constant`; terms may come in any order and repeat a variable.
    pub fn from_terms(terms: impl IntoIterator<Item = (VarIdx, i64)>, constant: i64) -> Self {
        let mut row = Self { terms: terms.into_iter().collect(), constant, overflowed: false };
        row.sort();
        row
    }

    /// The form `sum of a * b * variable`; terms may come in any order and repeat a variable.
    pub fn from_products(products: impl IntoIterator<Item = (VarIdx, i64, i64)>) -> Self {
        let mut row = Self::default();
        for (var, a, b) in products {
            row.terms.push((var, checked(a.checked_mul(b), &mut row.overflowed)));
        }
        row.sort();
        row
    }

    /// Sorts the terms, sums those of one variable, and drops zeros.
    fn sort(&mut self) {
        if !self.terms.is_sorted_by(|a, b| a.0 < b.0) {
            self.terms.sort_by_key(|t| t.0);
            self.merge_repeated();
        }
        self.terms.retain(|t| t.1 != 0);
    }

    /// Sums the neighbouring terms of one variable.
    fn merge_repeated(&mut self) {
        let overflowed = &mut self.overflowed;
        self.terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = checked(kept.1.checked_add(next.1), overflowed);
            }
            same
        });
    }

    /// Adds `coefficient * var`.
    pub fn add(&mut self, var: VarIdx, coefficient: i64) {
        if coefficient == 0 {
            return;
        }
        match self.terms.binary_search_by_key(&var, |t| t.0) {
            Err(at) => self.terms.insert(at, (var, coefficient)),
            Ok(at) => {
                self.terms[at].1 =
                    checked(self.terms[at].1.checked_add(coefficient), &mut self.overflowed);
                if self.terms[at].1 == 0 {
                    self.terms.remove(at);
                }
            }
        }
    }

    /// Adds `a * b * var`.
    pub fn add_product(&mut self, var: VarIdx, a: i64, b: i64) {
        let coefficient = checked(a.checked_mul(b), &mut self.overflowed);
        self.add(var, coefficient);
    }

    /// Adds `constant`.
    pub fn add_constant(&mut self, constant: i64) {
        self.constant = checked(self.constant.checked_add(constant), &mut self.overflowed);
    }

    /// Adds `factor * other`.
    pub fn add_scaled(&mut self, factor: i64, other: &Row) {
        self.overflowed |= other.overflowed;
        let constant = checked(other.constant.checked_mul(factor), &mut self.overflowed);
        self.add_constant(constant);
        for &(var, coefficient) in &other.terms {
            let coefficient = checked(coefficient.checked_mul(factor), &mut self.overflowed);
            self.add(var, coefficient);
        }
    }

    /// This row and `coefficient * var`.
    #[must_use]
    pub fn with(mut self, var: VarIdx, coefficient: i64) -> Self {
        self.add(var, coefficient);
        self
    }

    /// This row and `constant`.
    #[must_use]
    pub fn with_constant(mut self, constant: i64) -> Self {
        self.add_constant(constant);
        self
    }

    /// The non-zero terms, by variable.
    pub fn terms(&self) -> &[(VarIdx, i64)] {
        &self.terms
    }

    /// The constant `b`.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// The coefficient of `var`, zero where it does not occur.
    pub fn coefficient(&self, var: VarIdx) -> i64 {
        self.terms.binary_search_by_key(&var, |t| t.0).map_or(0, |at| self.terms[at].1)
    }

    /// Whether a sum or product left the range of `i64`, so that the coefficients mean nothing.
    pub fn is_overflowed(&self) -> bool {
        self.overflowed
    }
}

/// The value of a checked operation; notes when there is none.
fn checked(value: Option<i64>, overflowed: &mut bool) -> i64 {
    *overflowed |= value.is_none();
    value.unwrap_or(0)
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_terms(f, self.terms.iter().map(|&(v, c)| (c, v)))?;
        match (self.terms.is_empty(), self.constant) {
            (true, b) => write!(f, "{b}"),
            (false, 0) => Ok(()),
            (false, b) => write!(f, " {} {}", sign(b), b.unsigned_abs()),
        }
    }
}

/// Writes `c1 name1 + c2 name2 - ...`, leaving out coefficients of one.
pub(crate) fn write_terms<T: fmt::Display>(
    f: &mut impl fmt::Write,
    terms: impl Iterator<Item = (i64, T)>,
) -> fmt::Result {
    for (position, (coefficient, name)) in terms.enumerate() {
        match (position, coefficient < 0) {
            (0, false) => {}
            (0, true) => f.write_str("-")?,
            (_, _) => write!(f, " {} ", sign(coefficient))?,
        }
        match coefficient.unsigned_abs() {
            1 => write!(f, "{name}")?,
            size => write!(f, "{size} {name}")?,
        }
    }
    Ok(())
}

/// The sign as an operator.
fn sign(value: i64) -> char {
    if value < 0 { '-' } else { '+' }
}
