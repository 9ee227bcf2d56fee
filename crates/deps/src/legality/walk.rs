//! Follows pairs of instances down a tree until something orders them: exactly, with isl.

use super::Place;
use super::plan::{Concurrent, Plan};
use super::relations::{Order, related};
use crate::Result;
use farkas_poly::{DimType, Map, Set};
use farkas_scop::StmtId;

/// Pairs that a tree does not keep in order.
pub(crate) struct Violation {
    /// The pairs.
    pub(crate) pairs: Map,
    /// Where the tree fails.
    pub(crate) place: Place,
}

/// Those of `pairs`, all of whose instances reach `plan`, that it does not keep in order; all of them at one place.
pub(crate) fn violation(
    plan: &Plan,
    source: StmtId,
    sink: StmtId,
    pairs: Map,
) -> Result<Option<Violation>> {
    if pairs.is_empty()? {
        return Ok(None);
    }
    match plan {
        Plan::Leaf { cursor } => {
            let place = Place::Unordered { cursor: cursor.clone() };
            Ok(Some(Violation { pairs, place }))
        }
        Plan::Band { cursor, concurrent, members, child } => {
            let mut left = pairs;
            for (member, dates) in members.iter().enumerate() {
                let (from, to) = (&dates[&source].function, &dates[&sink].function);
                let reversed = related(&left, from, to, Order::After)?;
                if !reversed.is_empty()? {
                    let place = Place::Loop { cursor: cursor.clone(), member };
                    return Ok(Some(Violation { pairs: reversed, place }));
                }
                if let Some(Concurrent { mark, .. }) = concurrent {
                    let raced = related(&left, from, to, Order::Before)?;
                    if !raced.is_empty()? {
                        let (cursor, mark) = (cursor.clone(), mark.clone());
                        let place = Place::Concurrent { cursor, member, mark };
                        return Ok(Some(Violation { pairs: raced, place }));
                    }
                }
                left = related(&left, from, to, Order::Same)?;
            }
            violation(child, source, sink, left)
        }
        Plan::Fork { cursor, is_sequence, of, children } => {
            for (i, first) in &of[&source] {
                let from = within(&pairs, first.as_ref(), Map::intersect_domain)?;
                for (j, second) in &of[&sink] {
                    if *is_sequence && i < j {
                        continue;
                    }
                    let crossing = within(&from, second.as_ref(), Map::intersect_range)?;
                    let found = if i == j {
                        violation(&children[*i], source, sink, crossing)?
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
