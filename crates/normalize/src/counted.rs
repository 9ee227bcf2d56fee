//! Loops that count by the values of their iterators.
//!
//! `for (j = i % 2; j < n; j += 2)` may count its iterations from zero, and the first of them is another value of `j` for each `i`. Whoever
//! writes the same with a condition on `j` counts by `j`. The latter is made of the former, which leaves all iterations in the order in which they
//! were.

use crate::Result;
use crate::pieces::plain;
use farkas_deps::legality;
use farkas_poly::{Aff, DimType, Map, PwAff, Set};
use farkas_scop::{Scop, Statement};
use farkas_tree::original_tree;

/// Which loops are to count by their iterators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strides {
    /// Those that begin at divisions of what loops around them count.
    Divided,
    /// Those whose iterator does not go on by one, too.
    All,
}

/// A scop that computes the same, in which such loops count by their iterators; none
/// where there are no such loops.
///
/// # Errors
/// When isl refuses.
pub fn counted(scop: &Scop, strides: Strides) -> Result<Option<Scop>> {
    let (mut parts, mut moved) = (scop.to_builder(), scop.to_builder());
    let mut is_same = true;
    for (stmt, before) in parts.stmts.iter_mut().zip(moved.stmts.iter_mut()) {
        for at in 0..stmt.iterators.len() {
            if let Some((by_value, renamed)) = by_value(stmt, at, strides)? {
                before.date = renamed.apply_range(&before.date)?;
                *stmt = by_value;
                is_same = false;
            }
        }
    }
    let (false, Ok(parts), Ok(moved)) = (is_same, parts.build(), moved.build()) else {
        return Ok(None);
    };
    let is_legal = legality::check(scop, &original_tree(&moved)?)?.is_legal();
    Ok(is_legal.then_some(parts))
}

/// A scop made of one whose loops [count](counted) by the values of all iterators, in which they count as in `own`, from which that was made, as far as
/// statements still have no values between; none where no loop does.
///
/// # Errors
/// When isl refuses.
pub fn counted_as(scop: &Scop, own: &Scop) -> Result<Option<Scop>> {
    let (mut parts, mut moved) = (scop.to_builder(), scop.to_builder());
    let mut is_same = true;
    for (stmt, before) in parts.stmts.iter_mut().zip(moved.stmts.iter_mut()) {
        let counting = own.stmt_by_name(&stmt.name).map(|id| &own.stmts()[id]);
        let Some(renamed) = counting.map(by_all_values).transpose()?.flatten() else { continue };
        let counts = renamed.reverse()?;
        if stmt.domain.is_subset(&counts.domain()?)? {
            before.date = counts.apply_range(&before.date)?;
            let domain = stmt.domain.apply(&counts)?;
            *stmt = moved_to(stmt, &domain, |map| map.apply_domain(&counts))?;
            is_same = false;
        }
    }
    let (false, Ok(parts), Ok(moved)) = (is_same, parts.build(), moved.build()) else {
        return Ok(None);
    };
    let is_legal = legality::check(scop, &original_tree(&moved)?)?.is_legal();
    Ok(is_legal.then_some(parts))
}

/// What instances of a statement are called where all of its loops count by values; none where they do.
fn by_all_values(stmt: &Statement) -> Result<Option<Map>> {
    let (mut found, mut all): (Option<Statement>, Option<Map>) = (None, None);
    for at in 0..stmt.iterators.len() {
        let now = found.as_ref().unwrap_or(stmt);
        if let Some((by_value, renamed)) = by_value(now, at, Strides::All)? {
            all = Some(match all {
                Some(all) => all.apply_range(&renamed)?,
                None => renamed,
            });
            found = Some(by_value);
        }
    }
    Ok(all)
}

/// A statement of other instances.
fn moved_to(
    stmt: &Statement,
    domain: &Set,
    rename: impl Fn(&Map) -> farkas_poly::Result<Map>,
) -> Result<Statement> {
    let moved = |map: &Map| rename(map)?.intersect_domain(domain)?.gist_domain(domain);
    let mut new = Statement { domain: domain.clone(), ..stmt.clone() };
    for iterator in &mut new.iterators {
        iterator.value = moved(&iterator.value.to_map()?)?.to_pw_multi_aff()?.at(0)?;
    }
    for access in new.accesses.iter_mut() {
        access.relation = moved(&access.relation)?;
    }
    Ok(new)
}

/// The statement whose dimension at a position is the value of its iterator there, or the negated value where that falls, and what its
/// instances are called then; none where that is no matter of divisions.
fn by_value(stmt: &Statement, at: usize, strides: Strides) -> Result<Option<(Statement, Map)>> {
    let own = u32::try_from(at).unwrap_or(u32::MAX);
    let Some(value) = sum_in(&stmt.iterators[at].value, &stmt.domain)? else { return Ok(None) };
    let Some(factor) = factor(&value, own, strides)? else { return Ok(None) };
    let value = if factor > 0 { value } else { value.neg()? }.to_pw_aff()?;
    let space = stmt.domain.space()?;
    let count = Aff::var_on_domain(&space, DimType::SET, own)?.to_pw_aff()?;
    let renamed = renaming(stmt, own, &value)?;
    let domain = stmt.domain.apply(&renamed)?;
    let domain = match domain.basic_sets()?.as_slice() {
        [all] => plain(all)?,
        _ => domain,
    };
    let moved =
        |map: &Map| map.apply_domain(&renamed)?.intersect_domain(&domain)?.gist_domain(&domain);
    // Dates are not touched: what they say of the count holds of the value, which grows with it.
    let mut new = Statement { domain: domain.clone(), ..stmt.clone() };
    for (position, iterator) in new.iterators.iter_mut().enumerate() {
        iterator.value = if position != at {
            moved(&iterator.value.to_map()?)?.to_pw_multi_aff()?.at(0)?
        } else if factor > 0 {
            count.clone()
        } else {
            count.neg()?
        };
    }
    for access in new.accesses.iter_mut() {
        access.relation = moved(&access.relation)?;
    }
    Ok(Some((new, renamed)))
}

/// The factor of a dimension in a value that is otherwise made of dimensions before it and of divisions of these; none where it is another value,
/// or one that a loop counts by anyway.
fn factor(aff: &Aff, at: u32, strides: Strides) -> Result<Option<i64>> {
    let number = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
    let n_behind = aff.dim(DimType::In)?.saturating_sub(at);
    if n_behind > 1 && aff.involves_dims(DimType::In, at + 1, n_behind - 1)? {
        return Ok(None);
    }
    let mut is_divided = false;
    for div in 0..number(aff.dim(DimType::Div)?) {
        if aff.coefficient_val(DimType::Div, div)?.to_small_int()? == Some(0) {
            continue;
        }
        is_divided = true;
        if aff.div(div)?.involves_dims(DimType::In, at, n_behind)? {
            return Ok(None);
        }
    }
    let factor = aff.coefficient_val(DimType::In, number(at))?.to_small_int()?;
    let is_counted = |factor: &i64| {
        *factor != 0 && (is_divided || strides == Strides::All && factor.unsigned_abs() > 1)
    };
    Ok(factor.filter(is_counted))
}

/// The one sum that a value is for the points of a set; none where it is several.
fn sum_in(value: &PwAff, points: &Set) -> Result<Option<Aff>> {
    let mut found = Vec::new();
    for (domain, sum) in value.pieces()? {
        if !domain.is_disjoint(points)? {
            found.push(sum);
        }
    }
    Ok(found.pop().filter(|_| found.is_empty()))
}

/// From instances to those whose dimension at a position is a value.
fn renaming(stmt: &Statement, at: u32, value: &PwAff) -> Result<Map> {
    let all = Set::universe(&stmt.domain.space()?)?;
    let identity = all.identity()?;
    let rank = stmt.domain.dim(DimType::SET)?;
    let mut renamed = Map::from_domain_and_range(&all, &Set::unnamed_universe(0)?)?;
    for dim in 0..rank {
        let one = match dim == at {
            true => value.to_map()?,
            false => {
                let behind = rank.saturating_sub(dim + 1);
                let one = identity.project_out(DimType::Out, dim + 1, behind)?;
                one.project_out(DimType::Out, 0, dim)?.reset_tuple_id(DimType::Out)?
            }
        };
        renamed = renamed.flat_range_product(&one)?;
    }
    Ok(renamed.with_tuple_name(DimType::Out, &stmt.name)?)
}
