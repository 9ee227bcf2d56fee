//! Options of one scheduling run.

use crate::Result;
use farkas_scop::StmtId;

/// Which integer solver finds the rows. All give the same rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum SolverChoice {
    /// Ours.
    #[default]
    Ours,
    /// isl's.
    Isl,
}

/// Options of one scheduling run; what to look for is the strategy's affair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleOptions {
    /// Which integer solver finds the rows.
    pub solver: SolverChoice,
    /// Units of work (about one a number that the solver touches) that all integer programs together may take. What is
    /// left unscheduled then keeps its original order.
    pub max_solver_work: u64,
    /// Units of work that the search for one row may take; large programs may take more, in proportion to their size, and
    /// so may isl's solver.
    pub max_row_work: u64,
    /// isl operations that one carried test may take. A dependence whose test runs out counts as not carried.
    pub max_isl_operations: u64,
    /// isl operations that finding what is used again may take, for strategies that look at it.
    pub max_locality_operations: u64,
    /// Integer programs that one search over the signs of progression may take, plans that a strategy may make for one
    /// row, rows of a band that it may ask for again, and dimensions beyond which it may not ask for more.
    pub max_trials: usize,
    /// Rows and fallbacks that a walk through an influence tree may take.
    pub max_influence_steps: usize,
    /// Statements that run after all others, in loops of their own: nothing depends on them.
    pub last: Vec<StmtId>,
    /// Whether the report says which constraints and dependences leave a node of an influence tree without a row.
    pub explains_influence: bool,
}

impl Default for ScheduleOptions {
    fn default() -> Self {
        Self {
            solver: SolverChoice::Ours,
            max_solver_work: 5_000_000_000,
            max_row_work: 2_000_000,
            max_isl_operations: 1_000_000,
            max_locality_operations: 2_000_000,
            max_trials: 64,
            max_influence_steps: 1000,
            last: Vec::new(),
            explains_influence: false,
        }
    }
}

impl ScheduleOptions {
    /// Runs isl work within the budget; `None` when it ran out.
    pub(crate) fn within_isl_budget<T>(
        &self,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<Option<T>> {
        match farkas_poly::with_budget(self.max_isl_operations, work) {
            Ok(value) => Ok(Some(value)),
            Err(crate::Error::Poly(farkas_poly::Error::OutOfBudget)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
