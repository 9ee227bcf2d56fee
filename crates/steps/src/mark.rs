//! What kind of loop a loop is.

use crate::sums::refuse_other_than_sum;
use crate::tree::{Loop, beneath, marks_above, part, refuse_marked, with_marks};
use crate::{ArrayAddress, LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_deps::carried;
use farkas_poly::AstLoopType;
use farkas_tree::{Cursor, Mark as TreeMark, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// Its sum may be built from several partial sums. It must be innermost, and its one statement add up into one element along it.
    /// Sums of floating-point numbers come out otherwise then: only where the user says that they may.
    PartialSums,
}

impl Reorder for Mark {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.at)?;
        if !self.private.is_empty() && !matches!(self.kind, LoopKind::Parallel | LoopKind::Vector) {
            return Err(NotApplicable::InOrder.into());
        }
        match self.kind {
            LoopKind::Parallel => self.marked(subject, &at, TreeMark::Parallel),
            LoopKind::Vector => self.marked(subject, &at, TreeMark::Vector),
            LoopKind::Unroll => self.marked(subject, &at, TreeMark::Unroll),
            LoopKind::PartialSums => self.marked(subject, &at, TreeMark::PartialSums),
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
        self.private.iter_mut().collect()
    }
}

impl Mark {
    /// A loop of this kind, without copies.
    pub fn new(at: LoopAddress, kind: LoopKind) -> Self {
        Self { at, kind, private: Vec::new() }
    }

    /// The tree with the loop in a band of its own, under a mark, and under one for copies where there are some.
    fn marked(&self, subject: &Subject<'_>, at: &Loop, mark: TreeMark) -> Result<ScheduleTree> {
        let (tree, copies) = (subject.tree(), self.copies(subject)?);
        let above = marks_above(tree, &at.band);
        let is_marked = at.member == 0 && above.contains(&&mark);
        // Copies may be added to a loop that is marked.
        let only_copies = is_marked && !copies.is_empty();
        if !only_copies && let Some(known) = above.iter().find(|known| excludes(known, &mark)) {
            return Err(NotApplicable::Marked((*known).clone()).into());
        }
        let (band, child) = at.band_in(tree)?;
        let is_last = at.member + 1 == band.members.len();
        let is_innermost = is_last && !child.contains_band();
        match mark {
            TreeMark::Vector if !is_last || has_loop(&child) => {
                return Err(NotApplicable::NotWrittenOut.into());
            }
            TreeMark::PartialSums => refuse_other_than_sum(subject, at, is_innermost)?,
            TreeMark::Parallel | TreeMark::Vector => refuse_carried(subject, at, &copies)?,
            _ => {}
        }
        let (outer, rest) = band.members.split_at(at.member);
        let (own, inner) = rest.split_at(1);
        let inner = part(inner, band.permutable, child);
        let mut new = part(own, band.permutable, inner);
        if !copies.is_empty() {
            new = ScheduleTree::mark(TreeMark::Private(copies), new);
        }
        if !is_marked {
            new = ScheduleTree::mark(mark, new);
        }
        Ok(tree.replace(&at.band, part(outer, band.permutable, new))?)
    }

    /// The arrays that iterations have copies of, as the program calls them.
    fn copies(&self, subject: &Subject<'_>) -> Result<Vec<String>> {
        let scop = subject.scop();
        let name = |array: &ArrayAddress| Ok(scop.arrays()[array.find(scop)?].name.clone());
        self.private.iter().map(name).collect()
    }
}

/// Whether a loop under one mark cannot have another one. One loop may have both threads and vector lanes.
fn excludes(known: &TreeMark, mark: &TreeMark) -> bool {
    matches!(
        (known, mark),
        (TreeMark::Parallel, TreeMark::Parallel | TreeMark::Unroll)
            | (TreeMark::Vector, TreeMark::Vector | TreeMark::Unroll)
            | (TreeMark::Unroll | TreeMark::PartialSums, _)
            | (TreeMark::Parallel | TreeMark::Vector, TreeMark::PartialSums)
    )
}

/// Refuses a loop that carries dependences, those of arrays apart that its iterations have copies of.
fn refuse_carried(subject: &Subject<'_>, at: &Loop, copies: &[String]) -> Result<()> {
    if at.member_in(subject.tree())?.coincident {
        return Ok(());
    }
    let Some(deps) = subject.deps else {
        return Err(NotApplicable::Carries(Vec::new()).into());
    };
    let mut ids = carried::report(deps, subject.tree(), &at.band, at.member)?.blocked_by;
    ids.retain(|&id| !subject.array_of(&deps[id]).is_some_and(|array| copies.contains(array)));
    if ids.is_empty() { Ok(()) } else { Err(NotApplicable::Carries(ids).into()) }
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
    matches!(mark, TreeMark::Parallel | TreeMark::Vector | TreeMark::Private(_))
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

/// Whether there is a loop that is not written out.
fn has_loop(tree: &ScheduleTree) -> bool {
    match tree.node() {
        Node::Band { .. } => true,
        Node::Mark { mark: TreeMark::Unroll, child } => child.children().iter().any(has_loop),
        _ => tree.children().iter().any(has_loop),
    }
}
