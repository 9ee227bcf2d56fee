//! Uniform pieces of relations between instances of one statement.

use crate::Result;
use crate::rows::{Row, System};
use farkas_poly::{BasicMap, Constraints, DimType, LinearRow, Map, Set};
use std::collections::BTreeSet;

/// The uniform part of `pairs`, whose source and sink are instances of the statement with this domain; `None` where there
/// is none.
///
/// Its pairs are those as far apart as the pairs of a uniform piece. A piece is uniform if sink minus source is the same for all of
/// it, and its pairs have as many dimensions as all pairs of instances that far apart: pairs that need an end of a loop
/// are no pattern that a schedule could follow.
///
/// **Paper.** RR-9110 (see [`super::locality`]), 4.3, removes whole relations that are not uniform.
pub(super) fn uniform_part(domain: &Set, pairs: &Map) -> Result<Option<Map>> {
    let mut distances = BTreeSet::new();
    let mut is_all = true;
    for piece in pairs.basic_maps()? {
        match uniform_distance(domain, &piece)? {
            Some(distance) => drop(distances.insert(distance)),
            None => is_all = false,
        }
    }
    if is_all {
        return Ok((!distances.is_empty()).then(|| pairs.clone()));
    }
    let mut kept: Option<Map> = None;
    for distance in distances {
        let here = pairs.intersect(&apart(domain, &distance)?)?;
        kept = Some(match kept {
            Some(kept) => kept.union_disjoint(&here)?,
            None => here,
        });
    }
    kept.map(|kept| Ok(kept.coalesce()?.detect_equalities()?)).transpose()
}

/// How far apart the pairs of a piece are, where it is uniform.
fn uniform_distance(domain: &Set, piece: &BasicMap) -> Result<Option<Vec<i64>>> {
    let equalities = piece.equalities()?;
    let depth = domain.dim(DimType::SET)? as usize;
    let Some(distance) = distance(&equalities, depth) else { return Ok(None) };
    // The instances of most domains are fixed in no dimension, so that only the distance fixes some.
    let n_fixed_here = n_fixed(&equalities);
    if n_fixed_here > depth {
        let all = apart(domain, &distance)?.intersect_domain(domain)?.intersect_range(domain)?;
        let mut least = usize::MAX;
        for piece in all.detect_equalities()?.basic_maps()? {
            least = least.min(n_fixed(&piece.equalities()?));
        }
        if n_fixed_here > least {
            return Ok(None);
        }
    }
    Ok(Some(distance))
}

/// Sink minus source, where the equalities fix it; `depth` is that of both.
fn distance(equalities: &[LinearRow], depth: usize) -> Option<Vec<i64>> {
    let Some(first) = equalities.first() else { return (depth == 0).then(Vec::new) };
    let n_columns = first.divs.len() + first.dims.len() + first.params.len() + 1;
    let (source, sink) = (first.divs.len(), first.divs.len() + depth);
    let system = System::of_equalities(equalities);
    let along = |i| system.value(&Row::sparse(n_columns, &[(source + i, -1), (sink + i, 1)]));
    (0..depth).map(along).collect()
}

/// How many of the dimensions `equalities` fix as functions of others and of parameters.
fn n_fixed(equalities: &[LinearRow]) -> usize {
    let Some(first) = equalities.first() else { return 0 };
    let n_divs = first.divs.len();
    System::of_equalities(equalities).n_determined(n_divs..n_divs + first.dims.len())
}

/// All pairs of points in the space of `domain` that are so far apart.
fn apart(domain: &Set, distance: &[i64]) -> Result<Map> {
    let depth = distance.len();
    let row = |(i, d): (usize, &i64)| {
        let mut dims = vec![0; 2 * depth];
        (dims[i], dims[depth + i]) = (1, -1);
        LinearRow { constant: *d, params: Vec::new(), dims, divs: Vec::new() }
    };
    let equalities = distance.iter().enumerate().map(row).collect();
    let constraints = Constraints { equalities, inequalities: Vec::new() };
    let space = domain.space()?.map_from_set()?;
    Ok(BasicMap::of_constraints(&space, &constraints)?.to_map()?)
}
