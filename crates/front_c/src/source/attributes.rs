//! Attributes of GNU C that change no value: `float t[16] __attribute__((aligned(64)));`. The grammar knows them in some places
//! only, so that they are blanked out of the text that is parsed.

use super::lexer::{Lexer, Token};
use std::ops::Range;

/// Attributes that change neither types nor what programs compute.
const HARMLESS: [&str; 32] = [
    "access",
    "alloc_size",
    "aligned",
    "always_inline",
    "artificial",
    "assume_aligned",
    "cold",
    "const",
    "deprecated",
    "externally_visible",
    "fallthrough",
    "flatten",
    "format",
    "format_arg",
    "gnu_inline",
    "hot",
    "leaf",
    "malloc",
    "no_instrument_function",
    "no_sanitize",
    "noclone",
    "noinline",
    "nonnull",
    "noreturn",
    "nothrow",
    "optimize",
    "pure",
    "returns_nonnull",
    "unused",
    "used",
    "visibility",
    "warn_unused_result",
];

/// `text` with blanks in the place of harmless attributes.
pub(super) fn without_attributes(text: String) -> String {
    if !text.contains("__attribute") {
        return text;
    }
    let tokens: Vec<(Range<usize>, &str)> = Lexer::of_piece(&text, 0)
        .map(|Token { range, .. }| (range.clone(), &text[range]))
        .collect();
    let (mut blank, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let attribute = match tokens[at].1 {
            "__attribute__" | "__attribute" => end_of(&tokens, at + 1),
            _ => None,
        };
        match attribute {
            Some(end) => {
                if are_harmless(&tokens[at + 1..end]) {
                    blank.push(tokens[at].0.start..tokens[end - 1].0.end);
                }
                at = end;
            }
            None => at += 1,
        }
    }
    let mut bytes = text.into_bytes();
    for byte in blank.into_iter().flatten() {
        if bytes[byte] != b'\n' {
            bytes[byte] = b' ';
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Where the parenthesis that opens at token `at` is closed, plus one.
fn end_of(tokens: &[(Range<usize>, &str)], at: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (end, (_, token)) in tokens.iter().enumerate().skip(at) {
        match *token {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (*token == ")").then_some(end + 1);
        }
    }
    None
}

/// Whether `((NAME(…), NAME))` has harmless names alone.
fn are_harmless(tokens: &[(Range<usize>, &str)]) -> bool {
    let (mut depth, mut harmless) = (0, true);
    for (_, token) in tokens {
        match *token {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," => {}
            name if depth == 2 => {
                let plain = name.strip_prefix("__").and_then(|n| n.strip_suffix("__"));
                harmless &= HARMLESS.contains(&plain.unwrap_or(name));
            }
            _ => {}
        }
    }
    harmless
}

#[cfg(test)]
mod tests {
    use super::without_attributes;

    #[test]
    fn what_changes_no_value_is_blank() {
        let blank = |text: &str| {
            let found = without_attributes(text.to_owned());
            assert_eq!(found.len(), text.len());
            found.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(blank("float t[4] __attribute__((aligned(64))) = {0};"), "float t[4] = {0};");
        assert_eq!(blank("int x __attribute__((__unused__, aligned));"), "int x ;");
        let vector = "typedef float v __attribute__((aligned(4), vector_size(16)));";
        assert_eq!(blank(vector), vector);
        let text = "char *s = \"__attribute__((aligned))\";";
        assert_eq!(blank(text), text);
        assert_eq!(blank("int __attribute__((aligned"), "int __attribute__((aligned");
    }
}
