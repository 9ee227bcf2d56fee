//! The linear parts of subscripts, and how far accesses move in memory.

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

/// Where an access goes while one loop advances by one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stride {
    /// It stays at its element.
    Invariant,
    /// It goes to the next element in memory, or the one before.
    Contiguous,
    /// It jumps, or cannot be told.
    Strided,
}

impl Stride {
    /// The stride of an access with these [`linear_subscripts`] along `direction`, a step in each dimension of the
    /// statement. Scalars are invariant.
    pub fn along(rows: Option<&[Vec<i64>]>, direction: &[i64]) -> Self {
        match rows.and_then(|rows| step(rows, direction)) {
            Some(0) => Self::Invariant,
            Some(1 | -1) => Self::Contiguous,
            Some(_) | None => Self::Strided,
        }
    }
}

/// How many elements of the innermost dimension an access with these [`linear_subscripts`] moves along `direction`; `None`
/// where it moves in another dimension, too. Scalars do not move.
pub fn step(rows: &[Vec<i64>], direction: &[i64]) -> Option<i64> {
    let along = |row: &Vec<i64>| {
        let products = row.iter().zip(direction).map(|(a, d)| a.saturating_mul(*d));
        products.fold(0, i64::saturating_add)
    };
    let Some((last, outer)) = rows.split_last() else { return Some(0) };
    outer.iter().all(|row| along(row) == 0).then(|| along(last))
}

#[cfg(test)]
mod tests {
    use super::Stride;

    #[test]
    fn strides_by_the_last_dimension() {
        let rows = [vec![1, 0], vec![0, 1]];
        assert_eq!(Stride::along(Some(&rows), &[0, 1]), Stride::Contiguous);
        assert_eq!(Stride::along(Some(&rows), &[1, 0]), Stride::Strided);
        assert_eq!(Stride::along(Some(&[]), &[1, 0]), Stride::Invariant);
        assert_eq!(Stride::along(None, &[1, 0]), Stride::Strided);
    }
}
