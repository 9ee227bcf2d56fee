//! Do threads of a GPU's kernels wait for one another where they have to?
//!
//! The rest of the check judges orders, and takes the iterations of loops that are divided among blocks or threads to be concurrent. But what
//! a tree puts one after the other in a kernel comes in that order only
//!
//! - in one thread,
//! - or in one block, where a [`Mark::Barrier`] stands on the way from where both part to the second: all threads of the block wait
//!   there, and have done what came before.
//!
//! Of two instances that touch the same element, one of which writes it, anything else is a race, whatever values they see. So is it, for
//! buffers that are declared outside of a loop that is divided, where different iterations of that loop have them: the threads of a block
//! share such a buffer. And a block that runs several iterations of the loops that are divided among blocks has one place in memory for what its threads
//! share in each: before an iteration fills it, all of them have to be through with the one before.
//!
//! Which thread runs an instance is known where it is said: value `v` of a loop that is divided among `n` threads runs on thread
//! `v mod n` of the axis, or tile number `v` of one over tiles, so equal values are one thread; what no loop divides along an axis runs on its first thread. Blocks are
//! the values of the loops divided among them. So nothing here depends on how large a grid is.

use super::counterexample::{Counterexample, Place, Unsynchronised};
use super::examples;
use super::plan::{self, Concurrent, Plan};
use super::relations::{Order, related};
use super::walk::{Violation, within};
use super::{MAX_COMPARED, conflict};
use crate::analysis::{Prepared, Reference};
use crate::{DependenceKind, Error, Result};
use farkas_poly::{Map, PwAff, Set, Val};
use farkas_scop::{ArrayId, Scop, StmtId};
use farkas_tree::{Cursor, GpuAxis, Mark, Node, Program, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};

/// A race in a kernel of `tree`, the smallest of a few; none where there are none.
pub(super) fn first_race(scop: &Scop, tree: &ScheduleTree) -> Result<Option<Counterexample>> {
    let mut found = Vec::new();
    Search::of(scop).races(tree, &mut |kind, source, sink, race| {
        found.push(examples::conflict(scop, kind, source, sink, race)?);
        Ok(found.len() < MAX_COMPARED)
    })?;
    Ok(found.into_iter().min_by_key(Counterexample::size))
}

/// A search for the places of barriers in a program that gets them one after another. A barrier takes races away and makes none, so what
/// has none is not looked at again.
pub struct MissingBarriers<'a>(Search<'a>);

impl<'a> MissingBarriers<'a> {
    /// Nothing is known yet of a scop's accesses.
    pub fn of(scop: &'a Scop) -> Self {
        Self(Search::of(scop))
    }

    /// Where a barrier is missing in `tree`, which is the one that was asked of before with more barriers: a sequence with the number of the
    /// child that one has to stand before, or a loop, each of whose iterations has to begin with one; none where none is. Of several the innermost, which
    /// may do for those around it.
    ///
    /// # Errors
    /// As for [`check`](super::check).
    pub fn next(&mut self, tree: &ScheduleTree) -> Result<Option<(Cursor, Option<usize>)>> {
        let mut found: Option<(Cursor, Option<usize>)> = None;
        let depth = |at: &Cursor| at.steps().len();
        self.0.races(tree, &mut |_, _, _, race| {
            let Place::Unsynchronised { cursor, child, why: Unsynchronised::Threads } = race.place
            else {
                // No barrier makes up for that.
                found = None;
                return Ok(false);
            };
            if found.as_ref().is_none_or(|(known, _)| depth(&cursor) > depth(known)) {
                found = Some((cursor, child));
            }
            Ok(true)
        })?;
        Ok(found)
    }
}

/// A search for what blocks of one launch do to one another, in programs of the same statements and accesses.
pub struct BlockRaces<'a>(Search<'a>);

impl<'a> BlockRaces<'a> {
    /// Nothing is known yet of a scop's accesses.
    pub fn of(scop: &'a Scop) -> Self {
        Self(Search::of(scop))
    }

    /// Whether an instance of the second statements in `tree` touches what one of the first ones does, one of which writes it, in another block of the same
    /// launch. No barrier makes up for that.
    ///
    /// # Errors
    /// As for [`check`](super::check).
    pub fn between(&mut self, tree: &ScheduleTree, ends: [&BTreeSet<StmtId>; 2]) -> Result<bool> {
        let mut found = false;
        // With another tree, pairs that had no race may have one.
        self.0.settled.clear();
        self.0.between = Some(ends.map(BTreeSet::clone));
        self.0.races(tree, &mut |_, _, _, race| {
            let why = match race.place {
                Place::Unsynchronised { why, .. } => Some(why),
                _ => None,
            };
            found = why != Some(Unsynchronised::Threads);
            Ok(!found)
        })?;
        Ok(found)
    }
}

/// A search for races in trees of one scop.
struct Search<'a> {
    scop: &'a Scop,
    prepared: Option<Prepared>,
    /// The pairs of references to an array, by their positions, that have no race.
    settled: BTreeSet<(ArrayId, usize, usize)>,
    /// The statements that the first and the second of a pair are to be of; all of them where nothing is said.
    between: Option<[BTreeSet<StmtId>; 2]>,
}

/// What is done with a race between two references; whether to go on.
type Told<'t> =
    &'t mut dyn FnMut(DependenceKind, &Reference, &Reference, Violation) -> Result<bool>;

impl<'a> Search<'a> {
    fn of(scop: &'a Scop) -> Self {
        Self { scop, prepared: None, settled: BTreeSet::new(), between: None }
    }

    /// Tells of the races in kernels of `tree`, one of each pair of references.
    fn races(&mut self, tree: &ScheduleTree, told: Told<'_>) -> Result<()> {
        if !well_formed(tree, &Cursor::root(), &Inside::default())? {
            return Ok(());
        }
        let prepared = match self.prepared.take() {
            Some(prepared) => prepared,
            None => Prepared::of(self.scop)?,
        };
        let prepared = &*self.prepared.insert(prepared);
        // What else is wrong with it is found elsewhere.
        let Ok(plan) = plan::plan(self.scop, prepared, tree)? else { return Ok(()) };
        let homes = Program::homes(self.scop, tree)?.into_iter().collect();
        let races = Races { tree, homes };
        for array in self.scop.arrays().ids() {
            let references = &prepared.references[array];
            for (first, source) in references.iter().enumerate() {
                for (second, sink) in references.iter().enumerate() {
                    let Some(kind) = conflict(source.kind, sink.kind) else { continue };
                    let is_between = self.between.as_ref().is_none_or(|[from, to]| {
                        from.contains(&source.stmt) && to.contains(&sink.stmt)
                    });
                    if !is_between || self.settled.contains(&(array, first, second)) {
                        continue;
                    }
                    let pairs = source.elements.apply_range(&sink.elements.reverse()?)?;
                    let pair = Pair { array, ends: [source.stmt, sink.stmt], pairs };
                    match races.below(&plan, &Cursor::root(), false, pair)? {
                        Some(race) => {
                            if !told(kind, source, sink, race)? {
                                return Ok(());
                            }
                        }
                        None => drop(self.settled.insert((array, first, second))),
                    }
                }
            }
        }
        Ok(())
    }
}

/// What is around a node.
#[derive(Clone, Default)]
struct Inside {
    is_kernel: bool,
    blocks: BTreeSet<GpuAxis>,
    threads: BTreeSet<GpuAxis>,
}

/// Whether there is a kernel in `tree`.
///
/// # Errors
/// [`Error::Unsupported`] where marks for kernels stand where they mean nothing.
fn well_formed(tree: &ScheduleTree, cursor: &Cursor, around: &Inside) -> Result<bool> {
    let unsupported = |reason| {
        let (kind, cursor) = (tree.kind(), cursor.clone());
        Err(Error::Unsupported { kind, cursor, reason })
    };
    let mut inside = around.clone();
    if let Node::Mark { mark, child } = tree.node() {
        let n_members = n_members(child);
        match mark {
            Mark::Kernel(_) if around.is_kernel => {
                return unsupported("a kernel starts no other one");
            }
            Mark::Kernel(_) => inside.is_kernel = true,
            Mark::Barrier if !around.is_kernel || !around.threads.is_empty() => {
                return unsupported(
                    "threads meet at a barrier outside of the loops that they share",
                );
            }
            Mark::Blocks(axes) | Mark::Threads(axes) => {
                let is_blocks = matches!(mark, Mark::Blocks(_));
                if !around.is_kernel || axes.len() != n_members {
                    return unsupported("each loop of a band in a kernel has an axis");
                }
                if is_blocks && !around.threads.is_empty() {
                    return unsupported("blocks have threads, not threads blocks");
                }
                let known = if is_blocks { &mut inside.blocks } else { &mut inside.threads };
                if !axes.iter().all(|axis| known.insert(*axis)) {
                    return unsupported("an axis is for one of the loops around an instance");
                }
            }
            _ => {}
        }
    }
    let mut found = inside.is_kernel;
    for (at, child) in tree.children().iter().enumerate() {
        found |= well_formed(child, &cursor.child(at), &inside)?;
    }
    Ok(found)
}

/// The loops of the band at the root of a tree, below marks.
fn n_members(tree: &ScheduleTree) -> usize {
    match tree.node() {
        Node::Band { band, .. } => band.members.len(),
        Node::Mark { child, .. } => n_members(child),
        _ => 0,
    }
}

/// Pairs of instances that touch the same element of an array.
struct Pair {
    array: ArrayId,
    ends: [StmtId; 2],
    pairs: Map,
}

impl Pair {
    /// Others of the same statements.
    fn with(&self, pairs: Map) -> Self {
        Self { pairs, ..*self }
    }
}

/// Where instances of a statement run in a kernel: of some, or of all, the values of the loops that are divided along each axis; of loops over
/// tiles, the tiles' numbers.
#[derive(Default)]
struct Coordinates {
    instances: Option<Set>,
    blocks: [Option<PwAff>; 3],
    threads: [Option<PwAff>; 3],
}

/// A search for races.
struct Races<'a> {
    tree: &'a ScheduleTree,
    /// Where the buffers live.
    homes: BTreeMap<ArrayId, Cursor>,
}

impl<'a> Races<'a> {
    /// A race among pairs, both of which reach `plan`, in their order; `above` is the node above.
    fn below(
        &self,
        plan: &'a Plan,
        above: &Cursor,
        in_kernel: bool,
        pair: Pair,
    ) -> Result<Option<Violation>> {
        if pair.pairs.is_empty()? {
            return Ok(None);
        }
        let cursor = plan.cursor();
        let in_kernel = in_kernel
            || self.marks(above, cursor)?.iter().any(|mark| matches!(mark, Mark::Kernel(_)));
        let [source, sink] = pair.ends;
        match plan {
            Plan::Leaf { .. } => Ok(None),
            Plan::Band { concurrent, members, child, .. } => {
                let (mut left, mut apart) = (pair.pairs.clone(), Vec::new());
                for dates in members {
                    let (from, to) = (&dates[&source].function, &dates[&sink].function);
                    apart.push(pair.with(related(&left, from, to, Order::Before)?));
                    left = related(&left, from, to, Order::Same)?;
                }
                // What iterations need by themselves may do for those after one another, too.
                let mut found = self.below(child, cursor, in_kernel, pair.with(left))?;
                while in_kernel
                    && found.is_none()
                    && let Some(before) = apart.pop()
                {
                    found = match concurrent {
                        Some(Concurrent { mark, .. }) => {
                            self.divided(child, (cursor, mark), before)?
                        }
                        None => self.one_after_another([child, child], (cursor, None), before)?,
                    };
                }
                Ok(found)
            }
            Plan::Fork { of, children, .. } => {
                let all = of[&source]
                    .iter()
                    .flat_map(|first| of[&sink].iter().map(move |second| (first, second)));
                let inside = all.clone().filter(|((i, _), (j, _))| i == j);
                let crossing = all.filter(|((i, _), (j, _))| in_kernel && i < j);
                for ((i, first), (j, second)) in inside.chain(crossing) {
                    let from = within(&pair.pairs, first.as_ref(), Map::intersect_domain)?;
                    let pairs = within(&from, second.as_ref(), Map::intersect_range)?;
                    let (pair, earlier, later) = (pair.with(pairs), &children[*i], &children[*j]);
                    let found = match i == j {
                        true => self.below(earlier, &cursor.child(*i), in_kernel, pair)?,
                        false => {
                            self.one_after_another([earlier, later], (cursor, Some(*j)), pair)?
                        }
                    };
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                Ok(None)
            }
        }
    }

    /// A race among pairs that a divided loop at `cursor` has in different iterations: of a buffer that is declared around it, or, of blocks, in it, where
    /// one block may run both. Other arrays are judged with all concurrent loops.
    fn divided(
        &self,
        child: &'a Plan,
        (cursor, mark): (&Cursor, &Mark),
        pair: Pair,
    ) -> Result<Option<Violation>> {
        if pair.pairs.is_empty()? {
            return Ok(None);
        }
        let place = |why| Place::Unsynchronised { cursor: cursor.clone(), child: None, why };
        if self.homes.get(&pair.array).is_some_and(|home| !cursor.is_above(home)) {
            let place = place(Unsynchronised::Shared);
            return Ok(Some(Violation { pairs: pair.pairs, place }));
        }
        if !matches!(mark, Mark::Blocks(_)) || !self.is_shared_below(cursor, pair.array)? {
            return Ok(None);
        }
        let [source, sink] = pair.ends;
        let n = self.n_threads(cursor)?;
        let from = numbered(self.coordinates(child, cursor, source)?, n)?;
        let to = numbered(self.coordinates(child, cursor, sink)?, n)?;
        let pairs = self.raced(child, cursor, (sink, pair.pairs), [&from, &to])?;
        let place = place(Unsynchronised::Threads);
        Ok((!pairs.is_empty()?).then_some(Violation { pairs, place }))
    }

    /// Whether an array is a buffer that lives below a node, and threads of a block share it.
    fn is_shared_below(&self, cursor: &Cursor, array: ArrayId) -> Result<bool> {
        let Some(home) = self.homes.get(&array).filter(|home| cursor.is_above(home)) else {
            return Ok(false);
        };
        let marks = self.marks(cursor, home)?;
        Ok(!marks.iter().any(|mark| matches!(mark, Mark::Threads(_))))
    }

    /// The threads of a block of the kernel around a node along each axis.
    fn n_threads(&self, at: &Cursor) -> Result<[i64; 3]> {
        let marks = self.marks(&Cursor::root(), at)?;
        let of_kernel = marks.into_iter().rev().find_map(|mark| match mark {
            Mark::Kernel(threads) => Some(*threads),
            _ => None,
        });
        Ok(of_kernel.unwrap_or([1; 3]))
    }

    /// Those of pairs before whose second instance, of a statement in `plan`, no barrier stands below `above`, in different threads of a block.
    fn raced(
        &self,
        plan: &Plan,
        above: &Cursor,
        (sink, pairs): (StmtId, Map),
        [from, to]: [&[Coordinates]; 2],
    ) -> Result<Map> {
        let unawaited = self.unawaited(plan, above, sink, pairs)?;
        let together = together(&unawaited, from, to, |c| &c.threads)?;
        Ok(unawaited.subtract(&together)?)
    }

    /// A race among pairs of which the first instance runs in one part of the tree and the second in another, or in a later iteration: at
    /// `cursor`.
    fn one_after_another(
        &self,
        [earlier, later]: [&'a Plan; 2],
        (cursor, child): (&Cursor, Option<usize>),
        pair: Pair,
    ) -> Result<Option<Violation>> {
        if pair.pairs.is_empty()? {
            return Ok(None);
        }
        let [source, sink] = pair.ends;
        let from = self.coordinates(earlier, cursor, source)?;
        let to = self.coordinates(later, cursor, sink)?;
        let place = |why| Place::Unsynchronised { cursor: cursor.clone(), child, why };
        let is_buffer_of_block = self.homes.contains_key(&pair.array);
        let in_block = together(&pair.pairs, &from, &to, |c| &c.blocks)?;
        let apart = pair.pairs.subtract(&in_block)?;
        // Each block has buffers of its own.
        if !is_buffer_of_block && !apart.is_empty()? {
            let place = place(Unsynchronised::Blocks);
            return Ok(Some(Violation { pairs: apart, place }));
        }
        let mut raced = self.raced(later, cursor, (sink, in_block), [&from, &to])?;
        // What was of one block's iteration is of another one's afterwards, where one block runs both.
        if raced.is_empty()? && !apart.is_empty()? && self.is_shared_below(cursor, pair.array)? {
            let n = self.n_threads(cursor)?;
            let (from, to) = (numbered(from, n)?, numbered(to, n)?);
            raced = self.raced(later, cursor, (sink, apart), [&from, &to])?;
        }
        if raced.is_empty()? {
            return Ok(None);
        }
        Ok(Some(Violation { pairs: raced, place: place(Unsynchronised::Threads) }))
    }

    /// Those of `pairs` before whose second instance, of a statement in `plan`, no barrier stands below `above`.
    fn unawaited(&self, plan: &Plan, above: &Cursor, sink: StmtId, pairs: Map) -> Result<Map> {
        let cursor = plan.cursor();
        if self.marks(above, cursor)?.contains(&&Mark::Barrier) {
            return Ok(Map::empty(&pairs.space()?)?);
        }
        match plan {
            Plan::Leaf { .. } => Ok(pairs),
            Plan::Band { child, .. } => self.unawaited(child, cursor, sink, pairs),
            Plan::Fork { of, children, .. } => {
                let mut left = Map::empty(&pairs.space()?)?;
                for (at, filter) in &of[&sink] {
                    let inside = within(&pairs, filter.as_ref(), Map::intersect_range)?;
                    let below = cursor.child(*at);
                    left = left.union(&self.unawaited(&children[*at], &below, sink, inside)?)?;
                }
                Ok(left)
            }
        }
    }

    /// Where the instances of a statement run that reach `plan`, below `above`.
    fn coordinates(
        &self,
        plan: &'a Plan,
        above: &Cursor,
        stmt: StmtId,
    ) -> Result<Vec<Coordinates>> {
        let cursor = plan.cursor();
        match plan {
            Plan::Leaf { .. } => Ok(vec![Coordinates::default()]),
            Plan::Band { members, child, .. } => {
                let marks = self.marks(above, cursor)?;
                let mut all = self.coordinates(child, cursor, stmt)?;
                let sizes = marks.iter().rev().find_map(|mark| match mark {
                    Mark::Tile(sizes) => Some(sizes.as_slice()),
                    _ => None,
                });
                for mark in marks.iter().copied() {
                    let (axes, is_blocks) = match mark {
                        Mark::Blocks(axes) => (axes, true),
                        Mark::Threads(axes) => (axes, false),
                        _ => continue,
                    };
                    for (at, (axis, dates)) in axes.iter().zip(members).enumerate() {
                        let size = sizes.and_then(|sizes| sizes.get(at)).copied().unwrap_or(1);
                        let value = dates[&stmt].function.scale_down_val(&Val::int(size)?)?;
                        let value = value.floor()?;
                        for one in &mut all {
                            let place = if is_blocks { &mut one.blocks } else { &mut one.threads };
                            place[axis.index()] = Some(value.clone());
                        }
                    }
                }
                Ok(all)
            }
            Plan::Fork { of, children, .. } => {
                let mut all = Vec::new();
                for (at, filter) in of.get(&stmt).into_iter().flatten() {
                    for one in self.coordinates(&children[*at], &cursor.child(*at), stmt)? {
                        let instances = match (filter, one.instances) {
                            (Some(filter), Some(some)) => Some(some.intersect(filter)?),
                            (filter, some) => some.or_else(|| filter.clone()),
                        };
                        all.push(Coordinates { instances, ..one });
                    }
                }
                Ok(all)
            }
        }
    }

    /// The marks between a node and one below it.
    fn marks(&self, above: &Cursor, below: &Cursor) -> Result<Vec<&'a Mark>> {
        let (mut here, mut tree) = (above.clone(), self.tree.at(above)?);
        let mut found = Vec::new();
        for &step in below.steps().get(above.steps().len()..).unwrap_or_default() {
            if let Node::Mark { mark, .. } = tree.node() {
                found.push(mark);
            }
            here = here.child(step);
            tree = self.tree.at(&here)?;
        }
        Ok(found)
    }
}

/// Coordinates with the numbers of threads in the place of values: equal ones are one thread of a block, and different ones two.
fn numbered(mut all: Vec<Coordinates>, n: [i64; 3]) -> Result<Vec<Coordinates>> {
    for one in &mut all {
        for (value, n) in one.threads.iter_mut().zip(n) {
            if let Some(known) = value {
                let n = Val::int(n.max(1))?;
                let rounds = known.scale_down_val(&n)?.floor()?;
                *value = Some(known.sub(&rounds.scale_val(&n)?)?);
            }
        }
    }
    Ok(all)
}

/// Those of `pairs` of which both ends have the same coordinates.
fn together(
    pairs: &Map,
    from: &[Coordinates],
    to: &[Coordinates],
    of: fn(&Coordinates) -> &[Option<PwAff>; 3],
) -> Result<Map> {
    let mut found = Map::empty(&pairs.space()?)?;
    for first in from {
        let inside = within(pairs, first.instances.as_ref(), Map::intersect_domain)?;
        for second in to {
            let mut both = within(&inside, second.instances.as_ref(), Map::intersect_range)?;
            let mut are_known = true;
            for coordinates in of(first).iter().zip(of(second)) {
                match coordinates {
                    (None, None) => {}
                    (Some(a), Some(b)) => both = related(&both, a, b, Order::Same)?,
                    _ => are_known = false,
                }
            }
            if are_known {
                found = found.union(&both)?;
            }
        }
    }
    Ok(found)
}
