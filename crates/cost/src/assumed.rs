//! Values of parameters that are not known.

use crate::Result;
use farkas_interp::{Function, Params};
use farkas_poly::{Aff, DimType, MultiAff, PwAff, Set, Space, Val};
use farkas_scop::{AccessKind, BinaryOp, Claim, Expr, ParamId, Parameter, Scop, within_extents};
use std::collections::{BTreeMap, BTreeSet};

/// Elements of the largest array whose extents parameters decide: more than the caches of one core hold.
const ASSUMED_ELEMENTS: f64 = 4.0e6;
/// A parameter is no larger than this where arrays do not say so.
const MOST: i64 = 20_000;
/// A parameter that no array limits, as a number of time steps.
const STEPS: i64 = 500;
/// Elements among which data chooses one to update: each is updated many times.
const FEW: i64 = 64;

/// Values of the parameters of `scop` for which it is to be fast: those that are `known`, unless they contradict the context; else the largest for which all accesses
/// lie in arrays of known extents and all statements run, as programs declare arrays for the sizes that they compute with; else such that
/// arrays exceed the caches. Those that loops begin at are as near to zero as they may be, and those that say among how many elements data chooses
/// one to update, as in `count[x[i]]++`, are small. Where a parameter is taken for granted to be
/// a product of others, or its declaration states its value, it is that.
///
/// # Errors
/// When isl refuses.
pub fn assumed_values(scop: &Scop, known: &BTreeMap<String, i64>) -> Result<Params> {
    let mut allowed = scop.context().clone();
    for (name, value) in known {
        allowed = unless_empty(fixed(&allowed, name, *value)?, allowed)?;
    }
    for stmt in scop.stmts() {
        allowed = unless_empty(allowed.intersect(&stmt.domain.params()?)?, allowed)?;
    }
    let allowed = unless_empty(within_extents(scop, &allowed)?, allowed)?;
    let ranks = ranks(scop)?;
    let choices = choices(scop)?;
    let products = products(scop)?;
    let mut values: BTreeMap<&str, i64> = BTreeMap::new();
    let mut left = allowed;
    for name in in_order(scop, &products)? {
        let wanted = match ranks.get(name) {
            Some(&rank) => (ASSUMED_ELEMENTS.powf(1.0 / rank.max(1) as f64) as i64).min(MOST),
            None => STEPS,
        };
        let wanted = if choices.contains(name) { wanted.min(FEW) } else { wanted };
        let given = match products.get(name) {
            Some(product) => product.value(scop, &values)?,
            None => stated_value(scop, name, &values),
        };
        let value = match known.get(name).copied().or(given) {
            Some(value) if !fixed(&left, name, value)?.is_empty()? => value,
            _ if is_start(scop, name)? => nearest(&left, name, 0)?,
            _ => largest(&left, name, wanted)?,
        };
        left = fixed(&left, name, value)?;
        values.insert(name, value);
    }
    let value = |param: &Parameter| (param.name.clone(), values[param.name.as_str()]);
    Ok(Params::new(scop.params().iter().map(value)))
}

/// What a parameter is taken for granted to be.
struct Product<'s> {
    times: i64,
    factors: &'s [PwAff],
}

impl Product<'_> {
    /// The parameters that are factors.
    fn names(&self) -> Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for factor in self.factors {
            for (position, name) in (0..).zip(factor.domain_space()?.param_names()?) {
                if factor.involves_dims(DimType::Param, position, 1)? {
                    found.insert(name);
                }
            }
        }
        Ok(found)
    }

    /// Its value, if that is a number, where other parameters have these.
    fn value(&self, scop: &Scop, values: &BTreeMap<&str, i64>) -> Result<Option<i64>> {
        let value = |param: &Parameter| {
            let name = param.name.as_str();
            (name.to_owned(), values.get(name).copied().unwrap_or_default())
        };
        let params = Params::new(scop.params().iter().map(value));
        let mut product = Some(self.times);
        for factor in self.factors {
            let factor = Function::new(factor, &params)?.value(&[])?;
            product = product.zip(factor).and_then(|(a, b)| a.checked_mul(b));
        }
        Ok(product)
    }
}

/// The parameters that are taken to be products of others.
fn products(scop: &Scop) -> Result<BTreeMap<&str, Product<'_>>> {
    let mut found = BTreeMap::new();
    for assumption in scop.assumptions() {
        let Claim::Product(whole, times, factors) = &assumption.claim else { continue };
        let space = whole.domain_space()?;
        for (position, param) in (0..).zip(scop.params()) {
            let itself = Aff::var_on_domain(&space, DimType::Param, position)?.to_pw_aff()?;
            if whole.ne_set(&itself)?.is_empty()? {
                found.insert(param.name.as_str(), Product { times: *times, factors });
            }
        }
    }
    Ok(found)
}

/// The parameters in their order, but factors of products first, and each that has a value by others after these, unless they have theirs by it.
fn in_order<'s>(scop: &'s Scop, products: &BTreeMap<&str, Product<'_>>) -> Result<Vec<&'s str>> {
    let mut needed: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut factors = BTreeSet::new();
    for param in scop.params() {
        let own = match (products.get(param.name.as_str()), &param.stated) {
            (Some(product), _) => product.names()?,
            (None, Some(value)) => names_in(scop, value),
            (None, None) => continue,
        };
        if products.contains_key(param.name.as_str()) {
            factors.extend(own.clone());
        }
        needed.insert(&param.name, own);
    }
    let mut names: Vec<&str> = scop.params().iter().map(|param| param.name.as_str()).collect();
    names.sort_by_key(|name| (!factors.contains(*name), !products.contains_key(name)));
    let mut found: Vec<&str> = Vec::new();
    while !names.is_empty() {
        let is_next = |name: &&str| {
            let others = needed.get(*name);
            others.is_none_or(|others| others.iter().all(|other| found.contains(&other.as_str())))
        };
        let next = names.iter().position(is_next).unwrap_or(0);
        found.push(names.remove(next));
    }
    Ok(found)
}

/// The parameters in an expression.
fn names_in(scop: &Scop, value: &Expr) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    value.walk(&mut |part| {
        if let Expr::Param(param) = part {
            found.insert(scop.params()[*param].name.clone());
        }
    });
    found
}

/// The value that a parameter's declaration states, where others have these values; none before all that it depends on have one.
fn stated_value(scop: &Scop, name: &str, values: &BTreeMap<&str, i64>) -> Option<i64> {
    let param = scop.params().iter().find(|param| param.name == name)?;
    evaluated(param.stated.as_ref()?, &|param| {
        values.get(scop.params()[param].name.as_str()).copied()
    })
}

/// The value of an expression of parameters.
fn evaluated(expr: &Expr, value: &impl Fn(ParamId) -> Option<i64>) -> Option<i64> {
    Some(match expr {
        Expr::Int { value, .. } => *value,
        Expr::Param(param) => value(*param)?,
        Expr::Ternary(condition, a, b) => {
            let taken = if evaluated(condition, value)? == 0 { b } else { a };
            evaluated(taken, value)?
        }
        Expr::Binary(op, a, b) => {
            let (a, b) = (evaluated(a, value)?, evaluated(b, value)?);
            match op {
                BinaryOp::Mul => a.checked_mul(b)?,
                BinaryOp::Div => a.checked_div(b)?,
                BinaryOp::Rem => a.checked_rem(b)?,
                BinaryOp::Add => a.checked_add(b)?,
                BinaryOp::Sub => a.checked_sub(b)?,
                BinaryOp::Shl => a.checked_mul(1_i64.checked_shl(u32::try_from(b).ok()?)?)?,
                BinaryOp::Shr => a.checked_shr(u32::try_from(b).ok()?)?,
                BinaryOp::Lt => i64::from(a < b),
                BinaryOp::Gt => i64::from(a > b),
                BinaryOp::Le => i64::from(a <= b),
                BinaryOp::Ge => i64::from(a >= b),
                BinaryOp::Eq => i64::from(a == b),
                BinaryOp::Ne => i64::from(a != b),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// Whether loops begin at a parameter, which they count up from: the larger it is, the less there is to do.
fn is_start(scop: &Scop, name: &str) -> Result<bool> {
    let mut shrinks = false;
    for stmt in scop.stmts() {
        let Some(position) = stmt.domain.find_param(name) else { continue };
        if !stmt.domain.involves_dims(DimType::Param, position, 1)? {
            continue;
        }
        let plain = stmt.domain.reset_tuple_id()?;
        let here = plain.move_dims(DimType::SET, 0, DimType::Param, position, 1)?;
        let next = here.preimage_multi_aff(&next_in_first(&here.space()?)?)?;
        if !next.is_subset(&here)? {
            return Ok(false);
        }
        shrinks |= !here.is_subset(&next)?;
    }
    Ok(shrinks)
}

/// The function that adds one to the first of a point's coordinates.
fn next_in_first(space: &Space) -> Result<MultiAff> {
    let mut function = MultiAff::zero(&space.map_from_domain_and_range(space)?)?;
    for at in 0..space.dim(DimType::SET)? {
        let same = Aff::var_on_domain(space, DimType::SET, at)?;
        let value = if at == 0 { same.add_constant_val(&Val::int(1)?)? } else { same };
        function = function.set_at(i32::try_from(at).unwrap_or(i32::MAX), &value)?;
    }
    Ok(function)
}

/// The first set, or where it is empty the second.
fn unless_empty(first: Set, second: Set) -> Result<Set> {
    Ok(if first.is_empty()? { second } else { first })
}

/// For each parameter that decides how much of an array is touched, the dimensions of that array, at most.
fn ranks(scop: &Scop) -> Result<BTreeMap<String, usize>> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for stmt in scop.stmts() {
        for access in stmt.accesses.iter().filter(|a| a.kind != AccessKind::Kill) {
            let touched = stmt.domain.apply(&access.relation)?;
            let touched = touched.gist_params(&touched.params()?)?;
            let rank = scop.arrays()[access.array].rank();
            for (position, name) in (0..).zip(touched.space()?.param_names()?) {
                if touched.involves_dims(DimType::Param, position, 1)? {
                    let most = found.entry(name).or_default();
                    *most = rank.max(*most);
                }
            }
        }
    }
    Ok(found)
}

/// The parameters that say among how many elements data chooses those that a statement updates, but not how often it runs.
fn choices(scop: &Scop) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for stmt in scop.stmts() {
        let Some(update) = stmt.update(scop.arrays()) else { continue };
        let target = &stmt.accesses[update.target];
        let touched = stmt.domain.apply(&target.relation)?;
        let touched = touched.gist_params(&touched.params()?)?;
        let rank = touched.dim(DimType::SET)?;
        for at in target.chosen_dims()? {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let behind = touched.project_out(DimType::SET, at + 1, rank - at - 1)?;
            let chosen = behind.project_out(DimType::SET, 0, at)?;
            for (position, name) in (0..).zip(chosen.space()?.param_names()?) {
                let runs = stmt.domain.find_param(&name);
                let decides = |set: &Set, at| set.involves_dims(DimType::Param, at, 1);
                let is_choice = decides(&chosen, position)?
                    && !runs.map_or(Ok(false), |at| decides(&stmt.domain, at))?;
                if is_choice {
                    found.insert(name);
                }
            }
        }
    }
    Ok(found)
}

/// The parameters with one of them fixed.
fn fixed(params: &Set, name: &str, value: i64) -> Result<Set> {
    match params.find_param(name) {
        Some(position) => Ok(params.fix_val(DimType::Param, position, &Val::int(value)?)?),
        None => Ok(params.clone()),
    }
}

/// The greatest value that a parameter may have, or where that is unlimited the one nearest to `wanted`.
fn largest(params: &Set, name: &str, wanted: i64) -> Result<i64> {
    let most = match params.find_param(name) {
        Some(position) => values_of(params, position)?.dim_max_val(0)?,
        None => return Ok(wanted),
    };
    most.to_small_int()?.map_or_else(|| nearest(params, name, wanted), Ok)
}

/// The least value of at least `wanted` that a parameter may have, or where there is none the least of all.
fn nearest(params: &Set, name: &str, wanted: i64) -> Result<i64> {
    let Some(position) = params.find_param(name) else { return Ok(wanted) };
    let values = values_of(params, position)?;
    let above = values.lower_bound_val(DimType::SET, 0, &Val::int(wanted)?)?;
    let next = above.dim_min_val(0)?.to_small_int()?;
    Ok(next.or(values.dim_min_val(0)?.to_small_int()?).unwrap_or(wanted))
}

/// The values that the parameter at a position may have, whatever the others are, as one dimension.
pub(crate) fn values_of(params: &Set, position: u32) -> Result<Set> {
    let values = params.from_params()?.move_dims(DimType::SET, 0, DimType::Param, position, 1)?;
    Ok(values.project_out_all_params()?)
}
