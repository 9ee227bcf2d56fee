//! What a warp runs in step.

use super::kernels::MappedStmt;
use crate::Result;
use farkas_poly::{DimType, Map, PwAff, Set, Val};

/// Where to look at a warp: the value that each loop around has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// Its first value.
    First,
    /// The one in the middle.
    Middle,
    /// Its last value.
    Last,
}

/// The instances of a statement that one warp runs in step.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// The values of the loops that all threads of a block are in together, the number of the warp within its block, and for each loop that threads
    /// run by themselves how far its value is from the thread's first one.
    pub at: Vec<i64>,
    /// From instances to threads of the warp.
    pub thread: Map,
    /// How many threads have an instance.
    pub n: usize,
}

impl MappedStmt {
    /// What a warp of so many threads runs in step at a spot, in a kernel with blocks of `threads`, for these values of the parameters; none where
    /// nothing runs there. Threads run the same iteration of a loop in step: the first of each, then the second; a loop that several statements share
    /// is looked at as if each had its own.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn lanes(
        &self,
        threads: [i64; 3],
        warp: u32,
        params: &[(String, i64)],
        spot: Spot,
    ) -> Result<Option<Lanes>> {
        let place = at_params(&self.place(threads)?.wrap()?, params)?.unwrap()?;
        let n_common = u32::try_from(self.common.len()).unwrap_or(u32::MAX);
        let in_warps = place.apply_range(&warps(&place.range()?, n_common, warp)?)?;
        let (mut left, mut at) = (in_warps.range()?, Vec::new());
        for dim in 0..=n_common {
            let Some(value) = chosen(&left, dim, spot)? else { return Ok(None) };
            left = left.fix_val(DimType::SET, dim, &Val::int(value)?)?;
            at.push(value);
        }
        let thread = in_warps.intersect_range(&left)?;
        let mut thread = thread.project_out(DimType::Out, 0, n_common + 1)?;
        for date in &self.own {
            let date = at_params(&date.to_map()?.wrap()?, params)?.unwrap()?;
            let iteration = iterations(&thread, &date)?;
            let Some(value) = chosen(&iteration.range()?, 0, spot)? else { return Ok(None) };
            let then = iteration.fix_val(DimType::Out, 0, &Val::int(value)?)?.domain()?;
            thread = thread.intersect_domain(&then)?;
            at.push(value);
        }
        let n = thread.range()?.points()?.len();
        Ok(Some(Lanes { at, thread, n }))
    }
}

/// From instances to how far their date in a loop is from the first one of their thread.
fn iterations(thread: &Map, date: &Map) -> Result<Map> {
    let first = thread.reverse()?.apply_range(date)?.lexmin()?;
    let both = date.flat_range_product(&thread.apply_range(&first)?)?;
    let difference: Map = "{ [date, first] -> [date - first] }".parse()?;
    both.apply_range(&difference)
}

/// From moments and threads of a block to moments, warps, and threads of these.
fn warps(places: &Set, n_common: u32, warp: u32) -> Result<Map> {
    let space = places.space()?;
    let number = PwAff::on_set(
        &Set::universe(&space)?,
        &farkas_poly::Aff::var_on_domain(&space, DimType::SET, n_common)?,
    )?;
    let warp = Val::int(i64::from(warp.max(1)))?;
    let own = number.scale_down_val(&warp)?.floor()?.to_map()?;
    let own = own.flat_range_product(&number.mod_val(&warp)?.to_map()?)?;
    let identity = Set::universe(&space)?.identity()?;
    let moments = identity.project_out(DimType::Out, n_common, 1)?;
    moments.flat_range_product(&own)
}

/// A set for these values of parameters.
pub(super) fn at_params(set: &Set, params: &[(String, i64)]) -> Result<Set> {
    let mut fixed = set.clone();
    for (name, value) in params {
        if let Some(at) = fixed.find_param(name) {
            fixed = fixed.fix_val(DimType::Param, at, &Val::int(*value)?)?;
        }
    }
    fixed.project_out_all_params()
}

/// A value of a dimension, where there is one.
fn chosen(set: &Set, dim: u32, spot: Spot) -> Result<Option<i64>> {
    let at = i32::try_from(dim).unwrap_or(i32::MAX);
    let ends = (set.dim_min_val(at)?.to_small_int()?, set.dim_max_val(at)?.to_small_int()?);
    let (Some(first), Some(last)) = ends else { return Ok(None) };
    Ok(match spot {
        Spot::First => Some(first),
        Spot::Last => Some(last),
        Spot::Middle => {
            let middle = first + (last - first) / 2;
            let above = set.lower_bound_val(DimType::SET, dim, &Val::int(middle)?)?;
            above.dim_min_val(at)?.to_small_int()?
        }
    })
}
