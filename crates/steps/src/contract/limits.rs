//! How large parameters may be.

use crate::Result;
use farkas_poly::{DimType, Set};
use farkas_scop::{ArrayScope, Scop, within_extents};

/// The greatest values, where there are such, of the parameters that extents of expanded arrays depend on, for which all accesses
/// lie in the arrays as they are declared and all statements run: within them, what these arrays take is known.
///
/// # Errors
/// When isl refuses.
pub fn limits(scop: &Scop) -> Result<Vec<(String, i64)>> {
    if !scop.arrays().iter().any(|array| array.scope == ArrayScope::Expanded) {
        return Ok(Vec::new());
    }
    let mut inside = scop.context().clone();
    for stmt in scop.stmts() {
        inside = inside.intersect(&stmt.domain.params()?)?;
    }
    let inside = within_extents(scop, &inside)?;
    let mut found = Vec::new();
    for param in scop.params() {
        if has_extent(scop, &param.name)?
            && let Some(most) = greatest(&inside, &param.name)?
        {
            found.push((param.name.clone(), most));
        }
    }
    Ok(found)
}

/// Whether extents of expanded arrays depend on a parameter.
fn has_extent(scop: &Scop, name: &str) -> Result<bool> {
    for array in scop.arrays().iter().filter(|a| a.scope == ArrayScope::Expanded) {
        for extent in array.extents.iter().flatten() {
            let names = extent.space()?.param_names()?;
            let position = (0..).zip(&names).find(|(_, known)| *known == name);
            if let Some((position, _)) = position
                && extent.involves_dims(DimType::Param, position, 1)?
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The greatest value that a parameter may have, where there is one.
fn greatest(params: &Set, name: &str) -> Result<Option<i64>> {
    let Some(position) = params.find_param(name) else { return Ok(None) };
    let values = params.from_params()?.move_dims(DimType::SET, 0, DimType::Param, position, 1)?;
    Ok(values.project_out_all_params()?.dim_max_val(0)?.to_small_int()?)
}

/// The scop for parameters within limits.
pub(super) fn limited(scop: &Scop, limits: &[(String, i64)]) -> Result<Scop> {
    let mut builder = scop.to_builder();
    for (name, most) in limits {
        let Some(position) = builder.context.find_param(name) else { continue };
        let most = farkas_poly::Val::int(*most)?;
        builder.context = builder.context.upper_bound_val(DimType::Param, position, &most)?;
    }
    builder.build().map_err(crate::Error::Scop)
}
