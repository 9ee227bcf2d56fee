//! What is tested in front of a region, so that what was taken for granted holds where its loops run.
//!
//! **Paper**: P. Alves, F. Gruber, J. Doerfert, A. Lamprineas, T. Grosser, F. Rastello, F. Pereira, "Runtime Pointer
//! Disambiguation", OOPSLA 2015. As there, the addresses that accesses touch are bounded by symbolic ranges. Ours come from
//! the access relations: the least and the greatest subscript in each dimension, exactly, for the parameters for which the
//! array is touched at all.

use crate::expr::{Cond, Expr};
use crate::isl_expr::{cond_of, expr_of};
use crate::{Error, Result};
use farkas_poly::{AstBuild, DimType, PwAff, Set};
use farkas_scop::{AccessKind, ArrayId, Assumption, Claim, Outcome, ParamId, Scop};

/// A condition in front of a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// The parameters have certain values.
    Parameters(Cond),
    /// The first is a number times the product of others, which are positive.
    Product(Expr, i64, Vec<Expr>),
    /// The rows of an array of pointers lie one after another, or none is touched.
    Rows {
        /// When none is touched.
        untouched: Cond,
        /// The array; both of its subscripts.
        touched: Touched,
    },
    /// No row of an array of pointers, wherever it lies, shares memory with another array, or one of the two is not touched.
    RowsApart {
        /// When one of them is not touched.
        untouched: Cond,
        /// The array of pointers; both of its subscripts.
        rows: Touched,
        /// The other.
        other: Touched,
    },
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

impl Guard {
    /// When nothing is touched that it is about; nothing where it is about the parameters alone.
    pub fn untouched(&self) -> Option<&Cond> {
        match self {
            Self::Parameters(_) | Self::Product(..) => None,
            Self::Rows { untouched, .. }
            | Self::RowsApart { untouched, .. }
            | Self::Apart { untouched, .. } => Some(untouched),
        }
    }
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
pub(crate) enum Object {
    /// An array or scalar.
    Array(ArrayId),
    /// The variable of a parameter.
    Parameter(ParamId),
    /// The variable that points to an array.
    Pointer(ArrayId),
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
        let always = |guard: &Guard| match guard {
            Guard::Parameters(cond) => cond.as_bool() == Some(true),
            _ => guard.untouched().is_some_and(|cond| cond.as_bool() == Some(true)),
        };
        guards.extend(guard.filter(|guard| !always(guard)));
    }
    // Comparisons of numbers cost least, and decide most.
    let is_loop = |guard: &Guard| matches!(guard, Guard::Rows { .. } | Guard::RowsApart { .. });
    guards.sort_by_key(|guard| (guard.untouched().cloned(), is_loop(guard)));
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
        Claim::Product(whole, times, factors) => {
            let build = AstBuild::from_context(&Set::universe(&whole.domain_space()?)?)?;
            let factors = factors.iter().map(|f| value(&build, f)).collect::<Result<_>>()?;
            return Ok(Some(Guard::Product(value(&build, whole)?, *times, factors)));
        }
        Claim::RowsAscend(array) => {
            let array = Object::Array(*array);
            let Some(part) = Part::of(scop, &[array])? else { return Ok(None) };
            let touched = part.touched(scop, array)?;
            return Ok(Some(Guard::Rows { untouched: part.untouched, touched }));
        }
        Claim::RowsApart(rows, other) => {
            let objects = [Object::Array(*rows), Object::Array(*other)];
            let Some(part) = Part::of(scop, &objects)? else { return Ok(None) };
            let [rows, other] = objects;
            let (rows, other) = (part.touched(scop, rows)?, part.touched(scop, other)?);
            return Ok(Some(Guard::RowsApart { untouched: part.untouched, rows, other }));
        }
        Claim::Apart(a, b) => (Object::Array(*a), Object::Array(*b)),
        Claim::ApartFromParameter(a, p) => (Object::Array(*a), Object::Parameter(*p)),
        Claim::ApartFromPointer(a, p) => (Object::Array(*a), Object::Pointer(*p)),
        // A test of the loops' own arrays, which the scop of the assumption has not.
        Claim::Memory(_) | Claim::Untestable => return Ok(None),
    };
    let Some(part) = Part::of(scop, &[a, b])? else { return Ok(None) };
    let touched = [part.touched(scop, a)?, part.touched(scop, b)?];
    let or_same = match (a, b) {
        (Object::Array(a), Object::Array(b)) => same.contains(&(a, b)) || same.contains(&(b, a)),
        _ => false,
    };
    Ok(Some(Guard::Apart { untouched: part.untouched, touched, or_same }))
}

/// The parameters for which objects are touched, all of them.
pub(crate) struct Part {
    params: Set,
    /// When one of them is not.
    pub(crate) untouched: Cond,
    build: AstBuild,
}

impl Part {
    /// Those of some objects; none where there are no such parameters.
    pub(crate) fn of(scop: &Scop, objects: &[Object]) -> Result<Option<Self>> {
        let mut params = scop.context().clone();
        for object in objects {
            if let Some(elements) = elements(scop, *object)? {
                params = params.intersect(&elements.params()?)?;
            }
        }
        let params = params.coalesce()?;
        if params.is_empty()? {
            return Ok(None);
        }
        let others = params.gist_params(scop.context())?.complement()?.coalesce()?;
        let untouched = cond(&AstBuild::from_context(scop.context())?, &others)?;
        let build = AstBuild::from_context(&params)?;
        Ok(Some(Self { params, untouched, build }))
    }

    /// Whether the subscripts of an object have a range.
    pub(crate) fn has_ends(&self, scop: &Scop, object: Object) -> Result<bool> {
        let Some(elements) = elements(scop, object)? else { return Ok(true) };
        let elements = elements.intersect_params(&self.params)?;
        for position in 0..elements.dim(DimType::SET)? {
            if !elements.dim_has_lower_bound(DimType::SET, position)?
                || !elements.dim_has_upper_bound(DimType::SET, position)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// When a subscript of an object is below nought: what is touched begins in front of where a pointer points. `true` where that is so
    /// whenever it is touched.
    pub(crate) fn in_front(&self, scop: &Scop, object: Object) -> Result<Cond> {
        let mut params = Vec::new();
        if let Some(elements) = elements(scop, object)? {
            for position in 0..elements.dim(DimType::SET)? {
                params.push(elements.upper_bound_si(DimType::SET, position, -1)?.params()?);
            }
        }
        match Set::union_all(params)? {
            Some(params) if self.params.is_subset(&params)? => Ok(Cond::constant(true)),
            Some(params) => condition(scop, &params.intersect(&self.params)?.coalesce()?),
            None => Ok(Cond::constant(false)),
        }
    }

    /// The range of subscripts of an object.
    pub(crate) fn touched(&self, scop: &Scop, object: Object) -> Result<Touched> {
        let (mut first, mut last, mut linear) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(elements) = elements(scop, object)? {
            let elements = elements.intersect_params(&self.params)?;
            for position in 0..elements.dim(DimType::SET)? {
                let position = i32::try_from(position).unwrap_or(i32::MAX);
                first.push(self.value(&elements.dim_min(position)?)?);
                last.push(self.value(&elements.dim_max(position)?)?);
            }
        }
        let name = match object {
            Object::Array(array) => {
                if is_linear(scop, array) {
                    linear = self.inner_extents(scop, array)?;
                }
                scop.arrays()[array].printed_name()
            }
            Object::Parameter(param) => &scop.params()[param].name,
            Object::Pointer(array) => scop.arrays()[array].printed_name(),
        };
        Ok(Touched { name: name.to_owned(), first, last, linear })
    }

    /// The extents of an array, those that the source says.
    pub(crate) fn extents(&self, scop: &Scop, array: ArrayId) -> Result<Vec<Option<Expr>>> {
        let extents = scop.arrays()[array].extents.iter();
        extents
            .map(|extent| match extent {
                Some(extent) => Ok(Some(self.value(&extent.project_domain_on_params()?)?)),
                None => Ok(None),
            })
            .collect()
    }

    /// The extents of all dimensions of an array but the first.
    fn inner_extents(&self, scop: &Scop, array: ArrayId) -> Result<Vec<Expr>> {
        let missing = || Error::Unexpected("a linearised array without extents".into());
        let inner = scop.arrays()[array].extents.iter().skip(1);
        inner
            .map(|extent| {
                self.value(&extent.as_ref().ok_or_else(missing)?.project_domain_on_params()?)
            })
            .collect()
    }

    /// A function of the parameters.
    fn value(&self, function: &PwAff) -> Result<Expr> {
        value(&self.build, function)
    }
}

/// A function of the parameters.
fn value(build: &AstBuild, function: &PwAff) -> Result<Expr> {
    expr_of(&build.expr_from_pw_aff(function)?, &|name| Expr::param(name))
}

/// The elements of an array that the instances touch; nothing for the variable of a parameter or a pointer, which is one.
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

/// Whether the source has one subscript for all dimensions of an array.
pub(crate) fn is_linear(scop: &Scop, array: ArrayId) -> bool {
    let rank = scop.arrays()[array].rank();
    let mut accesses = scop.stmts().iter().flat_map(|stmt| &stmt.accesses);
    accesses.any(|a| a.array == array && a.subscripts.len() < rank)
}

/// The condition that the parameters are in `set`, as far as the region's context does not say so.
///
/// # Errors
/// When isl refuses.
pub fn condition(scop: &Scop, set: &Set) -> Result<Cond> {
    let build = AstBuild::from_context(scop.context())?;
    cond(&build, &set.gist_params(scop.context())?)
}

/// A condition on the parameters.
fn cond(build: &AstBuild, set: &Set) -> Result<Cond> {
    cond_of(&build.expr_from_set(set)?, &|name| Expr::param(name))
}
