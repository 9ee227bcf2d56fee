//! When threads pay, where that depends on sizes.
//!
//! How much work a loop has is a sum of products of sizes ([`Work`]), of which nobody knows how many cycles it stands for. That is
//! found out at sizes for which the loop takes about as long as it must for threads to pay: sizes are doubled until it takes
//! more, and halved until it takes less. So a box that is twice as large as a triangle stands for half as many cycles, and
//! loops whose data fits the caches then are not taken for slow because it does not at larger sizes.
//!
//! Threads must gain more than it takes to wake and start them, and to hand over data: what surrounds a region mostly runs on one core, whose
//! caches hold what the region reads, and which reads what the region writes. A loop that adds two vectors of a size that fits
//! those caches is done before another core has its half of them.

use crate::assumed::values_of;
use crate::nest::starts;
use crate::sample::{N_RUNS, count};
use crate::turns::with_turns;
use crate::{Result, estimate};
use farkas_astgen::{Ast, Expr, Start, Work};
use farkas_interp::Params;
use farkas_machine::Machine;
use farkas_scop::Scop;
use std::collections::{BTreeMap, BTreeSet};

/// A loop is worth starting threads for where it takes so many times as long as starting them does. Two threads gain as soon as it
/// takes twice as long; but the model may be wrong by some factor, and whoever calls small loops has nothing to gain.
const WORTH_OF_STARTING: f64 = 8.0;

/// Sizes are halved this many times.
const N_HALVES: i32 = 24;

/// Sizes are doubled this many times.
const N_DOUBLES: i32 = 10;

/// Between two sizes of which one is twice the other, the one from which on something holds is looked for in so many steps.
const N_STEPS: i32 = 3;

/// A form that runs on one core is preferred to the original where the original takes so many times as long.
const WORTH_OF_FORM: f64 = 1.5;

/// The loops of `ast` with the conditions under which each starts threads, where sizes decide that; `params` are large sizes. Where
/// a loop has enough work for all parameters that the scop's context allows, there is no condition; where it has a known number of
/// instances that are too few, it has no threads. Where iterations differ in work, threads take turns.
///
/// # Errors
/// When isl refuses or a parameter has no value.
pub fn with_threads(scop: &Scop, ast: &Ast, machine: &Machine, params: &Params) -> Result<Ast> {
    with_turns(scop, &with_conditions(scop, ast, machine, params)?, machine, params)
}

/// The loops with their conditions.
fn with_conditions(scop: &Scop, ast: &Ast, machine: &Machine, params: &Params) -> Result<Ast> {
    let mut wanted = BTreeSet::new();
    let weighed = ast.with_threads(|number, work| {
        wanted.insert(number);
        Start::If(work)
    });
    if wanted.is_empty() {
        return Ok(weighed);
    }
    let enough = enough(scop, &weighed, machine, params, &wanted)?;
    let widest: BTreeMap<usize, Option<i64>> = weighed
        .widest()
        .into_iter()
        .map(|(number, work)| (number, work.and_then(|w| w.number())))
        .collect();
    let least = least_sizes(scop)?;
    Ok(ast.with_threads(|number, work| {
        // A loop that has nothing to do for any of these sizes takes a cycle for each instance.
        let above = enough.get(&number).copied().unwrap_or(worth_of_starting(machine) as i64);
        let work = Work { above, ..work };
        let holds = work.holds(&|name| least.get(name).copied().flatten());
        match holds.filter(|_| is_increasing(&work)) {
            Some(true) => Start::Always,
            Some(false) if work.number().is_some() => Start::Never,
            None if widest.get(&number).copied().flatten().is_some_and(|most| most <= above) => {
                Start::Never
            }
            _ => Start::If(work),
        }
    }))
}

/// Cycles of a loop from which on threads are worth starting for it.
fn worth_of_starting(machine: &Machine) -> f64 {
    WORTH_OF_STARTING * f64::from(machine.threads.start_cycles)
}

/// For each of some loops, by number, the sum above which threads pay.
fn enough(
    scop: &Scop,
    ast: &Ast,
    machine: &Machine,
    params: &Params,
    wanted: &BTreeSet<usize>,
) -> Result<BTreeMap<usize, i64>> {
    let mut found = BTreeMap::new();
    let mut too_short = |doubles: i32, wanted: &BTreeSet<usize>| {
        let counted = count(scop, ast, &scaled(params, f64::from(doubles)), N_RUNS)?;
        let mut short = BTreeSet::new();
        for (number, start) in starts(scop, machine, &counted, wanted) {
            let sum = counted.works[number];
            if start.cycles > 0.0 && sum > 0.0 {
                let needed = worth_of_starting(machine) + 2.0 * start.once;
                found.insert(number, rounded(sum * needed / start.cycles));
                if start.cycles <= needed {
                    short.insert(number);
                }
            }
        }
        Result::Ok(short)
    };
    let mut short = too_short(0, wanted)?;
    let mut long = wanted - &short;
    for halves in 1..=N_HALVES {
        if long.is_empty() {
            break;
        }
        long = &long - &too_short(-halves, &long)?;
    }
    for doubles in 1..=N_DOUBLES {
        if short.is_empty() {
            break;
        }
        short = too_short(doubles, &short)?;
    }
    Ok(found)
}

/// What must hold, one of several conditions, for a form to be at least as fast as the original, which has no threads: for each parallel
/// loop of `ast`, that its threads start, or less if the form is faster than the original on one core, too, or more where threads that
/// start in the widest iteration of the loops around alone gain too little. `None` where a form
/// has no such loops, or some that always start threads.
///
/// # Errors
/// When isl refuses or a parameter has no value.
pub fn worth_of_form(
    (original, original_ast): (&Scop, &Ast),
    (scop, ast): (&Scop, &Ast),
    machine: &Machine,
    params: &Params,
) -> Result<Option<Vec<Work>>> {
    let Some(mut works) = ast.threads().into_iter().collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    if works.is_empty() {
        return Ok(None);
    }
    // How many times longer the original takes.
    let gain = |params: &Params| -> Result<f64> {
        let before = estimate(original, original_ast, machine, params)?.cycles();
        Ok(before / estimate(scop, ast, machine, params)?.cycles().max(1.0))
    };
    let starts = |params: &Params, works: &[Work]| {
        works.iter().any(|work| work.holds(&|name| params.value(name).ok()) != Some(false))
    };
    let first = (0..=N_HALVES).find(|halves| !starts(&scaled(params, -f64::from(*halves)), &works));
    let least = first.and_then(|halves| halves.checked_sub(1)).filter(|least| *least >= 0);
    if let Some(least) = least
        && let Some(params) = gains_from(params, least, &gain)?
    {
        for work in &mut works {
            let sum = work.sum(&|name| params.value(name).ok()).map_or(0, rounded);
            work.above = sum.max(work.above);
        }
    }
    for halves in first.into_iter().flat_map(|first| first..=N_HALVES) {
        let params = scaled(params, -f64::from(halves));
        if gain(&params)? < WORTH_OF_FORM {
            break;
        }
        for work in &mut works {
            let least = work.sum(&|name| params.value(name).ok()).map_or(0, rounded);
            work.above = least.min(work.above);
        }
    }
    Ok(Some(weakest(works)))
}

/// The sizes from which on a form gains, where it does not at sizes that were halved `least` times but does at larger ones; about.
fn gains_from(
    params: &Params,
    least: i32,
    gain: &impl Fn(&Params) -> Result<f64>,
) -> Result<Option<Params>> {
    if gain(&scaled(params, -f64::from(least)))? >= 1.0 {
        return Ok(None);
    }
    let mut gains = None;
    for halves in (0..least).rev() {
        if gain(&scaled(params, -f64::from(halves)))? >= 1.0 {
            gains = Some(f64::from(halves));
            break;
        }
    }
    let Some(mut gains) = gains else { return Ok(None) };
    let mut loses = gains + 1.0;
    for _ in 0..N_STEPS {
        let between = f64::midpoint(gains, loses);
        match gain(&scaled(params, -between))? >= 1.0 {
            true => gains = between,
            false => loses = between,
        }
    }
    Ok(Some(scaled(params, -gains)))
}

/// The conditions of some on which a form's cost depends: of nests that have part of the sizes of another, that other one; of equal
/// ones, what asks for least.
fn weakest(mut works: Vec<Work>) -> Vec<Work> {
    works.sort_by_key(|work| work.above);
    let mut found: Vec<Work> = Vec::new();
    for (at, work) in works.iter().enumerate() {
        let is_less = |(other_at, other): (usize, &Work)| {
            work.is_part_of(other) && (!other.is_part_of(work) || other_at < at)
        };
        if !works.iter().enumerate().any(is_less) {
            found.push(work.clone());
        }
    }
    found
}

/// Sizes that were doubled so many times, or halved; not a whole number of times is possible, too.
fn scaled(params: &Params, doubles: f64) -> Params {
    let scale = |value: i64| (value as f64 * doubles.exp2()).floor() as i64;
    Params::new(params.iter().map(|(name, value)| (name.to_owned(), scale(value))))
}

/// The least value of each parameter, where there is one that is not negative.
fn least_sizes(scop: &Scop) -> Result<BTreeMap<String, Option<i64>>> {
    let mut least = BTreeMap::new();
    for param in scop.params() {
        let context = scop.context();
        let Some(position) = context.find_param(&param.name) else { continue };
        let value = values_of(context, position)?.dim_min_val(0)?.to_small_int()?;
        least.insert(param.name.clone(), value.filter(|value| *value >= 0));
    }
    Ok(least)
}

/// Whether a sum grows with all that is in it, which are parameters.
fn is_increasing(work: &Work) -> bool {
    let mut is_increasing = true;
    work.for_each_name(&mut |_, is_iterator| is_increasing &= !is_iterator);
    let sizes = work.products.iter().flat_map(|product| &product.sizes);
    let mut terms = sizes.flat_map(|size| size.options(false)).flat_map(Expr::terms);
    is_increasing && terms.all(|(_, factor)| *factor > 0)
}

/// A number with two digits that matter.
fn rounded(number: f64) -> i64 {
    let number = number.clamp(0.0, 1e15);
    let mut unit = 1.0;
    while number / unit >= 100.0 {
        unit *= 10.0;
    }
    ((number / unit).round() * unit) as i64
}

#[cfg(test)]
mod tests {
    use super::gains_from;
    use farkas_interp::Params;

    /// A form that takes as long as the original where `n` is 100.
    #[test]
    fn sizes_from_which_a_form_gains_are_found() {
        let params = Params::new([("n", 1024)]);
        let of = |params: &Params| crate::Result::Ok(params.value("n")? as f64);
        let found = |least, from: f64| {
            let gains = gains_from(&params, least, &|p| Ok(of(p)? / from)).expect("it has values");
            gains.map(|params| of(&params).expect("a value"))
        };
        let near = found(5, 100.0).expect("it gains from there on");
        assert!((100.0..=112.0).contains(&near), "{near}");
        assert_eq!(found(3, 100.0), None, "it gains at the least sizes");
        assert_eq!(found(3, 5000.0), None, "it never gains");
    }
}
