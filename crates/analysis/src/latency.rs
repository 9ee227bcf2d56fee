//! How long a value takes from one instance of a recurrence to the next.

use farkas_scop::{AccessId, AssignOp, BinaryOp, BodyStmt, Expr, Statement};
use std::collections::BTreeSet;

/// Cycles until the result of an addition, a multiplication or a comparison can be used, on current machines.
const SIMPLE_CYCLES: u32 = 4;

/// The same of a division.
const DIVISION_CYCLES: u32 = 13;

/// The same of a call.
const CALL_CYCLES: u32 = 20;

/// The cycles from the reads `chained` of a statement to what it writes: the longest way through its expressions; zero
/// where it writes nothing that depends on them. What goes through variables of the body is left out.
pub fn chain_cycles(stmt: &Statement, chained: &BTreeSet<AccessId>) -> u32 {
    of_body(&stmt.body, chained)
}

/// The longest way through statements.
fn of_body(body: &[BodyStmt], chained: &BTreeSet<AccessId>) -> u32 {
    body.iter().map(|stmt| of_stmt(stmt, chained)).max().unwrap_or(0)
}

/// The longest way through a statement.
fn of_stmt(stmt: &BodyStmt, chained: &BTreeSet<AccessId>) -> u32 {
    match stmt {
        BodyStmt::Assign { op, read, value, .. } => {
            let value = of_expr(value, chained);
            let whole = match op {
                AssignOp::Set => value,
                AssignOp::Compound(op) => {
                    let target = read.filter(|read| chained.contains(read)).map(|_| 0);
                    value.max(target).map(|cycles| cycles + of_operator(*op))
                }
            };
            whole.unwrap_or(0)
        }
        BodyStmt::If { then, otherwise, .. } => {
            of_body(then, chained).max(of_body(otherwise, chained))
        }
        BodyStmt::Block(inner) => of_body(inner, chained),
        BodyStmt::Loop(inner) => of_body(&inner.body, chained),
        BodyStmt::Local { .. }
        | BodyStmt::AssignLocal { .. }
        | BodyStmt::Break
        | BodyStmt::Continue
        | BodyStmt::Text(_) => 0,
    }
}

/// The longest way from a chained read to the value of an expression; `None` where there is no such read in it.
fn of_expr(expr: &Expr, chained: &BTreeSet<AccessId>) -> Option<u32> {
    let after = |parts: &[&Expr], cycles: u32| {
        parts.iter().filter_map(|part| of_expr(part, chained)).max().map(|most| most + cycles)
    };
    match expr {
        Expr::Access(access) => chained.contains(access).then_some(0),
        Expr::Unary(_, a) | Expr::Cast(_, a) => after(&[a], 1),
        Expr::Binary(op, a, b) => after(&[a, b], of_operator(*op)),
        Expr::Ternary(a, b, c) => after(&[a, b, c], SIMPLE_CYCLES),
        Expr::Call(_, arguments) => after(&arguments.iter().collect::<Vec<_>>(), CALL_CYCLES),
        Expr::Int { .. }
        | Expr::Float(_)
        | Expr::Iterator(_)
        | Expr::Param(_)
        | Expr::Local(_)
        | Expr::Verbatim(_) => None,
    }
}

/// The cycles of an operator.
fn of_operator(op: BinaryOp) -> u32 {
    match op {
        BinaryOp::Div | BinaryOp::Rem => DIVISION_CYCLES,
        _ => SIMPLE_CYCLES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farkas_base::Id;

    #[test]
    fn the_longest_way_counts() {
        let access = |at| Box::new(Expr::Access(AccessId::from_index(at)));
        let binary = |op, a, b| Box::new(Expr::Binary(op, a, b));
        // a1 / (a2 - a1 * a0), of which a0 is chained.
        let below = binary(BinaryOp::Sub, access(2), binary(BinaryOp::Mul, access(1), access(0)));
        let value = binary(BinaryOp::Div, access(1), below);
        let chained = |at| BTreeSet::from([AccessId::from_index(at)]);
        assert_eq!(of_expr(&value, &chained(0)), Some(2 * SIMPLE_CYCLES + DIVISION_CYCLES));
        assert_eq!(of_expr(&value, &chained(5)), None);
    }
}
