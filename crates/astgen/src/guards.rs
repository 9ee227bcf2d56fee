//! What is tested in front of a region, so that what was taken for granted holds where its loops run.
//!
//! **Paper**: P. Alves, F. Gruber, J. Doerfert, A. Lamprineas, T. Grosser, F. Rastello, F. Pereira, "Runtime Pointer
//! Disambiguation", OOPSLA 2015. As there, the addresses that accesses touch are bounded by symbolic ranges. Ours come from
//! the access relations: the least and the greatest subscript in each dimension, exactly, for the parameters for which the
//! array is touched at all.

use crate::convert::{cond_of, expr_of};
use crate::expr::{Cond, Expr};
use crate::{Error, Result};
use farkas_poly::{AstBuild, DimType, PwAff, Set};
use farkas_scop::{AccessKind, ArrayId, Assumption, Claim, Outcome, ParamId, Scop};

/// A condition in front of a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// The parameters have certain values.
    Parameters(Cond),
    /// Two objects share no memory, or one of them is not touched.
    Apart {
        /// When one of them is not touched.
        untouched: Cond,
        /// Both.
        touched: [Touched; 2],
        /// Whether they may also begin at the same address.
        or_same: bool,
    },
}

/// The part of an object that a region touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touched {
    /// The object's name in the source.
    pub name: String,
    /// The least subscript in each dimension.
    pub first: Vec<Expr>,
    /// The greatest subscript in each dimension.
    pub last: Vec<Expr>,
    /// The extents of all dimensions but the first, where the source has one subscript for all of them; else empty.
    pub linear: Vec<Expr>,
}

/// What a region touches.
#[derive(Clone, Copy)]
enum Object {
    /// An array or scalar.
    Array(ArrayId),
    /// The variable of a parameter.
    Parameter(ParamId),
}

/// The guards of those of a scop's assumptions that are tested; `same` are pairs of arrays that may be the same array.
///
/// # Errors
/// When isl refuses, or a range has no bound.
pub fn guards<'a>(
    scop: &Scop,
    assumptions: impl IntoIterator<Item = &'a Assumption>,
    same: &[(ArrayId, ArrayId)],
) -> Result<Vec<Guard>> {
    let mut guards = Vec::new();
    for assumption in assumptions.into_iter().filter(|a| a.outcome == Outcome::Tested) {
        let guard = guard(scop, assumption, same)?;
        let is_known = match &guard {
            Some(Guard::Parameters(cond)) => cond.as_bool() == Some(true),
            Some(Guard::Apart { untouched, .. }) => untouched.as_bool() == Some(true),
            None => true,
        };
        guards.extend(guard.filter(|_| !is_known));
    }
    // Comparisons of numbers cost least, and decide most.
    guards.sort_by_key(|guard| matches!(guard, Guard::Apart { .. }));
    Ok(guards)
}

/// The guard of one assumption.
fn guard(
    scop: &Scop,
    assumption: &Assumption,
    same: &[(ArrayId, ArrayId)],
) -> Result<Option<Guard>> {
    let (a, b) = match &assumption.claim {
        Claim::Parameters(set) => {
            let build = AstBuild::from_context(&Set::universe(&set.space()?)?)?;
            return Ok(Some(Guard::Parameters(cond(&build, set)?)));
        }
        Claim::Apart(a, b) => (Object::Array(*a), Object::Array(*b)),
        Claim::ApartFromParameter(a, p) => (Object::Array(*a), Object::Parameter(*p)),
        Claim::Untestable => return Ok(None),
    };
    let sets = [elements(scop, a)?, elements(scop, b)?];
    let mut params = scop.context().clone();
    for set in sets.iter().flatten() {
        params = params.intersect(&set.params()?)?;
    }
    let params = params.coalesce()?;
    if params.is_empty()? {
        return Ok(None);
    }
    let is_touched = params.gist_params(scop.context())?;
    let context = AstBuild::from_context(scop.context())?;
    let untouched = cond(&context, &is_touched.complement()?.coalesce()?)?;
    let build = AstBuild::from_context(&params)?;
    let touched = [
        touched(scop, a, sets[0].as_ref(), &params, &build)?,
        touched(scop, b, sets[1].as_ref(), &params, &build)?,
    ];
    let or_same = match (a, b) {
        (Object::Array(a), Object::Array(b)) => same.contains(&(a, b)) || same.contains(&(b, a)),
        _ => false,
    };
    Ok(Some(Guard::Apart { untouched, touched, or_same }))
}

/// The elements of an array that the instances touch; nothing for the variable of a parameter, which is one.
fn elements(scop: &Scop, object: Object) -> Result<Option<Set>> {
    let Object::Array(array) = object else { return Ok(None) };
    let mut parts = Vec::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        for access in &stmt.accesses {
            if access.array == array && access.kind != AccessKind::Kill {
                parts.push(scop.domain_of(id)?.apply(&access.relation)?);
            }
        }
    }
    let all = Set::union_all(parts)?;
    let all = all.ok_or_else(|| Error::Unexpected("an array that nothing touches".into()))?;
    Ok(Some(all.coalesce()?))
}

/// The range of subscripts of an object for these parameters.
fn touched(
    scop: &Scop,
    object: Object,
    elements: Option<&Set>,
    params: &Set,
    build: &AstBuild,
) -> Result<Touched> {
    let (mut first, mut last, mut linear) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(elements) = elements {
        let elements = elements.intersect_params(params)?;
        for position in 0..elements.dim(DimType::SET)? {
            let position = i32::try_from(position).unwrap_or(i32::MAX);
            first.push(value(build, &elements.dim_min(position)?)?);
            last.push(value(build, &elements.dim_max(position)?)?);
        }
    }
    if let Object::Array(array) = object
        && is_linear(scop, array)
    {
        for extent in scop.arrays()[array].extents.iter().skip(1) {
            let extent = extent.as_ref().ok_or_else(|| {
                Error::Unexpected("a dimension of a linearised array without an extent".into())
            })?;
            linear.push(value(build, &extent.project_domain_on_params()?)?);
        }
    }
    let name = match object {
        Object::Array(array) => scop.arrays()[array].printed_name(),
        Object::Parameter(param) => &scop.params()[param].name,
    };
    Ok(Touched { name: name.to_owned(), first, last, linear })
}

/// Whether the source has one subscript for all dimensions of an array.
fn is_linear(scop: &Scop, array: ArrayId) -> bool {
    let rank = scop.arrays()[array].rank();
    let mut accesses = scop.stmts().iter().flat_map(|stmt| &stmt.accesses);
    accesses.any(|a| a.array == array && a.subscripts.len() < rank)
}

/// A function of the parameters.
fn value(build: &AstBuild, value: &PwAff) -> Result<Expr> {
    expr_of(&build.expr_from_pw_aff(value)?, &|name| Expr::param(name))
}

/// A condition on the parameters.
fn cond(build: &AstBuild, set: &Set) -> Result<Cond> {
    cond_of(&build.expr_from_set(set)?, &|name| Expr::param(name))
}
