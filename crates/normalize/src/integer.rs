//! Integers of a body that are affine functions of its instances.

use crate::Result;
use farkas_poly::{Aff, DimType, PwAff, Set};
use farkas_scop::{BinaryOp, ElementKind, Expr, Scop, Statement, UnaryOp};

/// The kind of number that an expression is, where that is known.
pub(crate) fn kind_of(scop: &Scop, stmt: &Statement, expr: &Expr) -> Option<ElementKind> {
    let of = |expr: &Expr| kind_of(scop, stmt, expr);
    match expr {
        Expr::Param(param) => ElementKind::of_integer_type(&scop.params().get(*param)?.ty),
        Expr::Unary(UnaryOp::Minus | UnaryOp::Plus | UnaryOp::BitNot, a) => Some(of(a)?.promoted()),
        Expr::Binary(op, a, b) => match stmt.kind_of(scop.arrays(), expr) {
            Some(kind) => Some(kind),
            None if matches!(op, BinaryOp::Shl | BinaryOp::Shr) => Some(of(a)?.promoted()),
            None => Some(of(a)?.common(of(b)?)).filter(|kind| *kind != ElementKind::Other),
        },
        _ => stmt.kind_of(scop.arrays(), expr),
    }
}

/// The value of an expression as a function of the instances, and its type: iterators, parameters, numbers, and what is computed of them in
/// signed types, where nothing wraps. None for any other.
pub(crate) fn integer(
    scop: &Scop,
    stmt: &Statement,
    expr: &Expr,
) -> Result<Option<(PwAff, ElementKind)>> {
    let all = Set::universe(&stmt.domain.space()?)?;
    let of = |expr: &Expr| integer(scop, stmt, expr);
    Ok(match expr {
        Expr::Int { value, text } => {
            Some((PwAff::constant_on(&all, *value)?, ElementKind::of_literal(*value, text)))
        }
        Expr::Iterator(at) => stmt.iterators.get(*at as usize).and_then(|iterator| {
            Some((iterator.value.clone(), ElementKind::of_integer_type(&iterator.ty)?))
        }),
        Expr::Param(param) => match scop.params().get(*param) {
            Some(param) => {
                let kind = ElementKind::of_integer_type(&param.ty);
                kind.map(|kind| Ok::<_, crate::Error>((parameter(&all, &param.name)?, kind)))
                    .transpose()?
            }
            None => None,
        },
        Expr::Cast(ty, a) if matches!(ty.kind, ElementKind::Signed(_)) => match of(a)? {
            Some((value, kind)) if fits(scop, stmt, &value, ty.kind, kind)? => {
                Some((value, ty.kind))
            }
            _ => None,
        },
        Expr::Unary(UnaryOp::Minus, a) => match of(a)? {
            Some((value, kind)) => signed(value.neg()?, kind.promoted()),
            None => None,
        },
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
            let (Some((a, kind)), Some((b, other))) = (of(a)?, of(b)?) else { return Ok(None) };
            let kind = kind.common(other);
            match op {
                BinaryOp::Add => signed(a.add(&b)?, kind),
                BinaryOp::Sub => signed(a.sub(&b)?, kind),
                _ if a.is_cst()? || b.is_cst()? => signed(a.mul(&b)?, kind),
                _ => None,
            }
        }
        _ => None,
    })
}

/// Whether a type holds all values that one of another type has, where parameters have values of theirs.
fn fits(
    scop: &Scop,
    stmt: &Statement,
    value: &PwAff,
    ty: ElementKind,
    own: ElementKind,
) -> Result<bool> {
    let ElementKind::Signed(bits @ 1..=62) = ty else { return Ok(ty == own) };
    let mut params = scop.context().clone();
    for param in scop.params() {
        if let Some(ElementKind::Signed(bits @ 1..=62)) = ElementKind::of_integer_type(&param.ty) {
            let (name, limit) = (&param.name, 1_i64 << (bits - 1));
            let own: Set = format!("[{name}] -> {{ : -{limit} <= {name} < {limit} }}").parse()?;
            params = params.intersect(&own)?;
        }
    }
    let values = stmt.domain.intersect_params(&params)?.apply(&value.to_map()?)?;
    let limit = 1_i64 << (bits - 1);
    let held: Set = format!("{{ [x] : -{limit} <= x < {limit} }}").parse()?;
    Ok(values.is_subset(&held)?)
}

/// What is computed in a signed type.
fn signed(value: PwAff, kind: ElementKind) -> Option<(PwAff, ElementKind)> {
    matches!(kind, ElementKind::Signed(_)).then_some((value, kind))
}

/// A parameter as a function of instances.
fn parameter(all: &Set, name: &str) -> Result<PwAff> {
    let params: Set = format!("[{name}] -> {{ : }}").parse()?;
    let all = all.align_params(&params.space()?)?;
    let space = all.space()?;
    let at = all.find_param(name).unwrap_or_default();
    Ok(Aff::var_on_domain(&space, DimType::Param, at)?.to_pw_aff()?)
}
