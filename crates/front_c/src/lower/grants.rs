//! What the user grants a region: on the command line, and by `#pragma farkas assume no-overlap(a, b) no-wrap` before or in
//! its function.

use super::own_pragmas::own_pragmas;
use crate::source::{Pragma, Region, TranslationUnit};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_scop::{Grant, UnknownGrant};

/// The grants for a region: those of the command line, of pragmas in its function, and of pragmas before it outside of
/// functions.
///
/// # Errors
/// A pragma that names no kind of assumption.
pub(super) fn granted(
    unit: &TranslationUnit,
    region: &Region<'_>,
    options: &[Grant],
) -> Result<Vec<Grant>, Box<Diagnostic>> {
    let mut grants = options.to_vec();
    for (pragma, text) in own_pragmas(unit, region, "assume") {
        grants.extend(read(text).map_err(|error| refusal(unit, pragma, &error))?);
    }
    Ok(grants)
}

/// Reads `KIND`, or `KIND(NAME, NAME)`, several times.
fn read(text: &str) -> Result<Vec<Grant>, UnknownGrant> {
    let mut grants = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(rest.len());
        let (kind, after) = rest.split_at(end);
        let names = after.trim_start().strip_prefix('(').and_then(|names| names.split_once(')'));
        let (names, after) = names.unwrap_or(("", after));
        grants.push(format!("{kind}={names}").parse()?);
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    }
    Ok(grants)
}

/// The message on a pragma that grants nothing.
fn refusal(unit: &TranslationUnit, pragma: &Pragma, error: &UnknownGrant) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(DiagnosticId::UnknownAssumption, error.to_string())
        .at(unit.source(), pragma.span, "")
        .help("write `#pragma farkas assume no-overlap(a, b)`");
    Box::new(diagnostic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farkas_scop::AssumptionKind;

    #[test]
    fn pragmas_name_kinds_and_variables() {
        let grants = read(" no-overlap(a, b), no-wrap").expect("kinds");
        assert_eq!(grants.len(), 2);
        assert_eq!(grants[0].kind, AssumptionKind::NoOverlap);
        assert_eq!(grants[0].names, ["a", "b"]);
        assert!(grants[1].names.is_empty());
        assert!(read("no-overlap(a) nonsense").is_err());
        assert!(read("(a)").is_err());
    }
}
