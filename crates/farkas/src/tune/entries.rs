//! What a database is told of what was evaluated.

use super::TuneError;
use crate::database::{Subject, told};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_db::{Database, Date, Entry, Failure, FailureKind, Measurement, Origin, Samples};
use farkas_tune::evolve::{Answer, Broke};

/// A database that hears of a search.
pub(super) struct Entries<'a> {
    /// The database.
    pub(super) database: &'a mut Database,
    /// What is searched for.
    pub(super) subject: &'a Subject,
    /// How programs are compiled.
    pub(super) environment: String,
    /// Threads of the candidates.
    pub(super) threads: u32,
}

impl Entries<'_> {
    /// Inserts what came of the program of a recipe. What it was told already makes no difference.
    ///
    /// # Errors
    /// When the database cannot be written to.
    pub(super) fn note(
        &mut self,
        recipe: &str,
        answer: &Answer,
        at: usize,
        at_s: u64,
    ) -> Result<(), TuneError> {
        let Some(entry) = self.entry(recipe, answer, at, at_s) else { return Ok(()) };
        let inserted = self.database.insert(&[entry]);
        inserted.map_err(|error| TuneError::Refused(vec![*told(&error)]))?;
        Ok(())
    }

    /// The entry; none where the region is no program by itself, or the clock shows no date.
    fn entry(&self, recipe: &str, answer: &Answer, at: usize, at_s: u64) -> Option<Entry> {
        let program = self.subject.program.as_ref().ok()?;
        let key = self.subject.key(&answer.machine, &answer.compiler);
        let date = Date::from_seconds(at_s).ok()?;
        let mut entry = Entry::new(key, program.clone(), recipe);
        entry.embedding = Some(self.subject.embedding().clone());
        entry.origins.insert(Origin::Tune);
        let seen = Seen { environment: &self.environment, threads: self.threads, at: date };
        seen.note(answer, at, &mut entry)?;
        Some(entry)
    }
}

/// How an answer came about.
pub(super) struct Seen<'a> {
    /// How programs were compiled.
    pub(super) environment: &'a str,
    /// Threads of the candidates.
    pub(super) threads: u32,
    /// When.
    pub(super) at: Date,
}

impl Seen<'_> {
    /// Adds what came of one of an answer's programs to the entry of its recipe; none where the answer has no such program.
    pub(super) fn note(&self, answer: &Answer, program: usize, entry: &mut Entry) -> Option<()> {
        let &Seen { environment, threads, at } = self;
        match answer.results.get(program)? {
            Ok(ns) => {
                entry.measurements.insert(Measurement {
                    at,
                    environment: environment.to_owned(),
                    baseline: Samples { threads: 1, ns: answer.original_ns.clone() },
                    recipe: Samples { threads, ns: ns.clone() },
                });
            }
            Err(failed) => {
                let kind = match failed.kind {
                    Broke::Refused => FailureKind::Refused,
                    Broke::Crash => FailureKind::Crash,
                    Broke::TimeOut => FailureKind::TimeOut,
                    Broke::WrongOutput => FailureKind::WrongOutput,
                };
                let threads = if failed.kind == Broke::Refused { 0 } else { threads };
                let text = failed.text.replace('\0', "");
                entry.failures.insert(Failure { at, kind, threads, text });
            }
        }
        Some(())
    }
}

/// The warning on a region of which a database is told nothing.
pub(super) fn untold(subject: &Subject) -> Option<Diagnostic> {
    let reason = subject.program.as_ref().err()?;
    let message = format!("the database is told nothing of this region: {reason}");
    Some(Diagnostic::new(DiagnosticId::UntoldRegion, message))
}
