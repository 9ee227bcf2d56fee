//! Statements that add to an element.

use crate::{AccessId, AssignOp, BinaryOp, BodyStmt, Expr, Statement};

/// What a statement adds to an element, or takes from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sum<'a> {
    /// The element, written.
    pub target: AccessId,
    /// The element, read.
    pub read: AccessId,
    /// [`BinaryOp::Add`] or [`BinaryOp::Sub`].
    pub op: BinaryOp,
    /// What is added or taken away.
    pub value: &'a Expr,
}

impl Statement {
    /// The sum that the statement is a term of: `x += e`, `x -= e`, `x = x + e`, `x = e + x` or `x = x - e`; `None` for other
    /// statements. The value may read the same array, even the same element.
    pub fn sum(&self) -> Option<Sum<'_>> {
        let [BodyStmt::Assign { target, op, read, value }] = self.body.as_slice() else {
            return None;
        };
        let sum = |read: AccessId, op: BinaryOp, value| {
            let adds = matches!(op, BinaryOp::Add | BinaryOp::Sub);
            adds.then_some(Sum { target: *target, read, op, value })
        };
        match (op, value) {
            (AssignOp::Compound(op), value) => sum((*read)?, *op, value),
            (AssignOp::Set, Expr::Binary(op, left, right)) => {
                match (self.reads_again(*target, left), self.reads_again(*target, right)) {
                    (Some(read), _) => sum(read, *op, right.as_ref()),
                    (_, Some(read)) if *op == BinaryOp::Add => sum(read, *op, left.as_ref()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The access of an expression that reads the element of `target` and nothing else.
    fn reads_again(&self, target: AccessId, expr: &Expr) -> Option<AccessId> {
        let Expr::Access(read) = expr else { return None };
        let (written, found) = (&self.accesses[target], &self.accesses[*read]);
        (written.array == found.array && written.subscripts == found.subscripts).then_some(*read)
    }
}
