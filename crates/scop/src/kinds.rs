//! What kind of number an expression of a body is, in C.

use crate::{
    AccessId, Array, ArrayId, AssignOp, BinaryOp, BodyStmt, ElementKind, Expr, Statement, UnaryOp,
};
use farkas_base::IdVec;

/// C's `int`.
const INT: ElementKind = ElementKind::Signed(32);

impl ElementKind {
    /// Whether it is an integer type.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Signed(_) | Self::Unsigned(_))
    }

    /// Whether it is one of C's real floating-point types.
    pub fn is_floating(self) -> bool {
        let is_long = matches!(self, Self::Float | Self::Double | Self::LongDouble);
        self.is_short_floating() || is_long
    }

    /// Whether it is a floating-point type of 16 bits, with which most processors compute in `float`.
    pub fn is_short_floating(self) -> bool {
        matches!(self, Self::Half | Self::Bf16)
    }

    /// The kind after C's integer promotions.
    #[must_use]
    pub fn promoted(self) -> Self {
        match self {
            Self::Signed(bits) | Self::Unsigned(bits) if bits < 32 => INT,
            other => other,
        }
    }

    /// The kind that C's usual arithmetic conversions give to both operands; [`ElementKind::Other`] where one of them is no number, or where one
    /// is `_Float16` and the other `__bf16`, neither of which holds all numbers of the other.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        use ElementKind::{Bf16, Double, Float, Half, LongDouble, Other, Signed, Unsigned};
        match (self.promoted(), other.promoted()) {
            (Other, _) | (_, Other) => Other,
            (LongDouble, _) | (_, LongDouble) => LongDouble,
            (Double, _) | (_, Double) => Double,
            (Float, _) | (_, Float) => Float,
            (Half, Bf16) | (Bf16, Half) => Other,
            (Half, _) | (_, Half) => Half,
            (Bf16, _) | (_, Bf16) => Bf16,
            (Signed(a), Signed(b)) => Signed(a.max(b)),
            (Unsigned(a), Unsigned(b)) => Unsigned(a.max(b)),
            (Signed(s), Unsigned(u)) | (Unsigned(u), Signed(s)) if u >= s => Unsigned(u),
            (Signed(s), Unsigned(_)) | (Unsigned(_), Signed(s)) => Signed(s),
        }
    }

    /// The kind of an integer literal with this value and text: the first of C's list that holds it. A character is an `int`.
    pub fn of_literal(value: i64, text: &str) -> Self {
        let suffix = text.trim_start_matches(|c: char| !matches!(c, 'u' | 'U' | 'l' | 'L'));
        let is_character = text.contains('\'');
        let is_unsigned = !is_character && suffix.contains(['u', 'U']);
        let is_long = !is_character && suffix.contains(['l', 'L']);
        let is_decimal = !text.starts_with('0') || text == "0";
        match (is_unsigned, is_long) {
            (false, false) if i32::try_from(value).is_ok() => INT,
            (true, false) if u32::try_from(value).is_ok() => Self::Unsigned(32),
            (false, false) if !is_decimal && u32::try_from(value).is_ok() => Self::Unsigned(32),
            (true, _) => Self::Unsigned(64),
            (false, _) => Self::Signed(64),
        }
    }

    /// The kind of a floating-point literal with this text.
    pub fn of_floating_literal(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        match text.as_bytes().last() {
            _ if text.ends_with("bf16") => Self::Bf16,
            _ if text.ends_with("f16") => Self::Half,
            Some(b'f') => Self::Float,
            Some(b'l') => Self::LongDouble,
            _ => Self::Double,
        }
    }

    /// The integer type of C that `text` names on 64-bit Unix, qualifiers apart: `int`, `unsigned long`, `size_t`.
    pub fn of_integer_type(text: &str) -> Option<Self> {
        let is_word = |word: &&str| {
            !matches!(*word, "const" | "volatile" | "register" | "static" | "restrict")
        };
        let words: Vec<&str> = text.split_whitespace().filter(is_word).collect();
        match words.as_slice() {
            [] => return None,
            ["size_t" | "uintptr_t" | "uint64_t" | "uintmax_t"] => return Some(Self::Unsigned(64)),
            ["ssize_t" | "ptrdiff_t" | "intptr_t" | "int64_t" | "intmax_t"] => {
                return Some(Self::Signed(64));
            }
            ["uint32_t"] => return Some(Self::Unsigned(32)),
            ["int32_t"] => return Some(Self::Signed(32)),
            ["uint16_t"] => return Some(Self::Unsigned(16)),
            ["int16_t"] => return Some(Self::Signed(16)),
            ["uint8_t" | "_Bool" | "bool"] => return Some(Self::Unsigned(8)),
            ["int8_t"] => return Some(Self::Signed(8)),
            _ => {}
        }
        let (mut bits, mut is_signed) = (32, true);
        for word in words {
            match word {
                "unsigned" => is_signed = false,
                "signed" | "int" => {}
                "char" => bits = 8,
                "short" => bits = 16,
                "long" => bits = 64,
                _ => return None,
            }
        }
        Some(if is_signed { Self::Signed(bits) } else { Self::Unsigned(bits) })
    }
}

impl Statement {
    /// The kind of number that an expression of the body is; `None` where it is none, or that is not known, as of calls.
    pub fn kind_of(&self, arrays: &IdVec<ArrayId, Array>, expr: &Expr) -> Option<ElementKind> {
        let of = |expr: &Expr| self.kind_of(arrays, expr);
        match expr {
            Expr::Int { value, text } => Some(ElementKind::of_literal(*value, text)),
            Expr::Float(text) => Some(ElementKind::of_floating_literal(text)),
            Expr::Iterator(at) => {
                ElementKind::of_integer_type(&self.iterators.get(*at as usize)?.ty)
            }
            Expr::Access(access) => known(self.element_kind(arrays, *access)),
            Expr::Local(name) => known(local_kind(&self.body, name)?),
            Expr::Unary(UnaryOp::Not, _) => Some(INT),
            Expr::Unary(_, a) => Some(of(a)?.promoted()),
            Expr::Binary(op, a, b) => match op {
                BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => Some(INT),
                BinaryOp::Eq | BinaryOp::Ne | BinaryOp::And | BinaryOp::Or => Some(INT),
                BinaryOp::Shl | BinaryOp::Shr => Some(of(a)?.promoted()),
                _ => known(of(a)?.common(of(b)?)),
            },
            Expr::Ternary(_, a, b) => known(of(a)?.common(of(b)?)),
            Expr::Cast(ty, _) => known(ty.kind),
            Expr::Param(_) | Expr::Call(..) | Expr::Verbatim(_) => None,
        }
    }

    /// Whether it assigns a sum, difference or product of unsigned numbers alone, none of which is promoted to a signed one: these wrap, so that
    /// what it computes is defined whatever it reads.
    pub fn wraps(&self, arrays: &IdVec<ArrayId, Array>) -> bool {
        let [BodyStmt::Assign { op, value, .. }] = self.body.as_slice() else { return false };
        let is_sum = |op: &BinaryOp| matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
        let is_unsigned = |kind: ElementKind| matches!(kind.promoted(), ElementKind::Unsigned(_));
        let mut wraps = !matches!(op, AssignOp::Compound(op) if !is_sum(op));
        wraps &= self.accesses.ids().all(|access| is_unsigned(self.element_kind(arrays, access)));
        value.walk(&mut |e| {
            wraps &= match e {
                Expr::Access(_) | Expr::Int { .. } | Expr::Iterator(_) => true,
                Expr::Unary(UnaryOp::Minus | UnaryOp::Plus, _) => {
                    self.kind_of(arrays, e).is_some_and(is_unsigned)
                }
                Expr::Binary(op, ..) if is_sum(op) => {
                    self.kind_of(arrays, e).is_some_and(is_unsigned)
                }
                _ => false,
            };
        });
        wraps
    }

    /// The kind of an access's elements.
    pub(crate) fn element_kind(
        &self,
        arrays: &IdVec<ArrayId, Array>,
        access: AccessId,
    ) -> ElementKind {
        let array = self.accesses.get(access).and_then(|access| arrays.get(access.array));
        array.map_or(ElementKind::Other, |array| array.element.kind)
    }
}

/// A kind of number.
fn known(kind: ElementKind) -> Option<ElementKind> {
    (kind != ElementKind::Other).then_some(kind)
}

/// The kind of a variable that a body declares.
fn local_kind(body: &[BodyStmt], wanted: &str) -> Option<ElementKind> {
    body.iter().find_map(|part| match part {
        BodyStmt::Local { name, ty, .. } if name == wanted => Some(ty.kind),
        BodyStmt::Block(parts) => local_kind(parts, wanted),
        BodyStmt::If { then, otherwise, .. } => {
            local_kind(then, wanted).or_else(|| local_kind(otherwise, wanted))
        }
        BodyStmt::Loop(inner) => {
            local_kind(&inner.first, wanted).or_else(|| local_kind(&inner.body, wanted))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementKind::{Bf16, Double, Float, Half, Signed, Unsigned};

    #[test]
    fn conversions_are_those_of_c() {
        assert_eq!(Signed(8).common(Unsigned(16)), Signed(32));
        assert_eq!(Signed(32).common(Unsigned(32)), Unsigned(32));
        assert_eq!(Signed(64).common(Unsigned(32)), Signed(64));
        assert_eq!(Float.common(Signed(64)), Float);
        assert_eq!(Float.common(Double), Double);
        assert_eq!(ElementKind::Other.common(Double), ElementKind::Other);
        assert_eq!(Bf16.common(Signed(64)), Bf16);
        assert_eq!(Bf16.common(Float), Float);
        assert_eq!(Bf16.common(Half), ElementKind::Other);
    }

    #[test]
    fn literals_have_the_first_type_that_holds_them() {
        assert_eq!(ElementKind::of_literal(1, "1"), Signed(32));
        assert_eq!(ElementKind::of_literal(1, "1u"), Unsigned(32));
        assert_eq!(ElementKind::of_literal(1, "1UL"), Unsigned(64));
        assert_eq!(ElementKind::of_literal(1, "1l"), Signed(64));
        assert_eq!(ElementKind::of_literal(1 << 31, "2147483648"), Signed(64));
        assert_eq!(ElementKind::of_literal(1 << 31, "0x80000000"), Unsigned(32));
        assert_eq!(ElementKind::of_literal(117, "'u'"), Signed(32));
        assert_eq!(ElementKind::of_literal(0, "0"), Signed(32));
        assert_eq!(ElementKind::of_floating_literal("0x1.8p3BF16"), Bf16);
        assert_eq!(ElementKind::of_floating_literal("0.5f16"), Half);
    }

    #[test]
    fn names_of_types_are_integers_or_not_known() {
        assert_eq!(ElementKind::of_integer_type("const unsigned long"), Some(Unsigned(64)));
        assert_eq!(ElementKind::of_integer_type("size_t"), Some(Unsigned(64)));
        assert_eq!(ElementKind::of_integer_type("double"), None);
        assert_eq!(ElementKind::of_integer_type("index"), None);
    }
}
