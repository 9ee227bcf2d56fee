//! Quasi-affine functions of an instance as integer rows.

use crate::Result;
use farkas_poly::{Aff, DimType, PwAff, Val};
use std::rc::Rc;

/// `linear + sum of factor * floor(numerator / denominator)`; rows are over dimensions, parameters, constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Form {
    pub(crate) linear: Vec<i64>,
    pub(crate) floors: Vec<Rc<Floor>>,
}

/// One rounded term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Floor {
    pub(crate) factor: i64,
    pub(crate) numerator: Vec<i64>,
    pub(crate) denominator: i64,
}

impl Form {
    /// The form of a function that is the same expression everywhere; `None` for others, for nested roundings, and for
    /// coefficients that are no integers.
    pub(crate) fn of(function: &PwAff) -> Result<Option<Self>> {
        let [(_, aff)] = &function.pieces()?[..] else { return Ok(None) };
        let Some(mut linear) = integer_row(aff)? else { return Ok(None) };
        let mut floors = Vec::new();
        for i in 0..aff.dim(DimType::Div)? {
            let at = i32::try_from(i).unwrap_or(i32::MAX);
            let Some(factor) = integer(&aff.coefficient_val(DimType::Div, at)?)? else {
                return Ok(None);
            };
            if factor == 0 {
                continue;
            }
            let inside = aff.div(at)?;
            let denominator = inside.denominator_val()?;
            let scaled = inside.scale_val(&denominator)?;
            if scaled.involves_dims(DimType::Div, 0, scaled.dim(DimType::Div)?)? {
                return Ok(None);
            }
            let (Some(numerator), Some(denominator)) =
                (integer_row(&scaled)?, integer(&denominator)?)
            else {
                return Ok(None);
            };
            floors.push(Floor { factor, numerator, denominator });
        }
        let floors = folded(&mut linear, floors);
        Ok(Some(Self { linear, floors: floors.into_iter().map(Rc::new).collect() }))
    }
}

impl Form {
    /// The same function less its constant; what is rounded stays as it is.
    pub(crate) fn without_constant(&self) -> Self {
        let mut form = self.clone();
        form.linear.last_mut().into_iter().for_each(|constant| *constant = 0);
        form
    }

    /// Whether all numbers are small enough for sums of products of them with one another to fit.
    pub(crate) fn is_small(&self) -> bool {
        let is_small = |c: &i64| i32::try_from(*c).is_ok();
        self.linear.iter().all(is_small)
            && self.floors.iter().all(|floor| {
                is_small(&floor.factor)
                    && is_small(&floor.denominator)
                    && floor.numerator.iter().all(is_small)
            })
    }

    /// Rows that determine the value: what is rounded, and what is not.
    pub(crate) fn rows(&self) -> Vec<Vec<i64>> {
        let rounded = self.floors.iter().map(|floor| floor.numerator.clone());
        rounded.chain([self.linear.clone()]).collect()
    }

    /// The row and the positive divisor of which the value is the quotient, rounded down; `None` where it is a sum with
    /// rounded terms.
    pub(crate) fn quotient(&self) -> Option<(&[i64], i64)> {
        match &self.floors[..] {
            [] => Some((&self.linear, 1)),
            [floor] if floor.factor == 1 && self.linear.iter().all(|&c| c == 0) => {
                Some((&floor.numerator, floor.denominator))
            }
            _ => None,
        }
    }
}

/// The rounded terms, the linear part moved into the one that there is where it is a multiple of its factor, so that
/// `t + floor(i / 2)` is again `floor((2 t + i) / 2)`.
fn folded(linear: &mut [i64], mut floors: Vec<Floor>) -> Vec<Floor> {
    if let [floor] = &mut floors[..]
        && linear.iter().all(|c| c % floor.factor == 0)
    {
        let moved = |(n, c): (&i64, &i64)| {
            (c / floor.factor).checked_mul(floor.denominator)?.checked_add(*n)
        };
        let numerator: Option<Vec<i64>> =
            floor.numerator.iter().zip(linear.iter()).map(moved).collect();
        if let Some(numerator) = numerator {
            floor.numerator = numerator;
            linear.fill(0);
        }
    }
    floors
}

/// The coefficients of dimensions, parameters and the constant, where all are integers.
fn integer_row(aff: &Aff) -> Result<Option<Vec<i64>>> {
    let mut row = Vec::new();
    for kind in [DimType::In, DimType::Param] {
        for i in 0..aff.dim(kind)? {
            let at = i32::try_from(i).unwrap_or(i32::MAX);
            let Some(value) = integer(&aff.coefficient_val(kind, at)?)? else { return Ok(None) };
            row.push(value);
        }
    }
    let Some(value) = integer(&aff.constant_val()?)? else { return Ok(None) };
    row.push(value);
    Ok(Some(row))
}

/// The value as a machine integer, where it is one.
fn integer(value: &Val) -> Result<Option<i64>> {
    match value.to_i64() {
        Ok(value) => Ok(Some(value)),
        Err(farkas_poly::Error::Overflow { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
