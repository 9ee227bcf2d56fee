//! What was evaluated, so that it is not evaluated again.

use crate::evolve::{Answer, Evaluator, Job};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// An answer, as a line of a journal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The hash of the job.
    pub job: String,
    /// When it was there, in seconds since 1970.
    pub at_s: u64,
    /// How long the search had taken by then, in milliseconds.
    pub elapsed_ms: u64,
    /// The answer.
    pub answer: Answer,
}

/// An evaluator with a memory: jobs whose answers are known are not handed out. The time of a search goes on where its last known answer
/// came, so that one that was cut off is gone through again as it was.
pub struct Journal<'a, E: Evaluator> {
    evaluator: E,
    /// Known answers by job, the earliest first: the same job may have been done several times.
    known: BTreeMap<String, VecDeque<Line>>,
    keep: &'a mut dyn FnMut(&Line) -> Result<(), E::Error>,
    clock: &'a dyn Fn() -> Clock,
    /// How long the search had taken when the clock showed `since`.
    before: Duration,
    since: Duration,
}

/// What a clock shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Since the program began.
    pub running: Duration,
    /// Seconds since 1970.
    pub at_s: u64,
}

impl<'a, E: Evaluator> Journal<'a, E> {
    /// A journal that knows some lines; `keep` is given each new one before anything is made of it.
    pub fn new(
        evaluator: E,
        known: Vec<Line>,
        keep: &'a mut dyn FnMut(&Line) -> Result<(), E::Error>,
        clock: &'a dyn Fn() -> Clock,
    ) -> Self {
        let mut by_job: BTreeMap<String, VecDeque<Line>> = BTreeMap::new();
        for line in known {
            by_job.entry(line.job.clone()).or_default().push_back(line);
        }
        let since = clock().running;
        Self { evaluator, known: by_job, keep, clock, before: Duration::ZERO, since }
    }

    /// How long the search has taken, with the time before it was cut off.
    pub fn elapsed(&self) -> Duration {
        self.before + (self.clock)().running.saturating_sub(self.since)
    }

    /// How many programs a job may have.
    pub(crate) fn width(&self) -> Option<usize> {
        self.evaluator.width()
    }

    /// Does all jobs whose answers are not known; the answers of all, in the order of the jobs.
    pub(crate) fn evaluate(&mut self, jobs: &[Job]) -> Result<Vec<(Answer, u64)>, E::Error> {
        let mut answers: Vec<Option<(Answer, u64)>> =
            jobs.iter().map(|job| self.recalled(job)).collect();
        let open: Vec<usize> = (0..jobs.len()).filter(|&at| answers[at].is_none()).collect();
        let asked: Vec<Job> = open.iter().map(|&at| jobs[at].clone()).collect();
        let Self { evaluator, keep, clock, before, since, .. } = self;
        if !asked.is_empty() {
            evaluator.evaluate(&asked, &mut |at, answer| {
                let Clock { running, at_s } = clock();
                let elapsed = *before + running.saturating_sub(*since);
                let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
                let line = Line { job: hash(&asked[at]), at_s, elapsed_ms, answer };
                keep(&line)?;
                answers[open[at]] = Some((line.answer, at_s));
                Ok(())
            })?;
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// The answer to a job where it is known.
    fn recalled(&mut self, job: &Job) -> Option<(Answer, u64)> {
        let line =
            self.known.get_mut(&hash(job))?.pop_front().filter(|line| line.answer.fits(job))?;
        self.before = self.before.max(Duration::from_millis(line.elapsed_ms));
        self.since = (self.clock)().running;
        Some((line.answer, line.at_s))
    }
}

/// The hash of a job: of its rounds and texts.
fn hash(job: &Job) -> String {
    let mut digest = Sha256::new();
    digest.update(job.rounds.to_le_bytes());
    for text in &job.texts {
        digest.update(text.len().to_le_bytes());
        digest.update(text);
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
