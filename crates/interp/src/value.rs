//! Numbers with C's types and C's arithmetic.

use farkas_base::{nearest_bf16, nearest_half, whole_as_bf16};
use farkas_scop::{BinaryOp, ElementKind, ElementType, UnaryOp};

/// An arithmetic type of C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NumberType {
    /// An integer type of this many bits.
    Int {
        /// Its width; one of `_Bool`.
        bits: u8,
        /// Whether it has negative values.
        is_signed: bool,
    },
    /// `_Float16`
    Half,
    /// `__bf16`
    Bf16,
    /// `float`
    Float,
    /// `double`
    Double,
}

/// C's `int`.
pub(crate) const INT: NumberType = NumberType::Int { bits: 32, is_signed: true };

/// C's `_Bool`.
const TRUTH: NumberType = NumberType::Int { bits: 1, is_signed: false };

impl NumberType {
    /// The type of elements; `None` for types that the interpreter does not compute with.
    pub fn of_elements(ty: &ElementType) -> Option<Self> {
        if ty.is_truth() { Some(TRUTH) } else { Self::of(ty.kind) }
    }

    /// The type of a kind of element, of which `_Bool` is none; `None` for kinds that the interpreter does not compute with.
    fn of(kind: ElementKind) -> Option<Self> {
        match kind {
            ElementKind::Signed(bits) => Some(Self::Int { bits, is_signed: true }),
            ElementKind::Unsigned(bits) => Some(Self::Int { bits, is_signed: false }),
            ElementKind::Half => Some(Self::Half),
            ElementKind::Bf16 => Some(Self::Bf16),
            ElementKind::Float => Some(Self::Float),
            ElementKind::Double => Some(Self::Double),
            ElementKind::LongDouble | ElementKind::Other => None,
        }
    }

    /// The integer type that `text` names, as C writes it on a 64-bit Unix: `int`, `unsigned long`, `size_t`, `uint8_t`.
    pub fn parse_int(text: &str) -> Option<Self> {
        Self::of(ElementKind::of_integer_type(text)?)
    }

    /// The type after C's integer promotions.
    pub(crate) fn promoted(self) -> Self {
        match self {
            Self::Int { bits, .. } if bits < 32 => INT,
            other => other,
        }
    }

    /// The common type of C's usual arithmetic conversions; of `_Float16` and `__bf16`, which have none, either.
    pub(crate) fn common(self, other: Self) -> Self {
        match (self.promoted(), other.promoted()) {
            (Self::Double, _) | (_, Self::Double) => Self::Double,
            (Self::Float, _) | (_, Self::Float) => Self::Float,
            (Self::Half, _) | (_, Self::Half) => Self::Half,
            (Self::Bf16, _) | (_, Self::Bf16) => Self::Bf16,
            (a @ Self::Int { bits: x, is_signed: s }, b @ Self::Int { bits: y, is_signed: t }) => {
                match x.cmp(&y) {
                    std::cmp::Ordering::Less => b,
                    std::cmp::Ordering::Greater => a,
                    std::cmp::Ordering::Equal => Self::Int { bits: x, is_signed: s && t },
                }
            }
        }
    }
}

/// A number of a C type. Integers lie in the range of their type.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// An integer.
    Int {
        /// Its value.
        value: i128,
        /// Its width.
        bits: u8,
        /// Whether its type has negative values.
        is_signed: bool,
    },
    /// A `_Float16`, as a `float` that is one.
    Half(f32),
    /// A `__bf16`, as a `float` that is one.
    Bf16(f32),
    /// A `float`.
    Float(f32),
    /// A `double`.
    Double(f64),
}

impl PartialEq for Value {
    /// The same type and the same bits.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Half(a), Self::Half(b))
            | (Self::Bf16(a), Self::Bf16(b))
            | (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Double(a), Self::Double(b)) => a.to_bits() == b.to_bits(),
            (
                Self::Int { value: a, bits: x, is_signed: s },
                Self::Int { value: b, bits: y, is_signed: t },
            ) => (a, x, s) == (b, y, t),
            _ => false,
        }
    }
}

impl Eq for Value {}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int { value, .. } => write!(f, "{value}"),
            Self::Half(x) => write!(f, "{x:?}f16"),
            Self::Bf16(x) => write!(f, "{x:?}bf16"),
            Self::Float(x) => write!(f, "{x:?}f"),
            Self::Double(x) => write!(f, "{x:?}"),
        }
    }
}

impl Value {
    /// An `int`.
    pub fn int(value: i64) -> Self {
        Self::integer(value.into(), INT)
    }

    /// The integer `value` wrapped into `ty`, or converted to it.
    pub(crate) fn integer(value: i128, ty: NumberType) -> Self {
        match ty {
            NumberType::Half => Self::Half(nearest_half(value as f64)),
            NumberType::Bf16 => Self::Bf16(whole_as_bf16(value)),
            NumberType::Float => Self::Float(value as f32),
            NumberType::Double => Self::Double(value as f64),
            TRUTH => Self::Int { value: i128::from(value != 0), bits: 1, is_signed: false },
            NumberType::Int { bits, is_signed } => {
                let modulus = 1i128 << bits;
                let wrapped = value.rem_euclid(modulus);
                let negative = is_signed && wrapped >= modulus / 2;
                let value = if negative { wrapped - modulus } else { wrapped };
                Self::Int { value, bits, is_signed }
            }
        }
    }

    /// The type.
    pub fn ty(self) -> NumberType {
        match self {
            Self::Int { bits, is_signed, .. } => NumberType::Int { bits, is_signed },
            Self::Half(_) => NumberType::Half,
            Self::Bf16(_) => NumberType::Bf16,
            Self::Float(_) => NumberType::Float,
            Self::Double(_) => NumberType::Double,
        }
    }

    /// Converted to `ty`. Integers wrap; a floating-point number that no integer of the type is near, which C leaves
    /// undefined, becomes the nearest one.
    pub fn convert(self, ty: NumberType) -> Self {
        match (self, ty) {
            (Self::Int { value, .. }, _) => Self::integer(value, ty),
            (_, TRUTH) => Self::integer(self.is_true().into(), TRUTH),
            (_, NumberType::Half) => Self::Half(nearest_half(self.to_f64())),
            (_, NumberType::Bf16) => Self::Bf16(nearest_bf16(self.to_f64())),
            (Self::Half(x) | Self::Bf16(x) | Self::Float(x), NumberType::Float) => Self::Float(x),
            (Self::Double(x), NumberType::Float) => Self::Float(x as f32),
            (_, NumberType::Double) => Self::Double(self.to_f64()),
            (_, NumberType::Int { bits, is_signed }) => {
                let limit = 1i128 << (bits - u8::from(is_signed));
                let low = if is_signed { -limit } else { 0 };
                Self::integer((self.to_f64() as i128).clamp(low, limit - 1), ty)
            }
        }
    }

    /// The nearest `double`.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Int { value, .. } => value as f64,
            Self::Half(x) | Self::Bf16(x) | Self::Float(x) => x.into(),
            Self::Double(x) => x,
        }
    }

    /// The value as a subscript.
    pub(crate) fn to_i64(self) -> Option<i64> {
        match self {
            Self::Int { value, .. } => i64::try_from(value).ok(),
            _ => None,
        }
    }

    /// Whether the value counts as true.
    pub fn is_true(self) -> bool {
        match self {
            Self::Int { value, .. } => value != 0,
            Self::Half(x) | Self::Bf16(x) | Self::Float(x) => x != 0.0,
            Self::Double(x) => x != 0.0,
        }
    }
}

/// A truth value.
fn truth(value: bool) -> Value {
    Value::int(value.into())
}

/// The type of `op` applied to operands of these types.
pub(crate) fn binary_type(op: BinaryOp, left: NumberType, right: NumberType) -> NumberType {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or, Shl, Shr};
    match op {
        Lt | Gt | Le | Ge | Eq | Ne | And | Or => INT,
        Shl | Shr => left.promoted(),
        _ => left.common(right),
    }
}

/// A unary operation; the message says what C leaves undefined or does not have.
pub(crate) fn unary(op: UnaryOp, operand: Value) -> Result<Value, &'static str> {
    let promoted = operand.convert(operand.ty().promoted());
    Ok(match (op, promoted) {
        (UnaryOp::Plus, value) => value,
        (UnaryOp::Not, value) => truth(!value.is_true()),
        (UnaryOp::Minus, Value::Half(x)) => Value::Half(-x),
        (UnaryOp::Minus, Value::Bf16(x)) => Value::Bf16(-x),
        (UnaryOp::Minus, Value::Float(x)) => Value::Float(-x),
        (UnaryOp::Minus, Value::Double(x)) => Value::Double(-x),
        (UnaryOp::Minus, Value::Int { value, .. }) => Value::integer(-value, promoted.ty()),
        (UnaryOp::BitNot, Value::Int { value, .. }) => Value::integer(!value, promoted.ty()),
        (UnaryOp::BitNot, _) => return Err("~ of a floating-point number"),
    })
}

/// A binary operation on evaluated operands; the message says what C leaves undefined or does not have. `&&` and `||`
/// get here only when both operands are evaluated.
pub(crate) fn binary(op: BinaryOp, left: Value, right: Value) -> Result<Value, &'static str> {
    if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
        return shift(op, left, right);
    }
    if let (Value::Half(_), Value::Bf16(_)) | (Value::Bf16(_), Value::Half(_)) = (left, right) {
        return Err("an operation on `_Float16` and `__bf16`");
    }
    let common = left.ty().common(right.ty());
    match (left.convert(common), right.convert(common)) {
        (Value::Int { value: a, .. }, Value::Int { value: b, .. }) => integers(op, a, b, common),
        // `double` has more than twice the digits, so that this is the half nearest to the exact result.
        (Value::Half(a), Value::Half(b)) => match floating(op, f64::from(a), f64::from(b)) {
            Some(value) => Ok(Value::Half(nearest_half(value))),
            None => compared(op, a.into(), b.into()),
        },
        // Its least numbers are those of `float`, in which it is computed before it is rounded.
        (Value::Bf16(a), Value::Bf16(b)) => match floating(op, a, b) {
            Some(value) => Ok(Value::Bf16(nearest_bf16(value.into()))),
            None => compared(op, a.into(), b.into()),
        },
        (Value::Float(a), Value::Float(b)) => match floating(op, a, b) {
            Some(value) => Ok(Value::Float(value)),
            None => compared(op, a.into(), b.into()),
        },
        (a, b) => match floating(op, a.to_f64(), b.to_f64()) {
            Some(value) => Ok(Value::Double(value)),
            None => compared(op, a.to_f64(), b.to_f64()),
        },
    }
}

/// A shift. As in every C compiler, a right shift of a negative number keeps the sign.
fn shift(op: BinaryOp, left: Value, right: Value) -> Result<Value, &'static str> {
    let ty = left.ty().promoted();
    let (Value::Int { value, bits, .. }, Value::Int { value: by, .. }) = (left.convert(ty), right)
    else {
        return Err("a shift of floating-point numbers");
    };
    if !(0..i128::from(bits)).contains(&by) {
        return Err("a shift by a negative or too large number");
    }
    Ok(Value::integer(if op == BinaryOp::Shl { value << by } else { value >> by }, ty))
}

/// An operation on two integers of type `ty`.
fn integers(op: BinaryOp, a: i128, b: i128, ty: NumberType) -> Result<Value, &'static str> {
    let value = match op {
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div | BinaryOp::Rem if b == 0 => return Err("an integer division by zero"),
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::BitOr => a | b,
        BinaryOp::Lt => return Ok(truth(a < b)),
        BinaryOp::Gt => return Ok(truth(a > b)),
        BinaryOp::Le => return Ok(truth(a <= b)),
        BinaryOp::Ge => return Ok(truth(a >= b)),
        BinaryOp::Eq => return Ok(truth(a == b)),
        BinaryOp::Ne => return Ok(truth(a != b)),
        BinaryOp::And => return Ok(truth(a != 0 && b != 0)),
        BinaryOp::Or => return Ok(truth(a != 0 || b != 0)),
        BinaryOp::Shl | BinaryOp::Shr => return Err("a shift"),
    };
    Ok(Value::integer(value, ty))
}

/// A floating-point operation whose result is a floating-point number.
fn floating<F>(op: BinaryOp, a: F, b: F) -> Option<F>
where
    F: std::ops::Mul<Output = F>
        + std::ops::Div<Output = F>
        + std::ops::Add<Output = F>
        + std::ops::Sub<Output = F>,
{
    match op {
        BinaryOp::Mul => Some(a * b),
        BinaryOp::Div => Some(a / b),
        BinaryOp::Add => Some(a + b),
        BinaryOp::Sub => Some(a - b),
        _ => None,
    }
}

/// A floating-point operation whose result is a truth value.
fn compared(op: BinaryOp, a: f64, b: f64) -> Result<Value, &'static str> {
    Ok(truth(match op {
        BinaryOp::Lt => a < b,
        BinaryOp::Gt => a > b,
        BinaryOp::Le => a <= b,
        BinaryOp::Ge => a >= b,
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        BinaryOp::And => a != 0.0 && b != 0.0,
        BinaryOp::Or => a != 0.0 || b != 0.0,
        _ => return Err("an integer operation on floating-point numbers"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(text: &str) -> NumberType {
        NumberType::parse_int(text).expect("an integer type")
    }

    fn check(op: BinaryOp, left: Value, right: Value, expect: Value) {
        assert_eq!(binary(op, left, right), Ok(expect), "{left} {} {right}", op.symbol());
    }

    #[test]
    fn integers_convert_as_in_c() {
        let int = Value::int;
        let of = |value, text| Value::integer(value, ty(text));
        check(BinaryOp::Div, int(-7), int(2), int(-3));
        check(BinaryOp::Rem, int(-7), int(2), int(-1));
        check(BinaryOp::Add, of(200, "uint8_t"), of(100, "unsigned char"), int(300));
        check(BinaryOp::Lt, int(-1), of(1, "unsigned"), int(0));
        check(BinaryOp::Lt, of(-1, "long"), of(1, "unsigned int"), int(1));
        check(BinaryOp::Sub, of(0, "size_t"), int(1), of(u64::MAX.into(), "unsigned long"));
        check(BinaryOp::Mul, int(1 << 20), int(1 << 12), int(0));
        check(BinaryOp::Shr, int(-8), int(1), int(-4));
        assert_eq!(Value::integer(200, ty("signed char")), Value::integer(-56, ty("char")));
        assert!(binary(BinaryOp::Rem, int(1), int(0)).is_err());
        assert!(binary(BinaryOp::Shl, int(1), int(32)).is_err());
        assert_eq!(NumberType::parse_int("struct s"), None);
    }

    #[test]
    fn floating_point_keeps_its_precision() {
        let third = Value::Float(1.0f32 / 3.0);
        check(BinaryOp::Mul, third, Value::int(3), Value::Float(1.0f32 / 3.0 * 3.0));
        check(BinaryOp::Add, third, Value::Double(0.0), Value::Double(f64::from(1.0f32 / 3.0)));
        check(BinaryOp::Lt, Value::Double(0.5), Value::int(1), Value::int(1));
        assert_eq!(Value::Double(-2.9).convert(INT), Value::int(-2));
        assert_eq!(Value::Double(1e30).convert(INT), Value::int(i32::MAX.into()));
        assert_eq!(unary(UnaryOp::Minus, Value::Double(0.0)), Ok(Value::Double(-0.0)));
        assert_ne!(Value::Double(0.0), Value::Double(-0.0));
    }

    #[test]
    fn halves_are_rounded_after_each_operation() {
        let half = |x: f64| Value::Half(nearest_half(x));
        check(BinaryOp::Mul, half(1.0009765625), half(1.0009765625), half(1.001953125));
        check(BinaryOp::Add, half(2048.0), Value::int(1), half(2048.0));
        check(BinaryOp::Div, half(1.0), half(3.0), half(1.0 / 3.0));
        check(BinaryOp::Add, half(65504.0), half(65504.0), Value::Half(f32::INFINITY));
        check(BinaryOp::Mul, half(0.5), Value::Float(0.3), Value::Float(0.15));
        check(BinaryOp::Lt, half(0.5), Value::int(1), Value::int(1));
        assert_eq!(Value::Double(1.00048828125).convert(NumberType::Half), half(1.0));
        assert_eq!(Value::int(70000).convert(NumberType::Half), Value::Half(f32::INFINITY));
        assert_eq!(Value::Half(-2.5).convert(INT), Value::int(-2));
    }

    #[test]
    fn bf16s_are_rounded_after_each_operation() {
        let bf16 = |x: f64| Value::Bf16(nearest_bf16(x));
        check(BinaryOp::Mul, bf16(1.0078125), bf16(1.0078125), bf16(1.015625));
        check(BinaryOp::Add, bf16(256.0), Value::int(1), bf16(256.0));
        check(BinaryOp::Div, bf16(1.0), bf16(3.0), bf16(1.0 / 3.0));
        check(BinaryOp::Add, bf16(3e38), bf16(3e38), Value::Bf16(f32::INFINITY));
        check(BinaryOp::Mul, bf16(0.5), Value::Float(0.3), Value::Float(0.15));
        check(BinaryOp::Lt, bf16(0.5), Value::int(1), Value::int(1));
        check(BinaryOp::Mul, bf16(2f64.powi(-130)), bf16(0.125), bf16(2f64.powi(-133)));
        assert_eq!(Value::Double(1.00390625 + 1e-12).convert(NumberType::Bf16), bf16(1.0078125));
        let odd = (1 << 24) + (1 << 16) + 1;
        assert_eq!(Value::int(odd).convert(NumberType::Bf16), bf16(16_908_288.0));
        assert_eq!(bf16(-2.5).convert(INT), Value::int(-2));
        assert_eq!(bf16(0.1).convert(NumberType::Half), Value::Half(nearest_bf16(0.1)));
        assert!(binary(BinaryOp::Add, bf16(1.0), Value::Half(1.0)).is_err());
    }

    #[test]
    fn what_is_not_zero_is_true() {
        for value in [Value::int(256), Value::Double(0.25), Value::Half(-1.0), Value::Bf16(1e-30)] {
            assert_eq!(value.convert(TRUTH), Value::integer(1, TRUTH));
        }
        check(BinaryOp::Add, Value::integer(1, TRUTH), Value::integer(1, TRUTH), Value::int(2));
        assert_eq!(Value::Double(-0.0).convert(TRUTH), Value::integer(0, TRUTH));
    }
}
