//! Messages on scops that make no program.

use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use std::sync::Arc;

/// A result, or what is wrong with the scop.
pub(super) type Lower<T> = Result<T, Box<Diagnostic>>;

/// A part of the file.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) source: &'a Arc<SourceFile>,
    pub(super) span: Span,
}

impl Place<'_> {
    /// The first line of the part, which is what a message shows of it.
    fn first_line(&self) -> Span {
        let text = self.source.slice(self.span);
        let length = text.lines().next().map_or(0, str::len);
        let start = self.span.range().start;
        Span::new(start..start + length)
    }

    /// A diagnostic at this place.
    pub(super) fn diagnostic(
        &self,
        id: DiagnosticId,
        message: impl Into<String>,
        label: &str,
    ) -> Diagnostic {
        Diagnostic::new(id, message).at(self.source, self.first_line(), label)
    }

    /// The message that refuses the scop.
    pub(super) fn refuse(&self, message: impl Into<String>, label: &str) -> Box<Diagnostic> {
        let diagnostic = self.diagnostic(DiagnosticId::UnsupportedOpenscop, message, label);
        Box::new(diagnostic.help("`farkas explain unsupported-openscop` says what makes a program"))
    }

    /// The result, or a message when isl could not answer.
    pub(super) fn poly<T>(&self, result: farkas_poly::Result<T>) -> Lower<T> {
        result.map_err(|error| {
            let message = format!("too complex: {error}");
            Box::new(self.diagnostic(DiagnosticId::TooComplex, message, "in this part"))
        })
    }
}
