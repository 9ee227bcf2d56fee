//! Programs run on this machine, one after another.

use super::TuneError;
use super::setup::Setup;
use crate::bench::host;
use farkas_run::bench::Outcome;
use farkas_run::{
    Compiler, Error as RunError, Executable, Exit, Failure, Measure, RunOptions, measure,
};
use farkas_tune::evolve::{Answer, Broke, Evaluator, Failed, Job};
use std::collections::BTreeMap;
use std::time::Duration;

/// Candidates may take this many times as long as the original, and some seconds more.
const PATIENCE: u32 = 10;
/// These seconds.
const GRACE: Duration = Duration::from_secs(5);

/// The compiler and the clock of this machine.
pub(super) struct Local {
    setup: Setup,
    compiler: Compiler,
    original: Executable,
    measure: Measure,
    machine: String,
    version: String,
    /// What was compiled, by its text: those that stay in a race run several times.
    built: BTreeMap<String, Result<Executable, Failed>>,
}

impl Local {
    /// Compiles the original and runs it once.
    pub(super) fn new(setup: &Setup) -> Result<Self, TuneError> {
        let compiler = setup.compiler()?;
        let original = compiler.compile(&setup.original_build())?;
        let run = setup.run_options()?;
        let first = original.run(&run)?;
        if first.exit != Exit::Code(0) {
            let said = first.stderr.lines().next().map_or_else(String::new, |l| format!(": {l}"));
            return Err(TuneError::Original { reason: format!("{}{said}", first.exit) });
        }
        let patience = (first.wall * PATIENCE + GRACE).min(run.time_limit);
        let measure = Measure {
            rounds: 1,
            warmup: 0,
            options: RunOptions { time_limit: patience, ..run },
            tolerance: setup.tolerance(),
            allows_no_output: setup.allows_no_output,
        };
        let version = compiler.version().unwrap_or_else(|| compiler.command.clone());
        let (setup, machine, built) = (setup.clone(), host().name, BTreeMap::new());
        Ok(Self { setup, compiler, original, measure, machine, version, built })
    }

    /// What it was made for.
    pub(super) fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Compiles a program, unless it was already.
    fn build(&mut self, text: &str) -> Result<(), TuneError> {
        if self.built.contains_key(text) {
            return Ok(());
        }
        let built = match self.compiler.compile(&self.setup.candidate_build(text)) {
            Ok(executable) => Ok(executable),
            Err(RunError::CompilationFailed { message, .. }) => {
                Err(Failed { kind: Broke::Refused, text: message })
            }
            Err(error) => return Err(error.into()),
        };
        self.built.insert(text.to_owned(), built);
        Ok(())
    }

    /// Does one job.
    pub(super) fn answer(&mut self, job: &Job) -> Result<Answer, TuneError> {
        job.texts.iter().try_for_each(|text| self.build(text))?;
        let built = |text: &String| self.built.get(text).and_then(|built| built.as_ref().ok());
        let mut versions: Vec<&Executable> = vec![&self.original];
        versions.extend(job.texts.iter().filter_map(built));
        let measure_it = Measure { rounds: job.rounds, ..self.measure.clone() };
        let mut times = measure(&versions, &measure_it)?.into_iter();
        let original_ns = match times.next() {
            Some(Ok(times)) => nanoseconds(&times.seconds),
            Some(Err(failure @ (Failure::Varies(_) | Failure::Silent))) => {
                return Err(TuneError::Uncomparable(Outcome::of_failure(&failure)));
            }
            Some(Err(failure)) => return Err(TuneError::Original { reason: failure.to_string() }),
            None => Vec::new(),
        };
        let results = job.texts.iter().map(|text| match self.built.get(text) {
            Some(Err(failed)) => Err(failed.clone()),
            _ => match times.next() {
                Some(Ok(times)) => Ok(nanoseconds(&times.seconds)),
                Some(Err(failure)) => Err(failed(&failure)),
                None => Err(Failed { kind: Broke::Crash, text: "it was not run".into() }),
            },
        });
        let results = results.collect();
        let (machine, compiler) = (self.machine.clone(), self.version.clone());
        Ok(Answer { machine, compiler, original_ns, results })
    }
}

/// Seconds as nanoseconds, above zero: a program that times itself may say that it took none.
fn nanoseconds(seconds: &[f64]) -> Vec<u64> {
    // Times are far below the 584 years that a number holds, and what is beyond becomes the greatest.
    seconds.iter().map(|seconds| (seconds * 1e9).round() as u64).map(|ns| ns.max(1)).collect()
}

/// What a failure is.
fn failed(failure: &Failure) -> Failed {
    let kind = match failure {
        Failure::Ended { exit: Exit::TimedOut, .. } => Broke::TimeOut,
        Failure::Differs(_) | Failure::Varies(_) | Failure::Silent => Broke::WrongOutput,
        _ => Broke::Crash,
    };
    Failed { kind, text: failure.to_string() }
}

impl Evaluator for Local {
    type Error = TuneError;

    fn width(&self) -> Option<usize> {
        None
    }

    fn evaluate(
        &mut self,
        jobs: &[Job],
        heard: &mut dyn FnMut(usize, Answer) -> Result<(), TuneError>,
    ) -> Result<(), TuneError> {
        for (at, job) in jobs.iter().enumerate() {
            let answer = self.answer(job)?;
            heard(at, answer)?;
        }
        Ok(())
    }
}
