//! How programs are run and compared: all that an evaluator needs beside the candidates.

use farkas_run::{Build, Compiler, RunOptions, Tolerance, shell_words};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A program and how it is compiled, run and compared.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The name of the file, for messages of the compiler.
    pub name: String,
    /// The C text of the original.
    pub original: String,
    /// The compiler with the flags for all programs, as a shell reads them.
    pub compiler: String,
    /// More flags for all programs: folders of headers, macros.
    pub flags: Vec<String>,
    /// More flags for candidates alone.
    pub candidate_flags: Vec<String>,
    /// Arguments of the programs, as a shell reads them.
    pub arguments: String,
    /// Threads of the programs, as `OMP_NUM_THREADS` has them.
    pub threads: u32,
    /// Milliseconds after which a run is given up.
    pub time_limit_ms: u64,
    /// How far numbers in the output may be from the original's, relative to them; zero compares byte for byte.
    pub tolerance: f64,
    /// Whether a program that prints nothing is run, too.
    pub allows_no_output: bool,
}

impl Setup {
    /// The compiler.
    pub(super) fn compiler(&self) -> Result<Compiler, farkas_run::Error> {
        self.compiler.parse()
    }

    /// How the original is compiled.
    pub(super) fn original_build(&self) -> Build {
        Build::text(&self.name, &self.original).flags(self.flags.iter().cloned())
    }

    /// How a candidate is compiled.
    pub(super) fn candidate_build(&self, text: &str) -> Build {
        let flags = self.flags.iter().chain(&self.candidate_flags).cloned();
        Build::text(&self.name, text).flags(flags)
    }

    /// How programs run.
    pub(super) fn run_options(&self) -> Result<RunOptions, farkas_run::Error> {
        let arguments = shell_words(&self.arguments)?;
        let time_limit = Duration::from_millis(self.time_limit_ms);
        let options = RunOptions { arguments, time_limit, ..RunOptions::default() };
        Ok(options.threads(self.threads.max(1) as usize))
    }

    /// How far outputs may differ.
    pub(super) fn tolerance(&self) -> Tolerance {
        Tolerance { relative: self.tolerance, ..Tolerance::EXACT }
    }
}
