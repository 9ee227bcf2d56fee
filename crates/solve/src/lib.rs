//! Exact lexicographic minimisation of non-negative integer vectors under linear equalities and inequalities: the
//! inner loop of the scheduler.
//!
//! # How to use it
//!
//! A [`Solver`] holds variables `x0, x1, ...` in priority order ([`VarIdx`]), all of them non-negative integers, and
//! rows `a.x + b >= 0` or `a.x + b = 0` ([`Row`], [`RowKind`]). [`Solver::minimize`] gives the lexicographically
//! smallest solution: the smallest `x0`, among those the smallest `x1`, and so on. [`Solver::push`] and
//! [`Solver::pop`] bracket rows that are to be taken back. [`Lexmin`] is our back end.
//!
//! ```
//! use farkas_base::{Budget, Id};
//! use farkas_solve::{Lexmin, Outcome, Row, Solver, VarIdx};
//!
//! let [u, c, d] = [0, 1, 2].map(VarIdx::from_index);
//! let mut lexmin = Lexmin::new(3);
//! lexmin.add_inequality(Row::new().with(c, 1).with(d, 1).with_constant(-1))?; // c + d >= 1
//! lexmin.add_inequality(Row::new().with(u, 1).with(d, -1))?; //                  u >= d
//! assert_eq!(lexmin.minimize(&Budget::new(1_000))?, Outcome::Solution([0, 1, 0].into_iter().collect()));
//!
//! lexmin.push();
//! lexmin.add_equality(Row::new().with(c, 2).with_constant(-1))?; // 2 c = 1
//! assert_eq!(lexmin.minimize(&Budget::new(1_000))?, Outcome::Infeasible);
//! lexmin.pop()?;
//! # Ok::<(), farkas_solve::SolveError>(())
//! ```

mod engine;
mod error;
mod isl;
mod lexmin;
mod merge;
mod number;
mod problem;
mod row;
mod scc;
mod solver;
mod store;
mod tableau;
mod watch;

pub use engine::Stats;
pub use error::SolveError;
pub use isl::IslLexmin;
pub use lexmin::Lexmin;
pub use problem::Problem;
pub use row::{Row, RowIdx, RowKind, VarIdx};
pub use solver::{Outcome, Solver};
