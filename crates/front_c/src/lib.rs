//! C source to scops.
//!
//! Takes text, never paths: the file and what the preprocessor made of it (`farkas_run::Preprocessor`). The layer
//! [`source`] parses, maps every node back to the original file, finds regions and declarations; lowering turns the
//! statements of a region into a [`Scop`](farkas_scop::Scop). [`parse`] does all of it.

mod again;
mod api;
mod auto;
mod loops;
mod lower;
pub mod source;
mod stays;

pub use again::{Place, Reading};
pub use api::{Options, functions_without_errors, parse, read};
pub use loops::{FileLoop, LoopOutcome};
pub use stays::{Edge, Hindrance, OnDevice, Stay};
