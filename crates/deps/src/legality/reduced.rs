//! May each iteration of a loop update copies of elements?
//!
//! It may if all that iterations do with these elements are updates by one operator whose order is free: what each copy gathers is combined
//! with the element afterwards, in any order. What else iterations touch of the array are other elements.

use super::counterexample::{Counterexample, Fault, NotPrivate, WhyShared};
use super::plan::{Active, Plan};
use super::private::concurrent_bands;
use crate::Result;
use crate::analysis::{Prepared, Reference};
use farkas_scop::{AccessKind, ArrayId, Scop, StmtId};
use farkas_tree::{Cursor, Mark};

/// The first thing that is wrong with copies in `plan` that iterations update.
pub(super) fn first_obstacle(
    scop: &Scop,
    prepared: &Prepared,
    plan: &Plan,
) -> Result<Option<Counterexample>> {
    for (cursor, concurrent) in concurrent_bands(plan) {
        for &array in &concurrent.reduced {
            let on_threads = concurrent.mark == Mark::Parallel;
            let why = if !are_updates(prepared, plan, (cursor, &concurrent.active), array)? {
                Some(WhyShared::Updates)
            } else if on_threads && !may_end_in_any_order(prepared, &concurrent.active, array) {
                Some(WhyShared::Threads)
            } else {
                None
            };
            if let Some(why) = why {
                let (cursor, name) = (cursor.clone(), scop.arrays()[array].source_name.clone());
                let fault = Fault::NotPrivate(NotPrivate { array, name, cursor, why });
                return Ok(Some(Counterexample { params: Vec::new(), fault }));
            }
        }
    }
    Ok(None)
}

/// Whether threads may combine what they gather in the order in which they end.
fn may_end_in_any_order(prepared: &Prepared, active: &Active, array: ArrayId) -> bool {
    let updates = active.iter().filter_map(|(stmt, _)| prepared.updates.get(*stmt));
    updates.filter(|update| update.array == array).all(|update| update.on_threads)
}

/// Whether all that statements of a loop do with elements that they update are updates by one operator whose order is free.
fn are_updates(
    prepared: &Prepared,
    plan: &Plan,
    (cursor, active): (&Cursor, &Active),
    array: ArrayId,
) -> Result<bool> {
    let is_active = |stmt: StmtId| active.iter().any(|(active, _)| *active == stmt);
    let references = prepared.references[array].iter();
    let mut inside = Vec::new();
    for r in references.filter(|r| is_active(r.stmt) && r.kind != AccessKind::Kill) {
        // What no instance does is nothing.
        if !r.elements.is_empty()? {
            inside.push(r);
        }
    }
    let is_update =
        |r: &&Reference| prepared.updates.get(r.stmt).is_some_and(|update| update.has(r.access));
    let (updates, others): (Vec<&Reference>, Vec<&Reference>) =
        inside.into_iter().partition(is_update);
    let mut operators = updates.iter().filter_map(|r| prepared.updates.get(r.stmt));
    let first = operators.next().map(|update| &update.operator);
    if first.is_none() || operators.any(|update| Some(&update.operator) != first) {
        return Ok(false);
    }
    for update in &updates {
        for other in &others {
            // In different iterations, they are out of order; in one, a copy would be seen.
            let pairs = update.elements.apply_range(&other.elements.reverse()?)?;
            let ends = [update.stmt, other.stmt];
            if !plan.together(cursor, ends, &pairs)?.is_empty()? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
