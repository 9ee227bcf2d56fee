//! Influence constraint trees: scenarios that an optimizer wishes for, in the order of their priority.
//!
//! **Paper** C. Bastoul et al., *Optimizing GPU Deep Learning Operators with Polyhedral Scheduling Constraint Injection*,
//! CGO 2022, section IV.

mod levels;
mod node_plan;
mod partial;
mod strategy;
mod trace;
mod tree;
mod walk;

pub(crate) use levels::Levels;
pub use strategy::Influenced;
pub use trace::{InfluenceEvent, InfluenceStep};
pub use tree::{InfluenceConstraint, InfluenceNode, InfluenceTerm, InfluenceTree};
