//! Buffers in the making: their dimensions, and how statements use them.

use crate::Result;
use crate::expand::extents_of;
use crate::numbered::{Numbered, all};
use farkas_analysis::Affine;
use farkas_base::{NameGenerator, identifier};
use farkas_poly::{Aff, DimType, Map, PwAff, Set, Space, Val};
use farkas_scop::{
    Access, AccessKind, Array, ArrayId, ArrayScope, BinaryOp, ElementType, Expr, Scop, ScopBuilder,
    Statement, StmtId,
};

/// Why there is no dimension for a loop.
pub(crate) const NO_ITERATOR: &str = "a loop that is to run through it does not count an iterator";

/// Why there is no dimension for another one.
pub(crate) const UNKNOWN_LENGTH: &str = "a loop through it has no known number of iterations";

/// A dimension of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// The dimension of the statement that runs through it.
    pub(crate) of: usize,
    /// How far apart the values of its iterator are, in elements of the buffer's dimension.
    pub(crate) step: i64,
    /// The dimension that is the number of the tile or block in which it begins, with its size in elements; none where it begins at `least`.
    pub(crate) from: Option<(usize, i64)>,
    /// The first element, counted from where it begins.
    pub(crate) least: i64,
    /// How many elements there are; none where that depends on parameters.
    pub(crate) extent: Option<i64>,
}

impl Axis {
    /// The dimension of a buffer through which a loop around a statement runs, where dimensions for other loops are known, as loops; why
    /// there is none.
    pub(crate) fn along(
        numbered: &Numbered,
        at: usize,
        is_known: impl Fn(usize) -> bool,
    ) -> Result<std::result::Result<Self, &'static str>> {
        let path = &numbered.path;
        let around = &path[at];
        let outer = path[..at].iter().enumerate().rev().filter(|(place, _)| is_known(*place));
        let mut outer = outer.filter_map(|(_, around)| around.tiles.as_ref());
        if let Some(tiles) = &around.tiles {
            return match outer.find(|block| block.of == tiles.of) {
                Some(block) if block.size % tiles.size == 0 => {
                    let extent = block.size / tiles.size;
                    let from = Some((block.number, extent));
                    let (of, step, extent) = (tiles.number, tiles.size, Some(extent));
                    Ok(Ok(Self { of, step, from, least: 0, extent }))
                }
                Some(_) => Ok(Err("tiles do not divide the tiles that they are in")),
                None => Self::whole(numbered, tiles.number, tiles.size),
            };
        }
        let Some((of, row)) = counted(numbered, at) else { return Ok(Err(NO_ITERATOR)) };
        match outer.find(|block| block.of == *row) {
            Some(block) if row.is_exactly(of) => {
                let from = Some((block.number, block.size));
                Ok(Ok(Self { of, step: 1, from, least: 0, extent: Some(block.size) }))
            }
            Some(_) => Ok(Err("the dates of a loop through it are no values of an iterator")),
            None => Self::whole(numbered, of, 1),
        }
    }

    /// [`along`](Self::along), also where the number of iterations depends on parameters.
    pub(crate) fn along_any(
        numbered: &Numbered,
        at: usize,
        is_known: impl Fn(usize) -> bool,
    ) -> Result<std::result::Result<Self, &'static str>> {
        match Self::along(numbered, at, is_known)? {
            Err(UNKNOWN_LENGTH) => {}
            known => return Ok(known),
        }
        let around = &numbered.path[at];
        let (of, size) = match &around.tiles {
            Some(tiles) => (tiles.number, tiles.size),
            None => match counted(numbered, at) {
                Some((of, _)) => (of, 1),
                None => return Ok(Err(NO_ITERATOR)),
            },
        };
        Ok(Self::from_zero(numbered, of, size)?.ok_or("a loop through it begins below zero"))
    }

    /// A dimension whose values begin at zero and end nobody knows where; none where they do not begin there.
    pub(crate) fn from_zero(numbered: &Numbered, of: usize, step: i64) -> Result<Option<Self>> {
        let domain = all(&numbered.program.scop, numbered.stmt)?;
        let dim = u32::try_from(of).unwrap_or(u32::MAX);
        let begins = domain.is_subset(&domain.lower_bound_si(DimType::SET, dim, 0)?)?;
        Ok(begins.then_some(Self { of, step, from: None, least: 0, extent: None }))
    }

    /// The dimension of a buffer that has a place for all values of a dimension of a statement.
    pub(crate) fn whole(
        numbered: &Numbered,
        of: usize,
        step: i64,
    ) -> Result<std::result::Result<Self, &'static str>> {
        let domain = all(&numbered.program.scop, numbered.stmt)?;
        let known = bounds(&domain, of)?;
        let known =
            known.map(|(least, most)| (least, most.saturating_sub(least).saturating_add(1)));
        let Some((least, extent)) = known.filter(|(_, extent)| *extent <= MOST_VALUES) else {
            return Ok(Err(UNKNOWN_LENGTH));
        };
        Ok(Ok(Self { of, step, from: None, least, extent: Some(extent) }))
    }
}

/// The iterator that a loop around a statement counts, with the loop's dates.
fn counted(numbered: &Numbered, at: usize) -> Option<(usize, &Affine)> {
    let row = numbered.path[at].row.as_ref()?;
    let of = iterator(Some(row))?;
    let value = Affine::of(&numbered.program.scop.stmts()[numbered.stmt].iterators[of].value);
    value.is_ok_and(|value| value.is_some_and(|value| value.is_exactly(of))).then_some((of, row))
}

/// The most values that a bound on a loop's variable says something of: of more, the type alone is known.
pub(crate) const MOST_VALUES: i64 = i32::MAX as i64 / 2;

/// Several buffers that iterations of a loop have in turn: iteration number `v` has number `v mod n`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    /// The dimension of the statement that is the number of the iteration.
    of: usize,
    /// How far apart the values of its iterator are.
    step: i64,
    /// How many buffers there are.
    n: i64,
}

impl Turns {
    /// The turns of `n` buffers in a loop around a statement; why there are none.
    pub(crate) fn along(
        numbered: &Numbered,
        at: usize,
        n: i64,
    ) -> Result<std::result::Result<Self, &'static str>> {
        let (of, step) = match &numbered.path[at].tiles {
            Some(tiles) => (tiles.number, tiles.size),
            None => match counted(numbered, at) {
                Some((of, _)) => (of, 1),
                None => return Ok(Err("the loop whose iterations take turns counts no iterator")),
            },
        };
        // The remainder of a negative number is none in C.
        let begins = Axis::from_zero(numbered, of, step)?;
        Ok(begins.map(|_| Self { of, step, n }).ok_or("iterations that take turns are negative"))
    }
}

/// A buffer in the making.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub(crate) array: ArrayId,
    pub(crate) name: String,
    pub(crate) axes: Vec<Axis>,
    /// In front of these dimensions, one of several buffers.
    pub(crate) turns: Option<Turns>,
}

/// A statement with some of the dimensions of another one.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) domain: Set,
    /// The dimensions of the other statement.
    pub(crate) kept: Vec<usize>,
}

impl Part {
    /// The statement itself.
    pub(crate) fn whole(stmt: &Statement) -> Self {
        let (name, domain) = (stmt.name.clone(), stmt.domain.clone());
        Self { name, domain, kept: (0..stmt.depth()).collect() }
    }

    /// Another statement with an instance for each value that these dimensions have.
    pub(crate) fn projected(scop: &Scop, stmt: StmtId, name: &str, kept: &[usize]) -> Result<Self> {
        let mut domain = all(scop, stmt)?;
        for at in (0..scop.stmts()[stmt].depth()).rev().filter(|at| !kept.contains(at)) {
            domain = domain.project_out(DimType::SET, u32::try_from(at).unwrap_or(u32::MAX), 1)?;
        }
        let domain = domain.with_tuple_name(name)?.detect_equalities()?.coalesce()?;
        Ok(Self { name: name.to_owned(), domain, kept: kept.to_vec() })
    }

    /// Where it has a dimension.
    pub(crate) fn place(&self, at: usize) -> Option<usize> {
        self.kept.iter().position(|kept| *kept == at)
    }

    /// A dimension as a function of the instance; zero where it has none.
    pub(crate) fn value(&self, at: usize) -> Result<PwAff> {
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
    pub(crate) fn row(&self, row: &Affine) -> Option<Affine> {
        let places: Vec<_> = (0..row.dims.len()).map(|at| self.place(at)).collect();
        row.moved(&places, self.kept.len())
    }

    /// A row as a function of the instance.
    pub(crate) fn dates(&self, row: &Affine) -> Result<Option<PwAff>> {
        let Some(row) = self.row(row) else { return Ok(None) };
        Ok(Some(row.to_aff(&self.domain.space()?)?.to_pw_aff()?))
    }
}

/// An extent that depends on nothing.
pub(crate) fn constant(extent: i64) -> Result<PwAff> {
    Ok(format!("{{ [] -> [({extent})] }}").parse::<PwAff>()?)
}

impl Buffer {
    /// A buffer of so many elements, which is added to the arrays, with a name like `wanted`. Extents that depend on parameters come from
    /// [`extend`](Self::extend).
    pub(crate) fn new(
        scop: &Scop,
        builder: &mut ScopBuilder,
        wanted: &str,
        element: &ElementType,
        axes: Vec<Axis>,
    ) -> Result<Self> {
        Self::in_turns(scop, builder, wanted, element, (axes, None))
    }

    /// As [`new`](Self::new), several buffers that iterations have in turn where that is said.
    pub(crate) fn in_turns(
        scop: &Scop,
        builder: &mut ScopBuilder,
        wanted: &str,
        element: &ElementType,
        (axes, turns): (Vec<Axis>, Option<Turns>),
    ) -> Result<Self> {
        let mut names = NameGenerator::new(scop.names());
        let wanted = identifier(wanted);
        // The generated code calls what a large buffer lies in by its name and `_`.
        let mut name = names.fresh(&wanted);
        while names.fresh(&format!("{name}_")) != format!("{name}_") {
            name = names.fresh(&wanted);
        }
        let mut extents = Vec::new();
        if let Some(turns) = &turns {
            extents.push(Some(constant(turns.n)?));
        }
        for axis in &axes {
            extents.push(axis.extent.map(constant).transpose()?);
        }
        let array = builder.arrays.push(Array {
            name: name.clone(),
            source_name: name.clone(),
            element: element.clone(),
            extents,
            scope: ArrayScope::Buffer,
            is_live_in: false,
            is_live_out: false,
            declaration: None,
            reduction: None,
            span: None,
        });
        Ok(Self { array, name, axes, turns })
    }

    /// Gives the buffer the extents that its users need where they depend on parameters; `false` where they cannot be told.
    pub(crate) fn extend(&self, numbered: &Numbered, builder: &mut ScopBuilder) -> Result<bool> {
        if self.axes.iter().all(|axis| axis.extent.is_some()) {
            return Ok(true);
        }
        let scop = &numbered.program.scop;
        let whole = Part::whole(&scop.stmts()[numbered.stmt]);
        let cells = self.access(&whole, AccessKind::Read)?.relation;
        let cells = cells.intersect_domain(&all(scop, numbered.stmt)?)?.range()?;
        let n_turns = self.n_turning();
        let Some(extents) = extents_of(&cells, n_turns + self.axes.len())? else {
            return Ok(false);
        };
        let places = extents.into_iter().enumerate().skip(n_turns).zip(&self.axes);
        for ((at, extent), axis) in places {
            // Where the number of places is known, it is no larger for small sizes.
            builder.arrays[self.array].extents[at] = Some(match axis.extent {
                Some(known) => constant(known)?,
                None => extent,
            });
        }
        Ok(true)
    }

    /// How many dimensions stand in front of those that loops run through.
    pub(crate) fn n_turning(&self) -> usize {
        usize::from(self.turns.is_some())
    }

    /// The access of `part` to its element of the buffer.
    pub(crate) fn access(&self, part: &Part, kind: AccessKind) -> Result<Access> {
        let (mut values, mut subscripts) = (Vec::new(), Vec::new());
        if let Some(turns) = &self.turns {
            values.push(remainder(&part.value(turns.of)?, turns.n)?);
            let number = match turns.step {
                1 => iterator_of(part, turns.of),
                step => binary(BinaryOp::Div, iterator_of(part, turns.of), Expr::int(step)),
            };
            subscripts.push(binary(BinaryOp::Rem, number, Expr::int(turns.n)));
        }
        for axis in &self.axes {
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
        let relation = relation(&part.domain.space()?, &self.name, &values)?;
        Ok(Access { array: self.array, kind, relation, subscripts, span: None })
    }
}

/// A subscript of a buffer: the distance from where its dimension begins. The values of iterators of tiles are first elements.
fn subscript(part: &Part, axis: &Axis) -> Expr {
    let mut offset = iterator_of(part, axis.of);
    if let Some((from, _)) = axis.from {
        offset = binary(BinaryOp::Sub, offset, iterator_of(part, from));
    }
    if axis.step != 1 {
        offset = binary(BinaryOp::Div, offset, Expr::int(axis.step));
    }
    if axis.least != 0 {
        offset = binary(BinaryOp::Sub, offset, Expr::int(axis.least));
    }
    offset
}

/// What is left of a number that is divided by another one.
fn remainder(number: &PwAff, by: i64) -> Result<PwAff> {
    let by = Val::int(by)?;
    let whole = number.scale_down_val(&by)?.floor()?;
    Ok(number.sub(&whole.scale_val(&by)?)?)
}

/// The iterator of a dimension; zero where the part has none.
fn iterator_of(part: &Part, at: usize) -> Expr {
    match part.place(at) {
        Some(at) => Expr::Iterator(u32::try_from(at).unwrap_or(u32::MAX)),
        None => Expr::int(0),
    }
}

/// An operation on two values.
fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// The relation from instances in `space` to the elements of `array` at `values`.
pub(crate) fn relation(space: &Space, array: &str, values: &[PwAff]) -> Result<Map> {
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

/// The least and the greatest value of a dimension, where numbers bound it.
fn bounds(domain: &Set, at: usize) -> Result<Option<(i64, i64)>> {
    let at = i32::try_from(at).unwrap_or(i32::MAX);
    let domain = domain.project_out_all_params()?;
    if domain.is_empty()? {
        return Ok(None);
    }
    let (least, most) = (domain.dim_min_val(at)?, domain.dim_max_val(at)?);
    Ok(least.to_small_int()?.zip(most.to_small_int()?))
}

/// The dimension that a row counts.
pub(crate) fn iterator(row: Option<&Affine>) -> Option<usize> {
    let row = row?;
    (0..row.dims.len()).find(|at| row.is_shifted(*at))
}
