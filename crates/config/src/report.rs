//! Messages while a file is read: collected, each with its place, with a suggestion where a word nearly fits.

use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span, nearest};
use std::sync::Arc;

/// Messages that are kept of one file, errors and others apart: whoever reads them corrects the file before there are more.
const MAX_MESSAGES: usize = 100;

/// What was found so far.
pub(crate) struct Report {
    source: Arc<SourceFile>,
    found: Vec<Diagnostic>,
}

impl Report {
    /// Nothing found yet.
    pub(crate) fn new(source: &Arc<SourceFile>) -> Self {
        Self { source: Arc::clone(source), found: Vec::new() }
    }

    /// A message at a place, to be completed and then given to [`Report::push`].
    pub(crate) fn at(
        &self,
        id: DiagnosticId,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(id, message).at(&self.source, span, label)
    }

    /// Adds a message, unless there are many of its kind.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.is_error();
        if self.found.iter().filter(|d| d.is_error() == is_error).count() < MAX_MESSAGES {
            self.found.push(diagnostic);
        }
    }

    /// Adds a message at a place that needs no more words.
    pub(crate) fn error(
        &mut self,
        id: DiagnosticId,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) {
        let diagnostic = self.at(id, span, message, label);
        self.push(diagnostic);
    }

    /// `value` and the warnings if there is no error; else all messages, in the order of the file.
    pub(crate) fn finish<T>(
        mut self,
        value: Option<T>,
    ) -> Result<(T, Vec<Diagnostic>), Vec<Diagnostic>> {
        self.found.sort_by_key(|d| d.primary.as_ref().map(|label| label.span));
        match value {
            Some(value) if !self.found.iter().any(Diagnostic::is_error) => Ok((value, self.found)),
            _ => Err(self.found),
        }
    }
}

/// Completes a message on a word that is none of `known`: the one that nearly fits, and what there is.
pub(crate) fn with_known<'a>(
    diagnostic: Diagnostic,
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let known: Vec<&str> = known.into_iter().collect();
    let diagnostic = match nearest(word, &known) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    };
    match known.is_empty() {
        true => diagnostic,
        false => diagnostic.note(format!("known here: {}", listed(&known))),
    }
}

/// The first few of them, between commas.
fn listed(words: &[&str]) -> String {
    const SHOWN: usize = 24;
    let shown = words.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if words.len() > SHOWN { format!("{shown}, …") } else { shown }
}
