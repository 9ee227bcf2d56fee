//! The values of the user's iterators as functions of the domain's dimensions, and the extents of expanded arrays.

use crate::Result;
use crate::expr::Expr;
use crate::isl_expr::expr_of;
use farkas_base::Id;
use farkas_poly::{AstBuild, DimType, PwAff, Set, Val};
use farkas_scop::{ArrayId, Scop, Statement, StmtId};

/// The name that stands for a dimension of a statement's domain.
fn dimension(position: usize) -> String {
    format!("%{position}")
}

/// The dimension that a name of [`dimension`]'s stands for.
pub(crate) fn dimension_of(name: &str) -> Option<usize> {
    name.strip_prefix('%')?.parse().ok()
}

/// Iterator values by statement, over [`dimension`] names; made when first needed.
#[derive(Default)]
pub(crate) struct Values {
    known: Vec<Option<Vec<Expr>>>,
}

impl Values {
    /// The values of the user's iterators at the instance with these dimensions.
    pub(crate) fn of_instance(
        &mut self,
        scop: &Scop,
        stmt: StmtId,
        args: &[Expr],
    ) -> Result<Vec<Expr>> {
        let index = stmt.index();
        if self.known.len() <= index {
            self.known.resize(index + 1, None);
        }
        if self.known[index].is_none() {
            let statement = &scop.stmts()[stmt];
            let domain = scop_domain(scop, statement)?;
            let values = statement.iterators.iter().map(|i| in_dimensions(&i.value, &domain));
            self.known[index] = Some(values.collect::<Result<_>>()?);
        }
        let values = self.known[index].as_deref().unwrap_or_default();
        let by = |name: &str| args.get(dimension_of(name)?).cloned();
        Ok(values.iter().map(|v| v.substitute(&by)).collect())
    }
}

/// A function of a statement's dimensions, which lie in `domain`, over their names.
pub(crate) fn in_dimensions(value: &PwAff, domain: &Set) -> Result<Expr> {
    if let Some(expr) = affine(value)? {
        return Ok(expr);
    }
    // isl writes piecewise and divided values; it does so for functions of parameters alone, so dimensions become some.
    let dims = value.dim(DimType::In)?;
    let n_params = value.dim(DimType::Param)?;
    let mut moved = value.move_dims(DimType::Param, n_params, DimType::In, 0, dims)?;
    let domain_params = domain.dim(DimType::Param)?;
    let mut context = domain.move_dims(DimType::Param, domain_params, DimType::SET, 0, dims)?;
    for i in 0..dims {
        let name = dimension(i as usize);
        moved = moved.with_dim_name(DimType::Param, n_params + i, &name)?;
        context = context.with_dim_name(DimType::Param, domain_params + i, &name)?;
    }
    let context = context.params()?;
    let expr =
        AstBuild::from_context(&context)?.expr_from_pw_aff(&moved.project_domain_on_params()?)?;
    expr_of(&expr, &|name| {
        if name.starts_with('%') { Expr::iterator(name) } else { Expr::param(name) }
    })
}

/// The expanded arrays that statements use, and the buffers whose extents depend on parameters, with their extents.
pub(crate) fn expanded(scop: &Scop) -> Result<Vec<(ArrayId, Vec<Expr>)>> {
    let build = AstBuild::from_context(scop.context())?;
    let mut found = Vec::new();
    for (id, array) in scop.arrays().iter_enumerated() {
        let is_used = scop.stmts().iter().any(|s| s.accesses.iter().any(|a| a.array == id));
        if !array.is_allocated() || !is_used {
            continue;
        }
        let mut extents = Vec::new();
        for extent in array.extents.iter().flatten() {
            let expr = build.expr_from_pw_aff(&extent.project_domain_on_params()?)?;
            extents.push(expr_of(&expr, &|name| Expr::param(name))?);
        }
        found.push((id, extents));
    }
    Ok(found)
}

/// The domain of a statement under the scop's context.
fn scop_domain(scop: &Scop, stmt: &Statement) -> Result<Set> {
    Ok(stmt.domain.intersect_params(scop.context())?)
}

/// The value where it is one affine expression with integer factors and without divisions.
fn affine(value: &PwAff) -> Result<Option<Expr>> {
    let pieces = value.pieces()?;
    let [(_, aff)] = pieces.as_slice() else { return Ok(None) };
    let integer = |val: Val| -> Result<Option<i64>> { Ok(val.to_small_int()?) };
    if aff.dim(DimType::Div)? > 0 {
        return Ok(None);
    }
    let Some(constant) = integer(aff.constant_val()?)? else { return Ok(None) };
    let mut sum = Expr::int(constant);
    let space = aff.domain_space()?;
    for kind in [DimType::Param, DimType::In] {
        for i in 0..aff.dim(kind)? {
            let at = i32::try_from(i).unwrap_or(i32::MAX);
            let Some(factor) = integer(aff.coefficient_val(kind, at)?)? else { return Ok(None) };
            if factor != 0 {
                let name = if kind == DimType::Param {
                    Expr::param(space.dim_name(DimType::Param, i).unwrap_or_default())
                } else {
                    Expr::iterator(dimension(i as usize))
                };
                sum = sum.plus(&name.times(factor));
            }
        }
    }
    Ok(Some(sum))
}
