//! Where tile loops run: supersets of the tiles with few and simple constraints.

use crate::Result;
use farkas_poly::{Aff, BasicSet, DimType, LinearRow, MultiUnionPwAff, Set, UnionPwAff, UnionSet};

/// How many constraints a superset keeps for each of its dimensions, and once more. Tiled programs as people write them have at most
/// five; large skews in many dimensions have dozens, with large coefficients, which cost isl minutes.
const CONSTRAINTS_PER_DIM: usize = 6;

/// Supersets of the values that the first `depth` dates, and each date more, take for `instances`: without existentially
/// quantified variables but those of strides, each the projection of the next, and convex; where the bounds of different
/// statements have nothing in common, so that no convex set bounds them all, unions.
pub(crate) fn shadows(
    instances: &UnionSet,
    dates: &[UnionPwAff],
    depth: usize,
) -> Result<Vec<Set>> {
    let map = MultiUnionPwAff::from_members(dates)?.to_union_map()?.intersect_domain(instances)?;
    let exact = match Set::union_all(map.range()?.sets()?)? {
        Some(set) => set,
        None => {
            Set::unnamed_universe(dates.len())?.subtract(&Set::unnamed_universe(dates.len())?)?
        }
    };
    let pieces = exact.remove_divs()?.coalesce()?;
    let mut hull = projections(pieces.simple_hull()?.to_set()?, depth)?;
    for set in &hull {
        if !is_last_bounded(set)? {
            hull = projections(pieces, depth)?;
            break;
        }
    }
    match depth > 0 && may_stride(&exact)? {
        true => with_strides(hull, &exact),
        false => Ok(hull),
    }
}

/// Whether equations with divisions relate values in each piece, as remainders do: others have no strides in common.
fn may_stride(exact: &Set) -> Result<bool> {
    let pieces = exact.basic_sets()?;
    for piece in &pieces {
        let rows = match piece.constraints() {
            Ok(rows) => rows,
            // Numbers that fit no machine word are no sizes of tiles.
            Err(farkas_poly::Error::Overflow { .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let divides = |row: &LinearRow| row.divs.iter().any(|factor| *factor != 0);
        if !rows.equalities.iter().any(divides) {
            return Ok(false);
        }
    }
    Ok(!pieces.is_empty())
}

/// Supersets of values with the strides that `exact` ones have, each superset of one dimension more than the one before: where loops around deal
/// tiles out, those that are left.
fn with_strides(sets: Vec<Set>, exact: &Set) -> Result<Vec<Set>> {
    let strides = exact.affine_hull()?.to_set()?;
    let n = exact.dim(DimType::SET)?;
    let strided = |set: Set| {
        let known = set.dim(DimType::SET)?;
        Ok(set.intersect(&strides.project_out(DimType::SET, known, n - known)?)?)
    };
    sets.into_iter().map(strided).collect()
}

/// Supersets of the rational projections of `set` on the first `depth` dimensions, and on each dimension more.
fn projections(set: Set, depth: usize) -> Result<Vec<Set>> {
    let n = set.dim(DimType::SET)? as usize;
    let mut sets = vec![thinned(set)?];
    for at in (depth..n).rev() {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let outer = sets[sets.len() - 1].project_out(DimType::SET, at, 1)?.remove_divs()?;
        sets.push(thinned(outer.remove_redundancies()?)?);
    }
    if depth == 0 {
        // The loops need no guard that says that they are not empty.
        let all = Set::universe(&sets[n].space()?)?;
        sets[n] = all;
    }
    sets.reverse();
    Ok(sets)
}

/// A superset with not too many constraints in each piece, the simplest ones; the set itself where
/// that would leave its last dimension without bounds.
fn thinned(set: Set) -> Result<Set> {
    let most = CONSTRAINTS_PER_DIM * (set.dim(DimType::SET)? as usize + 1);
    let (mut pieces, mut is_changed) = (Vec::new(), false);
    for piece in set.basic_sets()? {
        let mut rows = piece.constraints()?;
        if rows.inequalities.len() <= most {
            pieces.push(piece.to_set()?);
            continue;
        }
        is_changed = true;
        rows.inequalities.sort_by_key(complexity);
        rows.inequalities.truncate(most);
        pieces.push(with_rows(&piece, &rows.equalities, &rows.inequalities)?);
    }
    if !is_changed {
        return Ok(set);
    }
    let thin = Set::union_all(pieces)?.unwrap_or_else(|| set.clone());
    Ok(if is_last_bounded(&thin)? { thin } else { set })
}

/// How many dimensions a constraint relates, then the size of its coefficients.
fn complexity(row: &LinearRow) -> (usize, u64) {
    let coefficients = row.dims.iter().chain(&row.params).map(|c| c.unsigned_abs());
    let n_dims = row.dims.iter().filter(|&&c| c != 0).count();
    (n_dims, coefficients.fold(0, u64::saturating_add))
}

/// The set in the space of `model` in which some rows, without divisions, are zero and others not negative.
fn with_rows(model: &BasicSet, zero: &[LinearRow], non_negative: &[LinearRow]) -> Result<Set> {
    let space = model.space()?;
    let value = |row: &LinearRow| {
        Aff::linear(&space, &row.dims, &row.params, row.constant).and_then(|aff| aff.to_pw_aff())
    };
    let mut set = Set::universe(&space)?;
    for row in zero {
        set = set.intersect(&value(row)?.zero_set()?)?;
    }
    for row in non_negative {
        set = set.intersect(&value(row)?.nonneg_set()?)?;
    }
    Ok(set)
}

/// Whether the last dimension, if there is one, has bounds in terms of the parameters and the dimensions before it.
fn is_last_bounded(set: &Set) -> Result<bool> {
    let Some(last) = set.dim(DimType::SET)?.checked_sub(1) else { return Ok(true) };
    Ok(set.dim_has_lower_bound(DimType::SET, last)?
        && set.dim_has_upper_bound(DimType::SET, last)?)
}
