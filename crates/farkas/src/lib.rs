//! The facade: everything the program `farkas` does, as a library.
//!
//! [`read`] a C file, [`pipeline::optimize`] each region, [`splice`] the code back in. Every tree that is emitted went
//! through the legality check.

mod auto;
mod basis;
pub mod bench;
pub mod check;
mod conditions;
pub mod constraints;
mod effort;
mod emit;
mod error;
pub mod explain;
pub mod explore;
mod extract;
mod fallback;
mod input;
mod libisl;
mod live_ranges;
mod machine;
mod one_thread;
mod openscop;
mod options;
mod output;
mod own_order;
pub mod pipeline;
mod privatise;
mod recipe;
mod refusal;
pub mod report;
mod session;
pub mod shape;
pub mod show;
mod strategy;
mod template;
mod threads;
mod tiling;
mod times;
mod vector_loops;

pub use auto::{Ranked, Ranking, Work};
pub use effort::{RUN_OPERATIONS, shares};
pub use emit::{splice, write_atomically};
pub use error::Error;
pub use extract::{extract, template as recipe_template};
pub use input::{Input, ReadOptions, parse, parse_isl, read};
pub use machine::{describe_machine, host_machine, machine_named, machine_names};
pub use openscop::{Exchange, Reordered, endless, parse_openscop, reorder};
pub use options::Options;
pub use output::check_output;
pub use recipe::read_recipe;
pub use session::Session;
pub use strategy::{Strategy, read_influence};
pub use template::Template;
pub use threads::each_region;
pub use tiling::{PointOrder, TileSizes};
pub use times::{PassTime, PassTimes};
