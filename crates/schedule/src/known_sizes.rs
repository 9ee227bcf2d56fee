//! Sizes that are known count as parameters: what rows may be does not hang on how long the loops happen to be.
//!
//! Where the program or its context says that a loop has 64 iterations, the row `64 i + j` is legal, and `w = 63` bounds a
//! dependence that walks through the whole loop. Neither is good for anything; with a parameter instead of 64 there is no
//! such row, and the bound needs a `u`. So each constant of a dependence that is a size, up to a few iterations at its
//! ends, is replaced by a variable of which nothing is known but that it is at least as large. That holds for more pairs,
//! never for fewer: a form that is not negative for all sizes is so for the one that is known.

use crate::Result;
use farkas_poly::LinearRow;
use farkas_scop::Scop;

/// Smaller constants are distances, widths of stencils, numbers of channels: they stay.
const LEAST: i64 = 8;
/// More sizes than this stay numbers.
const MAX_SIZES: usize = 12;
/// Constants are looked for among the multiples of sizes up to this one.
const MAX_FACTOR: i64 = 8;
/// So far from a size, a constant may stand for its end; of a small size, an eighth of it.
const MAX_REST: i64 = 8;

/// The sizes of the loops of a scop that are known, as far as they are large.
///
/// **Paper** none; Pluto and isl see known sizes as numbers, and bound coefficients instead (`schedule_max_coefficient`,
/// `schedule_treat_coalescing`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct KnownSizes {
    values: Vec<i64>,
}

/// A constant over sizes: `factors . sizes + rest`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OverSizes {
    /// The factor of each size.
    pub(crate) factors: Vec<i64>,
    /// What is left.
    pub(crate) rest: i64,
}

impl KnownSizes {
    /// The sizes in the domains and the context of `scop`: values of parameters; upper bounds of single iterators that are
    /// no sum of those; bounds of sums of iterators that no size makes up. Of several that are close to one another, the
    /// largest stands for all.
    pub(crate) fn of(scop: &Scop) -> Result<Self> {
        let mut bounds = Vec::new();
        for stmt in scop.stmts().ids() {
            for piece in scop.domain_of(stmt)?.basic_sets()? {
                let constraints = piece.constraints()?;
                let values =
                    constraints.equalities.iter().map(|row| (row, row.constant.checked_abs()));
                let uppers = constraints.inequalities.iter().map(|row| (row, upper_bound(row)));
                let large = |(row, value): (&LinearRow, Option<i64>)| {
                    Some((Bounded::by(row)?, value.filter(|&value| value >= LEAST)?))
                };
                bounds.extend(values.chain(uppers).filter_map(large));
            }
        }
        bounds.sort_unstable_by_key(|&(bounded, value)| (bounded, std::cmp::Reverse(value)));
        let mut found = Self::default();
        let mut of_params = Self::default();
        for (bounded, value) in bounds {
            let is_known = found.nearest(1, value).is_some()
                || match bounded {
                    Bounded::Param => false,
                    Bounded::Iterator => of_params.split(value).is_some(),
                    Bounded::Sum => found.split(value).is_some(),
                };
            if is_known || found.values.len() >= MAX_SIZES {
                continue;
            }
            found.values.push(value);
            if bounded == Bounded::Param {
                of_params.values.push(value);
            }
        }
        Ok(found)
    }

    /// The sizes.
    pub(crate) fn values(&self) -> &[i64] {
        &self.values
    }

    /// The constant over the sizes; the constant itself where it is small or none of theirs.
    pub(crate) fn over_sizes(&self, constant: i64) -> OverSizes {
        let large = constant.checked_abs().filter(|&magnitude| magnitude >= LEAST);
        let Some(found) = large.and_then(|magnitude| self.split(magnitude)) else {
            return self.terms(&[], constant);
        };
        let sign = constant.signum();
        let factors = found.factors.iter().map(|factor| sign * factor).collect();
        OverSizes { factors, rest: sign * found.rest }
    }

    /// A size or twice a size, the sum or the difference of two, a small multiple of one: the first of these that is close to
    /// `value`.
    fn split(&self, value: i64) -> Option<OverSizes> {
        let sizes = || self.values.iter().copied().enumerate();
        let mut pairs = [1, -1].into_iter().flat_map(|sign| sizes().map(move |size| (sign, size)));
        let of_two = |(sign, (first, size)): (i64, (usize, i64))| {
            // What the other size must be close to.
            let other = value.checked_sub(size)?.checked_mul(sign)?;
            let (second, rest) = self.nearest(1, other)?;
            let terms = [(first, 1), (second, sign)];
            (first != second).then(|| self.terms(&terms, sign * rest))
        };
        let multiple = |factor: i64| {
            let (at, rest) = self.nearest(factor, value)?;
            Some(self.terms(&[(at, factor)], rest))
        };
        (1..=2)
            .find_map(multiple)
            .or_else(|| pairs.find_map(of_two))
            .or_else(|| (3..=MAX_FACTOR).find_map(multiple))
    }

    /// These sizes with factors, and what is left.
    fn terms(&self, terms: &[(usize, i64)], rest: i64) -> OverSizes {
        let mut factors = vec![0; self.values.len()];
        terms.iter().for_each(|&(at, factor)| factors[at] += factor);
        OverSizes { factors, rest }
    }

    /// The size whose product with `factor` is closest to `value`, if it is close, and what is left.
    fn nearest(&self, factor: i64, value: i64) -> Option<(usize, i64)> {
        let rest = |size: i64| value.checked_sub(size.checked_mul(factor)?);
        let close = |(at, &size): (usize, &i64)| {
            let rest = rest(size)
                .filter(|rest| rest.checked_abs().is_some_and(|r| r <= MAX_REST.min(size / 8)))?;
            Some((at, rest))
        };
        self.values.iter().enumerate().filter_map(close).min_by_key(|(_, rest)| rest.abs())
    }
}

/// The constant of an inequality that bounds something from above.
fn upper_bound(row: &LinearRow) -> Option<i64> {
    let bounds_above = row.params.iter().chain(&row.dims).any(|&factor| factor < 0);
    bounds_above.then_some(row.constant)
}

/// What a constraint bounds, or gives a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Bounded {
    /// A parameter.
    Param,
    /// An iterator.
    Iterator,
    /// A sum or difference of several.
    Sum,
}

impl Bounded {
    /// What `row` bounds; `None` where something has another factor than one.
    fn by(row: &LinearRow) -> Option<Self> {
        let is_plain = |factors: &[i64]| factors.iter().all(|factor| matches!(factor, -1..=1));
        if row.divs.iter().any(|&factor| factor != 0)
            || !is_plain(&row.params)
            || !is_plain(&row.dims)
        {
            return None;
        }
        let count = |factors: &[i64]| factors.iter().filter(|&&factor| factor != 0).count();
        match (count(&row.params), count(&row.dims)) {
            (0, 0) => None,
            (1, 0) => Some(Self::Param),
            (0, 1) => Some(Self::Iterator),
            _ => Some(Self::Sum),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KnownSizes;

    /// `constant` over sizes 1000, 640 and 20.
    fn over_sizes(constant: i64) -> ([i64; 3], i64) {
        let found = KnownSizes { values: vec![1000, 640, 20] }.over_sizes(constant);
        (found.factors.try_into().unwrap(), found.rest)
    }

    #[test]
    fn ends_of_loops_are_those_of_sizes() {
        assert_eq!(over_sizes(1000), ([1, 0, 0], 0));
        assert_eq!(over_sizes(997), ([1, 0, 0], -3));
        assert_eq!(over_sizes(-998), ([-1, 0, 0], 2));
        assert_eq!(over_sizes(21), ([0, 0, 1], 1));
        assert_eq!(over_sizes(23), ([0, 0, 0], 23));
        assert_eq!(over_sizes(980), ([1, 0, -1], 0));
    }

    #[test]
    fn so_are_those_of_skewed_and_of_strided_loops() {
        assert_eq!(over_sizes(1998), ([2, 0, 0], -2));
        assert_eq!(over_sizes(1638), ([1, 1, 0], -2));
        assert_eq!(over_sizes(-361), ([-1, 1, 0], -1));
        assert_eq!(over_sizes(1921), ([0, 3, 0], 1));
    }

    #[test]
    fn small_and_strange_constants_stay() {
        for constant in [0, 1, -7, 7, 300, -5555, i64::MAX, i64::MIN] {
            assert_eq!(over_sizes(constant), ([0; 3], constant));
        }
        assert_eq!(KnownSizes::default().over_sizes(64).rest, 64);
    }
}
