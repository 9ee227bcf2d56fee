//! Which fill a use of a buffer finds, where cells are filled again and again: several buffers that iterations have in turn.
//!
//! The last one before it, in the order of the tree. That is known where the tree says of each fill and use of a cell which comes first, and of each
//! two fills.

use super::super::plan::Plan;
use super::super::relations::{Order, related};
use super::super::walk::within;
use crate::Result;
use farkas_poly::{Map, Set};
use farkas_scop::StmtId;

/// What touches cells: a statement, with the sessions and cells of its instances.
pub(super) type Touches<'a> = (StmtId, &'a Map);

/// From the instances of a use to those of the fill whose values are in their cells then; `None` where it is not known which come first.
pub(super) fn last_fills(plan: &Plan, fill: Touches<'_>, used: Touches<'_>) -> Result<Option<Map>> {
    let Some(filled) = again(plan, fill)? else { return Ok(None) };
    let Some(before) = first_of(plan, fill, used)? else { return Ok(None) };
    let overwritten = filled.apply_range(&before)?;
    Ok(Some(before.subtract(&overwritten)?.reverse()?))
}

/// The pairs of two fills of one cell of which the first comes first; `None` where some have no order.
fn again(plan: &Plan, (fill, cells): Touches<'_>) -> Result<Option<Map>> {
    let pairs = together(cells, cells)?;
    let pairs = pairs.subtract(&pairs.domain()?.identity()?)?;
    let before = before(plan, [fill, fill], pairs.clone())?;
    let known = before.union(&before.reverse()?)?;
    Ok(pairs.is_subset(&known)?.then_some(before))
}

/// The pairs of a fill and a use of one cell of which the fill comes first; `None` where some have no order.
fn first_of(plan: &Plan, fill: Touches<'_>, used: Touches<'_>) -> Result<Option<Map>> {
    let pairs = together(fill.1, used.1)?;
    let first = before(plan, [fill.0, used.0], pairs.clone())?;
    let last = before(plan, [used.0, fill.0], pairs.reverse()?)?;
    let known = first.union(&last.reverse()?)?;
    Ok(pairs.is_subset(&known)?.then_some(first))
}

/// The pairs of instances that share a cell.
fn together(first: &Map, second: &Map) -> Result<Map> {
    Ok(first.apply_range(&second.reverse()?)?)
}

/// Those of `pairs`, all of whose instances reach `plan`, whose first instance it puts first.
fn before(plan: &Plan, ends: [StmtId; 2], pairs: Map) -> Result<Map> {
    let mut found = Map::empty(&pairs.space()?)?;
    if pairs.is_empty()? {
        return Ok(found);
    }
    let [source, sink] = ends;
    match plan {
        Plan::Leaf { .. } => Ok(found),
        Plan::Band { concurrent, members, child, .. } => {
            let mut left = pairs;
            for dates in members {
                let (from, to) = (&dates[&source].function, &dates[&sink].function);
                if concurrent.is_none() {
                    found = found.union(&related(&left, from, to, Order::Before)?)?;
                }
                left = related(&left, from, to, Order::Same)?;
            }
            Ok(found.union(&before(child, ends, left)?)?)
        }
        Plan::Fork { is_sequence, of, children, .. } => {
            for (i, first) in &of[&source] {
                let from = within(&pairs, first.as_ref(), Map::intersect_domain)?;
                for (j, second) in &of[&sink] {
                    let crossing = within(&from, second.as_ref(), Map::intersect_range)?;
                    if i == j {
                        found = found.union(&before(&children[*i], ends, crossing)?)?;
                    } else if *is_sequence && i < j {
                        found = found.union(&crossing)?;
                    }
                }
            }
            Ok(found)
        }
    }
}

/// Whether each instance of a use finds a fill.
pub(super) fn all_filled(used: &Map, last: &Map) -> Result<bool> {
    Ok(used.domain()?.is_subset(&last.domain()?)?)
}

/// The instances of fills that uses find.
pub(super) fn found<'a>(lasts: impl IntoIterator<Item = &'a Map>) -> Result<Option<Set>> {
    let mut all: Option<Set> = None;
    for last in lasts {
        let own = last.range()?;
        all = Some(match all {
            Some(known) => known.union(&own)?,
            None => own,
        });
    }
    Ok(all)
}
