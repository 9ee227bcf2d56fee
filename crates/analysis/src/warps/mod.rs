//! What the warps of a GPU's kernels touch at once: sectors of memory, and words in the banks of shared memory.
//!
//! - `kernels`: which block, thread and moment an instance of a statement has, by the marks of a tree.
//! - `lanes`: the instances that a warp runs in step at some place.
//! - `touched`: how many sectors and banks their elements lie in.
//!
//! All of it is asked for given values of the parameters, from the access relations and the dates of the tree alone: isl sets of at most as many
//! points as a warp has threads. Rows and arrays begin where they begin in memory when the first element of an array begins a sector; where
//! rows are of unknown length, each begins one.

mod kernels;
mod lanes;
mod touched;

pub use kernels::{GpuKernel, MappedStmt, gpu_kernels};
pub use lanes::{Lanes, Spot};
pub use touched::{Layout, Touched, layout};
