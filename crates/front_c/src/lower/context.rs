//! What the user says of the parameters: `--context 'n >= 4 && m == 2 * n'`.

use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use farkas_poly::Set;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// Conditions on parameters, all of which hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    conditions: Vec<Condition>,
    source: Option<Arc<SourceFile>>,
}

/// One condition in isl notation.
#[derive(Clone, Debug)]
struct Condition {
    text: String,
    names: BTreeSet<String>,
    span: Span,
}

/// A token of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Token<'t> {
    text: &'t str,
    span: Span,
}

/// The reader of conditions: `sum { (< | <= | > | >= | == | = | !=) sum }`, joined by `&&`, `and` or commas.
struct Reader<'t> {
    source: Arc<SourceFile>,
    tokens: Vec<Token<'t>>,
    at: usize,
}

impl Context {
    /// Reads `text`.
    ///
    /// # Errors
    /// `bad-context` at the place that is not understood.
    pub(crate) fn parse(text: &str) -> Result<Self, Box<Diagnostic>> {
        let source = Arc::new(SourceFile::new("--context", text));
        let mut reader = Reader { source: Arc::clone(&source), tokens: tokens(text), at: 0 };
        let mut conditions = Vec::new();
        while reader.at < reader.tokens.len() {
            conditions.push(reader.condition()?);
            if reader.at < reader.tokens.len() && !reader.accept(&["&&", "and", ","]) {
                return Err(reader.error("expected `&&`"));
            }
        }
        Ok(Self { conditions, source: Some(source) })
    }

    /// The parameter values that fulfil the conditions on `params`; those that mention other names are left out.
    pub(crate) fn of(&self, params: &[&str]) -> Result<Option<Set>, farkas_poly::Error> {
        let known = |c: &&Condition| c.names.iter().all(|n| params.contains(&n.as_str()));
        let texts: Vec<&str> =
            self.conditions.iter().filter(known).map(|c| c.text.as_str()).collect();
        if texts.is_empty() {
            return Ok(None);
        }
        format!("[{}] -> {{ : {} }}", params.join(", "), texts.join(" and ")).parse().map(Some)
    }

    /// Whether a condition is on a name.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.conditions.iter().any(|condition| condition.names.contains(name))
    }

    /// A warning for each condition on a name that is a parameter of none of the regions.
    pub(crate) fn unused(&self, params: &BTreeSet<String>) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        for condition in &self.conditions {
            let unknown = condition.names.iter().find(|n| !params.contains(*n));
            if let (Some(name), Some(source)) = (unknown, &self.source) {
                let message = format!("`{name}` is no parameter of any region");
                let warning = Diagnostic::new(DiagnosticId::UnusedContext, message)
                    .at(source, condition.span, "")
                    .note("the condition has no effect");
                warnings.push(warning);
            }
        }
        warnings
    }
}

impl Reader<'_> {
    /// A comparison, or several in a row.
    fn condition(&mut self) -> Result<Condition, Box<Diagnostic>> {
        let first = self.at;
        let mut out = Condition {
            text: String::new(),
            names: BTreeSet::new(),
            span: Span { start: 0, end: 0 },
        };
        self.sum(&mut out, 0)?;
        let mut compared = false;
        loop {
            let operator = self.tokens.get(self.at).map_or("", |t| t.text);
            let operator = match operator {
                "==" | "=" => "=",
                "<" | "<=" | ">" | ">=" | "!=" => operator,
                _ if compared => break,
                _ => {
                    return Err(
                        self.error("expected a comparison: `<`, `<=`, `>`, `>=`, `==` or `!=`")
                    );
                }
            };
            let _ = write!(out.text, " {operator} ");
            self.at += 1;
            self.sum(&mut out, 0)?;
            compared = true;
        }
        let [start, end] = [first, self.at - 1].map(|i| self.tokens[i].span);
        out.span = start.cover(end);
        Ok(out)
    }

    /// A sum of products with at most one name each.
    fn sum(&mut self, out: &mut Condition, depth: usize) -> Result<(), Box<Diagnostic>> {
        if depth > 32 {
            return Err(self.error("too many parentheses"));
        }
        loop {
            while self.accept(&["-"]) {
                out.text.push_str("-1 * ");
            }
            self.product(out, depth)?;
            let operator = self.tokens.get(self.at).map_or("", |t| t.text);
            if !matches!(operator, "+" | "-") {
                return Ok(());
            }
            let _ = write!(out.text, " {operator} ");
            self.at += 1;
        }
    }

    fn product(&mut self, out: &mut Condition, depth: usize) -> Result<(), Box<Diagnostic>> {
        let mut named = false;
        loop {
            let Some(token) = self.tokens.get(self.at).cloned() else {
                return Err(self.error("expected a name or a number"));
            };
            let first = token.text.chars().next().unwrap_or(' ');
            if token.text == "(" {
                self.at += 1;
                out.text.push('(');
                let names = out.names.len();
                self.sum(out, depth + 1)?;
                if !self.accept(&[")"]) {
                    return Err(self.error("expected `)`"));
                }
                out.text.push(')');
                named |= out.names.len() > names;
            } else if first.is_ascii_digit() {
                if token.text.parse::<i64>().is_err() {
                    return Err(self.error("this number is not understood"));
                }
                out.text.push_str(token.text);
                self.at += 1;
            } else if first.is_ascii_alphabetic() || first == '_' {
                if named {
                    return Err(self.error("a product of two parameters is not affine"));
                }
                named = true;
                out.names.insert(token.text.to_owned());
                out.text.push_str(token.text);
                self.at += 1;
            } else {
                return Err(self.error("expected a name or a number"));
            }
            if !self.accept(&["*"]) {
                return Ok(());
            }
            out.text.push_str(" * ");
        }
    }

    /// Takes the next token if it is one of `texts`.
    fn accept(&mut self, texts: &[&str]) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|t| texts.contains(&t.text));
        self.at += usize::from(found);
        found
    }

    /// An error at the next token.
    fn error(&self, message: &str) -> Box<Diagnostic> {
        let end = self.source.text().len();
        let span = self.tokens.get(self.at).map_or(Span::new(end..end), |t| t.span);
        let diagnostic =
            Diagnostic::new(DiagnosticId::BadContext, message).at(&self.source, span, "");
        Box::new(diagnostic.help("write conditions on parameters, as in `n >= 4 && m == 2 * n`"))
    }
}

/// The tokens of `text`.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        if b.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let length = if word(b) {
            bytes[at..].iter().take_while(|b| word(**b)).count()
        } else if ["<=", ">=", "==", "!=", "&&", "||"].iter().any(|s| text[at..].starts_with(s)) {
            2
        } else {
            text[at..].chars().next().map_or(1, char::len_utf8)
        };
        tokens.push(Token { text: &text[at..at + length], span: Span::new(at..at + length) });
        at += length;
    }
    tokens
}
