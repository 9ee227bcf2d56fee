//! Constraints on scheduling coefficients as strategy and influence files write them: `x - 2*S0_it_1 >= 0`.
//!
//! **Grammar** two sums with one of `=`, `==`, `<=`, `>=`, `<`, `>` between them. A sum has integers, variables of the
//! user's and coefficients `S<stmt>_<it|par|cst>_<index>`, joined by `+`, `-` and `*` with integers, with parentheses.
//!
//! * `<stmt>`: a number in textual order; `i` for the sum over all statements; `*` for one constraint a statement;
//!   `[…]` around the name of the scop's, a label or `line:12`.
//! * `<index>`: a number; `i` for the sum over all; `[…]` around a name. `cst` takes `_0` or nothing.
//! * In influence trees `@d` behind a coefficient names a row further out.
//! * `no-skewing` alone stands for `S*_it_i <= 1`.
//!
//! An iterator that a statement does not have is an error where the statement is named. With `i` and `*` it counts as
//! zero for the statements that lack it, as long as one has it.

mod form;
mod lexer;
mod parser;
mod resolve;

pub(crate) use parser::{Scope, is_reserved, parse};
pub(crate) use resolve::{Resolved, ResolvedTerm, resolve};

use farkas_base::Span;
use farkas_solve::RowKind;

/// A constraint as it was read: `sum of factor * term + constant`, zero or not negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Constraint {
    /// The text of its author.
    pub(crate) text: String,
    /// Where it stands.
    pub(crate) span: Span,
    /// Zero, or not negative.
    pub(crate) kind: RowKind,
    /// The terms, each once.
    pub(crate) terms: Vec<Term>,
    /// The constant.
    pub(crate) constant: i64,
}

/// A term with its factor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Term {
    /// What is multiplied.
    pub(crate) atom: Atom,
    /// By what; not zero.
    pub(crate) factor: i64,
    /// Where it stands first.
    pub(crate) span: Span,
}

/// An unknown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Atom {
    /// A variable of the user's, by its position.
    Variable(usize),
    /// Coefficients of rows.
    Coefficient(Coefficients),
}

/// One coefficient, or the sum of several.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Coefficients {
    /// Of which statements.
    pub(crate) stmt: StmtRef,
    /// Of what.
    pub(crate) part: Part,
    /// Of which.
    pub(crate) index: Index,
    /// The row, where one is named.
    pub(crate) depth: Option<usize>,
}

/// Which statements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum StmtRef {
    /// `Si`: the sum over all.
    Sum,
    /// `S*`: each alone.
    Each,
    /// `S0`, `S[init]`.
    One(String),
}

/// What coefficients belong to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Part {
    /// `it`
    Iterator,
    /// `par`
    Param,
    /// `cst`
    Constant,
}

/// Which iterator or parameter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Index {
    /// `i`: the sum over all.
    Sum,
    /// A number, or a name in brackets.
    One(String),
}
