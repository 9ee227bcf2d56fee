//! A text of loop nests that does not depend on how they are written.
//!
//! Two nests have one text when they differ by the names of arrays, parameters, iterators and variables, by the order of statements that
//! may run in either, by where loops begin to count, by which operand of a sum stands first, by `x += e` for `x = x + e`, or by
//! variables that hold what is used once. A statement may stand in pieces ([`joined`]), parts of a loop an iteration apart ([`aligned`]); loops of one iteration are none, and where a loop begins
//! does not matter ([`counted`]). Nests with one text compute the same: it says for each statement what it
//! computes and for which iterations, in which loops it stands, what must run before it, and of which type its arrays are.
//!
//! Where a nest lies among others ([`embed`](fn@embed)) is told by numbers that are computed from such texts, and by its dependences.
//!
//! How arrays lie in memory that the region has to itself does not matter either.
//!
//! That loops stand in one order, run in one direction and hold no more than they must is not this crate's affair: the planner
//! `normalize` of `farkas-transform` sees to it.
//!
//! # Example
//! The text of `for (int r = 1; r <= rows; r++) y[r - 1] += x[r - 1] * s;` is
//! ```text
//! for i0
//!   a0[i0] = a0[i0] + (a1 * a2[i0])  where 0 <= i0 and i0 < n0
//! a0: double[]
//! a1: double
//! a2: double[]
//! ```

mod affine;
mod align;
mod body;
mod counted;
mod embed;
mod fixed;
mod form;
mod integer;
mod join;
mod kinds;
mod label;
mod layout;
mod lift;
mod live;
mod loops;
mod names;
mod pieces;
mod rows;
mod shape;
mod term;

pub use align::aligned;
pub use counted::{Strides, counted, counted_as};
pub use embed::{EMBEDDING_VERSION, Embedded, EmbeddedStmt, differences, distance, embed};
pub use form::{Nest, NormalForm, normal_form, text_at, whole_form};
pub use join::{Joined, joined};
pub use kinds::Kinds;
pub use loops::dims_by_loops;
pub use names::element;

/// The version of the text: hashes of different versions have nothing to do with one another.
pub const VERSION: u32 = 3;

/// What can go wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// isl could not answer.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// A place that is not in the tree.
    #[error(transparent)]
    Tree(#[from] farkas_tree::Error),
    /// An order could not be judged.
    #[error(transparent)]
    Deps(#[from] farkas_deps::Error),
}

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;
