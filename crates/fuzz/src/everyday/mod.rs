//! Programs as people write them every day, beyond static control in plain `int`: unsigned and narrow types, sizes of
//! zero, pointers that overlap, regions in odd places of a file, names that collide with those of generated code.
//!
//! [`generate_everyday`] makes an [`Everyday`] of a seed: functions over a few arrays, each called several times with
//! other sizes and other pointers. The memory that pointers point into has margins on both sides, so that small offsets
//! need no care; subscripts of array parameters stay inside their rows by construction. [`Kind`] names what is special.

mod calls;
mod check;
mod edits;
mod functions;
mod kinds;
mod model;
mod nests;
mod text;

pub use check::EverydayChecker;
pub use edits::shrink_everyday;
pub use functions::generate_everyday;
pub use kinds::Kind;
pub use model::Everyday;
