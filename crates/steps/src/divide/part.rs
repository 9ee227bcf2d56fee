//! A part of a body as a statement of its own.

use crate::Result;
use farkas_base::{IdVec, Span};
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{
    Access, AccessId, AccessKind, ArrayId, AssignOp, BodyStmt, Expr, InnerLoop, Statement,
};
use std::collections::BTreeMap;

/// What the parts of a statement have in common.
pub(super) struct Parts<'a> {
    /// The statement.
    pub(super) of: &'a Statement,
    /// Its accesses, whose subscripts name variables as the parts do.
    pub(super) accesses: &'a IdVec<AccessId, Access>,
    /// The arrays, of no dimensions, in the place of variables that several parts use; and what they are called.
    pub(super) arrays: &'a BTreeMap<String, (ArrayId, String)>,
}

impl Parts<'_> {
    /// The statement that is called `name`, does what `body` says, and comes at a place among the parts.
    pub(super) fn statement(&self, body: &[BodyStmt], name: &str, place: i32) -> Result<Statement> {
        let of = self.of;
        let domain = of.domain.with_tuple_name(name)?;
        let mut writer = Writer { parts: self, name, domain: &domain, accesses: IdVec::new() };
        let body: Result<Vec<BodyStmt>> = body.iter().map(|part| writer.part(part, true)).collect();
        let (body, accesses) = (body?, writer.accesses);
        let mut iterators = of.iterators.clone();
        for iterator in &mut iterators {
            let value = iterator.value.to_map()?.with_tuple_name(DimType::In, name)?;
            iterator.value = value.to_pw_multi_aff()?.at(0)?;
        }
        let date = dated(&of.date, place)?.with_tuple_name(DimType::In, name)?;
        let span = span(&accesses).or(of.span);
        Ok(Statement {
            name: name.to_owned(),
            label: None,
            iterators,
            date,
            accesses,
            body,
            span,
            domain,
        })
    }
}

/// Dates with a place behind them.
pub(super) fn dated(date: &Map, place: i32) -> Result<Map> {
    let n = date.dim(DimType::Out)?;
    Ok(date.insert_dims(DimType::Out, n, 1)?.fix_si(DimType::Out, n, place)?)
}

/// From the first to the last of what accesses stand in; none where one has no place.
fn span(accesses: &IdVec<AccessId, Access>) -> Option<Span> {
    let spans: Option<Vec<Span>> = accesses.iter().map(|access| access.span).collect();
    spans?.into_iter().reduce(|all, span| all.cover(span))
}

/// Writes a statement with accesses of its own.
struct Writer<'a> {
    parts: &'a Parts<'a>,
    name: &'a str,
    domain: &'a Set,
    accesses: IdVec<AccessId, Access>,
}

impl Writer<'_> {
    /// A statement, which runs in each instance, or may.
    fn part(&mut self, part: &BodyStmt, always: bool) -> Result<BodyStmt> {
        Ok(match part {
            BodyStmt::Assign { target, op, read, value } => {
                let value = self.expr(value)?;
                let read = read.map(|read| self.access(read)).transpose()?;
                BodyStmt::Assign { target: self.access(*target)?, op: *op, read, value }
            }
            BodyStmt::AssignLocal { name, op, value } => {
                let value = self.expr(value)?;
                if !self.parts.arrays.contains_key(name) {
                    return Ok(BodyStmt::AssignLocal { name: name.clone(), op: *op, value });
                }
                let read = match op {
                    AssignOp::Set => None,
                    AssignOp::Compound(_) => self.variable(name, AccessKind::Read)?,
                };
                let kind = if always { AccessKind::MustWrite } else { AccessKind::MayWrite };
                match self.variable(name, kind)? {
                    Some(target) => BodyStmt::Assign { target, op: *op, read, value },
                    None => BodyStmt::AssignLocal { name: name.clone(), op: *op, value },
                }
            }
            BodyStmt::Local { name, ty, value } => {
                let value = value.as_ref().map(|value| self.expr(value)).transpose()?;
                BodyStmt::Local { name: name.clone(), ty: ty.clone(), value }
            }
            BodyStmt::If { condition, then, otherwise } => BodyStmt::If {
                condition: self.expr(condition)?,
                then: self.nested(then)?,
                otherwise: self.nested(otherwise)?,
            },
            BodyStmt::Block(parts) => BodyStmt::Block(self.nested(parts)?),
            BodyStmt::Loop(inner) => BodyStmt::Loop(Box::new(InnerLoop {
                first: self.nested(&inner.first)?,
                condition: inner.condition.as_ref().map(|c| self.expr(c)).transpose()?,
                asks_last: inner.asks_last,
                body: self.nested(&inner.body)?,
                step: self.nested(&inner.step)?,
            })),
            leaf @ (BodyStmt::Break | BodyStmt::Continue | BodyStmt::Text(_)) => leaf.clone(),
        })
    }

    /// Statements that may run.
    fn nested(&mut self, parts: &[BodyStmt]) -> Result<Vec<BodyStmt>> {
        parts.iter().map(|part| self.part(part, false)).collect()
    }

    /// An expression.
    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        let mut failed = None;
        let mut keep = |found: Result<Option<AccessId>>| match found {
            Ok(access) => access.map(Expr::Access),
            Err(error) => {
                failed = Some(error);
                None
            }
        };
        let written = expr.rewritten(&mut |part| match part {
            Expr::Local(name) => keep(self.variable(name, AccessKind::Read)),
            Expr::Access(access) => keep(self.access(*access).map(Some)),
            _ => None,
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(written),
        }
    }

    /// An access of the whole statement, as one of the part.
    fn access(&mut self, access: AccessId) -> Result<AccessId> {
        let known = &self.parts.accesses[access];
        let subscripts: Result<Vec<Expr>> =
            known.subscripts.iter().map(|subscript| self.expr(subscript)).collect();
        let relation = known.relation.with_tuple_name(DimType::In, self.name)?;
        Ok(self.accesses.push(Access { relation, subscripts: subscripts?, ..known.clone() }))
    }

    /// An access to the array in the place of a variable; none where the variable stays one.
    fn variable(&mut self, name: &str, kind: AccessKind) -> Result<Option<AccessId>> {
        let Some((array, own)) = self.parts.arrays.get(name) else { return Ok(None) };
        let all = Set::universe(&self.domain.space()?)?;
        let relation = Map::from_domain_and_range(&all, &Set::unnamed_universe(0)?)?;
        let relation = relation.with_tuple_name(DimType::Out, own)?;
        let (array, subscripts, span) = (*array, Vec::new(), None);
        Ok(Some(self.accesses.push(Access { array, kind, relation, subscripts, span })))
    }
}
