//! What kind of loop a loop is.

use crate::sums::refuse_other_than_sum;
use crate::tree::{marks_above, part};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_deps::carried;
use farkas_tree::{Mark as TreeMark, ScheduleTree};
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
            LoopKind::Parallel => TreeMark::Parallel,
            LoopKind::Vector => TreeMark::Vector,
            LoopKind::Unroll => TreeMark::Unroll,
            LoopKind::PartialSums => TreeMark::PartialSums,
        };
        // One loop may have both threads and vector lanes.
        let excludes = |known: &&&TreeMark| {
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
        if is_free && !band.members[at.member].coincident {
            let Some(deps) = subject.deps else {
                return Err(NotApplicable::Carries(Vec::new()).into());
            };
            let report = carried::report(deps, tree, &at.band, at.member)?;
            if !report.is_parallel() {
                return Err(NotApplicable::Carries(report.blocked_by).into());
            }
        }
        let (outer, rest) = band.members.split_at(at.member);
        let (own, inner) = rest.split_at(1);
        let inner = part(inner, band.permutable, child);
        let marked = ScheduleTree::mark(mark, part(own, band.permutable, inner));
        Ok(tree.replace(&at.band, part(outer, band.permutable, marked))?)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }
}
