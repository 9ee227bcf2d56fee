//! Random strategies and influence trees on random programs: each is refused with a place, or gives a legal schedule.
//!
//! A [`Case`] is made of its seed alone. [`check_case`] puts it through the facade in this process, so that a panic ends
//! the run; what else is wrong is told by [`Finding::fault`]. [`ConfigTally`] adds up what came of many.

mod case;
mod check;
mod constraint;
mod influence;
mod names;
mod promises;
mod strategy;
mod tally;

pub use case::{Case, Kind, Setup};
pub use check::{Finding, check_case};
pub use tally::ConfigTally;
