//! Pragmas, and their places in the original file.

use super::align::{self, Alignment};
use super::lexer::Lexer;
use super::preprocessed::{Origin, Preprocessed};
use farkas_base::{SourceFile, Span};
use std::collections::BTreeSet;
use std::ops::Range;

/// A `#pragma` of the user's file, or one of an included file that opens or closes a region or gives threads variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pragma {
    /// The words after `pragma`, for instance `scop` or `omp parallel for`.
    pub words: String,
    /// Its place in the text, between two tokens.
    pub at: usize,
    /// The whole directive (or `_Pragma` operator) in the original file; for an included file, the `#include`.
    pub span: Span,
    /// The included file and the line in it, when it does not stand in the user's own file.
    pub included: Option<(String, u32)>,
}

/// Finds each pragma in the original file.
pub(super) fn place_pragmas(
    source: &SourceFile,
    read: &Preprocessed,
    alignment: &Alignment,
    at: &[usize],
) -> Vec<Pragma> {
    let mut taken = BTreeSet::new();
    let mut pragmas = Vec::new();
    for (pragma, &at) in read.pragmas.iter().zip(at) {
        let words = pragma.words.clone();
        let (span, included) = match pragma.origin {
            Origin::Own { line } => {
                (pragma_span(source, alignment, line, &words, &mut taken), None)
            }
            Origin::Included(index) => (
                align::include_span(read.includes.get(index), &alignment.directives),
                Some(pragma.place.clone()),
            ),
        };
        pragmas.push(Pragma { words, at, span, included });
    }
    pragmas
}

/// The directive, `_Pragma` operator or macro call on `line` that makes the pragma `words`; else the line.
fn pragma_span(
    source: &SourceFile,
    alignment: &Alignment,
    line: u32,
    words: &str,
    taken: &mut BTreeSet<Span>,
) -> Span {
    let directives = alignment
        .directives
        .iter()
        .filter(|d| d.name == "pragma" && d.lines.0 <= line && line <= d.lines.1);
    let whole = align::line_span(source, line);
    let operators = pragma_operators(source, whole, words);
    let calls = alignment.calls.iter().map(|c| c.span).filter(|s| source.line(*s) == line);
    let mut candidates = directives.map(|d| d.span).chain(operators).chain(calls);
    candidates.find(|span| taken.insert(*span)).unwrap_or(whole)
}

/// The `_Pragma` operators with the string `words` in `line`.
fn pragma_operators(source: &SourceFile, line: Span, words: &str) -> Vec<Span> {
    let text = source.slice(line);
    let tokens: Vec<_> = Lexer::of_piece(text, 0).map(|t| t.range).collect();
    let first = words.split_whitespace().next().unwrap_or("");
    let operator = |window: &[Range<usize>]| {
        let [name, _, string, close] = window else { return None };
        let found = text[name.clone()] == *"_Pragma"
            && text[string.clone()].trim_matches('"').trim().starts_with(first);
        let start = line.start as usize;
        found.then(|| Span::new(start + name.start..start + close.end))
    };
    tokens.windows(4).filter_map(operator).collect()
}
