//! Who runs programs.

use serde::{Deserialize, Serialize};

/// Programs that take turns with the original.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Job {
    /// Their C texts, each of which went through the legality check.
    pub texts: Vec<String>,
    /// Rounds; each runs the original and every program once.
    pub rounds: usize,
}

/// What came of a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The machine that ran it.
    pub machine: String,
    /// What its compiler calls itself.
    pub compiler: String,
    /// Nanoseconds of the original, one a round.
    pub original_ns: Vec<u64>,
    /// Of each program its nanoseconds in the same rounds, or why it has none.
    pub results: Vec<Result<Vec<u64>, Failed>>,
}

/// Why a program has no times.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failed {
    /// What happened.
    pub kind: Broke,
    /// In words.
    pub text: String,
}

/// What can happen to a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Broke {
    /// The compiler refused it.
    Refused,
    /// It ended with another status than 0, or by a signal.
    Crash,
    /// It ran out of time.
    TimeOut,
    /// It printed something else than the original.
    WrongOutput,
}

impl Answer {
    /// Whether it is one to a job: times above zero for every round, and something for every program.
    pub fn fits(&self, job: &Job) -> bool {
        let are_times = |ns: &Vec<u64>| ns.len() == job.rounds && ns.iter().all(|&ns| is_time(ns));
        let is_whole = |result: &Result<Vec<u64>, Failed>| result.as_ref().map_or(true, are_times);
        let is_named = !self.machine.trim().is_empty() && !self.compiler.trim().is_empty();
        is_named
            && are_times(&self.original_ns)
            && self.results.len() == job.texts.len()
            && self.results.iter().all(is_whole)
    }
}

/// Whether a number is one of nanoseconds that programs take.
fn is_time(ns: u64) -> bool {
    ns > 0 && i64::try_from(ns).is_ok()
}

/// Compiles programs, runs them in turns with the original, and compares their outputs with its.
pub trait Evaluator {
    /// What ends a search: that the original fails, that nobody is left who runs anything.
    type Error;

    /// How many programs a job may have; none where it may have any number.
    fn width(&self) -> Option<usize>;

    /// Does all jobs, in any order. `heard` is told each answer, with the position of its job, as soon as it is there.
    ///
    /// # Errors
    /// What ends the search; what was heard until then holds.
    fn evaluate(
        &mut self,
        jobs: &[Job],
        heard: &mut dyn FnMut(usize, Answer) -> Result<(), Self::Error>,
    ) -> Result<(), Self::Error>;
}
