//! How far an access moves in memory, where sizes may be parameters.

use farkas_poly::{DimType, PwAff, Result};
use farkas_scop::Array;
use std::cmp::Ordering;

/// A number of elements that sizes make, as a polynomial in which all sizes are one symbol, larger than any number: `4 n m + n + 2` is
/// four times its square, itself, and two. Names do not matter to it. The factors are listed from that without a size on, and the last is
/// not zero.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Distance(Vec<i64>);

impl Distance {
    /// The product of some sizes.
    pub(crate) fn power(n: usize) -> Self {
        Self([vec![0; n], vec![1]].concat())
    }

    /// The sum of two.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let at = |factors: &[i64], degree: usize| factors.get(degree).copied().unwrap_or(0);
        let n = self.0.len().max(other.0.len());
        let sum = (0..n).map(|degree| at(&self.0, degree).saturating_add(at(&other.0, degree)));
        Self::of(sum.collect())
    }

    /// The distance in the other direction.
    fn negated(&self) -> Self {
        Self(self.0.iter().map(|factor| factor.saturating_neg()).collect())
    }

    /// Its length.
    pub(crate) fn length(&self) -> Self {
        if self.is_backward() { self.negated() } else { self.clone() }
    }

    /// Whether it leads back.
    pub(crate) fn is_backward(&self) -> bool {
        self.0.last().is_some_and(|factor| *factor < 0)
    }

    /// How far an access moves that moves this far in each dimension.
    pub(crate) fn of_moves(array: &Array, moves: &[i64]) -> Result<Self> {
        let mut distance = Self::default();
        // How far elements are apart that follow one another in a dimension.
        let mut row = Self(vec![1]);
        for (at, by) in moves.iter().enumerate().rev() {
            distance = distance.plus(&row.times(&[*by]));
            row = row.times(&extent(array.extents.get(at).and_then(Option::as_ref))?);
        }
        Ok(distance)
    }

    /// The product with another polynomial.
    fn times(&self, factors: &[i64]) -> Self {
        let mut product = vec![0; self.0.len() + factors.len()];
        for (m, a) in self.0.iter().enumerate() {
            for (n, b) in factors.iter().enumerate() {
                product[m + n] = a.saturating_mul(*b).saturating_add(product[m + n]);
            }
        }
        Self::of(product)
    }

    /// The polynomial of factors, of which the last may be zero.
    fn of(mut factors: Vec<i64>) -> Self {
        while factors.last() == Some(&0) {
            factors.pop();
        }
        Self(factors)
    }
}

/// The number of elements in a dimension as a polynomial: a number, or what parameters add up to. What is not known is a size like
/// another.
fn extent(extent: Option<&PwAff>) -> Result<Vec<i64>> {
    let symbol = vec![0, 1];
    let Some(extent) = extent else { return Ok(symbol) };
    let pieces = extent.pieces()?;
    let [(_, value)] = pieces.as_slice() else { return Ok(symbol) };
    let (Some(constant), mut of_sizes) = (value.constant_val()?.to_small_int()?, 0_i64) else {
        return Ok(symbol);
    };
    for at in (0..).take(value.dim(DimType::Param)? as usize) {
        let factor = value.coefficient_val(DimType::Param, at)?.to_small_int()?;
        of_sizes = of_sizes.saturating_add(factor.unwrap_or(1));
    }
    Ok(vec![constant, of_sizes])
}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Distance {
    /// That of the lengths: by the highest power of sizes, then the others.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_size = self.0.len().cmp(&other.0.len());
        by_size.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::Distance;

    #[test]
    fn sizes_are_larger_than_numbers() {
        let [number, size] = [vec![1000], vec![0, 1]].map(Distance::of);
        assert!(number < size && size < size.plus(&number));
        assert!(size.plus(&number) < size.times(&[0, 1]));
        assert!(size.negated().is_backward() && size.negated().length() == size);
        assert_eq!(size.plus(&size.negated()), Distance::default());
    }
}
