//! Values of the types that files consist of, each with a message where there is something else.

use crate::json::{Node, Text, Value};
use crate::names::Name;
use crate::report::{Report, with_known};
use farkas_base::{DiagnosticId, Span};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Lists that are longer are refused: nobody wrote them, and some of what is asked of a list's entries takes a look at all
/// pairs of them.
const MAX_ENTRIES: usize = 2000;

/// The entries of an object, each of a known key, none twice.
pub(crate) struct Fields<'n> {
    place: Span,
    what: String,
    entries: Vec<(&'n Text, &'n Node)>,
}

impl<'n> Fields<'n> {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(k, _)| k.text == key).map(|(_, value)| *value)
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&self, report: &mut Report, key: &str) -> Option<&'n Node> {
        let value = self.get(key);
        if value.is_none() {
            let message = format!("{} lacks the key `{key}`", self.what);
            report.error(DiagnosticId::MissingKey, self.place, message, "");
        }
        value
    }

    /// The place for messages on the object as a whole.
    pub(crate) fn place(&self) -> Span {
        self.place
    }
}

impl Report {
    /// An object with these keys; `what` it is reads like `an entry of fusion`.
    pub(crate) fn object<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        keys: &[&str],
    ) -> Option<Fields<'n>> {
        let Value::Object(all) = &node.value else {
            return self.wrong_type(node, what, "an object");
        };
        if all.len() > MAX_ENTRIES {
            let message = format!("{what} has {} keys", all.len());
            let label = format!("at most {MAX_ENTRIES} are read");
            self.error(DiagnosticId::TooManyEntries, node.place(), message, label);
            return None;
        }
        let mut entries: Vec<(&Text, &Node)> = Vec::new();
        for (key, value) in all {
            if let Some((first, _)) = entries.iter().find(|(k, _)| k.text == key.text) {
                let message = format!("the key `{}` stands twice in {what}", key.text);
                let diagnostic = self.at(DiagnosticId::DuplicateKey, key.span, message, "again");
                self.push(diagnostic.also(first.span, "first here"));
            } else if keys.contains(&key.text.as_str()) {
                entries.push((key, value));
            } else {
                let message = format!("{what} has no key `{}`", key.text);
                let diagnostic = self.at(DiagnosticId::UnknownKey, key.span, message, "");
                self.push(with_known(diagnostic, &key.text, keys.iter().copied()));
            }
        }
        Some(Fields { place: node.place(), what: what.to_owned(), entries })
    }

    /// A list.
    pub(crate) fn list<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        match &node.value {
            Value::List(items) if items.len() > MAX_ENTRIES => {
                let n = items.len();
                let message = format!("{} has {n} entries", quoted(what));
                let label = format!("at most {MAX_ENTRIES} are read");
                self.error(DiagnosticId::TooManyEntries, node.place(), message, label);
                None
            }
            Value::List(items) => Some(items),
            _ => self.wrong_type(node, what, "a list"),
        }
    }

    /// A string.
    pub(crate) fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n Text> {
        match &node.value {
            Value::Text(text) => Some(text),
            _ => self.wrong_type(node, what, "a string"),
        }
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&mut self, node: &Node, what: &str) -> Option<bool> {
        match node.value {
            Value::Boolean(value) => Some(value),
            _ => self.wrong_type(node, what, "true or false"),
        }
    }

    /// An integer within `range`.
    pub(crate) fn integer(
        &mut self,
        node: &Node,
        what: &str,
        range: RangeInclusive<i64>,
    ) -> Option<i64> {
        let Value::Number(written) = &node.value else {
            return self.wrong_type(node, what, "an integer");
        };
        let Some(value) = integer(written) else {
            return self.wrong_type(node, what, "an integer");
        };
        if !range.contains(&value) {
            let message = format!("{} is out of range: {written}", quoted(what));
            let label = format!("from {} to {}", range.start(), range.end());
            self.error(DiagnosticId::ValueOutOfRange, node.span, message, label);
            return None;
        }
        Some(value)
    }

    /// One word of a few, with what it stands for.
    pub(crate) fn word<T: Clone>(
        &mut self,
        node: &Node,
        what: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(node, what)?;
        let found = words.iter().find(|(word, _)| *word == text.text);
        if found.is_none() {
            let message = format!("{} cannot be `{}`", quoted(what), text.text);
            let diagnostic = self.at(DiagnosticId::UnknownWord, text.span, message, "");
            self.push(with_known(diagnostic, &text.text, words.iter().map(|(word, _)| *word)));
        }
        found.map(|(_, value)| value.clone())
    }

    /// A list of such words, none twice.
    pub(crate) fn words<T: Clone>(
        &mut self,
        node: &Node,
        what: &str,
        words: &[(&str, T)],
    ) -> Option<Vec<T>> {
        let items = self.list(node, what)?;
        let item = format!("an entry of {what}");
        let values = items.iter().filter_map(|i| self.word(i, &item, words)).collect();
        self.no_text_twice(items, what);
        Some(values)
    }

    /// Reports strings that a list has twice.
    pub(crate) fn no_text_twice(&mut self, items: &[Node], what: &str) {
        let texts: Vec<&Text> = items
            .iter()
            .filter_map(|item| if let Value::Text(text) = &item.value { Some(text) } else { None })
            .collect();
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        for text in texts {
            let first = *seen.entry(&text.text).or_insert(text.span);
            if first == text.span {
                continue;
            }
            let message = format!("{} lists `{}` twice", quoted(what), text.text);
            let label = "has no effect here";
            let diagnostic = self.at(DiagnosticId::ContradictoryEntries, text.span, message, label);
            self.push(diagnostic.also(first, "first here"));
        }
    }

    /// The name or number of something: a string, or an integer that is not negative.
    pub(crate) fn name(&mut self, node: &Node, what: &str) -> Option<Name> {
        let text = match &node.value {
            Value::Text(text) => text.text.clone(),
            Value::Number(written) if integer(written).is_some() => {
                self.integer(node, what, 0..=i64::from(u32::MAX))?.to_string()
            }
            _ => return self.wrong_type(node, what, "a name or a number"),
        };
        Some(Name { text, span: node.span })
    }

    /// A list of names, or a single one.
    pub(crate) fn names(&mut self, node: &Node, what: &str) -> Option<Vec<Name>> {
        let Value::List(items) = &node.value else {
            return Some(vec![self.name(node, what)?]);
        };
        if items.is_empty() {
            let message = format!("{} is empty", quoted(what));
            self.error(DiagnosticId::ValueOutOfRange, node.span, message, "name at least one");
        }
        let item = format!("an entry of {what}");
        Some(items.iter().filter_map(|i| self.name(i, &item)).collect())
    }

    /// The message on a value of another type; always `None`, for callers to return.
    pub(crate) fn wrong_type<T>(&mut self, node: &Node, what: &str, expected: &str) -> Option<T> {
        let found = match &node.value {
            Value::Number(written) => written,
            _ => node.kind(),
        };
        let message = format!("{} must be {expected}, not {found}", quoted(what));
        let label = format!("{expected} goes here");
        let diagnostic = self.at(DiagnosticId::WrongType, node.place(), message, label);
        self.push(match (expected, &node.value) {
            ("a list", Value::Object(_)) => diagnostic.help("put it in brackets: [{ … }]"),
            _ => diagnostic,
        });
        None
    }
}

/// A key in quotes; what is called in several words, `an entry of fusion`, as it is.
fn quoted(what: &str) -> String {
    if what.contains(' ') { what.to_owned() } else { format!("`{what}`") }
}

/// The number if it is an integer, written in whatever way.
pub(crate) fn integer(written: &str) -> Option<i64> {
    /// Floating point is exact up to here.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Ok(value) = written.parse() {
        return Some(value);
    }
    let value: f64 = written.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "it is an integer of at most 53 bits")]
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64)
}
