//! Constants that are neutral elements: `neutral(0)`, `neutral(-INFINITY)`.

use crate::source::integer_literal;

/// The greatest integer of 64 bits.
const MAX_UNSIGNED: i128 = u64::MAX as i128;

/// The least one, without its sign.
const MAX_NEGATIVE: i128 = 1 << 63;

/// The least one. C has no negative literals, and this is too large for a positive one.
const LEAST: &str = "(-9223372036854775807 - 1)";

/// A constant as generated code writes it, whatever headers the file has: a number or an infinity, with a sign or without.
pub(super) fn constant(text: &str) -> Option<String> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest.trim_start()),
        None => ("", text.strip_prefix('+').unwrap_or(text).trim_start()),
    };
    if matches!(text, "INFINITY" | "HUGE_VAL" | "__builtin_inf()" | "__builtin_huge_val()") {
        return Some(format!("{sign}__builtin_inf()"));
    }
    match integer_literal(text) {
        Some(value) if sign.is_empty() => positive(value),
        Some(value) => negative(value),
        None => is_floating(text).then(|| format!("{sign}{text}")),
    }
}

/// The value of such a constant, where it is an integer.
pub(super) fn value(constant: &str) -> Option<i128> {
    match constant.strip_prefix('-') {
        _ if constant == LEAST => Some(-MAX_NEGATIVE),
        Some(rest) => integer_literal(rest).map(|value| -value),
        None => integer_literal(constant),
    }
}

/// An integer without a sign.
fn positive(value: i128) -> Option<String> {
    let suffix = if value < MAX_NEGATIVE { "" } else { "u" };
    (value <= MAX_UNSIGNED).then(|| format!("{value}{suffix}"))
}

/// An integer behind a minus.
fn negative(value: i128) -> Option<String> {
    match value {
        0 => Some("0".to_owned()),
        MAX_NEGATIVE => Some(LEAST.to_owned()),
        _ => (value < MAX_NEGATIVE).then(|| format!("-{value}")),
    }
}

/// Whether a text is a decimal floating-point literal.
fn is_floating(text: &str) -> bool {
    let digits = text.strip_suffix(['f', 'F', 'l', 'L']).unwrap_or(text);
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.contains(['.', 'e', 'E'])
        && digits.chars().all(is_part)
        && digits.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_numbers_and_infinities() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("+7", "7"),
            ("- 7", "-7"),
            ("0x10", "16"),
            ("4294967295u", "4294967295"),
            ("18446744073709551615", "18446744073709551615u"),
            ("-9223372036854775808", LEAST),
            ("1.0", "1.0"),
            ("-0.0", "-0.0"),
            ("2.", "2."),
            ("1e300", "1e300"),
            ("- 1.5e-3f", "-1.5e-3f"),
            ("INFINITY", "__builtin_inf()"),
            ("-HUGE_VAL", "-__builtin_inf()"),
        ] {
            assert_eq!(constant(text).as_deref(), Some(expected), "{text}");
        }
        for wrong in ["", "-", "n", "1 + 1", "inf", "nan", "--1", "1.f2", "18446744073709551616"] {
            assert_eq!(constant(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn integers_have_values() {
        for (text, expected) in [
            ("16", Some(16)),
            ("-7", Some(-7)),
            ("18446744073709551615u", Some(MAX_UNSIGNED)),
            (LEAST, Some(-MAX_NEGATIVE)),
            ("1.0", None),
            ("-__builtin_inf()", None),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }
}
