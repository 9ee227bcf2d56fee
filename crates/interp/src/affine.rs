//! Quasi-affine functions and sets at fixed parameter values, evaluated without isl where that is possible.

use crate::{Error, Params, Result};
use farkas_poly::{Aff, DimType, LinearRow, PwAff, Set, Val};

/// A quasi-affine expression of a point: `(constant + factors · x + Σ factor · floor(div)) / denominator`.
#[derive(Clone, Debug)]
struct Linear {
    constant: i128,
    factors: Vec<i128>,
    divs: Vec<(i128, Linear)>,
    denominator: i128,
}

/// A piecewise quasi-affine function at fixed parameter values.
#[derive(Clone, Debug)]
pub struct Function {
    pieces: Vec<(Points, Linear)>,
}

/// A set of points at fixed parameter values.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    pieces: Vec<Piece>,
}

/// A convex piece of a set.
#[derive(Clone, Debug)]
enum Piece {
    /// Rows `constant + factors · x`: those that are zero, those that are not negative.
    Rows(Vec<Linear>, Vec<Linear>),
    /// A set with integer divisions, asked through isl.
    Isl(Set),
}

/// `set` at the parameter values, without parameters.
///
/// # Errors
/// When a parameter has no value, or isl refuses.
pub(crate) fn at_params(set: &Set, params: &Params) -> Result<Set> {
    let mut fixed = set.clone();
    for (position, name) in (0..).zip(set.space()?.param_names()?) {
        fixed = fixed.fix_val(DimType::Param, position, &Val::int(params.value(&name)?)?)?;
    }
    Ok(fixed.project_out_all_params()?)
}

/// The points of a set at the parameter values.
///
/// # Errors
/// When there are more than `limit`, or the set is unbounded.
pub(crate) fn points(set: &Set, params: &Params, limit: usize) -> Result<Vec<Vec<i64>>> {
    let fixed = at_params(set, params)?;
    let mut points = Vec::new();
    for point in fixed.make_disjoint()?.points()? {
        if points.len() == limit {
            return Err(Error::TooManyInstances(limit));
        }
        points.push(point.coordinates(DimType::SET)?);
    }
    Ok(points)
}

impl Linear {
    /// The expression `aff` with the parameters' values folded into its constant.
    fn of_aff(aff: &Aff, params: &Params) -> Result<Self> {
        let denominator = aff.denominator_val()?;
        let scaled = |val: Val| -> Result<i128> { Ok(val.mul(&denominator)?.to_i64()?.into()) };
        let factor = |kind, at: u32| -> Result<i128> {
            scaled(aff.coefficient_val(kind, i32::try_from(at).unwrap_or(i32::MAX))?)
        };
        let mut constant = scaled(aff.constant_val()?)?;
        for (at, name) in (0..).zip(aff.domain_space()?.param_names()?) {
            let by = factor(DimType::Param, at)?;
            if by != 0 {
                constant += by * i128::from(params.value(&name)?);
            }
        }
        let factors =
            (0..aff.dim(DimType::In)?).map(|at| factor(DimType::In, at)).collect::<Result<_>>()?;
        let mut divs = Vec::new();
        for at in 0..aff.dim(DimType::Div)? {
            let by = factor(DimType::Div, at)?;
            if by != 0 {
                let div = aff.div(i32::try_from(at).unwrap_or(i32::MAX))?;
                divs.push((by, Self::of_aff(&div, params)?));
            }
        }
        Ok(Self { constant, factors, divs, denominator: denominator.to_i64()?.into() })
    }

    /// A constraint without divisions, with the parameters' values folded into its constant.
    fn of_row(row: &LinearRow, params: &[i64]) -> Self {
        let fixed = row.params.iter().zip(params).map(|(a, b)| i128::from(*a) * i128::from(*b));
        Self {
            constant: i128::from(row.constant) + fixed.sum::<i128>(),
            factors: row.dims.iter().map(|&f| f.into()).collect(),
            divs: Vec::new(),
            denominator: 1,
        }
    }

    /// The numerator at `point`.
    fn numerator(&self, point: &[i64]) -> i128 {
        let linear = self.factors.iter().zip(point).map(|(f, x)| f * i128::from(*x));
        let divs = self
            .divs
            .iter()
            .map(|(factor, div)| factor * div.numerator(point).div_euclid(div.denominator));
        self.constant + linear.sum::<i128>() + divs.sum::<i128>()
    }

    /// The value at `point`, if it is an integer that fits.
    fn value(&self, point: &[i64]) -> Option<i64> {
        let numerator = self.numerator(point);
        let exact = numerator % self.denominator == 0;
        exact.then(|| i64::try_from(numerator / self.denominator).ok()).flatten()
    }
}

impl Function {
    /// The function `f` at the parameter values.
    ///
    /// # Errors
    /// When a parameter has no value, or isl refuses.
    pub fn new(f: &PwAff, params: &Params) -> Result<Self> {
        let pieces = f
            .pieces()?
            .iter()
            .map(|(set, aff)| Ok((Points::new(set, params)?, Linear::of_aff(aff, params)?)))
            .collect::<Result<_>>()?;
        Ok(Self { pieces })
    }

    /// The value at `point`, if the function is defined there and an integer.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn value(&self, point: &[i64]) -> Result<Option<i64>> {
        for (set, linear) in &self.pieces {
            if set.contains(point)? {
                return Ok(linear.value(point));
            }
        }
        Ok(None)
    }
}

impl Points {
    /// The set `set` at the parameter values.
    pub(crate) fn new(set: &Set, params: &Params) -> Result<Self> {
        let mut pieces = Vec::new();
        for piece in set.basic_sets()? {
            if piece.dim(DimType::Div)? > 0 {
                pieces.push(Piece::Isl(at_params(&piece.to_set()?, params)?));
                continue;
            }
            let names = piece.space()?.param_names()?;
            let values: Vec<i64> = names.iter().map(|n| params.value(n)).collect::<Result<_>>()?;
            let rows = piece.constraints()?;
            let fold =
                |rows: &[LinearRow]| rows.iter().map(|r| Linear::of_row(r, &values)).collect();
            pieces.push(Piece::Rows(fold(&rows.equalities), fold(&rows.inequalities)));
        }
        Ok(Self { pieces })
    }

    /// Whether `point` is one of them.
    pub(crate) fn contains(&self, point: &[i64]) -> Result<bool> {
        for piece in &self.pieces {
            let inside = match piece {
                Piece::Rows(zero, not_negative) => {
                    zero.iter().all(|row| row.numerator(point) == 0)
                        && not_negative.iter().all(|row| row.numerator(point) >= 0)
                }
                Piece::Isl(set) => {
                    let mut here = set.clone();
                    for (at, &x) in (0..).zip(point) {
                        here = here.fix_val(DimType::SET, at, &Val::int(x)?)?;
                    }
                    !here.is_empty()?
                }
            };
            if inside {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(function: &str, n: i64, point: &[i64], expect: Option<i64>) {
        let params = Params::new([("n", n)]);
        let function = Function::new(&function.parse().expect("isl notation"), &params);
        assert_eq!(function.and_then(|f| f.value(point)), Ok(expect));
    }

    #[test]
    fn functions_have_isls_values() {
        check("[n] -> { S[i, j] -> [(2i - j + n)] }", 10, &[3, 4], Some(12));
        check("{ S[i] -> [(floor((i - 1)/4))] }", 0, &[0], Some(-1));
        check("{ S[i] -> [(i - 3*floor(i/3) + 2*floor((floor(i/2) + 1)/5))] }", 0, &[17], Some(4));
        check("{ S[i] -> [(i)] : i >= 5; S[i] -> [(-i)] : i < 5 }", 0, &[4], Some(-4));
        check("{ S[i] -> [(i)] : i mod 2 = 0 }", 0, &[4], Some(4));
        check("{ S[i] -> [(i)] : i mod 2 = 0 }", 0, &[5], None);
        check("{ S[i] -> [(i/2)] }", 0, &[5], None);
        check("{ S[] -> [(7)] }", 0, &[], Some(7));
    }

    #[test]
    fn sets_hold_isls_points() {
        let params = Params::new([("n", 4)]);
        let set: Set = "[n] -> { S[i, j] : 0 <= i < n and 0 <= j <= i and (i + j) mod 2 = 0 }"
            .parse()
            .expect("isl notation");
        let all = points(&set, &params, 100).expect("it is bounded");
        assert_eq!(all.len(), 6);
        let inside = Points::new(&set, &params).expect("it compiles");
        for i in -1..5 {
            for j in -1..5 {
                assert_eq!(inside.contains(&[i, j]), Ok(all.contains(&vec![i, j])));
            }
        }
        assert_eq!(points(&set, &params, 5), Err(Error::TooManyInstances(5)));
    }
}
