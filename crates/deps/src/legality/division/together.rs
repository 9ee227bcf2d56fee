//! Bodies one after another, in a form that does not depend on what variables are called and where they are declared.

use crate::Result;
use farkas_base::IdVec;
use farkas_poly::{DimType, Map};
use farkas_scop::{
    AccessId, AccessKind, ArrayId, AssignOp, BodyStmt, ElementKind, ElementType, Expr, InnerLoop,
    Scop, Statement,
};
use std::collections::{BTreeMap, BTreeSet};

/// What statements compute one after another. Variables have numbers, by first use; declarations are left out, and blocks; a variable gets one of
/// two values by a condition that is asked first.
pub(super) struct Together {
    items: Vec<BodyStmt>,
    accesses: IdVec<AccessId, Place>,
    /// The types of the variables.
    types: Vec<ElementType>,
}

/// An access, under the instances of the whole.
struct Place {
    array: ArrayId,
    kind: AccessKind,
    relation: Map,
    subscripts: Vec<Expr>,
}

impl Together {
    /// That of statements whose instances are those of `whole`, with variables in the place of `own` arrays; `None` where they use something
    /// that is not theirs, or in another way than their accesses say.
    pub(super) fn of(
        scop: &Scop,
        stmts: &[&Statement],
        whole: &Statement,
        own: &BTreeSet<ArrayId>,
    ) -> Result<Option<Self>> {
        let found = Self { items: Vec::new(), accesses: IdVec::new(), types: Vec::new() };
        let mut writer = Writer {
            scop,
            own,
            stmt: whole,
            whole: &whole.name,
            found,
            numbers: BTreeMap::new(),
            declared: Vec::new(),
            scopes: Vec::new(),
            seen: BTreeSet::new(),
            chooses: !BodyStmt::declare_twice(&whole.body),
            is_sound: true,
        };
        for stmt in stmts {
            writer.stmt = stmt;
            writer.scopes = vec![BTreeMap::new()];
            writer.seen.clear();
            let items = writer.several(&stmt.body, true)?;
            writer.found.items.extend(items);
            writer.is_sound &= writer.seen.len() == stmt.accesses.len();
        }
        Ok(writer.is_sound.then_some(writer.found))
    }

    /// Whether both compute the same.
    pub(super) fn is_same(&self, other: &Self) -> Result<bool> {
        let mut is_same = self.items == other.items
            && self.types == other.types
            && self.accesses.len() == other.accesses.len();
        for (a, b) in self.accesses.iter().zip(&other.accesses) {
            is_same = is_same
                && (a.array, a.kind) == (b.array, b.kind)
                && a.subscripts == b.subscripts
                && a.relation.is_equal(&b.relation)?;
        }
        Ok(is_same)
    }
}

/// A variable: by its declaration, or the array in its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    Declared(usize),
    Own(ArrayId),
}

/// Writes bodies in that form.
struct Writer<'a> {
    scop: &'a Scop,
    own: &'a BTreeSet<ArrayId>,
    /// The statement that is looked at, and what the whole is called.
    stmt: &'a Statement,
    whole: &'a str,
    found: Together,
    numbers: BTreeMap<Variable, usize>,
    /// The types of declared variables.
    declared: Vec<ElementType>,
    /// The variables of each block around, by name.
    scopes: Vec<BTreeMap<String, usize>>,
    /// The accesses of the statement that its body has.
    seen: BTreeSet<AccessId>,
    /// Whether `t = c ? a : b` is `if (c) t = a; else t = b;` where types are the same: not where names do not say which variable is meant.
    chooses: bool,
    /// Whether nothing was found that should not be there.
    is_sound: bool,
}

impl Writer<'_> {
    /// Statements, of those of each instance or of those that may run.
    fn several(&mut self, parts: &[BodyStmt], always: bool) -> Result<Vec<BodyStmt>> {
        let mut out = Vec::new();
        for part in parts {
            self.one(part, always, &mut out)?;
        }
        Ok(out)
    }

    /// Statements in a block of their own.
    fn nested(&mut self, parts: &[BodyStmt], always: bool) -> Result<Vec<BodyStmt>> {
        self.scopes.push(BTreeMap::new());
        let parts = self.several(parts, always);
        self.scopes.pop();
        parts
    }

    /// One statement.
    fn one(&mut self, part: &BodyStmt, always: bool, out: &mut Vec<BodyStmt>) -> Result<()> {
        match part {
            BodyStmt::Local { name, ty, value } => {
                let declared = Variable::Declared(self.declared.len());
                self.declared.push(ty.unqualified());
                if let Some(value) = value {
                    self.assign(declared, AssignOp::Set, value, out)?;
                }
                if let (Variable::Declared(at), Some(scope)) = (declared, self.scopes.last_mut()) {
                    scope.insert(name.clone(), at);
                }
            }
            BodyStmt::AssignLocal { name, op, value } => match self.variable(name) {
                Some(variable) => self.assign(variable, *op, value, out)?,
                None => self.is_sound = false,
            },
            BodyStmt::Assign { target, op, read, value } => {
                if let Some(variable) = self.own_target(*target, (*op, *read), always) {
                    return self.assign(variable, *op, value, out);
                }
                let value = self.expr(value)?;
                let read = read.map(|read| self.access(read)).transpose()?;
                out.push(BodyStmt::Assign { target: self.access(*target)?, op: *op, read, value });
            }
            BodyStmt::If { condition, then, otherwise } => {
                let condition = self.expr(condition)?;
                let then = self.nested(then, false)?;
                let otherwise = self.nested(otherwise, false)?;
                out.push(BodyStmt::If { condition, then, otherwise });
            }
            BodyStmt::Block(parts) => out.extend(self.nested(parts, always)?),
            BodyStmt::Loop(inner) => {
                self.scopes.push(BTreeMap::new());
                let first = self.several(&inner.first, false)?;
                let condition = inner.condition.as_ref().map(|c| self.expr(c)).transpose()?;
                let body = self.nested(&inner.body, false)?;
                let step = self.several(&inner.step, false)?;
                self.scopes.pop();
                let asks_last = inner.asks_last;
                let inner = InnerLoop { first, condition, asks_last, step, body };
                out.push(BodyStmt::Loop(Box::new(inner)));
            }
            jump @ (BodyStmt::Break | BodyStmt::Continue) => out.push(jump.clone()),
            // Nothing is known of it.
            BodyStmt::Text(_) => self.is_sound = false,
        }
        Ok(())
    }

    /// The variable in the place of the array that is assigned to; none where it is an array of the whole.
    fn own_target(
        &mut self,
        target: AccessId,
        (op, read): (AssignOp, Option<AccessId>),
        always: bool,
    ) -> Option<Variable> {
        let access = self.stmt.accesses.get(target)?;
        let variable = self.own_array(target)?;
        let kind = if always { AccessKind::MustWrite } else { AccessKind::MayWrite };
        self.is_sound &= access.kind == kind;
        self.seen.insert(target);
        match (op, read) {
            (AssignOp::Set, None) => {}
            (AssignOp::Compound(_), Some(read)) => {
                let is_read = self.stmt.accesses.get(read).map(|a| a.kind);
                self.is_sound &= is_read == Some(AccessKind::Read);
                self.is_sound &= self.own_array(read) == Some(variable);
                self.seen.insert(read);
            }
            _ => self.is_sound = false,
        }
        Some(variable)
    }

    /// `variable op= value`.
    fn assign(
        &mut self,
        variable: Variable,
        op: AssignOp,
        value: &Expr,
        out: &mut Vec<BodyStmt>,
    ) -> Result<()> {
        let ty = self.type_of(variable);
        let value = match value {
            // Assignment converts to that type anyway.
            Expr::Cast(to, inner) if op == AssignOp::Set && to.unqualified() == ty => inner,
            other => other,
        };
        if op == AssignOp::Set {
            if self.is_it(value, variable) {
                return Ok(());
            }
            if let Expr::Ternary(condition, then, otherwise) = value
                && self.chooses
                && self.are_of_kind([then, otherwise], ty.kind)
            {
                let condition = self.expr(condition)?;
                let (mut first, mut second) = (Vec::new(), Vec::new());
                self.assign(variable, op, then, &mut first)?;
                self.assign(variable, op, otherwise, &mut second)?;
                out.push(BodyStmt::If { condition, then: first, otherwise: second });
                return Ok(());
            }
        }
        let value = self.expr(value)?;
        out.push(BodyStmt::AssignLocal { name: self.name(variable), op, value });
        Ok(())
    }

    /// Whether an expression is the value of a variable.
    fn is_it(&mut self, value: &Expr, variable: Variable) -> bool {
        match value {
            Expr::Local(name) => self.variable(name) == Some(variable),
            Expr::Access(access) if self.own_array(*access) == Some(variable) => {
                self.seen.insert(*access);
                true
            }
            _ => false,
        }
    }

    /// Whether the choice between two numbers converts each to this kind, as an assignment does, or they are of it.
    fn are_of_kind(&self, values: [&Expr; 2], kind: ElementKind) -> bool {
        match values.map(|value| self.stmt.kind_of(self.scop.arrays(), value)) {
            [Some(a), Some(b)] if kind != ElementKind::Other => {
                a.common(b) == kind || (a, b) == (kind, kind)
            }
            _ => false,
        }
    }

    /// An expression.
    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        let mut failed = None;
        let written = expr.rewritten(&mut |part| match part {
            Expr::Local(name) => match self.variable(name) {
                Some(variable) => Some(Expr::Local(self.name(variable))),
                None => {
                    self.is_sound = false;
                    None
                }
            },
            Expr::Access(access) => {
                if let Some(variable) = self.own_array(*access) {
                    let kind = self.stmt.accesses.get(*access).map(|access| access.kind);
                    self.is_sound &= kind == Some(AccessKind::Read);
                    self.seen.insert(*access);
                    return Some(Expr::Local(self.name(variable)));
                }
                match self.access(*access) {
                    Ok(access) => Some(Expr::Access(access)),
                    Err(error) => {
                        failed = Some(error);
                        None
                    }
                }
            }
            _ => None,
        });
        failed.map_or(Ok(written), Err)
    }

    /// An access to an array of the whole, under its instances.
    fn access(&mut self, access: AccessId) -> Result<AccessId> {
        let known = &self.stmt.accesses[access];
        let subscripts: Result<Vec<Expr>> =
            known.subscripts.iter().map(|subscript| self.expr(subscript)).collect();
        let relation = known.relation.with_tuple_name(DimType::In, self.whole)?;
        self.is_sound &= self.seen.insert(access) && !self.own.contains(&known.array);
        let (array, kind, subscripts) = (known.array, known.kind, subscripts?);
        Ok(self.found.accesses.push(Place { array, kind, relation, subscripts }))
    }

    /// The variable in the place of the array of an access; none where that is one of the whole.
    fn own_array(&self, access: AccessId) -> Option<Variable> {
        let array = self.stmt.accesses.get(access)?.array;
        self.own.contains(&array).then_some(Variable::Own(array))
    }

    /// The variable of a name.
    fn variable(&self, name: &str) -> Option<Variable> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found.map(|at| Variable::Declared(*at))
    }

    /// The type of a variable.
    fn type_of(&self, variable: Variable) -> ElementType {
        match variable {
            Variable::Declared(at) => self.declared[at].clone(),
            Variable::Own(array) => self.scop.arrays()[array].element.clone(),
        }
    }

    /// What a variable is called here.
    fn name(&mut self, variable: Variable) -> String {
        let next = self.numbers.len();
        let number = *self.numbers.entry(variable).or_insert(next);
        if number == next {
            let ty = self.type_of(variable);
            self.found.types.push(ty);
        }
        format!("v{number}")
    }
}
