//! The buffers of a nest, and the bodies and accesses of its statements.

use super::operands::{Loops, Operand, Side};
use super::parts::{Coordinate, Part, Strip};
use super::plan::Plan;
use crate::Result;
use farkas_analysis::Affine;
use farkas_base::{IdVec, NameGenerator, identifier};
use farkas_poly::{Map, MultiAff, PwAff, Space, Val};
use farkas_scop::{
    Access, AccessId, AccessKind, Array, ArrayId, ArrayScope, AssignOp, BinaryOp, BodyStmt,
    ElementType, Expr, Iterator, ScopBuilder, Statement, StmtId,
};

/// A dimension of a buffer: the coordinate, and the block that its first element belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Axis {
    /// What runs through the dimension.
    of: Coordinate,
    /// Where it begins.
    from: Strip,
}

/// A buffer that is made for one side, or for the sums.
pub(super) struct Buffer {
    pub(super) array: ArrayId,
    axes: Vec<Axis>,
}

/// The statements and arrays of a nest in the making.
pub(super) struct Writer<'a> {
    pub(super) builder: &'a mut ScopBuilder,
    pub(super) names: &'a mut NameGenerator,
    pub(super) params: &'a Space,
    pub(super) plan: &'a Plan,
    /// The statement before it was tiled.
    pub(super) original: Statement,
    /// The dimensions of dates.
    pub(super) dates: Space,
}

impl Writer<'_> {
    /// A new buffer for values of `array`.
    fn buffer(
        &mut self,
        array: ArrayId,
        what: &str,
        element: ElementType,
        axes: &[Axis],
    ) -> Result<Buffer> {
        let of = &self.builder.arrays[array];
        let wanted = format!("{}_{what}", identifier(&of.source_name));
        // The generated code calls what a large buffer lies in by its name and `_`.
        let mut name = self.names.fresh(&wanted);
        while self.names.fresh(&format!("{name}_")) != format!("{name}_") {
            name = self.names.fresh(&wanted);
        }
        let mut extents = Vec::new();
        for axis in axes {
            let size = match axis.of {
                Coordinate::Strip(tile) => axis.from.size(self.plan) / tile.size(self.plan),
                Coordinate::Iterator(_) => axis.from.size(self.plan),
            };
            extents.push(Some(format!("{{ [] -> [({size})] }}").parse::<PwAff>()?));
        }
        let array = self.builder.arrays.push(Array {
            name: name.clone(),
            source_name: name,
            element,
            extents,
            scope: ArrayScope::Buffer,
            is_live_in: false,
            is_live_out: false,
            declaration: None,
            span: None,
        });
        Ok(Buffer { array, axes: axes.to_vec() })
    }

    /// The buffer of an operand: panels as wide as a register tile, along its side and the depth.
    pub(super) fn panel(&mut self, operand: &Operand) -> Result<Buffer> {
        let Loops { row, column, depth } = self.plan.loops;
        let (block, tile, along) = match operand.side {
            Side::Rows => (Strip::RowBlock, Strip::Rows, row),
            Side::Columns => (Strip::ColumnBlock, Strip::Columns, column.unwrap_or(row)),
        };
        let axes = [
            Axis { of: Coordinate::Strip(tile), from: block },
            Axis { of: Coordinate::Iterator(depth), from: Strip::DepthBlock },
            Axis { of: Coordinate::Iterator(along), from: tile },
        ];
        self.buffer(operand.array, "panel", operand.element.clone(), &axes)
    }

    /// The buffer of the sums of a register tile.
    pub(super) fn accumulators(&mut self, array: ArrayId) -> Result<Buffer> {
        let Loops { row, column, .. } = self.plan.loops;
        let mut axes = vec![Axis { of: Coordinate::Iterator(row), from: Strip::Rows }];
        if let Some(column) = column {
            axes.push(Axis { of: Coordinate::Iterator(column), from: Strip::Columns });
        }
        let element = self.builder.arrays[array].element.clone();
        self.buffer(array, "tile", element, &axes)
    }

    /// The access of `part` to its element of `buffer`.
    fn buffer_access(&self, part: &Part, buffer: &Buffer, kind: AccessKind) -> Result<Access> {
        let name = &self.builder.arrays[buffer.array].name;
        let mut values = Vec::new();
        let mut subscripts = Vec::new();
        for axis in &buffer.axes {
            // Tiles are counted within their block.
            let step = match axis.of {
                Coordinate::Strip(tile) => axis.from.size(self.plan) / tile.size(self.plan),
                Coordinate::Iterator(_) => axis.from.size(self.plan),
            };
            let first = part.value(Coordinate::Strip(axis.from))?.scale_val(&Val::int(step)?)?;
            values.push(part.value(axis.of)?.sub(&first)?);
            subscripts.push(self.subscript(part, axis));
        }
        let relation = relation(&part.space()?, name, &values)?;
        Ok(Access { array: buffer.array, kind, relation, subscripts, span: None })
    }

    /// A subscript of a buffer: the distance from the first element of the block, in tiles where tiles are counted. The
    /// values of tile iterators are first elements.
    fn subscript(&self, part: &Part, axis: &Axis) -> Expr {
        let iterator = |c: Coordinate| match part.place(c) {
            Some(at) => Expr::Iterator(u32::try_from(at).unwrap_or(u32::MAX)),
            None => Expr::int(0),
        };
        let first = iterator(Coordinate::Strip(axis.from));
        let offset = Expr::Binary(BinaryOp::Sub, Box::new(iterator(axis.of)), Box::new(first));
        match axis.of {
            Coordinate::Strip(tile) => {
                let size = Expr::int(tile.size(self.plan));
                Expr::Binary(BinaryOp::Div, Box::new(offset), Box::new(size))
            }
            Coordinate::Iterator(_) => offset,
        }
    }

    /// An access of the original statement as one of `part`; `None` where it needs coordinates that `part` has not.
    fn own_access(
        &self,
        part: &Part,
        access: AccessId,
        kind: AccessKind,
    ) -> Result<Option<Access>> {
        let old = &self.original.accesses[access];
        let n = self.original.depth();
        let relation = match &self.plan.subscripts[access] {
            Some(rows) => {
                let rows: Option<Vec<Affine>> = rows.iter().map(|row| part.row(row, n)).collect();
                let Some(rows) = rows else { return Ok(None) };
                let space = part.space()?.align_params(self.params)?;
                let values = rows.iter().map(|row| Ok(row.to_aff(&space)?.to_pw_aff()?));
                let values = values.collect::<Result<Vec<_>>>()?;
                relation(&space, &self.builder.arrays[old.array].name, &values)?
            }
            None => return Ok(None),
        };
        let place = |at: u32| part.place(Coordinate::Iterator(at as usize));
        let subscripts: Option<Vec<Expr>> =
            old.subscripts.iter().map(|e| moved(e, &place)).collect();
        Ok(subscripts.map(|subscripts| Access {
            array: old.array,
            kind,
            relation,
            subscripts,
            span: old.span,
        }))
    }

    /// The iterators of `part`.
    fn iterators(&self, part: &Part) -> Result<Vec<Iterator>> {
        let mut iterators = Vec::new();
        for coordinate in &part.coordinates {
            let value = part.value(*coordinate)?;
            let iterator = match coordinate {
                Coordinate::Strip(tile) => {
                    let loops = self.plan.loops;
                    let of = tile.iterator(loops).unwrap_or(loops.row);
                    let of = &self.original.iterators[of];
                    let value = value.scale_val(&Val::int(tile.size(self.plan))?)?;
                    Iterator {
                        name: format!("{}_{}", of.name, tile.name()),
                        ty: of.ty.clone(),
                        value,
                    }
                }
                Coordinate::Iterator(at) => {
                    let value = match part.row(&self.plan.values[*at], self.original.depth()) {
                        Some(row) => row.to_aff(&part.space()?)?.to_pw_aff()?,
                        None => value,
                    };
                    Iterator { value, ..self.original.iterators[*at].clone() }
                }
            };
            iterators.push(iterator);
        }
        Ok(iterators)
    }

    /// A statement of the nest.
    fn statement(
        &self,
        part: &Part,
        accesses: IdVec<AccessId, Access>,
        body: BodyStmt,
    ) -> Result<Statement> {
        let date = MultiAff::zero(&part.space()?.map_from_domain_and_range(&self.dates)?)?;
        Ok(Statement {
            name: part.name.clone(),
            label: None,
            domain: part.domain.clone(),
            iterators: self.iterators(part)?,
            date: Map::from_multi_aff(&date)?,
            accesses,
            body: vec![body],
            span: self.original.span,
        })
    }

    /// Adds the statement that fills `buffer` with the values of `value`, an expression of the original statement; says whether
    /// it can.
    pub(super) fn fill(&mut self, part: &Part, buffer: &Buffer, value: &Expr) -> Result<bool> {
        let mut accesses = IdVec::new();
        let Some(value) = self.taken_over(part, value, &mut accesses)? else {
            return Ok(false);
        };
        let target = accesses.push(self.buffer_access(part, buffer, AccessKind::MustWrite)?);
        let body = BodyStmt::Assign { target, op: AssignOp::Set, read: None, value };
        let statement = self.statement(part, accesses, body)?;
        self.builder.stmts.push(statement);
        Ok(true)
    }

    /// Adds the statement that writes the sums in `buffer` back to `target`; says whether it can.
    pub(super) fn empty(&mut self, part: &Part, buffer: &Buffer, target: AccessId) -> Result<bool> {
        let mut accesses = IdVec::new();
        let read = accesses.push(self.buffer_access(part, buffer, AccessKind::Read)?);
        let Some(written) = self.own_access(part, target, AccessKind::MustWrite)? else {
            return Ok(false);
        };
        let target = accesses.push(written);
        let value = Expr::Access(read);
        let body = BodyStmt::Assign { target, op: AssignOp::Set, read: None, value };
        let statement = self.statement(part, accesses, body)?;
        self.builder.stmts.push(statement);
        Ok(true)
    }

    /// Puts the tiled statement in the place of the original one: sums and operands are read from their buffers. Says whether
    /// it can.
    pub(super) fn compute(
        &mut self,
        stmt: StmtId,
        part: &Part,
        sums: &Buffer,
        panels: &[(&Operand, Buffer)],
    ) -> Result<bool> {
        let [BodyStmt::Assign { op, read, value, .. }] = self.original.body.as_slice() else {
            return Ok(false);
        };
        let mut accesses = IdVec::new();
        let from_sums = self.buffer_access(part, sums, AccessKind::Read)?;
        let read = read.map(|_| accesses.push(from_sums.clone()));
        let mut reads = Vec::new();
        for (operand, panel) in panels {
            let access = self.buffer_access(part, panel, AccessKind::Read)?;
            reads.push((&operand.expr, access));
        }
        let sums_read = &self.plan.sums;
        let mut missing = None;
        let value = value.rewritten(&mut |e| {
            if let Some((_, access)) = reads.iter().find(|(expr, _)| *expr == e) {
                return Some(Expr::Access(accesses.push(access.clone())));
            }
            match e {
                Expr::Access(a) if sums_read.contains(a) => {
                    Some(Expr::Access(accesses.push(from_sums.clone())))
                }
                Expr::Access(a) => match self.own_access(part, *a, AccessKind::Read) {
                    Ok(Some(access)) => Some(Expr::Access(accesses.push(access))),
                    other => {
                        missing = Some(other);
                        None
                    }
                },
                Expr::Iterator(at) => part
                    .place(Coordinate::Iterator(*at as usize))
                    .map(|at| Expr::Iterator(u32::try_from(at).unwrap_or(u32::MAX))),
                _ => None,
            }
        });
        if let Some(missing) = missing {
            missing?;
            return Ok(false);
        }
        let target = accesses.push(self.buffer_access(part, sums, AccessKind::MustWrite)?);
        let body = BodyStmt::Assign { target, op: *op, read, value };
        let label = self.original.label.clone();
        let statement = Statement { label, ..self.statement(part, accesses, body)? };
        self.builder.stmts[stmt] = statement;
        Ok(true)
    }

    /// An expression of the original statement with reads of `part`, which are added to `accesses`; `None` where
    /// `part` has not all coordinates.
    fn taken_over(
        &self,
        part: &Part,
        expr: &Expr,
        accesses: &mut IdVec<AccessId, Access>,
    ) -> Result<Option<Expr>> {
        let mut reads = Vec::new();
        expr.walk(&mut |e| {
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
        Ok(Some(expr.rewritten(&mut |e| match e {
            Expr::Access(access) => {
                ids.iter().find(|(old, _)| old == access).map(|(_, new)| Expr::Access(*new))
            }
            _ => None,
        })))
    }
}

/// The relation from instances in `space` to the elements of `array` at `values`.
fn relation(space: &Space, array: &str, values: &[PwAff]) -> Result<Map> {
    let rank = u32::try_from(values.len()).unwrap_or(u32::MAX);
    let mut map = Map::universe(&space.map_from_domain_and_range(&space.set_space(array, rank)?)?)?;
    for (at, value) in values.iter().enumerate() {
        let one = value.to_map()?;
        let before = u32::try_from(at).unwrap_or(u32::MAX);
        let rest = rank.saturating_sub(before).saturating_sub(1);
        let wide = one.insert_dims(farkas_poly::DimType::Out, 0, before)?;
        let wide = wide.add_dims(farkas_poly::DimType::Out, rest)?;
        map = map.intersect(&wide.with_tuple_name(farkas_poly::DimType::Out, array)?)?;
    }
    Ok(map)
}

/// A subscript with iterators at other places; `None` where one has none.
fn moved(expr: &Expr, place: &impl Fn(u32) -> Option<usize>) -> Option<Expr> {
    let mut is_known = true;
    let moved = expr.rewritten(&mut |e| match e {
        Expr::Iterator(at) => match place(*at) {
            Some(at) => Some(Expr::Iterator(u32::try_from(at).unwrap_or(u32::MAX))),
            None => {
                is_known = false;
                None
            }
        },
        _ => None,
    });
    is_known.then_some(moved)
}
