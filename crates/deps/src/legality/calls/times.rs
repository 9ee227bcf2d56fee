//! When operands are read, and when elements are set.

use super::parts::{Begun, Part, Parts};
use super::{Judged, before, fault};
use crate::Result;
use crate::legality::Clause;
use farkas_poly::Map;
use farkas_scop::ArrayId;
use farkas_scop::blas::{Call, Contract, InPlace};

/// What is wrong with the order of the statements among themselves.
pub(super) fn first_fault(parts: &Parts<'_>, call: &Call, contract: &Contract) -> Judged<()> {
    let wrong = |name: &str, clause| Ok(Err(fault(name, clause)));
    for part in &parts.all {
        if !begins_and_ends_right(parts, part, contract)? {
            return wrong(&part.stmt.name, Clause::CallBegins);
        }
        if !reads_what_stays(parts, part, call, contract)? {
            return wrong(&part.stmt.name, Clause::CallOperands);
        }
    }
    for (array, elements) in &parts.same {
        if *array == parts.target && !written(parts, contract)?.is_disjoint(elements)? {
            return wrong(&call.stmt, Clause::CallOperands);
        }
    }
    Ok(Ok(()))
}

/// Whether a statement that multiplies, sets or divides elements does that at the right time: before others add to them where the routine
/// does, or afterwards.
fn begins_and_ends_right(parts: &Parts<'_>, part: &Part<'_>, contract: &Contract) -> Result<bool> {
    let Some(ends) = ends(part, contract) else { return Ok(true) };
    // What is added in the same instance is added to what it has become.
    if ends && !part.products.is_empty() {
        return Ok(false);
    }
    for other in &parts.all {
        let of_other = self::ends(other, contract);
        let is_other_step = of_other.is_some_and(|other| other != ends);
        if other.products.is_empty() && !is_other_step {
            continue;
        }
        let pairs = pairs(part, &part.target, other, &other.target)?;
        let right = match ends {
            true => before(other.stmt, part.stmt)?.reverse()?,
            false => before(part.stmt, other.stmt)?,
        };
        let late = pairs.subtract(&right)?;
        let late = match std::ptr::eq(part, other) && !ends {
            true => late.subtract(&Map::identity(&late.space()?)?)?,
            false => late,
        };
        if !late.is_empty()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether what a statement does to an element comes after all sums, if it does anything.
fn ends(part: &Part<'_>, contract: &Contract) -> Option<bool> {
    match (&part.begun, contract.in_place) {
        (Begun::Kept, _) => None,
        (Begun::Scaled(_), Some(InPlace::Old)) | (Begun::Divided(..), _) => Some(true),
        _ => Some(false),
    }
}

/// Whether the factors of a statement's products are not written while the call runs, or are read when the routine reads them.
fn reads_what_stays(
    parts: &Parts<'_>,
    part: &Part<'_>,
    call: &Call,
    contract: &Contract,
) -> Result<bool> {
    let mut read: Vec<&(ArrayId, Map)> = part.products.iter().flat_map(|p| &p.elements).collect();
    let divisor;
    if let Begun::Divided(array, map) | Begun::ByElement(array, map) = &part.begun {
        divisor = (*array, map.clone());
        read.push(&divisor);
    }
    for (_, elements) in read.into_iter().filter(|(array, _)| *array == parts.target) {
        let of_call = elements.apply_domain(part.calls)?;
        if written(parts, contract)?.is_disjoint(&of_call)? {
            continue;
        }
        let is_in_place = call.form.factor_operands().contains(&0);
        let Some(when) = contract.in_place.filter(|_| is_in_place) else { return Ok(false) };
        for writer in &parts.all {
            let pairs = pairs(part, elements, writer, &writer.target)?;
            let right = match when {
                InPlace::Old => before(part.stmt, writer.stmt)?,
                InPlace::New => before(writer.stmt, part.stmt)?.reverse()?,
            };
            if !pairs.subtract(&right)?.is_empty()? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Pairs of instances of one call that touch the same element.
fn pairs(a: &Part<'_>, of_a: &Map, b: &Part<'_>, of_b: &Map) -> Result<Map> {
    let same = of_a.apply_range(&of_b.reverse()?)?;
    Ok(same.intersect(&a.calls.apply_range(&b.calls.reverse()?)?)?)
}

/// From the call's instances to all elements that they write.
fn written(parts: &Parts<'_>, contract: &Contract) -> Result<Map> {
    let mut all = Map::empty(&contract.updated.space()?)?;
    for part in &parts.all {
        all = all.union(&part.target.apply_domain(part.calls)?)?;
    }
    Ok(all)
}
