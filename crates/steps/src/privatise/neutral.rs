//! Neutral elements.

use farkas_scop::{BinaryOp, ElementKind, Expr, Operator, UnaryOp};

/// The neutral element of an operator on numbers of a kind; none where there is none.
pub(super) fn neutral(operator: &Operator, kind: ElementKind) -> Option<Expr> {
    let is_floating = kind.is_floating();
    let plain = |integer: i64, floating: &str| match is_floating {
        true => Expr::Float(floating.to_owned()),
        false => Expr::int(integer),
    };
    let infinite = |is_least: bool| {
        let infinity = Expr::Call("__builtin_inf".to_owned(), Vec::new());
        match is_least {
            true => Expr::Unary(UnaryOp::Minus, Box::new(infinity)),
            false => infinity,
        }
    };
    Some(match operator {
        Operator::Sum => plain(0, "0.0"),
        Operator::Product => plain(1, "1.0"),
        Operator::BitOr | Operator::BitXor | Operator::Or => Expr::int(0),
        Operator::And => Expr::int(1),
        Operator::BitAnd => Expr::int(-1),
        Operator::Fmin | Operator::Fmax => {
            let zero = || Box::new(Expr::Float("0.0".to_owned()));
            Expr::Binary(BinaryOp::Div, zero(), zero())
        }
        Operator::Max => match kind {
            ElementKind::Signed(bits) => least(bits),
            ElementKind::Unsigned(_) => Expr::int(0),
            ElementKind::LongDouble | ElementKind::Other => return None,
            _ => infinite(true),
        },
        Operator::Min => match kind {
            ElementKind::Signed(bits) => greatest(bits),
            ElementKind::Unsigned(_) => Expr::int(-1),
            ElementKind::LongDouble | ElementKind::Other => return None,
            _ => infinite(false),
        },
        Operator::Function(function) => Expr::Verbatim(function.neutral.clone()),
    })
}

/// The least signed integer of so many bits, as C can write it.
fn least(bits: u8) -> Expr {
    let minus_one = Box::new(Expr::int(1));
    let below = Expr::Unary(UnaryOp::Minus, Box::new(greatest(bits)));
    Expr::Binary(BinaryOp::Sub, Box::new(below), minus_one)
}

/// The greatest one.
fn greatest(bits: u8) -> Expr {
    let value = match bits {
        64 => i64::MAX,
        bits => (1_i64 << (bits - 1)) - 1,
    };
    let suffix = if bits == 64 { "L" } else { "" };
    Expr::Int { value, text: format!("{value}{suffix}") }
}
