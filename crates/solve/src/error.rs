//! Why a solver gave no answer.

use crate::{RowIdx, VarIdx};

/// Why a solver gave no answer. That there is no solution is an answer ([`Outcome`](crate::Outcome)), not an error.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A row names a variable that the problem does not have.
    #[error("row uses variable {var}, but there are only {n_vars} variables")]
    UnknownVar {
        /// The variable.
        var: VarIdx,
        /// How many variables there are.
        n_vars: usize,
    },
    /// A row's coefficients left the range of `i64` while it was built.
    #[error("a coefficient of the row does not fit in 64 bits")]
    CoefficientOverflow,
    /// `pop` without a `push`.
    #[error("pop without push")]
    NothingPushed,
    /// The minimum exists, but the value of a variable does not fit in `i64`.
    #[error("the minimal value of {var} does not fit in 64 bits")]
    ValueTooLarge {
        /// The variable.
        var: VarIdx,
    },
    /// The back end failed for a reason of its own.
    #[error("solver back end failed: {message}")]
    BackEnd {
        /// What it said.
        message: String,
    },
    /// Our bug: the answer violates a row of the problem. The problem's text is the reproducer.
    #[error("internal error: the solution violates row {row} of\n{problem}")]
    WrongAnswer {
        /// The row.
        row: RowIdx,
        /// The problem as LP text.
        problem: String,
    },
    /// Our bug: a state that the algorithm excludes.
    #[error("internal error in the solver: {what}")]
    Internal {
        /// What was found.
        what: &'static str,
    },
}
