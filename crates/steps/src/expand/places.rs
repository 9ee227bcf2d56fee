//! Arrays with a place for each value.

use super::built;
use crate::Result;
use crate::buffer::MOST_VALUES;
use crate::contract::PART;
use farkas_analysis::Affine;
use farkas_base::{NameGenerator, identifier};
use farkas_deps::Web;
use farkas_poly::{Aff, DimType, Map, PwAff, Set};
use farkas_scop::{
    Access, AccessId, AccessKind, Array, ArrayId, ArrayScope, AssignOp, BinaryOp, BodyStmt, Expr,
    Iterator, Scop, ScopBuilder, Statement, UnaryOp,
};

/// The scop in which a web has an array with a dimension for each loop that keeps its values apart, and a sentence on it;
/// `None` where such an array has more than `most` dimensions, or its extents cannot be told.
pub(super) fn expanded(
    scop: &Scop,
    web: &Web,
    most: Option<usize>,
    names: &mut NameGenerator,
) -> Result<Option<(Scop, String)>> {
    let of = &scop.arrays()[web.array];
    let rank = of.rank() + web.separate.len();
    if most.is_some_and(|most| rank > most) || of.element.kind.size_bytes().is_none() {
        return Ok(None);
    }
    let mut builder = scop.to_builder();
    let name = names.fresh(&name(scop, web));
    let array = builder.arrays.push(Array {
        name: name.clone(),
        source_name: name.clone(),
        element: of.element.clone(),
        extents: vec![None; rank],
        scope: ArrayScope::Expanded,
        is_live_in: false,
        is_live_out: false,
        declaration: None,
        reduction: of.reduction.clone(),
        span: None,
    });
    for &stmt in &web.stmts {
        let dims: Vec<usize> = web.separating(stmt).iter().map(|dim| dim.at).collect();
        let (from, statement) = (web.array, &mut builder.stmts[stmt]);
        if !move_accesses(scop, statement, (&dims, from), (array, &name))? {
            return Ok(None);
        }
    }
    let Some(extents) = extents(scop, &builder, web, array, rank)? else { return Ok(None) };
    builder.arrays[array].extents = extents.into_iter().map(Some).collect();
    if of.is_live_out && !copy_back(scop, &mut builder, web, names)? {
        return Ok(None);
    }
    let text = format!("{} gets a place for each value: {name}", of.source_name);
    Ok(Some((built(builder)?, text)))
}

/// What to call the array: `t_i_j` for `t` by `i` and `j`, and for `t_i_j_part`, which such an array was contracted to.
fn name(scop: &Scop, web: &Web) -> String {
    let name = identifier(&scop.arrays()[web.array].source_name);
    let Some(&stmt) = web.stmts.first() else { return name };
    let mut loops = String::new();
    for dim in web.separating(stmt) {
        if let Some(iterator) = scop.stmts()[stmt].iterators.get(dim.at) {
            loops = format!("{loops}_{}", identifier(&iterator.name));
        }
    }
    match name.strip_suffix(PART) {
        Some(array) if array.ends_with(&loops) => array.to_owned(),
        _ => format!("{name}{loops}"),
    }
}

/// Lets the accesses of a statement to an array go to another, with the iterators of these dimensions as first subscripts; `false`
/// where they are not known to be numbers from zero on, or where one subscript stands for several dimensions that are no sums of iterators
/// and parameters.
fn move_accesses(
    scop: &Scop,
    stmt: &mut Statement,
    (dims, from): (&[usize], ArrayId),
    (array, name): (ArrayId, &str),
) -> Result<bool> {
    let mut loops: Option<Map> = None;
    for at in dims {
        let Some(iterator) = stmt.iterators.get(*at) else { return Ok(false) };
        let value = iterator.value.to_map()?;
        loops = Some(match loops {
            Some(loops) => loops.flat_range_product(&value)?,
            None => value,
        });
    }
    let Some(loops) = loops else { return Ok(false) };
    let iterators = stmt.iterators.clone();
    let first: Vec<Expr> =
        dims.iter().filter_map(|at| u32::try_from(*at).ok().map(Expr::Iterator)).collect();
    for access in stmt.accesses.iter_mut().filter(|access| access.array == from) {
        if access.subscripts.len() < scop.arrays()[from].rank() {
            let Some(written_out) = subscripts(scop, &iterators, &access.relation)? else {
                return Ok(false);
            };
            access.subscripts = written_out;
        }
        let relation = loops.flat_range_product(&access.relation)?;
        access.relation = relation.with_tuple_name(DimType::Out, name)?;
        access.array = array;
        access.subscripts.splice(0..0, first.iter().cloned());
    }
    Ok(true)
}

/// A subscript for each dimension of the array that a relation leads to; `None` where one is no sum of iterators and parameters.
fn subscripts(scop: &Scop, iterators: &[Iterator], relation: &Map) -> Result<Option<Vec<Expr>>> {
    let Some(rows) = Affine::of_relation(relation)? else { return Ok(None) };
    let mut values = Vec::new();
    for iterator in iterators {
        values.push(Affine::of(&iterator.value)?);
    }
    let of_dim = |dim: usize| {
        let is_it = |value: &Option<Affine>| value.as_ref().is_some_and(|v| v.is_exactly(dim));
        let at = values.iter().position(is_it)?;
        Some(Expr::Iterator(u32::try_from(at).ok()?))
    };
    let of_param = |name: &str| {
        let mut params = scop.params().iter_enumerated();
        params.find_map(|(id, param)| (param.name == name).then_some(Expr::Param(id)))
    };
    let parts = |row: &Affine| {
        let dims = row.dims.iter().enumerate().filter(|(_, factor)| **factor != 0);
        let dims = dims.map(|(dim, factor)| Some((*factor, of_dim(dim)?)));
        let params = row.params.iter().map(|(name, factor)| Some((*factor, of_param(name)?)));
        dims.chain(params).collect::<Option<Vec<_>>>()
    };
    Ok(rows.iter().map(|row| parts(row).map(|parts| sum(parts, row.constant))).collect())
}

/// The sum of parts, each times its factor, and a constant; what is added stands before what is taken away.
fn sum(mut parts: Vec<(i64, Expr)>, constant: i64) -> Expr {
    parts.sort_by_key(|(factor, _)| *factor < 0);
    let mut sum = None;
    for (factor, value) in parts {
        let size = factor.saturating_abs();
        let part = if size == 1 { value } else { binary(BinaryOp::Mul, Expr::int(size), value) };
        sum = Some(plus(sum, factor < 0, part));
    }
    match sum {
        Some(sum) if constant == 0 => sum,
        sum => plus(sum, constant < 0, Expr::int(constant.saturating_abs())),
    }
}

/// A sum with one more part, which may be taken away from it.
fn plus(sum: Option<Expr>, is_negative: bool, part: Expr) -> Expr {
    match (sum, is_negative) {
        (Some(sum), false) => binary(BinaryOp::Add, sum, part),
        (Some(sum), true) => binary(BinaryOp::Sub, sum, part),
        (None, false) => part,
        (None, true) => Expr::Unary(UnaryOp::Minus, Box::new(part)),
    }
}

/// An operation.
fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// The extents of an array that its accesses need, at least one, as functions of the parameters that hold for all their
/// values; `None` where a subscript is negative, or has no bound.
fn extents(
    scop: &Scop,
    builder: &ScopBuilder,
    web: &Web,
    array: ArrayId,
    rank: usize,
) -> Result<Option<Vec<PwAff>>> {
    let mut elements = Vec::new();
    for &stmt in &web.stmts {
        let accesses = builder.stmts[stmt].accesses.iter();
        for access in accesses.filter(|access| access.array == array) {
            elements.push(access.relation.intersect_domain(&scop.domain_of(stmt)?)?.range()?);
        }
    }
    match Set::union_all(elements)? {
        Some(elements) => extents_of(&elements, rank),
        None => Ok(None),
    }
}

/// The extents of an array of so many dimensions with these elements, at least one, as functions of the parameters; `None` where they cannot be
/// told, also where a bound is no more than what the type of a loop's variable holds.
pub(crate) fn extents_of(elements: &Set, rank: usize) -> Result<Option<Vec<PwAff>>> {
    let mut found = Vec::new();
    for at in 0..u32::try_from(rank).unwrap_or(u32::MAX) {
        if !elements.is_subset(&elements.lower_bound_si(DimType::SET, at, 0)?)?
            || !elements.dim_has_upper_bound(DimType::SET, at)?
        {
            return Ok(None);
        }
        let last = elements.dim_max(i32::try_from(at).unwrap_or(i32::MAX))?;
        for (_, value) in last.pieces()? {
            if is_of_type(&value)? {
                return Ok(None);
            }
        }
        found.push(extent(&last)?);
    }
    Ok(Some(found))
}

/// Whether a bound is a number about as large as the largest `int`: what loops of which nothing is known have.
fn is_of_type(bound: &Aff) -> Result<bool> {
    let is_large = |value: i64| value > MOST_VALUES;
    Ok(bound.is_cst()? && bound.constant_val()?.to_small_int()?.is_none_or(is_large))
}

/// One more than the greatest of the values that a function may have, wherever it has them, and at least one.
fn extent(last: &PwAff) -> Result<PwAff> {
    let everywhere = Set::universe(&last.domain_space()?)?;
    let one = PwAff::constant_on(&everywhere, 1)?;
    let mut most = one.clone();
    for (_, value) in last.pieces()? {
        most = most.max(&PwAff::on_set(&everywhere, &value)?.add(&one)?)?;
    }
    Ok(most.from_range()?)
}

/// Adds statements that copy the values that nothing overwrites to where they were; `false` where nothing comes after all else.
fn copy_back(
    scop: &Scop,
    builder: &mut ScopBuilder,
    web: &Web,
    names: &mut NameGenerator,
) -> Result<bool> {
    if web.last.is_empty() {
        return Ok(true);
    }
    let Some(end) = end(builder)? else { return Ok(false) };
    for (stmt, access, instances) in &web.last {
        let name = names.fresh(&format!("{}_last", scop.stmts()[*stmt].name));
        let old = &scop.stmts()[*stmt].accesses[*access];
        let new = copy((&builder.stmts[*stmt], *access), old, instances, &name, end)?;
        builder.stmts.push(new);
    }
    Ok(true)
}

/// A first date after those of all statements; `None` where first dates are no constants.
fn end(builder: &ScopBuilder) -> Result<Option<i32>> {
    let mut end = 0;
    for stmt in &builder.stmts {
        let dates = stmt.date.to_pw_multi_aff()?;
        if stmt.date.dim(DimType::Out)? == 0 {
            return Ok(None);
        }
        let pieces = dates.at(0)?.pieces()?;
        let [(_, first)] = pieces.as_slice() else { return Ok(None) };
        if !first.is_cst()? {
            return Ok(None);
        }
        let Ok(first) = i32::try_from(first.constant_val()?.to_i64()?) else { return Ok(None) };
        end = end.max(first.saturating_add(1));
    }
    Ok(Some(end))
}

/// A statement that copies what an access of another one wrote in these instances to where it was before, `to`.
fn copy(
    (stmt, written): (&Statement, AccessId),
    to: &Access,
    instances: &Set,
    name: &str,
    end: i32,
) -> Result<Statement> {
    let renamed = |map: &Map| map.with_tuple_name(DimType::In, name);
    let date = stmt.date.project_out(DimType::Out, 0, 1)?.insert_dims(DimType::Out, 0, 1)?;
    let date = date.fix_si(DimType::Out, 0, end)?;
    let mut iterators = stmt.iterators.clone();
    for iterator in &mut iterators {
        iterator.value = renamed(&iterator.value.to_map()?)?.to_pw_multi_aff()?.at(0)?;
    }
    let mut accesses = farkas_base::IdVec::new();
    let from = &stmt.accesses[written];
    let kind = AccessKind::Read;
    let read = accesses.push(Access { kind, relation: renamed(&from.relation)?, ..from.clone() });
    let target = accesses.push(Access { relation: renamed(&to.relation)?, ..to.clone() });
    let value = Expr::Access(read);
    Ok(Statement {
        name: name.to_owned(),
        label: None,
        domain: instances.with_tuple_name(name)?,
        iterators,
        date: renamed(&date)?,
        accesses,
        body: vec![BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }],
        span: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents(elements: &str) -> Option<Vec<String>> {
        let elements: Set = elements.parse().expect("isl notation");
        let found = extents_of(&elements, 1).expect("isl answers")?;
        Some(found.iter().map(|extent| extent.to_string()).collect())
    }

    #[test]
    fn extents_are_functions_of_parameters() {
        let found = extents("[n] -> { [i] : 0 <= i <= n }").expect("it has a bound");
        assert_eq!(found, ["[n] -> { [] -> [(1)] : n <= 0; [] -> [(1 + n)] : n > 0 }"]);
        assert!(extents("{ [i] : 0 <= i <= 1000000 }").is_some());
    }

    #[test]
    fn what_a_type_holds_is_no_bound() {
        assert_eq!(
            extents("[n] -> { [i] : 0 <= i <= n; [i] : n < -1 and 0 <= i <= 2147483646 }"),
            None
        );
        assert_eq!(extents("{ [i] : i >= 0 }"), None);
    }
}
