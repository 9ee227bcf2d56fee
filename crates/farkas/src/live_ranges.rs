//! Live ranges in schedule constraints: which orders matter only where which conditions are torn.

use crate::Error;
use farkas_base::Id;
use farkas_front_isl::{Constraint, ConstraintKind};
use farkas_poly::UnionMap;
use farkas_schedule::{RangeRoles, RangesId};
use std::collections::BTreeSet;

/// What each of `constraints` has to do with live ranges. A condition is one, from a write to a read; orders of conditional
/// validity keep it apart from those that they are adjacent to, tags included. What adjacency joins has its ranges in common.
///
/// # Errors
/// When isl refuses.
pub(crate) fn range_roles(constraints: &[Constraint]) -> Result<Vec<RangeRoles>, Error> {
    let mut roles = vec![RangeRoles::default(); constraints.len()];
    let of = |kind| {
        let all = constraints.iter().enumerate();
        all.filter(move |(_, c)| c.kind == kind).map(|(at, _)| at).collect::<Vec<usize>>()
    };
    let orders = of(ConstraintKind::ConditionalValidity);
    if orders.is_empty() {
        return Ok(roles);
    }
    let conditions = of(ConstraintKind::Condition);
    // The least order or condition that adjacency joins each with.
    let mut class: Vec<usize> = (0..constraints.len()).collect();
    for &order in &orders {
        let written = constraints[order].written.to_union_map()?;
        for &condition in &conditions {
            let (a, b) = (class[order], class[condition]);
            if a != b && are_adjacent(&written, &constraints[condition].written.to_union_map()?)? {
                class.iter_mut().filter(|c| **c == a.max(b)).for_each(|c| *c = a.min(b));
            }
        }
    }
    let ranges = |at: usize| BTreeSet::from([RangesId::from_index(class[at])]);
    for order in orders {
        roles[order].apart = ranges(order);
    }
    for condition in conditions {
        roles[condition].along = ranges(condition);
    }
    Ok(roles)
}

/// Whether a sink of one is a source of the other.
fn are_adjacent(order: &UnionMap, condition: &UnionMap) -> Result<bool, Error> {
    let behind = order.intersect_domain(&condition.range()?)?;
    let before = order.intersect_range(&condition.domain()?)?;
    Ok(!behind.is_empty()? || !before.is_empty()?)
}
