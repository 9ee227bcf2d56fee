//! JSON text to a tree whose values know their place.

use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::ops::Range;
use std::sync::Arc;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// All of it, brackets and quotes included.
    pub(crate) span: Span,
    /// The value.
    pub(crate) value: Value,
}

/// A JSON value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number as it is written.
    Number(String),
    /// A string.
    Text(Text),
    /// A list.
    List(Vec<Node>),
    /// Keys and values in the order of the file; keys may occur twice.
    Object(Vec<(Text, Node)>),
}

/// A string without its quotes and escapes.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// What it says.
    pub(crate) text: String,
    /// All of it, quotes included.
    pub(crate) span: Span,
    /// What stands in the file between the quotes, where that is something else.
    escaped: Option<String>,
}

impl Node {
    /// What kind of value it is, in the words of messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Boolean(_) => "a truth value",
            Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }

    /// The place for messages on the value as a whole: all of it, or the opening bracket.
    pub(crate) fn place(&self) -> Span {
        match self.value {
            Value::List(_) | Value::Object(_) => opening(self.span),
            _ => self.span,
        }
    }
}

/// The first character of something in brackets.
fn opening(span: Span) -> Span {
    Span { start: span.start, end: span.end.min(span.start.saturating_add(1)) }
}

impl Text {
    /// A string in the source.
    fn new(text: String, range: Range<usize>, source: &str) -> Self {
        let inside = range.start.saturating_add(1)..range.end.saturating_sub(1);
        let written = source.get(inside).unwrap_or_default();
        let escaped = (written != text).then(|| written.to_owned());
        Self { text, span: Span::new(range), escaped }
    }

    /// The place of a part of the string, given as bytes of `text`.
    pub(crate) fn part(&self, range: Range<usize>) -> Span {
        let first = self.span.start as usize + 1;
        Span::new(first + self.written(range.start)..first + self.written(range.end))
    }

    /// How many bytes stand in the file for the first `offset` bytes of the text, up to the end of a character.
    fn written(&self, offset: usize) -> usize {
        let chars = self.text.char_indices().take_while(|(i, _)| *i < offset).map(|(_, c)| c);
        let Some(escaped) = &self.escaped else { return chars.map(char::len_utf8).sum() };
        let mut at = 0;
        for c in chars {
            let rest = escaped.get(at..).unwrap_or_default();
            at += match (rest.starts_with('\\'), rest.starts_with("\\u")) {
                // A character beyond the first 65536 is written as two escapes.
                (_, true) => 6 * c.len_utf16(),
                (true, false) => 2,
                (false, _) => c.len_utf8(),
            };
        }
        at.min(escaped.len())
    }
}

/// Reads strict JSON.
pub(crate) fn parse(source: &Arc<SourceFile>) -> Result<Node, Box<Diagnostic>> {
    let text = source.text();
    let strict = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict);
    let parsed = parsed.map_err(|error| Box::new(refused(source, &error)))?;
    let value = parsed.value.ok_or_else(|| Box::new(empty(source)))?;
    // What the first parser lets through: control characters in strings, for instance, and deep nesting.
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        return Err(Box::new(refused_by_serde(source, &error)));
    }
    Ok(node(&value, text))
}

/// The value with owned strings.
fn node(value: &ast::Value<'_>, source: &str) -> Node {
    let text = |s: &str, range: jsonc_parser::common::Range| {
        Text::new(s.to_owned(), range.start..range.end, source)
    };
    let range = value.range();
    let value = match value {
        ast::Value::StringLit(s) => Value::Text(text(&s.value, s.range)),
        ast::Value::NumberLit(n) => Value::Number(n.value.to_owned()),
        ast::Value::BooleanLit(b) => Value::Boolean(b.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(list) => {
            Value::List(list.elements.iter().map(|e| node(e, source)).collect())
        }
        ast::Value::Object(object) => {
            let entry = |p: &ast::ObjectProp<'_>| {
                (text(p.name.as_str(), p.name.range()), node(&p.value, source))
            };
            Value::Object(object.properties.iter().map(entry).collect())
        }
    };
    Node { span: Span::new(range.start..range.end), value }
}

/// The message on text that is not JSON.
fn refused(source: &Arc<SourceFile>, error: &ParseError) -> Diagnostic {
    let reason = lower_first(&error.kind().to_string());
    let range = error.range();
    let diagnostic = syntax(source, Span::new(range.start..range.end), &reason);
    match error.kind() {
        ParseErrorKind::CommentsNotAllowed => {
            diagnostic.help("JSON has no comments; a remark can go under the key `description`")
        }
        ParseErrorKind::TrailingCommasNotAllowed => {
            diagnostic.help("remove the comma before the bracket")
        }
        ParseErrorKind::SingleQuotedStringsNotAllowed => {
            diagnostic.help("write strings in double quotes")
        }
        _ => diagnostic,
    }
}

/// The message on text that only the second parser refuses.
fn refused_by_serde(source: &Arc<SourceFile>, error: &serde_json::Error) -> Diagnostic {
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
    let range = source.line_range(line).unwrap_or(source.text().len()..source.text().len());
    let mut at = (range.start + error.column().saturating_sub(1)).min(range.end);
    while !source.text().is_char_boundary(at) {
        at -= 1;
    }
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or_default();
    syntax(source, Span::new(at..at), reason)
}

/// The message on a file without a value.
fn empty(source: &Arc<SourceFile>) -> Diagnostic {
    syntax(source, Span::new(0..0), "the file is empty").help("it is one object: { … }")
}

/// The common form of these messages.
fn syntax(source: &Arc<SourceFile>, span: Span, reason: &str) -> Diagnostic {
    Diagnostic::new(DiagnosticId::JsonSyntax, format!("this is not JSON: {reason}"))
        .at(source, span, "")
}

/// The text with its first letter in lower case.
fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_escaped_strings_know_their_place() {
        let text = r#"["a\n\u00e9\ud83d\ude00b c"]"#;
        let source = Arc::new(SourceFile::new("a.json", text));
        let node = parse(&source).expect("JSON");
        let Value::List(items) = &node.value else { panic!("a list") };
        let Value::Text(string) = &items[0].value else { panic!("a string") };
        let at = string.text.find('c').expect("the letter");
        assert_eq!(source.slice(string.part(at..at + 1)), "c");
        assert_eq!(source.slice(string.part(1..2)), r"\n");
        assert_eq!(source.slice(string.part(4..8)), r"\ud83d\ude00");
    }
}
