//! What is added, and what happens to elements before and afterwards.

use super::parts::{Begun, Moving, Part, Parts};
use super::{Judged, fault};
use crate::Result;
use crate::legality::Clause;
use farkas_poly::Map;
use farkas_scop::ArrayId;
use farkas_scop::blas::{Call, Contract, InPlace, Scaling};

/// The most products that are compared.
const MAX_ALIKE: usize = 6;

/// What is wrong with sums.
pub(super) fn first_fault(parts: &Parts<'_>, call: &Call, contract: &Contract) -> Judged<()> {
    let routine = call.form.routine;
    let wanted = match contract.in_place {
        None => call.alpha.clone(),
        Some(InPlace::Old) => Scaling::default(),
        Some(InPlace::New) => Scaling { negative: true, factors: Vec::new() },
    };
    for part in &parts.all {
        for product in &part.products {
            if !product.scaling.is_same(&wanted)? {
                return Ok(Err(fault(&part.stmt.name, Clause::CallFactors)));
            }
        }
    }
    if !adds_the_same(parts, call, contract)? {
        return Ok(Err(fault(&call.stmt, Clause::CallProducts)));
    }
    let begins = begun(parts, call, contract)?;
    let is_right = match begins {
        None => false,
        Some(found) => {
            let whole = |maps: &[Map]| is_each_once(maps, &contract.updated);
            let has_one = |maps: &[Map], is_one: bool| -> Result<bool> {
                Ok(if maps.is_empty() { is_one } else { whole(maps)? })
            };
            let scaling = match contract.in_place {
                None => call.beta.as_ref(),
                Some(_) => Some(&call.alpha),
            };
            has_one(&found.scaled, scaling.is_some_and(Scaling::is_one))?
                && has_one(&found.diagonal, contract.diagonal.is_none())?
                && (routine.has_alpha() || call.alpha.is_one())
                && (routine.has_beta()
                    || contract.in_place.is_some()
                    || call.beta.as_ref().is_some_and(Scaling::is_one))
        }
    };
    match is_right {
        true => Ok(Ok(())),
        false => Ok(Err(fault(&call.stmt, Clause::CallScaled))),
    }
}

/// From the call's instances to elements that are multiplied or set: by one factor, and by the diagonal.
struct Found {
    scaled: Vec<Map>,
    diagonal: Vec<Map>,
}

/// What happens to elements beside sums; none where the routine does not do that.
fn begun(parts: &Parts<'_>, call: &Call, contract: &Contract) -> Result<Option<Found>> {
    let mut found = Found { scaled: Vec::new(), diagonal: Vec::new() };
    let is_mixed = |maps: &Map, part: &Part<'_>| -> Result<bool> {
        Ok(!part.calls.range_product(maps)?.is_injective()?)
    };
    for part in &parts.all {
        let (scaled, by) = match &part.begun {
            Begun::Kept => continue,
            Begun::Zero if contract.in_place.is_none() => (call.beta.is_none(), None),
            Begun::Scaled(scaling) => {
                let known = match contract.in_place {
                    None => call.beta.as_ref(),
                    Some(_) => Some(&call.alpha),
                };
                let Some(known) = known else { return Ok(None) };
                (scaling.is_same(known)?, None)
            }
            Begun::ByElement(array, map) if contract.in_place == Some(InPlace::Old) => {
                (true, Some((*array, map)))
            }
            Begun::Divided(array, map) if contract.in_place == Some(InPlace::New) => {
                (true, Some((*array, map)))
            }
            _ => return Ok(None),
        };
        if !scaled || is_mixed(&part.target, part)? {
            return Ok(None);
        }
        let of_call = part.target.apply_domain(part.calls)?;
        match by {
            None => found.scaled.push(of_call),
            Some(by) if is_diagonal(part, by, call, contract)? => found.diagonal.push(of_call),
            Some(_) => return Ok(None),
        }
    }
    Ok(Some(found))
}

/// Whether elements are multiplied with, or divided by, the diagonal's entries that go with them.
fn is_diagonal(
    part: &Part<'_>,
    (array, elements): (ArrayId, &Map),
    call: &Call,
    contract: &Contract,
) -> Result<bool> {
    let is_operand = call.operands.get(1).is_some_and(|operand| operand.array == array);
    let Some(diagonal) = contract.diagonal.as_ref().filter(|_| is_operand) else {
        return Ok(false);
    };
    let pairs = part.target.range_product(elements)?.apply_domain(part.calls)?;
    Ok(pairs.is_subset(diagonal)?)
}

/// Whether maps reach all of `all`, each pair once.
fn is_each_once(maps: &[Map], all: &Map) -> Result<bool> {
    let mut reached: Option<Map> = None;
    for map in maps {
        reached = Some(match reached {
            None => map.clone(),
            Some(reached) if reached.is_disjoint(map)? => reached.union(map)?,
            Some(_) => return Ok(false),
        });
    }
    Ok(match reached {
        None => false,
        Some(reached) => reached.is_equal(all)?,
    })
}

/// Whether the products are those of the contract, each as many times.
fn adds_the_same(parts: &Parts<'_>, call: &Call, contract: &Contract) -> Result<bool> {
    let of = |operand: usize| call.operands.get(operand).map(|operand| operand.array);
    let [Some(first), Some(second)] = call.form.factor_operands().map(of) else { return Ok(false) };
    let mut all: Vec<(&Part<'_>, &Moving, Option<bool>)> = Vec::new();
    for part in &parts.all {
        for product in &part.products {
            let [(a, _), (b, _)] = product.elements.as_slice() else { return Ok(false) };
            let turned = match (*a, *b) {
                (a, b) if a == b && (a, b) == (first, second) => None,
                arrays if arrays == (first, second) => Some(false),
                arrays if arrays == (second, first) => Some(true),
                _ => return Ok(false),
            };
            // Several instances that add one product are more than the relation says.
            let tuples = tuples(part, product, turned.unwrap_or_default())?;
            if !part.calls.range_product(&tuples)?.is_injective()? {
                return Ok(false);
            }
            all.push((part, product, turned));
        }
    }
    let n_open = all.iter().filter(|(.., turned)| turned.is_none()).count();
    if n_open > MAX_ALIKE {
        return Ok(false);
    }
    for choice in 0..1_usize << n_open {
        let mut added = Vec::new();
        let mut at = 0;
        for (part, product, turned) in &all {
            let turned = turned.unwrap_or_else(|| {
                at += 1;
                choice >> (at - 1) & 1 == 1
            });
            added.push(tuples(part, product, turned)?.apply_domain(part.calls)?);
        }
        if are_same_multisets(&added, &contract.products)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// From a statement's instances to what they update, with both factors of a product, the second first where that is said.
fn tuples(part: &Part<'_>, product: &Moving, turned: bool) -> Result<Map> {
    let [(_, a), (_, b)] = product.elements.as_slice() else {
        return Ok(Map::empty(&part.target.space()?)?);
    };
    let factors = if turned { b.range_product(a)? } else { a.range_product(b)? };
    Ok(part.target.range_product(&factors)?)
}

/// Whether each pair is in as many of the first relations as in the second ones.
fn are_same_multisets(a: &[Map], b: &[Map]) -> Result<bool> {
    if a.is_empty() || b.is_empty() || a.len().max(b.len()) > MAX_ALIKE {
        return Ok(false);
    }
    for level in 1..=a.len().max(b.len()) {
        let is_same = match (in_several(a, level)?, in_several(b, level)?) {
            (Some(a), Some(b)) => a.is_equal(&b)?,
            (Some(one), None) | (None, Some(one)) => one.is_empty()?,
            (None, None) => true,
        };
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The pairs that are in at least `n` of some relations.
fn in_several(maps: &[Map], n: usize) -> Result<Option<Map>> {
    let mut found: Option<Map> = None;
    for chosen in 0..1_usize << maps.len() {
        if chosen.count_ones() as usize != n {
            continue;
        }
        let mut all: Option<Map> = None;
        for (_, map) in maps.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1) {
            all = Some(match all {
                Some(all) => all.intersect(map)?,
                None => map.clone(),
            });
        }
        found = match (found, all) {
            (Some(found), Some(all)) => Some(found.union(&all)?),
            (found, all) => found.or(all),
        };
    }
    Ok(found)
}
