//! Follows pairs of instances down a tree until something orders them: exactly, with isl.

use super::Place;
use super::plan::{Concurrent, Plan};
use super::relations::{Order, related};
use crate::{Relaxed, Result};
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{ArrayId, StmtId};

/// Pairs that a tree does not keep in order.
pub(crate) struct Violation {
    /// The pairs.
    pub(crate) pairs: Map,
    /// Where the tree fails.
    pub(crate) place: Place,
}

/// What need not be kept of the order of pairs that update one element of an array by one operator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Excused {
    /// Nothing: they are no such pairs.
    Nothing,
    /// What loops separate whose iterations update copies of the array.
    Copies(ArrayId),
    /// All: they may run in any order, but not at the same time, copies of the array apart.
    Order(ArrayId, Relaxed),
}

impl Excused {
    /// What is excused in the iterations of a loop.
    fn within(self, concurrent: Option<&Concurrent>) -> Self {
        match self {
            // Partial results in copies are computed in the unsigned type.
            Self::Order(array, Relaxed::InUnsigned) if self.are_copies(concurrent) => {
                Self::Order(array, Relaxed::Any)
            }
            other => other,
        }
    }

    /// Whether iterations of a loop update copies.
    fn are_copies(self, concurrent: Option<&Concurrent>) -> bool {
        match self {
            Self::Nothing => false,
            Self::Copies(array) | Self::Order(array, _) => {
                concurrent.is_some_and(|concurrent| concurrent.reduced.contains(&array))
            }
        }
    }

    /// Whether the second may come first, where they do not run at the same time.
    fn is_order(self) -> bool {
        matches!(self, Self::Order(_, Relaxed::Any))
    }
}

/// Those of `pairs`, all of whose instances reach `plan`, that it does not keep in order; all of them at one place.
pub(crate) fn violation(
    plan: &Plan,
    source: StmtId,
    sink: StmtId,
    pairs: Map,
) -> Result<Option<Violation>> {
    violation_but(plan, [source, sink], pairs, Excused::Nothing)
}

/// The same, but for what is excused.
pub(crate) fn violation_but(
    plan: &Plan,
    ends: [StmtId; 2],
    pairs: Map,
    excused: Excused,
) -> Result<Option<Violation>> {
    let [source, sink] = ends;
    if pairs.is_empty()? {
        return Ok(None);
    }
    match plan {
        Plan::Leaf { .. } if excused.is_order() => Ok(None),
        Plan::Leaf { cursor } => {
            let place = Place::Unordered { cursor: cursor.clone() };
            Ok(Some(Violation { pairs, place }))
        }
        Plan::Band { cursor, concurrent, members, child } => {
            let mut left = pairs;
            for (member, dates) in members.iter().enumerate() {
                let (from, to) = (&dates[&source].function, &dates[&sink].function);
                let are_copies = excused.are_copies(concurrent.as_ref());
                let may_reverse = are_copies || excused.is_order() && concurrent.is_none();
                if !may_reverse {
                    let reversed = related(&left, from, to, Order::After)?;
                    if !reversed.is_empty()? {
                        let place = Place::Loop { cursor: cursor.clone(), member };
                        return Ok(Some(Violation { pairs: reversed, place }));
                    }
                }
                if let Some(Concurrent { mark, .. }) = concurrent
                    && !are_copies
                {
                    let raced = related(&left, from, to, Order::Before)?;
                    if !raced.is_empty()? {
                        let (cursor, mark) = (cursor.clone(), mark.clone());
                        let place = Place::Concurrent { cursor, member, mark };
                        return Ok(Some(Violation { pairs: raced, place }));
                    }
                }
                left = related(&left, from, to, Order::Same)?;
            }
            violation_but(child, ends, left, excused.within(concurrent.as_ref()))
        }
        Plan::Fork { cursor, is_sequence, of, children } => {
            for (i, first) in &of[&source] {
                let from = within(&pairs, first.as_ref(), Map::intersect_domain)?;
                for (j, second) in &of[&sink] {
                    if *is_sequence && i < j || i != j && excused.is_order() {
                        continue;
                    }
                    let crossing = within(&from, second.as_ref(), Map::intersect_range)?;
                    let found = if i == j {
                        violation_but(&children[*i], ends, crossing, excused)?
                    } else if crossing.is_empty()? {
                        None
                    } else {
                        let (cursor, is_sequence) = (cursor.clone(), *is_sequence);
                        let place = Place::Children { cursor, source: *i, sink: *j, is_sequence };
                        Some(Violation { pairs: crossing, place })
                    };
                    if found.is_some() {
                        return Ok(found);
                    }
                }
            }
            Ok(None)
        }
    }
}

/// `pairs` restricted by `filter`, where there is one.
pub(super) fn within(
    pairs: &Map,
    filter: Option<&Set>,
    restrict: fn(&Map, &Set) -> farkas_poly::Result<Map>,
) -> Result<Map> {
    Ok(match filter {
        Some(filter) => restrict(pairs, filter)?,
        None => pairs.clone(),
    })
}

/// Number of instances' dimensions in source and sink.
pub(crate) fn depths(pairs: &Map) -> Result<(usize, usize)> {
    Ok((pairs.dim(DimType::In)? as usize, pairs.dim(DimType::Out)? as usize))
}
