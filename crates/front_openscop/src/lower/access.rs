//! Accesses of a statement.

use super::Part;
use super::arrays::Arrays;
use super::refuse::Lower;
use crate::document::{Relation, RelationKind};
use crate::poly::map_of;
use farkas_base::IdVec;
use farkas_poly::{DimType, Map};
use farkas_scop::{Access, AccessId, AccessKind};

/// The accesses of a statement, in the order of the document.
pub(super) fn accesses(
    part: &Part<'_>,
    params: &[String],
    arrays: &Arrays,
    instances: &Map,
) -> Lower<IdVec<AccessId, Access>> {
    let mut accesses = IdVec::new();
    for open in &part.open.accesses {
        let Some((array, name, rank)) = arrays.of(open) else { continue };
        let touched = touched(part, open, params, name, rank, instances);
        let (relation, is_exact) = part.place.poly(touched)?;
        for &kind in kinds(open.kind, is_exact) {
            accesses.push(Access {
                array,
                kind,
                relation: relation.clone(),
                subscripts: Vec::new(),
                span: None,
            });
        }
    }
    Ok(accesses)
}

/// From instances of the scop to elements of the array, and whether it is one element an instance.
///
/// An access with fewer subscripts than its array has, as clan writes it for an array that is handed to a function,
/// touches all elements that begin with them.
fn touched(
    part: &Part<'_>,
    open: &Relation,
    params: &[String],
    array: &str,
    rank: usize,
    instances: &Map,
) -> farkas_poly::Result<(Map, bool)> {
    let subscripts = map_of(open, params)?.project_out(DimType::Out, 0, 1)?;
    let n_missing = rank.saturating_sub(subscripts.dim(DimType::Out)? as usize);
    let missing = u32::try_from(n_missing).unwrap_or(u32::MAX);
    let relation = subscripts
        .add_dims(DimType::Out, missing)?
        .with_tuple_name(DimType::In, &part.name)?
        .with_tuple_name(DimType::Out, array)?;
    let is_exact = missing == 0 && relation.intersect_domain(&part.domain)?.is_single_valued()?;
    Ok((relation.apply_domain(instances)?, is_exact))
}

/// What an access does.
fn kinds(kind: RelationKind, is_exact: bool) -> &'static [AccessKind] {
    match (kind, is_exact) {
        (RelationKind::Read, _) => &[AccessKind::Read],
        (RelationKind::Write, true) => &[AccessKind::MustWrite],
        (RelationKind::ReadWrite, true) => &[AccessKind::Read, AccessKind::MustWrite],
        (RelationKind::ReadWrite, false) => &[AccessKind::Read, AccessKind::MayWrite],
        _ => &[AccessKind::MayWrite],
    }
}
