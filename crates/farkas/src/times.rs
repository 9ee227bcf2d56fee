//! How long each pass took; for people, never part of a result.

use std::fmt;
use std::time::{Duration, Instant};

/// Wall-clock time a pass, in the order of first use; passes that ran several times are added up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PassTimes {
    passes: Vec<(&'static str, Duration)>,
}

impl PassTimes {
    /// Runs `work` on the account of `pass`.
    pub fn run<T>(&mut self, pass: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let elapsed = start.elapsed();
        match self.passes.iter_mut().find(|(name, _)| *name == pass) {
            Some((_, total)) => *total += elapsed,
            None => self.passes.push((pass, elapsed)),
        }
        result
    }

    /// The passes and their times.
    pub fn passes(&self) -> &[(&'static str, Duration)] {
        &self.passes
    }
}

impl fmt::Display for PassTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, time) in &self.passes {
            writeln!(f, "{:>10.3} ms  {name}", time.as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}
