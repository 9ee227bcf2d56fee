//! The system as a plain value: printed, checked at a point, handed to any back end.

use std::fmt;

use farkas_base::{Id, IdVec};
use num_bigint::BigInt;

use crate::row::write_terms;
use crate::{Row, RowIdx, RowKind, SolveError, VarIdx};

/// A system of rows over `n_vars` unknown non-negative integers.
///
/// `Display` prints it as LP text with the variables named `x0`, `x1`, ...; [`Problem::to_lp`] with given names.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Problem {
    /// How many unknowns there are.
    n_vars: usize,
    /// The rows, each over the unknowns that exist.
    rows: Vec<(RowKind, Row)>,
}

impl Problem {
    /// The system without rows over `n_vars` unknowns.
    pub fn new(n_vars: usize) -> Self {
        Self { n_vars, rows: Vec::new() }
    }

    /// How many unknowns there are.
    pub fn n_vars(&self) -> usize {
        self.n_vars
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// The unknowns, first in priority first.
    pub fn vars(&self) -> impl ExactSizeIterator<Item = VarIdx> + use<> {
        (0..self.n_vars).map(VarIdx::from_index)
    }

    /// The rows in the order of adding.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (RowIdx, RowKind, &Row)> {
        self.rows.iter().enumerate().map(|(i, (kind, row))| (RowIdx::from_index(i), *kind, row))
    }

    /// One more unknown, last in priority.
    pub fn add_var(&mut self) -> VarIdx {
        self.n_vars += 1;
        VarIdx::from_index(self.n_vars - 1)
    }

    /// One more row.
    ///
    /// # Errors
    /// [`SolveError::UnknownVar`], [`SolveError::CoefficientOverflow`].
    pub fn add_row(&mut self, kind: RowKind, row: Row) -> Result<RowIdx, SolveError> {
        if row.is_overflowed() {
            return Err(SolveError::CoefficientOverflow);
        }
        if let Some(&(var, _)) = row.terms().last().filter(|t| t.0.index() >= self.n_vars) {
            return Err(SolveError::UnknownVar { var, n_vars: self.n_vars });
        }
        self.rows.push((kind, row));
        Ok(RowIdx::from_index(self.rows.len() - 1))
    }

    /// Forgets the variables and rows beyond the first `n_vars` and `n_rows`.
    pub(crate) fn truncate(&mut self, n_vars: usize, n_rows: usize) {
        self.n_vars = self.n_vars.min(n_vars);
        self.rows.truncate(n_rows);
    }

    /// The rows from position `from` on.
    pub(crate) fn rows_from(&self, from: usize) -> impl Iterator<Item = (RowKind, &Row)> {
        self.rows.iter().skip(from).map(|(kind, row)| (*kind, row))
    }

    /// The first row that `point` violates, in exact arithmetic.
    ///
    /// # Errors
    /// That row, as [`SolveError::WrongAnswer`]; [`SolveError::Internal`] when `point` has another number of variables
    /// or a negative value.
    pub fn check(&self, point: &IdVec<VarIdx, i64>) -> Result<(), SolveError> {
        if point.len() != self.n_vars || point.iter().any(|&value| value < 0) {
            return Err(SolveError::Internal {
                what: "the solution is not a point of the problem's space",
            });
        }
        match self.rows().find(|(_, kind, row)| !holds(*kind, row, point)) {
            Some((row, _, _)) => Err(SolveError::WrongAnswer { row, problem: self.to_string() }),
            None => Ok(()),
        }
    }

    /// The system in the LP format of integer solvers, each variable under the name that `name` gives it.
    ///
    /// The format has no lexicographic objective: it minimises the first variable, and a comment says so.
    ///
    /// # Example
    /// ```
    /// use farkas_solve::{Problem, Row, RowKind};
    /// let mut problem = Problem::new(1);
    /// let c = problem.add_var();
    /// problem.add_row(RowKind::Inequality, Row::new().with(c, 2).with_constant(-1))?;
    /// let text = problem.to_lp(|var| if var == c { "c_S_i".into() } else { "w".into() });
    /// assert!(text.contains(" r0: 2 c_S_i >= 1\n"), "{text}");
    /// # Ok::<(), farkas_solve::SolveError>(())
    /// ```
    pub fn to_lp(&self, name: impl Fn(VarIdx) -> String) -> String {
        let mut text = String::new();
        match self.write_lp(&mut text, &name) {
            Ok(()) => text,
            Err(fmt::Error) => text,
        }
    }

    /// Writes the LP text.
    fn write_lp(&self, f: &mut impl fmt::Write, name: &impl Fn(VarIdx) -> String) -> fmt::Result {
        writeln!(f, "\\ lexicographic minimum, in the order of the variables under General")?;
        write!(f, "Minimize\n obj:")?;
        if let Some(first) = self.vars().next() {
            write!(f, " {}", name(first))?;
        }
        writeln!(f, "\nSubject To")?;
        for (index, kind, row) in self.rows() {
            write!(f, " {index}: ")?;
            write_terms(f, row.terms().iter().map(|&(v, c)| (c, name(v))))?;
            let relation = match kind {
                RowKind::Equality => "=",
                RowKind::Inequality => ">=",
            };
            if let (true, Some(first)) = (row.terms().is_empty(), self.vars().next()) {
                write!(f, "0 {}", name(first))?;
            }
            writeln!(f, " {relation} {}", -i128::from(row.constant()))?;
        }
        writeln!(f, "General")?;
        for var in self.vars() {
            write!(f, " {}", name(var))?;
        }
        writeln!(f, "\nEnd")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_lp(f, &|var| var.to_string())
    }
}

/// Whether `row` holds at `point`.
fn holds(kind: RowKind, row: &Row, point: &IdVec<VarIdx, i64>) -> bool {
    let sign = value_i128(row, point).map_or_else(|| sign_big(row, point), |value| value.signum());
    match kind {
        RowKind::Equality => sign == 0,
        RowKind::Inequality => sign >= 0,
    }
}

/// The row's value, where 128 bits hold it.
fn value_i128(row: &Row, point: &IdVec<VarIdx, i64>) -> Option<i128> {
    row.terms().iter().try_fold(i128::from(row.constant()), |sum, &(var, coefficient)| {
        sum.checked_add(i128::from(coefficient) * i128::from(point[var]))
    })
}

/// The sign of the row's value, at any size.
fn sign_big(row: &Row, point: &IdVec<VarIdx, i64>) -> i128 {
    let value = row.terms().iter().fold(BigInt::from(row.constant()), |sum, &(var, c)| {
        sum + BigInt::from(c) * BigInt::from(point[var])
    });
    match value.sign() {
        num_bigint::Sign::Minus => -1,
        num_bigint::Sign::NoSign => 0,
        num_bigint::Sign::Plus => 1,
    }
}
