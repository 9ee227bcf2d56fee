//! Exact lexicographic minimisation of non-negative integer vectors under linear equalities and inequalities: the
//! inner loop of the scheduler.
//!
//! # How to use it
//!
//! A [`Solver`] holds variables `x0, x1, ...` in priority order ([`VarIdx`]), all of them non-negative integers, and
//! rows `a.x + b >= 0` or `a.x + b = 0` ([`Row`], [`RowKind`]). [`Solver::minimize`] gives the lexicographically
//! smallest solution: the smallest `x0`, among those the smallest `x1`, and so on. [`Solver::push`] and
//! [`Solver::pop`] bracket rows that are to be taken back. There are two back ends, which give the same answers:
//! [`Lexmin`] is ours, [`IslLexmin`] is isl's `lexmin`, kept as oracle and for comparison.
//!
//! Three habits make [`Lexmin`] fast. Put cost variables first: the order is the objective. Add the rows that will stay
//! before the first `push` or `minimize`: they decide which unknowns are merged (see [below](#before-the-tableau)).
//! Then go on with the same object, for the next band member too: a solve continues from the last basis.
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
//!
//! # How it works
//!
//! The method is the lexicographic dual simplex method of P. Feautrier, *Parametric integer programming*, RAIRO
//! Operations Research 22(3), 1988, without the parameters. The unknowns are kept as affine forms `x = T y + t` of as many
//! *columns* `y >= 0`, at first the unknowns themselves. Each column of `T`, read from the first unknown down, is
//! lexicographically positive: moving any `y` away from zero makes `x` larger. So `y = 0` is the best point as far as the
//! rows that are columns know, and the rest is to find a row that this point violates and to make it a column:
//!
//! 1. Find a violated row and write it as a form of the columns: `s = (a.y + b) / d` with `b < 0`.
//! 2. If no `a_k` is positive, nothing can repair it: the system is infeasible.
//! 3. Among the columns with `a_k > 0`, take the one with the lexicographically smallest `T_k / a_k`. Solve the form for
//!    it: `y_k = (d s - sum of the other a_j y_j - b) / a_k`, and substitute. All columns are still positive, and the
//!    point has grown.
//! 4. If no row is violated and an unknown is fractional, pivot its Gomory cut in and go on. If none is fractional,
//!    the point is the answer.
//!
//! To keep fractions from arising at all, step 3 first tries R. E. Gomory's *all-integer algorithm* (1963): while all
//! forms are integral and the pivot would not be one, it pivots the form's Chvatal-Gomory cut
//! `sum ceil(a_j / l) y_j + floor(b / l) >= 0` in its place, with the smallest `l` for which that pivot is one. As the
//! scheduler's solutions are small, a few such cuts do; when a solve has used up its share of them, it pivots rationally.
//!
//! ## An example from definition to tableau
//!
//! Minimise `(w, c)` under `2 w + c - 3 >= 0` and `2 - c >= 0`. At first the columns are `w, c`:
//!
//! ```text
//!        w   c  |  t            w = 0, c = 0
//!  w     1   0  |  0
//!  c     0   1  |  0
//!  s1    2   1  | -3            violated; T_w / 2 = (1/2, 0), T_c / 1 = (0, 1) is smaller: c = s1 - 2 w + 3
//!
//!        w  s1  |  t            w = 0, c = 3
//!  w     1   0  |  0
//!  c    -2   1  |  3
//!  s2    2  -1  | -1            s2 = 2 - c is violated; only w can repair it, with the pivot 2
//!
//! pivoting s2 in:                                      pivoting in its cut with l = 2, s3 = w - 1:
//!
//!       s2  s1  |  t     w = 1/2, c = 2                      s3  s1  |  t     w = 1, c = 1: the answer
//!  w   1/2 1/2  | 1/2                                   w     1   0  |  1
//!  c    -1   0  |  2                                    c    -2   1  |  1
//!  s3  1/2 1/2  | -1/2   the Gomory cut s3 = w - 1
//!                        T_s2 / (1/2) = (1, -2) is smaller than T_s1 / (1/2) = (1, 0): the same answer
//! ```
//!
//! ## What is done to be fast
//!
//! - **Lazy rows.** Of thousands of rows few are ever tight. All rows stay sparse, outside the tableau; a row is looked at
//!   again only when an unknown in it has moved, and becomes a form only when it is violated and chosen. The tableau has
//!   one dense row for each unknown that is not at zero.
//! - **The row with the fewest positive terms first.** It leaves the least choice, so it seldom has to be undone.
//!   If its pivot is not one, the next row is looked at too.
//! - **Equalities at once.** Each takes a column away for good.
//! - **Machine integers.** Numerators with one denominator for each row, in lowest terms; 64 bits, then 128, then
//!   any size, beginning again with the next width where one overflows.
//!
//! ## Before the tableau
//!
//! Rows are divided by their gcd and constants rounded down; of parallel rows the tightest is kept; rows that hold for
//! all `x >= 0` are dropped. Unknowns that the rows force to be equal (`a >= b >= c >= a`) become one, those forced to
//! zero none, until nothing more is found. The schedule coefficients of a strongly connected component mostly are such:
//! a ring of 160 statements with 806 unknowns and 11,523 rows is left with one unknown for each statement.
//!
//! # Exactness and effort
//!
//! No floating point anywhere. Each solution is put into the original rows again in exact arithmetic; a violated row is
//! [`SolveError::WrongAnswer`], never an answer. One unit of a budget is one 64-bit number touched (wider ones count
//! more), the same in every run; [`Outcome::OutOfBudget`] leaves the object in a good state.
//!
//! # What it does not do
//!
//! No parameters, no unknowns that may be negative (write `x = p - n`), no objective other than the order of the unknowns,
//! no search by branching, no preprocessing after the first solve. A system that has rational but no integer points
//! and is unbounded may never be recognised as infeasible: the budget ends that search.

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
