//! Integer sets and relations, quasi-affine functions, dataflow analysis, schedule trees and AST generation: a safe
//! face of isl.
//!
//! Every isl type is wrapped once. Methods borrow their arguments (isl objects are reference counted, so the copies
//! that isl "takes" cost a counter), results are `Result`s that carry isl's own message, and no raw handle leaves this
//! crate. All objects of a thread share one isl context; what crosses threads is the printed form, which round-trips:
//! every set, map and function type implements `Display` and `FromStr` in isl notation.
//!
//! ```
//! use farkas_poly::{Map, Set};
//! let domain: Set = "[n] -> { S[i] : 0 <= i < n }".parse()?;
//! let next: Map = "{ S[i] -> S[i + 1] }".parse()?;
//! let image = domain.apply(&next)?.intersect(&domain)?;
//! assert!(image.is_equal(&"[n] -> { S[i] : 1 <= i < n }".parse()?)?);
//! # Ok::<(), farkas_poly::Error>(())
//! ```
//!
//! `PartialEq` and `Hash` compare the printed form; `is_equal` is the semantic test.
//!
//! This crate decides nothing: no scheduling and no transformation lives here.

#[macro_use]
mod object;
mod aff;
mod ast;
mod context;
mod error;
mod flow;
mod map;
mod matrix;
mod schedule;
mod set;
mod space;
mod union;
mod val;

pub use aff::{
    Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff,
};
pub use ast::{
    AstBuild, AstExpr, AstExprKind, AstLoopType, AstNode, AstNodeKind, AstOp, AstOptions,
};
pub use context::{counted, left, spend, weighted, with_budget};
pub use error::Error;
pub use flow::{Flow, UnionAccessInfo};
pub use map::{BasicMap, Map};
pub use matrix::{Constraints, LinearRow};
pub use schedule::{IslSchedule, IslScheduleNode, ScheduleConstraints, SchedulerOptions};
pub use set::{BasicSet, Point, Set};
pub use space::{DimType, Space};
pub use union::{UnionMap, UnionSet};
pub use val::Val;

/// The result of every operation that isl may refuse.
pub type Result<T> = std::result::Result<T, Error>;
