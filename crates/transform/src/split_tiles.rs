//! Tiles without wavefronts: tile loops are cut at the tile that all others wait for.

use crate::descent::{Descent, n_marks_above};
use crate::index_sets::{Dates, cut, divided, inside};
use crate::plan::{Draft, mark};
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::{Affine, StrideModel};
use farkas_deps::Dependences;
use farkas_poly::{Map, UnionSet};
use farkas_scop::{StmtId, Stride};
use farkas_steps::{LoopAddress, LoopKind, Past, Sink, Step, decided};
use farkas_tree::{Cursor, Mark, Member, Node, OneThread, Program, ScheduleTree};
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
        Ok(Proposal::Steps(split_tiles(descent, view.program, remarks)?))
    }
}

/// Cuts loops over tiles that have no parallel loop where all tiles of a loop wait for a single one, and moves point loops that
/// are parallel then inside of the loops in them, where memory suits that.
///
/// **Steps**: of `mark tile s,t; band [f, g]; mark point; band [f', g']`, the loop `g` is cut (`cut`) into `g < d`, `g = d` and `g > d`,
/// where `d` is an affine function of `f` and the loops around. The tiles of the first and of the
/// last do not wait for one another, and each thread keeps those that it has from one `f` to the next, which
/// wavefronts do not give. Full ones have code of their own (`mark`): vector lanes without remainders. Point loops are cut in the same way. In
/// these parts, a loop `g'` that carries nothing goes inside of the loops in it (`sink`). In step `k` of an orthogonalisation, column
/// `k` is all that the others wait for.
///
/// Cuts are legal because the order of instances stays; a loop that carries nothing may go inside of others.
///
/// # Errors
/// When isl refuses.
fn split_tiles(descent: Descent<'_>, program: &Program, remarks: &mut Vec<Remark>) -> Result<Plan> {
    let sites = descent.sites(&program.tree, &mut |tree, place| {
        Ok(tiled(tree).map(|loops| (loops, place.clone())))
    })?;
    let mut draft = Draft::new(program, None);
    for (loops, place) in sites {
        let mut found = Vec::new();
        let is_split = draft.attempt(|draft| {
            let (strides, outer) = (descent.strides, place.outer);
            let notes = Notes::default();
            let mut splitting =
                Splitting { draft, outer, n_cut: 0, strides, notes, remarks: &mut found };
            let inside = Inside { instances: place.instances, pairs: place.pairs };
            let at = At { band: place.here.child(0), member: 0 };
            splitting.loops(&at, &loops, &inside)?;
            let Splitting { notes, remarks, .. } = splitting;
            if remarks.is_empty() {
                return Ok(());
            }
            notes.noted(draft, descent.deps, &place.here)
        })?;
        if is_split {
            remarks.extend(found);
        }
    }
    Ok(draft.plan_with_notes(&program.tree))
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

/// Where a loop stands once the steps so far are done.
#[derive(Clone)]
struct At {
    band: Cursor,
    member: usize,
}

impl At {
    /// Where the loop right inside stands.
    fn next(&self, next: &Loop) -> Self {
        match next.begins_points {
            true => Self { band: self.band.child(0).child(0), member: 0 },
            false => Self { band: self.band.clone(), member: self.member + 1 },
        }
    }

    /// The loop as steps name it.
    fn address(&self) -> LoopAddress {
        LoopAddress::member(self.band.clone(), self.member)
    }
}

/// What runs in loops.
struct Inside {
    instances: UnionSet,
    /// Pairs of instances in order that the loops around leave.
    pairs: Vec<Map>,
}

/// The state of splitting.
struct Splitting<'s, 'a> {
    draft: &'s mut Draft<'a>,
    /// The members around the place.
    outer: Vec<Member>,
    /// How many of these loops are cut.
    n_cut: usize,
    strides: &'s StrideModel,
    notes: Notes,
    remarks: &'s mut Vec<Remark>,
}

impl Splitting<'_, '_> {
    /// Cuts those of some loops one inside the other that can be; none where no loop over tiles can.
    fn loops(&mut self, at: &At, loops: &[Loop], body: &Inside) -> Result<()> {
        let Some((first, rest)) = loops.split_first() else {
            self.notes.bodies.push((at.band.clone(), false));
            return Ok(());
        };
        if first.tile.is_none() && self.n_cut == 0 {
            return Ok(());
        }
        let (same, carried) = divided(&body.pairs, &first.member.schedule)?;
        let inner = Inside { pairs: same, instances: body.instances.clone() };
        if !carried.is_empty() && self.n_cut < MAX_CUT {
            let outer: Vec<_> = self.outer.iter().map(|member| member.schedule.clone()).collect();
            let dates = Dates { outer };
            if let Some(date) = dates.only_iteration(&carried, &first.member.schedule)? {
                return self.cut(at, loops, &inner, &dates, &date);
            }
        }
        self.around(at, first, rest, &inner, carried.is_empty())
    }

    /// A loop around others.
    fn around(
        &mut self,
        at: &At,
        first: &Loop,
        rest: &[Loop],
        body: &Inside,
        coincident: bool,
    ) -> Result<()> {
        let schedule = first.member.schedule.intersect_domain(&body.instances)?;
        let member = Member { schedule, coincident, ..first.member.clone() };
        if first.tile.is_none() && coincident && rest.is_empty() {
            let inside = self.draft.tree().at(&at.band.child(0))?;
            let inside = inside.restricted_to(&body.instances)?;
            if self.goes_inside(&member, &inside)? {
                self.draft.apply(Step::Sink(Sink { at: at.address(), past: Past::All }))?;
                let sunk = if at.member == 0 { at.band.clone() } else { at.band.child(0) };
                self.notes.bodies.push((sunk, true));
                return Ok(());
            }
        }
        self.notes.loops.push(Noted { at: at.clone(), coincident, is_tile: first.tile.is_some() });
        self.outer.push(member);
        match rest.first() {
            Some(next) => {
                // Vector lanes without remainders in whole tiles.
                if first.tile.is_some() && coincident && next.begins_points {
                    self.notes.apart.push(at.clone());
                }
                self.loops(&at.next(next), rest, body)?;
            }
            None => {
                let body_at = At { band: at.band.child(0), member: 0 };
                self.loops(&body_at, rest, body)?;
            }
        }
        self.outer.pop();
        Ok(())
    }

    /// A loop before, at and after one of its iterations.
    fn cut(
        &mut self,
        at: &At,
        loops: &[Loop],
        body: &Inside,
        dates: &Dates,
        date: &Affine,
    ) -> Result<()> {
        let Some((first, rest)) = loops.split_first() else { return Ok(()) };
        let mut parts = Vec::new();
        for (part, coincident) in
            dates.parts(&first.member.schedule, date)?.into_iter().zip([true, false, true])
        {
            let instances = body.instances.intersect(&part)?;
            // The step leaves out where nothing runs.
            if !instances.is_empty()? {
                let pairs = inside(&body.pairs, &instances)?;
                parts.push((Inside { instances, pairs }, coincident));
            }
        }
        if parts.len() < 2 {
            return self.around(at, first, rest, body, false);
        }
        if first.tile.is_some() {
            let stmts = stmt_names(&first.member.schedule.domain()?)?;
            let text = "a loop over tiles is split at the one that all others wait for";
            self.remarks.push(Remark { pass: "split-tiles", stmts, text: text.to_owned() });
        }
        let n_marks = n_marks_above(self.draft.tree(), &at.band);
        self.draft.apply(cut(at.address(), date))?;
        let (top, n_marks) = match at.member {
            0 => (at.band.ancestor(n_marks), n_marks),
            // A mark of tiles is divided with the loops, that of points stays.
            _ => (at.band.child(0), usize::from(first.tile.is_some())),
        };
        self.n_cut += 1;
        for (number, (inside, coincident)) in parts.iter().enumerate() {
            let band = (0..=n_marks).fold(top.child(number), |here, _| here.child(0));
            self.around(&At { band, member: 0 }, first, rest, inside, *coincident)?;
        }
        self.n_cut -= 1;
        Ok(())
    }

    /// Whether fewer accesses jump in the innermost loops of a body where this loop is inside of them.
    fn goes_inside(&self, member: &Member, body: &ScheduleTree) -> Result<bool> {
        let mut loops = self.outer.clone();
        let at = loops.len();
        loops.push(member.clone());
        let (now, then) = self.jumps(body, &mut loops, at)?;
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

/// What is noted of loops once they are cut: which of them threads may share.
#[derive(Default)]
struct Notes {
    /// Loops over tiles and points.
    loops: Vec<Noted>,
    /// What is in them, and whether a loop went inside of it.
    bodies: Vec<(Cursor, bool)>,
    /// Loops over tiles of which full ones have code of their own.
    apart: Vec<At>,
}

/// A loop over tiles or points.
struct Noted {
    at: At,
    /// Whether it carries nothing.
    coincident: bool,
    is_tile: bool,
}

impl Notes {
    /// Notes this in the order of `draft`, of which what is at `top` was cut, and marks the loops.
    fn noted(mut self, draft: &mut Draft<'_>, deps: &Dependences, top: &Cursor) -> Result<()> {
        let mut tree = decided(draft.tree(), Some(deps), top)?;
        for (at, is_sunk) in &self.bodies {
            let body = tree.at(at)?.clone();
            let new = if *is_sunk { streams(&body) } else { without_threads(&body) };
            tree = tree.replace(at, new)?;
        }
        for Noted { at, coincident, is_tile } in &self.loops {
            let Node::Band { band, child } = tree.at(&at.band)?.node() else { continue };
            let (mut band, child) = (band.clone(), child.clone());
            let is_innermost = at.member + 1 == band.members.len() && !child.contains_band();
            // Threads are for tiles: in the one that all others wait for, they would wait for each other at each step.
            let is_for_threads = *is_tile || is_innermost;
            band.permutable = false;
            if let Some(member) = band.members.get_mut(at.member) {
                member.coincident = *coincident && is_for_threads;
                member.one_thread = (*coincident && !is_for_threads).then_some(OneThread::Waited);
            }
            tree = tree.replace(&at.band, ScheduleTree::band(band, child))?;
        }
        draft.note(tree);
        // Inner ones first, so that outer ones are where they were.
        self.apart.sort_by(|a, b| (&b.band, b.member).cmp(&(&a.band, a.member)));
        for at in &self.apart {
            draft.apply(mark(&at.band, at.member, LoopKind::FullTilesApart))?;
        }
        Ok(())
    }
}

/// The tree whose loops with others in them are not called coincident: threads that shared them would take parts of what a loop
/// inside of them walks through from each other, which is walked through again. That one carries nothing.
fn streams(tree: &ScheduleTree) -> ScheduleTree {
    let children: Vec<_> = tree.children().iter().map(streams).collect();
    let Node::Band { band, child } = tree.node() else { return tree.with_children(children) };
    let mut band = band.clone();
    let is_inner = child.contains_band();
    for member in &mut band.members {
        member.one_thread = (is_inner && member.coincident).then_some(OneThread::Streams);
        member.coincident = !is_inner;
    }
    ScheduleTree::band(band, children.into_iter().next().unwrap_or_else(ScheduleTree::leaf))
}

/// The tree whose loops with others in them are not called coincident.
fn without_threads(tree: &ScheduleTree) -> ScheduleTree {
    let children: Vec<_> = tree.children().iter().map(without_threads).collect();
    let Node::Band { band, child } = tree.node() else { return tree.with_children(children) };
    let mut band = band.clone();
    let n_alone = band.members.len() - usize::from(!child.contains_band());
    band.members.iter_mut().take(n_alone).for_each(|member| member.coincident = false);
    ScheduleTree::band(band, children.into_iter().next().unwrap_or_else(ScheduleTree::leaf))
}

/// The loops over tiles without a parallel one, then those over their points.
fn tiled(tree: &ScheduleTree) -> Option<Vec<Loop>> {
    let Node::Mark { mark: Mark::Tile(sizes), child: tiles } = tree.node() else { return None };
    let Node::Band { band: tiles, child: points } = tiles.node() else { return None };
    let Node::Mark { mark: Mark::Point, child: points } = points.node() else { return None };
    let Node::Band { band: points, .. } = points.node() else { return None };
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
    Some(tiles.members.iter().zip(sizes).map(tile).chain(points).collect())
}
