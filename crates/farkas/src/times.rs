//! How long each pass took; for people, never part of a result.

use farkas_poly::counted;
use std::fmt;
use std::time::{Duration, Instant};

/// What each pass took, in the order of first use; passes that ran several times are added up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PassTimes {
    passes: Vec<PassTime>,
}

/// What a pass took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassTime {
    /// Its name.
    pub name: &'static str,
    /// Wall-clock time.
    pub time: Duration,
    /// isl operations, in which budgets are counted.
    pub operations: u64,
}

/// More isl operations than any pass takes.
const MANY: u64 = u64::MAX / 4;

impl PassTimes {
    /// Runs `work` on the account of `pass`.
    pub fn run<T>(&mut self, pass: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let (result, operations) = counted(MANY, work);
        let time = start.elapsed();
        match self.passes.iter_mut().find(|known| known.name == pass) {
            Some(known) => {
                known.time += time;
                known.operations += operations;
            }
            None => self.passes.push(PassTime { name: pass, time, operations }),
        }
        result
    }

    /// The passes and what they took.
    pub fn passes(&self) -> &[PassTime] {
        &self.passes
    }
}

impl fmt::Display for PassTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for PassTime { name, time, operations } in &self.passes {
            let (ms, thousands) = (time.as_secs_f64() * 1e3, *operations as f64 / 1e3);
            writeln!(f, "{ms:>10.3} ms {thousands:>10.1} thousand isl operations  {name}")?;
        }
        Ok(())
    }
}
