//! Whose updates the user lets be combined in any order, before or in a function: `#pragma farkas reduction(+: s, t)`, or by a function,
//! `#pragma farkas reduction(gcd: g) neutral(0)`.

use super::combiners::{check, wrong_use};
use super::neutral::constant;
use super::own_pragmas::{own_pragmas, said};
use super::parse::Parser;
use crate::source::{Pragma, Region, TranslationUnit};
use farkas_base::{Diagnostic, DiagnosticId, Span};
use farkas_scop::{ArrayScope, Combiner, Operator, Scop, Violation};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The word of the pragma.
const WORD: &str = "reduction";

/// A variable or an array, and the operator by which its updates may be combined in any order.
pub(super) struct Granted<'u> {
    /// Its name.
    pub(super) name: String,
    pub(super) operator: Operator,
    /// Where it is said.
    pub(super) pragma: &'u Pragma,
}

/// Why a pragma is no reduction.
pub(super) struct Wrong {
    message: String,
    note: String,
    help: String,
    /// Another pragma that it contradicts.
    beside: Option<Span>,
}

impl Wrong {
    /// A message with its reason, and what to do.
    pub(super) fn new(
        message: impl Into<String>,
        note: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { message: message.into(), note: note.into(), help: help.into(), beside: None }
    }

    /// The same, with the place of another pragma.
    pub(super) fn beside(self, span: Span) -> Self {
        Self { beside: Some(span), ..self }
    }

    /// The same as a diagnostic.
    fn at(self, unit: &TranslationUnit, span: Span) -> Box<Diagnostic> {
        let diagnostic =
            Diagnostic::new(DiagnosticId::BadReduction, self.message).at(unit.source(), span, "");
        let diagnostic = match self.beside {
            Some(beside) => diagnostic.also(beside, ""),
            None => diagnostic,
        };
        Box::new(diagnostic.note(self.note).help(self.help))
    }
}

/// What pragmas grant a region that was read.
///
/// # Errors
/// A pragma that has another form, or says what cannot be.
pub(super) fn granted<'u>(
    parser: &Parser<'u, '_>,
    region: &Region<'u>,
) -> Result<Vec<Granted<'u>>, Box<Diagnostic>> {
    let unit = parser.unit;
    let mut all = Vec::new();
    for (pragma, text) in own_pragmas(unit, region, WORD) {
        let named = read(text).map_err(|wrong| wrong.at(unit, pragma.span))?;
        all.extend(named.into_iter().map(|(name, operator)| Granted { name, operator, pragma }));
    }
    check(parser, region.function, &all).map_err(|(one, wrong)| wrong.at(unit, one.pragma.span))?;
    Ok(all)
}

/// The scop whose arrays know of it.
///
/// # Errors
/// None that a scop has not already.
pub(super) fn with(scop: &Scop, granted: &[Granted<'_>]) -> Result<Scop, Violation> {
    let mut builder = scop.to_builder();
    for array in builder.arrays.iter_mut() {
        // The last pragma counts.
        let of = granted.iter().rev().find(|one| one.name == array.source_name);
        let is_own = !matches!(array.scope, ArrayScope::Buffer | ArrayScope::Expanded);
        array.reduction = of.filter(|_| is_own).map(|one| one.operator.clone());
    }
    builder.build()
}

/// The message on the first statement that calls a function otherwise than pragmas say.
pub(super) fn first_wrong_use(
    parser: &Parser<'_, '_>,
    scop: &Scop,
    granted: &[Granted<'_>],
) -> Option<Box<Diagnostic>> {
    let used = |one| Some((one, wrong_use(parser, scop, one)?));
    let (one, (stmt, wrong)): (&Granted<'_>, _) = granted.iter().find_map(used)?;
    let place = stmt.span.unwrap_or(one.pragma.span);
    Some(wrong.beside(one.pragma.span).at(parser.unit, place))
}

/// The warnings on pragmas that name something of which no region has updates by the operator.
pub(crate) fn unused_reductions<'r>(
    unit: &TranslationUnit,
    regions: impl Iterator<Item = &'r farkas_scop::Region>,
) -> Vec<Diagnostic> {
    let mut updated: BTreeSet<(String, Operator)> = BTreeSet::new();
    for region in regions {
        let arrays = region.scop.arrays();
        let updates = region.scop.stmts().iter().filter_map(|stmt| {
            let update = stmt.update(arrays)?;
            let array = &arrays[stmt.accesses[update.target].array];
            Some((array.source_name.clone(), update.operator))
        });
        updated.extend(updates);
    }
    let unused = |pragma: &Pragma| {
        let all = read(said(pragma, WORD)?).ok()?;
        let (name, operator) = all.into_iter().find(|granted| !updated.contains(granted))?;
        let text = match &operator {
            Operator::Function(of) => format!("no region updates `{name}` by `{}`", of.name),
            _ => format!("no region has a {operator} into `{name}`"),
        };
        let warning = Diagnostic::new(DiagnosticId::UnusedReduction, text);
        let warning = warning.at(unit.source(), pragma.span, "").note("it has no effect");
        Some(match &operator {
            Operator::Function(of) => {
                warning.help(format!("write updates as `{name} = {}({name}, e)`", of.name))
            }
            _ => warning,
        })
    };
    unit.pragmas().iter().filter_map(unused).collect()
}

/// Reads `(OPERATOR: NAME, NAME)`, or `(FUNCTION: NAME, NAME) neutral(CONSTANT)`.
fn read(text: &str) -> Result<Vec<(String, Operator)>, Wrong> {
    let other_form = || {
        Wrong::new(
            format!("`{text}` is no reduction"),
            "the operators are + * min max fmin fmax & | ^ && and ||, and functions with their neutral element",
            "write `#pragma farkas reduction(+: sum, total)`, or `#pragma farkas reduction(gcd: divisor) neutral(0)`",
        )
    };
    let list = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (list, rest) = list.ok_or_else(other_form)?;
    let (word, names) = list.split_once(':').ok_or_else(other_form)?;
    let neutral = match rest.trim() {
        "" => None,
        rest => Some(in_neutral(rest).ok_or_else(other_form)?),
    };
    let operator = operator(word.trim(), neutral)?.ok_or_else(other_form)?;
    let name =
        |name: &str| is_name(name.trim()).then(|| (name.trim().to_owned(), operator.clone()));
    names.split(',').map(name).collect::<Option<_>>().ok_or_else(other_form)
}

/// What stands in `neutral(…)`.
fn in_neutral(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("neutral")?.trim_start().strip_prefix('(')?;
    Some(inside.strip_suffix(')')?.trim())
}

/// Whether a text is an identifier.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.chars().all(is_part) && text.chars().next().is_some_and(|c| !c.is_numeric())
}

/// The operator of a word: with a neutral element the function of this name. `None` for what is neither.
fn operator(word: &str, neutral: Option<&str>) -> Result<Option<Operator>, Wrong> {
    match (operator_of(word), neutral) {
        (Some(operator), None) => Ok(Some(operator)),
        (None, None) if is_name(word) => Err(Wrong::new(
            format!("`{word}` lacks its neutral element"),
            "partial results begin with the value that changes nothing, which Farkas does not know of a function",
            format!(
                "write `neutral(e)` behind it, with the constant `e` for which `{word}(e, x)` is `x`"
            ),
        )),
        (_, Some(text)) if is_name(word) => {
            let neutral = constant(text).ok_or_else(|| no_constant(text))?;
            let combiner = Combiner { name: word.to_owned(), neutral };
            Ok(Some(Operator::Function(Rc::new(combiner))))
        }
        (Some(_), Some(_)) => Err(Wrong::new(
            format!("`{word}` has its neutral element already"),
            "it is an operator of C",
            "leave `neutral(…)` out",
        )),
        (None, _) => Ok(None),
    }
}

/// The message on a neutral element that is no constant.
fn no_constant(text: &str) -> Wrong {
    Wrong::new(
        format!("`{text}` is no constant that can be a neutral element"),
        "it is a number, with a sign or without, or `INFINITY`; macros in pragmas are not expanded",
        "write the number, for instance `neutral(-2147483648)`",
    )
}

/// The operator of a word, as OpenMP writes it.
fn operator_of(word: &str) -> Option<Operator> {
    Some(match word {
        "+" => Operator::Sum,
        "*" => Operator::Product,
        "min" => Operator::Min,
        "max" => Operator::Max,
        "fmin" => Operator::Fmin,
        "fmax" => Operator::Fmax,
        "&" => Operator::BitAnd,
        "|" => Operator::BitOr,
        "^" => Operator::BitXor,
        "&&" => Operator::And,
        "||" => Operator::Or,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a pragma says, or the message.
    fn outcome(text: &str) -> Result<Vec<(String, Operator)>, String> {
        read(text).map_err(|wrong| wrong.message)
    }

    #[test]
    fn pragmas_have_an_operator_and_names() {
        assert_eq!(outcome("(+: s)"), Ok(vec![("s".to_owned(), Operator::Sum)]));
        assert_eq!(outcome("( max : a, b )").map(|all| all.len()), Ok(2));
        for wrong in
            ["(s)", "(-: s)", "(+: )", "(+: a b)", "+: s", "(+: s", "(f: s) neutral", "(+: 2)"]
        {
            let message = outcome(wrong).expect_err(wrong);
            assert!(message.ends_with("is no reduction"), "{wrong}: {message}");
        }
    }

    #[test]
    fn functions_have_neutral_elements() {
        let of = |text: &str| match outcome(text).expect(text).as_slice() {
            [(_, Operator::Function(of))] => (of.name.clone(), of.neutral.clone()),
            other => panic!("{text}: {other:?}"),
        };
        for (text, name, neutral) in [
            ("(gcd: g) neutral(0)", "gcd", "0"),
            ("(gcd: g)neutral ( 16 )", "gcd", "16"),
            ("(max: g) neutral(-INFINITY)", "max", "-__builtin_inf()"),
        ] {
            assert_eq!(of(text), (name.to_owned(), neutral.to_owned()), "{text}");
        }
        for (text, message) in [
            ("(gcd: g)", "`gcd` lacks its neutral element"),
            ("(+: g) neutral(0)", "`+` has its neutral element already"),
            ("(f: g) neutral(n)", "`n` is no constant that can be a neutral element"),
        ] {
            assert_eq!(outcome(text).expect_err(text), message);
        }
    }
}
