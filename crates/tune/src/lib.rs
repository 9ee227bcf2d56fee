//! The search for the best strategy, and for the best recipe, of one program, by measuring.
//!
//! Recipes have a search of their own, in [`evolve`]. For strategies, a [`Point`] is everything that a strategy file may say of one program: cost functions, fusion, signs, loops to
//! vectorize, tiles. [`search`] goes from the generic strategies outward, builds each schedule and each program once,
//! and gives up early what is slow. A candidate that crashes, times out or prints something else has no score. The
//! winner must beat the best generic strategy, `auto` among them, by more than the spread of fresh runs; else that one is written.
//!
//! What this crate does not do: it neither schedules nor runs anything. A [`Workbench`] does, so that the search can be
//! tried on times that are made up. Which candidates come in which order depends on the measured times alone.

pub mod evolve;
mod ledger;
mod point;
mod race;
mod report;
mod search;
mod space;
mod verdict;
mod workbench;

pub use ledger::{Candidate, CandidateId, Pruned};
pub use point::{Costs, Point, Signs, Split};
pub use report::{CandidateReport, FinalistReport, Report, SCHEMA, Setting, render};
pub use search::{Exploration, Settings, search};
pub use space::{
    COSTS, DEFAULT_STRATEGY, GENERIC_NAMES, MODEL_STRATEGY, Subject, finishes, generic_points,
    neighbours, seeds, tilings,
};
pub use verdict::{Contest, Verdict, judge};
pub use workbench::{Choice, Measured, Phase, Program, Progress, Workbench};
