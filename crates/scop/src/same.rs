//! Which parts of a statement have the same value, by what its text says.

use crate::{AccessId, Expr, Statement};

impl Statement {
    /// Whether two expressions have the same value in each instance: they are written alike, with accesses to the same elements.
    pub fn is_same_value(&self, a: &Expr, b: &Expr) -> bool {
        match (a, b) {
            (Expr::Access(a), Expr::Access(b)) => self.is_same_place(*a, *b),
            (Expr::Unary(op, a), Expr::Unary(other, b)) => op == other && self.is_same_value(a, b),
            (Expr::Cast(ty, a), Expr::Cast(other, b)) => ty == other && self.is_same_value(a, b),
            (Expr::Binary(op, a, b), Expr::Binary(other, c, d)) => {
                op == other && self.is_same_value(a, c) && self.is_same_value(b, d)
            }
            (Expr::Ternary(a, b, c), Expr::Ternary(d, e, f)) => {
                self.is_same_value(a, d) && self.is_same_value(b, e) && self.is_same_value(c, f)
            }
            (Expr::Call(name, a), Expr::Call(other, b)) => {
                name == other && self.are_same_values(a, b)
            }
            (a, b) => a == b,
        }
    }

    /// The same for several, one by one.
    pub fn are_same_values(&self, a: &[Expr], b: &[Expr]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.is_same_value(a, b))
    }

    /// Whether two accesses go to the same element in each instance.
    pub fn is_same_place(&self, a: AccessId, b: AccessId) -> bool {
        let (a, b) = (&self.accesses[a], &self.accesses[b]);
        a.array == b.array
            && a.relation.plain_is_equal(&b.relation).unwrap_or(false)
            && self.are_same_values(&a.subscripts, &b.subscripts)
    }
}
