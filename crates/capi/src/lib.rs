//! Strategies as dynamic libraries over a C ABI.
//!
//! `include/farkas_strategy.h` is the interface, `docs/strategies-in-c.md` the manual. [`load_strategy`] loads a library,
//! [`StrategyLibrary::strategy`] makes a [`PluginStrategy`] for a scop, which is a [`farkas_schedule::Strategy`] like any
//! other: the scheduler does not know the difference.
//!
//! What a library gives is copied and checked before anything is done with it. What makes no sense ends the run with a
//! message that names the library; memory that it does not own, or functions that never return, are beyond any check.
//!
//! What this crate does not do: it does not unload a library while something of it is in use, and it does not run one in
//! a process of its own.

mod abi;
mod arena;
mod callback;
mod error;
mod facts;
mod kinds;
mod library;
mod program;
mod read;
mod request;
mod setup;
mod shown;
mod strategy;

pub use error::{Error, Result};
pub use library::{StrategyLibrary, load_strategy, names_a_library};
pub use strategy::PluginStrategy;
