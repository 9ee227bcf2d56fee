//! Variables of an instance whose value may stand in their place.

use farkas_scop::{AccessId, BodyStmt, Expr, Statement};

/// Whether a variable has one value in the statements behind its declaration, which may stand in its place: nothing is assigned to it, nor,
/// before it is used the last time, to what its value reads.
pub(crate) fn is_fixed(stmt: &Statement, name: &str, value: &Expr, behind: &[BodyStmt]) -> bool {
    let mut leaves = Vec::new();
    leaves_of(stmt, value, &mut leaves);
    // Other variables may have values of any array.
    let is_plain = !leaves.iter().any(|leaf| matches!(leaf, Expr::Local(_)));
    let reads = |target: AccessId| {
        let array = |access: &AccessId| stmt.accesses.get(*access).map(|access| access.array);
        leaves.iter().any(|leaf| match leaf {
            Expr::Access(access) => array(access) == array(&target),
            _ => false,
        })
    };
    let Some(last) = behind.iter().rposition(|part| mentions(stmt, part, name)) else {
        return true;
    };
    let is_kept = |part: &BodyStmt| match part {
        BodyStmt::Assign { target, .. } => is_plain && !reads(*target),
        BodyStmt::Local { name: other, .. } => other != name,
        BodyStmt::AssignLocal { name: other, .. } => is_plain && other != name,
        _ => false,
    };
    // What the last of them assigns, it assigns after it used the variable.
    let is_plain_use = match &behind[last] {
        BodyStmt::Assign { .. } => true,
        BodyStmt::Local { name: other, .. } | BodyStmt::AssignLocal { name: other, .. } => {
            other != name
        }
        _ => false,
    };
    is_plain_use && behind[..last].iter().all(is_kept)
}

/// The accesses and variables of an expression, those of subscripts among them.
fn leaves_of(stmt: &Statement, expr: &Expr, leaves: &mut Vec<Expr>) {
    expr.walk(&mut |part| match part {
        Expr::Local(_) => leaves.push(part.clone()),
        Expr::Access(access) => {
            leaves.push(part.clone());
            subscript_leaves(stmt, *access, leaves);
        }
        _ => {}
    });
}

/// Those of the subscripts of an access.
fn subscript_leaves(stmt: &Statement, access: AccessId, leaves: &mut Vec<Expr>) {
    for subscript in stmt.accesses.get(access).into_iter().flat_map(|access| &access.subscripts) {
        leaves_of(stmt, subscript, leaves);
    }
}

/// Whether a statement uses a variable.
fn mentions(stmt: &Statement, part: &BodyStmt, name: &str) -> bool {
    let is_it = |leaf: &Expr| matches!(leaf, Expr::Local(other) if other == name);
    let in_expr = |expr: &Expr| {
        let mut leaves = Vec::new();
        leaves_of(stmt, expr, &mut leaves);
        leaves.iter().any(is_it)
    };
    let in_all = |parts: &[BodyStmt]| parts.iter().any(|part| mentions(stmt, part, name));
    match part {
        BodyStmt::Assign { target, value, .. } => {
            let mut leaves = Vec::new();
            subscript_leaves(stmt, *target, &mut leaves);
            leaves.iter().any(is_it) || in_expr(value)
        }
        BodyStmt::AssignLocal { name: other, value, .. } => other == name || in_expr(value),
        BodyStmt::Local { value, .. } => value.as_ref().is_some_and(in_expr),
        BodyStmt::If { condition, then, otherwise } => {
            in_expr(condition) || in_all(then) || in_all(otherwise)
        }
        BodyStmt::Block(parts) => in_all(parts),
        BodyStmt::Loop(inner) => {
            inner.condition.as_ref().is_some_and(in_expr)
                || [&inner.first, &inner.step, &inner.body].into_iter().any(|part| in_all(part))
        }
        BodyStmt::Break | BodyStmt::Continue | BodyStmt::Text(_) => false,
    }
}
