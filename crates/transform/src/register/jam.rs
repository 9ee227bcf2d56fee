//! Register tiles of columns alone: sums side by side in vector lanes, each of which adds several rows at once.

use super::Tiling;
use super::plan::sums;
use super::rows::is_product;
use super::sizes::Columns;
use crate::affine::Affine;
use crate::extent::is_long;
use crate::tile::tile_member;
use crate::{Remark, Result, stmt_names};
use farkas_poly::{UnionPwAff, UnionSet};
use farkas_scop::{AccessId, BodyStmt, Expr, Statement, StmtId, Stride};
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};

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
        let Some(jam) = self.jam(band, child, instances)? else { return Ok(None) };
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
            let Some(target) = target(stmt).filter(|_| n == loops.len()) else { return Ok(None) };
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
    let one = |member: &Member, child| {
        ScheduleTree::band(Band { members: vec![member.clone()], permutable: false }, child)
    };
    ScheduleTree::mark(Mark::Vector, one(lanes, ScheduleTree::mark(Mark::Unroll, one(rows, body))))
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
