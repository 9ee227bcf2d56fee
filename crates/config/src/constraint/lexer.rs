//! Constraint text to tokens.

use super::{Coefficients, Index, Part, StmtRef};
use farkas_base::{DiagnosticId, nearest};
use std::ops::Range;

/// A token and its bytes in the text.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) range: Range<usize>,
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// An integer without a sign.
    Integer(i64),
    /// A variable of the user's.
    Word(String),
    /// `S0_it_1`
    Coefficients(Coefficients),
    /// `+ - * ( )`
    Symbol(char),
    /// `= <= >= < >`
    Relation(Relation),
}

/// What a constraint says of its two sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Equal,
    AtMost,
    AtLeast,
    Less,
    Greater,
}

/// Why a text is no constraint.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) id: DiagnosticId,
    pub(super) range: Range<usize>,
    pub(super) reason: String,
    pub(super) help: Option<String>,
}

impl Refusal {
    /// A text that cannot be read.
    pub(super) fn malformed(range: Range<usize>, reason: impl Into<String>) -> Self {
        Self { id: DiagnosticId::MalformedConstraint, range, reason: reason.into(), help: None }
    }

    /// A text that can be read but is not affine.
    pub(super) fn non_affine(range: Range<usize>, reason: impl Into<String>) -> Self {
        Self { id: DiagnosticId::NonAffineConstraint, range, reason: reason.into(), help: None }
    }

    /// With advice.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Refusal> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.take_while(char::is_whitespace);
        let start = lexer.at;
        let Some(c) = lexer.rest().chars().next() else { return Ok(tokens) };
        let kind = lexer.token(c)?;
        tokens.push(Token { kind, range: start..lexer.at });
    }
}

/// A place in a text.
struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// What is not read yet.
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads characters as long as they fit.
    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// Reads `prefix` if it comes next.
    fn take(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Reads the token that begins with `c`.
    fn token(&mut self, c: char) -> Result<TokenKind, Refusal> {
        match c {
            '0'..='9' => self.number(),
            'S' if self.is_coefficient() => self.coefficients(),
            c if is_word_start(c) => Ok(TokenKind::Word(self.take_while(is_word).to_owned())),
            '+' | '-' | '*' | '(' | ')' => {
                self.at += 1;
                Ok(TokenKind::Symbol(c))
            }
            _ => self.relation(c),
        }
    }

    /// An integer.
    fn number(&mut self) -> Result<TokenKind, Refusal> {
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        if self.rest().starts_with('.') {
            self.take_while(|c| c.is_ascii_digit() || c == '.');
            return Err(Refusal::non_affine(start..self.at, "coefficients are integers")
                .help("multiply both sides by the denominator"));
        }
        let value = digits.parse().map_err(|_| {
            let mut refusal = Refusal::malformed(start..self.at, "the number is too large");
            refusal.id = DiagnosticId::ValueOutOfRange;
            refusal
        })?;
        Ok(TokenKind::Integer(value))
    }

    /// A relation, or a character that has no meaning.
    fn relation(&mut self, c: char) -> Result<TokenKind, Refusal> {
        use Relation::{AtLeast, AtMost, Equal, Greater, Less};
        let start = self.at;
        let written = self.take_while(|c| "=<>!≤≥≠".contains(c));
        let range = start..self.at;
        let relation = match written {
            "=" | "==" => Equal,
            "<=" => AtMost,
            ">=" => AtLeast,
            "<" => Less,
            ">" => Greater,
            "=<" | "≤" => return Err(unknown_relation(range, written, "<=")),
            "=>" | "≥" => return Err(unknown_relation(range, written, ">=")),
            "===" => return Err(unknown_relation(range, written, "=")),
            "!=" | "<>" | "≠" => {
                let reason = format!("`{written}` leaves two half spaces, not one");
                return Err(Refusal::non_affine(range, reason).help("choose `<` or `>`"));
            }
            "" => return Err(self.unknown_character(c)),
            _ => return Err(unknown_relation(range, written, "=")),
        };
        Ok(TokenKind::Relation(relation))
    }

    /// The refusal of a character that begins no token.
    fn unknown_character(&self, c: char) -> Refusal {
        let range = self.at..self.at + c.len_utf8();
        match c {
            '/' | '%' => Refusal::non_affine(range, format!("`{c}` is not affine"))
                .help("multiply both sides by the divisor"),
            '^' => Refusal::non_affine(range, "`^` is not affine"),
            _ => Refusal::malformed(range, format!("`{c}` has no meaning here")),
        }
    }

    /// Whether a coefficient comes next, not a variable.
    fn is_coefficient(&self) -> bool {
        let after = self.rest().get(1..).unwrap_or_default();
        let digits = after.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = digits.len() < after.len() && digits.starts_with('_');
        after.starts_with('[') || after.starts_with("i_") || after.starts_with("*_") || is_number
    }

    /// `S<stmt>_<part>_<index>@<depth>`
    fn coefficients(&mut self) -> Result<TokenKind, Refusal> {
        let start = self.at;
        self.at += 1;
        let stmt = if self.take("i") {
            StmtRef::Sum
        } else if self.take("*") {
            StmtRef::Each
        } else {
            StmtRef::One(self.name_or_number("a statement")?)
        };
        if !self.take("_") {
            let range = start..self.at;
            return Err(Refusal::malformed(range, "the coefficient is not complete")
                .help("coefficients look like `S0_it_1`, `S0_par_0` and `S0_cst`"));
        }
        let part = self.part()?;
        let index = self.index(part)?;
        let depth = if self.take("@") { Some(self.depth()?) } else { None };
        if self.rest().starts_with(is_word) {
            let from = self.at;
            self.take_while(is_word);
            return Err(Refusal::malformed(from..self.at, "something follows the coefficient"));
        }
        Ok(TokenKind::Coefficients(Coefficients { stmt, part, index, depth }))
    }

    /// A number, or a name in brackets.
    fn name_or_number(&mut self, what: &str) -> Result<String, Refusal> {
        let start = self.at;
        if !self.take("[") {
            // `S007` is statement 7.
            let digits = self.take_while(|c| c.is_ascii_digit());
            let digits = digits.trim_start_matches('0');
            return Ok(if digits.is_empty() { "0".to_owned() } else { digits.to_owned() });
        }
        let name = self.take_while(|c| c != ']').trim().to_owned();
        let closed = self.take("]");
        let range = start..self.at;
        match (closed, name.is_empty()) {
            (false, _) => Err(Refusal::malformed(range, "the bracket is not closed")),
            (true, true) => Err(Refusal::malformed(range, format!("the name of {what} is empty"))),
            (true, false) => Ok(name),
        }
    }

    /// `it`, `par` or `cst`
    fn part(&mut self) -> Result<Part, Refusal> {
        let start = self.at;
        let word = self.take_while(|c| c.is_ascii_alphabetic());
        match word {
            "it" => Ok(Part::Iterator),
            "par" => Ok(Part::Param),
            "cst" => Ok(Part::Constant),
            _ => {
                let reason = "`it`, `par` or `cst` goes here";
                let refusal = Refusal::malformed(start..self.at.max(start + 1), reason);
                let near = nearest(word, &["it", "par", "cst"]);
                Err(match near.filter(|_| !word.is_empty()) {
                    Some(near) => refusal.help(format!("did you mean `{near}`?")),
                    None => refusal,
                })
            }
        }
    }

    /// `_0`, `_i`, `_[k]`; nothing for constants.
    fn index(&mut self, part: Part) -> Result<Index, Refusal> {
        let start = self.at;
        if !self.take("_") {
            return match part {
                Part::Constant => Ok(Index::Sum),
                Part::Iterator | Part::Param => {
                    let range = start..start.saturating_add(1);
                    Err(Refusal::malformed(range, "`_` and an index go here")
                        .help("an index is a number, a name in brackets, or `i` for the sum"))
                }
            };
        }
        let from = self.at;
        let index = if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '[') {
            Index::One(self.name_or_number("an iterator")?)
        } else {
            match self.take_while(is_word) {
                "i" => Index::Sum,
                word => return Err(no_index(from..self.at, word)),
            }
        };
        match (part, &index) {
            (Part::Constant, Index::One(number)) if number != "0" => {
                Err(Refusal::malformed(from..self.at, "a row has one constant: `cst` or `cst_0`"))
            }
            _ => Ok(index),
        }
    }

    /// The number behind `@`.
    fn depth(&mut self) -> Result<usize, Refusal> {
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        let range = start.saturating_sub(1)..self.at;
        digits.parse().map_err(|_| Refusal::malformed(range, "`@` takes the number of a row"))
    }
}

/// The refusal of something that is no index.
fn no_index(range: Range<usize>, word: &str) -> Refusal {
    let help = match word {
        "" => "an index is a number, a name in brackets, or `i` for the sum".to_owned(),
        _ => format!("a name goes in brackets: `[{word}]`"),
    };
    let end = range.end.max(range.start + 1);
    Refusal::malformed(range.start..end, "this is no index").help(help)
}

/// The refusal of a relation that is written in another way.
fn unknown_relation(range: Range<usize>, written: &str, meant: &str) -> Refusal {
    let reason = format!("`{written}` is no relation");
    Refusal::malformed(range, reason).help(format!("did you mean `{meant}`?"))
}

/// Whether a variable's name may begin with it.
pub(super) fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Whether a variable's name may contain it.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
