//! Parts of a loop that begin with one iteration.
//!
//! In `for (t) { B(t); A(t); }` and in `for (t) { A(t - 1); B(t); }`, whose first and last iterations lack a part, the same runs in the same order. Of the
//! ways in which parts of a loop that run for equally many iterations can be moved against one another the one is taken in which each begins
//! with the first, where the legality check allows that.

use crate::Result;
use crate::lift::one_sum;
use farkas_deps::legality;
use farkas_poly::{Aff, DimType, Map, PwAff, PwMultiAff, Set};
use farkas_scop::{Scop, StmtId};
use farkas_tree::original_tree;
use std::collections::BTreeMap;

/// In how many orders the parts of a loop are tried.
const MAX_ORDERS: usize = 24;

/// A scop that computes the same, in which the parts of each loop begin with one iteration of it where that is legal; none where they do as it is.
///
/// # Errors
/// When isl refuses, or a budget is used up.
pub fn aligned(scop: &Scop) -> Result<Option<Scop>> {
    let mut found = None;
    let stmts = scop.stmts();
    let Some(first) = stmts.iter().next() else { return Ok(None) };
    for at in 0..first.date.dim(DimType::Out)?.saturating_sub(1) {
        let now = found.as_ref().unwrap_or(scop);
        for part_of in loops(now, at)? {
            let now = found.as_ref().unwrap_or(scop);
            if let Some(next) = with_one_beginning(now, at, &part_of)? {
                found = Some(next);
            }
        }
    }
    Ok(found)
}

/// The parts of a loop by their numbers.
type Parts = BTreeMap<i64, Vec<StmtId>>;

/// The loops of several parts at a position of dates: those behind the same constants.
fn loops(scop: &Scop, at: u32) -> Result<Vec<Parts>> {
    let mut loops: BTreeMap<Vec<Option<i64>>, Parts> = BTreeMap::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        let dates = stmt.date.to_pw_multi_aff()?;
        let mut around = Vec::new();
        for outer in 0..at {
            around.push(constant(&date(&dates, outer)?)?);
        }
        let part = constant(&date(&dates, at + 1)?)?;
        if let (None, Some(part)) = (constant(&date(&dates, at)?)?, part) {
            loops.entry(around).or_default().entry(part).or_default().push(id);
        }
    }
    Ok(loops.into_values().filter(|parts| parts.len() > 1).collect())
}

/// A date of all instances.
fn date(dates: &PwMultiAff, at: u32) -> Result<PwAff> {
    Ok(dates.at(i32::try_from(at).unwrap_or(i32::MAX))?)
}

/// The number that a date is everywhere.
fn constant(date: &PwAff) -> Result<Option<i64>> {
    match date.pieces()?.as_slice() {
        [(_, aff)] if aff.is_cst()? => Ok(aff.constant_val()?.to_small_int()?),
        _ => Ok(None),
    }
}

/// The scop whose loop at a position of dates has all parts begin with one iteration; none where they do, or that is illegal in all orders of
/// them.
fn with_one_beginning(scop: &Scop, at: u32, parts: &Parts) -> Result<Option<Scop>> {
    let Some(behind) = behind(scop, at, parts)? else { return Ok(None) };
    let numbers: Vec<i64> = parts.keys().copied().collect();
    for order in orders(&numbers).into_iter().take(MAX_ORDERS) {
        let mut moved = scop.to_builder();
        for ((stmts, behind), number) in parts.values().zip(&behind).zip(order) {
            for stmt in stmts {
                let own = &scop.stmts()[*stmt].date;
                moved.stmts[*stmt].date = earlier(own, at, behind, number)?;
            }
        }
        let Ok(moved) = moved.build() else { return Ok(None) };
        if legality::check(scop, &original_tree(&moved)?)?.is_legal() {
            return Ok(Some(moved));
        }
    }
    Ok(None)
}

/// By how many iterations each part begins and ends behind the first of them; none where that is not one number, or always zero.
fn behind(scop: &Scop, at: u32, parts: &Parts) -> Result<Option<Vec<Aff>>> {
    let mut ends = Vec::new();
    for stmts in parts.values() {
        let Some(found) = ends_of(scop, at, stmts)? else { return Ok(None) };
        ends.push(found);
    }
    let Some([first, last]) = ends.first() else { return Ok(None) };
    let mut behind = Vec::new();
    let mut is_moved = false;
    for [own_first, own_last] in &ends {
        let by = own_first.sub(first)?;
        if !is_zero(&by.sub(&own_last.sub(last)?)?)? {
            return Ok(None);
        }
        is_moved |= !is_zero(&by)?;
        behind.push(by);
    }
    Ok(is_moved.then_some(behind))
}

/// Whether a sum is zero.
fn is_zero(sum: &Aff) -> Result<bool> {
    Ok(sum.is_cst()? && sum.constant_val()?.to_small_int()? == Some(0))
}

/// All orders of some numbers, that in which they stand first.
fn orders(numbers: &[i64]) -> Vec<Vec<i64>> {
    if numbers.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..numbers.len().min(MAX_ORDERS) {
        let mut others = numbers.to_vec();
        let first = others.remove(at);
        let behind = if all.len() < MAX_ORDERS { orders(&others) } else { Vec::new() };
        all.extend(behind.into_iter().map(|rest| [vec![first], rest].concat()));
    }
    all
}

/// The first and the last iteration of a loop in which one of the statements runs, as sums of parameters.
fn ends_of(scop: &Scop, at: u32, stmts: &[StmtId]) -> Result<Option<[Aff; 2]>> {
    let mut all = Vec::new();
    for stmt in stmts {
        let own = date(&scop.stmts()[*stmt].date.to_pw_multi_aff()?, at)?;
        all.push(scop.domain_of(*stmt)?.apply(&own.to_map()?)?);
    }
    let Some(all) = Set::union_all(all)? else { return Ok(None) };
    if all.is_empty()? {
        return Ok(None);
    }
    let all = all.coalesce()?.gist_params(scop.context())?;
    let last = all.lexmax()?.lexmin_pw_multi_aff()?;
    let (first, last) = (one_sum(&all.lexmin_pw_multi_aff()?)?, one_sum(&last)?);
    Ok(first.zip(last).map(|(first, last)| [first, last]))
}

/// Dates that are earlier by a sum of parameters at a position, and have a number at the next.
fn earlier(dates: &Map, at: u32, by: &Aff, number: i64) -> Result<Map> {
    let rank = dates.dim(DimType::Out)?;
    let functions = dates.to_pw_multi_aff()?;
    let all = dates.domain()?;
    let mut moved = Map::from_domain_and_range(&all, &Set::unnamed_universe(0)?)?;
    for position in 0..rank {
        let own = date(&functions, position)?;
        let new = if position == at {
            own.sub(&crate::lift::on(&own.domain_space()?, by)?)?
        } else if position == at + 1 {
            PwAff::constant_on(&all, number)?
        } else {
            own
        };
        moved = moved.flat_range_product(&new.to_map()?)?;
    }
    Ok(moved)
}
