//! AKG's flat form: for each statement the rows that a schedule should have.
//!
//! **Format** a row is `[c_1, …, c_n, p_1, …, p_m, c]`, coefficients of iterators, of parameters, and the constant. An
//! integer is imposed, `?` is free, `?12` is free but the same wherever it appears. Behind the row `(/4)` and `(%4)`
//! take the quotient and the remainder; `(%1024, /4)` is both, from left to right.

use crate::json::Text;
use crate::names::Name;
use farkas_base::Span;
use std::ops::Range;

/// What is asked of one statement.
#[derive(Clone, Debug)]
pub(super) struct SoftConstraint {
    pub(super) statement: Name,
    /// Numbers of iterators and parameters.
    pub(super) meta: (usize, usize),
    /// Where they stand.
    pub(super) meta_span: Span,
    pub(super) rows: Vec<SoftRow>,
}

/// One row.
#[derive(Clone, Debug)]
pub(super) struct SoftRow {
    /// As its author wrote it.
    pub(super) text: String,
    pub(super) span: Span,
    /// Iterators, parameters, constant.
    pub(super) entries: Vec<Entry>,
    pub(super) strips: Vec<Strip>,
}

/// What is asked of one coefficient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Entry {
    /// This value.
    Imposed(i64),
    /// Nothing.
    Free,
    /// The value of all others of this name.
    Named(String),
}

/// A quotient or a remainder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strip {
    /// `/4`
    Quotient(i64),
    /// `%4`
    Remainder(i64),
}

/// Why a text is no row, and where in it.
pub(super) struct BadRow {
    pub(super) range: Range<usize>,
    pub(super) reason: &'static str,
}

/// Reads a row.
pub(super) fn parse_row(text: &Text) -> Result<SoftRow, BadRow> {
    let mut cursor = Cursor { text: &text.text, at: 0 };
    let mut entries = Vec::new();
    cursor.expect('[', "`[` goes here")?;
    loop {
        entries.push(cursor.entry()?);
        if !cursor.take(',') {
            break;
        }
    }
    cursor.expect(']', "`,` or `]` goes here")?;
    let mut strips = Vec::new();
    while cursor.take('(') {
        loop {
            strips.push(cursor.strip()?);
            if !cursor.take(',') {
                break;
            }
        }
        cursor.expect(')', "`,` or `)` goes here")?;
    }
    if let Some(c) = cursor.peek() {
        let range = cursor.at..cursor.at + c.len_utf8();
        return Err(BadRow { range, reason: "`(/4)`, `(%4)` or nothing goes here" });
    }
    Ok(SoftRow { text: text.text.clone(), span: text.span, entries, strips })
}

/// A place in a row.
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// The next character that is no blank.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    /// What is not read yet.
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads a character if it comes next.
    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// Reads a character that must come next.
    fn expect(&mut self, c: char, reason: &'static str) -> Result<(), BadRow> {
        if self.take(c) { Ok(()) } else { Err(self.bad(reason)) }
    }

    /// The refusal of what comes next.
    fn bad(&mut self, reason: &'static str) -> BadRow {
        let length = self.peek().map_or(0, char::len_utf8);
        BadRow { range: self.at..self.at + length, reason }
    }

    /// Reads characters as long as they fit.
    fn take_while(&mut self, fits: fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// An integer, `?` or `?12`.
    fn entry(&mut self) -> Result<Entry, BadRow> {
        if self.take('?') {
            let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
            return Ok(if name.is_empty() { Entry::Free } else { Entry::Named(name.to_owned()) });
        }
        let is_negative = self.take('-');
        let value = self.integer("an integer, `?` or `?12` goes here")?;
        Ok(Entry::Imposed(if is_negative { -value } else { value }))
    }

    /// `/4` or `%4`
    fn strip(&mut self) -> Result<Strip, BadRow> {
        let strip = match (self.take('/'), self.take('%')) {
            (true, false) => Strip::Quotient,
            (false, true) => Strip::Remainder,
            _ => return Err(self.bad("`/` or `%` goes here")),
        };
        self.peek();
        let start = self.at;
        match self.integer("a positive integer goes here")? {
            0 => Err(BadRow { range: start..self.at, reason: "a positive integer goes here" }),
            size => Ok(strip(size)),
        }
    }

    /// An integer without a sign.
    fn integer(&mut self, reason: &'static str) -> Result<i64, BadRow> {
        self.peek();
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.bad(reason));
        }
        digits
            .parse()
            .map_err(|_| BadRow { range: start..self.at, reason: "the number is too large" })
    }
}
