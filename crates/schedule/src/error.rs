//! Why there is no schedule.

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
    /// A tree could not be built.
    #[error(transparent)]
    Tree(#[from] farkas_tree::Error),
}

impl Error {
    /// Whether numbers were too large or a budget of the caller's was used up, so that the original order is the answer.
    pub(crate) fn is_effort(&self) -> bool {
        use farkas_solve::SolveError;
        matches!(
            self,
            Self::Poly(farkas_poly::Error::Overflow { .. } | farkas_poly::Error::OutOfBudget)
                | Self::Solve(SolveError::CoefficientOverflow | SolveError::ValueTooLarge { .. })
        )
    }
}

/// The result of scheduling.
pub type Result<T> = std::result::Result<T, Error>;
