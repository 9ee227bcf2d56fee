//! The original beside a form that is faster for large sizes alone.

use crate::Error;
use crate::form::Form;
use farkas_cost::estimate;
use farkas_interp::Params;
use farkas_machine::Machine;

/// The original is worth a version of its own where it is faster although it takes this many cycles: some microseconds, which
/// many a program notices.
const WORTH_CYCLES: f64 = 40_000.0;

/// Sizes are halved this many times.
const N_HALVES: u32 = 8;

/// The values of all parameters up to which the first form is faster than the second, in some runs that take so long that it
/// matters; `None` where there are no such.
pub(super) fn faster_below(
    (original, form): (&Form, &Form),
    machine: &Machine,
    params: &Params,
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
        if before < WORTH_CYCLES {
            return Ok(None);
        }
        if before <= cycles(form)? {
            return Ok(Some(smaller));
        }
    }
    Ok(None)
}
