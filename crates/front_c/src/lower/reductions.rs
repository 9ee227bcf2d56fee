//! Whose updates the user lets be combined in any order: `#pragma farkas reduction(+: s, t)` before or in a function.

use super::own_pragmas::{own_pragmas, said};
use crate::source::{Pragma, Region, TranslationUnit};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_scop::{ArrayScope, Operator, Scop, Violation};
use std::collections::BTreeSet;

/// The word of the pragma.
const WORD: &str = "reduction";

/// A variable or an array, by its name, and the operator by which its updates may be combined in any order.
pub(super) type Granted = (String, Operator);

/// What pragmas grant a region.
///
/// # Errors
/// A pragma that has another form.
pub(super) fn granted(
    unit: &TranslationUnit,
    region: &Region<'_>,
) -> Result<Vec<Granted>, Box<Diagnostic>> {
    let mut all = Vec::new();
    for (pragma, text) in own_pragmas(unit, region, WORD) {
        all.extend(read(text).ok_or_else(|| refusal(unit, pragma, text))?);
    }
    Ok(all)
}

/// The scop whose arrays know of it.
///
/// # Errors
/// None that a scop has not already.
pub(super) fn with(scop: &Scop, granted: &[Granted]) -> Result<Scop, Violation> {
    let mut builder = scop.to_builder();
    for array in builder.arrays.iter_mut() {
        // The last pragma counts.
        let of = granted.iter().rev().find(|(name, _)| *name == array.source_name);
        let is_own = !matches!(array.scope, ArrayScope::Buffer | ArrayScope::Expanded);
        array.reduction = of.filter(|_| is_own).map(|(_, operator)| operator.clone());
    }
    builder.build()
}

/// The warnings on pragmas that name something of which no region has updates by the operator.
pub(crate) fn unused_reductions<'r>(
    unit: &TranslationUnit,
    regions: impl Iterator<Item = &'r farkas_scop::Region>,
) -> Vec<Diagnostic> {
    let mut updated: BTreeSet<Granted> = BTreeSet::new();
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
        let all = said(pragma, WORD).and_then(read)?;
        let (name, operator) = all.into_iter().find(|granted| !updated.contains(granted))?;
        let text = format!("no region has a {operator} into `{name}`");
        let warning = Diagnostic::new(DiagnosticId::UnusedReduction, text);
        Some(warning.at(unit.source(), pragma.span, "").note("it has no effect"))
    };
    unit.pragmas().iter().filter_map(unused).collect()
}

/// Reads `(OPERATOR: NAME, NAME)`.
fn read(text: &str) -> Option<Vec<Granted>> {
    let list = text.strip_prefix('(')?.strip_suffix(')')?;
    let (operator, names) = list.split_once(':')?;
    let operator = operator_of(operator.trim())?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name = |name: &str| {
        let name = name.trim();
        (!name.is_empty() && name.chars().all(is_part)).then(|| (name.to_owned(), operator.clone()))
    };
    names.split(',').map(name).collect()
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

/// The message on a pragma of another form.
fn refusal(unit: &TranslationUnit, pragma: &Pragma, text: &str) -> Box<Diagnostic> {
    let diagnostic =
        Diagnostic::new(DiagnosticId::BadReduction, format!("`{text}` is no reduction"))
            .at(unit.source(), pragma.span, "")
            .note("the operators are + * min max fmin fmax & | ^ && and ||")
            .help("write `#pragma farkas reduction(+: sum, total)`");
    Box::new(diagnostic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_have_an_operator_and_names() {
        let read = |text| read(text).expect("a reduction");
        assert_eq!(read("(+: s)"), [("s".to_owned(), Operator::Sum)]);
        assert_eq!(read("( max : a, b )").len(), 2);
        for wrong in ["(s)", "(-: s)", "(+: )", "(+: a b)", "+: s", "(+: s"] {
            assert!(super::read(wrong).is_none(), "{wrong}");
        }
    }
}
