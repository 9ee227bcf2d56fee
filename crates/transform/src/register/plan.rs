//! What becomes of a nest: which loops make its register tile, and what is packed.

use super::operands::{Finder, Loops, Operand, Side};
use super::sizes::{Extents, Registers, Sizes};
use crate::{Error, Result};
use farkas_analysis::{Affine, extent, spread};
use farkas_base::IdVec;
use farkas_deps::{DependenceOptions, FlowBy};
use farkas_poly::{Aff, DimType, MultiUnionPwAff, Set, UnionPwAff, UnionSet};
use farkas_scop::{AccessId, BinaryOp, BodyStmt, ElementKind, Expr, Scop, StmtId, step};
use farkas_steps::summed;
use farkas_tree::Member;

/// Loops around one statement, each inside the one before, with nothing beside it.
pub(super) struct Nest<'a> {
    pub(super) scop: &'a Scop,
    pub(super) stmt: StmtId,
    /// The instances in it.
    pub(super) instances: UnionSet,
    /// The members around the nest, and its own.
    pub(super) outer: &'a [Member],
    pub(super) members: Vec<Member>,
}

/// What becomes of a nest.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) loops: Loops,
    pub(super) sizes: Sizes,
    /// Whether the depth of a row does not depend on the row.
    pub(super) has_one_length: bool,
    /// Of each of the nest's own loops that are not tiled, whether its iterations may run in any order.
    pub(super) others: Vec<bool>,
    pub(super) operands: Vec<Operand>,
}

/// The fewest iterations that sums stay in registers for are half of these.
const MIN_DEPTH: i64 = 8;

/// Why register tiles do not fit a nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Misfit {
    /// Processors compute with sums of its type one at a time.
    NoLanes,
    /// Other loops depend on those of the tile, or these do not count an iterator.
    Bounds,
    /// Compilers sum up several narrow products along this iterator in a lane.
    Narrow(usize),
    /// Each product is converted before it is added, which takes longer than loads and stores of sums.
    Converts,
    /// The loop along this iterator has too few iterations.
    Short(usize),
}

impl Misfit {
    /// What is told of it.
    pub(super) fn told(self, scop: &Scop, stmt: StmtId) -> String {
        let name =
            |at: usize| scop.stmts()[stmt].iterators.get(at).map_or("?", |i| i.name.as_str());
        match self {
            Self::NoLanes => "no register tiles: no vector arithmetic on its type".to_owned(),
            Self::Bounds => "no register tiles: its loops bound others".to_owned(),
            Self::Narrow(at) => format!(
                "no register tiles: both operands are narrow and lie along {}, where vectors sum up several products a lane",
                name(at)
            ),
            Self::Converts => "no register tiles: each product is converted".to_owned(),
            Self::Short(at) => format!("no register tiles: {} has too few iterations", name(at)),
        }
    }
}

impl Plan {
    /// The plan of `nest`; `None` where register tiles do not fit it. Tiles without columns come second: they use no operand twice.
    pub(super) fn of(nest: &Nest<'_>, registers: &Registers) -> Result<Option<Self>> {
        let Some(search) = Search::of(nest)? else { return Ok(None) };
        match search.tiles(registers)? {
            Some(plan) => Ok(Some(plan)),
            None => search.row_tiles(registers),
        }
    }

    /// The plan of `nest` without columns; `None` where there is none.
    pub(super) fn of_rows(nest: &Nest<'_>, registers: &Registers) -> Result<Option<Self>> {
        let Some(search) = Search::of(nest)? else { return Ok(None) };
        search.row_tiles(registers)
    }

    /// Why register tiles do not fit a nest that sums up products with operands that each side of a tile would use again; `None` where it is
    /// no such nest.
    pub(super) fn misfit(nest: &Nest<'_>, registers: &Registers) -> Result<Option<Misfit>> {
        let Some(search) = Search::of(nest)? else { return Ok(None) };
        match search.products().first() {
            Some((loops, operands)) => search.misfit(*loops, operands, registers),
            None => Ok(None),
        }
    }

    /// The plan of `nest` with packed operands; `None` where there is none.
    pub(super) fn packed(nest: &Nest<'_>, registers: &Registers) -> Result<Option<Self>> {
        let Some(search) = Search::of(nest)? else { return Ok(None) };
        search.tiles(registers)
    }
}

impl Plan {
    /// Whether the loops of register tiles carry no dependence among the instances of one iteration of the loops around the nest:
    /// in it, these loops become the inner ones, whichever they were. And whether sums are read as nothing but sums while they are
    /// in registers: `w[i][i] += w[i][j]` reads its sum as an operand where `j = i`.
    pub(super) fn is_free(&self, nest: &Nest<'_>) -> Result<bool> {
        if self.reads_its_sums(nest)? {
            return Ok(false);
        }
        let space = nest.scop.stmts()[nest.stmt].domain.space()?;
        let mut sides = Vec::new();
        for member in &nest.members {
            let row = Affine::of(&member.schedule.extract_pw_aff(&space)?)?;
            let of_tile = [Some(self.loops.row), self.loops.column];
            let is_side =
                |row: &Affine| of_tile.into_iter().flatten().any(|side| row.is_shifted(side));
            if row.is_some_and(|row| is_side(&row)) {
                sides.push(member);
            }
        }
        nest.is_free_along(&sides)
    }

    /// Whether an access that is no sum touches a sum of the same iterations of all loops but the one that sums up.
    fn reads_its_sums(&self, nest: &Nest<'_>) -> Result<bool> {
        let stmt = &nest.scop.stmts()[nest.stmt];
        let [BodyStmt::Assign { target, .. }] = stmt.body.as_slice() else { return Ok(false) };
        let written = &stmt.accesses[*target];
        let own = summed(stmt, *target)?.unwrap_or_default();
        let Some(domain) = nest.instances.sets()?.into_iter().next() else { return Ok(false) };
        let sums = written.relation.intersect_domain(&domain)?;
        let depth = i32::try_from(self.loops.depth).unwrap_or(i32::MAX);
        let n = i32::try_from(domain.dim(DimType::SET)?).unwrap_or(i32::MAX);
        for (id, access) in stmt.accesses.iter_enumerated() {
            if access.array != written.array || own.contains(&id) {
                continue;
            }
            let operands = access.relation.intersect_domain(&domain)?;
            let mut pairs = sums.apply_range(&operands.reverse()?)?;
            for at in (0..n).filter(|at| *at != depth) {
                pairs = pairs.equate(DimType::In, at, DimType::Out, at)?;
            }
            if !pairs.is_empty()? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Nest<'_> {
    /// Whether members carry no dependence among the statement's instances of one iteration of the loops around the nest.
    pub(super) fn is_free_along(&self, members: &[&Member]) -> Result<bool> {
        let mut builder = self.scop.to_builder();
        builder.stmts = std::iter::once(self.scop.stmts()[self.stmt].clone()).collect();
        let alone = builder.build().map_err(Error::Scop)?;
        let choice = DependenceOptions { flow: FlowBy::Memory, input: false };
        let deps = match farkas_deps::dependences(&alone, choice) {
            Ok(deps) => deps,
            Err(error @ (farkas_deps::Error::Poly(_) | farkas_deps::Error::OutOfBudget)) => {
                return Err(error.into());
            }
            Err(_) => return Ok(false),
        };
        let around: Vec<UnionPwAff> = self.outer.iter().map(|m| m.schedule.clone()).collect();
        let around = MultiUnionPwAff::from_members(&around)?;
        for member in members {
            let date = MultiUnionPwAff::from_members(std::slice::from_ref(&member.schedule))?;
            for dep in &deps.deps {
                let mut pairs = dep.relation.to_union_map()?;
                if !self.outer.is_empty() {
                    pairs = pairs.eq_at_multi_union_pw_aff(&around)?;
                }
                if !pairs.is_subset(&pairs.eq_at_multi_union_pw_aff(&date)?)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// How many iterations an iterator has at most in one iteration of the loops around the nest; none where parameters decide.
pub(super) fn iterations(nest: &Nest<'_>, at: usize) -> Result<Option<i64>> {
    let space = nest.scop.stmts()[nest.stmt].domain.space()?;
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    let mut values = Aff::var_on_domain(&space, DimType::SET, at)?.to_pw_aff()?.to_map()?;
    values = values.intersect_domain(&nest.instances.extract_set(&space)?)?;
    let mut around = Set::universe(&space)?.identity()?;
    around = around.project_out(DimType::Out, 0, around.dim(DimType::Out)?)?;
    for member in nest.outer {
        let date = member.schedule.extract_pw_aff(&space)?;
        if date.n_piece()? > 0 {
            around = around.flat_range_product(&date.to_map()?)?;
        }
    }
    Ok(spread(&around.reverse()?.apply_range(&values)?)?.map(|spread| spread.saturating_add(1)))
}

/// Whether the row is that of one of the loops.
fn is_of(row: &Affine, loops: Loops) -> bool {
    loops.all().any(|at| row.is_shifted(at))
}

/// Whether the row depends on one of the loops.
fn involves(row: &Affine, loops: Loops) -> bool {
    loops.all().any(|at| row.involves(at))
}

/// The rows of members on the statement; those that do not schedule it have none. `None` where one is not affine.
pub(super) fn member_rows(nest: &Nest<'_>, members: &[Member]) -> Result<Option<Vec<Affine>>> {
    let space = nest.scop.stmts()[nest.stmt].domain.space()?;
    let mut rows = Vec::new();
    for member in members {
        let date = member.schedule.extract_pw_aff(&space)?;
        if date.n_piece()? == 0 {
            continue;
        }
        match Affine::of(&date)? {
            Some(row) => rows.push(row),
            None => return Ok(None),
        }
    }
    Ok(Some(rows))
}

/// The values of the user's iterators as rows; `None` where one is not affine.
fn values(nest: &Nest<'_>) -> Result<Option<Vec<Affine>>> {
    let mut values = Vec::new();
    for iterator in &nest.scop.stmts()[nest.stmt].iterators {
        match Affine::of(&iterator.value)? {
            Some(row) => values.push(row),
            None => return Ok(None),
        }
    }
    Ok(Some(values))
}

/// The search for loops: what is known of a nest of one assignment whose target no iteration of some loop moves, the sums.
pub(super) struct Search<'a> {
    pub(super) nest: &'a Nest<'a>,
    pub(super) target: AccessId,
    pub(super) kind: ElementKind,
    pub(super) subscripts: IdVec<AccessId, Option<Vec<Affine>>>,
    pub(super) sums: Vec<AccessId>,
    /// The rows of the nest's loops.
    pub(super) rows: Vec<Affine>,
    /// Those of the loops around it.
    around: Vec<Affine>,
    values: Vec<Affine>,
}

/// The loops along which a target moves, the outermost first, and the innermost along which it does not.
pub(super) struct Directions {
    pub(super) moving: Vec<usize>,
    pub(super) depth: usize,
}

impl<'a> Search<'a> {
    /// What is known of `nest`; `None` where it has no sums.
    fn of(nest: &'a Nest<'a>) -> Result<Option<Self>> {
        let stmt = &nest.scop.stmts()[nest.stmt];
        let [BodyStmt::Assign { target, .. }] = stmt.body.as_slice() else {
            return Ok(None);
        };
        let target = *target;
        let kind = nest.scop.arrays()[stmt.accesses[target].array].element.kind;
        let mut subscripts = IdVec::new();
        for access in &stmt.accesses {
            subscripts.push(Affine::of_relation(&access.relation)?);
        }
        let Some(sums) = summed(stmt, target)? else { return Ok(None) };
        let Some(rows) = member_rows(nest, &nest.members)? else { return Ok(None) };
        let Some(around) = member_rows(nest, nest.outer)? else { return Ok(None) };
        let Some(values) = values(nest)? else { return Ok(None) };
        Ok(Some(Self { nest, target, kind, subscripts, sums, rows, around, values }))
    }

    /// The plan with packed operands; `None` where there is none.
    ///
    /// It takes one loop along which the target is contiguous, if there is one, for the lanes, and one along which it moves otherwise, for the
    /// rows; both without dependences; and operands that are the same along one of them.
    fn tiles(&self, registers: &Registers) -> Result<Option<Plan>> {
        let mut best: Option<(Loops, Vec<Operand>)> = None;
        for product in self.products() {
            let (loops, operands) = product;
            let fits = self.misfit(loops, &operands, registers)?.is_none();
            if fits && best.as_ref().is_none_or(|(_, others)| operands.len() >= others.len()) {
                best = Some((loops, operands));
            }
        }
        let Some((loops, operands)) = best else { return Ok(None) };
        let n_of = |side| operands.iter().filter(|operand| operand.side == side).count();
        let extents = self.extents(loops)?;
        let extents = Extents { depth: iterations(self.nest, loops.depth)?, ..extents };
        let Some(sizes) = Sizes::of(registers, self.kind, extents) else { return Ok(None) };
        let sizes = sizes.shared(n_of(Side::Rows), n_of(Side::Columns));
        Ok(Some(self.plan(loops, sizes, true, operands)))
    }

    /// The loops of which a register tile has operands for its rows and for its columns, with these.
    fn products(&self) -> Vec<(Loops, Vec<Operand>)> {
        let stmt = &self.nest.scop.stmts()[self.nest.stmt];
        let [BodyStmt::Assign { value, .. }] = stmt.body.as_slice() else { return Vec::new() };
        let operands = |loops| {
            let (arrays, subscripts, sums) =
                (self.nest.scop.arrays(), &self.subscripts, &self.sums);
            Finder { stmt, arrays, subscripts, sums, loops }.operands(value)
        };
        let found = self.candidates().into_iter().map(|loops| (loops, operands(loops)));
        let has = |of: &[Operand], side| of.iter().any(|operand| operand.side == side);
        found.filter(|(_, of)| has(of, Side::Rows) && has(of, Side::Columns)).collect()
    }

    /// Why a register tile of these loops does not fit; `None` where it does.
    fn misfit(
        &self,
        loops: Loops,
        operands: &[Operand],
        registers: &Registers,
    ) -> Result<Option<Misfit>> {
        if Sizes::of(registers, self.kind, Extents::default()).is_none() {
            return Ok(Some(Misfit::NoLanes));
        }
        if !self.may_take(loops) {
            return Ok(Some(Misfit::Bounds));
        }
        if self.is_summed_narrow(loops, operands) {
            return Ok(Some(Misfit::Narrow(loops.depth)));
        }
        if self.converts_products() {
            return Ok(Some(Misfit::Converts));
        }
        let extents = self.extents(loops)?;
        let Some(sizes) = Sizes::of(registers, self.kind, extents) else {
            let is_short = extents.rows.is_some_and(|n| n < 2);
            let short = is_short.then_some(loops.row).or(loops.column);
            return Ok(short.map(Misfit::Short));
        };
        let least = [(Some(loops.row), sizes.rows), (loops.column, sizes.columns)];
        for (at, least) in least.into_iter().chain([(Some(loops.depth), MIN_DEPTH)]) {
            let Some(at) = at else { continue };
            if self.is_too_short(&[(at, least)])? {
                return Ok(Some(Misfit::Short(at)));
            }
        }
        Ok(None)
    }

    /// Whether all operands are integers that widen, one after another along the loop that sums up: compilers sum up several of them in each
    /// lane of one instruction, which no tile of sums side by side can use.
    fn is_summed_narrow(&self, loops: Loops, operands: &[Operand]) -> bool {
        let bytes = self.kind.size_bytes().unwrap_or(0);
        let scop = self.nest.scop;
        let stmt = &scop.stmts()[self.nest.stmt];
        let mut fits = self.kind.is_integer();
        for operand in operands {
            operand.expr.walk(&mut |e| {
                if let Expr::Access(access) = e {
                    let kind = scop.arrays()[stmt.accesses[*access].array].element.kind;
                    let own = kind.size_bytes().unwrap_or(bytes);
                    fits &= kind.is_integer() && 2 * own <= bytes.min(4);
                    fits &= matches!(self.step(*access, loops.depth), Some(0 | 1));
                }
            });
        }
        fits
    }

    /// Whether each product is converted before it is added: to another kind of number, or to a wider integer.
    fn converts_products(&self) -> bool {
        let stmt = &self.nest.scop.stmts()[self.nest.stmt];
        let [BodyStmt::Assign { value, .. }] = stmt.body.as_slice() else { return false };
        let mut converts = false;
        value.walk(&mut |e| {
            if let Expr::Binary(BinaryOp::Mul, ..) = e
                && let Some(kind) = stmt.kind_of(self.nest.scop.arrays(), e)
            {
                converts |= match kind.is_integer() && self.kind.is_integer() {
                    true => kind.size_bytes() < self.kind.size_bytes(),
                    false => kind != self.kind,
                };
            }
        });
        converts
    }

    /// How many iterations the loops of the tile have at most, where that is known.
    fn extents(&self, loops: Loops) -> Result<Extents> {
        let columns = loops.column.map(|at| self.extent(at)).transpose()?.flatten();
        Ok(Extents { rows: self.extent(loops.row)?, columns, depth: None })
    }

    /// How many iterations the loop along an iterator has at most, where that is known.
    fn extent(&self, at: usize) -> Result<Option<i64>> {
        let mut members = self.rows.iter().zip(&self.nest.members);
        match members.find(|(row, _)| row.is_shifted(at)) {
            Some((_, member)) => Ok(extent(member, &self.nest.instances)?),
            None => Ok(None),
        }
    }

    /// The plan with these loops.
    pub(super) fn plan(
        &self,
        loops: Loops,
        sizes: Sizes,
        has_one_length: bool,
        operands: Vec<Operand>,
    ) -> Plan {
        let others = self.rows.iter().zip(&self.nest.members);
        let others = others.filter(|(row, _)| !is_of(row, loops));
        let others = others.map(|(_, member)| member.coincident);
        Plan { loops, sizes, has_one_length, others: others.collect(), operands }
    }

    /// Whether the user's iterators count these loops, and no other loop depends on them.
    pub(super) fn may_take(&self, loops: Loops) -> bool {
        let mut others = self.around.iter().chain(self.rows.iter().filter(|r| !is_of(r, loops)));
        loops.all().all(|at| self.values[at].is_exactly(at))
            && !others.any(|row| involves(row, loops))
    }

    /// The loops by what they do to the target; those along which it moves have no dependence.
    pub(super) fn directions(&self) -> Option<Directions> {
        let target = self.subscripts[self.target].as_ref()?;
        let (mut moving, mut depth) = (Vec::new(), None);
        for (row, member) in self.rows.iter().zip(&self.nest.members) {
            let Some(at) = (0..row.dims.len()).find(|at| row.is_shifted(*at)) else { continue };
            if target.iter().any(|subscript| subscript.involves(at)) {
                moving.extend(member.coincident.then_some(at));
            } else {
                depth = Some(at);
            }
        }
        Some(Directions { moving, depth: depth? })
    }

    /// The loops that a register tile may have, the outermost rows first. Where sums do not lie one after another along any loop, each may
    /// run in vector lanes: sums are loaded and stored once for many products.
    fn candidates(&self) -> Vec<Loops> {
        let Some(Directions { moving, depth }) = self.directions() else { return Vec::new() };
        let mut candidates = Vec::new();
        let is_along = |at: &usize| self.step(self.target, *at) == Some(1);
        let is_anywhere = !moving.iter().any(is_along);
        for &column in moving.iter().filter(|at| is_anywhere || is_along(at)) {
            let rows = moving.iter().filter(|row| **row != column);
            candidates.extend(rows.map(|row| Loops { row: *row, column: Some(column), depth }));
        }
        candidates
    }

    /// How far an access moves along an iterator, within the innermost dimension of its array.
    pub(super) fn step(&self, access: AccessId, at: usize) -> Option<i64> {
        let subscripts: Vec<Vec<i64>> =
            self.subscripts[access].as_ref()?.iter().map(|row| row.dims.clone()).collect();
        let mut direction = vec![0; self.values.len()];
        *direction.get_mut(at)? = 1;
        step(&subscripts, &direction)
    }

    /// Whether a loop is known to have no more than half of the iterations that a tile is to have: most of it would be padding.
    pub(super) fn is_too_short(&self, least: &[(usize, i64)]) -> Result<bool> {
        for (at, least) in least {
            if self.extent(*at)?.is_some_and(|extent| extent.saturating_mul(2) <= *least) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
