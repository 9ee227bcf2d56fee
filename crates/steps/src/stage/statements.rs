//! The statements that fill and empty a buffer, and the one that uses it.

use super::path::Around;
use crate::Result;
use farkas_analysis::Affine;
use farkas_base::IdVec;
use farkas_poly::{Aff, DimType, Map, MultiAff, PwAff, Set, Space, Val};
use farkas_scop::{
    Access, AccessId, AccessKind, ArrayId, AssignOp, BinaryOp, BodyStmt, Expr, Iterator, Scop,
    Statement, StmtId,
};

/// A dimension of a buffer.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// The dimension of the statement that runs through it.
    pub(super) of: usize,
    /// How far apart the values of its iterator are, in elements of the buffer's dimension.
    pub(super) step: i64,
    /// The dimension that is the number of the tile or block in which it begins, with its size in elements; none where it begins at `least`.
    pub(super) from: Option<(usize, i64)>,
    /// The first element, counted from where it begins.
    pub(super) least: i64,
    pub(super) extent: i64,
}

/// A buffer in the making.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) array: ArrayId,
    pub(super) name: String,
    pub(super) axes: Vec<Axis>,
}

/// A statement with some of the dimensions of another one.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) domain: Set,
    /// The dimensions of the other statement.
    kept: Vec<usize>,
}

impl Part {
    /// The statement itself.
    pub(super) fn whole(stmt: &Statement) -> Self {
        let (name, domain) = (stmt.name.clone(), stmt.domain.clone());
        Self { name, domain, kept: (0..stmt.depth()).collect() }
    }

    /// Another statement with an instance for each value that these dimensions have.
    pub(super) fn projected(scop: &Scop, stmt: StmtId, name: &str, kept: &[usize]) -> Result<Self> {
        let mut domain = all(scop, stmt)?;
        for at in (0..scop.stmts()[stmt].depth()).rev().filter(|at| !kept.contains(at)) {
            domain = domain.project_out(DimType::SET, u32::try_from(at).unwrap_or(u32::MAX), 1)?;
        }
        let domain = domain.with_tuple_name(name)?.detect_equalities()?.coalesce()?;
        Ok(Self { name: name.to_owned(), domain, kept: kept.to_vec() })
    }

    /// Where it has a dimension.
    fn place(&self, at: usize) -> Option<usize> {
        self.kept.iter().position(|kept| *kept == at)
    }

    /// A dimension as a function of the instance; zero where it has none.
    pub(super) fn value(&self, at: usize) -> Result<PwAff> {
        let space = self.domain.space()?;
        let aff = match self.place(at) {
            Some(at) => {
                Aff::var_on_domain(&space, DimType::SET, u32::try_from(at).unwrap_or(u32::MAX))?
            }
            None => Aff::constant_on_domain(&space, 0)?,
        };
        Ok(aff.to_pw_aff()?)
    }

    /// A row of the other statement on this one; none where it lacks a dimension.
    pub(super) fn row(&self, row: &Affine) -> Option<Affine> {
        let places: Vec<_> = (0..row.dims.len()).map(|at| self.place(at)).collect();
        row.moved(&places, self.kept.len())
    }

    /// A row as a function of the instance.
    pub(super) fn dates(&self, row: &Affine) -> Result<Option<PwAff>> {
        let Some(row) = self.row(row) else { return Ok(None) };
        Ok(Some(row.to_aff(&self.domain.space()?)?.to_pw_aff()?))
    }
}

/// All instances of a statement, in a space with all parameters.
pub(super) fn all(scop: &Scop, stmt: StmtId) -> Result<Set> {
    let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
    Ok(scop.domain_of(stmt)?.align_params(&Space::params_named(&names)?)?)
}

/// Writes the statements around one.
pub(super) struct Writer<'a> {
    pub(super) scop: &'a Scop,
    /// The statement that uses the buffer.
    pub(super) stmt: &'a Statement,
    pub(super) subscripts: &'a IdVec<AccessId, Option<Vec<Affine>>>,
    pub(super) path: &'a [Around],
    pub(super) buffer: &'a Buffer,
}

impl Writer<'_> {
    /// The access of `part` to its element of the buffer.
    fn buffer_access(&self, part: &Part, kind: AccessKind) -> Result<Access> {
        let (mut values, mut subscripts) = (Vec::new(), Vec::new());
        for axis in &self.buffer.axes {
            let mut value = part.value(axis.of)?;
            if let Some((from, size)) = axis.from {
                value = value.sub(&part.value(from)?.scale_val(&Val::int(size)?)?)?;
            }
            if axis.least != 0 {
                let all = Set::universe(&part.domain.space()?)?;
                value = value.sub(&PwAff::constant_on(&all, axis.least)?)?;
            }
            values.push(value);
            subscripts.push(subscript(part, axis));
        }
        let relation = relation(&part.domain.space()?, &self.buffer.name, &values)?;
        Ok(Access { array: self.buffer.array, kind, relation, subscripts, span: None })
    }

    /// An access of the statement as one of `part`; none where it lacks dimensions.
    fn own_access(
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
    fn statement(
        &self,
        part: &Part,
        accesses: IdVec<AccessId, Access>,
        body: BodyStmt,
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
            body: vec![body],
            span: self.stmt.span,
        })
    }

    /// The statement that fills the buffer with the values of `value`; none where `part` lacks dimensions.
    pub(super) fn fill(&self, part: &Part, value: &Expr) -> Result<Option<Statement>> {
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
        let target = accesses.push(self.buffer_access(part, AccessKind::MustWrite)?);
        let body = BodyStmt::Assign { target, op: AssignOp::Set, read: None, value };
        self.statement(part, accesses, body).map(Some)
    }

    /// The statement that writes the buffer back to `target`; none where `part` lacks dimensions.
    pub(super) fn empty(&self, part: &Part, target: AccessId) -> Result<Option<Statement>> {
        let mut accesses = IdVec::new();
        let read = accesses.push(self.buffer_access(part, AccessKind::Read)?);
        let Some(written) = self.own_access(part, target, AccessKind::MustWrite)? else {
            return Ok(None);
        };
        let target = accesses.push(written);
        let value = Expr::Access(read);
        let body = BodyStmt::Assign { target, op: AssignOp::Set, read: None, value };
        self.statement(part, accesses, body).map(Some)
    }

    /// The statement with the buffer in the place of `staged`, or of its accesses `written`.
    pub(super) fn user(&self, staged: Option<&Expr>, written: &[AccessId]) -> Result<Statement> {
        let part = Part::whole(self.stmt);
        let own = self.buffer_access(&part, AccessKind::Read)?;
        let [BodyStmt::Assign { target, op, read, value }] = self.stmt.body.as_slice() else {
            return Ok(self.stmt.clone());
        };
        let mut accesses = IdVec::new();
        let old = |access: AccessId| match written.contains(&access) {
            true => Access { kind: self.stmt.accesses[access].kind, ..own.clone() },
            false => self.stmt.accesses[access].clone(),
        };
        let read = read.map(|read| accesses.push(old(read)));
        let value = value.rewritten(&mut |e| match e {
            e if staged == Some(e) => Some(Expr::Access(accesses.push(own.clone()))),
            Expr::Access(access) => Some(Expr::Access(accesses.push(old(*access)))),
            _ => None,
        });
        let target = accesses.push(old(*target));
        let body = vec![BodyStmt::Assign { target, op: *op, read, value }];
        Ok(Statement { accesses, body, ..self.stmt.clone() })
    }

    /// The dates of `part` in the loops up to the one at a place; none where it lacks dimensions, or loops have no affine dates.
    pub(super) fn dates(&self, part: &Part, last: usize) -> Result<Option<Vec<PwAff>>> {
        let mut dates = Vec::new();
        for around in &self.path[..=last] {
            let Some(row) = &around.row else { return Ok(None) };
            let Some(date) = part.dates(row)? else { return Ok(None) };
            dates.push(date);
        }
        Ok(Some(dates))
    }
}

/// A subscript of a buffer: the distance from where its dimension begins. The values of iterators of tiles are first elements.
fn subscript(part: &Part, axis: &Axis) -> Expr {
    let iterator = |at: usize| match part.place(at) {
        Some(at) => Expr::Iterator(u32::try_from(at).unwrap_or(u32::MAX)),
        None => Expr::int(0),
    };
    let binary = |op, a, b| Expr::Binary(op, Box::new(a), Box::new(b));
    let mut offset = iterator(axis.of);
    if let Some((from, _)) = axis.from {
        offset = binary(BinaryOp::Sub, offset, iterator(from));
    }
    if axis.step != 1 {
        offset = binary(BinaryOp::Div, offset, Expr::int(axis.step));
    }
    if axis.least != 0 {
        offset = binary(BinaryOp::Sub, offset, Expr::int(axis.least));
    }
    offset
}

/// The relation from instances in `space` to the elements of `array` at `values`.
fn relation(space: &Space, array: &str, values: &[PwAff]) -> Result<Map> {
    let rank = u32::try_from(values.len()).unwrap_or(u32::MAX);
    let mut map = Map::universe(&space.map_from_domain_and_range(&space.set_space(array, rank)?)?)?;
    for (at, value) in values.iter().enumerate() {
        let before = u32::try_from(at).unwrap_or(u32::MAX);
        let rest = rank.saturating_sub(before).saturating_sub(1);
        let wide = value.to_map()?.insert_dims(DimType::Out, 0, before)?;
        let wide = wide.add_dims(DimType::Out, rest)?;
        map = map.intersect(&wide.with_tuple_name(DimType::Out, array)?)?;
    }
    Ok(map)
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
