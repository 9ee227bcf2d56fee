//! A body as statements one after another.

use farkas_base::{IdVec, NameGenerator};
use farkas_scop::{
    Access, AccessId, Array, ArrayId, AssignOp, BodyStmt, ElementType, Expr, InnerLoop, Statement,
};
use std::collections::BTreeMap;

/// A body without blocks, whose variables have names of their own.
pub(super) struct Flat {
    /// The statements. None is a block or a declaration, and a condition under which one variable gets a value is part of that value.
    pub(super) items: Vec<BodyStmt>,
    /// What they access; subscripts name variables as the statements do.
    pub(super) accesses: IdVec<AccessId, Access>,
    /// The variables that are declared outside of conditions and loops.
    pub(super) variables: Vec<(String, ElementType)>,
}

/// The body of a statement without blocks.
pub(super) fn flat(stmt: &Statement, arrays: &IdVec<ArrayId, Array>) -> Flat {
    let flat = Flat { items: Vec::new(), accesses: stmt.accesses.clone(), variables: Vec::new() };
    let names = NameGenerator::new(Vec::new());
    let mut writer = Writer { stmt, arrays, flat, names, scopes: vec![BTreeMap::new()] };
    writer.outer(&stmt.body);
    writer.flat
}

/// Writes a body without blocks.
struct Writer<'a> {
    stmt: &'a Statement,
    arrays: &'a IdVec<ArrayId, Array>,
    flat: Flat,
    names: NameGenerator,
    /// What variables are called, by what the body calls them, of each block around.
    scopes: Vec<BTreeMap<String, String>>,
}

impl Writer<'_> {
    /// Statements outside of conditions and loops.
    fn outer(&mut self, parts: &[BodyStmt]) {
        for part in parts {
            match part {
                BodyStmt::Local { name, ty, value } => {
                    let value = value.as_ref().map(|value| self.expr(value));
                    let name = self.declared(name);
                    self.flat.variables.push((name.clone(), ty.clone()));
                    if let Some(value) = value {
                        let op = AssignOp::Set;
                        self.flat.items.push(BodyStmt::AssignLocal { name, op, value });
                    }
                }
                BodyStmt::Block(inner) => {
                    self.scopes.push(BTreeMap::new());
                    self.outer(inner);
                    self.scopes.pop();
                }
                other => {
                    let chosen = self.chosen(other);
                    let item = self.one(chosen.as_ref().unwrap_or(other));
                    self.flat.items.push(item);
                }
            }
        }
    }

    /// `if (condition) t = a; else t = b;` as `t = condition ? a : b`, and without the alternative as one that keeps the value, so that the
    /// variable is set whatever holds.
    fn chosen(&self, part: &BodyStmt) -> Option<BodyStmt> {
        let BodyStmt::If { condition, then, otherwise } = part else { return None };
        let [BodyStmt::AssignLocal { name, op: AssignOp::Set, value }] = then.as_slice() else {
            return None;
        };
        // What names mean, and so the types of values, is not told by a body that has one twice.
        if BodyStmt::declare_twice(&self.stmt.body) {
            return None;
        }
        let own = Expr::Local(name.clone());
        let other = match otherwise.as_slice() {
            [] => &own,
            [BodyStmt::AssignLocal { name: other, op: AssignOp::Set, value }] if other == name => {
                value
            }
            _ => return None,
        };
        let of = self.scopes.iter().rev().find_map(|scope| scope.get(name))?;
        let (_, ty) = self.flat.variables.iter().find(|(variable, _)| variable == of)?;
        let kind = |value| self.stmt.kind_of(self.arrays, value);
        let (a, b) = (kind(value), kind(other));
        // Where both together are of the variable's type, C converts each to it.
        let is_common = a.zip(b).is_some_and(|(a, b)| a.common(b) == ty.kind);
        let [then, otherwise] = [(value, a), (other, b)].map(|(value, own)| {
            let value = Box::new(value.clone());
            match is_common || own == Some(ty.kind) {
                true => value,
                false => Box::new(Expr::Cast(ty.unqualified(), value)),
            }
        });
        let value = Expr::Ternary(Box::new(condition.clone()), then, otherwise);
        Some(BodyStmt::AssignLocal { name: name.clone(), op: AssignOp::Set, value })
    }

    /// Statements in a block of their own.
    fn nested(&mut self, parts: &[BodyStmt]) -> Vec<BodyStmt> {
        self.scopes.push(BTreeMap::new());
        let parts = parts.iter().map(|part| self.one(part)).collect();
        self.scopes.pop();
        parts
    }

    /// A statement within a condition or a loop.
    fn one(&mut self, part: &BodyStmt) -> BodyStmt {
        match part.clone() {
            BodyStmt::Assign { target, op, read, value } => {
                self.rename_in(target);
                read.into_iter().for_each(|read| self.rename_in(read));
                BodyStmt::Assign { target, op, read, value: self.expr(&value) }
            }
            BodyStmt::If { condition, then, otherwise } => BodyStmt::If {
                condition: self.expr(&condition),
                then: self.nested(&then),
                otherwise: self.nested(&otherwise),
            },
            BodyStmt::Local { name, ty, value } => {
                let value = value.map(|value| self.expr(&value));
                BodyStmt::Local { name: self.declared(&name), ty, value }
            }
            BodyStmt::AssignLocal { name, op, value } => {
                BodyStmt::AssignLocal { name: self.known(&name), op, value: self.expr(&value) }
            }
            BodyStmt::Block(parts) => BodyStmt::Block(self.nested(&parts)),
            BodyStmt::Loop(inner) => self.inner_loop(&inner),
            leaf @ (BodyStmt::Break | BodyStmt::Continue | BodyStmt::Text(_)) => leaf,
        }
    }

    /// A loop within an instance.
    fn inner_loop(&mut self, inner: &InnerLoop) -> BodyStmt {
        self.scopes.push(BTreeMap::new());
        let first = inner.first.iter().map(|part| self.one(part)).collect();
        let condition = inner.condition.as_ref().map(|condition| self.expr(condition));
        let body = self.nested(&inner.body);
        let step = inner.step.iter().map(|part| self.one(part)).collect();
        self.scopes.pop();
        let asks_last = inner.asks_last;
        BodyStmt::Loop(Box::new(InnerLoop { first, condition, asks_last, step, body }))
    }

    /// An expression.
    fn expr(&mut self, expr: &Expr) -> Expr {
        expr.rewritten(&mut |part| match part {
            Expr::Local(name) => Some(Expr::Local(self.known(name))),
            Expr::Access(access) => {
                self.rename_in(*access);
                None
            }
            _ => None,
        })
    }

    /// Renames variables in the subscripts of an access.
    fn rename_in(&mut self, access: AccessId) {
        let Some(known) = self.stmt.accesses.get(access) else { return };
        let subscripts = known.subscripts.iter().map(|subscript| self.expr(subscript)).collect();
        self.flat.accesses[access].subscripts = subscripts;
    }

    /// The name of a variable that is declared here.
    fn declared(&mut self, name: &str) -> String {
        let own = self.names.fresh(name);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), own.clone());
        }
        own
    }

    /// What a variable is called.
    fn known(&self, name: &str) -> String {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found.cloned().unwrap_or_else(|| name.to_owned())
    }
}
