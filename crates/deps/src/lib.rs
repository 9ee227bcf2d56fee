//! Dependences of a scop, the legality check of schedule trees, and which loops of a tree carry which dependences.
//!
//! - [`dependences`] finds the pairs of instances that touch the same element, one [`Dependence`] a pair of accesses.
//! - [`legality::check`] judges a tree against the scop alone: it computes its own pairs and believes nothing that a
//!   scheduler says.
//! - [`locality`] finds the pairs of instances that use an element or a cache line one soon after the other, each a
//!   [`ReuseRelation`].
//! - [`live_ranges`] tells the false dependences that matter only where live ranges would come to overlap.
//! - [`webs`] finds the statements that hand the values of an array to one another, and the loops that keep them apart.
//! - [`Components`] are the statements that cycles of dependences tie together.
//! - [`reductions`] finds the updates of the same elements by one operator, [`selections`] what keeps the greatest or least values.
//! - [`carried`] tells, for each loop of a tree, the dependences that it carries.
//!
//! Instances are atomic: there is no dependence within one instance, and an instance reads before it writes.
//!
//! This crate computes no schedule and changes no tree.

mod analysis;
pub mod carried;
mod components;
mod conflicts;
mod dependence;
mod difference;
mod flow;
mod form;
pub mod legality;
mod live_ranges;
pub mod locality;
mod order;
mod reductions;
mod rows;
mod selections;
mod tables;
mod updates;
mod webs;

pub use analysis::{DependenceOptions, FlowBy, dependences};
pub use components::Components;
pub use conflicts::Conflicts;
pub use dependence::{DepId, Dependence, DependenceKind, Dependences, Relaxed};
pub use legality::{Counterexample, Verdict};
pub use live_ranges::{LiveRanges, RangeRole, live_ranges};
pub use locality::{Hull, Locality, LocalityOptions, Reuse, ReuseRelation, locality};
pub use reductions::{Reduction, ReductionForm, ReductionUpdate, memory_order, reductions};
pub use selections::{Selected, selections};
pub use webs::{Web, webs};

/// What can go wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The budget of isl operations was used up before there was an answer.
    #[error("not decided within the budget of isl operations")]
    OutOfBudget,
    /// isl could not answer.
    #[error(transparent)]
    Poly(farkas_poly::Error),
    /// The tree is not a tree.
    #[error(transparent)]
    Tree(#[from] farkas_tree::Error),
    /// The tree has a node that cannot be judged.
    #[error("the {kind} node at {cursor} cannot be judged: {reason}")]
    Unsupported {
        /// isl's name of the kind.
        kind: &'static str,
        /// Where it is.
        cursor: farkas_tree::Cursor,
        /// Why it cannot be judged.
        reason: &'static str,
    },
    /// A text is not a dependence, or not locality.
    #[error("not a dependence or a reuse relation: {text}")]
    Syntax {
        /// The text, shortened.
        text: String,
    },
}

impl From<farkas_poly::Error> for Error {
    fn from(error: farkas_poly::Error) -> Self {
        match error {
            farkas_poly::Error::OutOfBudget => Self::OutOfBudget,
            other => Self::Poly(other),
        }
    }
}

/// The result of this crate's operations.
pub type Result<T> = std::result::Result<T, Error>;
