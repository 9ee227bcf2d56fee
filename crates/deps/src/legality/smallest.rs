//! Finding small points.

use super::counterexample::{Counterexample, Fault, Instance, InstanceFault};
use crate::Result;
use farkas_poly::{DimType, Set, Val};
use farkas_scop::{Scop, StmtId};
use farkas_tree::Cursor;

/// A point with values for the scop's parameters.
pub(crate) struct Point {
    pub(crate) params: Vec<i64>,
    pub(crate) dims: Vec<i64>,
}

/// A small point of `set`, which is not empty and has `n` dimensions: parameters first, then dimensions, each as
/// close to zero as those before it allow, not negative where possible.
pub(crate) fn point(scop: &Scop, set: &Set, n: usize) -> Result<Point> {
    let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
    let model = farkas_poly::Space::params_named(&names)?;
    let n_params = u32::try_from(names.len()).unwrap_or(u32::MAX);
    let mut left = set.align_params(&model)?.flatten()?.move_dims(
        DimType::SET,
        0,
        DimType::Param,
        0,
        n_params,
    )?;
    let mut values = Vec::new();
    for at in 0..names.len() + n {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let position = i32::try_from(at).unwrap_or(i32::MAX);
        let above = left.lower_bound_si(DimType::SET, at, 0)?;
        let value = if above.is_empty()? {
            left.dim_max_val(position)?
        } else {
            above.dim_min_val(position)?
        };
        left = left.fix_val(DimType::SET, at, &value)?;
        values.push(value.to_i64()?);
    }
    let dims = values.split_off(names.len());
    Ok(Point { params: values, dims })
}

/// The instance of `stmt` at `point`.
pub(crate) fn at(scop: &Scop, stmt: StmtId, params: &[i64], point: &[i64]) -> Result<Instance> {
    let statement = &scop.stmts()[stmt];
    let here = fixed(&Set::universe(&statement.domain.space()?)?, params, point)?;
    let mut iterators = Vec::new();
    for iterator in &statement.iterators {
        let value = here.apply(&iterator.value.to_map()?)?.dim_min_val(0)?;
        iterators.push((iterator.name.clone(), value.to_i64()?));
    }
    Ok(Instance {
        stmt,
        name: statement.name.clone(),
        point: point.to_vec(),
        iterators,
        span: statement.span,
    })
}

/// The counterexample of a faulty instance.
pub(crate) fn instance(
    scop: &Scop,
    stmt: StmtId,
    faulty: &Set,
    cursor: &Cursor,
    fault: InstanceFault,
) -> Result<Counterexample> {
    let point = point(scop, faulty, scop.stmts()[stmt].depth())?;
    let instance = at(scop, stmt, &point.params, &point.dims)?;
    Ok(Counterexample {
        params: named(scop, &point.params),
        fault: Fault::Instance { instance, fault, cursor: cursor.clone() },
    })
}

/// Parameters with their names.
pub(crate) fn named(scop: &Scop, params: &[i64]) -> Vec<(String, i64)> {
    scop.params().iter().map(|p| p.name.clone()).zip(params.iter().copied()).collect()
}

/// The points of `set` with these parameters, in the scop's order, and coordinates.
pub(crate) fn fixed(set: &Set, params: &[i64], point: &[i64]) -> Result<Set> {
    let mut set = set.clone();
    for (kind, values) in [(DimType::Param, params), (DimType::SET, point)] {
        for (i, value) in values.iter().enumerate() {
            let at = u32::try_from(i).unwrap_or(u32::MAX);
            set = set.fix_val(kind, at, &Val::int(*value)?)?;
        }
    }
    Ok(set)
}
