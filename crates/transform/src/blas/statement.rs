//! Scops with calls in the place of statements.

use super::group::Group;
use super::text;
use crate::Result;
use farkas_base::IdVec;
use farkas_poly::{Aff, DimType, Map, Set, Space};
use farkas_scop::blas::{Affine, Call, Contract, Factor, Operand};
use farkas_scop::{
    Access, AccessId, AccessKind, ArrayId, BinaryOp, BodyStmt, Expr, Iterator, ParamId, Scop,
    Statement, StmtId, UnaryOp,
};

/// The scop in which a call takes the place of a group; why there is none.
pub(super) fn with_call(
    scop: &Scop,
    group: &Group,
    call: &Call,
) -> Result<std::result::Result<Scop, String>> {
    let contract = call.contract(scop)?;
    let body = match text::body(scop, call)? {
        Ok(body) => body,
        Err(why) => return Ok(Err(why)),
    };
    let Some(first) = group.members.first().map(|member| member.stmt) else {
        return Ok(Err("nothing is left to be called".to_owned()));
    };
    let stmt = Statement {
        name: call.stmt.clone(),
        label: None,
        domain: call.instances.clone(),
        iterators: iterators(scop, first, group, call)?,
        date: date(scop, group)?,
        accesses: accesses(scop, call, &contract)?,
        body: vec![BodyStmt::Text(body)],
        span: scop.stmts()[first].span,
    };
    let mut parts = scop.to_builder();
    let mut stmts: IdVec<StmtId, Statement> = IdVec::new();
    for (id, old) in scop.stmts().iter_enumerated() {
        if id == first {
            stmts.push(stmt.clone());
        } else if !call.members.iter().any(|member| member.stmt == id) {
            stmts.push(old.clone());
        }
    }
    parts.stmts = stmts;
    Ok(Ok(parts.build().map_err(crate::Error::Scop)?))
}

/// The loops around a call: those of the first statement, counted as its domain does.
fn iterators(scop: &Scop, first: StmtId, group: &Group, call: &Call) -> Result<Vec<Iterator>> {
    let space = call.instances.space()?;
    let mut found = Vec::new();
    for (position, at) in (0..).zip(&group.around) {
        let old = &scop.stmts()[first].iterators[*at];
        let value = Aff::var_on_domain(&space, DimType::SET, position)?.to_pw_aff()?;
        found.push(Iterator { value, ..old.clone() });
    }
    Ok(found)
}

/// The date of a call: its first statement's, where loops that run in the call have no part in it.
fn date(scop: &Scop, group: &Group) -> Result<Map> {
    let member = &group.members[0];
    let date = scop.stmts()[member.stmt].date.intersect_domain(&scop.domain_of(member.stmt)?)?;
    let of_call = date.apply_domain(&member.instances)?;
    let n_dims = of_call.dim(DimType::Out)?;
    let calls = Set::universe(&member.instances.range()?.space()?)?;
    let mut found = Map::from_domain_and_range(&calls, &Set::unnamed_universe(0)?)?;
    for dim in 0..n_dims {
        let one = of_call.project_out(DimType::Out, dim + 1, n_dims - dim - 1)?;
        let one = one.project_out(DimType::Out, 0, dim)?;
        let one = match one.is_single_valued()? {
            // The first statement may run for fewer parameters than others.
            true => one.gist_domain(&one.domain()?)?,
            false => {
                let zero = Set::unnamed_universe(1)?.fix_si(DimType::SET, 0, 0)?;
                Map::from_domain_and_range(&calls, &zero)?
            }
        };
        found = found.flat_range_product(&one)?;
    }
    Ok(found.reset_tuple_id(DimType::Out)?)
}

/// What a call reads and writes.
fn accesses(scop: &Scop, call: &Call, contract: &Contract) -> Result<IdVec<AccessId, Access>> {
    let mut found = IdVec::new();
    let mut add = |array: ArrayId, kind: AccessKind, relation: Map| {
        let corner = call.operands.iter().find(|operand| operand.array == array);
        let subscripts = subscripts(scop, array, corner);
        found.push(Access { array, kind, relation, subscripts, span: None });
    };
    let Some(target) = call.operands.first().map(|operand| operand.array) else {
        return Ok(found);
    };
    if call.beta.is_some() || contract.in_place.is_some() {
        add(target, AccessKind::Read, contract.updated.clone());
    }
    let factors = call.form.factor_operands().map(|at| call.operands[at].array);
    for product in &contract.products {
        let pairs = product.range_factor_range()?;
        add(factors[0], AccessKind::Read, pairs.range_factor_domain()?.coalesce()?);
        add(factors[1], AccessKind::Read, pairs.range_factor_range()?.coalesce()?);
    }
    if let Some(diagonal) = &contract.diagonal {
        add(factors[0], AccessKind::Read, diagonal.range_factor_range()?);
    }
    for scaling in [Some(&call.alpha), call.beta.as_ref()].into_iter().flatten() {
        for factor in &scaling.factors {
            if let Factor::Element(array, relation) = factor {
                add(*array, AccessKind::Read, relation.clone());
            }
        }
    }
    add(target, AccessKind::MustWrite, contract.updated.clone());
    Ok(found)
}

/// The subscripts of an operand's corner, as many as the source has of its array.
fn subscripts(scop: &Scop, array: ArrayId, operand: Option<&Operand>) -> Vec<Expr> {
    let zero = Affine::number(0);
    let n = n_subscripts(scop, array);
    let at = |dim: usize| operand.and_then(|operand| operand.corner.get(dim)).unwrap_or(&zero);
    (0..n).map(|dim| expr(scop, at(dim))).collect()
}

/// How many subscripts the source has of an array: fewer than it has dimensions where one stands for all.
pub(super) fn n_subscripts(scop: &Scop, array: ArrayId) -> usize {
    let accesses = scop.stmts().iter().flat_map(|stmt| &stmt.accesses);
    let of_array = accesses.filter(|access| access.array == array);
    of_array.map(|access| access.subscripts.len()).min().unwrap_or(0)
}

/// An affine function as an expression.
fn expr(scop: &Scop, value: &Affine) -> Expr {
    let number = |value: i64| match value {
        0.. => Expr::Int { value, text: value.to_string() },
        _ => {
            let text = value.unsigned_abs().to_string();
            Expr::Unary(UnaryOp::Minus, Box::new(Expr::Int { value: -value, text }))
        }
    };
    let param = |name: &str| {
        let found = scop.params().iter_enumerated().find(|(_, param)| param.name == name);
        found.map_or_else(
            || Expr::Verbatim(name.to_owned()),
            |(id, _): (ParamId, _)| Expr::Param(id),
        )
    };
    let around = value.around.iter();
    let around = around
        .map(|(at, factor)| (Expr::Iterator(u32::try_from(*at).unwrap_or(u32::MAX)), *factor));
    let params = value.params.iter().map(|(name, factor)| (param(name), *factor));
    let mut sum: Option<Expr> = None;
    for (name, factor) in around.chain(params) {
        let term = match factor {
            1 => name,
            _ => Expr::Binary(BinaryOp::Mul, Box::new(number(factor)), Box::new(name)),
        };
        sum = Some(plus(sum, term));
    }
    match (sum, value.constant) {
        (Some(sum), 0) => sum,
        (sum, constant) => plus(sum, number(constant)),
    }
}

/// The sum of what there is and a term.
fn plus(sum: Option<Expr>, term: Expr) -> Expr {
    match sum {
        Some(sum) => Expr::Binary(BinaryOp::Add, Box::new(sum), Box::new(term)),
        None => term,
    }
}

/// The greatest number that the routines take for a size.
const MAX_SIZE: i64 = i32::MAX as i64;

/// The parameters for which all sizes of a call, and the distances of its rows in memory, are such that `int` holds them.
///
/// # Errors
/// When isl refuses.
pub fn sizes_that_fit(scop: &Scop, call: &Call) -> Result<Set> {
    let rows = call.operands.iter().filter_map(|operand| text::distance(scop, operand));
    let space = scop.context().space()?;
    let all = Set::universe(&space)?;
    let mut fitting = all.clone();
    for size in call.sizes.iter().cloned().chain(rows) {
        let beyond = Affine::number(MAX_SIZE).plus(-1, &size);
        let large = match beyond.around.is_empty() {
            true => where_negative(&all.from_params()?, &beyond)?.params()?,
            false => where_negative(&call.instances, &beyond)?.params()?,
        };
        fitting = fitting.subtract(&large)?;
    }
    Ok(fitting.coalesce()?)
}

/// The instances of a call for which a function is negative.
pub(super) fn where_negative(instances: &Set, value: &Affine) -> Result<Set> {
    let space = instances.space()?;
    let names = space.param_names()?;
    let mut value = value.clone();
    let of = |factors: &mut std::collections::BTreeMap<String, i64>, name: &String| {
        factors.remove(name).unwrap_or(0)
    };
    let params: Vec<i64> = names.iter().map(|name| of(&mut value.params, name)).collect();
    let n = instances.dim(DimType::SET)? as usize;
    let dims: Vec<i64> = (0..n).map(|at| value.around.get(&at).copied().unwrap_or(0)).collect();
    // Parameters that no set mentions yet.
    let missing: Vec<String> = value.params.keys().cloned().collect();
    if !missing.is_empty() {
        let all: Vec<String> = names.into_iter().chain(missing).collect();
        let aligned = instances.align_params(&Space::params_named(&all)?)?;
        return where_negative(&aligned, &with_params(value, &all, &params));
    }
    let aff = Aff::linear(&space, &dims, &params, value.constant)?;
    let is_negative = aff.to_pw_aff()?.nonneg_set()?.complement()?;
    Ok(is_negative.intersect(instances)?)
}

/// A function with the factors of its first parameters put back.
fn with_params(value: Affine, names: &[String], factors: &[i64]) -> Affine {
    let known = names.iter().cloned().zip(factors.iter().copied()).filter(|(_, f)| *f != 0);
    Affine {
        params: value.params.iter().map(|(n, f)| (n.clone(), *f)).chain(known).collect(),
        ..value
    }
}
