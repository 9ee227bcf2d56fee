//! The statements that fill and empty a buffer, and the one that uses it.

use crate::Result;
use crate::buffer::{Buffer, Part, relation};
use crate::numbered::Around;
use farkas_analysis::Affine;
use farkas_base::IdVec;
use farkas_poly::{Map, MultiAff, PwAff};
use farkas_scop::{
    Access, AccessId, AccessKind, AssignOp, BodyStmt, Expr, Iterator, Scop, Statement,
};

/// Writes the statements around one.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    pub(crate) scop: &'a Scop,
    /// The statement that uses the buffer.
    pub(crate) stmt: &'a Statement,
    pub(crate) subscripts: &'a IdVec<AccessId, Option<Vec<Affine>>>,
    pub(crate) path: &'a [Around],
    pub(crate) buffer: &'a Buffer,
}

impl Writer<'_> {
    /// An access of the statement as one of `part`; none where it lacks dimensions.
    pub(crate) fn own_access(
        &self,
        part: &Part,
        access: AccessId,
        kind: AccessKind,
    ) -> Result<Option<Access>> {
        let (old, space) = (&self.stmt.accesses[access], part.domain.space()?);
        let Some(rows) = &self.subscripts[access] else { return Ok(None) };
        let mut values = Vec::new();
        for row in rows {
            let Some(value) = part.dates(row)? else { return Ok(None) };
            values.push(value);
        }
        let relation = relation(&space, &self.scop.arrays()[old.array].name, &values)?;
        let subscripts: Option<Vec<Expr>> = old.subscripts.iter().map(|e| moved(e, part)).collect();
        Ok(subscripts.map(|subscripts| Access { kind, relation, subscripts, ..old.clone() }))
    }

    /// The iterators of `part`.
    fn iterators(&self, part: &Part) -> Result<Vec<Iterator>> {
        let mut iterators = Vec::new();
        for at in &part.kept {
            let old = &self.stmt.iterators[*at];
            let value = match Affine::of(&old.value)? {
                Some(row) => part.dates(&row)?,
                None => None,
            };
            let value = value.map_or_else(|| part.value(*at), Ok)?;
            iterators.push(Iterator { value, ..old.clone() });
        }
        Ok(iterators)
    }

    /// A statement with these accesses.
    pub(crate) fn statement(
        &self,
        part: &Part,
        accesses: IdVec<AccessId, Access>,
        body: Vec<BodyStmt>,
    ) -> Result<Statement> {
        let dates = self.stmt.date.space()?.range()?;
        let dates = dates.align_params(&part.domain.space()?)?;
        let date = MultiAff::zero(&part.domain.space()?.map_from_domain_and_range(&dates)?)?;
        Ok(Statement {
            name: part.name.clone(),
            label: None,
            domain: part.domain.clone(),
            iterators: self.iterators(part)?,
            date: Map::from_multi_aff(&date)?,
            accesses,
            body,
            span: self.stmt.span,
        })
    }

    /// The statement that fills the buffer with the values of `value`; none where `part` lacks dimensions.
    pub(crate) fn fill(&self, part: &Part, value: &Expr) -> Result<Option<Statement>> {
        let (mut accesses, mut reads) = (IdVec::new(), Vec::new());
        value.walk(&mut |e| {
            if let Expr::Access(access) = e {
                reads.push(*access);
            }
        });
        let mut ids = Vec::new();
        for access in reads {
            let Some(own) = self.own_access(part, access, AccessKind::Read)? else {
                return Ok(None);
            };
            ids.push((access, accesses.push(own)));
        }
        let value = value.rewritten(&mut |e| match e {
            Expr::Access(access) => {
                ids.iter().find(|(old, _)| old == access).map(|(_, new)| Expr::Access(*new))
            }
            _ => None,
        });
        let target = accesses.push(self.buffer.access(part, AccessKind::MustWrite)?);
        let body = BodyStmt::Assign { target, op: AssignOp::Set, read: None, value };
        self.statement(part, accesses, vec![body]).map(Some)
    }

    /// The statement that writes the buffer back to `target`; none where `part` lacks dimensions.
    pub(crate) fn empty(&self, part: &Part, target: AccessId) -> Result<Option<Statement>> {
        let mut accesses = IdVec::new();
        let read = accesses.push(self.buffer.access(part, AccessKind::Read)?);
        let Some(written) = self.own_access(part, target, AccessKind::MustWrite)? else {
            return Ok(None);
        };
        let target = accesses.push(written);
        let value = Expr::Access(read);
        let body = BodyStmt::Assign { target, op: AssignOp::Set, read: None, value };
        self.statement(part, accesses, vec![body]).map(Some)
    }

    /// The statement with the buffer in the place of `staged`, wherever it is computed, or of its accesses `written`.
    pub(crate) fn user(&self, staged: Option<&Expr>, written: &[AccessId]) -> Result<Statement> {
        let part = Part::whole(self.stmt);
        let own = self.buffer.access(&part, AccessKind::Read)?;
        let mut accesses = IdVec::new();
        let old = |access: AccessId| match written.contains(&access) {
            true => Access { kind: self.stmt.accesses[access].kind, ..own.clone() },
            false => self.stmt.accesses[access].clone(),
        };
        let staged = staged.map(|staged| self.stmt.with_first_accesses(staged));
        let is_staged =
            |e: &Expr| staged.as_ref().is_some_and(|of| self.stmt.with_first_accesses(e) == *of);
        let with_buffer = |value: &Expr, accesses: &mut IdVec<AccessId, Access>| {
            value.rewritten(&mut |e| match e {
                e if is_staged(e) => Some(Expr::Access(accesses.push(own.clone()))),
                Expr::Access(access) => Some(Expr::Access(accesses.push(old(*access)))),
                _ => None,
            })
        };
        let mut body = Vec::new();
        for part in &self.stmt.body {
            body.push(match part {
                BodyStmt::Local { name, ty, value } => {
                    let value = value.as_ref().map(|value| with_buffer(value, &mut accesses));
                    BodyStmt::Local { name: name.clone(), ty: ty.clone(), value }
                }
                BodyStmt::Assign { target, op, read, value } => {
                    let read = read.map(|read| accesses.push(old(read)));
                    let value = with_buffer(value, &mut accesses);
                    BodyStmt::Assign { target: accesses.push(old(*target)), op: *op, read, value }
                }
                // Others are not staged.
                _ => return Ok(self.stmt.clone()),
            });
        }
        Ok(Statement { accesses, body, ..self.stmt.clone() })
    }

    /// The dates of `part` in the loops up to the one at a place; none where it lacks dimensions, or loops have no affine dates.
    pub(crate) fn dates(&self, part: &Part, last: usize) -> Result<Option<Vec<PwAff>>> {
        let mut dates = Vec::new();
        for around in &self.path[..=last] {
            let Some(row) = &around.row else { return Ok(None) };
            let Some(date) = part.dates(row)? else { return Ok(None) };
            dates.push(date);
        }
        Ok(Some(dates))
    }
}

/// A subscript with the iterators of `part`; none where it lacks one.
fn moved(expr: &Expr, part: &Part) -> Option<Expr> {
    let mut is_known = true;
    let moved = expr.rewritten(&mut |e| match e {
        Expr::Iterator(at) => {
            let place = part.place(*at as usize);
            is_known &= place.is_some();
            place.map(|at| Expr::Iterator(u32::try_from(at).unwrap_or(u32::MAX)))
        }
        _ => None,
    });
    is_known.then_some(moved)
}
