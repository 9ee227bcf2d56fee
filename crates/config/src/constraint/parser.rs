//! Constraint text to a linear form.

use super::form::Form;
use super::lexer::{Refusal, Relation, Token, TokenKind, is_word, is_word_start, tokens};
use super::{Atom, Constraint, Term};
use crate::json::Text;
use crate::report::{Report, with_known};
use farkas_base::{DiagnosticId, nearest};
use farkas_solve::RowKind;
use std::ops::Range;

/// Parentheses and signs within each other.
const MAX_NESTING: usize = 64;

/// The name of the constraint that allows no skewing.
const NO_SKEWING: &str = "no-skewing";

/// What a constraint may speak of.
pub(crate) struct Scope<'a> {
    /// The names of the variables, by position.
    pub(crate) variables: &'a [String],
    /// The depth of the influence node that it belongs to; none in a strategy.
    pub(crate) depth: Option<usize>,
}

/// Whether a variable cannot be called this, because it is a coefficient or no name at all.
pub(crate) fn is_reserved(name: &str) -> bool {
    let is_name = name.starts_with(is_word_start) && name.chars().all(is_word);
    !is_name || !matches!(tokens(name).as_deref(), Ok([Token { kind: TokenKind::Word(_), .. }]))
}

/// Reads a constraint, with a message where it is none.
pub(crate) fn parse(text: &Text, scope: &Scope<'_>, report: &mut Report) -> Option<Constraint> {
    let written = match text.text.trim() {
        NO_SKEWING => "S*_it_i <= 1",
        _ => text.text.as_str(),
    };
    let sides = tokens(written).and_then(|tokens| sides(written, &tokens, scope));
    let form =
        sides.and_then(|(left, relation, right)| compared(left, relation, right, 0..written.len()));
    match form {
        Ok((kind, form)) => {
            let term = |(atom, (factor, range))| Term { atom, factor, span: text.part(range) };
            let terms = form.terms.into_iter().map(term).collect();
            let (text, span) = (text.text.clone(), text.span);
            Some(Constraint { text, span, kind, terms, constant: form.constant })
        }
        Err(refusal) => {
            refuse(text, refusal, scope, report);
            None
        }
    }
}

/// Reports why the text is no constraint.
fn refuse(text: &Text, refusal: Refusal, scope: &Scope<'_>, report: &mut Report) {
    let span = text.part(refusal.range.clone());
    if refusal.id == DiagnosticId::UnknownVariable {
        let word = text.text.get(refusal.range).unwrap_or_default();
        let message = format!("`{word}` is neither a variable nor a coefficient");
        let diagnostic = report.at(refusal.id, span, message, "");
        let diagnostic = match nearest(text.text.trim(), &[NO_SKEWING]) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None if scope.variables.is_empty() => diagnostic
                .help("declare variables under `new_variables`; coefficients look like `S0_it_1`"),
            None => with_known(diagnostic, word, scope.variables.iter().map(String::as_str)),
        };
        report.push(diagnostic);
        return;
    }
    let message = match refusal.id {
        DiagnosticId::NonAffineConstraint => "the constraint is not affine",
        DiagnosticId::ValueOutOfRange => "the constraint has a number that is too large",
        DiagnosticId::RowTooDeep => "the constraint speaks of a row that is not found yet",
        _ => "this is not a constraint",
    };
    let diagnostic = report.at(refusal.id, span, message, refusal.reason);
    report.push(match refusal.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    });
}

/// The constraint that two sides make.
fn compared(
    left: Form,
    relation: Relation,
    right: Form,
    range: Range<usize>,
) -> Result<(RowKind, Form), Refusal> {
    let (kind, greater, less, slack) = match relation {
        Relation::Equal => (RowKind::Equality, left, right, 0),
        Relation::AtLeast => (RowKind::Inequality, left, right, 0),
        Relation::Greater => (RowKind::Inequality, left, right, 1),
        Relation::AtMost => (RowKind::Inequality, right, left, 0),
        Relation::Less => (RowKind::Inequality, right, left, 1),
    };
    let slack = Form::constant(slack);
    let form = greater.plus(less, -1).and_then(|form| form.plus(slack, -1));
    let form = form.ok_or_else(|| too_large(range.clone()))?;
    if form.is_constant() {
        return Err(Refusal::malformed(range, "no unknown is left in it"));
    }
    Ok((kind, form))
}

/// The refusal of a number that does not fit.
fn too_large(range: Range<usize>) -> Refusal {
    Refusal {
        id: DiagnosticId::ValueOutOfRange,
        range,
        reason: "its value is too large".into(),
        help: None,
    }
}

/// The two sides and the relation between them.
fn sides(
    text: &str,
    tokens: &[Token],
    scope: &Scope<'_>,
) -> Result<(Form, Relation, Form), Refusal> {
    let mut parser = Parser { tokens, at: 0, end: text.len(), nesting: 0, scope };
    let left = parser.sum()?;
    let relation = match parser.next() {
        Some(Token { kind: TokenKind::Relation(relation), .. }) => *relation,
        Some(token) => return Err(parser.unexpected(token)),
        None => {
            let reason = "a relation is missing";
            return Err(
                Refusal::malformed(parser.last(), reason).help("add `= 0`, `>= 0` or the like")
            );
        }
    };
    let right = parser.sum()?;
    match parser.next() {
        None => Ok((left, relation, right)),
        Some(Token { kind: TokenKind::Relation(_), range }) => {
            Err(Refusal::malformed(range.clone(), "a second relation")
                .help("write one constraint for each relation"))
        }
        Some(token) => Err(parser.unexpected(token)),
    }
}

/// A place among the tokens.
struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    end: usize,
    nesting: usize,
    scope: &'t Scope<'t>,
}

impl<'t> Parser<'t> {
    /// The next token, which stays.
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    /// The next token.
    fn next(&mut self) -> Option<&'t Token> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// The symbol that comes next, if one does.
    fn symbol(&self) -> Option<char> {
        match self.peek()?.kind {
            TokenKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The bytes of the last token of the text.
    fn last(&self) -> Range<usize> {
        self.tokens.last().map_or(0..self.end, |token| token.range.clone())
    }

    /// `product + product - …`
    fn sum(&mut self) -> Result<Form, Refusal> {
        let start = self.start();
        let mut form = self.product()?;
        while let Some(sign @ ('+' | '-')) = self.symbol() {
            self.at += 1;
            let other = self.product()?;
            let factor = if sign == '+' { 1 } else { -1 };
            form = form.plus(other, factor).ok_or_else(|| too_large(self.since(start)))?;
        }
        Ok(form)
    }

    /// `factor * factor * …`
    fn product(&mut self) -> Result<Form, Refusal> {
        let start = self.start();
        let mut form = self.factor()?;
        while self.symbol() == Some('*') {
            self.at += 1;
            let other = self.factor()?;
            let range = self.since(start);
            let (form_of, factor) = match (form.is_constant(), other.is_constant()) {
                (_, true) => (form, other.constant),
                (true, false) => (other, form.constant),
                (false, false) => {
                    return Err(Refusal::non_affine(range, "two unknowns are multiplied"));
                }
            };
            form = Form::default().plus(form_of, factor).ok_or_else(|| too_large(range))?;
        }
        Ok(form)
    }

    /// An integer, an unknown, a sum in parentheses, or one of them with a sign.
    fn factor(&mut self) -> Result<Form, Refusal> {
        let Some(token) = self.next() else {
            let reason = match self.tokens.is_empty() {
                true => "it is empty",
                false => "something is missing behind this",
            };
            return Err(Refusal::malformed(self.last(), reason));
        };
        match &token.kind {
            TokenKind::Integer(value) => Ok(Form::constant(*value)),
            TokenKind::Word(word) => self.variable(word, token.range.clone()),
            TokenKind::Coefficients(coefficients) => {
                self.check_depth(coefficients.depth, &token.range)?;
                Ok(Form::of(Atom::Coefficient(coefficients.clone()), token.range.clone()))
            }
            TokenKind::Symbol(sign @ ('+' | '-')) => {
                let form = self.nested(token, Self::factor)?;
                let factor = if *sign == '+' { 1 } else { -1 };
                Form::default().plus(form, factor).ok_or_else(|| too_large(token.range.clone()))
            }
            TokenKind::Symbol('(') => {
                let form = self.nested(token, Self::sum)?;
                match self.symbol() {
                    Some(')') => self.at += 1,
                    _ => {
                        return Err(Refusal::malformed(
                            token.range.clone(),
                            "the parenthesis is not closed",
                        ));
                    }
                }
                Ok(form)
            }
            TokenKind::Symbol(_) | TokenKind::Relation(_) => {
                let reason = "a number, variable or coefficient goes here";
                Err(Refusal::malformed(token.range.clone(), reason))
            }
        }
    }

    /// Reads something inside of something else.
    fn nested(
        &mut self,
        token: &Token,
        read: fn(&mut Self) -> Result<Form, Refusal>,
    ) -> Result<Form, Refusal> {
        if self.nesting >= MAX_NESTING {
            return Err(Refusal::malformed(token.range.clone(), "too many within each other"));
        }
        self.nesting += 1;
        let form = read(self);
        self.nesting -= 1;
        form
    }

    /// A variable of the user's.
    fn variable(&self, word: &str, range: Range<usize>) -> Result<Form, Refusal> {
        match self.scope.variables.iter().position(|name| name == word) {
            Some(position) => Ok(Form::of(Atom::Variable(position), range)),
            None => {
                Err(Refusal { id: DiagnosticId::UnknownVariable, ..Refusal::malformed(range, "") })
            }
        }
    }

    /// A row is named in influence trees alone, and only one that is found already.
    fn check_depth(&self, depth: Option<usize>, range: &Range<usize>) -> Result<(), Refusal> {
        let Some(depth) = depth else { return Ok(()) };
        match self.scope.depth {
            None => {
                Err(Refusal::malformed(range.clone(), "`@` has a meaning in influence trees alone")
                    .help("the row is that of `scheduling_dimension`"))
            }
            Some(own) if depth > own => {
                let id = DiagnosticId::RowTooDeep;
                let reason = format!("the node stands at depth {own}");
                Err(Refusal { id, ..Refusal::malformed(range.clone(), reason) })
            }
            Some(_) => Ok(()),
        }
    }

    /// The refusal of a token where an operator or the end should be.
    fn unexpected(&self, token: &Token) -> Refusal {
        let refusal =
            Refusal::malformed(token.range.clone(), "an operator or a relation goes before this");
        let previous = self.at.checked_sub(2).and_then(|at| self.tokens.get(at));
        let is_product = matches!(previous, Some(Token { kind: TokenKind::Integer(_), .. }));
        match token.kind {
            TokenKind::Symbol(')') => {
                Refusal::malformed(token.range.clone(), "no parenthesis is open")
            }
            _ if is_product => refusal.help("write products with `*`: `2*S0_it_1`"),
            _ => refusal,
        }
    }

    /// The first byte of what comes next.
    fn start(&self) -> usize {
        self.peek().map_or(self.end, |token| token.range.start)
    }

    /// The bytes from `start` to the last token read.
    fn since(&self, start: usize) -> Range<usize> {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        start..last.map_or(self.end, |token| token.range.end)
    }
}
