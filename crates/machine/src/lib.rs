//! What a processor has, as far as it matters for loops: caches, vector registers, cores.
//!
//! A [`Machine`] is a plain value that transformations and cost models take. It comes from a machine file (crate
//! `config`), or from what the system says of itself: [`detect`] makes it of a [`SystemText`], the texts that the
//! kernel shows, and says what it had to assume.
//!
//! What this crate does not do: it opens no file and runs no instruction to find out.

mod cpuinfo;
mod detect;
mod list;
mod model;
mod system;

pub use cpuinfo::{CpuId, processor_name};
pub use detect::{Detected, KnownCpu, detect};
pub use list::cpu_list;
pub use model::{Cache, Machine, Threads, Vector};
pub use system::{CacheText, CpuText, SystemText};
