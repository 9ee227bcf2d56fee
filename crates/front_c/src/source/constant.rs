//! The value of an integer constant, as `#if` computes it.

use super::expand::Word;
use super::lexer::TokenKind;

/// The value of `words` in `#if`, where they are an integer constant expression without names.
pub(super) fn integer_value(words: &[Word<'_>]) -> Option<i128> {
    let mut parser = Evaluator { words, at: 0 };
    let value = parser.conditional(0)?;
    (parser.at == words.len()).then_some(value)
}

/// Evaluates an integer constant expression.
struct Evaluator<'w, 'a> {
    words: &'w [Word<'a>],
    at: usize,
}

/// Deeper expressions have no value.
const MAX_DEPTH: usize = 40;

impl Evaluator<'_, '_> {
    /// Whether the next token is `text`; takes it.
    fn accept(&mut self, text: &str) -> bool {
        let found = self.words.get(self.at).is_some_and(|w| w.text == text);
        self.at += usize::from(found);
        found
    }

    /// `binary ? conditional : conditional`.
    fn conditional(&mut self, depth: usize) -> Option<i128> {
        if depth > MAX_DEPTH {
            return None;
        }
        let condition = self.binary(0, depth)?;
        if !self.accept("?") {
            return Some(condition);
        }
        let yes = self.conditional(depth + 1)?;
        let no = self.accept(":").then(|| self.conditional(depth + 1))??;
        Some(if condition != 0 { yes } else { no })
    }

    /// Operators of at least the binding strength `level`.
    fn binary(&mut self, level: usize, depth: usize) -> Option<i128> {
        const LEVELS: [&[&str]; 10] = [
            &["||"],
            &["&&"],
            &["|"],
            &["^"],
            &["&"],
            &["==", "!="],
            &["<=", ">=", "<", ">"],
            &["<<", ">>"],
            &["+", "-"],
            &["*", "/", "%"],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.unary(depth) };
        let mut left = self.binary(level + 1, depth)?;
        while let Some(operator) = operators.iter().find(|op| self.accept(op)) {
            let right = self.binary(level + 1, depth)?;
            left = in_range(apply(operator, left, right)?)?;
        }
        Some(left)
    }

    /// Prefix operators, parentheses and literals.
    fn unary(&mut self, depth: usize) -> Option<i128> {
        if depth > MAX_DEPTH {
            return None;
        }
        let word = self.words.get(self.at)?;
        self.at += 1;
        match &*word.text {
            "+" => self.unary(depth + 1),
            "-" => self.unary(depth + 1).and_then(|x| in_range(-x)),
            "!" => self.unary(depth + 1).map(|x| i128::from(x == 0)),
            "~" => self.unary(depth + 1).and_then(|x| in_range(!x)),
            "(" => {
                let value = self.conditional(depth + 1)?;
                self.accept(")").then_some(value)
            }
            text if word.kind == TokenKind::Number => integer_literal(text).and_then(in_range),
            _ => None,
        }
    }
}

/// `value`, if `#if` can hold it in 64 bits.
fn in_range(value: i128) -> Option<i128> {
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value).then_some(value)
}

/// The value of a C operator; `None` for a division by zero or a shift out of range.
fn apply(operator: &str, left: i128, right: i128) -> Option<i128> {
    let shift = u32::try_from(right).ok().filter(|s| *s < 64);
    match operator {
        "||" => Some(i128::from(left != 0 || right != 0)),
        "&&" => Some(i128::from(left != 0 && right != 0)),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "==" => Some(i128::from(left == right)),
        "!=" => Some(i128::from(left != right)),
        "<=" => Some(i128::from(left <= right)),
        ">=" => Some(i128::from(left >= right)),
        "<" => Some(i128::from(left < right)),
        ">" => Some(i128::from(left > right)),
        "<<" => left.checked_shl(shift?),
        ">>" => left.checked_shr(shift?),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        _ => None,
    }
}

/// The value of an integer literal in C's notations; `None` for other preprocessing numbers.
pub fn integer_literal(text: &str) -> Option<i128> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = text[digits.len()..].to_ascii_lowercase();
    if !matches!(suffix.as_str(), "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return None;
    }
    let lower = digits.to_ascii_lowercase();
    let (radix, body) = match () {
        () if lower.starts_with("0x") => (16, &lower[2..]),
        () if lower.starts_with("0b") => (2, &lower[2..]),
        () if lower.len() > 1 && lower.starts_with('0') => (8, &lower[1..]),
        () => (10, lower.as_str()),
    };
    if body.starts_with(['+', '-']) {
        return None;
    }
    i128::from_str_radix(body, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::super::expand::Expander;
    use super::super::macros::MacroTable;
    use super::*;

    #[test]
    fn values_of_integer_constants() {
        let table = MacroTable::default();
        let value = |text| integer_value(&Expander::new(&table, "", 0).expand_text(text).unwrap());
        let cases: [(&str, Option<i128>); 16] = [
            ("1000", Some(1000)),
            ("(1 << 10) * 2UL", Some(2048)),
            ("0x1F + 010", Some(39)),
            ("-7 / 2", Some(-3)),
            ("-7 % 2", Some(-1)),
            ("1 ? 2 : 3", Some(2)),
            ("1 + 2 == 3 && !0", Some(1)),
            ("~0 | 4", Some(-1)),
            ("18446744073709551615u", Some(18_446_744_073_709_551_615)),
            ("18446744073709551616", None),
            ("1 / 0", None),
            ("n", None),
            ("1.0", None),
            ("(int) 3", None),
            ("1 +", None),
            ("", None),
        ];
        for (text, expect) in cases {
            assert_eq!(value(text), expect, "{text}");
        }
        assert_eq!(value(&"(".repeat(10_000)), None);
    }
}
