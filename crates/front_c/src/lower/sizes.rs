//! The sizes that a region is to be fast for: on the command line, and by `#pragma farkas sizes(n=2000, k=3)` before or in its
//! function. They change nothing that a region means.

use super::own_pragmas::{own_pragmas, said};
use crate::source::{Pragma, Region, TranslationUnit};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_poly::{DimType, Val};
use farkas_scop::{Size, unknown_sizes};
use std::collections::{BTreeMap, BTreeSet};

/// The word of the pragma.
const WORD: &str = "sizes";

/// The sizes for a region: those of pragmas, of which later ones count more, and above them those of the command line.
///
/// # Errors
/// A pragma that has another form.
pub(super) fn told(
    unit: &TranslationUnit,
    region: &Region<'_>,
    options: &[Size],
) -> Result<BTreeMap<String, i64>, Box<Diagnostic>> {
    let mut sizes = Vec::new();
    for (pragma, text) in own_pragmas(unit, region, WORD) {
        sizes.extend(read(text).map_err(|error| refusal(unit, pragma, error))?);
    }
    let all = sizes.into_iter().chain(options.iter().cloned());
    Ok(all.map(|size| (size.name, size.value)).collect())
}

/// Reads `(NAME=VALUE, NAME=VALUE)`.
fn read(text: &str) -> Result<Vec<Size>, String> {
    let list = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let list = list.ok_or_else(|| format!("`{text}` are no sizes"))?;
    list.split(',').map(str::parse).collect()
}

/// The message on a pragma of another form.
fn refusal(unit: &TranslationUnit, pragma: &Pragma, error: String) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(DiagnosticId::BadSize, error)
        .at(unit.source(), pragma.span, "")
        .help("write `#pragma farkas sizes(n=2000, k=3)`");
    Box::new(diagnostic)
}

/// The warnings on sizes that have no effect in any of the regions.
pub(crate) fn unused_sizes<'r>(
    unit: &TranslationUnit,
    options: &[Size],
    regions: impl Iterator<Item = &'r farkas_scop::Region> + Clone,
) -> Vec<Diagnostic> {
    let params = regions.clone().flat_map(|r| r.scop.params().iter().map(|p| p.name.clone()));
    let params: BTreeSet<String> = params.collect();
    let mut warnings = unknown_sizes(options, &params);
    for pragma in unit.pragmas() {
        let sizes = said(pragma, WORD).and_then(|text| read(text).ok()).unwrap_or_default();
        let unknown = unknown_sizes(&sizes, &params).into_iter();
        warnings.extend(unknown.map(|warning| warning.at(unit.source(), pragma.span, "")));
    }
    warnings.extend(regions.flat_map(|region| contradictions(unit, region)));
    warnings
}

/// The warnings on sizes that are none of those that a region may have.
fn contradictions(unit: &TranslationUnit, region: &farkas_scop::Region) -> Vec<Diagnostic> {
    let context = region.scop.context();
    let is_possible = |name: &str, value: i64| -> Result<bool, farkas_poly::Error> {
        let Some(position) = context.find_param(name) else { return Ok(true) };
        Ok(!context.fix_val(DimType::Param, position, &Val::int(value)?)?.is_empty()?)
    };
    let sizes = region.host.sizes.iter();
    let impossible = sizes.filter(|(name, value)| matches!(is_possible(name, **value), Ok(false)));
    let warn = |(name, value): (&String, &i64)| {
        let message = format!("`{name}` is never {value} in region `{}`", region.scop.name());
        Diagnostic::new(DiagnosticId::UnusedSize, message)
            .at(unit.source(), region.span, "")
            .note("the size has no effect here")
    };
    impossible.map(warn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_have_names_and_numbers() {
        let sizes = read("(n=2000, k = 3)").expect("sizes");
        assert_eq!(sizes.iter().map(ToString::to_string).collect::<Vec<_>>(), ["n=2000", "k=3"]);
        for wrong in ["n=2000", "()", "(n)", "(n=2000", "(n=2000,)", "(n=x)"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
