//! Parameters that choose between cases: whether a matrix is transposed, whether there is a bias.

use crate::Result;
use crate::assumed::values_of;
use farkas_interp::Params;
use farkas_poly::{DimType, Set};
use farkas_scop::Scop;

/// No more cases than so many are looked at.
const MOST_CASES: usize = 8;

/// The values `params` and the same with the other value of each parameter that has two, where the scop's context allows it. The first are
/// the given ones; where there are too many, they are the only ones.
///
/// # Errors
/// When isl refuses.
pub(crate) fn cases(scop: &Scop, params: &Params) -> Result<Vec<Params>> {
    let mut cases = vec![params.clone()];
    for (name, value) in params.iter() {
        let Some(other) = other_value(scop.context(), name, value)? else { continue };
        let with = |case: &Params| {
            let value = |(own, value): (&str, i64)| {
                (own.to_owned(), if own == name { other } else { value })
            };
            Params::new(case.iter().map(value))
        };
        let more: Vec<Params> =
            cases.iter().map(with).filter(|case| case.check(scop).is_ok()).collect();
        cases.extend(more);
        if cases.len() > MOST_CASES {
            return Ok(vec![params.clone()]);
        }
    }
    Ok(cases)
}

/// The only other value that a parameter may have.
fn other_value(context: &Set, name: &str, value: i64) -> Result<Option<i64>> {
    let Some(at) = context.find_param(name) else { return Ok(None) };
    if !context.involves_dims(DimType::Param, at, 1)? {
        return Ok(None);
    }
    let values = values_of(context, at)?;
    let ends = [values.dim_min_val(0)?.to_small_int()?, values.dim_max_val(0)?.to_small_int()?];
    Ok(match ends {
        [Some(least), Some(most)] if most == least + 1 && value == least => Some(most),
        [Some(least), Some(most)] if most == least + 1 && value == most => Some(least),
        _ => None,
    })
}
