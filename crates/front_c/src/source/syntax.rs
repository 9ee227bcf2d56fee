//! Where a text that cannot be parsed is wrong.
//!
//! The parser goes on after an error, and often notices a missing bracket far from its place. So brackets are matched
//! first, and only where they match do we trust the parser's own places.

use super::lexer::{Lexer, TokenKind};
use super::nodes::children;
use super::unit::TranslationUnit;
use farkas_base::{Diagnostic, DiagnosticId, Span};
use std::ops::Range;
use tree_sitter::Node;

/// How many errors of one function are shown.
const MAX_SHOWN: usize = 3;

/// What is wrong with `node`, which has syntax errors; at least one diagnostic.
pub(super) fn syntax_errors(unit: &TranslationUnit, node: Node<'_>) -> Vec<Diagnostic> {
    if let Some(diagnostic) = unbalanced(unit) {
        return vec![diagnostic];
    }
    let mut errors = Vec::new();
    collect_errors(node, &mut errors);
    errors.dedup_by_key(|n| unit.span(*n));
    errors.truncate(MAX_SHOWN);
    if errors.is_empty() {
        errors.push(node);
    }
    errors.into_iter().map(|error| describe(unit, error)).collect()
}

/// The diagnostic for an ERROR or MISSING node.
fn describe(unit: &TranslationUnit, error: Node<'_>) -> Diagnostic {
    let id = DiagnosticId::SyntaxError;
    if error.is_missing() {
        let after = unit.span_before(error.start_byte());
        let message = format!("`{}` is missing", error.kind());
        return Diagnostic::new(id, message).at(
            unit.source(),
            Span { start: after.end, end: after.end },
            "here",
        );
    }
    let first_line =
        unit.text(error).split('\n').find(|l| !l.trim().is_empty()).unwrap_or("").trim().to_owned();
    let span = unit.span(error);
    let line_end = unit
        .source()
        .slice(span)
        .find('\n')
        .map_or(span.end, |n| span.start + u32::try_from(n).unwrap_or(0));
    let span = Span { start: span.start, end: line_end };
    let diagnostic = Diagnostic::new(id, "this is not C that can be parsed").at(
        unit.source(),
        span,
        "unexpected here",
    );
    if unit.source().slice(span).trim() == first_line {
        diagnostic
    } else {
        diagnostic.note(format!("after preprocessing: `{first_line}`"))
    }
}

/// The innermost ERROR and MISSING nodes at or below `node`, in the order of the text.
fn collect_errors<'u>(node: Node<'u>, errors: &mut Vec<Node<'u>>) {
    const MAX_COLLECTED: usize = 100;
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if errors.len() >= MAX_COLLECTED {
            return;
        }
        let inner: Vec<_> =
            children(node).into_iter().filter(|c| c.has_error() || c.is_missing()).collect();
        if node.is_missing() || (node.is_error() && inner.is_empty()) {
            errors.push(node);
        }
        stack.extend(inner.into_iter().rev());
    }
}

/// The message on the first bracket of the text that has no partner.
fn unbalanced(unit: &TranslationUnit) -> Option<Diagnostic> {
    let text = unit.whole_text();
    let mut open: Vec<Range<usize>> = Vec::new();
    let mut odd_pair = None;
    for token in Lexer::of_piece(text, 0).filter(|t| t.kind == TokenKind::Punctuation) {
        let closes = match &text[token.range.clone()] {
            "(" | "[" | "{" => {
                open.push(token.range);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        let bracket = &text[token.range.clone()];
        let Some(last) = open.pop() else {
            let diagnostic = message(unit, format!("`{bracket}` closes nothing"), &token.range);
            return Some(with_hint(unit, diagnostic, odd_pair));
        };
        if text[last.clone()] != *closes {
            let opened = &text[last.clone()];
            let diagnostic = message(unit, format!("`{opened}` is never closed"), &last);
            return Some(
                diagnostic.also(unit.span_of(token.range), format!("`{bracket}` comes first")),
            );
        }
        if odd_pair.is_none()
            && bracket == "}"
            && indentation(unit, &last) != indentation(unit, &token.range)
        {
            odd_pair = Some((last, token.range));
        }
    }
    let last = open.pop()?;
    let diagnostic = message(unit, format!("`{}` is never closed", &text[last.clone()]), &last);
    Some(with_hint(unit, diagnostic, odd_pair))
}

/// `diagnostic`, pointing out a pair of braces whose lines are indented differently.
fn with_hint(
    unit: &TranslationUnit,
    diagnostic: Diagnostic,
    pair: Option<(Range<usize>, Range<usize>)>,
) -> Diagnostic {
    let Some((first, second)) = pair else { return diagnostic };
    let [first, second] = [first, second].map(|range| unit.span_of(range));
    if diagnostic.primary.as_ref().is_some_and(|p| p.span == first || p.span == second) {
        return diagnostic;
    }
    diagnostic
        .also(first, "perhaps this one")
        .also(second, "which this closes, indented differently")
}

/// A syntax error at `range` of the text.
fn message(unit: &TranslationUnit, message: String, range: &Range<usize>) -> Diagnostic {
    Diagnostic::new(DiagnosticId::SyntaxError, message).at(
        unit.source(),
        unit.span_of(range.clone()),
        "",
    )
}

/// The width of the blanks that the original line of the token at `range` begins with.
fn indentation(unit: &TranslationUnit, range: &Range<usize>) -> usize {
    let source = unit.source();
    let line = source.line_range(source.line(unit.span_of(range.clone()))).unwrap_or(0..0);
    let line = source.text().get(line).unwrap_or("");
    line.chars()
        .take_while(|c| matches!(c, ' ' | '\t'))
        .map(|c| if c == '\t' { 8 } else { 1 })
        .sum()
}
