//! Constraints of convex sets as integer rows.

use crate::object::Object;
use crate::space::to_u32;
use crate::{BasicMap, BasicSet, DimType, Error, Result, Space, Val};
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

impl LinearRow {
    /// Whether the row, which is not negative, says no more than that parameters are at most a number, `least` or more: as
    /// types of C do, `n <= 2147483647`.
    pub fn is_limit(&self, least: i64) -> bool {
        self.constant >= least
            && self.dims.iter().chain(&self.divs).all(|factor| *factor == 0)
            && self.params.iter().all(|factor| *factor <= 0)
            && self.params.iter().any(|factor| *factor < 0)
    }
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

    /// The pairs in the map space `space` that satisfy the constraints: a row's dimensions are those of the domain, then
    /// those of the range, and its divisions are existentially quantified.
    pub(crate) fn to_basic_map(&self, space: &Space) -> Result<BasicMap> {
        let mut n_dims = 0;
        for kind in [DimType::In, DimType::Out] {
            n_dims += space.dim(kind)? as usize;
        }
        let n_params = space.dim(DimType::Param)? as usize;
        let rows = self.equalities.iter().chain(&self.inequalities);
        let n_divs = rows.map(|row| row.divs.len()).max().unwrap_or(0);
        let shape = [n_dims, n_params, n_divs];
        let mut equalities = Matrix::of(space, &self.equalities, shape)?;
        let mut inequalities = Matrix::of(space, &self.inequalities, shape)?;
        let [input, output, param, div] =
            [DimType::In, DimType::Out, DimType::Param, DimType::Div].map(|kind| kind as u32);
        let constant = 0;
        // SAFETY: the space and both matrices are handed over.
        let raw = unsafe {
            sys::isl_basic_map_from_constraint_matrices(
                space.take(),
                equalities.raw(),
                inequalities.raw(),
                input,
                output,
                param,
                div,
                constant,
            )
        };
        BasicMap::give(space.context(), raw)
    }
}

/// A matrix of isl's, freed when it is not handed over.
struct Matrix(*mut sys::isl_mat);

impl Drop for Matrix {
    fn drop(&mut self) {
        // SAFETY: the matrix is owned; isl does not mind null.
        unsafe { sys::isl_mat_free(self.0) };
    }
}

impl Matrix {
    /// The matrix of `rows` for `space`: dimensions, parameters and divisions, as many as `shape` says, and the constant.
    fn of(space: &Space, rows: &[LinearRow], shape: [usize; 3]) -> Result<Self> {
        let n_columns = to_u32(shape.iter().sum::<usize>() + 1);
        // SAFETY: plain allocation.
        let mut matrix = Self(unsafe {
            sys::isl_mat_alloc(space.context().as_ptr(), to_u32(rows.len()), n_columns)
        });
        for (i, row) in (0..).zip(rows) {
            let mut columns = Vec::new();
            for (values, n) in [&row.dims, &row.params, &row.divs].into_iter().zip(shape) {
                columns.extend(values.iter().copied().chain(std::iter::repeat(0)).take(n));
            }
            columns.push(row.constant);
            for (j, value) in (0..).zip(columns) {
                matrix.set(i, j, value)?;
            }
        }
        if matrix.0.is_null() { Err(space.context().take_error()) } else { Ok(matrix) }
    }

    /// Sets one element.
    fn set(&mut self, row: i32, column: i32, value: i64) -> Result<()> {
        // SAFETY: matrix and value are handed over; isl checks the position.
        self.0 = match i32::try_from(value) {
            Ok(value) => unsafe { sys::isl_mat_set_element_si(self.raw(), row, column, value) },
            Err(_) => {
                let value = Val::int(value)?.into_raw();
                unsafe { sys::isl_mat_set_element_val(self.raw(), row, column, value) }
            }
        };
        Ok(())
    }

    /// The matrix itself, for isl to take.
    fn raw(&mut self) -> *mut sys::isl_mat {
        std::mem::replace(&mut self.0, std::ptr::null_mut())
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
