//! Why there is no schedule.

use crate::constraint::Origin;
use farkas_deps::DepId;
use farkas_scop::StmtId;

/// Why there is no schedule. That no row is found is no error: the driver has fallbacks, at last the original order.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// isl could not answer.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// The solver failed; its running out of budget is no failure.
    #[error(transparent)]
    Solve(#[from] farkas_solve::SolveError),
    /// What is used again could not be found.
    #[error(transparent)]
    Dependences(#[from] farkas_deps::Error),
    /// The user's constraints leave no row.
    #[error("the constraints leave no row {dimension} for {}", names(stmts))]
    Conflict {
        /// The statements.
        stmts: Vec<StmtId>,
        /// The row, counted along the path from the root.
        dimension: usize,
        /// An irreducible set of constraints: without any one of them there is a row.
        origins: Vec<Origin>,
        /// Dependences that have a part in it; an irreducible set, too.
        deps: Vec<DepId>,
    },
    /// The schedule that came out does not keep a constraint of the user's, since a statement has no such row, or statements
    /// that it ties together were scheduled apart.
    #[error("the schedule of {} breaks a constraint on row {dimension}", names(stmts))]
    Unkept {
        /// The statements that it names.
        stmts: Vec<StmtId>,
        /// The row, counted along the path from the root.
        dimension: usize,
        /// The constraint.
        origin: Origin,
        /// Whether one of the statements has no such row.
        is_missing: bool,
    },
    /// Statements that the user wants to share loops cannot, or cannot be apart.
    #[error("{} cannot be {} at row {dimension}", names(stmts), if *together { "fused" } else { "distributed" })]
    ImpossibleFusion {
        /// The statements.
        stmts: Vec<StmtId>,
        /// Whether they should have shared their loops; else they should have been apart.
        together: bool,
        /// The row of the distribution.
        dimension: usize,
        /// Dependences that forbid it.
        deps: Vec<DepId>,
    },
    /// The strategy itself failed.
    #[error("strategy {name} failed: {reason}")]
    Strategy {
        /// Its name.
        name: String,
        /// What went wrong.
        reason: String,
    },
    /// A tree could not be built.
    #[error(transparent)]
    Tree(#[from] farkas_tree::Error),
}

impl Error {
    /// Whether numbers were too large or a budget of the caller's was used up, so that the original order is the answer.
    pub(crate) fn is_effort(&self) -> bool {
        self.is_overflow() || matches!(self, Self::Poly(farkas_poly::Error::OutOfBudget))
    }

    /// Whether numbers were too large.
    pub(crate) fn is_overflow(&self) -> bool {
        use farkas_solve::SolveError;
        matches!(
            self,
            Self::Poly(farkas_poly::Error::Overflow { .. })
                | Self::Solve(SolveError::CoefficientOverflow | SolveError::ValueTooLarge { .. })
        )
    }
}

/// The names of statements.
fn names(stmts: &[StmtId]) -> String {
    stmts.iter().map(StmtId::to_string).collect::<Vec<_>>().join(", ")
}

/// The result of scheduling.
pub type Result<T> = std::result::Result<T, Error>;
