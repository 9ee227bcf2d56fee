//! What is said between a search and a command that evaluates for it: one JSON object a line. docs/evaluators.md describes it.

use super::setup::Setup;
use farkas_tune::evolve::{Answer, Broke, Failed, Job};
use serde::{Deserialize, Serialize};

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// What a search says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "message", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Request {
    /// The first line.
    Hello {
        /// The version.
        protocol: u32,
    },
    /// A job.
    Job {
        /// Its name, which the answer has, too.
        id: String,
        /// How programs are compiled and run.
        setup: Box<Setup>,
        /// The texts of the candidates.
        candidates: Vec<String>,
        /// Rounds; each runs the original and all candidates.
        rounds: usize,
    },
}

/// What a command answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "message", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Reply {
    /// The first line.
    Ready {
        /// The version.
        protocol: u32,
        /// How many jobs it takes at a time.
        slots: usize,
    },
    /// What came of a job.
    Answer {
        /// Its name.
        id: String,
        /// The machine that ran it.
        machine: String,
        /// What its compiler calls itself.
        compiler: String,
        /// Nanoseconds of the original, one a round.
        original_ns: Vec<u64>,
        /// What came of the candidates, in the order of the job.
        candidates: Vec<Told>,
    },
    /// The job could not be done, whatever its candidates are.
    Error {
        /// Its name.
        id: String,
        /// Why.
        text: String,
    },
}

/// What came of a candidate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum Told {
    /// Its times.
    Times {
        /// Nanoseconds, one a round.
        ns: Vec<u64>,
    },
    /// Why there are none.
    Failed {
        /// What happened.
        failure: Broke,
        /// In words.
        text: String,
    },
}

impl Request {
    /// A job as a message.
    pub(super) fn job(id: String, setup: &Setup, job: &Job) -> Self {
        let (candidates, rounds) = (job.texts.clone(), job.rounds);
        Self::Job { id, setup: Box::new(setup.clone()), candidates, rounds }
    }
}

impl Reply {
    /// An answer as a message.
    pub(super) fn answer(id: String, answer: Answer) -> Self {
        let told = |result: Result<Vec<u64>, Failed>| match result {
            Ok(ns) => Told::Times { ns },
            Err(Failed { kind, text }) => Told::Failed { failure: kind, text },
        };
        let Answer { machine, compiler, original_ns, results } = answer;
        let candidates = results.into_iter().map(told).collect();
        Self::Answer { id, machine, compiler, original_ns, candidates }
    }
}

impl From<Told> for Result<Vec<u64>, Failed> {
    fn from(told: Told) -> Self {
        match told {
            Told::Times { ns } => Ok(ns),
            Told::Failed { failure, text } => Err(Failed { kind: failure, text }),
        }
    }
}

/// A message as a line.
pub(super) fn line(message: &impl Serialize) -> String {
    // Texts and numbers always have a JSON form.
    serde_json::to_string(message).unwrap_or_default() + "\n"
}
