//! Distances of dependences as rows of integer programs.

use crate::coefficient::Coefficient;
use crate::farkas::ConeRow;
use crate::group::ActiveDep;
use crate::layout::IlpLayout;
use farkas_base::Id;
use farkas_scop::{ParamId, StmtId};
use farkas_solve::{Row, VarIdx};

/// `sign` times the distance of `dep`, as `cone_row` of its cone sees it.
///
/// **Formulation** The cone's row is `a_0 c_0 + a_p.c_p + a_x.c_x + a_y.c_y >= 0` for the form
/// `c_0 + c_p n + c_x i + c_y j`. The distance `phi_T(j) - phi_S(i)` is that form with `c_0 = cst_T - cst_S`,
/// `c_p = d_T - d_S`, `c_x = -c_S`, `c_y = c_T`.
pub(crate) fn distance_row(
    layout: &IlpLayout,
    dep: &ActiveDep,
    cone_row: &ConeRow,
    sign: i64,
) -> Row {
    let mut products: Vec<(VarIdx, i64, i64)> = Vec::new();
    let mut add = |stmt: StmtId, which: Coefficient, factor: i64| {
        if factor != 0 {
            let columns = layout.terms(stmt, which);
            products.extend(columns.map(|(column, part)| (column, part, sign * factor)));
        }
    };
    for (i, &factor) in cone_row.sink.iter().enumerate() {
        add(dep.sink, Coefficient::Iterator(i), factor);
    }
    for (i, &factor) in cone_row.source.iter().enumerate() {
        add(dep.source, Coefficient::Iterator(i), -factor);
    }
    if dep.source != dep.sink {
        for (p, &factor) in cone_row.params.iter().enumerate() {
            add(dep.sink, Coefficient::Param(ParamId::from_index(p)), factor);
            add(dep.source, Coefficient::Param(ParamId::from_index(p)), -factor);
        }
        add(dep.sink, Coefficient::Constant, cone_row.constant);
        add(dep.source, Coefficient::Constant, -cone_row.constant);
    }
    Row::from_products(products)
}
