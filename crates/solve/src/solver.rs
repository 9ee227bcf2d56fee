//! The interface that every back end implements.

use farkas_base::{Budget, IdVec};

use crate::{Problem, Row, RowIdx, RowKind, SolveError, VarIdx};

/// The answer of [`Solver::minimize`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The lexicographically smallest point, one value per variable. It satisfies every row: that was re-checked.
    Solution(IdVec<VarIdx, i64>),
    /// No non-negative integer point satisfies the rows.
    Infeasible,
    /// The budget ran out first. Calling again with another budget goes on from where this call stopped, or with isl begins
    /// anew.
    OutOfBudget,
}

impl Outcome {
    /// The point, if there is one.
    pub fn solution(&self) -> Option<&IdVec<VarIdx, i64>> {
        match self {
            Outcome::Solution(point) => Some(point),
            Outcome::Infeasible | Outcome::OutOfBudget => None,
        }
    }
}

/// A back end: exact lexicographic minimisation, built up row by row, with snapshots.
///
/// The scheduler holds a `Box<dyn Solver>` or is generic over it. All back ends give the same answers, because the
/// lexicographic minimum is unique; only how much of their budgets they need differs.
pub trait Solver {
    /// The system as it stands.
    fn problem(&self) -> &Problem;

    /// One more variable, last in priority.
    fn add_var(&mut self) -> VarIdx;

    /// One more row.
    ///
    /// # Errors
    /// [`SolveError::UnknownVar`], [`SolveError::CoefficientOverflow`]; the problem is then unchanged.
    fn add_row(&mut self, kind: RowKind, row: Row) -> Result<RowIdx, SolveError>;

    /// Remembers the state; [`pop`](Solver::pop) comes back to it. Pushes nest.
    fn push(&mut self);

    /// Forgets all variables and rows that were added since the last [`push`](Solver::push).
    ///
    /// # Errors
    /// [`SolveError::NothingPushed`].
    fn pop(&mut self) -> Result<(), SolveError>;

    /// The lexicographically smallest non-negative integer point that satisfies all rows.
    ///
    /// # Errors
    /// [`SolveError::ValueTooLarge`], a failure of the back end, or an internal error; never for an infeasible system.
    fn minimize(&mut self, budget: &Budget) -> Result<Outcome, SolveError>;

    /// Adds `row >= 0`.
    ///
    /// # Errors
    /// As [`add_row`](Solver::add_row).
    fn add_inequality(&mut self, row: Row) -> Result<RowIdx, SolveError> {
        self.add_row(RowKind::Inequality, row)
    }

    /// Adds `row = 0`.
    ///
    /// # Errors
    /// As [`add_row`](Solver::add_row).
    fn add_equality(&mut self, row: Row) -> Result<RowIdx, SolveError> {
        self.add_row(RowKind::Equality, row)
    }
}
