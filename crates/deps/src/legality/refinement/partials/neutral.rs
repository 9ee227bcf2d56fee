//! The neutral elements of operators.

use farkas_scop::{
    ArrayId, BinaryOp, ElementKind, ElementType, Expr, Operator, Statement, UnaryOp,
};

/// Whether an expression is the neutral element of an operator on numbers of a kind.
pub(super) fn is_neutral(operator: &Operator, kind: ElementKind, value: &Expr) -> bool {
    if let Some(number) = integer(value) {
        let least = |bits: u8| -(1_i128 << (bits - 1));
        let greatest = |bits: u8| (1_i128 << (bits - 1)) - 1;
        return match (operator, kind) {
            (Operator::Sum | Operator::BitOr | Operator::BitXor | Operator::Or, _) => number == 0,
            (Operator::Product | Operator::And, _) => number == 1,
            (Operator::BitAnd, _) => number == -1,
            (Operator::Max, ElementKind::Signed(bits)) => number == least(bits),
            (Operator::Min, ElementKind::Signed(bits)) => number == greatest(bits),
            (Operator::Max, ElementKind::Unsigned(_)) => number == 0,
            (Operator::Min, ElementKind::Unsigned(_)) => number == -1,
            _ => false,
        };
    }
    match (operator, value) {
        // What is no number is neutral for those that prefer numbers.
        (Operator::Fmin | Operator::Fmax, Expr::Binary(BinaryOp::Div, a, b)) => {
            let is_zero = |e: &Expr| matches!(e, Expr::Float(text) if text == "0.0");
            is_zero(a) && is_zero(b)
        }
        (Operator::Sum, Expr::Float(text)) => text == "0.0",
        (Operator::Product, Expr::Float(text)) => text == "1.0",
        (Operator::Max, Expr::Unary(UnaryOp::Minus, value)) => is_infinite(value, kind),
        (Operator::Min, value) => is_infinite(value, kind),
        (Operator::Function(function), Expr::Verbatim(text)) => *text == function.neutral,
        _ => false,
    }
}

/// Whether a condition says that a cell of an array is no longer neutral.
pub(super) fn is_not_neutral(
    operator: &Operator,
    of: &ElementType,
    condition: &Expr,
    stmt: &Statement,
    array: ArrayId,
) -> bool {
    let Expr::Binary(BinaryOp::Ne, cell, neutral) = condition else { return false };
    let kind = of.kind;
    let is_equal_alone = match operator {
        // What is no number differs from itself.
        Operator::Fmin | Operator::Fmax => false,
        // `x = x && 1` makes one of two.
        Operator::And | Operator::Or => of.is_truth(),
        // Zeros are equal, which a function may tell apart.
        Operator::Function(_) => !kind.is_floating(),
        _ => true,
    };
    let is_cell = matches!(**cell, Expr::Access(cell) if stmt.accesses[cell].array == array);
    let (neutral, is_converted) = match neutral.as_ref() {
        Expr::Cast(ty, inner) if ty.kind == kind => (inner.as_ref(), true),
        other => (other, false),
    };
    // An unsigned cell that is narrower than `int` is never negative.
    let is_narrow = matches!(kind, ElementKind::Unsigned(bits) if bits < 32);
    let is_negative = match neutral {
        Expr::Verbatim(text) => text.starts_with(['-', '(']),
        other => integer(other).is_none_or(|n| n < 0),
    };
    let may_be_equal = is_converted || !is_narrow || !is_negative;
    is_equal_alone && is_cell && may_be_equal && is_neutral(operator, kind, neutral)
}

/// The value of a constant of integers.
pub(super) fn integer(value: &Expr) -> Option<i128> {
    match value {
        Expr::Int { value, .. } => Some((*value).into()),
        Expr::Unary(UnaryOp::Minus, value) => Some(-integer(value)?),
        Expr::Binary(BinaryOp::Sub, a, b) => Some(integer(a)? - integer(b)?),
        _ => None,
    }
}

/// Whether a value is the greatest of a floating-point type.
pub(super) fn is_infinite(value: &Expr, kind: ElementKind) -> bool {
    let Expr::Call(name, arguments) = value else { return false };
    let is_of = match kind {
        ElementKind::Float => matches!(name.as_str(), "__builtin_inf" | "__builtin_inff"),
        ElementKind::Double => name == "__builtin_inf",
        short if short.is_short_floating() => name == "__builtin_inf",
        _ => false,
    };
    is_of && arguments.is_empty()
}
