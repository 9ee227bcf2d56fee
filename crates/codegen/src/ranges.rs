//! What the types and the original program say of a region's parameters.
//!
//! A parameter lies in the range of its type and in the scop's context. Beyond that the original program is taken to be right: the
//! expressions of the user's that it evaluates do not overflow ([`Scop::defined`]), and no object has more bytes than a
//! pointer difference can count, which bounds the subscripts of every instance that runs.

use crate::places::Known;
use crate::types::{Width, needs_cast, range, width};
use farkas_astgen::Value;
use farkas_poly::{DimType, Result, Set, Val};
use farkas_scop::{AccessKind, BodyStmt, Scop, Statement};

/// The parameters of a region as its code computes with them.
pub(crate) struct Ranges {
    /// The type of wide loop variables.
    pub(crate) wide: &'static str,
    pub(crate) params: Vec<Param>,
    /// The values that they may have; nothing where isl refused.
    pub(crate) known: Option<Known>,
}

/// A parameter.
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) ty: String,
    /// What is known of its value; as it is computed with, converted where that is needed.
    pub(crate) value: Value,
}

/// The most pieces that sets of parameters may have: what makes more of them is not looked at.
const MAX_PIECES: u32 = 16;

impl Ranges {
    /// Those of `scop`, where wide parameters are not beyond `limit`, if there is one, on either side of zero.
    pub(crate) fn of(scop: &Scop, limit: Option<i64>) -> Self {
        Self::within(scop, values(scop).as_ref().ok(), limit)
    }

    /// Those of `scop`, where no parameter is beyond `limit` on either side of zero, with the conditions, in C, that keep them there.
    pub(crate) fn of_small(scop: &Scop, limit: i64) -> (Self, Vec<String>) {
        let values = values(scop).ok();
        let unlimited = Self::within(scop, values.as_ref(), None);
        let mut small = Self::within(scop, values.as_ref(), Some(limit));
        let mut conditions = Vec::new();
        for (param, any) in small.params.iter_mut().zip(&unlimited.params) {
            let bound = i128::from(limit);
            if any.value.greatest > bound {
                conditions.push(format!("{} <= {limit}", param.name));
            }
            if any.value.least < -bound {
                conditions.push(format!("(long){} >= -{limit}", param.name));
            }
            let (least, greatest) =
                (param.value.least.max(-bound), param.value.greatest.min(bound));
            param.value = Value { least, greatest, ..param.value };
        }
        (small, conditions)
    }

    /// [`Self::of`], for no limit and for some, each where it is asked for.
    pub(crate) fn of_limits<'a>(scop: &'a Scop) -> impl Fn(Option<i64>) -> Self + 'a {
        let values = values(scop).ok();
        move |limit| Self::within(scop, values.as_ref(), limit)
    }

    /// Those of parameters that have some of these values.
    fn within(scop: &Scop, values: Option<&Set>, limit: Option<i64>) -> Self {
        let types = scop.params().iter().map(|p| p.ty.as_str());
        let widest = widest(scop);
        let limited = |ty: &str| match (range(ty), limit.map(i128::from)) {
            ((least, most), Some(limit)) if width(ty) > Width::Int => {
                (least.max(-limit), most.min(limit))
            }
            (range, _) => range,
        };
        let ranges: Vec<(i128, i128)> = types.clone().map(limited).collect();
        let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
        let known = values.and_then(|values| Known::new(&names, &ranges, &[values]).ok());
        let params = scop.params().iter().zip(ranges).enumerate().map(|(at, (param, range))| {
            let (least, most) = known.as_ref().map_or((None, None), |known| known.range(at));
            let value = Value {
                least: least.unwrap_or(range.0).max(range.0),
                greatest: most.unwrap_or(range.1).min(range.1),
                wide: width(&param.ty) > Width::Int,
            };
            Param { name: param.name.clone(), ty: param.ty.clone(), value }
        });
        let params = params.collect();
        let wide = if widest == Width::LongLong { "long long" } else { "long" };
        Self { wide, params, known }
    }

    /// The parameter called `name`.
    pub(crate) fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|p| p.name == name)
    }

    /// Conditions, in C, that keep wide parameters from going beyond `limit`, where nothing else does.
    pub(crate) fn conditions(&self, limit: i64) -> Vec<String> {
        let mut conditions = Vec::new();
        for Param { name, ty, value } in self.params.iter().filter(|p| p.value.wide) {
            if value.greatest > limit.into() {
                conditions.push(format!("{name} <= {limit}"));
            }
            if value.least < -i128::from(limit) {
                let value =
                    if needs_cast(ty) { format!("(long long){name}") } else { name.clone() };
                conditions.push(format!("{value} >= -{limit}"));
            }
        }
        conditions
    }
}

/// The widest type of the parameters and the user's iterators.
fn widest(scop: &Scop) -> Width {
    let types = scop.params().iter().map(|p| p.ty.as_str());
    let iterators = scop.stmts().iter().flat_map(|s| s.iterators.iter().map(|i| i.ty.as_str()));
    types.chain(iterators).map(width).max().unwrap_or(Width::Int)
}

/// The values that the parameters may have, whatever their types; where some are wide, what the sizes of objects say, too.
fn values(scop: &Scop) -> Result<Set> {
    let mut values = scop.context().clone();
    if let Some(defined) = scop.defined() {
        values = values.intersect(defined)?;
    }
    if widest(scop) > Width::Int { within_objects(scop, &values) } else { Ok(values) }
}

/// The parameters in `allowed` for which every instance that runs stays in objects that can exist.
fn within_objects(scop: &Scop, allowed: &Set) -> Result<Set> {
    let mut left = allowed.clone();
    for stmt in scop.stmts() {
        for access in stmt.accesses.iter() {
            let array = &scop.arrays()[access.array];
            let happens = match access.kind {
                AccessKind::MustWrite => true,
                AccessKind::Read => always_reads(stmt),
                AccessKind::MayWrite | AccessKind::Kill => false,
            };
            if !happens || !access.relation.is_single_valued()? {
                continue;
            }
            let size = array.element.kind.size_bytes().unwrap_or(1).max(1);
            let most = i64::MAX / i64::from(size);
            let touched = stmt.domain.intersect_params(&left)?.apply(&access.relation)?;
            for dim in 0..touched.dim(DimType::SET)? {
                let beyond = touched.lower_bound_val(DimType::SET, dim, &Val::int(most)?)?;
                let below = touched.upper_bound_val(DimType::SET, dim, &Val::int(-most)?)?;
                for outside in [beyond, below] {
                    let outside = outside.params()?;
                    // Most references touch what others touch, of which this is known.
                    if outside.is_disjoint(&left)? {
                        continue;
                    }
                    let inside = left.subtract(&outside)?.coalesce()?;
                    if inside.n_basic_set()? <= MAX_PIECES {
                        left = inside;
                    }
                }
            }
        }
    }
    Ok(left)
}

/// Whether an instance evaluates all that is in it.
fn always_reads(stmt: &Statement) -> bool {
    use farkas_scop::{BinaryOp, Expr};
    let always = |value: &Expr| {
        let mut always = true;
        value.walk(&mut |e| {
            always &= !matches!(
                e,
                Expr::Ternary(..) | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) | Expr::Call(..)
            );
        });
        always
    };
    stmt.body.iter().all(|s| match s {
        BodyStmt::Assign { value, .. } | BodyStmt::AssignLocal { value, .. } => always(value),
        BodyStmt::Local { value, .. } => value.as_ref().is_none_or(always),
        _ => false,
    })
}
