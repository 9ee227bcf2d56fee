//! Source files and byte spans in them.

use crate::encoding::file_bytes;
use std::ops::Range;

/// A half-open byte range `start..end` of the *original* source file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of `range`; offsets beyond 4 GiB saturate.
    pub fn new(range: Range<usize>) -> Self {
        let clamp = |x: usize| u32::try_from(x).unwrap_or(u32::MAX);
        Self { start: clamp(range.start), end: clamp(range.end) }
    }

    /// The byte range as `usize`.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The smallest span that covers both.
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place in a source file as people count: line and column from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// What editors on some systems begin files with; it is no part of the first line.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A named text with an index of its lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl SourceFile {
    /// A source file called `name` (as the user named it) with contents `text`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let first = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        let others = text.match_indices('\n').map(|(i, _)| i + 1);
        let line_starts = std::iter::once(first).chain(others).collect();
        Self { name: name.into(), text, line_starts }
    }

    /// The name the user gave.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line (from 1) and column of byte `offset`; offsets beyond the end count as the end.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|&s| s <= offset).saturating_sub(1);
        let column = self.text.get(self.line_starts[line]..offset).map_or(0, |s| s.chars().count());
        let as_u32 = |x: usize| u32::try_from(x).unwrap_or(u32::MAX);
        LineColumn { line: as_u32(line + 1), column: as_u32(column + 1) }
    }

    /// Line number (from 1) of the start of `span`.
    pub fn line(&self, span: Span) -> u32 {
        self.line_column(span.start).line
    }

    /// Byte range of line `line` (from 1) without what ends it; `None` beyond the end.
    pub fn line_range(&self, line: u32) -> Option<Range<usize>> {
        let start = *self.line_starts.get((line as usize).checked_sub(1)?)?;
        let end = self.line_starts.get(line as usize).map_or(self.text.len(), |&next| next - 1);
        let text = self.text.get(start..end).unwrap_or("");
        Some(start..start + text.strip_suffix('\r').unwrap_or(text).len())
    }

    /// The text before the first line: empty, or a byte order mark.
    pub fn byte_order_mark(&self) -> &str {
        self.line_starts.first().and_then(|&first| self.text.get(..first)).unwrap_or("")
    }

    /// What ends the line of byte `offset`; `\n` for the last one.
    pub fn line_ending(&self, offset: u32) -> &'static str {
        let line = self.line_starts.partition_point(|&s| s <= offset as usize).max(1);
        let end = self.line_starts.get(line).map_or("", |&next| &self.text[..next]);
        if end.ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    /// The byte of the file that byte `offset` of the text is.
    pub fn file_offset(&self, offset: u32) -> usize {
        let text = self.text.get(..offset as usize);
        text.map_or(offset as usize, file_bytes)
    }

    /// The text of `span`, empty where the span does not lie on character boundaries.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let file = SourceFile::new("a.c", "ab\ncé f\n");
        let at = |o| (file.line_column(o).line, file.line_column(o).column);
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(3), (2, 1));
        assert_eq!(at(7), (2, 4));
        assert_eq!(file.line_range(2), Some(3..8));
        assert_eq!(file.line_range(9), None);
    }

    #[test]
    fn marks_and_ends_are_no_part_of_lines() {
        let file = SourceFile::new("a.c", "\u{feff}ab\r\nc\nd");
        let at = |o| (file.line_column(o).line, file.line_column(o).column);
        assert_eq!([at(0), at(3), at(4), at(7)], [(1, 1), (1, 1), (1, 2), (2, 1)]);
        assert_eq!(
            [1, 2, 3].map(|line| file.line_range(line)),
            [Some(3..5), Some(7..8), Some(9..10)]
        );
        assert_eq!(
            [0, 4, 6, 7, 9].map(|o| file.line_ending(o)),
            ["\r\n", "\r\n", "\r\n", "\n", "\n"]
        );
        assert_eq!(file.byte_order_mark(), "\u{feff}");
        let latin = SourceFile::new("b.c", crate::decode(b"/* \xe9 */ x".to_vec()));
        let x = u32::try_from(latin.text().len() - 1).expect("short");
        assert_eq!((latin.line_column(x).column, latin.file_offset(x)), (9, 8));
    }
}
