//! What kind of loop a loop is.

use crate::tree::{Loop, beneath, marks_above, part, refuse_marked, with_marks};
use crate::{ArrayAddress, LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_deps::{Dependence, carried};
use farkas_poly::AstLoopType;
use farkas_scop::{AccessId, StmtId};
use farkas_tree::{Band, Cursor, Mark as TreeMark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A loop as one of another kind: with a band of its own, under a mark.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The loop.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// What it becomes.
    #[serde(rename = "as")]
    pub kind: LoopKind,
    /// The arrays that its iterations have copies of, on threads or in lanes, so that they need not wait for one another because of
    /// their places. Legal where each iteration writes what it reads of them, and nothing else reads it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub private: Vec<ArrayAddress>,
    /// The arrays of which its iterations update copies, on threads or in lanes: copies begin with the neutral element of the operator, and
    /// what they hold in the end is combined with the elements. Legal where iterations do nothing else with the array, and the order of the
    /// updates is free: by the operator, or because the user says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reduce: Vec<ArrayAddress>,
}

/// A kind of loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoopKind {
    /// Its iterations run on several threads. It must carry no dependence.
    Parallel,
    /// Its iterations run in vector lanes. It must carry no dependence, and only loops that are written out may be inside.
    Vector,
    /// A compiler writes its iterations out one after another.
    Unroll,
    /// Of a block of its iterations it is asked at once, in vector lanes, whether any changes something; the others are skipped. It must be innermost, and
    /// its statements keep the least or greatest of floating-point values, or what comes with the least or greatest of any.
    Rare,
    /// A warp of a GPU computes its iterations, and those of the two loops inside, as products of tensor cores, where it can: kernels in CUDA C++ that have whole
    /// tiles do, whatever else runs one iteration after another. The loops must add products of numbers of 16 bits to a `float`, in an order that is
    /// free.
    Tensor,
    /// It is on one thread and out of vector lanes, whatever was said before.
    Sequential,
    /// Full tiles have code of their own, without conditions on where they end. It must run over tiles.
    FullTilesApart,
    /// Full and partial tiles share their code, whatever was said before.
    FullTilesTogether,
    /// It stays where it is among the loops of its band: planners that come later neither tile nor interchange these.
    Ordered,
    /// With all that is inside it stays as it is: planners that come later leave it alone.
    Shaped,
    /// It has a piece for each range in which the same statements run, so that it runs through no gap between them.
    Pieces,
}

impl Reorder for Mark {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.at)?;
        let has_copies = !self.private.is_empty() || !self.reduce.is_empty();
        if has_copies && !matches!(self.kind, LoopKind::Parallel | LoopKind::Vector) {
            return Err(NotApplicable::InOrder.into());
        }
        match self.kind {
            LoopKind::Parallel => self.marked(subject, &at, TreeMark::Parallel),
            LoopKind::Vector => self.marked(subject, &at, TreeMark::Vector),
            LoopKind::Unroll => self.marked(subject, &at, TreeMark::Unroll),
            LoopKind::Rare => self.marked(subject, &at, TreeMark::Rare),
            LoopKind::Tensor => self.marked(subject, &at, TreeMark::Tensor),
            LoopKind::Sequential => unmarked(tree, &at.band, is_concurrent),
            LoopKind::FullTilesApart => full_tiles_apart(tree, &at),
            LoopKind::FullTilesTogether => unmarked(tree, &at.band, is_of_full_tiles),
            LoopKind::Ordered => ordered(subject, &at),
            LoopKind::Shaped => {
                let top = at.band.ancestor(marks_above(tree, &at.band).len());
                let shaped = ScheduleTree::mark(TreeMark::Shaped, tree.at(&top)?.clone());
                Ok(tree.replace(&top, shaped)?)
            }
            LoopKind::Pieces => {
                let (mut band, child) = at.band_in(tree)?;
                band.members[at.member].loop_type = AstLoopType::Separate;
                Ok(tree.replace(&at.band, ScheduleTree::band(band, child))?)
            }
        }
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }

    fn arrays(&mut self) -> Vec<&mut ArrayAddress> {
        self.private.iter_mut().chain(&mut self.reduce).collect()
    }
}

impl Mark {
    /// A loop of this kind, without copies.
    pub fn new(at: LoopAddress, kind: LoopKind) -> Self {
        Self { at, kind, private: Vec::new(), reduce: Vec::new() }
    }

    /// The tree with the loop in a band of its own, under a mark, and under one for copies where there are some.
    fn marked(&self, subject: &Subject<'_>, at: &Loop, mark: TreeMark) -> Result<ScheduleTree> {
        let (tree, copies) = (subject.tree(), names(subject, &self.private)?);
        let reduced = names(subject, &self.reduce)?;
        let above = marks_above(tree, &at.band);
        let is_marked = at.member == 0 && above.contains(&&mark);
        // Copies may be added to a loop that is marked.
        let only_copies = is_marked && !(copies.is_empty() && reduced.is_empty());
        if !only_copies && let Some(known) = above.iter().find(|known| excludes(known, &mark)) {
            return Err(NotApplicable::Marked((*known).clone()).into());
        }
        let (band, child) = at.band_in(tree)?;
        let is_last = at.member + 1 == band.members.len();
        match mark {
            TreeMark::Vector if !is_last || has_loop(&child) => {
                return Err(NotApplicable::NotWrittenOut.into());
            }
            TreeMark::Rare if !is_last || child.contains_band() || !decides(subject, &band)? => {
                return Err(NotApplicable::NotRare.into());
            }
            TreeMark::Tensor => {
                refuse_other_products(subject, &band.members[at.member..], &child)?;
            }
            TreeMark::Parallel | TreeMark::Vector => {
                let all = |own: &[String], of: fn(&TreeMark) -> &[String]| -> Vec<String> {
                    above.iter().flat_map(|mark| of(mark)).chain(own).cloned().collect()
                };
                let (copies, reduced) = (all(&copies, copied), all(&reduced, updated));
                refuse_carried(subject, at, &copies, &reduced)?;
            }
            _ => {}
        }
        let (outer, rest) = band.members.split_at(at.member);
        let (own, inner) = rest.split_at(1);
        let inner = part(inner, band.permutable, child);
        let mut new = part(own, band.permutable, inner);
        if !reduced.is_empty() {
            new = ScheduleTree::mark(TreeMark::Reduce(reduced), new);
        }
        if !copies.is_empty() {
            new = ScheduleTree::mark(TreeMark::Private(copies), new);
        }
        if !is_marked {
            new = ScheduleTree::mark(mark, new);
        }
        Ok(tree.replace(&at.band, part(outer, band.permutable, new))?)
    }
}

/// Some arrays as the program calls them.
fn names(subject: &Subject<'_>, arrays: &[ArrayAddress]) -> Result<Vec<String>> {
    let scop = subject.scop();
    let name = |array: &ArrayAddress| Ok(scop.arrays()[array.find(scop)?].name.clone());
    arrays.iter().map(name).collect()
}

/// Whether a loop under one mark cannot have another one. One loop may have both threads and vector lanes.
fn excludes(known: &TreeMark, mark: &TreeMark) -> bool {
    matches!(
        (known, mark),
        (
            TreeMark::Parallel,
            TreeMark::Parallel | TreeMark::Unroll | TreeMark::Rare | TreeMark::Tensor
        ) | (
            TreeMark::Vector,
            TreeMark::Vector | TreeMark::Unroll | TreeMark::Rare | TreeMark::Tensor
        ) | (TreeMark::Unroll | TreeMark::Rare | TreeMark::Tensor, _)
    )
}

/// The arrays that a mark gives iterations copies of.
fn copied(mark: &TreeMark) -> &[String] {
    match mark {
        TreeMark::Private(names) => names,
        _ => &[],
    }
}

/// The arrays that a mark lets iterations update copies of.
fn updated(mark: &TreeMark) -> &[String] {
    match mark {
        TreeMark::Reduce(names) => names,
        _ => &[],
    }
}

/// Refuses a loop that carries dependences, those of arrays apart that its iterations have copies of, and updates of those that they update
/// copies of.
pub(crate) fn refuse_carried(
    subject: &Subject<'_>,
    at: &Loop,
    copies: &[String],
    reduced: &[String],
) -> Result<()> {
    if at.member_in(subject.tree())?.coincident {
        return Ok(());
    }
    let Some(deps) = subject.deps else {
        // Which updates it carries is not known here: the check finds out.
        let is_known = reduced.is_empty();
        return if is_known { Err(NotApplicable::Carries(Vec::new()).into()) } else { Ok(()) };
    };
    let mut ids = carried::report(deps, subject.tree(), &at.band, at.member)?.blocked_by;
    ids.retain(|&id| {
        let is_own =
            |array| copies.contains(array) || deps[id].relaxed.is_some() && reduced.contains(array);
        !subject.array_of(&deps[id]).is_some_and(is_own)
    });
    let fixed = ids.iter().find_map(|id| fixed_update(subject, &deps[*id], reduced));
    match fixed {
        Some(refusal) => Err(refusal.into()),
        None if ids.is_empty() => Ok(()),
        None => Err(NotApplicable::Carries(ids).into()),
    }
}

/// Why updates of one of these arrays may not change their order, where a dependence is between such.
fn fixed_update(
    subject: &Subject<'_>,
    dep: &Dependence,
    reduced: &[String],
) -> Option<NotApplicable> {
    let array = subject.array_of(dep).filter(|array| reduced.contains(array))?;
    let scop = subject.scop();
    let freedom = |stmt: StmtId, access: AccessId| {
        let update = scop.stmts()[stmt].update(scop.arrays())?;
        let is_fixed = !scop.reassociation().permits(update.freedom);
        (update.has(access) && is_fixed).then_some(update.freedom)
    };
    let source = freedom(dep.source, dep.source_access)?;
    let why = freedom(dep.sink, dep.sink_access)?.max(source).fixed_reason();
    Some(NotApplicable::NotFree(array.clone(), why))
}

/// The tree in which full tiles of a loop are generated apart; the loops around it keep a band of their own.
fn full_tiles_apart(tree: &ScheduleTree, at: &Loop) -> Result<ScheduleTree> {
    let above = marks_above(tree, &at.band);
    if !above.iter().any(|mark| matches!(mark, TreeMark::Tile(_))) {
        return Err(NotApplicable::NoTiles.into());
    }
    if above.contains(&&TreeMark::SeparateFullTiles) {
        return Err(NotApplicable::Marked(TreeMark::SeparateFullTiles).into());
    }
    if at.member > 0 {
        refuse_marked(tree, at)?;
    }
    let (band, child) = at.band_in(tree)?;
    let inner = part(&band.members[at.member..], band.permutable, child);
    let inner = with_marks(&above, at.member.., inner);
    let marked = ScheduleTree::mark(TreeMark::SeparateFullTiles, inner);
    beneath(tree, at, &above, marked)
}

/// The tree in which the loops of a band stay in this order. One is coincident that carries nothing which those before it leave.
fn ordered(subject: &Subject<'_>, at: &Loop) -> Result<ScheduleTree> {
    let tree = subject.tree();
    let (mut band, child) = at.band_in(tree)?;
    band.permutable = false;
    for (position, member) in band.members.iter_mut().enumerate() {
        if let Some(deps) = subject.deps {
            member.coincident |= carried::is_parallel(deps, tree, &at.band, position)?;
        }
    }
    Ok(tree.replace(&at.band, ScheduleTree::band(band, child))?)
}

/// Whether a mark makes iterations run at the same time, or goes with one that does.
fn is_concurrent(mark: &TreeMark) -> bool {
    matches!(mark, TreeMark::Parallel | TreeMark::Vector)
        || matches!(mark, TreeMark::Private(_) | TreeMark::Reduce(_))
}

/// Whether a mark tells full tiles from partial ones.
fn is_of_full_tiles(mark: &TreeMark) -> bool {
    matches!(mark, TreeMark::SeparateFullTiles | TreeMark::Padded(_))
}

/// The tree without those of the marks right above the band at `cursor` that are to go.
fn unmarked(
    tree: &ScheduleTree,
    cursor: &Cursor,
    goes: impl Fn(&TreeMark) -> bool,
) -> Result<ScheduleTree> {
    let mut tree = tree.clone();
    let mut above = cursor.parent();
    while let Some(here) = above {
        let Node::Mark { mark, child } = tree.at(&here)?.node() else { break };
        if goes(mark) {
            let child = child.clone();
            tree = tree.replace(&here, child)?;
        }
        above = here.parent();
    }
    Ok(tree)
}

/// Whether conditions decide whether any statement of a band changes something.
fn decides(subject: &Subject<'_>, band: &Band) -> Result<bool> {
    let scop = subject.scop();
    let Some(member) = band.members.last() else { return Ok(false) };
    let stmts = member.schedule.domain()?.sets()?;
    Ok(stmts.iter().all(|set| {
        let stmt = set.tuple_name().and_then(|name| scop.stmt_by_name(&name));
        stmt.is_some_and(|stmt| scop.stmts()[stmt].decision(scop.arrays()).is_some())
    }))
}

/// Refuses loops, and what is in them, that are not three around a sum of products of numbers of 16 bits.
fn refuse_other_products(
    subject: &Subject<'_>,
    members: &[Member],
    inner: &ScheduleTree,
) -> Result<()> {
    let (mut here, mut n_loops) = (inner, members.len());
    while let Node::Band { band, child } = here.node() {
        (here, n_loops) = (child, n_loops + band.members.len());
    }
    let scop = subject.scop();
    let stmts = match members.first() {
        Some(member) => member.schedule.domain()?.sets()?,
        None => Vec::new(),
    };
    let names: BTreeSet<String> = stmts.iter().filter_map(|set| set.tuple_name()).collect();
    let only = (n_loops == 3 && matches!(here.node(), Node::Leaf)).then_some(names);
    let names: Vec<String> = only.into_iter().flatten().collect();
    let [name] = names.as_slice() else { return Err(NotApplicable::NotThreeLoops.into()) };
    let Some(stmt) = scop.stmt_by_name(name) else { return Ok(()) };
    match scop.stmts()[stmt].half_product(scop) {
        Ok(_) => Ok(()),
        Err(why) => Err(NotApplicable::NoHalfProduct { stmt: name.clone(), why }.into()),
    }
}

/// Whether there is a loop that is not written out.
fn has_loop(tree: &ScheduleTree) -> bool {
    match tree.node() {
        Node::Band { .. } => true,
        Node::Mark { mark: TreeMark::Unroll, child } => child.children().iter().any(has_loop),
        _ => tree.children().iter().any(has_loop),
    }
}
