//! Bounds of loops as the constraints on a statement's instances say them. isl computes nothing for it.

use crate::{Affine, Result};
use farkas_poly::{DimType, LinearRow, Set};
use farkas_tree::Member;
use std::collections::BTreeMap;

/// The constraints on the instances of a statement, as functions of the dates of its loops that are never negative.
#[derive(Clone, Debug)]
pub struct Bounds {
    rows: Vec<Affine>,
}

impl Bounds {
    /// Those of instances of one statement in these loops, outermost first; `None` where the instances are no convex set, where some constraint has
    /// divisions, and where a loop does not count an iterator of its own, each value or each negative one.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn of(instances: &Set, loops: &[Member]) -> Result<Option<Self>> {
        let pieces = instances.basic_sets()?;
        let [piece] = pieces.as_slice() else { return Ok(None) };
        let space = instances.space()?;
        let mut values = vec![None; instances.dim(DimType::SET)? as usize];
        for (at, member) in loops.iter().enumerate() {
            let date = Affine::of(&member.schedule.extract_pw_aff(&space)?)?;
            let Some((iterator, value)) = date.and_then(|date| value(&date, at, loops.len()))
            else {
                return Ok(None);
            };
            if values[iterator].replace(value).is_some() {
                return Ok(None);
            }
        }
        let names = space.param_names()?;
        let constraints = piece.constraints()?;
        let equalities = constraints.equalities.iter().flat_map(|row| [(row, 1), (row, -1)]);
        let rows = equalities.chain(constraints.inequalities.iter().map(|row| (row, 1)));
        let rows: Option<Vec<Affine>> =
            rows.map(|(row, sign)| by_dates(row, sign, &names, &values, loops.len())).collect();
        Ok(rows.map(|rows| Self { rows }))
    }

    /// What bounds a loop, from below or above, by the loops around it and parameters.
    pub fn of_loop(&self, at: usize) -> impl Iterator<Item = &Affine> {
        self.rows.iter().filter(move |row| {
            row.involves(at) && row.dims.iter().skip(at + 1).all(|factor| *factor == 0)
        })
    }

    /// What says of the `n` outermost loops when any of the others run.
    pub fn around(&self, n: usize) -> impl Iterator<Item = &Affine> {
        self.rows.iter().filter(move |row| row.dims.iter().skip(n).all(|factor| *factor == 0))
    }

    /// The two bounds of a loop that are the least number apart, and that number: the loop never has more iterations than one more. `None` where no two
    /// are a number apart.
    pub fn nearest(&self, at: usize) -> Option<(&Affine, &Affine, i64)> {
        let factor = |row: &Affine| row.dims[at];
        let lower = self.of_loop(at).filter(|row| factor(row) == 1);
        let pairs = lower.flat_map(|low| {
            let upper = self.of_loop(at).filter(|row| factor(row) == -1);
            upper.filter_map(move |high| Some((low, high, distance(low, high)?)))
        });
        pairs.min_by_key(|(.., distance)| *distance)
    }

    /// How many iterations a loop has whenever it has any; `None` where that depends on parameters, on the loops around it, or on those inside.
    pub fn iterations(&self, at: usize) -> Option<i64> {
        let (low, high, distance) = self.nearest(at)?;
        let is_alone = self.rows.iter().all(|row| row == low || row == high || !row.involves(at));
        is_alone.then_some(distance + 1)
    }
}

/// The iterator that a date counts, and its value as a function of all dates, of which this is number `at`.
fn value(date: &Affine, at: usize, n_dates: usize) -> Option<(usize, Affine)> {
    let mut moving = (0..).zip(&date.dims).filter(|(_, factor)| **factor != 0);
    let ((iterator, sign @ (1 | -1)), None) = (moving.next()?, moving.next()) else { return None };
    let mut dims = vec![0; n_dates];
    dims[at] = *sign;
    let params =
        date.params.iter().map(|(name, factor)| Some((name.clone(), factor.checked_mul(-sign)?)));
    let params = params.collect::<Option<_>>()?;
    Some((iterator, Affine { dims, params, constant: date.constant.checked_mul(-sign)? }))
}

/// A constraint, times a number, with the values of iterators put in their place; `None` where it has divisions, an iterator without a value, or
/// numbers that do not fit.
fn by_dates(
    row: &LinearRow,
    sign: i64,
    names: &[String],
    values: &[Option<Affine>],
    n_dates: usize,
) -> Option<Affine> {
    if row.divs.iter().any(|factor| *factor != 0) {
        return None;
    }
    let params = names.iter().cloned().zip(row.params.iter().copied());
    let params = params.filter(|(_, factor)| *factor != 0).collect();
    let own = Affine { dims: vec![0; n_dates], params, constant: row.constant };
    let none = Affine { dims: vec![0; n_dates], params: BTreeMap::new(), constant: 0 };
    let mut sum = plus(&none, &own, sign)?;
    for (factor, value) in row.dims.iter().zip(values).filter(|(factor, _)| **factor != 0) {
        sum = plus(&sum, value.as_ref()?, factor.checked_mul(sign)?)?;
    }
    Some(sum)
}

/// One function and `factor` times another.
fn plus(one: &Affine, other: &Affine, factor: i64) -> Option<Affine> {
    let add = |a: i64, b: i64| a.checked_add(b.checked_mul(factor)?);
    let dims = one.dims.iter().zip(&other.dims).map(|(a, b)| add(*a, *b));
    let mut params: BTreeMap<String, i64> = one.params.clone();
    for (name, value) in &other.params {
        let sum = params.entry(name.clone()).or_default();
        *sum = add(*sum, *value)?;
    }
    params.retain(|_, value| *value != 0);
    Some(Affine {
        dims: dims.collect::<Option<_>>()?,
        params,
        constant: add(one.constant, other.constant)?,
    })
}

/// How far apart two bounds are that are never negative, if that is a number which is not negative.
fn distance(low: &Affine, high: &Affine) -> Option<i64> {
    let sum = plus(low, high, 1)?;
    let is_number = sum.params.is_empty() && sum.dims.iter().all(|factor| *factor == 0);
    (is_number && sum.constant >= 0).then_some(sum.constant)
}

impl Affine {
    /// The function less another one of the same dimensions; `None` where a number does not fit.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        plus(self, other, -1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farkas_poly::UnionSet;

    /// The bounds of the instances of one statement in loops that are functions of them.
    fn bounds(instances: &str, loops: &[&str]) -> Option<Bounds> {
        let instances: UnionSet = instances.parse().expect("a set");
        let member = |text: &&str| Member::new(text.parse().expect("a function"), false);
        let loops: Vec<Member> = loops.iter().map(member).collect();
        Bounds::of(&instances.sets().expect("sets")[0], &loops).expect("no refusal of isl's")
    }

    const WINDOW: &str = "[n] -> { S[x, k] : 0 <= x < n and 0 <= k <= 2 and 0 < 2x + k <= n }";

    #[test]
    fn a_window_has_bounds_a_number_apart() {
        let found = bounds(WINDOW, &["{ S[x, k] -> [(x)] }", "{ S[x, k] -> [(k)] }"]);
        let found = found.expect("bounds");
        assert_eq!(found.nearest(1).map(|(.., distance)| distance), Some(2));
        assert_eq!(found.of_loop(1).count(), 4);
        assert_eq!((found.nearest(0).is_none(), found.around(1).count()), (true, 2));
        assert_eq!(found.iterations(1), None, "the border cuts it off");
    }

    #[test]
    fn a_whole_window_has_always_as_many_iterations() {
        let whole = "[n] -> { S[x, k] : 0 <= x < n and -1 <= x + k <= 1 }";
        let found = bounds(whole, &["{ S[x, k] -> [(1 - x)] }", "{ S[x, k] -> [(k + 5)] }"]);
        let found = found.expect("bounds");
        assert_eq!(found.iterations(1), Some(3));
        let (low, high, _) = found.nearest(1).expect("bounds a number apart");
        // k + 5 >= 4 - x, and x is 1 - $1.
        assert_eq!((&low.dims, low.constant), (&vec![-1, 1], -3));
        assert_eq!((&high.dims, high.constant), (&vec![1, -1], 5));
    }

    #[test]
    fn what_is_no_box_of_own_iterators_has_none() {
        let skewed = ["{ S[x, k] -> [(x + k)] }", "{ S[x, k] -> [(k)] }"];
        assert!(bounds(WINDOW, &skewed).is_none(), "a loop over two iterators");
        let twice = ["{ S[x, k] -> [(x)] }", "{ S[x, k] -> [(x)] }"];
        assert!(bounds(WINDOW, &twice).is_none(), "an iterator without a loop");
        let union = "{ S[x] : 0 <= x <= 3 or 7 <= x <= 9 }";
        assert!(bounds(union, &["{ S[x] -> [(x)] }"]).is_none(), "no convex set");
        let strided = "{ S[x] : 0 <= x <= 30 and x mod 3 = 0 }";
        assert!(bounds(strided, &["{ S[x] -> [(x)] }"]).is_none(), "divisions");
    }
}
