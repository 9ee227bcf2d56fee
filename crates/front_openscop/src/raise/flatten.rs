//! A schedule tree as dates of one length.
//!
//! Each band member is a dimension, each sequence one more that numbers its children. Where branches have different
//! lengths, the shorter dates are filled up with zeros.

use super::scale::without_common_factor;
use crate::{Error, Result};
use farkas_poly::{DimType, Map, MultiUnionPwAff, UnionMap, UnionPwAff, UnionSet};
use farkas_tree::{Band, Mark, Node, ScheduleTree};

/// One dimension of the dates of a leaf.
#[derive(Clone)]
enum Dim {
    /// The place in a sequence.
    Place(i32),
    /// A loop.
    Loop(UnionPwAff),
}

/// The instances that a leaf runs and their dates.
struct Leaf {
    instances: UnionSet,
    dims: Vec<Dim>,
}

/// A loop that is marked.
pub(super) struct Marked {
    /// Its dimension in the dates.
    pub(super) dimension: usize,
    /// [`Mark::Parallel`] or [`Mark::Vector`].
    pub(super) mark: Mark,
    /// The instances in it.
    pub(super) instances: UnionSet,
    /// The date of each in the loop.
    pub(super) schedule: UnionPwAff,
    /// Dimensions of loops inside it.
    pub(super) inner: Vec<usize>,
}

/// A tree as dates.
pub(super) struct Flat {
    /// From instances to dates.
    pub(super) dates: UnionMap,
    /// Number of dimensions of the dates.
    pub(super) length: usize,
    /// Loops with a mark, in the order of the tree.
    pub(super) marked: Vec<Marked>,
}

/// Flattens a whole tree.
pub(super) fn flatten(tree: &ScheduleTree) -> Result<Flat> {
    let Node::Domain { domain, child } = tree.node() else {
        return Err(Error::NoMeansFor(tree.kind()));
    };
    let mut walk = Walk { leaves: Vec::new(), marked: Vec::new() };
    walk.node(child, domain, &mut Vec::new(), &mut Vec::new())?;
    let length = walk.leaves.iter().map(|leaf| leaf.dims.len()).max().unwrap_or(0);
    let mut dates = Vec::new();
    for leaf in &walk.leaves {
        dates.extend(leaf_dates(leaf, length)?);
    }
    Ok(Flat { dates: UnionMap::union_all(dates)?, length, marked: walk.marked })
}

/// What was found on the way through the tree.
struct Walk {
    leaves: Vec<Leaf>,
    marked: Vec<Marked>,
}

impl Walk {
    /// A subtree that runs `instances` at dates that begin with `dims`; `marks` are those above that wait for a band.
    fn node(
        &mut self,
        tree: &ScheduleTree,
        instances: &UnionSet,
        dims: &mut Vec<Dim>,
        marks: &mut Vec<Mark>,
    ) -> Result<()> {
        match tree.node() {
            Node::Leaf => {
                self.leaves.push(Leaf { instances: instances.clone(), dims: dims.clone() });
                Ok(())
            }
            Node::Band { band, child } => self.band(band, child, instances, dims, marks),
            Node::Sequence(children) | Node::Set(children) => {
                for (place, child) in (0..).zip(children) {
                    dims.push(Dim::Place(place));
                    self.node(child, instances, dims, marks)?;
                    dims.pop();
                }
                Ok(())
            }
            Node::Filter { filter, child } => {
                self.node(child, &instances.intersect(filter)?, dims, marks)
            }
            Node::Mark { mark: mark @ (Mark::Parallel | Mark::Vector), child } => {
                marks.push(mark.clone());
                self.node(child, instances, dims, marks)?;
                marks.retain(|waiting| waiting != mark);
                Ok(())
            }
            Node::Mark { mark: Mark::Private(_), .. } => Err(Error::NoMeansFor("private mark")),
            Node::Mark { mark: Mark::Reduce(_), .. } => Err(Error::NoMeansFor("reduce mark")),
            Node::Mark { child, .. } | Node::Context { child, .. } => {
                self.node(child, instances, dims, marks)
            }
            Node::Domain { .. }
            | Node::Extension { .. }
            | Node::Expansion { .. }
            | Node::Guard { .. } => Err(Error::NoMeansFor(tree.kind())),
        }
    }

    /// A band; waiting marks are for its first member.
    fn band(
        &mut self,
        band: &Band,
        child: &ScheduleTree,
        instances: &UnionSet,
        dims: &mut Vec<Dim>,
        marks: &mut Vec<Mark>,
    ) -> Result<()> {
        let (outer, first_leaf, first_mark) = (dims.len(), self.leaves.len(), self.marked.len());
        if let Some(first) = band.members.first() {
            let schedule = first.schedule.intersect_domain(instances)?;
            for mark in marks.drain(..) {
                let (instances, schedule) = (instances.clone(), schedule.clone());
                let inner = Vec::new();
                self.marked.push(Marked { dimension: outer, mark, instances, schedule, inner });
            }
        }
        let n_marks = self.marked.len();
        for member in &band.members {
            dims.push(Dim::Loop(without_common_factor(&member.schedule)?));
        }
        self.node(child, instances, dims, marks)?;
        dims.truncate(outer);
        let leaves = self.leaves.get(first_leaf..).unwrap_or_default();
        let is_loop =
            |at: &usize| leaves.iter().any(|l| matches!(l.dims.get(*at), Some(Dim::Loop(_))));
        let length = leaves.iter().map(|leaf| leaf.dims.len()).max().unwrap_or(0);
        let inner: Vec<usize> = (outer + 1..length).filter(is_loop).collect();
        for marked in self.marked.get_mut(first_mark..n_marks).unwrap_or_default() {
            marked.inner.clone_from(&inner);
        }
        Ok(())
    }
}

/// The dates of the instances of a leaf, with zeros up to `length` dimensions: one map a statement.
fn leaf_dates(leaf: &Leaf, length: usize) -> farkas_poly::Result<Vec<Map>> {
    let loops: Vec<UnionPwAff> = leaf
        .dims
        .iter()
        .filter_map(|dim| match dim {
            Dim::Loop(schedule) => Some(schedule.clone()),
            Dim::Place(_) => None,
        })
        .collect();
    let by_loops = if loops.is_empty() {
        let points = leaf.instances.sets()?.into_iter().map(|set| {
            let same = set.identity()?;
            same.project_out(DimType::Out, 0, same.dim(DimType::Out)?)?.reset_tuple_id(DimType::Out)
        });
        points.collect::<farkas_poly::Result<Vec<Map>>>()?
    } else {
        let schedule = MultiUnionPwAff::from_members(&loops)?;
        schedule.intersect_domain(&leaf.instances)?.to_union_map()?.maps()?
    };
    by_loops.iter().map(|map| with_places(map, &leaf.dims, length)).collect()
}

/// A date of loops alone with the places in sequences between them and zeros behind.
fn with_places(loops: &Map, dims: &[Dim], length: usize) -> farkas_poly::Result<Map> {
    let zeros = std::iter::repeat_n(&Dim::Place(0), length.saturating_sub(dims.len()));
    let mut map = loops.clone();
    for (at, dim) in (0..).zip(dims.iter().chain(zeros)) {
        if let Dim::Place(place) = dim {
            map = map.insert_dims(DimType::Out, at, 1)?.fix_si(DimType::Out, at, *place)?;
        }
    }
    Ok(map)
}
