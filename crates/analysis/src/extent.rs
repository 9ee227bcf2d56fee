//! How many iterations a loop has.

use crate::Result;
use farkas_poly::{Map, MultiUnionPwAff, UnionPwAff, UnionSet, Val};
use farkas_tree::Member;

/// An upper bound on the iterations of a member over all parameters, had its dates one stride; none where parameters
/// decide.
///
/// # Errors
/// When isl refuses.
pub fn extent(member: &Member, domain: &UnionSet) -> Result<Option<i64>> {
    let (mut least, mut greatest, mut stride) = (i64::MAX, i64::MIN, i64::MAX);
    for part in member.schedule.pw_affs()? {
        let dates = domain.extract_set(&part.domain_space()?)?.apply(&part.to_map()?)?;
        if dates.is_empty()? {
            continue;
        }
        let (first, last) = (dates.dim_min_val(0)?, dates.dim_max_val(0)?);
        let (Some(first), Some(last)) = (first.to_small_int()?, last.to_small_int()?) else {
            return Ok(None);
        };
        (least, greatest) = (least.min(first), greatest.max(last));
        stride = stride.min(dates.stride(0)?.to_i64()?);
    }
    if greatest < least {
        return Ok(Some(0));
    }
    Ok(greatest.checked_sub(least).map(|range| range / stride.max(1) + 1))
}

/// Whether a member has `n` iterations or more, or as many as parameters decide.
///
/// # Errors
/// When isl refuses.
pub fn is_long(member: &Member, domain: &UnionSet, n: i64) -> Result<bool> {
    Ok(extent(member, domain)?.is_none_or(|extent| extent >= n))
}

/// Whether a member has `n` iterations or more in one iteration of the loops around it, or as many as parameters decide.
///
/// # Errors
/// When isl refuses.
pub fn is_long_within(
    member: &Member,
    outer: &[Member],
    domain: &UnionSet,
    n: i64,
) -> Result<bool> {
    let mut around: Vec<UnionPwAff> = outer.iter().map(|member| member.schedule.clone()).collect();
    if around.is_empty() {
        // One loop of one iteration: isl has no function into nothing on a union of domains.
        around.push(member.schedule.scale_val(&Val::int(0)?)?);
    }
    let around = MultiUnionPwAff::from_members(&around)?.to_union_map()?;
    let date = MultiUnionPwAff::from_members(std::slice::from_ref(&member.schedule))?;
    let dates = around.intersect_domain(domain)?.reverse()?.apply_range(&date.to_union_map()?)?;
    for dates in dates.maps()? {
        if spread(&dates)?.is_some_and(|spread| spread + 1 < n) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The greatest difference of two values of one argument, for a relation with one dimension as its range; none where parameters
/// decide.
///
/// # Errors
/// When isl refuses.
pub fn spread(values: &Map) -> Result<Option<i64>> {
    let differences = values.reverse()?.apply_range(values)?.deltas()?;
    if differences.is_empty()? {
        return Ok(Some(0));
    }
    differences.dim_max_val(0)?.to_small_int()
}
