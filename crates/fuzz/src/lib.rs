//! Random static-control C programs: the original and what Farkas makes of it must print the same.
//!
//! [`generate`] makes a [`Program`] of a seed: complete, without undefined behaviour, printing a hash of the bits of all
//! its arrays. A [`Checker`] puts it through the tool, compiles, runs and compares both versions; [`shrink`] makes a
//! failing program small by editing its structure. The program `farkas-fuzz` does this for thousands of seeds.
//!
//! With `--reductions` programs are sums, products, least and greatest values and the like in all forms, [`Shape::reductions`]. Their
//! arithmetic is exact, so that results are compared bit by bit in spite of orders that are free.
//!
//! With `--lanes` programs are long loops around recurrences, [`Shape::lanes`], which run in vector lanes.
//!
//! With `--bodies` statements set several elements by temporaries, [`Shape::bodies`], and come apart.
//!
//! With `--opencl` they run as kernels on an OpenCL device; a kernel that does not compile is a fault, though the original takes its place.
//!
//! With `--strategies` it tries random strategies and influence trees, in this process: see [`Case`] and [`check_case`].

mod agree;
mod bf16;
mod check;
mod config;
mod everyday;
mod flags;
mod generate;
mod print;
pub mod program;
mod shrink;
mod tool;

pub use agree::agrees;
pub use bf16::compiler_of_bf16;
pub use check::{
    Checker, Transformed, Verdict, diagnostic_id, has_cells_for_lanes, has_free_order, has_parts,
};
pub use config::{Case, ConfigTally, Finding, Kind, Setup, check_case};
pub use everyday::{
    Everyday, EverydayChecker, Kind as EverydayKind, generate_everyday, shrink_everyday,
};
pub use farkas_damage::Random;
pub use flags::{Flags, Tiles};
pub use generate::{Shape, generate};
pub use program::Program;
pub use shrink::shrink;
pub use tool::{machine_text, run_normalizer, run_tool};
