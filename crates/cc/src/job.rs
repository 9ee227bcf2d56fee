//! What is asked of the process that transforms a file, and what it answers: JSON on its standard input and output.

use farkas::Growth;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::PathBuf;

/// A file to transform.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Job {
    /// The file as the command line names it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What the compiler's preprocessor makes of it, with line markers and macros.
    pub preprocessed: String,
    /// The machine that the code is for, as `--machine` names it.
    pub machine: String,
    /// Whether loops may run on threads.
    pub threads: bool,
    /// Whether sums of floating-point numbers, where their order is free, are to be the same in every run, whatever the number of threads.
    pub deterministic: bool,
    /// Whether what is stored as one type changes nothing of another.
    pub strict_aliasing: bool,
    /// isl operations that the file may take.
    pub effort: u64,
    /// How much larger the file's code may become, as `--growth` says it.
    #[serde(default = "usual_growth")]
    pub growth: String,
    /// The database whose recipes are tried beside others, if any.
    #[serde(default)]
    pub db: Option<PathBuf>,
}

/// The limit of those who say nothing of it.
fn usual_growth() -> String {
    Growth::default().to_string()
}

/// What becomes of a file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct Answer {
    /// The text to compile in its place; nothing where it stays.
    pub text: Option<String>,
    /// What was done, in a few words, or why nothing was.
    pub summary: String,
    /// Bugs of ours that were noticed in time.
    pub bugs: Vec<String>,
}

impl Job {
    /// What tells it from other jobs: a hash of all of it, and of the program that does it.
    pub fn key(&self, program: &str) -> String {
        let mut hash = Sha256::new();
        let Self { threads, deterministic, strict_aliasing, effort, growth, .. } = self;
        let numbers = format!("{threads} {deterministic} {strict_aliasing} {effort} {growth}");
        let db = self.db.as_ref().map_or_else(String::new, |path| format!("{path:?}"));
        let parts = [program, &self.name, &self.text, &self.preprocessed, &self.machine];
        for part in parts.into_iter().chain([&*numbers, &*db]) {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        hex(&hash.finalize())
    }
}

/// The hash of a text.
pub(crate) fn hash(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

/// Bytes as digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_differs_has_another_key() {
        let job = Job {
            name: "a.c".into(),
            text: "int x;".into(),
            preprocessed: "int x;".into(),
            machine: "host".into(),
            threads: false,
            deterministic: false,
            strict_aliasing: true,
            effort: 1,
            growth: "3x".into(),
            db: None,
        };
        let others = [
            Job { name: "b.c".into(), ..job.clone() },
            Job { text: "int y;".into(), ..job.clone() },
            Job { preprocessed: "int y;".into(), ..job.clone() },
            Job { machine: "amd-zen4".into(), ..job.clone() },
            Job { threads: true, ..job.clone() },
            Job { deterministic: true, ..job.clone() },
            Job { strict_aliasing: false, ..job.clone() },
            Job { effort: 2, ..job.clone() },
            Job { growth: "2x".into(), ..job.clone() },
            Job { db: Some("a.db".into()), ..job.clone() },
            // What moves from one part to the next is not the same.
            Job { name: "a.ci".into(), text: "nt x;".into(), ..job.clone() },
        ];
        let mut keys: Vec<String> = others.iter().map(|job| job.key("1")).collect();
        keys.extend([job.key("1"), job.key("2")]);
        let n = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), n);
        assert_eq!(job.key("1"), job.clone().key("1"));
    }
}
