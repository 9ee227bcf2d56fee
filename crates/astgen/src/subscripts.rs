//! Parts of bodies as expressions of the AST.

use crate::ast::User;
use crate::expr::{Division, Expr};
use farkas_scop::{BinaryOp, Expr as Body, Scop, Statement, UnaryOp};

/// What a part of a statement's body, such as a subscript, is where `user` runs; `None` where that is not affine.
pub fn affine(scop: &Scop, user: &User, expr: &Body) -> Option<Expr> {
    Place { scop, stmt: scop.stmts().get(user.stmt)?, user }.affine(expr)
}

/// Where a statement runs.
struct Place<'a> {
    scop: &'a Scop,
    stmt: &'a Statement,
    user: &'a User,
}

impl Place<'_> {
    /// A subtree as an affine expression.
    fn affine(&self, expr: &Body) -> Option<Expr> {
        match expr {
            Body::Int { value, .. } => Some(Expr::int(*value)),
            Body::Iterator(at) => self.user.values.get(*at as usize).cloned(),
            Body::Param(p) => Some(Expr::param(&self.scop.params()[*p].name)),
            Body::Unary(UnaryOp::Plus, a) => self.affine(a),
            Body::Unary(UnaryOp::Minus, a) => Some(self.affine(a)?.times(-1)),
            Body::Binary(BinaryOp::Add, a, b) => Some(self.affine(a)?.plus(&self.affine(b)?)),
            Body::Binary(BinaryOp::Sub, a, b) => Some(self.affine(a)?.minus(&self.affine(b)?)),
            Body::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = (self.affine(a)?, self.affine(b)?);
                match (a.as_int(), b.as_int()) {
                    (Some(factor), _) => Some(b.times(factor)),
                    (_, Some(factor)) => Some(a.times(factor)),
                    _ => None,
                }
            }
            Body::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), a, b) => {
                self.division(*op == BinaryOp::Div, a, self.affine(b)?.as_int()?)
            }
            _ => None,
        }
    }

    /// The quotient, or the remainder, of `expr` by `divisor` as C defines it, where the divisor divides all of the
    /// affine expression but for a constant. C rounds towards zero, which is down where `expr` is not negative.
    fn division(&self, is_quotient: bool, expr: &Body, divisor: i64) -> Option<Expr> {
        let value = self.affine(expr)?;
        if let Some(a) = value.as_int() {
            let value = if is_quotient { a.checked_div(divisor)? } else { a.checked_rem(divisor)? };
            return Some(Expr::int(value));
        }
        let divides = |factor: i64| factor % divisor == 0;
        if divisor < 1 || !value.terms().iter().all(|(_, factor)| divides(*factor)) {
            return None;
        }
        if !divides(value.constant()) && self.least(expr)? < 0 {
            return None;
        }
        Some(if is_quotient {
            value.quotient(divisor, Division::Floor)
        } else {
            Expr::int(value.constant().rem_euclid(divisor))
        })
    }

    /// A lower bound of an expression over all instances of the statement, where one is easily had.
    fn least(&self, expr: &Body) -> Option<i64> {
        match expr {
            Body::Int { value, .. } => Some(*value),
            Body::Iterator(at) => {
                let value = &self.stmt.iterators.get(*at as usize)?.value;
                let domain = self.stmt.domain.intersect_params(self.scop.context()).ok()?;
                domain.apply(&value.to_map().ok()?).ok()?.dim_min_val(0).ok()?.to_i64().ok()
            }
            Body::Binary(BinaryOp::Add, a, b) => self.least(a)?.checked_add(self.least(b)?),
            Body::Binary(BinaryOp::Sub, a, b) => match **b {
                Body::Int { value, .. } => self.least(a)?.checked_sub(value),
                _ => None,
            },
            _ => None,
        }
    }
}
