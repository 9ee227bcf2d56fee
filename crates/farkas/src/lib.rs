//! The facade: everything the program `farkas` does, as a library.
//!
//! [`read`] a C file, [`optimize`] each region, [`splice`] the code back in. Every tree that is emitted went
//! through the legality check.
//!
//! ```
//! use farkas::{Options, ReadOptions, Strategy, optimize, read, splice};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("scale.c");
//! let program = "
//! void scale(int n, double a[n][n], double b[n][n])
//! {
//! #pragma scop
//!     for (int j = 0; j < n; j++)
//!         for (int i = 0; i < n; i++)
//!             a[i][j] = 2 * b[i][j];
//! #pragma endscop
//! }
//! ";
//! std::fs::write(&path, program)?;
//!
//! let input = read(&path, &ReadOptions::default()).map_err(|refused| refused.message)?;
//! assert_eq!(input.diagnostics, []);
//!
//! // `Strategy::Auto` compares several forms by the model of `options.machine`; `Strategy::Pluto` is one scheduler.
//! let options = Options { strategy: Strategy::Auto, ..Options::default() };
//! let mut replacements = Vec::new();
//! for region in &input.regions {
//!     let optimized = optimize(region, &options)?;
//!     assert!(optimized.stays.is_none(), "a region that gains nothing keeps its text");
//!     replacements.push((region.span, optimized.code));
//! }
//!
//! let text = splice(&input.source, &replacements);
//! let (i, j) = (text.find("for (int i"), text.find("for (int j"));
//! assert!(i < j, "rows are walked along: {text}");
//! # Ok(())
//! # }
//! ```
//!
//! Values of isl belong to the thread that made them, so do regions and what is made of them; [`each_region`] works on several
//! threads. What cannot be done is an [`Error`] or a `Diagnostic` with its place, never a panic.

mod analyze;
mod auto;
mod basis;
pub mod bench;
mod blas;
mod callees;
pub mod check;
mod code;
mod conditions;
pub mod constraints;
pub mod database;
mod decide;
mod effort;
mod emit;
mod enough;
mod error;
pub mod explain;
pub mod explore;
mod extract;
mod fallback;
mod form;
mod gpus;
mod growth;
mod input;
mod kept;
mod kernels;
mod launches;
mod libisl;
mod live_ranges;
pub mod loops;
mod machine;
mod normal;
mod one_thread;
mod openscop;
mod options;
mod output;
mod own_order;
mod pieces;
mod pipeline;
mod privatise;
mod project;
mod prove;
mod ranking;
mod read;
mod recipe;
mod refusal;
pub mod report;
mod scheduling;
mod session;
mod setting;
pub mod shape;
pub mod show;
mod slower;
mod storage;
mod strategy;
mod template;
mod threads;
mod tiling;
mod times;
pub mod tune;
mod vector_loops;
mod words;

pub use analyze::{analyze, reuse};
pub use blas::header as blas_header;
pub use callees::{Outcome, left_to_callees};
pub use code::{Optimized, Stays};
pub use decide::{Decided, decide};
pub use effort::{RUN_OPERATIONS, shares};
pub use emit::{splice, splice_with_lines, write_atomically};
pub use error::Error;
pub use extract::{extract, template as recipe_template};
pub use form::generate;
pub use gpus::{
    AnyMachine, any_machine, describe_gpu, gpu_named, gpu_names, machines_for, usual_gpu,
};
pub use growth::{Added, Growth, affordable, no_room};
pub use input::{Input, parse, parse_isl};
pub use kept::{LeftThere, WithKernels, keep_on_device, left_there};
pub use kernels::kernels_of;
pub use launches::{OnDevice, launches};
pub use machine::{describe_machine, host_machine, machine_named, machine_names};
pub use normal::{NormalOrder, normal_recipe, normalizing, whole_region};
pub use openscop::{Exchange, Reordered, endless, parse_openscop, reorder};
pub use options::Options;
pub use output::check_output;
pub use pieces::{Piece, leave_out, pieces};
pub use pipeline::optimize;
pub use project::{Project, project_of};
pub use prove::verify;
pub use ranking::{Learned, Ranked, Ranking, Work};
pub use read::{ReadOptions, read};
pub use recipe::read_recipe;
pub use session::Session;
pub use strategy::{Strategy, read_influence};
pub use template::Template;
pub use threads::each_region;
pub use tiling::{PointOrder, TileSizes};
pub use times::{PassTime, PassTimes};
