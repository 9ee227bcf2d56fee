//! Reading what `cc -E -dD` prints: whose line each line is, which macros are defined when, which pragmas survive.

use super::lexer::{Lexer, Token, TokenKind};
use super::macros::{MacroOrigin, MacroTable};
use super::typedefs::TypedefTable;
use std::ops::Range;

/// Where a token of the preprocessed text was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// In the user's file, at about this line.
    Own {
        /// The line, from 1, that the line markers give; a call over several lines may be off by some.
        line: u32,
    },
    /// In an included file, as a position in [`Preprocessed::includes`].
    Included(usize),
}

/// A token of the user's file or of a header of the user's.
#[derive(Clone, Debug)]
pub(super) struct ExpandedToken {
    /// Its bytes in the preprocessed text.
    pub(super) range: Range<usize>,
    /// Who wrote it.
    pub(super) origin: Origin,
    /// What it is.
    pub(super) kind: TokenKind,
    /// Whether it opens a line.
    pub(super) opens_line: bool,
}

/// An inclusion by the user's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Include {
    /// The line of the `#include` in the user's file; 0 when the command line includes.
    pub(super) line: u32,
    /// The included file, as the preprocessor names it.
    pub(super) name: String,
}

/// A `#pragma` line that survived preprocessing.
#[derive(Clone, Debug)]
pub(super) struct PragmaLine {
    /// The words after `pragma`.
    pub(super) words: String,
    /// Who wrote it.
    pub(super) origin: Origin,
    /// The number of tokens before it.
    pub(super) before: usize,
    /// The file and line in it, for included files.
    pub(super) place: (String, u32),
}

/// The preprocessor's output, taken apart.
#[derive(Debug)]
pub(super) struct Preprocessed {
    /// Tokens of the user's file and of the user's own headers, in order.
    pub(super) tokens: Vec<ExpandedToken>,
    /// All pragmas of the user's file, and those of headers that open or close a region or give threads variables.
    pub(super) pragmas: Vec<PragmaLine>,
    /// Inclusions by the user's file.
    pub(super) includes: Vec<Include>,
    /// Macros with the places where they are defined.
    pub(super) macros: MacroTable,
    /// Type names of system headers.
    pub(super) typedefs: TypedefTable,
}

/// The reader's position among the files.
struct Reader<'a> {
    text: &'a str,
    main: Option<&'a str>,
    stack: Vec<&'a str>,
    name: &'a str,
    line: u32,
    system: bool,
    out: Preprocessed,
}

/// A line marker: `# LINE "NAME" FLAGS`.
struct Marker<'a> {
    line: u32,
    name: &'a str,
    enters: bool,
    returns: bool,
    system: bool,
}

/// Takes `text`, the output of `cc -E -dD`, apart.
pub(super) fn read(text: &str) -> Preprocessed {
    let out = Preprocessed {
        tokens: Vec::new(),
        pragmas: Vec::new(),
        includes: Vec::new(),
        macros: MacroTable::default(),
        typedefs: TypedefTable::default(),
    };
    let mut reader =
        Reader { text, main: None, stack: Vec::new(), name: "", line: 1, system: false, out };
    let mut at = 0;
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
        reader.line_at(at..end);
        reader.line = reader.line.wrapping_add(1);
        at = end + 1;
    }
    reader.out
}

impl<'a> Reader<'a> {
    /// Takes one line.
    fn line_at(&mut self, range: Range<usize>) {
        let line = &self.text[range.clone()];
        let trimmed = line.trim_start();
        if let Some(directive) = trimmed.strip_prefix('#') {
            self.directive(
                range.start + (line.len() - directive.len()),
                directive.trim_end_matches('\r'),
            );
        } else if self.system {
            if trimmed.contains("typedef") {
                self.out.typedefs.read(self.text, range.start);
            }
        } else if !trimmed.is_empty() {
            self.tokens(range);
        }
    }

    /// Whether the reader stands in the user's file itself.
    fn in_own_file(&self) -> bool {
        self.stack.is_empty() && self.main == Some(self.name)
    }

    /// Who writes the present line.
    fn origin(&self) -> Origin {
        if self.in_own_file() {
            Origin::Own { line: self.line }
        } else {
            Origin::Included(self.out.includes.len().saturating_sub(1))
        }
    }

    /// Takes the tokens of a line.
    fn tokens(&mut self, range: Range<usize>) {
        let origin = self.origin();
        let mut opens_line = true;
        for Token { kind, range: token, .. } in Lexer::of_piece(&self.text[range.clone()], 0) {
            let range = range.start + token.start..range.start + token.end;
            self.out.tokens.push(ExpandedToken { range, origin, kind, opens_line });
            opens_line = false;
        }
    }

    /// Takes the directive whose text after `#` is `text`, at byte `at`.
    fn directive(&mut self, at: usize, text: &'a str) {
        if let Some(marker) = parse_marker(text) {
            return self.marker(&marker);
        }
        let end = at + text.len();
        let text = text.trim_start();
        if let Some(definition) = text.strip_prefix("define").map(str::trim_start) {
            let origin = match self.name {
                "<command-line>" | "<command line>" => MacroOrigin::CommandLine,
                "<built-in>" => MacroOrigin::Compiler,
                _ if self.in_own_file() => MacroOrigin::OwnFile { line: self.line },
                _ => MacroOrigin::Header,
            };
            self.out.macros.define(end - definition.len(), definition, origin);
        } else if let Some(name) = text.strip_prefix("undef") {
            self.out.macros.undefine(at, name.trim());
        } else if let Some(words) = text.strip_prefix("pragma") {
            let own = self.in_own_file();
            let mut names = words.split_whitespace();
            let is_for_file = match names.next() {
                Some("scop" | "endscop") => true,
                Some("omp") => names.next().is_some_and(|name| name.starts_with("threadprivate")),
                _ => false,
            };
            if own || is_for_file {
                self.out.pragmas.push(PragmaLine {
                    words: words.trim().to_owned(),
                    origin: self.origin(),
                    before: self.out.tokens.len(),
                    place: (self.name.to_owned(), self.line),
                });
            }
        }
    }

    /// Follows a line marker.
    fn marker(&mut self, marker: &Marker<'a>) {
        let main = *self.main.get_or_insert(marker.name);
        if marker.enters {
            let pseudo = |name: &str| name.starts_with('<');
            let by_own_file =
                self.stack.iter().chain([&self.name]).all(|n| pseudo(n) || *n == main);
            if by_own_file && !pseudo(marker.name) {
                let line = if self.in_own_file() { self.line } else { 0 };
                self.out.includes.push(Include { line, name: marker.name.to_owned() });
            }
            self.stack.push(self.name);
        } else if marker.returns {
            self.stack.pop();
            if self.stack.is_empty()
                && marker.name == main
                && !self.name.starts_with('<')
                && let Some(include) = self.out.includes.last_mut()
            {
                include.line = marker.line.saturating_sub(1);
            }
        }
        self.name = marker.name;
        self.system = marker.system && !self.in_own_file();
        self.line = marker.line.wrapping_sub(1);
    }
}

/// Parses the text after `#` as a line marker.
fn parse_marker(text: &str) -> Option<Marker<'_>> {
    let text = text.trim_start();
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let line = text[..digits].parse().ok()?;
    let quoted = text[digits..].trim_start().strip_prefix('"')?;
    let (name, flags) = quoted.rsplit_once('"')?;
    let has = |flag| flags.split_whitespace().any(|f| f == flag);
    Some(Marker { line, name, enters: has("1"), returns: has("2"), system: has("3") })
}
