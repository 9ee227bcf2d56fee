//! What becomes known while one region is worked on.

use crate::{Error, PassTimes};
use farkas_base::{Diagnostic, DiagnosticId};

/// The account of the work on one region: what its passes took, and what there is to tell.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// How long each pass took.
    pub times: PassTimes,
    /// Fallbacks that were taken, each a sentence.
    pub warnings: Vec<String>,
    /// Messages: what of a strategy of the user's was not followed, and bugs of ours that were noticed in time.
    pub diagnostics: Vec<Diagnostic>,
}

impl Session {
    /// Runs `work` on the account of `pass`.
    pub fn run<T>(&mut self, pass: &'static str, work: impl FnOnce() -> T) -> T {
        self.times.run(pass, work)
    }

    /// The first bug of ours that was noticed in time, if any: for tests.
    pub fn noticed_bug(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|diagnostic| diagnostic.id == DiagnosticId::IllegalForm)
    }

    /// Tells of a fallback.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }

    /// Tells of a bug of ours that a form of a region has, and what is done instead.
    pub(crate) fn bug(&mut self, error: &Error, instead: &str) {
        let message = format!("a bug of Farkas was noticed in time: {error}");
        let told = Diagnostic::new(DiagnosticId::IllegalForm, message)
            .note(instead)
            .help("please report it with the input file and the command line");
        self.diagnostics.push(told);
    }
}
