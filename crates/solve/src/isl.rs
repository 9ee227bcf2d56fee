//! isl's `lexmin` behind the same trait: the oracle in tests, and a back end to choose.

use std::fmt::Write;

use farkas_base::{Budget, Id};
use farkas_poly::{DimType, Error, Point, Set};

use crate::{Outcome, Problem, Row, RowIdx, RowKind, SolveError, Solver, VarIdx};

/// Lexicographic minimisation by isl.
///
/// Each [`minimize`](Solver::minimize) builds the set anew, from text; nothing is kept between calls.
///
/// The budget counts numbers touched, as that of our solver: an isl operation, such as a pivot, counts as many as the
/// system has coefficients. isl stops at a limit on its operations but does not tell how many it used. So limits double
/// from a small one until one is enough, and each limit that was tried is spent.
///
/// # Example
/// ```
/// use farkas_base::{Budget, Id};
/// use farkas_solve::{IslLexmin, Outcome, Row, Solver, VarIdx};
/// let mut lexmin = IslLexmin::new(1);
/// lexmin.add_inequality(Row::new().with(VarIdx::from_index(0), 2).with_constant(-3))?;
/// assert_eq!(lexmin.minimize(&Budget::new(10_000))?, Outcome::Solution([2].into_iter().collect()));
/// # Ok::<(), farkas_solve::SolveError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct IslLexmin {
    problem: Problem,
    /// Numbers of variables and rows at each push.
    marks: Vec<(usize, usize)>,
}

impl IslLexmin {
    /// The lexicographic minimum, within a budget.
    fn lexmin(&self, budget: &Budget) -> Result<Outcome, Stop> {
        let n_numbers = self.n_numbers();
        let set: Set = self.problem.to_isl().parse()?;
        let mut wanted = FIRST_LIMIT;
        loop {
            let most = budget.left() / n_numbers;
            let limit = wanted.min(most);
            if limit == 0 {
                let _ = budget.spend(budget.left());
                return Ok(Outcome::OutOfBudget);
            }
            let found = farkas_poly::with_budget(limit, || set.lexmin()?.sample_point());
            // No more than what is left.
            let _ = budget.spend(limit * n_numbers);
            match found {
                Err(Error::OutOfBudget) => wanted = limit.saturating_mul(2),
                Err(error) => return Err(error.into()),
                Ok(point) => return outcome(&self.problem, &point),
            }
        }
    }

    /// The system without rows over `n_vars` variables.
    pub fn new(n_vars: usize) -> Self {
        Problem::new(n_vars).into()
    }

    /// The numbers that an operation on the whole system touches, the signs of the variables included; never zero.
    fn n_numbers(&self) -> u64 {
        let (n_vars, n_rows) = (self.problem.n_vars(), self.problem.n_rows());
        let n_numbers = (n_vars + 1).saturating_mul(n_rows + n_vars + 1);
        u64::try_from(n_numbers).unwrap_or(u64::MAX)
    }
}

/// isl operations of the first attempt.
const FIRST_LIMIT: u64 = 64;

impl From<Problem> for IslLexmin {
    fn from(problem: Problem) -> Self {
        Self { problem, marks: Vec::new() }
    }
}

impl Problem {
    /// The set of solutions in isl notation.
    ///
    /// # Example
    /// ```
    /// use farkas_base::Id;
    /// use farkas_solve::{Problem, Row, RowKind, VarIdx};
    /// let mut problem = Problem::new(2);
    /// problem.add_row(RowKind::Equality, Row::new().with(VarIdx::from_index(1), 2).with_constant(-1))?;
    /// assert_eq!(problem.to_isl(), "{ [x0, x1] : x0 >= 0 and x1 >= 0 and 2 x1 - 1 = 0 }");
    /// # Ok::<(), farkas_solve::SolveError>(())
    /// ```
    pub fn to_isl(&self) -> String {
        let names: Vec<String> = self.vars().map(|var| var.to_string()).collect();
        let bounds = self.vars().map(|var| format!("{var} >= 0"));
        let rows = self.rows().map(|(_, kind, row)| match kind {
            RowKind::Equality => format!("{row} = 0"),
            RowKind::Inequality => format!("{row} >= 0"),
        });
        let conditions: Vec<String> = bounds.chain(rows).collect();
        let mut text = format!("{{ [{}]", names.join(", "));
        if !conditions.is_empty() {
            // Writing to a string does not fail.
            let _ = write!(text, " : {}", conditions.join(" and "));
        }
        text + " }"
    }
}

impl Solver for IslLexmin {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn add_var(&mut self) -> VarIdx {
        self.problem.add_var()
    }

    fn add_row(&mut self, kind: RowKind, row: Row) -> Result<RowIdx, SolveError> {
        self.problem.add_row(kind, row)
    }

    fn push(&mut self) {
        self.marks.push((self.problem.n_vars(), self.problem.n_rows()));
    }

    fn pop(&mut self) -> Result<(), SolveError> {
        let (n_vars, n_rows) = self.marks.pop().ok_or(SolveError::NothingPushed)?;
        self.problem.truncate(n_vars, n_rows);
        Ok(())
    }

    fn minimize(&mut self, budget: &Budget) -> Result<Outcome, SolveError> {
        match self.lexmin(budget) {
            Ok(outcome) => Ok(outcome),
            // A budget around this one is used up.
            Err(Stop::Isl(Error::OutOfBudget)) => Ok(Outcome::OutOfBudget),
            Err(Stop::Isl(error)) => Err(SolveError::BackEnd { message: error.to_string() }),
            Err(Stop::Solver(error)) => Err(error),
        }
    }
}

/// Why there is no outcome.
enum Stop {
    Isl(Error),
    Solver(SolveError),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Isl(error)
    }
}

impl From<SolveError> for Stop {
    fn from(error: SolveError) -> Self {
        Self::Solver(error)
    }
}

/// The re-checked answer.
fn outcome(problem: &Problem, point: &Point) -> Result<Outcome, Stop> {
    if point.is_void()? {
        return Ok(Outcome::Infeasible);
    }
    let value = |var: VarIdx| -> Result<i64, Stop> {
        let position = u32::try_from(var.index()).unwrap_or(u32::MAX);
        let value = point.coordinate(DimType::SET, position)?;
        value.to_i64().map_err(|_| SolveError::ValueTooLarge { var }.into())
    };
    let values: Vec<i64> = problem.vars().map(value).collect::<Result<_, _>>()?;
    let solution = values.into_iter().collect();
    problem.check(&solution)?;
    Ok(Outcome::Solution(solution))
}
