//! Whether cells begin once, are combined once, and are updated between.

use super::super::super::walk::violation;
use super::super::copies::is_inside;
use super::super::{Judged, fault};
use super::at_once;
use super::found::{Partials, Use};
use crate::Result;
use crate::analysis::Prepared;
use crate::legality::clause::Clause;
use crate::legality::plan::Plan;
use farkas_poly::Set;
use farkas_scop::{AccessId, Scop};

/// Checks one array that gathers.
pub(super) fn judge(prepared: &Prepared, plan: &Plan, partials: &Partials) -> Judged<()> {
    let array = &prepared.scop.arrays()[partials.array];
    let wrong = |clause| Ok(Err(fault(&array.name, clause)));
    let Partials { begins, updates, combines, .. } = partials;
    let combines: Vec<&Use> = combines.iter().map(|(combine, _)| combine).collect();
    let begins: Vec<&Use> = begins.iter().collect();
    let updates: Vec<&Use> = updates.iter().collect();
    if !are_apart(&begins)? {
        return wrong(Clause::BegunTwice);
    }
    if !are_apart(&combines)? {
        return wrong(Clause::CombinedTwice);
    }
    let ranges = |uses: &[&Use]| -> Result<Vec<Set>> {
        uses.iter().map(|used| Ok(used.cells.range()?)).collect()
    };
    let (begun, gathered, taken) = (ranges(&begins)?, ranges(&updates)?, ranges(&combines)?);
    if !is_within(&gathered, &begun)? || !is_within(&taken, &begun)? {
        return wrong(Clause::Begun);
    }
    if !is_within(&gathered, &taken)? || !is_within(&taken, &gathered)? {
        return wrong(Clause::Combined);
    }
    if partials.may_leave && partials.combines.iter().any(|one| touches_all(&prepared.scop, one)) {
        return wrong(Clause::CombinedWhereUpdated);
    }
    let in_order = |first: &Use, second: &Use| -> Result<bool> {
        let pairs = first.cells.apply_range(&second.cells.reverse()?)?;
        Ok(violation(plan, first.stmt, second.stmt, pairs)?.is_none())
    };
    for update in &updates {
        for begin in &begins {
            if !in_order(begin, update)? {
                return wrong(Clause::BegunFirst);
            }
        }
        for combine in &combines {
            if !in_order(update, combine)? {
                return wrong(Clause::CombinedLast);
            }
        }
        for other in &updates {
            let pairs = update.cells.apply_range(&other.cells.reverse()?)?;
            if at_once(plan, [update.stmt, other.stmt], pairs, partials.array)? {
                return wrong(Clause::GatheredAtOnce);
            }
        }
    }
    for used in &begins {
        let relations = prepared.references[partials.array].iter();
        for reference in relations.filter(|reference| reference.stmt == used.stmt) {
            if !is_inside(&reference.elements.range()?, array)? {
                return wrong(Clause::Extents);
            }
        }
    }
    Ok(Ok(()))
}

/// Whether a statement touches the elements that it combines cells with, whatever was gathered, though code may touch them only where the
/// original does.
pub(super) fn touches_all(scop: &Scop, (combine, element): &(Use, AccessId)) -> bool {
    let stmt = &scop.stmts()[combine.stmt];
    let array = &scop.arrays()[stmt.accesses[*element].array];
    match stmt.update(scop.arrays()) {
        Some(update) => update.condition.is_none() && update.operator.needs_update(array),
        None => {
            let is_strict = stmt.selection(scop.arrays()).is_some_and(|s| s.is_strict());
            !array.is_always_there() || !is_strict
        }
    }
}

/// Whether no cell is used twice.
pub(super) fn are_apart(uses: &[&Use]) -> Result<bool> {
    for (at, used) in uses.iter().enumerate() {
        if !used.cells.is_injective()? {
            return Ok(false);
        }
        for other in &uses[..at] {
            if !other.cells.range()?.is_disjoint(&used.cells.range()?)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether all of `sets` lie in the union of `others`.
pub(super) fn is_within(sets: &[Set], others: &[Set]) -> Result<bool> {
    let Some(all) = Set::union_all(others.to_vec())? else { return Ok(sets.is_empty()) };
    for set in sets {
        if !set.is_subset(&all)? {
            return Ok(false);
        }
    }
    Ok(true)
}
