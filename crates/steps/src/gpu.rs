//! What runs on a GPU: kernels, and loops that are divided among their blocks and threads.

use crate::mark::refuse_carried;
use crate::tree::{beneath, marks_above, part, refuse_marked, with_marks};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_poly::UnionSet;
use farkas_tree::{Cursor, GpuAxis, Mark, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop, or some statements, as one launch of a kernel.
///
/// **Rewrite**: `band [f]` becomes `mark kernel X,Y,Z; band [f]`. Loops around it stay on the host. What is inside runs on one thread of one
/// block, but for loops that [`Map`] divides.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The outermost loop of the kernel.
    #[serde(rename = "loop", default, skip_serializing_if = "Option::is_none")]
    pub at: Option<LoopAddress>,
    /// In the place of a loop: statements, for a kernel inside of the loops that all of them share, around all that runs there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stmts: Vec<String>,
    /// The threads of a block along x, y and z.
    pub threads: [i64; 3],
}

impl Reorder for Kernel {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        if let Some(why) = refused(self.threads) {
            return Err(NotApplicable::BadNumber(why).into());
        }
        let tree = subject.tree();
        let mark = Mark::Kernel(self.threads);
        match &self.at {
            Some(at) => {
                let at = subject.find(at)?;
                refuse_in_kernel(tree, &at.band)?;
                if at.member > 0 {
                    refuse_marked(tree, &at)?;
                }
                let (band, child) = at.band_in(tree)?;
                let above = marks_above(tree, &at.band);
                let inner = part(&band.members[at.member..], band.permutable, child);
                let inner = with_marks(&above, at.member.., inner);
                beneath(tree, &at, &above, ScheduleTree::mark(mark, inner))
            }
            None => {
                let place = self.place(subject)?;
                refuse_in_kernel(tree, &place)?;
                let inside = tree.at(&place)?.clone();
                Ok(tree.replace(&place, ScheduleTree::mark(mark, inside))?)
            }
        }
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        self.at.iter_mut().collect()
    }

    fn stmts(&mut self) -> Vec<&mut String> {
        self.stmts.iter_mut().collect()
    }
}

/// The most threads of a block, whatever the device: those of all devices of compute capability 2.0 and later (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability").
pub const MAX_THREADS: i64 = 1024;
/// The most threads of a block along z, of the same devices.
pub const MAX_ALONG_Z: i64 = 64;

/// Why blocks cannot have so many threads along x, y and z, if so.
fn refused(threads: [i64; 3]) -> Option<&'static str> {
    let all = threads.iter().try_fold(1_i64, |all, n| all.checked_mul(*n));
    if threads.iter().any(|n| *n < 1) {
        Some("a block has at least 1 thread along each axis")
    } else if all.is_none_or(|n| n > MAX_THREADS) {
        Some("a block has at most 1024 threads: choose fewer along an axis")
    } else if threads[2] > MAX_ALONG_Z {
        Some("a block has at most 64 threads along z: choose fewer, or another axis")
    } else {
        None
    }
}

impl Kernel {
    /// The lowest node that all instances of the statements reach, above the marks that stand right above it.
    fn place(&self, subject: &Subject<'_>) -> Result<Cursor> {
        let (scop, tree) = (subject.scop(), subject.tree());
        let mut sets = Vec::new();
        for name in &self.stmts {
            let missing = || NotApplicable::NoStatement(name.clone());
            sets.push(scop.domain_of(scop.stmt_by_name(name).ok_or_else(missing)?)?);
        }
        if sets.is_empty() {
            return Err(NotApplicable::NoPlace.into());
        }
        let mut place = tree.lowest(&UnionSet::union_all(sets)?)?;
        while let Some(above) = place.parent()
            && matches!(tree.at(&above)?.node(), Node::Mark { .. })
        {
            place = above;
        }
        Ok(place)
    }
}

/// Refuses a place inside of a kernel, or around one.
fn refuse_in_kernel(tree: &ScheduleTree, place: &Cursor) -> Result<()> {
    let mut above = Some(place.clone());
    while let Some(here) = above {
        if matches!(tree.at(&here)?.node(), Node::Mark { mark: Mark::Kernel(_), .. }) {
            return Err(NotApplicable::InKernel.into());
        }
        above = here.parent();
    }
    if tree.at(place)?.has_kernel() { Err(NotApplicable::InKernel.into()) } else { Ok(()) }
}

/// A place in a kernel where all threads of a block wait for one another.
///
/// **Rewrite**: `band [f]` becomes `mark barrier; band [f]`, or `band [f]; mark barrier` for one at the beginning of each iteration. Loops around
/// it are none that threads share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// The loop.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// Whether threads wait when each iteration begins, or before the loop does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each: bool,
}

impl Reorder for Barrier {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.at)?;
        let (band, child) = at.band_in(tree)?;
        let above = marks_above(tree, &at.band);
        if self.each {
            let (own, inner) = band.members.split_at(at.member + 1);
            let inner = part(inner, band.permutable, child);
            let inner = with_marks(&above, at.member + 1.., inner);
            let inner =
                if own.len() < band.members.len() { inner } else { band_child(tree, &at.band)? };
            let new = part(own, band.permutable, below_marks(&inner));
            return Ok(tree.replace(&at.band, new)?);
        }
        if at.member > 0 {
            return Err(NotApplicable::Marked(Mark::Barrier).into());
        }
        let top = at.band.ancestor(above.len());
        let inside = tree.at(&top)?.clone();
        Ok(tree.replace(&top, ScheduleTree::mark(Mark::Barrier, inside))?)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }
}

/// A barrier in front of what is below the marks of a tree.
fn below_marks(tree: &ScheduleTree) -> ScheduleTree {
    match tree.node() {
        Node::Mark { mark: mark @ Mark::Point, child } => {
            ScheduleTree::mark(mark.clone(), below_marks(child))
        }
        _ => ScheduleTree::mark(Mark::Barrier, tree.clone()),
    }
}

/// What is inside a band.
fn band_child(tree: &ScheduleTree, band: &Cursor) -> Result<ScheduleTree> {
    let inside = tree.at(band)?.children().first().cloned();
    inside.ok_or_else(|| farkas_tree::Error::NoNode(band.clone()).into())
}

/// Loops of a kernel, one right inside the other in a band, that are divided among its blocks or the threads of a block.
///
/// **Rewrite**: `band [f, g, h]` becomes `mark blocks y,x; band [f, g]; band [h]`, or `mark threads y,x`. The loops must carry no dependence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// The outermost of the loops.
    #[serde(rename = "loop")]
    pub first: LoopAddress,
    /// What runs their iterations.
    pub to: MappedTo,
    /// The axis of each loop, from the outermost on.
    pub axes: Vec<Axis>,
}

/// What runs the iterations of loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MappedTo {
    /// The blocks of a grid.
    Blocks,
    /// The threads of a block.
    Threads,
}

/// An axis of a grid or of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Along which neighbouring threads run side by side.
    X,
    /// The next one.
    Y,
    /// The outermost.
    Z,
}

impl From<Axis> for GpuAxis {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::X => Self::X,
            Axis::Y => Self::Y,
            Axis::Z => Self::Z,
        }
    }
}

impl Axis {
    /// All of them, the innermost first.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];
}

impl Reorder for Map {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let first = subject.find(&self.first)?;
        refuse_marked(tree, &first)?;
        let (band, child) = first.band_in(tree)?;
        let found = band.members.len() - first.member;
        let wanted = self.axes.len();
        if wanted == 0 || wanted > found {
            return Err(NotApplicable::TooManyAxes { wanted, found }.into());
        }
        for member in first.member..first.member + wanted {
            let at = crate::tree::Loop { member, ..first.clone() };
            refuse_carried(subject, &at, &[], &[])?;
        }
        let (outer, rest) = band.members.split_at(first.member);
        let (own, inner) = rest.split_at(wanted);
        let above = marks_above(tree, &first.band);
        let end = first.member + wanted;
        let inner = part(inner, band.permutable, child);
        let inner = if end < band.members.len() { with_marks(&above, end.., inner) } else { inner };
        let axes = self.axes.iter().map(|axis| GpuAxis::from(*axis)).collect();
        let mark = match self.to {
            MappedTo::Blocks => Mark::Blocks(axes),
            MappedTo::Threads => Mark::Threads(axes),
        };
        let mapped = ScheduleTree::mark(mark, part(own, band.permutable, inner));
        let mapped = with_marks(&above, first.member..end, mapped);
        if outer.is_empty() {
            return Ok(tree.replace(&first.band.ancestor(above.len()), mapped)?);
        }
        beneath(tree, &first, &above, mapped)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.first]
    }
}
