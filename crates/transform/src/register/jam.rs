//! Register tiles of columns alone: sums side by side in vector lanes, each of which adds several rows at once.

use super::Tiling;
use super::plan::sums;
use super::rows::is_product;
use super::sizes::{Columns, Registers};
use crate::descent::{Descent, n_marks_above, nest};
use crate::index_sets::{divided, one};
use crate::plan::{Draft, mark};
use crate::planner::{Plans, Proposal, Setting, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::{Affine, StrideModel, is_long, is_long_within};
use farkas_machine::Machine;
use farkas_poly::{UnionPwAff, UnionSet};
use farkas_scop::{AccessId, BodyStmt, Expr, Scop, Statement, StmtId, Stride};
use farkas_steps::{Interchange, LoopAddress, LoopKind, Step, Tile, tile_member};
use farkas_tree::{Band, Cursor, Mark, Member, Node, Program, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Statements whose rows are written out together, at most: all that they use has to stay in registers.
const MAX_STMTS: usize = 3;

/// Two loops around statements that sum something up along one of them.
struct Jam<'a> {
    /// The loop in vector lanes, along which the sums lie side by side.
    lanes: &'a Member,
    /// The loop that sums up.
    depth: &'a Member,
    /// What is in them, without loops.
    body: &'a ScheduleTree,
    sizes: Columns,
}

impl Tiling<'_> {
    /// The nest at `tree` with several iterations of the loop that sums up inside the one in vector lanes; `None` where that does
    /// not fit it.
    ///
    /// **Rewrite**: loops `i, j` around `y[j] += A[i][j] * x[i]` become loops over blocks of `j`, in them over strips of `i`, in
    /// them over `j` in vector lanes, in them over the rows of the strip: a sum is loaded and stored once a strip, and `A` comes in
    /// several streams. The loop in lanes carries nothing, so it may stand anywhere in its band, and blocks of it be cut off.
    ///
    /// **Paper** D. Callahan, S. Carr, K. Kennedy, *Improving register allocation for subscripted variables*, PLDI 1990, where this
    /// is called unroll-and-jam.
    pub(super) fn jammed(
        &mut self,
        tree: &ScheduleTree,
        instances: &UnionSet,
    ) -> Result<Option<ScheduleTree>> {
        let Node::Band { band, child } = tree.node() else { return Ok(None) };
        let Some(jam) = self.site().jam(band, child, instances)? else { return Ok(None) };
        let mut tree = jam.strip()?;
        let is_parallel = self.parallel && !self.outer.iter().any(|member| member.coincident);
        let blocks =
            Band { members: vec![tile_member(jam.lanes, jam.sizes.columns)?], permutable: true };
        tree = ScheduleTree::band(blocks, ScheduleTree::mark(Mark::Point, tree));
        if is_parallel {
            tree = ScheduleTree::mark(Mark::Parallel, tree);
        }
        tree = ScheduleTree::mark(Mark::Tile(vec![jam.sizes.columns]), tree);
        let text = format!(
            "sums of {} rows at once, in vector lanes, in blocks of {} columns",
            jam.sizes.rows, jam.sizes.columns
        );
        let stmts = stmt_names(&jam.lanes.schedule.domain()?)?;
        self.remarks.push(Remark { pass: "register", stmts, text });
        Ok(Some(ScheduleTree::mark(Mark::Shaped, tree)))
    }

    /// Where sums across the order of memory are looked for.
    pub(super) fn site(&self) -> Site<'_> {
        let Self { scop, strides, registers, outer, .. } = self;
        Site { scop, strides, registers: *registers, outer: outer.clone() }
    }
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
    fn jam<'a>(
        &self,
        band: &'a Band,
        body: &'a ScheduleTree,
        instances: &UnionSet,
    ) -> Result<Option<Jam<'a>>> {
        let (lanes, depth) = match &band.members[..] {
            [one, other] if one.coincident && !other.coincident => (one, other),
            [one, other] if !one.coincident && other.coincident => (other, one),
            _ => return Ok(None),
        };
        if body.contains_band() {
            return Ok(None);
        }
        let sizes = self.columns(lanes, depth, instances)?;
        Ok(sizes.map(|sizes| Jam { lanes, depth, body, sizes }))
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

impl Jam<'_> {
    /// The loops inside a block of columns.
    fn strip(&self) -> Result<ScheduleTree> {
        let points = in_lanes(self.lanes, self.depth, self.body.clone());
        let strips =
            Band { members: vec![tile_member(self.depth, self.sizes.rows)?], permutable: true };
        let strips = ScheduleTree::band(strips, ScheduleTree::mark(Mark::Point, points));
        let strips = ScheduleTree::mark(Mark::Tile(vec![self.sizes.rows]), strips);
        Ok(ScheduleTree::mark(Mark::SeparateFullTiles, strips))
    }
}

/// A loop in vector lanes, with the rows of a strip written out in it.
pub(super) fn in_lanes(lanes: &Member, rows: &Member, body: ScheduleTree) -> ScheduleTree {
    let rows = ScheduleTree::mark(Mark::Unroll, one(rows.clone(), body));
    ScheduleTree::mark(Mark::Vector, one(lanes.clone(), rows))
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
    Ok(stays(&target) && sums(stmt, target)?.is_some() && !ids.iter().all(stays))
}
