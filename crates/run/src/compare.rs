//! Comparing what two programs printed.

use serde::{Deserialize, Serialize};

/// How far numbers may be apart. A number may differ by the sum of what the fields allow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Times the larger magnitude of the two.
    pub relative: f64,
    /// As it stands.
    pub absolute: f64,
    /// Units of the last decimal place that is printed; for `%0.2f` one unit is 0.01. Numbers written without a decimal
    /// point have no such allowance.
    pub printed_units: u32,
}

impl Tolerance {
    /// Texts must be the same, byte for byte.
    pub const EXACT: Self = Self { relative: 0.0, absolute: 0.0, printed_units: 0 };

    /// Numbers may differ by `relative` times the larger magnitude.
    pub fn relative(relative: f64) -> Self {
        Self { relative, ..Self::EXACT }
    }

    /// Whether `left` and `right` are close enough when `unit` is the last printed place.
    fn accepts(&self, left: f64, right: f64, unit: f64) -> bool {
        if left == right || (left.is_nan() && right.is_nan()) {
            return true;
        }
        let allowed = self.relative * left.abs().max(right.abs())
            + self.absolute
            + f64::from(self.printed_units) * unit * (1.0 + 1e-9);
        left.is_finite() && right.is_finite() && (left - right).abs() <= allowed
    }
}

/// How far two texts agree.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// Byte for byte.
    Equal,
    /// In all but numbers, which are as close as the tolerance asks, or written in another way.
    Within {
        /// The largest difference of two numbers, divided by the larger magnitude of the two.
        largest_relative: f64,
    },
}

impl Agreement {
    /// What holds of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Equal, agreement) | (agreement, Self::Equal) => agreement,
            (Self::Within { largest_relative: a }, Self::Within { largest_relative: b }) => {
                Self::Within { largest_relative: a.max(b) }
            }
        }
    }
}

/// The first place where two texts differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// Line of the first text, from 1.
    pub line: usize,
    /// Column of the first text in characters, from 1.
    pub column: usize,
    /// What differs.
    pub kind: DifferenceKind,
}

/// How two texts differ.
#[derive(Clone, PartialEq, Debug)]
pub enum DifferenceKind {
    /// Two numbers are too far apart.
    Number {
        /// The number in the first text, as written.
        left: String,
        /// The number in the second text, as written.
        right: String,
        /// Their distance divided by the larger magnitude; not a number when one of them is not finite.
        relative_error: f64,
    },
    /// Other text differs.
    Text {
        /// The rest of the first text's line.
        left: String,
        /// The rest of the second text's line.
        right: String,
    },
    /// One text ends where the other goes on.
    Length {
        /// Whether the first text is the shorter one.
        first_ends: bool,
    },
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        match &self.kind {
            DifferenceKind::Number { left, right, relative_error } => {
                write!(f, "{left} against {right} (relative error {relative_error:.1e})")
            }
            DifferenceKind::Text { left, right } => write!(f, "`{left}` against `{right}`"),
            DifferenceKind::Length { first_ends: true } => f.write_str("the second output goes on"),
            DifferenceKind::Length { first_ends: false } => f.write_str("the second output ends"),
        }
    }
}

/// The first place where `left` and `right` differ by more than `tolerance`, if [`compare`] finds one.
///
/// ```
/// use farkas_run::{Tolerance, first_difference};
/// let tolerance = Tolerance::relative(1e-9);
/// assert_eq!(first_difference("sum 0x1p+3\n", "sum 8.0000000001\n", tolerance), None);
/// let difference = first_difference("a 1\nb 2\n", "a 1\nb 3\n", tolerance);
/// assert_eq!(difference.unwrap().to_string(), "line 2, column 3: 2 against 3 (relative error 3.3e-1)");
/// ```
pub fn first_difference(left: &str, right: &str, tolerance: Tolerance) -> Option<Difference> {
    compare(left, right, tolerance).err()
}

/// How far `left` and `right` agree.
///
/// With [`Tolerance::EXACT`] the texts must be equal. Otherwise numbers (decimal, C's hexadecimal floating point,
/// infinities, NaN) are compared by value, runs of blanks are equal to each other whatever their length, and all other
/// text must be the same.
///
/// # Errors
/// The first place where they differ by more than `tolerance`.
pub fn compare(left: &str, right: &str, tolerance: Tolerance) -> Result<Agreement, Difference> {
    if left == right {
        return Ok(Agreement::Equal);
    }
    let exact = tolerance == Tolerance::EXACT;
    let mut largest_relative = 0.0;
    let (mut l, mut r) = (Tokens::new(left), Tokens::new(right));
    loop {
        let at = l.at;
        let kind = match (l.next(), r.next()) {
            (None, None) => return Ok(Agreement::Within { largest_relative }),
            (None, Some(_)) => DifferenceKind::Length { first_ends: true },
            (Some(_), None) => DifferenceKind::Length { first_ends: false },
            (Some(a), Some(b)) if a == b => continue,
            (Some(a), Some(b)) => match (number(a), number(b)) {
                (Some(x), Some(y)) => {
                    let scale = x.value.abs().max(y.value.abs());
                    let relative_error = (x.value - y.value).abs() / scale;
                    if !exact && tolerance.accepts(x.value, y.value, x.unit.max(y.unit)) {
                        // Equal infinities, zeros and numbers that are none have no distance.
                        largest_relative = relative_error.max(largest_relative);
                        continue;
                    }
                    DifferenceKind::Number { left: a.into(), right: b.into(), relative_error }
                }
                _ if !exact && is_blank(a) && is_blank(b) => continue,
                _ => DifferenceKind::Text {
                    left: rest_of_line(left, at),
                    right: rest_of_line(right, r.at - b.len()),
                },
            },
        };
        return Err(place(left, at, kind));
    }
}

/// A number in a text.
#[derive(Clone, Copy)]
struct Number {
    value: f64,
    /// The value of one unit of its last decimal place; zero without a decimal point.
    unit: f64,
}

/// The tokens of a text: numbers and words, runs of blanks, single other characters.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let first = rest.chars().next()?;
        let length = if matches!(first, ' ' | '\t') {
            rest.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(rest.len())
        } else {
            word_length(rest).max(first.len_utf8())
        };
        self.at += length;
        Some(&rest[..length])
    }
}

/// Length of the number or identifier that `rest` starts with, zero for neither. A sign belongs to a number when a
/// digit, a point, or a name (`inf`, `nan`) follows, or when it follows an exponent's letter.
fn word_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'_';
    let signed = matches!(bytes.first(), Some(b'+' | b'-'));
    let start = usize::from(signed);
    if !bytes.get(start).copied().is_some_and(is_word) {
        return 0;
    }
    let is_hex = bytes[start..].starts_with(b"0x") || bytes[start..].starts_with(b"0X");
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        let exponent = if is_hex { b'p' } else { b'e' };
        let after_exponent = end > start
            && matches!(byte, b'+' | b'-')
            && bytes[end - 1].eq_ignore_ascii_case(&exponent)
            && bytes[start].is_ascii_digit();
        if !is_word(byte) && !after_exponent {
            break;
        }
        end += 1;
    }
    end
}

/// The number that a token is, if it is one.
fn number(token: &str) -> Option<Number> {
    let (sign, digits) = match token.strip_prefix(['+', '-']) {
        Some(digits) => (if token.starts_with('-') { -1.0 } else { 1.0 }, digits),
        None => (1.0, token),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return Some(Number { value: sign * hex_value(hex)?, unit: 0.0 });
    }
    let lower = digits.to_ascii_lowercase();
    if matches!(lower.as_str(), "nan" | "inf" | "infinity") {
        return Some(Number { value: sign * lower.parse::<f64>().ok()?, unit: 0.0 });
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let value: f64 = digits.parse().ok()?;
    Some(Number { value: sign * value, unit: last_place(&lower) })
}

/// One unit of the last decimal place of a decimal number.
fn last_place(digits: &str) -> f64 {
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((digits, "0"));
    let Some((_, fraction)) = mantissa.split_once('.') else { return 0.0 };
    let places = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
    10f64.powi(exponent.parse::<i32>().unwrap_or(0).saturating_sub(places))
}

/// The value of C's hexadecimal floating point (or integer) notation after `0x`.
fn hex_value(hex: &str) -> Option<f64> {
    let lower = hex.to_ascii_lowercase();
    let (mantissa, exponent) = lower.split_once('p').unwrap_or((&lower, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0f64;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let scale = exponent.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    Some(value * 2f64.powi(scale / 2) * 2f64.powi(scale - scale / 2))
}

/// Whether a token is a run of blanks.
fn is_blank(token: &str) -> bool {
    token.starts_with([' ', '\t'])
}

/// At most sixty characters of the line from byte `at` on.
fn rest_of_line(text: &str, at: usize) -> String {
    text.get(at..).unwrap_or("").lines().next().unwrap_or("").chars().take(60).collect()
}

/// The difference `kind` at byte `at` of `text`.
fn place(text: &str, at: usize, kind: DifferenceKind) -> Difference {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Difference {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expect` is the printed difference, empty for none.
    fn check(left: &str, right: &str, tolerance: Tolerance, expect: &str) {
        let difference = first_difference(left, right, tolerance);
        assert_eq!(difference.map(|d| d.to_string()).unwrap_or_default(), expect);
    }

    #[test]
    fn exact_texts() {
        check("a 1.0\n", "a 1.0\n", Tolerance::EXACT, "");
        check(
            "a 1.0\n",
            "a 1.00\n",
            Tolerance::EXACT,
            "line 1, column 3: 1.0 against 1.00 (relative error 0.0e0)",
        );
        check("x\ny", "x\nz", Tolerance::EXACT, "line 2, column 1: `y` against `z`");
        check("x\n", "x\ny\n", Tolerance::EXACT, "line 2, column 1: the second output goes on");
        check("x y", "x", Tolerance::EXACT, "line 1, column 2: the second output ends");
        check("x  y", "x y", Tolerance::EXACT, "line 1, column 2: `  y` against ` y`");
    }

    #[test]
    fn numbers_within_a_tolerance() {
        let close = Tolerance::relative(1e-6);
        check("-1.5e+10 [3]", "-1.5000001e10   [3]", close, "");
        check("0x1.8p+1", "3.0000001", close, "");
        check("nan inf -inf", "nan inf -inf", close, "");
        check(
            "0x1.8p-1",
            "-0.75",
            close,
            "line 1, column 1: 0x1.8p-1 against -0.75 (relative error 2.0e0)",
        );
        check("inf", "-inf", close, "line 1, column 1: inf against -inf (relative error NaN)");
        check("v3 1", "v4 1", close, "line 1, column 1: `v3 1` against `v4 1`");
        check("1-2", "1-3", close, "line 1, column 2: -2 against -3 (relative error 3.3e-1)");
        check("0x1p-1074", "0x1p-1074", close, "");
    }

    #[test]
    fn agreement_says_how_close_numbers_are() {
        let close = Tolerance::relative(1e-6);
        assert_eq!(compare("1 2", "1 2", close), Ok(Agreement::Equal));
        let within = |right| match compare("inf 0 nan 2.0 4", right, close) {
            Ok(Agreement::Within { largest_relative }) => largest_relative,
            other => panic!("{other:?}"),
        };
        assert_eq!(within("inf 0.0 nan 2.00 4"), 0.0);
        let largest = within("inf 0 nan 2.0000001 4.000001");
        assert!((largest - 2.5e-7).abs() < 1e-10, "{largest}");
        let [equal, far] = [Agreement::Equal, Agreement::Within { largest_relative: 0.5 }];
        assert_eq!(equal.and(far), far);
        assert_eq!(far.and(Agreement::Within { largest_relative: 0.1 }), far);
        assert_eq!(equal.and(equal), equal);
    }

    #[test]
    fn printed_places() {
        let tolerance = Tolerance { printed_units: 1, ..Tolerance::EXACT };
        check("0.01 3.00", "0.02 2.99", tolerance, "");
        check(
            "0.01",
            "0.03",
            tolerance,
            "line 1, column 1: 0.01 against 0.03 (relative error 6.7e-1)",
        );
        check("7", "8", tolerance, "line 1, column 1: 7 against 8 (relative error 1.2e-1)");
    }
}
