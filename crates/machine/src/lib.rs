//! What a processor or a GPU has, as far as it matters for loops: caches, vector registers, cores; multiprocessors, registers, shared memory.
//!
//! A [`Machine`] is a plain value that transformations and cost models take. It comes from a machine file (crate
//! `config`), or from what the system says of itself: [`detect`] makes it of a [`SystemText`], the texts that the
//! kernel shows, and says what it had to assume. A [`Gpu`] comes from a machine file; [`Gpu::occupancy`] says how many blocks of a kernel it
//! runs at a time.
//!
//! What this crate does not do: it opens no file and runs no instruction to find out.

mod cpuinfo;
mod detect;
mod gpu;
mod list;
mod model;
mod occupancy;
mod system;

pub use cpuinfo::{CpuId, processor_name};
pub use detect::{Detected, KnownCpu, detect};
pub use gpu::{FmaRate, Gpu, Limits, RegisterFile, SharedMemory};
pub use list::cpu_list;
pub use model::{Cache, Machine, Threads, Vector};
pub use occupancy::{BlockNeeds, Limit, Occupancy};
pub use system::{CacheText, CpuText, SystemText};
