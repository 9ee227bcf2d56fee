//! Affine functions and sets over the loops around a statement, as terms.

use crate::Result;
use crate::names::Names;
use crate::pieces::{pieces, pieces_within};
use crate::rows::simplest;
use crate::term::{Marks, Term};
use farkas_poly::{Aff, BasicSet, DimType, LinearRow, Map, PwAff, Set, Space};

/// A sum, and parts that hold at once.
const SUM: Marks = Marks("", " + ", "");
const ALL: Marks = Marks("", " and ", "");

/// The term of the loop at a depth.
fn iterator(depth: usize) -> Term {
    Term::text(format!("i{depth}"))
}

/// The values of a function of the loops in some iterations, a term a dimension; none where it has several for some iteration.
pub(crate) fn values(
    function: &Map,
    iterations: &Set,
    names: &mut Names<'_>,
) -> Result<Option<Vec<Term>>> {
    if !function.is_single_valued()? {
        return Ok(None);
    }
    let function = function.to_pw_multi_aff()?;
    let rank = function.dim(DimType::Out)?;
    let at = |at: u32| function.at(i32::try_from(at).unwrap_or(i32::MAX));
    (0..rank).map(|i| value_in(&at(i)?, iterations, names)).collect::<Result<_>>().map(Some)
}

/// One value: what it is in each of its pieces.
pub(crate) fn value(function: &PwAff, names: &mut Names<'_>) -> Result<Term> {
    value_in(function, &function.domain()?, names)
}

/// One value in some iterations: what it is in each of its pieces.
pub(crate) fn value_in(function: &PwAff, iterations: &Set, names: &mut Names<'_>) -> Result<Term> {
    let pieces = function.pieces()?;
    if let [(_, aff)] = pieces.as_slice() {
        return sum(aff, names);
    }
    let within = iterations.intersect(&function.domain()?)?;
    if within.space()?.is_params()? {
        return cases(&pieces, |domain| Ok(domain.basic_sets()?), names);
    }
    let sums = distinct(function, &pieces, &within)?;
    match sums.as_slice() {
        [(_, aff)] => sum(aff, names),
        sums => cases(sums, |domain| pieces_within(domain, &within), names),
    }
}

/// What a value is, and where.
fn cases(
    sums: &[(Set, Aff)],
    pieces: impl Fn(&Set) -> Result<Vec<BasicSet>>,
    names: &mut Names<'_>,
) -> Result<Term> {
    let mut cases = Vec::new();
    for (domain, aff) in sums {
        let case = [sum(aff, names)?, any(&pieces(domain)?, names)?];
        cases.push(Term::List(Marks::between(" if "), case.into()));
    }
    Ok(Term::Bag(Marks("{", ", ", "}"), cases))
}

/// The sums that a function is, each with all points at which it is, but for those that others do without.
fn distinct(function: &PwAff, pieces: &[(Set, Aff)], within: &Set) -> Result<Vec<(Set, Aff)>> {
    let mut sums = Vec::new();
    for (_, aff) in pieces {
        let own = aff.to_pw_aff()?.eq_set(function)?.intersect(within)?.coalesce()?;
        if !own.is_empty()? {
            sums.push((own, aff.clone()));
        }
    }
    let mut at = 0;
    while at < sums.len() && sums.len() > 1 {
        let own = sums.remove(at);
        let others = Set::union_all(sums.iter().map(|(domain, _)| domain.clone()))?;
        let is_needed = match others {
            Some(others) => !own.0.is_subset(&others)?,
            None => true,
        };
        if is_needed {
            sums.insert(at, own);
            at += 1;
        }
    }
    Ok(sums)
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
    any(&pieces(set, names.context())?, names)
}

/// The points of one of several convex sets.
fn any(pieces: &[BasicSet], names: &mut Names<'_>) -> Result<Term> {
    let mut found = Vec::new();
    for piece in pieces {
        found.push(conditions(piece, names)?);
    }
    Ok(match found.len() {
        1 => found.remove(0),
        _ => Term::Bag(Marks("(", ") or (", ")"), found),
    })
}

/// The conditions of a convex set that no others imply.
fn conditions(set: &BasicSet, names: &mut Names<'_>) -> Result<Term> {
    let set = set.detect_equalities()?.remove_redundancies()?;
    let (all, constraints) = (set.to_set()?, set.constraints()?);
    let constraints = simplest(&all, constraints)?;
    let space = all.space()?;
    let mut rows = Vec::new();
    for row in &constraints.equalities {
        // An equality may be written with either sign.
        let is_negative = first(row) < 0;
        let row = if is_negative { negated(row) } else { row.clone() };
        rows.push(comparison(&row, " = ", &space, names));
    }
    for row in &constraints.inequalities {
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
