//! Register tiles of columns alone: sums side by side in vector lanes, each of which adds several rows at once.

use super::rows::is_product;
use super::sizes::{Columns, Registers};
use crate::descent::{Descent, n_marks_above, nest};
use crate::index_sets::divided;
use crate::plan::{Draft, mark};
use crate::view::{Plans, Proposal, Setting, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::{Affine, StrideModel, is_long, is_long_within};
use farkas_machine::Machine;
use farkas_poly::{UnionPwAff, UnionSet};
use farkas_scop::{AccessId, BodyStmt, Expr, Scop, Statement, StmtId, Stride};
use farkas_steps::{Interchange, LoopAddress, LoopKind, Step, Tile, summed};
use farkas_tree::{Band, Cursor, Mark, Member, Node, Program, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Statements whose rows are written out together, at most: all that they use has to stay in registers.
const MAX_STMTS: usize = 3;

/// Two loops of a band around statements that sum something up along one of them.
pub(super) struct Jam {
    /// The position of the loop in vector lanes, along which the sums lie side by side.
    lanes: usize,
    sizes: Columns,
}

impl Jam {
    /// The steps that give a band several iterations of the loop that sums up inside the one in vector lanes.
    ///
    /// **Steps**: loops `i, j` around `y[j] += A[i][j] * x[i]` become loops over blocks of `j` (`interchange`, `tile`), in them over strips of
    /// `i` (`interchange`, and as [`jam_in_tiles`] from here on), in them over `j` in vector lanes, in them over the rows of the strip: a
    /// sum is loaded and stored once a strip, and `A` comes in several streams. The loop in lanes carries nothing, so it may stand
    /// anywhere in its band, and blocks of it be cut off.
    ///
    /// **Paper** D. Callahan, S. Carr, K. Kennedy, *Improving register allocation for subscripted variables*, PLDI 1990, where this
    /// is called unroll-and-jam.
    pub(super) fn steps(&self, here: &Cursor, parallel: bool, draft: &mut Draft<'_>) -> Result<()> {
        let blocks = here.ancestor(n_marks_above(draft.tree(), here)).child(0);
        if self.lanes != 0 {
            draft.apply(exchanged(here))?;
        }
        let first = LoopAddress::member(here.clone(), 0);
        draft.apply(Step::Tile(Tile { first, sizes: vec![self.sizes.columns] }))?;
        let points = blocks.child(0).child(0);
        draft.apply(exchanged(&points))?;
        Strip { here: points, rows: self.sizes.rows, stmts: Vec::new() }.jam(draft)?;
        if parallel {
            draft.apply(mark(&blocks, 0, LoopKind::Parallel))?;
        }
        let top = if parallel { blocks.child(0) } else { blocks };
        draft.apply(mark(&top, 0, LoopKind::Shaped))
    }

    /// What is done to these instances.
    pub(super) fn remark(&self, instances: &UnionSet) -> Result<Remark> {
        let Columns { rows, columns } = self.sizes;
        let text =
            format!("sums of {rows} rows at once, in vector lanes, in blocks of {columns} columns");
        Ok(Remark { pass: "register", stmts: stmt_names(instances)?, text })
    }
}

/// The step that exchanges the first two loops of a band.
fn exchanged(band: &Cursor) -> Step {
    let loops = [1, 0].map(|member| LoopAddress::member(band.clone(), member)).to_vec();
    Step::Interchange(Interchange { loops })
}

/// Sums of several rows at once inside of tiles: [`jam_in_tiles`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JamInTiles {}

impl Plans for JamInTiles {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Setting { scop, machine, .. } = view.setting;
        let Some(deps) = view.setting.kept() else { return Ok(Proposal::Nothing) };
        let descent = Descent { scop, deps, strides: view.strides()? };
        Ok(Proposal::Steps(jam_in_tiles(descent, view.program, machine, remarks)?))
    }
}

/// Gives nests of two loops inside of loops for threads, which sum something up across the order of memory, several rows at once.
///
/// **Steps**: of `band [i, j]`, which sums up along `i`, `i` is cut into strips (`tile`), the loop over a strip goes inside of `j`
/// (`interchange`) and is written out, `j` runs in vector lanes, full strips have code of their own (`mark`):
/// `mark tile; band [s floor(i / s)]; mark point; mark vector; band [j]; mark unroll; band [i]`. As register tiles of columns alone,
/// but without blocks: tiles of loops around are such already. They share code with partial ones then: lanes may run as far as
/// they want to, and partial tiles would have partial strips alone.
///
/// # Errors
/// When isl refuses.
fn jam_in_tiles(
    descent: Descent<'_>,
    program: &Program,
    machine: &Machine,
    remarks: &mut Vec<Remark>,
) -> Result<Plan> {
    let Descent { scop, strides, .. } = descent;
    let sites = descent.sites(&program.tree, &mut |tree, place| {
        let Some((members, _)) = nest(tree) else { return Ok(None) };
        let [depth, lanes] = members[..] else { return Ok(None) };
        if !place.is_in_threads() {
            return Ok(None);
        }
        let registers = Registers::of(machine);
        let site = Site { scop, strides, registers, outer: place.outer.clone() };
        let is_free = divided(&place.pairs, &lanes.schedule)?.1.is_empty();
        let Some(sizes) = site.columns(lanes, depth, &place.instances)?.filter(|_| is_free) else {
            return Ok(None);
        };
        let is_long = is_long_within(depth, &place.outer, &place.instances, sizes.rows)?;
        let stmts = stmt_names(&place.instances)?;
        Ok(is_long.then(|| Strip { here: place.here.clone(), rows: sizes.rows, stmts }))
    })?;
    let mut draft = Draft::new(program, Some(descent.deps));
    let mut whole = BTreeSet::new();
    for strip in sites {
        if draft.attempt(|draft| strip.jam(draft))? {
            whole.extend(apart_above(&program.tree, &strip.here)?);
            let text = format!("sums of {} rows at once, in vector lanes", strip.rows);
            remarks.push(Remark { pass: "register", stmts: strip.stmts, text });
        }
    }
    // Inner ones first, so that outer ones are where they were.
    for tiles in whole.iter().rev() {
        draft.apply(mark(tiles, 0, LoopKind::FullTilesTogether))?;
    }
    Ok(draft.plan(&program.tree))
}

/// Two loops that sum something up along the outer one.
struct Strip {
    /// The band of the outer one; the other one is right inside it, or in the same band.
    here: Cursor,
    /// How many rows are summed up at once.
    rows: i64,
    stmts: Vec<String>,
}

impl Strip {
    /// The steps that jam the rows of a strip.
    fn jam(&self, draft: &mut Draft<'_>) -> Result<()> {
        let Self { here, .. } = self;
        let is_one_band = draft.tree().member(here, 1).is_some();
        let strips = here.ancestor(n_marks_above(draft.tree(), here)).child(0);
        let first = LoopAddress::member(here.clone(), 0);
        draft.apply(Step::Tile(Tile { first, sizes: vec![self.rows] }))?;
        let points = strips.child(0).child(0);
        let inner = if is_one_band { (points.clone(), 1) } else { (points.child(0), 0) };
        let at = |(band, member): &(Cursor, usize)| LoopAddress::member(band.clone(), *member);
        let loops = vec![at(&inner), at(&(points.clone(), 0))];
        draft.apply(Step::Interchange(Interchange { loops }))?;
        draft.apply(mark(&inner.0, inner.1, LoopKind::Unroll))?;
        draft.apply(mark(&points, 0, LoopKind::Vector))?;
        draft.apply(mark(&strips, 0, LoopKind::FullTilesApart))
    }
}

/// The bands above a place of which full tiles are apart.
fn apart_above(tree: &ScheduleTree, at: &Cursor) -> Result<Vec<Cursor>> {
    let (mut here, mut found, mut is_apart) = (Cursor::root(), Vec::new(), false);
    for step in at.steps() {
        match tree.at(&here)?.node() {
            Node::Mark { mark: Mark::SeparateFullTiles, .. } => is_apart = true,
            Node::Mark { .. } => {}
            Node::Band { .. } if is_apart => {
                found.push(here.clone());
                is_apart = false;
            }
            _ => is_apart = false,
        }
        here = here.child(*step);
    }
    Ok(found)
}

/// A place at which sums across the order of memory are looked for.
pub(super) struct Site<'a> {
    pub(super) scop: &'a Scop,
    pub(super) strides: &'a StrideModel,
    pub(super) registers: Registers,
    /// The members around it.
    pub(super) outer: Vec<Member>,
}

impl Site<'_> {
    /// The two loops of a band; `None` where they are no such.
    pub(super) fn jam(
        &self,
        band: &Band,
        body: &ScheduleTree,
        instances: &UnionSet,
    ) -> Result<Option<Jam>> {
        let [one, other] = &band.members[..] else { return Ok(None) };
        if one.coincident == other.coincident || body.contains_band() {
            return Ok(None);
        }
        let (lanes, depth) = if one.coincident { (one, other) } else { (other, one) };
        let sizes = self.columns(lanes, depth, instances)?;
        Ok(sizes.map(|sizes| Jam { lanes: usize::from(!one.coincident), sizes }))
    }

    /// The sizes of register tiles of columns alone for all statements in two loops; `None` where they do not fit these.
    pub(super) fn columns(
        &self,
        lanes: &Member,
        depth: &Member,
        instances: &UnionSet,
    ) -> Result<Option<Columns>> {
        let mut loops = self.outer.clone();
        loops.extend([depth.clone(), lanes.clone()]);
        let Some(stmts) = self.strides.rows_of(&loops)? else { return Ok(None) };
        if stmts.len() > MAX_STMTS {
            return Ok(None);
        }
        let (mut bytes, mut has_sum) = (1, false);
        for (stmt, rows) in &stmts {
            let (id, stmt) = (*stmt, &self.scop.stmts()[*stmt]);
            let n = rows.len();
            let Some(target) = target(stmt).filter(|_| n >= 2) else { return Ok(None) };
            let across = self.strides.strides(id, rows, n - 1);
            let Some(along) = self.strides.strides(id, rows, n - 2) else { return Ok(None) };
            if across.is_none_or(|all| all.contains(&Stride::Strided)) {
                return Ok(None);
            }
            has_sum |= is_sum(stmt, target, &along)?;
            let element = &self.scop.arrays()[stmt.accesses[target].array].element;
            bytes = bytes.max(element.kind.size_bytes().unwrap_or(1));
            if !self.is_rectangle(id, lanes, depth, instances)? {
                return Ok(None);
            }
        }
        let Some(sizes) = Columns::of(&self.registers, bytes).filter(|_| has_sum) else {
            return Ok(None);
        };
        let fits = is_long(depth, instances, sizes.rows)? && is_long(lanes, instances, sizes.rows)?;
        Ok(fits.then_some(sizes))
    }

    /// Whether two loops are iterators of a statement, neither of which bounds the other.
    fn is_rectangle(
        &self,
        stmt: StmtId,
        one: &Member,
        other: &Member,
        instances: &UnionSet,
    ) -> Result<bool> {
        let space = self.scop.stmts()[stmt].domain.space()?;
        let place = |schedule: &UnionPwAff| -> Result<Option<usize>> {
            let row = Affine::of(&schedule.extract_pw_aff(&space)?)?;
            Ok(row.and_then(|row| (0..row.dims.len()).find(|at| row.is_shifted(*at))))
        };
        match (place(&one.schedule)?, place(&other.schedule)?) {
            (Some(one), Some(other)) => is_product(&instances.extract_set(&space)?, one, other),
            _ => Ok(false),
        }
    }
}

/// The access that a statement of one assignment writes, which calls no functions.
fn target(stmt: &Statement) -> Option<AccessId> {
    let [BodyStmt::Assign { target, value, .. }] = stmt.body.as_slice() else { return None };
    let mut has_call = false;
    value.walk(&mut |e| has_call |= matches!(e, Expr::Call(..)));
    (!has_call).then_some(*target)
}

/// Whether a statement adds to what stays along a loop, with these strides, something that does not.
fn is_sum(stmt: &Statement, target: AccessId, along: &[Stride]) -> Result<bool> {
    let ids: Vec<AccessId> = stmt.accesses.ids().collect();
    let stays = |id: &AccessId| {
        ids.iter().zip(along).any(|(at, stride)| at == id && *stride == Stride::Invariant)
    };
    Ok(stays(&target) && summed(stmt, target)?.is_some() && !ids.iter().all(stays))
}
