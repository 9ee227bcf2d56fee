//! How much larger strategy `auto` may make the code of a file.
//!
//! Forms with register tiles, packed operands and full tiles apart are much more code than the loops that they come from, which stand
//! beside them. What all regions of a file add is limited to a multiple of the code that the file has ([`Growth`]): a form that
//! exceeds that alone is not tried, and of those that are chosen the ones stay that save most for what they add. Sizes are estimates, of
//! the loop AST and of the text, so that they are the same everywhere.

use crate::options::Options;
use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// How many times as large as before the code of a file may become.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Growth(f64);

/// What a form adds to a file's code.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Added {
    /// Bytes of machine code.
    pub bytes: f64,
    /// Cycles that it takes less than the original.
    pub saved: f64,
}

/// Bytes that may be added to any file: one form with register tiles and copies of its operands takes some ten thousand, and small
/// programs are not to be left without it.
const ALWAYS_BYTES: f64 = 32_768.0;

/// Bytes of machine code of a word of C.
const WORD_BYTES: f64 = 8.0;

impl Default for Growth {
    fn default() -> Self {
        Self(3.0)
    }
}

impl Growth {
    /// No limit.
    pub const ANY: Self = Self(f64::INFINITY);

    /// Bytes of machine code that may be added to a file.
    pub fn room(self, source: &SourceFile) -> f64 {
        ((self.0 - 1.0) * WORD_BYTES * n_words(source.text()) as f64).max(ALWAYS_BYTES)
    }
}

impl FromStr for Growth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.trim_end_matches('x').parse::<f64>().ok();
        let times = number.filter(|times| times.is_finite() && *times >= 1.0);
        match text {
            "any" => Ok(Self::ANY),
            _ => times.map(Self).ok_or_else(|| {
                format!("`{text}` is no limit: expected a number of at least 1, as 3x, or any")
            }),
        }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_finite() { write!(f, "{}x", self.0) } else { f.write_str("any") }
    }
}

impl Options {
    /// Bytes of machine code that may be added to the file that the options are for; any number where the user names a form.
    pub fn room(&self) -> f64 {
        let source = self.source.as_ref().filter(|_| self.rank.is_none());
        source.map_or(f64::INFINITY, |source| self.growth.room(source))
    }
}

/// Which of these there is room for, those first that save most for what they add.
pub fn affordable(added: &[Added], room: f64) -> Vec<bool> {
    let worth = |at: &usize| added[*at].saved / added[*at].bytes.max(1.0);
    let mut order: Vec<usize> = (0..added.len()).collect();
    order.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
    let mut fits = vec![false; added.len()];
    let mut left = room;
    for at in order {
        if added[at].bytes <= left {
            fits[at] = true;
            left -= added[at].bytes;
        }
    }
    fits
}

/// The warning on regions that stay as they are for want of room; none where there are none.
pub fn no_room(source: &Arc<SourceFile>, left_out: &[Span], growth: Growth) -> Option<Diagnostic> {
    let (first, others) = left_out.split_first()?;
    let stay = match left_out.len() {
        1 => "a region stays as it is".to_owned(),
        n => format!("{n} regions stay as they are"),
    };
    let message = format!("{stay}: the file's code would become too large");
    let warning = Diagnostic::new(DiagnosticId::NoRoom, message).at(source, *first, "");
    let warning = others.iter().fold(warning, |warning, span| warning.also(*span, "and here"));
    Some(
        warning
            .note(format!(
                "it may become {growth} as large, and other regions gain more for what they add"
            ))
            .help("`--growth any` sets no limit"),
    )
}

/// The words of a C text, names and numbers, outside of comments, strings and the preprocessor's lines.
fn n_words(text: &str) -> usize {
    let mut n = 0;
    let mut rest = text.chars().peekable();
    let (mut in_word, mut is_first) = (false, true);
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        match c {
            '/' if next == Some('*') => {
                let mut last = ' ';
                let _ = rest.next();
                while let Some(c) = rest.next().filter(|c| !(last == '*' && *c == '/')) {
                    last = c;
                }
            }
            '/' if next == Some('/') => skip_line(&mut rest),
            '#' if is_first => skip_line(&mut rest),
            '"' | '\'' => {
                while let Some(inside) = rest.next().filter(|inside| *inside != c) {
                    if inside == '\\' {
                        let _ = rest.next();
                    }
                }
            }
            _ => {}
        }
        let is_word = c.is_alphanumeric() || c == '_' || c == '.' && in_word;
        n += usize::from(is_word && !in_word);
        in_word = is_word;
        is_first = c == '\n' || is_first && c.is_whitespace();
    }
    n
}

/// Skips the rest of a line, up to its end, and the next ones that belong to it.
fn skip_line(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let mut last = ' ';
    while let Some(c) = rest.next_if(|c| *c != '\n' || last == '\\') {
        last = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_becomes_code() {
        assert_eq!(n_words("int x = a[i] + 1.5;"), 5);
        assert_eq!(
            n_words("#define X \\\n 1\n  # if 3\nx /* y 'z */ \"a b\" // c \\\n d\n 'q' + e"),
            2
        );
        assert_eq!(n_words("p->q.r *= f(x, -3);"), 5);
        assert_eq!(n_words("/* open"), 0);
    }

    #[test]
    fn limits_are_numbers_of_times() {
        for text in ["3x", "1x", "2.5x", "any"] {
            assert_eq!(text.parse::<Growth>().expect(text).to_string(), text);
        }
        assert_eq!("3".parse(), Ok(Growth::default()));
        for text in ["", "0.5", "x", "inf", "nan", "-3"] {
            assert!(text.parse::<Growth>().is_err(), "{text}");
        }
    }

    #[test]
    fn large_files_have_more_room() {
        let file = |n: usize| SourceFile::new("a.c", "x = y;\n".repeat(n));
        assert_eq!(Growth::default().room(&file(1)), ALWAYS_BYTES);
        let large = Growth::default().room(&file(100_000));
        assert_eq!(large, 2.0 * WORD_BYTES * 200_000.0);
        assert_eq!(Growth::ANY.room(&file(1)), f64::INFINITY);
    }

    #[test]
    fn what_saves_most_for_its_size_stays() {
        let added = |bytes: f64, saved: f64| Added { bytes, saved };
        let all = [added(100.0, 10.0), added(10.0, 5.0), added(50.0, 40.0), added(0.0, 0.0)];
        assert_eq!(affordable(&all, 1000.0), [true; 4]);
        assert_eq!(affordable(&all, 70.0), [false, true, true, true]);
        assert_eq!(affordable(&all, 0.0), [false, false, false, true]);
    }
}
