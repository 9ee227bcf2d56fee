//! What a tree does to pairs that it does not keep in order: exactly, with isl.

use super::Place;
use super::plan::Plan;
use super::relations::{Order, related};
use super::walk::{Violation, within};
use crate::Result;
use farkas_poly::Map;
use farkas_scop::{ArrayId, StmtId};

/// Pairs of instances that touch the same element of an array and that a tree does not keep in order. Those in different
/// iterations of a loop that has private copies of the array touch different memory and are left out; so do updates in iterations that
/// update copies.
#[derive(Default)]
pub(super) struct Placement {
    /// The second instance surely runs first.
    pub(super) reversed: Vec<Violation>,
    /// Either may run first.
    pub(super) unordered: Vec<Violation>,
    /// Whether both are updates of the array.
    are_updates: bool,
}

impl Placement {
    /// What `plan`, which all of `pairs` reach, does to them.
    pub(super) fn of(
        plan: &Plan,
        array: ArrayId,
        [source, sink]: [StmtId; 2],
        (pairs, are_updates): (Map, bool),
    ) -> Result<Self> {
        let mut placement = Self { are_updates, ..Self::default() };
        placement.follow(plan, array, [source, sink], pairs)?;
        Ok(placement)
    }

    /// Adds what `plan` does to `pairs`.
    fn follow(
        &mut self,
        plan: &Plan,
        array: ArrayId,
        ends: [StmtId; 2],
        mut pairs: Map,
    ) -> Result<()> {
        if pairs.is_empty()? {
            return Ok(());
        }
        match plan {
            Plan::Leaf { cursor } => {
                let place = Place::Unordered { cursor: cursor.clone() };
                self.unordered.push(Violation { pairs, place });
                Ok(())
            }
            Plan::Band { concurrent, child, .. } => {
                let is_private = concurrent.as_ref().is_some_and(|c| {
                    c.private.contains(&array) || self.are_updates && c.reduced.contains(&array)
                });
                for member in 0..plan.n_members() {
                    if !is_private {
                        self.iterations(plan, member, ends, &pairs)?;
                    }
                    pairs = plan.dated(member, ends, &pairs, Order::Same)?;
                }
                self.follow(child, array, ends, pairs)
            }
            Plan::Fork { .. } => self.fork(plan, array, ends, &pairs),
        }
    }

    /// What a loop that has no copies of the array does to `pairs`.
    fn iterations(
        &mut self,
        plan: &Plan,
        member: usize,
        ends: [StmtId; 2],
        pairs: &Map,
    ) -> Result<()> {
        let Plan::Band { cursor, concurrent, .. } = plan else { return Ok(()) };
        let cursor = cursor.clone();
        let Some(concurrent) = concurrent else {
            let pairs = plan.dated(member, ends, pairs, Order::After)?;
            let place = Place::Loop { cursor, member };
            add(&mut self.reversed, Violation { pairs, place })?;
            return Ok(());
        };
        for order in [Order::After, Order::Before] {
            let pairs = plan.dated(member, ends, pairs, order)?;
            let (cursor, mark) = (cursor.clone(), concurrent.mark.clone());
            let place = Place::Concurrent { cursor, member, mark };
            add(&mut self.unordered, Violation { pairs, place })?;
        }
        Ok(())
    }

    /// What a sequence or set node does to `pairs`.
    fn fork(&mut self, plan: &Plan, array: ArrayId, ends: [StmtId; 2], pairs: &Map) -> Result<()> {
        let Plan::Fork { cursor, is_sequence, of, children } = plan else { return Ok(()) };
        let [source, sink] = ends;
        for (i, first) in &of[&source] {
            let from = within(pairs, first.as_ref(), Map::intersect_domain)?;
            for (j, second) in &of[&sink] {
                if *is_sequence && i < j {
                    continue;
                }
                let crossing = within(&from, second.as_ref(), Map::intersect_range)?;
                if i == j {
                    self.follow(&children[*i], array, ends, crossing)?;
                    continue;
                }
                let (cursor, is_sequence) = (cursor.clone(), *is_sequence);
                let place = Place::Children { cursor, source: *i, sink: *j, is_sequence };
                let list = if is_sequence { &mut self.reversed } else { &mut self.unordered };
                add(list, Violation { pairs: crossing, place })?;
            }
        }
        Ok(())
    }
}

impl Plan {
    /// Number of loops of a band.
    pub(super) fn n_members(&self) -> usize {
        if let Self::Band { members, .. } = self { members.len() } else { 0 }
    }

    /// Those of `pairs` whose dates in a loop of this band lie so.
    pub(super) fn dated(
        &self,
        member: usize,
        [source, sink]: [StmtId; 2],
        pairs: &Map,
        order: Order,
    ) -> Result<Map> {
        let Self::Band { members, .. } = self else { return Ok(pairs.clone()) };
        let dates = &members[member];
        related(pairs, &dates[&source].function, &dates[&sink].function, order)
    }

    /// Those of `pairs` of which both ends run in the same iteration of all loops of the band at `cursor`.
    pub(super) fn together(
        &self,
        cursor: &farkas_tree::Cursor,
        ends: [StmtId; 2],
        pairs: &Map,
    ) -> Result<Map> {
        let mut pairs = pairs.clone();
        for member in 0..self.n_members() {
            pairs = self.dated(member, ends, &pairs, Order::Same)?;
        }
        match self {
            Self::Band { cursor: here, .. } if here == cursor => Ok(pairs),
            Self::Band { child, .. } => child.together(cursor, ends, &pairs),
            Self::Leaf { .. } => Ok(Map::empty(&pairs.space()?)?),
            Self::Fork { cursor: here, of, children, .. } => {
                let step = cursor.steps().get(here.steps().len());
                let filter = |stmt: StmtId| {
                    let parts = of.get(&stmt).map_or(&[][..], Vec::as_slice);
                    parts.iter().find(|(i, _)| Some(i) == step).map(|(_, filter)| filter.as_ref())
                };
                let (Some(step), Some(first), Some(second)) =
                    (step, filter(ends[0]), filter(ends[1]))
                else {
                    return Ok(Map::empty(&pairs.space()?)?);
                };
                let pairs = within(&pairs, first, Map::intersect_domain)?;
                let pairs = within(&pairs, second, Map::intersect_range)?;
                children[*step].together(cursor, ends, &pairs)
            }
        }
    }
}

/// Adds `violation` to `list` if it has pairs.
fn add(list: &mut Vec<Violation>, violation: Violation) -> Result<()> {
    if !violation.pairs.is_empty()? {
        list.push(violation);
    }
    Ok(())
}
