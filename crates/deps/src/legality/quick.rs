//! Sees without isl that a tree keeps conflicting pairs in order, for most pairs of most trees.
//!
//! A pair of accesses becomes a [`System`](crate::rows::System) over source instance, sink instance and parameters: both domains, equal
//! elements, source before sink. Going down the tree, each loop's difference of dates (sink minus source) is bounded
//! from below: a positive bound ends the descent, zero adds that the difference is zero, anything else gives up. All
//! is an over-approximation of the pairs, so that a success is a proof; a failure says nothing.

use super::plan::Plan;
use crate::analysis::Reference;
use crate::difference::{Bound, Columns, Left};
use crate::tables::Tables;
use farkas_scop::StmtId;
use std::cmp::Ordering;

/// Whether it can be seen that `plan` keeps all pairs of `source` and `sink` in order.
pub(crate) fn proves(tables: &Tables, plan: &Plan, source: &Reference, sink: &Reference) -> bool {
    let Some(conjunctions) = tables.pairs(source, sink) else { return false };
    conjunctions.iter().all(|pairs| {
        let Some(split) = tables.split(source.stmt, sink.stmt, pairs) else { return false };
        split.into_iter().all(|(_, system)| {
            follow(plan, source.stmt, sink.stmt, pairs.columns, Left::new(system))
        })
    })
}

/// Whether it can be seen that `plan`, which `left` reach, keeps them in order.
fn follow(plan: &Plan, source: StmtId, sink: StmtId, columns: Columns, mut left: Left) -> bool {
    match plan {
        Plan::Leaf { .. } => false,
        Plan::Band { concurrent, members, child, .. } => {
            for dates in members {
                let (Some(from), Some(to)) = (&dates[&source].form, &dates[&sink].form) else {
                    return false;
                };
                let Some(difference) = columns.difference(from, to) else { return false };
                match left.bound(columns, &difference) {
                    Bound::Zero => {}
                    Bound::AtLeast(1..) if concurrent.is_none() => return true,
                    Bound::AtLeast(0) if concurrent.is_none() => {
                        left.assume_zero(columns, &difference);
                        if left.plain_is_empty() {
                            return true;
                        }
                    }
                    Bound::AtLeast(_) | Bound::Unknown => return false,
                }
            }
            follow(child, source, sink, columns, left)
        }
        Plan::Fork { is_sequence, of, children, .. } => {
            let (Some([(i, None)]), Some([(j, None)])) =
                (of.get(&source).map(Vec::as_slice), of.get(&sink).map(Vec::as_slice))
            else {
                return false;
            };
            match i.cmp(j) {
                Ordering::Less => *is_sequence,
                Ordering::Equal => follow(&children[*i], source, sink, columns, left),
                Ordering::Greater => false,
            }
        }
    }
}
