//! What runs beside a form that is faster for large sizes alone: for which sizes the original, or another form, is faster.

use super::SAME;
use crate::Error;
use crate::form::Form;
use farkas_cost::estimate;
use farkas_interp::Params;
use farkas_machine::Machine;

/// The original is worth a version of its own where it is faster although it takes this many cycles: some microseconds, which
/// many a program notices.
const WORTH_CYCLES: f64 = 40_000.0;

/// Where it stands beside the form anyhow, because a test may fail, only a comparison of sizes is added: it is worth that where it takes
/// this many.
const WORTH_COMPARISON: f64 = 400.0;

/// What the original, or another form, must take to be worth running where it is faster.
pub(super) fn worth(stands_anyhow: bool) -> f64 {
    if stands_anyhow { WORTH_COMPARISON } else { WORTH_CYCLES }
}

/// Sizes are halved this many times.
const N_HALVES: u32 = 8;

/// The least size that is asked for where one is small and the others are not.
const SMALLEST: i64 = 4;

/// A size that is small where the others are not.
const SMALL: i64 = 16;

/// A form is worth a version of its own where one size is small if it is so many times faster than what there is.
const WORTH_OF_VERSION: f64 = 2.0;

/// The form that is [so many times](WORTH_OF_VERSION) faster than each of those that there are where one parameter is small, by its place, of those for which
/// that is not told; of several parameters, for the one for which it gains most.
pub(super) fn fastest_where_small(
    forms: &[&Form],
    known: [&Form; 2],
    machine: &Machine,
    params: &Params,
    is_told: impl Fn(&str) -> bool,
) -> Result<Option<usize>, Error> {
    let mut most = (WORTH_OF_VERSION, None);
    for (name, _) in params.iter().filter(|(name, value)| *value > SMALL && !is_told(name)) {
        let params = with_value(params, name, SMALL);
        let cycles = |form: &Form| -> Result<f64, Error> {
            Ok(estimate(&form.program.scop, &form.ast, machine, &params)?.cycles())
        };
        let [best, original] = known;
        let before = cycles(best)?.min(cycles(original)?);
        if before < WORTH_CYCLES {
            continue;
        }
        for (at, form) in forms.iter().enumerate() {
            let gain = before / cycles(form)?;
            if gain > most.0 {
                most = (gain, Some(at));
            }
        }
    }
    Ok(most.1)
}

/// Cycles of a form whose threads wait for work already.
fn cycles(form: &Form, machine: &Machine, params: &Params) -> Result<f64, Error> {
    let estimate = estimate(&form.program.scop, &form.ast, machine, params)?;
    Ok(estimate.cycles() - estimate.threads)
}

/// The parameters with another value of one.
fn with_value(params: &Params, name: &str, value: i64) -> Params {
    let of = |known: &str, old: i64| if known == name { value } else { old };
    Params::new(params.iter().map(|(known, old)| (known, of(known, old))).collect::<Vec<_>>())
}

/// The values of single parameters up to which the first form is faster than the second, where the others are as large as forms are compared
/// for, and threads run: a product along seven elements is not worth the copies that it is worth along two thousand. Not those that
/// the user told, and not where the first form takes less than `worth` cycles.
pub(super) fn faster_where_small(
    (other, form): (&Form, &Form),
    machine: &Machine,
    params: &Params,
    worth: f64,
    is_told: impl Fn(&str) -> bool,
) -> Result<Vec<(String, i64)>, Error> {
    let is_faster = |name: &str, size: i64| -> Result<bool, Error> {
        let params = with_value(params, name, size);
        let before = cycles(other, machine, &params)?;
        Ok(before >= worth && SAME * before <= cycles(form, machine, &params)?)
    };
    let mut found = Vec::new();
    for (name, value) in params.iter().filter(|(name, _)| !is_told(name)) {
        let (mut size, mut most) = (SMALLEST, None);
        while size < value && is_faster(name, size)? {
            most = Some(size);
            size *= 2;
        }
        let Some(mut most) = most else { continue };
        // Somewhere between these two that ends.
        while size - most > 1 {
            let between = most + (size - most) / 2;
            if between < value && is_faster(name, between)? {
                most = between;
            } else {
                size = between;
            }
        }
        found.push((name.to_owned(), most));
    }
    Ok(found)
}

/// The values of all parameters up to which the first form is faster than the second, in some runs that take at least `worth`
/// cycles; `None` where there are no such.
pub(super) fn faster_below(
    (original, form): (&Form, &Form),
    machine: &Machine,
    params: &Params,
    worth: f64,
) -> Result<Option<Vec<(String, i64)>>, Error> {
    if params.iter().next().is_none() {
        return Ok(None);
    }
    for halves in 1..=N_HALVES {
        let smaller = params.iter().map(|(name, value)| (name.to_owned(), value >> halves));
        let smaller: Vec<(String, i64)> = smaller.collect();
        let params = Params::new(smaller.clone());
        let cycles = |form: &Form| -> Result<f64, Error> {
            Ok(estimate(&form.program.scop, &form.ast, machine, &params)?.cycles())
        };
        let before = cycles(original)?;
        if before < worth {
            return Ok(None);
        }
        if before <= cycles(form)? {
            return Ok(Some(smaller));
        }
    }
    Ok(None)
}
