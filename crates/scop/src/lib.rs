//! The static control part: what every front end makes and every later stage reads.
//!
//! A [`Scop`] is parameters and their context, arrays, and statements with their iteration domains, accesses, original
//! order and bodies. It is built by a [`ScopBuilder`], verified once, and immutable from then on. A transformation that
//! adds statements or arrays builds a new one.
//!
//! Conventions that every producer keeps and the verifier checks:
//!
//! - Iterators run upward. The domain dimension of a loop that counts down is the negated iterator, that of a loop with
//!   a stride is the iteration count; [`Iterator::value`] is the user's iterator as a function of the instance.
//! - All dates lie in one unnamed space; the original order is their lexicographic order, and no two instances share a
//!   date.
//! - Names are unique: statements among statements (they are the isl tuple names), arrays among arrays.
//!
//! This crate knows no source language, no schedule and no dependence.

mod access;
mod array;
mod assumption;
pub mod blas;
mod body;
mod builder;
mod combiner;
mod decision;
mod extents;
mod half_product;
mod kinds;
mod memory;
mod model;
mod permuted;
mod print;
mod reach;
mod reduction;
mod region;
mod same;
mod selection;
mod size;
mod statement;
mod subscripts;

pub use access::{Access, AccessKind};
pub use array::{Array, ArrayScope, ElementKind, ElementType, element_text};
pub use assumption::{Assumption, AssumptionKind, Claim, Grant, Outcome, UnknownGrant};
pub use body::{AssignOp, BinaryOp, BodyStmt, Expr, InnerLoop, TextPiece, UnaryOp};
pub use builder::{ScopBuilder, Violation};
pub use combiner::Combiner;
pub use decision::Decision;
pub use extents::within_extents;
pub use half_product::{HalfProduct, NoHalfProduct};
pub use memory::MemoryLimit;
pub use model::{Parameter, Scop};
pub use permuted::Dim;
pub use print::{Leaves, PRIMARY, TERNARY, UNARY, body_text, print_expr};
pub use reach::Reach;
pub use reduction::{Freedom, Operator, Reassociation, Update, UpdateForm};
pub use region::{Host, MacroGuard, OuterIterator, Region, Taken};
pub use selection::{Kept, Selection};
pub use size::{Size, unknown_sizes};
pub use statement::{Iterator, Statement};
pub use subscripts::{Stride, linear_part, linear_subscripts, step};

farkas_base::define_id!(
    /// A parameter of a scop.
    pub struct ParamId("p")
);
farkas_base::define_id!(
    /// An array of a scop.
    pub struct ArrayId("A")
);
farkas_base::define_id!(
    /// A statement of a scop.
    pub struct StmtId("S")
);
farkas_base::define_id!(
    /// An access of a statement.
    pub struct AccessId("a")
);
