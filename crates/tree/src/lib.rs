//! Schedule trees: an execution order as a persistent value.
//!
//! Node kinds are isl's exactly. A [`ScheduleTree`] is cheap to clone (subtrees are shared); a position is a [`Cursor`],
//! a path from the root, never an address. Edits return a new tree. `Display` and `FromStr` use isl's YAML, so trees can
//! be read by hand and exchanged with other tools; marks are a typed [`Mark`] with a text name.
//!
//! What a tree means: instances run in the order of the tree, outermost node first. A band orders by its members, each
//! a quasi-affine function of the instance; a sequence runs its children one after another; the children of a set node
//! may run in any order; a filter keeps instances. Instances that no node orders may run in any order.
//!
//! This crate does not know whether a tree is legal: that is `farkas-deps`.

mod concurrent;
mod convert;
mod cursor;
mod mark;
mod node;
mod one_thread;
mod original;
mod print;
mod program;
mod restrict;

pub use cursor::Cursor;
pub use mark::{GpuAxis, MAX_WRITTEN_OUT, Mark, UnknownMark};
pub use node::{Band, Member, Node, ScheduleTree};
pub use one_thread::{NoThreads, OneThread};
pub use original::original_tree;
pub use program::Program;

/// What can go wrong with a tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// isl could not answer.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// A mark with a name that this tool does not know.
    #[error(transparent)]
    Mark(#[from] UnknownMark),
    /// A cursor leads nowhere in this tree.
    #[error("there is no node at {0}")]
    NoNode(Cursor),
    /// A node of another kind was expected.
    #[error("the node at {cursor} is a {found}, not a {expected}")]
    WrongKind {
        /// Where.
        cursor: Cursor,
        /// What is there.
        found: &'static str,
        /// What was expected.
        expected: &'static str,
    },
}

/// The result of operations on trees.
pub type Result<T> = std::result::Result<T, Error>;
