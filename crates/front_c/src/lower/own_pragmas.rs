//! Our own pragmas: `#pragma farkas WORD ...`.

use crate::source::{Pragma, Region, TranslationUnit};
use farkas_base::{Diagnostic, DiagnosticId, nearest};

/// The words that there are.
const WORDS: [&str; 3] = ["assume", "sizes", "reduction"];

/// The pragmas `farkas WORD` for a region, each with what follows the word: those in its function, and those before it outside of
/// functions.
pub(super) fn own_pragmas<'u>(
    unit: &'u TranslationUnit,
    region: &Region<'_>,
    word: &'u str,
) -> impl Iterator<Item = (&'u Pragma, &'u str)> {
    let own = region.function.byte_range();
    let in_other = |at: usize| unit.is_in_function(at);
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

/// The warnings on pragmas with words that there are not.
pub(crate) fn unknown_pragmas(unit: &TranslationUnit) -> Vec<Diagnostic> {
    let warning = |pragma: &Pragma| {
        let rest = pragma.words.trim_start().strip_prefix("farkas")?;
        let word = rest.trim_start().split(|c: char| c.is_whitespace() || c == '(').next()?;
        if WORDS.contains(&word) || !rest.starts_with(char::is_whitespace) && !rest.is_empty() {
            return None;
        }
        let diagnostic = Diagnostic::new(
            DiagnosticId::UnknownPragma,
            format!("`{}` means nothing", format!("#pragma farkas {word}").trim_end()),
        )
        .at(unit.source(), pragma.span, "")
        .note("it has no effect");
        Some(match nearest(word, &WORDS) {
            Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
            None => diagnostic
                .help(format!("there are `{}`, `{}` and `{}`", WORDS[0], WORDS[1], WORDS[2])),
        })
    };
    unit.pragmas().iter().filter_map(warning).collect()
}
