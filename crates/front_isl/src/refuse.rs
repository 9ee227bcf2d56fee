//! A text in isl's YAML and the messages on what is wrong with it.

use crate::entries::{Entry, entries};
use crate::locate;
use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use farkas_poly::Error;
use std::str::FromStr;
use std::sync::Arc;

/// A result, or what is wrong with the text.
pub(crate) type Read<T> = Result<T, Box<Diagnostic>>;

/// A text and its keys.
pub(crate) struct Text<'a> {
    pub(crate) source: &'a Arc<SourceFile>,
    /// The text with blanks in the place of comments.
    pub(crate) clean: String,
    pub(crate) entries: Vec<Entry>,
}

impl<'a> Text<'a> {
    /// The text of `source`, which is a `what` with the keys `known`, each at most once.
    pub(crate) fn new(source: &'a Arc<SourceFile>, what: &str, known: &[&str]) -> Read<Self> {
        let clean = locate::without_comments(source.text());
        let entries = entries(&clean);
        let text = Self { source, clean, entries };
        if let Some((span, problem)) = locate::unbalanced(&text.clean) {
            return Err(text.wrong(format!("the {what} cannot be read: {problem}"), span, problem));
        }
        let keys = format!("the keys are {}", known.join(", "));
        if text.entries.is_empty() {
            let message = format!("`{}` holds no {what}: it has no key", source.name());
            return Err(Box::new(Diagnostic::new(DiagnosticId::BadIsl, message).help(keys)));
        }
        for (at, entry) in text.entries.iter().enumerate() {
            if !known.contains(&entry.name.as_str()) {
                let message = format!("a {what} has no key `{}`", entry.name);
                return Err(Box::new(text.wrong(message, entry.key, "unknown key").help(keys)));
            }
            if let Some(first) = text.entries[..at].iter().find(|e| e.name == entry.name) {
                let message = format!("the key `{}` stands there twice", entry.name);
                return Err(Box::new(
                    text.wrong(message, entry.key, "again").also(first.key, "first"),
                ));
            }
        }
        Ok(text)
    }

    /// The entry with the key `name`.
    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The entry of the domain, which every text has.
    pub(crate) fn domain(&self) -> Read<&Entry> {
        self.entry("domain").ok_or_else(|| {
            let first = self.entries.first().map_or(Span::new(0..0), |entry| entry.key);
            let error = self.wrong("the domain is missing", first, "the first key");
            Box::new(error.help("write the instances: `domain: { S[i] : 0 <= i < 9 }`"))
        })
    }

    /// The text of a value.
    pub(crate) fn value(&self, entry: &Entry) -> &str {
        self.clean.get(entry.value.range()).unwrap_or("")
    }

    /// The set or relation that a value is.
    pub(crate) fn read<T: FromStr<Err = Error>>(&self, entry: &Entry) -> Read<T> {
        let text = self.value(entry);
        text.parse::<T>().map_err(|error| match error {
            Error::Parse { .. } => self.bad_value(entry, &|text| text.parse::<T>().is_ok()),
            other => self.failed(entry.key, &other),
        })
    }

    /// The parts between semicolons of a value that is a union, with their places.
    pub(crate) fn parts<T: FromStr<Err = Error>>(&self, entry: &Entry) -> Read<Vec<(Span, T)>> {
        let (head, parts) = locate::pieces(self.value(entry)).unwrap_or_default();
        let start = entry.value.range().start;
        let parts = parts.into_iter().map(|(span, part)| {
            let place = Span::new(span.range().start + start..span.range().end + start);
            let part = format!("{head}{{ {part} }}").parse::<T>();
            Ok((place, part.map_err(|error| self.failed(place, &error))?))
        });
        parts.collect()
    }

    /// The message on a value that is not in isl notation: at its first part between semicolons that is not `good`.
    fn bad_value(&self, entry: &Entry, good: &dyn Fn(&str) -> bool) -> Box<Diagnostic> {
        let text = self.value(entry);
        let (head, parts) = locate::pieces(text).unwrap_or_default();
        let bad = parts.into_iter().find(|(_, part)| !good(&format!("{head}{{ {part} }}")));
        let span = match bad {
            Some((span, _)) => {
                let start = entry.value.range().start;
                Span::new(span.range().start + start..span.range().end + start)
            }
            None if text.is_empty() => entry.key,
            None => entry.value,
        };
        let message = format!("the {} is not in isl notation", entry.name.replace('_', " "));
        Box::new(self.wrong(message, span, "not understood").note(
            "names must be dimensions of tuples or parameters that are declared in front, as n in `[n] -> { S[i] : 0 <= i < n }`",
        ))
    }

    /// The message on something that isl could not work out, or that takes too much work.
    pub(crate) fn failed(&self, span: Span, error: &Error) -> Box<Diagnostic> {
        let id = match error {
            Error::OutOfBudget | Error::Overflow { .. } => DiagnosticId::TooComplex,
            _ => DiagnosticId::UnsupportedIsl,
        };
        Box::new(Diagnostic::new(id, error.to_string()).at(self.source, span, "here"))
    }

    /// The message on a text that is not of this form.
    pub(crate) fn wrong(
        &self,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(DiagnosticId::BadIsl, message).at(self.source, span, label))
    }

    /// The message on a text that is of this form but means nothing that can be scheduled.
    pub(crate) fn unsupported(
        &self,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(DiagnosticId::UnsupportedIsl, message).at(
            self.source,
            span,
            label,
        ))
    }

    /// Where the tuple called `name` stands first in a value; the key where it is not found.
    pub(crate) fn tuple(&self, entry: &Entry, name: &str) -> Span {
        let found = locate::tuple(self.value(entry), name).map(Span::range);
        let start = entry.value.range().start;
        found.map_or(entry.key, |found| Span::new(found.start + start..found.end + start))
    }
}
