//! Preprocess, compile, run, time and compare.
//!
//! A [`Compiler`] makes an [`Executable`] in a temporary folder; [`Executable::run`] gives an [`Output`] under a time
//! limit; [`first_difference`] compares outputs within a [`Tolerance`]; [`measure`] times versions in interleaved rounds,
//! and [`bench`](bench::bench) makes a [`Report`](bench::Report) of them that [`render_report`] turns into a table. A
//! version that crashes, runs out of time or prints something else has no time.
//!
//! This crate prints nothing itself and knows nothing of scops.

pub mod bench;
mod bf16;
mod compare;
mod compile;
mod error;
mod execute;
mod interrupt;
mod judge;
mod measure;
mod preprocess;
mod stats;
mod syntax;
mod system;
mod table;
mod words;

pub use bf16::{BF16_CONVERSIONS, compiler_with_bf16};
pub use compare::{Agreement, Difference, DifferenceKind, Tolerance, compare, first_difference};
pub use compile::{Build, Compiler, Executable, Input};
pub use error::Error;
pub use execute::{Exit, Output, RunOptions, run_command};
pub use interrupt::{
    Running, TemporaryFile, TemporaryFolder, clean_up, clean_up_on_signals, end_with_parent,
};
pub use judge::{Mismatch, Stream};
pub use measure::{Failure, Measure, Times, measure};
pub use preprocess::{Preprocessor, read_source, read_source_within, read_standard_input};
pub use stats::{Speedup, Summary, geometric_mean, is_faster};
pub use syntax::Replacement;
pub use system::read_system;
pub use table::{Align, Table, render_report, size_words, time_words};
pub use words::shell_words;
