//! The lexer: words of lines, with their places. `#` opens a comment that ends with its line.

use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use std::ops::Range;
use std::sync::Arc;

/// A result, or what is wrong with the text.
pub(super) type Read<T> = Result<T, Box<Diagnostic>>;

/// A word or a line with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// Reads a part of a file from its start to its end.
#[derive(Clone)]
pub(super) struct Words<'a> {
    source: &'a Arc<SourceFile>,
    at: usize,
    end: usize,
}

impl<'a> Words<'a> {
    /// The words of the bytes `range` of `source`.
    pub(super) fn new(source: &'a Arc<SourceFile>, range: Range<usize>) -> Self {
        Self { source, at: range.start, end: range.end }
    }

    /// Another reader, of the bytes `range` of the same file.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        Self::new(self.source, range)
    }

    /// Where the next byte stands.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The text at a place.
    pub(super) fn slice(&self, span: Span) -> &'a str {
        self.source.slice(span)
    }

    /// Goes on at `position`.
    pub(super) fn seek(&mut self, position: usize) {
        self.at = position.min(self.end);
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'a str {
        self.source.text().get(self.at..self.end).unwrap_or("")
    }

    /// Skips blanks of the line.
    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    }

    /// Skips a comment up to the end of the line.
    fn skip_comment(&mut self) {
        if self.rest().starts_with('#') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// Skips blanks, comments and empty lines.
    pub(super) fn skip(&mut self) {
        loop {
            let before = self.at;
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            self.skip_comment();
            if self.at == before {
                return;
            }
        }
    }

    /// Whether only blanks and comments are left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip();
        self.rest().is_empty()
    }

    /// The next word of this line; none at its end.
    pub(super) fn word_of_line(&mut self) -> Option<Word<'a>> {
        self.skip_blanks();
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || c == '#').unwrap_or(rest.len());
        let text = rest.get(..end).filter(|text| !text.is_empty())?;
        let start = self.at;
        self.at += end;
        Some(Word { text, span: Span::new(start..self.at) })
    }

    /// The next word, on this line or a later one.
    pub(super) fn word(&mut self, expected: &str) -> Read<Word<'a>> {
        self.skip();
        self.word_of_line().ok_or_else(|| self.ends(expected))
    }

    /// All words of the next line that has one.
    pub(super) fn words(&mut self) -> Vec<Word<'a>> {
        self.skip();
        std::iter::from_fn(|| self.word_of_line()).collect()
    }

    /// The next line that is neither empty nor a comment, without blanks around it and without the comment behind it.
    pub(super) fn line(&mut self, expected: &str) -> Read<Word<'a>> {
        self.skip();
        let rest = self.rest();
        let end = rest.find(['\n', '#']).unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or("").trim_end();
        if text.is_empty() {
            return Err(self.ends(expected));
        }
        let span = Span::new(self.at..self.at + text.len());
        self.at += end;
        Ok(Word { text, span })
    }

    /// The next number, on this line or a later one.
    pub(super) fn number(&mut self, expected: &str) -> Read<i64> {
        let word = self.word(expected)?;
        self.as_number(word, expected)
    }

    /// The next number of things to come, which is not negative.
    pub(super) fn count(&mut self, of: &str) -> Read<usize> {
        let word = self.word(of)?;
        self.as_count(word, of)
    }

    /// A word as a number.
    pub(super) fn as_number(&self, word: Word<'_>, expected: &str) -> Read<i64> {
        let digits = word.text.strip_prefix(['-', '+']).unwrap_or(word.text);
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            return word.text.parse().map_err(|_| {
                let message = format!("`{}` does not fit 64 bits", word.text);
                self.wrong(
                    message,
                    word.span,
                    "this number",
                    "numbers between -2^63 and 2^63 - 1 are read",
                )
            });
        }
        let message = format!("`{}` is no number", word.text);
        self.error(message, word.span, format!("{expected} is expected here"))
    }

    /// A word as a number that is not negative.
    pub(super) fn as_count(&self, word: Word<'_>, of: &str) -> Read<usize> {
        let value = self.as_number(word, of)?;
        usize::try_from(value).or_else(|_| {
            self.error(
                format!("{of} is negative"),
                word.span,
                "a number from 0 is expected here".to_owned(),
            )
        })
    }

    /// That this line ends here, comments apart.
    pub(super) fn end_of_line(&mut self, after: &str) -> Read<()> {
        match self.word_of_line() {
            None => Ok(()),
            Some(word) => self.error(
                format!("`{}` stands behind {after}", word.text),
                word.span,
                "the line should end before this".to_owned(),
            ),
        }
    }

    /// An error at a place.
    pub(super) fn error<T>(&self, message: String, span: Span, label: String) -> Read<T> {
        Err(self.wrong(
            message,
            span,
            label,
            "compare with what `farkas opt --from c --to openscop` prints",
        ))
    }

    /// The message on a place.
    pub(super) fn wrong(
        &self,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
        help: &str,
    ) -> Box<Diagnostic> {
        let diagnostic = Diagnostic::new(DiagnosticId::BadOpenscop, message);
        Box::new(diagnostic.at(self.source, span, label).help(help))
    }

    /// The message on a part that ends too early.
    pub(super) fn ends(&self, expected: &str) -> Box<Diagnostic> {
        let (message, label) = (format!("{expected} is missing"), "the text ends here");
        let last = self.source.text().get(..self.end).map_or(0, |text| text.trim_end().len());
        self.wrong(message, Span::new(last..last), label, "the file may be cut off")
    }
}
