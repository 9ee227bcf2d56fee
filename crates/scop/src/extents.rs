//! What the extents of arrays say of parameters.

use crate::{AccessKind, ArrayId, Scop};
use farkas_poly::{DimType, PwAff, Result, Set, Val};

/// The parameters in `allowed` for which no access leaves an array's extents, of those that are numbers.
///
/// # Errors
/// When isl refuses.
pub fn within_extents(scop: &Scop, allowed: &Set) -> Result<Set> {
    let mut left = allowed.clone();
    for stmt in scop.stmts() {
        for access in stmt.accesses.iter().filter(|a| a.kind != AccessKind::Kill) {
            let touched = stmt.domain.intersect_params(&left)?.apply(&access.relation)?;
            for (dim, extent) in (0..).zip(constant_extents(scop, access.array)?) {
                let Some(extent) = extent else { continue };
                let beyond = touched.lower_bound_val(DimType::SET, dim, &Val::int(extent)?)?;
                left = left.subtract(&beyond.params()?)?.coalesce()?;
            }
        }
    }
    Ok(left)
}

/// The extents of an array that are numbers.
fn constant_extents(scop: &Scop, array: ArrayId) -> Result<Vec<Option<i64>>> {
    let number = |extent: &Option<PwAff>| -> Result<Option<i64>> {
        let Some(extent) = extent else { return Ok(None) };
        let pieces = extent.pieces()?;
        let [(_, value)] = pieces.as_slice() else { return Ok(None) };
        Ok(if value.is_cst()? { value.constant_val()?.to_i64().ok() } else { None })
    };
    scop.arrays()[array].extents.iter().map(number).collect()
}
