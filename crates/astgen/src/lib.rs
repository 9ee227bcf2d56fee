//! Loop ASTs from schedule trees.
//!
//! [`generate`] turns a scop and a tree into an [`Ast`] of plain Rust values: loops, conditions and statement instances
//! over expressions in a canonical form. It links each loop to the band member that it runs through, keeps the user's
//! iterators where a loop is the user's loop, and prints, compares and evaluates without isl.
//!
//! The work of isl's AST generator grows without limit where many statements overlap partly, so it runs under a budget,
//! and cheaper ways of cutting loops are tried before giving up ([`Options`]).
//!
//! [`Ast::with_threads`] says of parallel loops how much work they have, as sums of products of sizes.
//!
//! [`guards`] makes of a scop's assumptions the conditions that are tested in front of its loops.
//!
//! This crate writes no source language (that is `farkas-codegen`) and does not judge whether a tree is legal.

mod ast;
mod boxes;
mod buffers;
mod convert;
mod cutting;
mod expr;
mod full_tiles;
mod generate;
mod grid;
mod guards;
mod isl_expr;
mod limits;
mod lower;
mod memory;
mod names;
mod padding;
mod print;
mod rare;
mod restore;
mod rows;
mod shadow;
mod shapes;
mod shared;
mod sites;
mod spans;
mod split;
mod subscripts;
mod threads;
mod value;
mod values;
mod work;

pub use ast::{Ast, Block, BlockKind, Divided, For, If, LoopInfo, LoopKind, Node, User, UserKind};
pub use cutting::Cutting;
pub use expr::{Cond, Division, Expr, Term};
pub use generate::{Options, generate, generate_again};
pub use grid::{BlockLoop, block_loops};
pub use guards::{Guard, Touched, condition, guards};
pub use memory::Memory;
pub use print::{Binding, Dialect, Text};
pub use rare::ASKED_AT_ONCE;
pub use shapes::{Ends, Shape, shapes};
pub use spans::{Span, spans};
pub use subscripts::affine;
pub use threads::Start;
pub use value::Value;
pub use work::{Product, Work};

/// Why there is no AST.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// isl could not answer, or its budget was used up in every way of cutting loops.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// The tree cannot be turned into isl's.
    #[error(transparent)]
    Tree(#[from] farkas_tree::Error),
    /// The tree orders something that the scop does not have.
    #[error("the tree orders {0}, which is no statement of the scop")]
    UnknownStatement(String),
    /// isl's code has something that this crate does not know.
    #[error("isl generated something unexpected: {0}")]
    Unexpected(String),
    /// A number in the code does not fit 64 bits.
    #[error("a number in the code of {0} does not fit 64 bits")]
    Overflow(String),
}

/// The result of AST generation.
pub type Result<T> = std::result::Result<T, Error>;
