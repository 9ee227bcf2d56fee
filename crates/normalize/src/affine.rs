//! Affine functions and sets over the loops around a statement, as terms.

use crate::Result;
use crate::names::Names;
use crate::pieces::pieces as pieces_of;
use crate::term::{Marks, Term};
use farkas_poly::{Aff, BasicSet, DimType, LinearRow, Map, PwAff, Set, Space};

/// A sum, and parts that hold at once.
const SUM: Marks = Marks("", " + ", "");
const ALL: Marks = Marks("", " and ", "");

/// The term of the loop at a depth.
fn iterator(depth: usize) -> Term {
    Term::text(format!("i{depth}"))
}

/// The values of a function of the loops, a term a dimension; none where it has several for some iteration.
pub(crate) fn values(function: &Map, names: &mut Names<'_>) -> Result<Option<Vec<Term>>> {
    if !function.is_single_valued()? {
        return Ok(None);
    }
    let function = function.to_pw_multi_aff()?;
    let rank = function.dim(DimType::Out)?;
    let at = |at: u32| function.at(i32::try_from(at).unwrap_or(i32::MAX));
    (0..rank).map(|i| value(&at(i)?, names)).collect::<Result<_>>().map(Some)
}

/// One value: what it is in each of its pieces.
pub(crate) fn value(function: &PwAff, names: &mut Names<'_>) -> Result<Term> {
    let pieces = function.pieces()?;
    if let [(_, aff)] = pieces.as_slice() {
        return sum(aff, names);
    }
    let mut cases = Vec::new();
    for (domain, aff) in &pieces {
        let case = [sum(aff, names)?, set(domain, names)?];
        cases.push(Term::List(Marks::between(" if "), case.into()));
    }
    Ok(Term::Bag(Marks("{", ", ", "}"), cases))
}

/// A quasi-affine sum.
fn sum(aff: &Aff, names: &mut Names<'_>) -> Result<Term> {
    let space = aff.domain_space()?;
    let mut parts = Vec::new();
    let mut add = |factor: String, of: Option<Term>| match (factor.as_str(), of) {
        ("0", _) => {}
        ("1", Some(of)) => parts.push(of),
        (_, Some(of)) => parts.push(Term::List(Marks::between("*"), vec![Term::text(factor), of])),
        (_, None) => parts.push(Term::text(factor)),
    };
    for at in (0..).take(aff.dim(DimType::In)? as usize) {
        let factor = aff.coefficient_val(DimType::In, at)?;
        add(factor.to_string(), Some(iterator(usize::try_from(at).unwrap_or_default())));
    }
    for at in (0..).take(aff.dim(DimType::Param)? as usize) {
        let factor = aff.coefficient_val(DimType::Param, at)?.to_string();
        if factor != "0" {
            add(factor, Some(parameter(&space, at.unsigned_abs(), names)));
        }
    }
    for at in (0..).take(aff.dim(DimType::Div)? as usize) {
        let factor = aff.coefficient_val(DimType::Div, at)?.to_string();
        if factor != "0" {
            let inner = sum(&aff.div(at)?, names)?;
            add(factor, Some(Term::List(Marks("floor(", "", ")"), vec![inner])));
        }
    }
    add(aff.constant_val()?.to_string(), None);
    Ok(if parts.is_empty() { Term::text("0") } else { Term::Bag(SUM, parts) })
}

/// A parameter of a space.
fn parameter(space: &Space, at: u32, names: &mut Names<'_>) -> Term {
    let name = space.dim_name(DimType::Param, at);
    name.map_or_else(|| Term::text("?"), |name| names.param(&name))
}

/// A set of iterations, or of parameters.
pub(crate) fn set(set: &Set, names: &mut Names<'_>) -> Result<Term> {
    let mut pieces = Vec::new();
    for piece in pieces_of(set, names.context())? {
        pieces.push(conditions(&piece, names)?);
    }
    Ok(match pieces.len() {
        1 => pieces.remove(0),
        _ => Term::Bag(Marks("(", ") or (", ")"), pieces),
    })
}

/// The conditions of a convex set that no others imply.
fn conditions(set: &BasicSet, names: &mut Names<'_>) -> Result<Term> {
    let set = set.detect_equalities()?.remove_redundancies()?;
    let (all, constraints) = (set.to_set()?, set.constraints()?);
    let space = all.space()?;
    let mut rows = Vec::new();
    for row in &constraints.equalities {
        // An equality may be written with either sign.
        let is_negative = first(row) < 0;
        let row = if is_negative { negated(row) } else { row.clone() };
        rows.push(comparison(&row, " = ", &space, names));
    }
    for row in &constraints.inequalities {
        let row = &tight(row, &all, constraints.equalities.as_slice())?;
        let is_of_params = row.dims.iter().chain(&row.divs).all(|factor| *factor == 0);
        if is_of_params && names.is_known(row, &space)? {
            continue;
        }
        // `x <= y - 1` is `x < y`.
        match row.constant {
            -1 => {
                let strict = LinearRow { constant: 0, ..row.clone() };
                rows.push(comparison(&strict, " < ", &space, names));
            }
            _ => rows.push(comparison(row, " <= ", &space, names)),
        }
    }
    Ok(if rows.is_empty() { Term::text("always") } else { Term::Bag(ALL, rows) })
}

/// An inequality as tight as integers let it be: of numbers that leave the remainder 1 by 3, `i >= 0` is `i >= 1`.
fn tight(row: &LinearRow, all: &Set, equalities: &[LinearRow]) -> Result<LinearRow> {
    let divides = |row: &LinearRow| row.divs.iter().any(|factor| *factor != 0);
    if divides(row) || !equalities.iter().any(divides) {
        return Ok(row.clone());
    }
    let value = Aff::linear(&all.space()?, &row.dims, &row.params, row.constant)?;
    let least = all.apply(&value.to_pw_aff()?.to_map()?)?.dim_min_val(0)?.to_small_int()?;
    let least = least.filter(|least| *least > 0).unwrap_or_default();
    Ok(LinearRow { constant: row.constant.saturating_sub(least), ..row.clone() })
}

/// A row as a comparison of what is taken away in it with what is added.
fn comparison(row: &LinearRow, mark: &'static str, space: &Space, names: &mut Names<'_>) -> Term {
    let keep = |sign: i64| {
        let own = |factors: &[i64]| {
            factors.iter().map(|factor| factor.saturating_mul(sign).max(0)).collect()
        };
        LinearRow {
            constant: row.constant.saturating_mul(sign).max(0),
            params: own(&row.params),
            dims: own(&row.dims),
            divs: own(&row.divs),
        }
    };
    let sides = [linear(&keep(-1), space, names), linear(&keep(1), space, names)];
    Term::List(Marks::between(mark), sides.into())
}

/// The first factor that is not zero: of loops, from outside in, then of divisions, then the constant.
fn first(row: &LinearRow) -> i64 {
    let factors = row.dims.iter().chain(&row.divs).chain([&row.constant]);
    factors.copied().find(|factor| *factor != 0).unwrap_or_default()
}

/// The row with the other sign.
fn negated(row: &LinearRow) -> LinearRow {
    let all = |factors: &[i64]| factors.iter().map(|factor| factor.saturating_neg()).collect();
    LinearRow {
        constant: row.constant.saturating_neg(),
        params: all(&row.params),
        dims: all(&row.dims),
        divs: all(&row.divs),
    }
}

/// The sum that a row is, whose factors are not negative.
fn linear(row: &LinearRow, space: &Space, names: &mut Names<'_>) -> Term {
    let mut parts = Vec::new();
    let mut add = |factor: i64, of: Term| match factor {
        0 => {}
        1 => parts.push(of),
        _ => parts.push(Term::row([Term::text(format!("{factor}*")), of])),
    };
    for (depth, factor) in row.dims.iter().enumerate() {
        add(*factor, iterator(depth));
    }
    for (at, factor) in (0..).zip(&row.params) {
        if *factor != 0 {
            add(*factor, parameter(space, at, names));
        }
    }
    for (at, factor) in row.divs.iter().enumerate() {
        add(*factor, Term::text(format!("e{at}")));
    }
    if row.constant != 0 || parts.is_empty() {
        parts.push(Term::text(row.constant.to_string()));
    }
    Term::Bag(SUM, parts)
}
