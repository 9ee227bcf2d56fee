//! The linear parts of subscripts.

use farkas_poly::{Aff, DimType, Map, PwAff, Result};

/// The linear part of each subscript of an access relation: a row a dimension of the array, in it a coefficient a
/// dimension of the statement. `None` where a subscript is no affine function of the instance.
///
/// # Errors
/// When isl refuses.
pub fn linear_subscripts(relation: &Map) -> Result<Option<Vec<Vec<i64>>>> {
    let dims = relation.dim(DimType::Out)?;
    if !relation.is_single_valued()? {
        return Ok(None);
    }
    let function = relation.to_pw_multi_aff()?;
    let mut rows = Vec::new();
    for i in 0..dims {
        match linear_part(&function.at(i32::try_from(i).unwrap_or(i32::MAX))?)? {
            Some(row) => rows.push(row),
            None => return Ok(None),
        }
    }
    Ok(Some(rows))
}

/// The integer coefficients of the domain dimensions of a function; `None` where it is not one affine expression.
///
/// # Errors
/// When isl refuses.
pub fn linear_part(value: &PwAff) -> Result<Option<Vec<i64>>> {
    let pieces = value.pieces()?;
    let [(_, aff)] = pieces.as_slice() else { return Ok(None) };
    coefficients(aff)
}

/// The coefficients of an expression without integer divisions and denominators.
fn coefficients(aff: &Aff) -> Result<Option<Vec<i64>>> {
    if aff.dim(DimType::Div)? > 0 {
        return Ok(None);
    }
    let n = i32::try_from(aff.dim(DimType::In)?).unwrap_or(i32::MAX);
    let row: Result<Vec<i64>> =
        (0..n).map(|i| aff.coefficient_val(DimType::In, i)?.to_i64()).collect();
    Ok(row.ok())
}
