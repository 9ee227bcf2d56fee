//! What loops do to memory and to processors, from their accesses and bodies alone: what planners choose by and what the cost model
//! counts with.
//!
//! - [`Affine`]: functions of instances as coefficients; [`StrideModel`]: how accesses move along loops; [`extent()`]: how long loops
//!   are.
//! - [`Nest`], [`Group`]: which elements, rows and lines the references in a band touch, for any sizes of tiles; [`TileCost`]: what
//!   tiles of these sizes cost on a machine.
//! - [`gpu_kernels`], [`Touched`]: what warps of a GPU touch at once; [`thread_registers`]: what a thread holds.
//! - [`Operations`]: what a statement computes; [`chain_cycles`]: how long its result waits
//!   for an operand, and [`follow`] when each of its results is there.
//!
//! Nothing here changes a program, and nothing here says what is legal.

mod affine;
mod bounds;
mod extent;
mod footprint;
mod latency;
mod operations;
mod registers;
mod stride;
mod tile_cost;
mod warps;

pub use affine::Affine;
pub use bounds::Bounds;
pub use extent::{extent, is_long, is_long_within, spread};
pub use footprint::{Footprint, Group, Nest, NestLoop, Reference};
pub use latency::{Elements, chain_cycles, follow};
pub use operations::Operations;
pub use registers::thread_registers;
pub use stride::{StmtRows, StrideModel};
pub use tile_cost::TileCost;
pub use warps::{GpuKernel, Lanes, Layout, MappedStmt, Spot, Touched, gpu_kernels, layout};

/// The result of asking isl.
pub type Result<T> = farkas_poly::Result<T>;

/// The names of the statements that occur in `domain`, sorted.
///
/// # Errors
/// When isl refuses.
pub fn stmt_names(domain: &farkas_poly::UnionSet) -> Result<Vec<String>> {
    let mut names: Vec<String> =
        domain.sets()?.iter().filter_map(farkas_poly::Set::tuple_name).collect();
    names.sort();
    names.dedup();
    Ok(names)
}
