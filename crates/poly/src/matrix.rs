//! Constraints of convex sets as integer rows.

use crate::object::Object;
use crate::{BasicSet, DimType, Error, Result, Val};
use farkas_isl_sys as sys;

/// One affine row `constant + params·p + dims·x + divs·d`, integer coefficients.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LinearRow {
    /// The constant.
    pub constant: i64,
    /// A coefficient for each parameter, in the space's order.
    pub params: Vec<i64>,
    /// A coefficient for each set dimension.
    pub dims: Vec<i64>,
    /// A coefficient for each existentially quantified division.
    pub divs: Vec<i64>,
}

/// The constraints of a convex set: `equalities = 0`, `inequalities >= 0`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constraints {
    /// Rows that are zero.
    pub equalities: Vec<LinearRow>,
    /// Rows that are not negative.
    pub inequalities: Vec<LinearRow>,
}

impl Constraints {
    /// The constraints of `set`, divisions left as further unknowns.
    ///
    /// # Errors
    /// [`Error::Overflow`] when a coefficient does not fit `i64`.
    pub(crate) fn of_basic_set(set: &BasicSet) -> Result<Self> {
        let (cst, param, out, div) =
            (0, DimType::Param as u32, DimType::SET as u32, DimType::Div as u32);
        // SAFETY: the set is kept; the matrices are ours.
        let (equalities, inequalities) = unsafe {
            (
                sys::isl_basic_set_equalities_matrix(set.keep(), cst, param, out, div),
                sys::isl_basic_set_inequalities_matrix(set.keep(), cst, param, out, div),
            )
        };
        let shape = [set.dim(DimType::Param)?, set.dim(DimType::SET)?, set.dim(DimType::Div)?];
        Ok(Self {
            equalities: rows(set, equalities, shape)?,
            inequalities: rows(set, inequalities, shape)?,
        })
    }
    /// The equalities of `set` alone, divisions left as further unknowns.
    ///
    /// # Errors
    /// [`Error::Overflow`] when a coefficient does not fit `i64`.
    pub(crate) fn equalities_of(set: &BasicSet) -> Result<Vec<LinearRow>> {
        let shape = [set.dim(DimType::Param)?, set.dim(DimType::SET)?, set.dim(DimType::Div)?];
        let (cst, param, out, div) =
            (0, DimType::Param as u32, DimType::SET as u32, DimType::Div as u32);
        // SAFETY: the set is kept; the matrix is ours.
        let matrix =
            unsafe { sys::isl_basic_set_equalities_matrix(set.keep(), cst, param, out, div) };
        rows(set, matrix, shape)
    }
}

/// The rows of a matrix that is freed here.
fn rows(set: &BasicSet, matrix: *mut sys::isl_mat, shape: [u32; 3]) -> Result<Vec<LinearRow>> {
    if matrix.is_null() {
        return Err(set.context().take_error());
    }
    // SAFETY: the matrix is live until freed below.
    let n = unsafe { sys::isl_mat_rows(matrix) };
    let result = (0..n).map(|row| linear_row(set, matrix, row, shape)).collect();
    // SAFETY: freed once.
    unsafe { sys::isl_mat_free(matrix) };
    result
}

/// One row; columns are constant, parameters, dimensions, divisions.
fn linear_row(
    set: &BasicSet,
    matrix: *mut sys::isl_mat,
    row: i32,
    shape: [u32; 3],
) -> Result<LinearRow> {
    let mut column = 0;
    let mut next = || -> Result<i64> {
        // SAFETY: the matrix is live, row and column are in range.
        let value =
            Val::give(set.context(), unsafe { sys::isl_mat_get_element_val(matrix, row, column) })?;
        column += 1;
        value.to_i64().map_err(|_| Error::Overflow { value: value.to_string() })
    };
    let constant = next()?;
    let [params, dims, divs] = shape.map(|n| (0..n).map(|_| next()).collect::<Result<Vec<_>>>());
    Ok(LinearRow { constant, params: params?, dims: dims?, divs: divs? })
}
