//! Expressions of isl's as ours.

use crate::expr::{Cond, Division, Expr};
use crate::{Error, Result};
use farkas_poly::{AstExpr, AstExprKind, AstOp};

/// The error that isl's code has a surprising part.
pub(crate) fn unexpected(what: &str, expr: &AstExpr) -> Error {
    Error::Unexpected(format!("{what} {expr}"))
}

/// An integer expression of isl's, with its names looked up.
pub(crate) fn expr_of(expr: &AstExpr, name: &impl Fn(&str) -> Expr) -> Result<Expr> {
    let (op, arguments) = match expr.kind()? {
        AstExprKind::Int(value) => return Ok(Expr::int(value.to_i64()?)),
        AstExprKind::Name(text) => return Ok(name(&text)),
        AstExprKind::Op(op, arguments) => (op, arguments),
    };
    if let (AstOp::Select, [condition, then, otherwise]) = (op, arguments.as_slice()) {
        let condition = cond_of(condition, name)?;
        return Ok(Expr::select(condition, expr_of(then, name)?, expr_of(otherwise, name)?));
    }
    let parts: Vec<Expr> = arguments.iter().map(|a| expr_of(a, name)).collect::<Result<_>>()?;
    let division = |division| match parts.as_slice() {
        [left, right] => right.as_int().filter(|d| *d > 0).map(|d| (left.clone(), d, division)),
        _ => None,
    };
    let result = match (op, parts.as_slice()) {
        (AstOp::Add, [a, b]) => Some(a.plus(b)),
        (AstOp::Sub, [a, b]) => Some(a.minus(b)),
        (AstOp::Minus, [a]) => Some(a.times(-1)),
        (AstOp::Mul, [a, b]) => match (a.as_int(), b.as_int()) {
            (Some(factor), _) => Some(b.times(factor)),
            (_, Some(factor)) => Some(a.times(factor)),
            _ => None,
        },
        (AstOp::Min, _) if !parts.is_empty() => Some(Expr::min(parts.clone())),
        (AstOp::Max, _) if !parts.is_empty() => Some(Expr::max(parts.clone())),
        (AstOp::Div, _) => division(Division::Exact).map(|(e, d, k)| e.quotient(d, k)),
        (AstOp::FdivQ, _) => division(Division::Floor).map(|(e, d, k)| e.quotient(d, k)),
        (AstOp::PdivQ, _) => division(Division::Truncating).map(|(e, d, k)| e.quotient(d, k)),
        (AstOp::PdivR | AstOp::ZdivR, _) => {
            division(Division::Truncating).map(|(e, d, k)| e.remainder(d, k))
        }
        _ => None,
    };
    result.ok_or_else(|| unexpected("expression", expr))
}

/// A condition of isl's, with its names looked up.
pub(crate) fn cond_of(expr: &AstExpr, name: &impl Fn(&str) -> Expr) -> Result<Cond> {
    let (op, arguments) = match expr.kind()? {
        AstExprKind::Int(value) => return Ok(Cond::constant(value.to_i64()? != 0)),
        AstExprKind::Op(op, arguments) => (op, arguments),
        AstExprKind::Name(_) => return Err(unexpected("condition", expr)),
    };
    if matches!(op, AstOp::And | AstOp::Or) {
        let parts = arguments.iter().map(|a| cond_of(a, name)).collect::<Result<_>>()?;
        return Ok(if op == AstOp::And { Cond::all(parts) } else { Cond::any(parts) });
    }
    let [left, right] = arguments.as_slice() else { return Err(unexpected("condition", expr)) };
    let (left, right) = (expr_of(left, name)?, expr_of(right, name)?);
    Ok(match op {
        AstOp::Eq => Cond::equal(&left, &right),
        AstOp::Le => Cond::at_most(&left, &right),
        AstOp::Lt => Cond::at_most(&left.offset(1), &right),
        AstOp::Ge => Cond::at_least(&left, &right),
        AstOp::Gt => Cond::at_least(&left, &right.offset(1)),
        _ => return Err(unexpected("condition", expr)),
    })
}
