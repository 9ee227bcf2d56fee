//! The check of divided statements: parts that run one right after the other do what the whole does.
//!
//! The parts are put together again, whatever divided them: in their order, with variables in the place of the arrays of no dimensions that
//! they hand values to one another in, they are the body of the whole ([`Together`]). They have its instances, at its dates, one place behind
//! the other. Nothing else uses these variables.

mod together;

use super::clause::Clause;
use super::counterexample::{Counterexample, Fault};
use super::{DEFAULT_BUDGET, Verdict};
use crate::Result;
use farkas_base::Id;
use farkas_poly::{DimType, Map};
use farkas_scop::{Array, ArrayId, ArrayScope, Iterator, Scop, Statement};
use farkas_tree::Program;
use std::collections::BTreeSet;
use together::Together;

/// Judges whether a program in its own order, some of whose statements are parts of those of `original` as its
/// [`origins`](Program::origins) say, computes what `original` does in its order.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn check_division(original: &Scop, divided: &Program) -> Result<Verdict> {
    let found = farkas_poly::with_budget(DEFAULT_BUDGET, || first_fault(original, divided))?;
    Ok(match found {
        None => Verdict::Legal,
        Some((name, clause)) => Verdict::Illegal(Box::new(Counterexample {
            params: Vec::new(),
            fault: Fault::Program { name, clause },
        })),
    })
}

/// What is wrong: a statement or an array, and the clause that does not hold of it.
type Found = Option<(String, Clause)>;

/// What is wrong with a divided scop.
fn first_fault(original: &Scop, program: &Program) -> Result<Found> {
    let scop = &program.scop;
    let mut parts = scop.to_builder();
    let whole = original.to_builder();
    (parts.arrays, parts.stmts) = (whole.arrays.clone(), whole.stmts.clone());
    if parts != whole {
        return Ok(Some((original.name().to_owned(), Clause::Parameters)));
    }
    if let Some(found) = wrong_array(original, scop) {
        return Ok(Some(found));
    }
    let mut n_known = 0;
    let mut taken = BTreeSet::new();
    for old in original.stmts() {
        let is_part = |stmt: &&Statement| program.origins.get(&stmt.name) == Some(&old.name);
        let parts: Vec<&Statement> = scop.stmts().iter().filter(is_part).collect();
        let found = match parts.as_slice() {
            [] => {
                n_known += 1;
                wrong_whole(scop, old)?
            }
            parts => {
                n_known += parts.len();
                wrong_parts((original, old), (scop, parts), &mut taken)?
            }
        };
        if let Some(clause) = found {
            return Ok(Some((old.name.clone(), clause)));
        }
    }
    let is_all = n_known == scop.stmts().len();
    Ok((!is_all).then(|| (scop.name().to_owned(), Clause::Statements)))
}

/// An array that is not the original's, or is no variable that parts may hand values to one another in.
fn wrong_array(original: &Scop, scop: &Scop) -> Found {
    for (id, array) in original.arrays().iter_enumerated() {
        if scop.arrays().get(id) != Some(array) {
            return Some((array.name.clone(), Clause::Arrays));
        }
    }
    let is_variable = |array: &Array| {
        let is_own = !(array.is_live_in || array.is_live_out) && array.reduction.is_none();
        is_own && array.rank() == 0 && array.scope == ArrayScope::Region
    };
    let mut added = scop.arrays().iter_enumerated().filter(|(id, _)| is_own(original, *id));
    let wrong = added.find(|(_, array)| !is_variable(array));
    wrong.map(|(_, array)| (array.name.clone(), Clause::Own))
}

/// Whether an array is one that the original does not have.
fn is_own(original: &Scop, array: ArrayId) -> bool {
    array.index() >= original.arrays().len()
}

/// What is wrong with a statement that is not divided.
fn wrong_whole(scop: &Scop, old: &Statement) -> Result<Option<Clause>> {
    let Some(id) = scop.stmt_by_name(&old.name) else { return Ok(Some(Clause::Missing)) };
    let new = &scop.stmts()[id];
    let date = new.date.clone();
    if !has_dates_of(old, &date, 0)? {
        return Ok(Some(Clause::Dates));
    }
    let is_same = Statement { date: old.date.clone(), ..new.clone() } == *old;
    Ok((!is_same).then_some(Clause::Body))
}

/// What is wrong with the parts of a statement. Arrays that they alone may use are `taken` then.
fn wrong_parts(
    (original, old): (&Scop, &Statement),
    (scop, parts): (&Scop, &[&Statement]),
    taken: &mut BTreeSet<ArrayId>,
) -> Result<Option<Clause>> {
    if scop.stmt_by_name(&old.name).is_some() {
        return Ok(Some(Clause::EachOnce));
    }
    for (part, place) in parts.iter().zip(0..) {
        if !part.domain.with_tuple_name(&old.name)?.is_equal(&old.domain)? {
            return Ok(Some(Clause::EachOnce));
        }
        if !has_iterators_of(old, part)? {
            return Ok(Some(Clause::Iterators));
        }
        let date = part.date.with_tuple_name(DimType::In, &old.name)?;
        if !has_dates_of(old, &date, place)? {
            return Ok(Some(Clause::Dates));
        }
    }
    let accesses = parts.iter().flat_map(|part| &part.accesses);
    let own = accesses.map(|access| access.array).filter(|array| is_own(original, *array));
    let own: BTreeSet<ArrayId> = own.collect();
    if !own.is_disjoint(taken) {
        return Ok(Some(Clause::Own));
    }
    let whole = Together::of(original, &[old], old, &BTreeSet::new())?;
    let again = Together::of(scop, parts, old, &own)?;
    taken.extend(own);
    Ok(match (whole, again) {
        (Some(whole), Some(again)) if whole.is_same(&again)? => None,
        _ => Some(Clause::Body),
    })
}

/// Whether dates are those of a statement, with a place behind them.
fn has_dates_of(old: &Statement, date: &Map, place: i32) -> Result<bool> {
    let n = old.date.dim(DimType::Out)?;
    if date.dim(DimType::Out)? != n + 1 {
        return Ok(false);
    }
    let expected = old.date.insert_dims(DimType::Out, n, 1)?.fix_si(DimType::Out, n, place)?;
    Ok(date.is_equal(&expected)?)
}

/// Whether iterators have the values of a statement's.
fn has_iterators_of(old: &Statement, part: &Statement) -> Result<bool> {
    let is_same = |old: &Iterator, new: &Iterator| -> Result<bool> {
        let value = new.value.to_map()?.with_tuple_name(
            DimType::In,
            &old.value.to_map()?.tuple_name(DimType::In).unwrap_or_default(),
        )?;
        let is_called_so = old.name == new.name && old.ty == new.ty;
        Ok(is_called_so && value.is_equal(&old.value.to_map()?)?)
    };
    if old.iterators.len() != part.iterators.len() {
        return Ok(false);
    }
    for (old, new) in old.iterators.iter().zip(&part.iterators) {
        if !is_same(old, new)? {
            return Ok(false);
        }
    }
    Ok(true)
}
