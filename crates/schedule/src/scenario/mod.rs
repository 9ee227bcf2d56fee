//! Scenarios that an optimizer wishes for, as constraints in a tree, and what happened on the way through one.
//!
//! **Paper** C. Bastoul et al., *Optimizing GPU Deep Learning Operators with Polyhedral Scheduling Constraint Injection*,
//! CGO 2022, section IV.

mod trace;
mod tree;

pub use trace::{InfluenceEvent, InfluenceStep};
pub use tree::{InfluenceConstraint, InfluenceNode, InfluenceTerm, InfluenceTree};
