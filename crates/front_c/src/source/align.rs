//! Aligning the expanded tokens with the tokens that the user wrote.
//!
//! Line markers give lines reliably, columns not at all. Both texts are walked together: a token that is no macro must
//! stand in both; a macro call is expanded (see [`expand`](super::expand)) to know how many tokens it made. Where that
//! fails, the next tokens that agree again end the call. Lines that conditional directives dropped are passed over by
//! their numbers.

use super::expand::{Expander, Following, Word};
use super::lexer::{Lexer, TokenKind};
use super::macros::MacroTable;
use super::preprocessed::{ExpandedToken, Include, Origin, Preprocessed};
use farkas_base::{SourceFile, Span};

/// A macro call in the user's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MacroCall {
    /// The macro.
    pub name: String,
    /// Its name and argument list in the original file.
    pub span: Span,
    /// The macros that took part, this one included.
    pub(super) macros: Vec<String>,
    /// A byte of the preprocessed text at which the call stands.
    pub(super) at: usize,
    /// Whether it is the call of a function that was inlined.
    pub is_inlined: bool,
}

/// A preprocessing directive of the user's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Directive {
    /// From `#` to the end of its last line.
    pub(super) span: Span,
    /// The line of its first byte and of its last.
    pub(super) lines: (u32, u32),
    /// The word after `#`.
    pub(super) name: String,
}

/// Where an expanded token was written, and the macro call that made it, as a position in [`Alignment::calls`].
pub(super) type Place = (Span, Option<u32>);

/// The result: one place for each expanded token.
#[derive(Debug)]
pub(super) struct Alignment {
    pub(super) places: Vec<Place>,
    pub(super) calls: Vec<MacroCall>,
    pub(super) directives: Vec<Directive>,
}

/// The tokens of the user's file, its directives apart.
struct Written<'a> {
    words: Vec<(TokenKind, &'a str)>,
    spans: Vec<Span>,
    lines: Vec<u32>,
}

/// The walk through both token lists.
struct Walk<'a> {
    written: &'a Written<'a>,
    expanded: &'a [ExpandedToken],
    text: &'a str,
    macros: &'a MacroTable,
    next_written: usize,
    places: Vec<Place>,
    calls: Vec<MacroCall>,
}

/// How far tokens that agree again are looked for.
const MAX_GAP: usize = 20_000;

/// How many of the user's tokens may be passed over at once where the texts disagree.
const MAX_SKIP: usize = 64;

/// Finds the place of each token of `preprocessed`, whose text is `text`, in `source`.
pub(super) fn align(source: &SourceFile, text: &str, preprocessed: &Preprocessed) -> Alignment {
    let (written, directives) = lex(source.text());
    let mut walk = Walk {
        written: &written,
        expanded: &preprocessed.tokens,
        text,
        macros: &preprocessed.macros,
        next_written: 0,
        places: Vec::with_capacity(preprocessed.tokens.len()),
        calls: Vec::new(),
    };
    while let Some(token) = walk.expanded.get(walk.places.len()) {
        match token.origin {
            Origin::Included(index) => {
                let span = include_span(preprocessed.includes.get(index), &directives);
                walk.places.push((span, None));
            }
            Origin::Own { line } => walk.step(source, line),
        }
    }
    let Walk { places, calls, .. } = walk;
    Alignment { places, calls, directives }
}

/// The directive that includes a file; the start of the file for an inclusion from the command line.
pub(super) fn include_span(include: Option<&Include>, directives: &[Directive]) -> Span {
    let line = include.map_or(0, |i| i.line);
    let found = directives.iter().find(|d| d.lines.0 <= line && line <= d.lines.1);
    found.map_or(Span { start: 0, end: 0 }, |d| d.span)
}

/// The tokens and directives of a file.
fn lex(text: &str) -> (Written<'_>, Vec<Directive>) {
    let mut written = Written { words: Vec::new(), spans: Vec::new(), lines: Vec::new() };
    let mut directives = Vec::new();
    for token in Lexer::of_file(text) {
        let word = &text[token.range.clone()];
        let span = Span::new(token.range);
        if token.kind == TokenKind::Directive {
            let name = Lexer::of_piece(word, 0).nth(1).map_or("", |t| &word[t.range]);
            let extra = u32::try_from(word.matches('\n').count()).unwrap_or(u32::MAX);
            let lines = (token.line, token.line.saturating_add(extra));
            directives.push(Directive { span, lines, name: name.to_owned() });
        } else {
            written.words.push((token.kind, word));
            written.spans.push(span);
            written.lines.push(token.line);
        }
    }
    (written, directives)
}

impl<'a> Walk<'a> {
    /// Places the next expanded token, which line markers put on `line`, or all tokens of the next macro call.
    fn step(&mut self, source: &SourceFile, line: u32) {
        while self.written.lines.get(self.next_written).is_some_and(|&l| l < line) {
            self.next_written += 1;
        }
        let expanded = &self.expanded[self.places.len()];
        let Some(&(kind, word)) = self.written.words.get(self.next_written) else {
            return self.places.push((line_span(source, line), None));
        };
        let next = self.written.words.get(self.next_written + 1).map(|(_, text)| *text);
        let expander = Expander::new(self.macros, self.text, expanded.range.start);
        if kind == TokenKind::Identifier && expander.is_call(word, next) {
            self.call(expander, expanded.range.start);
        } else if word == &self.text[expanded.range.clone()] {
            self.places.push((self.written.spans[self.next_written], None));
            self.next_written += 1;
        } else if let Some(skip) = self.agreement_ahead() {
            self.next_written += skip;
        } else {
            self.places.push((line_span(source, line), None));
        }
    }

    /// How many of the user's tokens to pass over until two tokens in a row agree.
    fn agreement_ahead(&self) -> Option<usize> {
        let at = self.places.len();
        (1..=MAX_SKIP).find(|skip| {
            let pair = |i: usize| {
                Some((
                    self.written.words.get(self.next_written + skip + i)?.1,
                    self.spelling(at + i)?,
                ))
            };
            pair(0).is_some_and(|(a, b)| a == b) && pair(1).is_none_or(|(a, b)| a == b)
        })
    }

    /// The spelling of expanded token `index`.
    fn spelling(&self, index: usize) -> Option<&str> {
        self.expanded.get(index).map(|t| &self.text[t.range.clone()])
    }

    /// Places the tokens of the macro call that comes next.
    fn call(&mut self, mut expander: Expander<'a>, at: usize) {
        let (first, written) = (self.next_written, self.written);
        let start = self.places.len();
        let mut following = Following { tokens: &written.words[first + 1..], taken: 0 };
        let words = expander.expand_call(written.words[first].1, &mut following);
        let taken = following.taken;
        let agrees = |words: &[Word<'_>]| {
            let spelled = |(i, w): (usize, &Word<'_>)| {
                self.spelling(start + i).is_some_and(|s| w.text.is_empty() || s == w.text)
            };
            words.iter().enumerate().all(spelled)
        };
        let expansion = words.filter(|words| agrees(words));
        let (n_written, n_expanded) = expansion
            .as_ref()
            .map_or_else(|| self.call_by_agreement(first), |words| (1 + taken, words.len()));
        let last = (first + n_written).min(written.words.len()) - 1;
        let span = written.spans[first].cover(written.spans[last]);
        if expansion.is_none() {
            let mentioned = written.words[first..=last]
                .iter()
                .filter(|(kind, _)| *kind == TokenKind::Identifier);
            expander.replaced = mentioned.map(|(_, text)| *text).collect();
        }
        let macros = expander.replaced.iter().map(|name| (*name).to_owned()).collect();
        let call = MacroCall {
            name: written.words[first].1.to_owned(),
            span,
            macros,
            at,
            is_inlined: false,
        };
        let index = u32::try_from(self.calls.len()).ok();
        self.calls.push(call);
        let n_expanded = n_expanded.min(self.expanded.len() - start);
        self.places.extend(std::iter::repeat_n((span, index), n_expanded));
        self.next_written = last + 1;
    }

    /// The extent of a call whose expansion is not known: tokens of the user's, and expanded tokens up to where both
    /// texts agree again.
    fn call_by_agreement(&self, first: usize) -> (usize, usize) {
        let start = self.places.len();
        let words = &self.written.words;
        let mut n_written = 1;
        if words.get(first + 1).is_some_and(|(_, text)| *text == "(") {
            let mut depth = 0usize;
            for (_, text) in &words[first + 1..] {
                n_written += 1;
                match *text {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
        let rest = &words[(first + n_written).min(words.len())..];
        let plain = rest.iter().take(3).take_while(|(_, text)| !self.macros.contains(text)).count();
        let agrees = |gap: &usize| {
            let same = |i: usize| self.spelling(start + gap + i).is_some_and(|b| b == rest[i].1);
            if rest.is_empty() {
                start + gap == self.expanded.len()
            } else {
                plain > 0 && (0..plain).all(same)
            }
        };
        let limit = MAX_GAP.min(self.expanded.len() - start);
        (n_written, (0..=limit).find(agrees).unwrap_or(1.min(limit)))
    }
}

/// The text of a line without the blanks around it.
pub(super) fn line_span(source: &SourceFile, line: u32) -> Span {
    let Some(range) = source.line_range(line) else {
        let end = source.text().len();
        return Span::new(end..end);
    };
    let text = &source.text()[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    Span::new(start..start.max(range.start + text.trim_end().len()))
}
