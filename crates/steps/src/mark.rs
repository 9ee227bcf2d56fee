//! What kind of loop a loop is.

use crate::sums::refuse_other_than_sum;
use crate::tree::{marks_above, part};
use crate::{ArrayAddress, LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_deps::{Dependence, carried};
use farkas_poly::AstLoopType;
use farkas_scop::Scop;
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
    /// Its iterations run in vector lanes. It must be innermost and carry no dependence.
    Vector,
    /// A compiler writes its iterations out one after another.
    Unroll,
    /// It is on one thread and out of vector lanes, whatever was said before.
    Sequential,
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
        let (band, child) = at.band_in(tree)?;
        let mark = match self.kind {
            LoopKind::Pieces => {
                let mut band = band;
                band.members[at.member].loop_type = AstLoopType::Separate;
                return Ok(tree.replace(&at.band, ScheduleTree::band(band, child))?);
            }
            LoopKind::Sequential => return sequential(tree, &at.band),
            LoopKind::Parallel => TreeMark::Parallel,
            LoopKind::Vector => TreeMark::Vector,
            LoopKind::Unroll => TreeMark::Unroll,
            LoopKind::PartialSums => TreeMark::PartialSums,
        };
        // One loop may have both threads and vector lanes.
        let has_more_copies = !self.private.is_empty();
        let excludes = |known: &&&TreeMark| {
            if has_more_copies && ***known == mark {
                return false;
            }
            matches!(
                (**known, &mark),
                (TreeMark::Parallel, TreeMark::Parallel | TreeMark::Unroll)
                    | (TreeMark::Vector, TreeMark::Vector | TreeMark::Unroll)
                    | (TreeMark::Unroll | TreeMark::PartialSums, _)
                    | (TreeMark::Parallel | TreeMark::Vector, TreeMark::PartialSums)
            )
        };
        if let Some(known) = marks_above(tree, &at.band).iter().find(excludes) {
            return Err(NotApplicable::Marked((*known).clone()).into());
        }
        let is_innermost = at.member + 1 == band.members.len() && !child.contains_band();
        if self.kind == LoopKind::Vector && !is_innermost {
            return Err(NotApplicable::NotInnermost.into());
        }
        if self.kind == LoopKind::PartialSums {
            refuse_other_than_sum(subject, &at, is_innermost)?;
        }
        let is_free = matches!(self.kind, LoopKind::Parallel | LoopKind::Vector);
        if !is_free && has_more_copies {
            return Err(NotApplicable::InOrder.into());
        }
        let copies = self.copies(subject)?;
        if is_free && !band.members[at.member].coincident {
            let Some(deps) = subject.deps else {
                return Err(NotApplicable::Carries(Vec::new()).into());
            };
            let mut blocked_by = carried::report(deps, tree, &at.band, at.member)?.blocked_by;
            blocked_by.retain(|&id| {
                !array_of(subject, &deps[id]).is_some_and(|array| copies.contains(array))
            });
            if !blocked_by.is_empty() {
                return Err(NotApplicable::Carries(blocked_by).into());
            }
        }
        let (outer, rest) = band.members.split_at(at.member);
        let (own, inner) = rest.split_at(1);
        let inner = part(inner, band.permutable, child);
        let mut marked = part(own, band.permutable, inner);
        if !copies.is_empty() {
            marked = ScheduleTree::mark(TreeMark::Private(copies), marked);
        }
        if !marks_above(tree, &at.band).contains(&&mark) {
            marked = ScheduleTree::mark(mark, marked);
        }
        Ok(tree.replace(&at.band, part(outer, band.permutable, marked))?)
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

    /// The arrays that iterations have copies of, as the program calls them.
    fn copies(&self, subject: &Subject<'_>) -> Result<Vec<String>> {
        let scop = subject.scop();
        let name = |array: &ArrayAddress| Ok(scop.arrays()[array.find(scop)?].name.clone());
        self.private.iter().map(name).collect()
    }
}

/// The array that a dependence is about.
fn array_of<'s>(subject: &Subject<'s>, dep: &Dependence) -> Option<&'s String> {
    let scop: &'s Scop = &subject.program.scop;
    let access = scop.stmts().get(dep.source)?.accesses.get(dep.source_access)?;
    Some(&scop.arrays()[access.array].name)
}

/// The tree without the marks right above the band at `cursor` that make its iterations concurrent.
fn sequential(tree: &ScheduleTree, cursor: &Cursor) -> Result<ScheduleTree> {
    let mut tree = tree.clone();
    let mut above = cursor.parent();
    while let Some(here) = above {
        let Node::Mark { mark, child } = tree.at(&here)?.node() else { break };
        if matches!(mark, TreeMark::Parallel | TreeMark::Vector | TreeMark::Private(_)) {
            let child = child.clone();
            tree = tree.replace(&here, child)?;
        }
        above = here.parent();
    }
    Ok(tree)
}
