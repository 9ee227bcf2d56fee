//! `farkas cc`: the compiler wrapper. It stands before a C compiler in a build and gives it faster programs.
//!
//! [`run`] reads the compiler's command line ([`CommandLine`]). What compiles no C for speed is handed on as it is (`plan` says
//! what and why). Each file of C goes through the compiler's own preprocessor, with its own options, and to a process that transforms it
//! (`worker`, `work`): whatever happens there, the file is compiled as it is. Results stand in a cache, under the
//! name of the user's file and with its lines (`#line`), and the compiler gets them in the place of the sources.
//!
//! Messages, exit statuses and dependency files are those of the call as it is written: where it asks for warnings or for
//! dependency files, the compiler looks at the sources themselves first (`-fsyntax-only`). Where warnings are errors, it compiles
//! them: some warnings are found by optimizing alone.
//!
//! Bugs of ours are put on record ([`Log`]), with what is needed to see them again.

mod arguments;
mod cache;
mod call;
mod job;
mod log;
mod loops;
mod places;
mod plan;
mod response;
mod work;
mod worker;
mod wrap;

pub use arguments::{Argument, CommandLine, Kind};
pub use cache::{Cache, Entry};
pub use job::{Answer, Job};
pub use log::Log;
pub use places::{cache_folder, file_stamp, log_file, program_stamp};
pub use worker::answer;
pub use wrap::{Settings, run};

/// isl operations that a file may take where nothing else is said: a few seconds of one processor, or less.
pub const EFFORT: u64 = 5_000_000;
