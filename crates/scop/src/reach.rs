//! Where a region surely touches an object, and where it may.

use crate::{Access, AccessId, AccessKind, ArrayId, BinaryOp, BodyStmt, Expr, Scop, Statement};
use farkas_poly::{Result, Set};

/// The parameters for which a region touches an object.
#[derive(Clone, Debug)]
pub struct Reach {
    /// Those for which it does, whatever its data are.
    pub surely: Set,
    /// Those for which it may.
    pub maybe: Set,
}

impl Scop {
    /// The parameters for which the arrays called `source_name` in the source are touched.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn reach(&self, source_name: &str) -> Result<Reach> {
        let is_it = |array: ArrayId| self.arrays()[array].source_name == source_name;
        let (mut surely, mut maybe) = (Vec::new(), Vec::new());
        for (id, stmt) in self.stmts().iter_enumerated() {
            let is_of = |access: &Access| access.kind != AccessKind::Kill && is_it(access.array);
            if stmt.accesses.iter().any(is_of) {
                let params = self.domain_of(id)?.params()?;
                if stmt.surely_touched().iter().any(|&access| is_it(stmt.accesses[access].array)) {
                    surely.push(params.clone());
                }
                maybe.push(params);
            }
        }
        let none = Set::empty(&self.context().space()?)?;
        let all = |sets: Vec<Set>| Set::union_all(sets)?.map_or(Ok(none.clone()), |s| s.coalesce());
        Ok(Reach { surely: all(surely)?, maybe: all(maybe)? })
    }
}

impl Statement {
    /// The accesses that every instance makes, whatever the data are.
    pub fn surely_touched(&self) -> Vec<AccessId> {
        let mut found = Vec::new();
        of_body(&self.body, &mut found);
        found
    }
}

/// Adds the accesses that statements surely make; whether the next statement is surely reached.
fn of_body(body: &[BodyStmt], found: &mut Vec<AccessId>) -> bool {
    body.iter().all(|stmt| {
        match stmt {
            BodyStmt::Assign { target, read, value, .. } => {
                found.push(*target);
                found.extend(read);
                of_expr(value, found);
            }
            BodyStmt::AssignLocal { value, .. } => of_expr(value, found),
            BodyStmt::Local { value, .. } => {
                value.iter().for_each(|value| of_expr(value, found));
            }
            BodyStmt::If { condition, then, otherwise } => {
                of_expr(condition, found);
                return !then.iter().chain(otherwise).any(may_leave);
            }
            BodyStmt::Block(body) => return of_body(body, found),
            BodyStmt::Loop(_) | BodyStmt::Text(_) => {}
            BodyStmt::Break | BodyStmt::Continue => return false,
        }
        true
    })
}

/// Whether what stands behind a part of a body may not be reached.
fn may_leave(stmt: &BodyStmt) -> bool {
    match stmt {
        BodyStmt::Break | BodyStmt::Continue => true,
        BodyStmt::If { then, otherwise, .. } => then.iter().chain(otherwise).any(may_leave),
        BodyStmt::Block(body) => body.iter().any(may_leave),
        // Those of a loop leave that alone.
        BodyStmt::Assign { .. }
        | BodyStmt::AssignLocal { .. }
        | BodyStmt::Local { .. }
        | BodyStmt::Loop(_)
        | BodyStmt::Text(_) => false,
    }
}

/// Adds the accesses that an expression surely makes; those in the subscripts of others are accesses of their own.
fn of_expr(expr: &Expr, found: &mut Vec<AccessId>) {
    match expr {
        Expr::Access(access) => found.push(*access),
        Expr::Unary(_, a) | Expr::Cast(_, a) => of_expr(a, found),
        Expr::Binary(op, a, b) => {
            of_expr(a, found);
            if !matches!(op, BinaryOp::And | BinaryOp::Or) {
                of_expr(b, found);
            }
        }
        Expr::Ternary(condition, ..) => of_expr(condition, found),
        Expr::Call(_, arguments) => arguments.iter().for_each(|a| of_expr(a, found)),
        Expr::Int { .. }
        | Expr::Float(_)
        | Expr::Iterator(_)
        | Expr::Param(_)
        | Expr::Local(_)
        | Expr::Verbatim(_) => {}
    }
}
