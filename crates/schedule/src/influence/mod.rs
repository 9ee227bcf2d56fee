//! Scheduling as scenarios say, in the order of their priority.
//!
//! **Paper** C. Bastoul et al., *Optimizing GPU Deep Learning Operators with Polyhedral Scheduling Constraint Injection*,
//! CGO 2022, section IV.

mod levels;
mod node_plan;
mod partial;
mod strategy;
mod walk;

pub(crate) use levels::Levels;
pub use strategy::Influenced;
