//! Which loops can run in lanes around others, and what that takes.

use super::is_bare;
use super::runs::{Run, in_runs};
use crate::Result;
use farkas_analysis::{StrideModel, is_long};
use farkas_deps::{Dependences, carried};
use farkas_scop::{Access, AccessKind, ArrayId, Scop, StmtId, Stride};
use farkas_steps::{LoopAddress, reaching};
use farkas_tree::{Cursor, Member, Node, ScheduleTree};
use std::collections::BTreeSet;

/// A loop with fewer iterations has no strips.
const LONG: i64 = 32;

/// A loop whose iterations are to be lanes.
pub(super) struct Nest {
    pub(super) band: Cursor,
    pub(super) member: usize,
    /// Its place among the loops around what is in it, from one.
    pub(super) position: i64,
    /// What is in it, in its order.
    pub(super) groups: Vec<Group>,
    /// What iterations have cells of, by name.
    pub(super) variables: Vec<String>,
    /// What is copied for each strip.
    pub(super) copies: Vec<Copied>,
    /// Bytes of the largest element that lanes keep.
    pub(super) element_bytes: i64,
}

impl Nest {
    /// The loop, in the tree in which it was found.
    pub(super) fn at(&self) -> LoopAddress {
        LoopAddress::member(self.band.clone(), self.member)
    }
}

/// Statements that share a loop over a strip.
pub(super) struct Group {
    pub(super) stmts: Vec<String>,
    /// Whether that goes inside of all loops.
    pub(super) is_inside: bool,
}

/// What is copied to where it lies along the lanes.
#[derive(PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) stmt: String,
    pub(super) array: String,
    /// The loops inside along which it moves, from one.
    pub(super) along: Vec<i64>,
}

/// What nests are looked for in.
#[derive(Clone, Copy)]
pub(super) struct Looking<'a> {
    pub(super) scop: &'a Scop,
    pub(super) tree: &'a ScheduleTree,
    pub(super) deps: &'a Dependences,
    pub(super) strides: &'a StrideModel,
}

/// A statement with the loops around it, from the outermost on.
pub(super) struct Placed {
    pub(super) id: StmtId,
    pub(super) loops: Vec<Member>,
    /// The band of the innermost one.
    pub(super) innermost: Option<Cursor>,
}

/// A part of a loop's body.
pub(super) struct Part {
    pub(super) stmts: Vec<Placed>,
    /// What is copied, where its loops may run around lanes.
    pub(super) copies: Option<Vec<Copied>>,
}

impl<'a> Looking<'a> {
    /// The nest of a member of a band, which has these members around it outside of its own; none where its iterations do not fit lanes.
    pub(super) fn nest(
        self,
        here: &Cursor,
        member: usize,
        outer: &[Member],
    ) -> Result<Option<Nest>> {
        let node = self.tree.at(here)?;
        let Node::Band { band, child } = node.node() else { return Ok(None) };
        let is_last = member + 1 == band.members.len();
        if !is_bare(child) || is_last && !child.contains_band() {
            return Ok(None);
        }
        let mut loops = outer.to_vec();
        loops.extend(band.members[member..].iter().cloned());
        let lane = outer.len();
        let Some(parts) = self.parts(child, here, &loops, lane)? else { return Ok(None) };
        if parts.iter().all(|part| part.copies.is_none()) {
            return Ok(None);
        }
        if !self.may_have_variables(&parts) {
            return Ok(None);
        }
        let runs = in_runs(&parts);
        let stmts: BTreeSet<StmtId> = runs.iter().flat_map(Run::stmts).collect();
        let n_stmts: usize = runs.iter().map(|run| run.placed.len()).sum();
        let carried = carried::report(self.deps, self.tree, here, member)?.blocked_by;
        let Some(variables) = self.variables(&carried, &runs)? else { return Ok(None) };
        if variables.is_empty()
            || stmts.len() < n_stmts
            || !is_long(&band.members[member], &reaching(self.tree, here)?, LONG)?
            || !self.keeps_order(&carried, &variables, &runs)
            || !self.gains(&runs)?
            || !self.are_even(&runs, lane)?
        {
            return Ok(None);
        }
        let group = |run: &Run<'_>| {
            let names = run.stmts().map(|stmt| self.scop.stmts()[stmt].name.clone());
            Group { stmts: names.collect(), is_inside: run.is_inside }
        };
        let groups = runs.iter().map(group).collect();
        let element_bytes = self.element_bytes(&runs);
        let name = |array: &ArrayId| self.scop.arrays()[*array].name.clone();
        Ok(Some(Nest {
            band: here.clone(),
            member,
            position: i64::try_from(lane + 1).unwrap_or(i64::MAX),
            groups,
            variables: variables.iter().map(name).collect(),
            element_bytes,
            copies: parts.into_iter().filter_map(|part| part.copies).flatten().collect(),
        }))
    }

    /// The parts of a loop's body, which is below `loops`; none where statements are not placed by loops alone.
    fn parts(
        self,
        body: &ScheduleTree,
        here: &Cursor,
        loops: &[Member],
        lane: usize,
    ) -> Result<Option<Vec<Part>>> {
        let at = here.child(0);
        let is_whole = loops.len() > lane + 1;
        let bodies: Vec<(Cursor, &ScheduleTree)> = match body.node() {
            Node::Sequence(children) if !is_whole => {
                children.iter().enumerate().map(|(n, child)| (at.child(n), child)).collect()
            }
            _ => vec![(at, body)],
        };
        let mut parts = Vec::new();
        for (at, body) in bodies {
            let mut stmts = Vec::new();
            let innermost = (loops.len() > lane + 1).then(|| here.clone());
            if !self.place(body, &at, (loops, innermost), &mut stmts)? {
                return Ok(None);
            }
            parts.push(Part { stmts, copies: None });
        }
        let written = self.written(&parts);
        for part in &mut parts {
            part.copies = self.copies(&part.stmts, lane, &written)?;
        }
        Ok(Some(parts))
    }

    /// Places the statements of a subtree; `false` where that is more than bands and sequences.
    fn place(
        self,
        tree: &ScheduleTree,
        here: &Cursor,
        (loops, innermost): (&[Member], Option<Cursor>),
        placed: &mut Vec<Placed>,
    ) -> Result<bool> {
        let inside = match tree.node() {
            Node::Band { band, .. } => {
                let mut inside = loops.to_vec();
                inside.extend(band.members.iter().cloned());
                (inside, Some(here.clone()))
            }
            Node::Leaf => {
                for set in reaching(self.tree, here)?.sets()? {
                    let name = set.tuple_name().unwrap_or_default();
                    let Some(id) = self.scop.stmt_by_name(&name) else { return Ok(false) };
                    let loops = loops.to_vec();
                    placed.push(Placed { id, loops, innermost: innermost.clone() });
                }
                return Ok(true);
            }
            Node::Sequence(_) | Node::Filter { .. } => (loops.to_vec(), innermost),
            _ => return Ok(false),
        };
        for (at, child) in tree.children().iter().enumerate() {
            let inside = (inside.0.as_slice(), inside.1.clone());
            if !self.place(child, &here.child(at), inside, placed)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether something in the loop may have a cell for each iteration: nests without it are the scheduler's affair, which interchanges loops.
    fn may_have_variables(self, parts: &[Part]) -> bool {
        self.written(parts).iter().any(|array| self.scop.arrays()[*array].may_be_private())
    }

    /// What is written in the loop.
    fn written(self, parts: &[Part]) -> BTreeSet<ArrayId> {
        let stmts = parts.iter().flat_map(|part| &part.stmts);
        let accesses = stmts.flat_map(|stmt| &self.scop.stmts()[stmt.id].accesses);
        accesses.filter(|access| access.kind.is_write()).map(|access| access.array).collect()
    }

    /// What is copied so that all that statements with loops inside touch lies along the lanes, or stays where it is; none where they have none, or that
    /// is more than copies of what is used again and again.
    fn copies(
        self,
        stmts: &[Placed],
        lane: usize,
        written: &BTreeSet<ArrayId>,
    ) -> Result<Option<Vec<Copied>>> {
        if stmts.iter().all(|stmt| stmt.loops.len() == lane + 1) {
            return Ok(None);
        }
        let mut copies: Vec<Copied> = Vec::new();
        for placed in stmts {
            let stmt = &self.scop.stmts()[placed.id];
            let Some(moves) = self.moves(placed)? else { return Ok(None) };
            let mut seen: Vec<&Access> = Vec::new();
            for (at, access) in stmt.accesses.iter().enumerate() {
                if moves[lane][at] != Stride::Strided || seen.iter().any(|of| is_same(of, access)) {
                    continue;
                }
                seen.push(access);
                let inside: Vec<Stride> =
                    moves[lane + 1..].iter().map(|strides| strides[at]).collect();
                let is_read = access.kind == AccessKind::Read && !written.contains(&access.array);
                if !is_read || !inside.contains(&Stride::Invariant) {
                    return Ok(None);
                }
                let moving = inside.iter().zip(1..).filter(|(s, _)| **s != Stride::Invariant);
                copies.push(Copied {
                    stmt: stmt.name.clone(),
                    array: self.scop.arrays()[access.array].name.clone(),
                    along: moving.map(|(_, at)| at).collect(),
                });
            }
        }
        Ok(Some(copies))
    }

    /// How each access of a statement moves along each of its loops; none where these are not affine.
    fn moves(self, placed: &Placed) -> Result<Option<Vec<Vec<Stride>>>> {
        let mut rows = Vec::new();
        for member in &placed.loops {
            let Some(row) = self.strides.member_row(placed.id, member)? else { return Ok(None) };
            rows.push(row);
        }
        let along = (0..rows.len()).map(|at| self.strides.strides(placed.id, &rows, at));
        Ok(along.collect())
    }
}

/// Whether two accesses are to the same elements.
fn is_same(a: &Access, b: &Access) -> bool {
    (a.array, a.kind) == (b.array, b.kind) && a.relation == b.relation
}
