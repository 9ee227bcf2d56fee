//! Our own pragmas: `#pragma farkas WORD ...`.

use crate::source::{Pragma, Region, TranslationUnit};

/// The pragmas `farkas WORD` for a region, each with what follows the word: those in its function, and those before it outside of
/// functions.
pub(super) fn own_pragmas<'u>(
    unit: &'u TranslationUnit,
    region: &Region<'_>,
    word: &'u str,
) -> impl Iterator<Item = (&'u Pragma, &'u str)> {
    let own = region.function.byte_range();
    let in_other = |at: usize| unit.functions().any(|(_, f)| f.byte_range().contains(&at));
    let is_for_region = move |pragma: &&Pragma| {
        own.contains(&pragma.at) || pragma.at <= own.start && !in_other(pragma.at)
    };
    let said = move |pragma: &'u Pragma| Some((pragma, said(pragma, word)?));
    unit.pragmas().iter().filter(is_for_region).filter_map(said)
}

/// What follows `farkas WORD` in such a pragma.
pub(crate) fn said<'u>(pragma: &'u Pragma, word: &str) -> Option<&'u str> {
    let rest = pragma.words.trim_start().strip_prefix("farkas")?.trim_start();
    let rest = rest.strip_prefix(word)?;
    rest.starts_with(|c: char| c.is_whitespace() || c == '(').then(|| rest.trim())
}
