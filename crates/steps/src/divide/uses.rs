//! Which variables statements use.

use farkas_base::IdVec;
use farkas_scop::{Access, AccessId, BodyStmt, Expr};
use std::collections::BTreeSet;

/// The variables that a statement sets or reads, in subscripts, too; those that it declares itself among them.
pub(super) fn variables(part: &BodyStmt, accesses: &IdVec<AccessId, Access>) -> BTreeSet<String> {
    let mut uses = Uses { accesses, found: BTreeSet::new() };
    uses.part(part);
    uses.found
}

/// What was found so far.
struct Uses<'a> {
    accesses: &'a IdVec<AccessId, Access>,
    found: BTreeSet<String>,
}

impl Uses<'_> {
    /// A statement.
    fn part(&mut self, part: &BodyStmt) {
        match part {
            BodyStmt::Assign { target, value, .. } => {
                self.expr(&Expr::Access(*target));
                self.expr(value);
            }
            BodyStmt::AssignLocal { name, value, .. } => {
                self.found.insert(name.clone());
                self.expr(value);
            }
            BodyStmt::Local { name, value, .. } => {
                self.found.insert(name.clone());
                value.iter().for_each(|value| self.expr(value));
            }
            BodyStmt::If { condition, then, otherwise } => {
                self.expr(condition);
                then.iter().chain(otherwise).for_each(|part| self.part(part));
            }
            BodyStmt::Block(parts) => parts.iter().for_each(|part| self.part(part)),
            BodyStmt::Loop(inner) => {
                inner.condition.iter().for_each(|condition| self.expr(condition));
                let parts = inner.first.iter().chain(&inner.step).chain(&inner.body);
                parts.for_each(|part| self.part(part));
            }
            BodyStmt::Break | BodyStmt::Continue | BodyStmt::Text(_) => {}
        }
    }

    /// An expression.
    fn expr(&mut self, expr: &Expr) {
        let mut inside = Vec::new();
        expr.walk(&mut |part| match part {
            Expr::Local(name) => {
                self.found.insert(name.clone());
            }
            Expr::Access(access) => inside.push(*access),
            _ => {}
        });
        for access in inside {
            for subscript in self.accesses.get(access).into_iter().flat_map(|a| &a.subscripts) {
                self.expr(subscript);
            }
        }
    }
}
