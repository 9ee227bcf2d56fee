//! A small C lexer: enough to align an expanded line with the line that the user wrote, and to expand macros.
//!
//! It knows comments, string and character literals, spliced lines (a backslash before the line end) and directives, and
//! takes any text: what is not C becomes one-character punctuation.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// An identifier or keyword.
    Identifier,
    /// A preprocessing number.
    Number,
    /// A string literal or a character constant, with its prefix.
    Literal,
    /// An operator or other character.
    Punctuation,
    /// A whole preprocessing directive, from `#` to the end of its last spliced line.
    Directive,
}

/// A token as a range of the lexed text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: TokenKind,
    /// Where it is.
    pub(super) range: Range<usize>,
    /// Line of its first byte, from the lexer's first line.
    pub(super) line: u32,
    /// Whether white space or a comment precedes it.
    pub(super) spaced: bool,
}

/// Yields the tokens of a text in order.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    fresh_line: bool,
    directives: bool,
}

impl<'a> Lexer<'a> {
    /// A lexer of a whole file, whose first line is 1 and whose directives become one token each.
    pub(super) fn of_file(text: &'a str) -> Self {
        let byte_order_mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, at: byte_order_mark, line: 1, fresh_line: true, directives: true }
    }

    /// A lexer of a piece of text in which `#` is an operator; the first line is `line`.
    pub(super) fn of_piece(text: &'a str, line: u32) -> Self {
        Self { text, at: 0, line, fresh_line: false, directives: false }
    }

    /// The lexer, continued from byte `at`.
    pub(super) fn starting_at(mut self, at: usize) -> Self {
        self.at = at;
        self
    }

    /// The byte `ahead` bytes on, 0 beyond the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Steps over `n` bytes, counting lines.
    fn skip(&mut self, n: usize) {
        let end = (self.at + n).min(self.text.len());
        let newlines = self.text.as_bytes()[self.at..end].iter().filter(|&&b| b == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX));
        self.at = end;
    }

    /// Length of a spliced line end here, else 0.
    fn splice(&self) -> usize {
        match (self.peek(0), self.peek(1), self.peek(2)) {
            (b'\\', b'\n', _) => 2,
            (b'\\', b'\r', b'\n') => 3,
            _ => 0,
        }
    }

    /// Whether a line ends here.
    fn ends_line(&self) -> bool {
        matches!((self.peek(0), self.peek(1)), (b'\n', _) | (b'\r', b'\n'))
    }

    /// Steps over a comment that starts here; whether there was one.
    fn skip_comment(&mut self) -> bool {
        match (self.peek(0), self.peek(1)) {
            (b'/', b'*') => {
                let rest = &self.text.as_bytes()[self.at + 2..];
                let end = rest.windows(2).position(|w| w == b"*/").map_or(rest.len(), |i| i + 2);
                self.skip(end + 2);
                true
            }
            (b'/', b'/') => {
                while self.at < self.text.len() && !self.ends_line() {
                    self.skip(self.splice().max(1));
                }
                true
            }
            _ => false,
        }
    }

    /// Steps over white space, comments and spliced line ends; whether there were any.
    fn skip_blanks(&mut self) -> bool {
        let start = self.at;
        while self.at < self.text.len() {
            let splice = self.splice();
            if splice > 0 {
                self.skip(splice);
            } else if self.peek(0).is_ascii_whitespace() || self.peek(0) == 0x0b {
                self.fresh_line |= self.peek(0) == b'\n' && self.directives;
                self.skip(1);
            } else if !self.skip_comment() {
                break;
            }
        }
        self.at > start
    }

    /// Steps over a directive: up to, not including, the end of its last line.
    fn skip_directive(&mut self) {
        while self.at < self.text.len() && !self.ends_line() {
            let splice = self.splice();
            if splice > 0 {
                self.skip(splice);
            } else if matches!(self.peek(0), b'"' | b'\'') {
                self.skip_literal();
            } else if !self.skip_comment() {
                self.skip(1);
            }
        }
    }

    /// Steps over a literal whose quote is here; an unterminated one ends with its line.
    fn skip_literal(&mut self) {
        let quote = self.peek(0);
        self.skip(1);
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\\' => self.skip(self.splice().max(2)),
                _ if self.ends_line() => return,
                byte => {
                    self.skip(1);
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    /// Steps over a preprocessing number.
    fn skip_number(&mut self) {
        while self.at < self.text.len() {
            let byte = self.peek(0);
            if matches!(byte, b'e' | b'E' | b'p' | b'P') && matches!(self.peek(1), b'+' | b'-') {
                self.skip(2);
            } else if is_identifier_byte(byte) || byte == b'.' {
                self.skip(1);
            } else {
                return;
            }
        }
    }

    /// Steps over an operator, the longest that fits.
    fn skip_operator(&mut self) {
        const LONG: [&str; 22] = [
            "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
            "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=",
        ];
        let rest = &self.text[self.at..];
        let length = match LONG.iter().find(|op| rest.starts_with(**op)) {
            Some(op) => op.len(),
            None if rest.starts_with("##") => 2,
            None => rest.chars().next().map_or(1, char::len_utf8),
        };
        self.skip(length);
    }
}

/// Whether `byte` may stand in an identifier; bytes beyond ASCII may (C11, annex D).
pub(super) fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let spaced = self.skip_blanks();
        if self.at >= self.text.len() {
            return None;
        }
        let (start, line) = (self.at, self.line);
        let fresh = std::mem::replace(&mut self.fresh_line, false);
        let first = self.peek(0);
        let kind = if first == b'#' && fresh && self.directives {
            self.skip_directive();
            TokenKind::Directive
        } else if first.is_ascii_digit() || (first == b'.' && self.peek(1).is_ascii_digit()) {
            self.skip_number();
            TokenKind::Number
        } else if is_identifier_byte(first) {
            while is_identifier_byte(self.peek(0)) {
                self.skip(1);
            }
            let prefix = matches!(&self.text[start..self.at], "L" | "u" | "U" | "u8");
            if prefix && matches!(self.peek(0), b'"' | b'\'') {
                self.skip_literal();
                TokenKind::Literal
            } else {
                TokenKind::Identifier
            }
        } else if matches!(first, b'"' | b'\'') {
            self.skip_literal();
            TokenKind::Literal
        } else {
            self.skip_operator();
            TokenKind::Punctuation
        };
        self.at = snap(self.text, self.at);
        Some(Token { kind, range: start..self.at, line, spaced })
    }
}

/// The first character boundary of `text` at or after `at`.
fn snap(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let shown: Vec<_> =
            Lexer::of_file(text).map(|t| format!("{}:{}", t.line, &text[t.range])).collect();
        assert_eq!(shown.join(" "), expect, "{text:?}");
    }

    #[test]
    fn tokens_of_c() {
        check("a+=b[i]++ ;", "1:a 1:+= 1:b 1:[ 1:i 1:] 1:++ 1:;");
        check("1.5e-3f .5 0x1p+2 1..2", "1:1.5e-3f 1:.5 1:0x1p+2 1:1..2");
        check(r#"f(L"a\"b", 'x', "//")"#, r#"1:f 1:( 1:L"a\"b" 1:, 1:'x' 1:, 1:"//" 1:)"#);
    }

    #[test]
    fn comments_splices_and_directives() {
        check("a/*\n*/b // c \\\n d\ne", "1:a 2:b 4:e");
        check("a \\\r\n b", "1:a 2:b");
        check("x\n  #  pragma scop \\\n more\ny # z", "1:x 2:#  pragma scop \\\n more 4:y 4:# 4:z");
        check("# pragma scop // c\r\n x", "1:# pragma scop // c 2:x");
        check("\"a\r\nb", "1:\"a 2:b");
        check("# define A /* x\n y */ b\nc", "1:# define A /* x\n y */ b 3:c");
    }

    #[test]
    fn any_text_ends() {
        for text in [
            "\"abc",
            "'",
            "/*",
            "//",
            "\\",
            "\"\\",
            "é ü",
            "\"é\\é",
            "#",
            "\u{0}\u{1}",
            ".",
            "1e+",
            "\\\r",
        ] {
            let last = Lexer::of_file(text).last();
            assert!(last.is_none_or(|t| t.range.end <= text.len()), "{text:?}");
        }
    }
}
