//! Tiles without wavefronts: tile loops are cut at the tile that all others wait for.

use crate::descent::Descent;
use crate::index_sets::{Dates, divided, inside};
use crate::planner::{Plans, Proposal, View};
use crate::{Remark, Result, stmt_names};
use farkas_analysis::{Affine, StrideModel};
use farkas_poly::{Map, UnionSet};
use farkas_scop::{StmtId, Stride};
use farkas_steps::{Past, sunk};
use farkas_tree::{Band, Mark, Member, Node, OneThread, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loops over tiles cut at the tile that all others wait for: [`split_tiles`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitTiles {}

impl Plans for SplitTiles {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Some(deps) = view.setting.kept() else { return Ok(Proposal::Nothing) };
        let descent = Descent { scop: view.setting.scop, deps, strides: view.strides()? };
        Ok(Proposal::Order(split_tiles(descent, view.tree(), remarks)?))
    }
}

/// Cuts loops over tiles that have no parallel loop where all tiles of a loop wait for a single one, and moves point loops that
/// are parallel then inside of the loops in them, where memory suits that.
///
/// **Rewrite**: `mark tile s,t; band [f, g]; mark point; band [f', g']` becomes `band [f]; sequence` of `band [g]` for
/// `g < d`, `g = d` and `g > d`, where `d` is an affine function of `f` and the loops around. The tiles of the first and of the
/// last do not wait for one another, and each thread keeps those that it has from one `f` to the next, which
/// wavefronts do not give. Point loops are cut in the same way. In these parts, a loop `g'` that carries nothing goes inside of the
/// loops in it. In step `k` of an orthogonalisation, column `k` is all that the others wait for.
///
/// Cuts are legal because the order of instances stays; a loop that carries nothing may go inside of others.
///
/// # Errors
/// When isl refuses.
pub(crate) fn split_tiles(
    descent: Descent<'_>,
    tree: &ScheduleTree,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    descent.rewritten(tree, &mut |tree, place| {
        let Some((loops, child)) = tiled(tree) else { return Ok(None) };
        let outer = place.outer.clone();
        let mut splitting = Splitting { outer, n_cut: 0, strides: descent.strides, remarks };
        let (instances, pairs) = (place.instances.clone(), place.pairs.clone());
        let split = splitting.loops(&loops, &Inside { tree: child, instances, pairs })?;
        Ok(Some(split.unwrap_or_else(|| tree.clone())))
    })
}

/// The most loops around one another that are cut: each makes three of all that is in it.
const MAX_CUT: usize = 2;

/// A loop over tiles or over their points.
#[derive(Clone)]
struct Loop {
    member: Member,
    /// The size of the tiles.
    tile: Option<i64>,
    /// Whether it is the outermost over points.
    begins_points: bool,
}

/// What loops are around.
struct Inside<'a> {
    tree: &'a ScheduleTree,
    instances: UnionSet,
    /// Pairs of instances in order that the loops around leave.
    pairs: Vec<Map>,
}

/// The state of splitting.
struct Splitting<'a> {
    /// The members around the place.
    outer: Vec<Member>,
    /// How many of these loops are cut.
    n_cut: usize,
    strides: &'a StrideModel,
    remarks: &'a mut Vec<Remark>,
}

impl Splitting<'_> {
    /// Loops one inside the other around a body, with those cut that can be; `None` where no loop over tiles can.
    fn loops(&mut self, loops: &[Loop], body: &Inside<'_>) -> Result<Option<ScheduleTree>> {
        let Some((first, rest)) = loops.split_first() else {
            return (self.n_cut > 0).then(|| without_threads(body.tree)).transpose();
        };
        if first.tile.is_none() && self.n_cut == 0 {
            return Ok(None);
        }
        let (same, carried) = divided(&body.pairs, &first.member.schedule)?;
        let inner = Inside { pairs: same, instances: body.instances.clone(), tree: body.tree };
        if carried.is_empty() {
            return self.around(first, rest, &inner, true);
        }
        if self.n_cut < MAX_CUT {
            let outer: Vec<_> = self.outer.iter().map(|member| member.schedule.clone()).collect();
            let dates = Dates { outer };
            if let Some(at) = dates.only_iteration(&carried, &first.member.schedule)? {
                return Ok(Some(self.cut(first, rest, &inner, &dates, &at)?));
            }
        }
        self.around(first, rest, &inner, false)
    }

    /// A loop around others.
    fn around(
        &mut self,
        first: &Loop,
        rest: &[Loop],
        body: &Inside<'_>,
        coincident: bool,
    ) -> Result<Option<ScheduleTree>> {
        let schedule = first.member.schedule.intersect_domain(&body.instances)?;
        let member = Member { schedule, coincident, ..first.member.clone() };
        if first.tile.is_none()
            && coincident
            && rest.is_empty()
            && self.goes_inside(&member, body)?
        {
            let streams = streams(body.tree);
            return Ok(Some(sunk(&streams, &member, &body.instances, Past::All)?));
        }
        self.outer.push(member.clone());
        let inner = self.loops(rest, body)?;
        self.outer.pop();
        Ok(inner.map(|inner| {
            // Threads are for tiles: in the one that all others wait for, they would wait for each other at each step.
            let is_for_threads = first.tile.is_some() || !inner.contains_band();
            let one_thread = (coincident && !is_for_threads).then_some(OneThread::Waited);
            let member = Member { coincident: coincident && is_for_threads, one_thread, ..member };
            let band = Band { members: vec![member], permutable: false };
            let tree = ScheduleTree::band(band, inner);
            let is_last = rest.first().is_some_and(|next| next.begins_points);
            match first.tile {
                Some(size) => {
                    let tiles = ScheduleTree::mark(Mark::Tile(vec![size]), tree);
                    // Vector lanes without remainders in whole tiles.
                    let is_apart = coincident && is_last;
                    if is_apart {
                        ScheduleTree::mark(Mark::SeparateFullTiles, tiles)
                    } else {
                        tiles
                    }
                }
                None if first.begins_points => ScheduleTree::mark(Mark::Point, tree),
                None => tree,
            }
        }))
    }

    /// A loop before, at and after one of its iterations.
    fn cut(
        &mut self,
        first: &Loop,
        rest: &[Loop],
        body: &Inside<'_>,
        dates: &Dates,
        at: &Affine,
    ) -> Result<ScheduleTree> {
        if first.tile.is_some() {
            let stmts = stmt_names(&first.member.schedule.domain()?)?;
            let text = "a loop over tiles is split at the one that all others wait for";
            self.remarks.push(Remark { pass: "split-tiles", stmts, text: text.to_owned() });
        }
        self.n_cut += 1;
        let mut children = Vec::new();
        let parts = dates.parts(&first.member.schedule, at)?;
        for (part, coincident) in parts.into_iter().zip([true, false, true]) {
            let instances = body.instances.intersect(&part)?;
            if instances.is_empty()? {
                continue;
            }
            let tree = body.tree.restricted_to(&instances)?;
            let pairs = inside(&body.pairs, &instances)?;
            let body = Inside { tree: &tree, instances: instances.clone(), pairs };
            if let Some(tree) = self.around(first, rest, &body, coincident)? {
                children.push((instances, tree));
            }
        }
        self.n_cut -= 1;
        Ok(ScheduleTree::sequence(children))
    }

    /// Whether fewer accesses jump in the innermost loops of a body where this loop is inside of them.
    fn goes_inside(&self, member: &Member, body: &Inside<'_>) -> Result<bool> {
        let mut loops = self.outer.clone();
        let at = loops.len();
        loops.push(member.clone());
        let (now, then) = self.jumps(body.tree, &mut loops, at)?;
        Ok(then < now)
    }

    /// How many accesses jump in the innermost loops of a tree as they are, and where the loop `at` is inside of them.
    fn jumps(
        &self,
        tree: &ScheduleTree,
        loops: &mut Vec<Member>,
        at: usize,
    ) -> Result<(usize, usize)> {
        let depth = loops.len();
        let (mut now, mut then) = (0, 0);
        let is_innermost = match tree.node() {
            Node::Band { band, child } => {
                loops.extend(band.members.iter().cloned());
                !child.contains_band()
            }
            _ => false,
        };
        if is_innermost {
            let stmts = self.strides.rows_of(&loops[depth..])?.unwrap_or_default();
            for (stmt, _) in stmts {
                now += self.n_jumps(stmt, loops, loops.len() - 1)?;
                then += self.n_jumps(stmt, loops, at)?;
            }
        } else {
            for child in tree.children() {
                let (more_now, more_then) = self.jumps(child, loops, at)?;
                (now, then) = (now + more_now, then + more_then);
            }
        }
        loops.truncate(depth);
        Ok((now, then))
    }

    /// How many accesses of a statement jump along the loop `at`; loops over tiles have no direction.
    fn n_jumps(&self, stmt: StmtId, loops: &[Member], at: usize) -> Result<usize> {
        let (mut rows, mut position) = (Vec::new(), None);
        for (place, member) in loops.iter().enumerate() {
            let row = self.strides.member_row(stmt, member)?;
            position = if place == at { row.as_ref().map(|_| rows.len()) } else { position };
            rows.extend(row);
        }
        let strides = position.and_then(|at| self.strides.strides(stmt, &rows, at));
        Ok(strides.map_or(1, |all| all.iter().filter(|s| **s == Stride::Strided).count()))
    }
}

/// The tree whose loops are not called coincident: threads that shared them would take parts of what a loop inside of them walks
/// through from each other, which is walked through again.
fn streams(tree: &ScheduleTree) -> ScheduleTree {
    let below = || tree.children().iter().map(streams).collect();
    match tree.node() {
        Node::Band { band, .. } => {
            let mut band = band.clone();
            for member in &mut band.members {
                member.one_thread = member.coincident.then_some(OneThread::Streams);
                member.coincident = false;
            }
            let children: Vec<ScheduleTree> = below();
            let child = children.into_iter().next().unwrap_or_else(ScheduleTree::leaf);
            ScheduleTree::band(band, child)
        }
        Node::Sequence(_) | Node::Set(_) | Node::Filter { .. } => tree.with_children(below()),
        _ => tree.clone(),
    }
}

/// The tree whose loops with others in them are not called coincident.
fn without_threads(tree: &ScheduleTree) -> Result<ScheduleTree> {
    let children = tree.children().iter().map(without_threads).collect::<Result<Vec<_>>>()?;
    let Node::Band { band, child } = tree.node() else { return Ok(tree.with_children(children)) };
    let mut band = band.clone();
    let n_alone = band.members.len() - usize::from(!child.contains_band());
    band.members.iter_mut().take(n_alone).for_each(|member| member.coincident = false);
    Ok(ScheduleTree::band(band, children.into_iter().next().unwrap_or_else(ScheduleTree::leaf)))
}

/// The loops over tiles without a parallel one, then those over their points, and what is inside of them.
fn tiled(tree: &ScheduleTree) -> Option<(Vec<Loop>, &ScheduleTree)> {
    let Node::Mark { mark: Mark::Tile(sizes), child: tiles } = tree.node() else { return None };
    let Node::Band { band: tiles, child: points } = tiles.node() else { return None };
    let Node::Mark { mark: Mark::Point, child: points } = points.node() else { return None };
    let Node::Band { band: points, child } = points.node() else { return None };
    if !tiles.permutable || tiles.members.len() < 2 || tiles.members.iter().any(|m| m.coincident) {
        return None;
    }
    let tile = |(member, size): (&Member, &i64)| Loop {
        member: member.clone(),
        tile: Some(*size),
        begins_points: false,
    };
    let point = |(at, member): (usize, &Member)| Loop {
        member: member.clone(),
        tile: None,
        begins_points: at == 0,
    };
    let points = points.members.iter().enumerate().map(point);
    Some((tiles.members.iter().zip(sizes).map(tile).chain(points).collect(), child))
}
