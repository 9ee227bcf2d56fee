//! What loops cost on a machine, in cycles: the model by which `auto` chooses between forms of a program.
//!
//! A loop AST is all that is asked, so that the original order, tiles, packed operands and separated loops are judged alike.
//! [`count`](counted) runs through it at random to learn how often each loop runs and how far each reference moves along
//! it; nothing is executed. From that come cycles of arithmetic and of loads and stores ([`core`]), of cache lines
//! ([`memory`]), of loops, and of threads.
//!
//! The crate knows no schedule and no dependence: a loop's parallelism is what the AST says of it. It writes nothing, and
//! the same AST always costs the same.

mod assumed;
mod cases;
mod code;
mod core;
mod counted;
mod footprint;
mod launches;
mod memory;
mod nest;
mod restarts;
mod sample;
mod storage;
mod terms;
mod threads;
mod turns;
mod waits;
mod walk;

pub use assumed::assumed_values;
pub use code::code_bytes;
pub use launches::{Launches, launches};
pub use storage::{expanded_bytes, touched_bytes};
pub use terms::Estimate;
pub use threads::{with_threads, worth_of_form};

use farkas_astgen::Ast;
use farkas_base::Id;
use farkas_interp::Params;
use farkas_machine::Machine;
use farkas_scop::Scop;

/// Why there is no estimate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// isl could not answer.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// A function of the scop has no value.
    #[error(transparent)]
    Value(#[from] farkas_interp::Error),
}

/// The result of estimates.
pub type Result<T> = std::result::Result<T, Error>;

/// What `ast`, whose statements are those of `scop`, costs on `machine` where parameters have the values `params`. Parameters that have
/// just two values choose between cases: the cost is the mean of all.
///
/// # Errors
/// When isl refuses or a parameter has no value.
pub fn estimate(scop: &Scop, ast: &Ast, machine: &Machine, params: &Params) -> Result<Estimate> {
    let cases = cases::cases(scop, params)?;
    let mut mean = Estimate::none(machine.caches.len());
    for case in &cases {
        mean.add(&estimate_of_case(scop, ast, machine, case)?, 1.0 / cases.len() as f64);
    }
    Ok(mean)
}

/// What it costs for these values alone.
fn estimate_of_case(
    scop: &Scop,
    ast: &Ast,
    machine: &Machine,
    params: &Params,
) -> Result<Estimate> {
    let counted = sample::count(scop, ast, params, sample::N_RUNS)?;
    let mut cost = nest::cost(scop, machine, &counted)?;
    for (array, _) in &ast.expanded {
        let extent = counted.arrays.get(array.index()).and_then(Option::as_ref);
        cost.pages[1] += memory::fresh(extent.map_or(0.0, |extent| extent.bytes as f64));
    }
    Ok(cost)
}
