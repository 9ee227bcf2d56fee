//! What every other crate stands on: typed ids and index vectors, source files and spans, bytes as text, diagnostics and their
//! rendering, budgets of counted work, a generator of fresh names, words that may have been meant, random numbers, the greatest
//! common divisor, and half precision.
//!
//! This crate knows nothing of polyhedra, touches no file and prints nothing.

mod budget;
mod diagnostic;
mod encoding;
mod half;
mod ids;
mod names;
mod near;
mod number;
mod random;
mod render;
mod source;

pub use budget::{Budget, OutOfBudget};
pub use diagnostic::{Diagnostic, DiagnosticId, Label, Severity};
pub use encoding::{decode, encode, shown};
pub use half::{is_between_bf16s, is_between_halves, nearest_bf16, nearest_half, whole_as_bf16};
pub use ids::{Id, IdVec};
pub use names::{NameGenerator, identifier};
pub use near::nearest;
pub use number::gcd;
pub use random::Random;
pub use render::{render, render_concise, render_json};
pub use source::{LineColumn, SourceFile, Span};
