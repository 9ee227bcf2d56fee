//! Diagnostics as data: what is wrong, where, why, and what to do.

use crate::{SourceFile, Span};
use std::sync::Arc;

/// How serious a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input is refused; nothing is written.
    Error,
    /// The result is right, but the user should know.
    Warning,
    /// What the tool did or did not do, and why.
    Remark,
}

impl Severity {
    /// The word that opens the message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Remark => "remark",
        }
    }
}

/// Defines the closed set of diagnostic ids with their severity and documentation.
macro_rules! diagnostic_ids {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $severity:ident;)+) => {
        /// The stable, kebab-case identity of a kind of diagnostic; its doc says what, why, and what to change.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum DiagnosticId { $($(#[doc = $doc])+ $variant,)+ }

        impl DiagnosticId {
            /// Every id, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable name, as printed in brackets.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The severity that this kind of diagnostic always has.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }

            /// The documentation paragraph: what, why, example, what to change.
            pub fn documentation(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc, "\n"),+),)+ }
            }
        }
    };
}

include!("diagnostic_ids.rs");

impl DiagnosticId {
    /// The id called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.name() == name)
    }
}

impl std::fmt::Display for DiagnosticId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in the source with a few words on its part in the matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What about it; may be empty.
    pub message: String,
}

/// One message to the user. Messages start in lower case and have no final dot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Which kind.
    pub id: DiagnosticId,
    /// What is wrong, naming the statement, array or loop.
    pub message: String,
    /// The file that the labels' spans lie in.
    pub source: Option<Arc<SourceFile>>,
    /// The place itself.
    pub primary: Option<Label>,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// Reasons and facts.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without a place.
    pub fn new(id: DiagnosticId, message: impl Into<String>) -> Self {
        Self {
            id,
            message: message.into(),
            source: None,
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Puts it at `span` of `source`, with `label` written under the caret.
    #[must_use]
    pub fn at(mut self, source: &Arc<SourceFile>, span: Span, label: impl Into<String>) -> Self {
        self.source = Some(Arc::clone(source));
        self.primary = Some(Label { span, message: label.into() });
        self
    }

    /// Adds another place of the same file.
    #[must_use]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.secondary.push(Label { span, message: label.into() });
        self
    }

    /// Adds a reason or fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The severity of its id.
    pub fn severity(&self) -> Severity {
        self.id.severity()
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }
}
