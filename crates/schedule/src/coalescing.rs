//! What keeps a strategy from coalescing loops: rows such as `100 i + j` where `j` has no more than 100 values.

use crate::Result;
use crate::span::Span;
use farkas_poly::{Constraints, DimType, Map, Set};

/// What is known of the loops of a statement.
///
/// **Paper** none; isl's `compute_sizes` and `compute_max_coefficient`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LoopSizes {
    /// For each iterator, whether the others determine it, so that no row uses it.
    pub(crate) is_fixed: Vec<bool>,
    /// For each iterator, the largest magnitude of its coefficient that coalesces nothing; `None` where there is none.
    pub(crate) max_coefficient: Vec<Option<i64>>,
}

impl LoopSizes {
    /// Nothing known of `n_dims` iterators.
    pub(crate) fn unknown(n_dims: usize) -> Self {
        Self { is_fixed: vec![false; n_dims], max_coefficient: vec![None; n_dims] }
    }

    /// Whether some iterators are not to be used.
    pub(crate) fn has_fixed(&self) -> bool {
        self.is_fixed.contains(&true)
    }

    /// The sizes of the loops of `domain`, whose affine equalities have these coefficients of iterators.
    ///
    /// Iterators that an equality gives are set aside first, the inner ones. If one of the others is an integer function
    /// of the rest (as `j` is where `2j <= i <= 2j + 1`), rows use the rest alone: a row over all, such as `i - 2j`, may be
    /// new and yet tell no instances apart.
    ///
    /// **Formulation** the size of `j` is the largest `j' - j` over two instances that agree in all others; the magnitude
    /// of the coefficient of an iterator is at most half the size, rounded up, of every other.
    pub(crate) fn of(domain: &Set, equalities: &[Vec<i64>]) -> Result<Self> {
        let n_dims = domain.dim(DimType::SET)? as usize;
        let mut loops: Vec<usize> = (0..n_dims).collect();
        for dim in given_by(equalities, n_dims) {
            loops.retain(|&other| other != dim);
        }
        let n_free = loops.len();
        let sizes = loop {
            let sizes = sizes(domain, &loops)?;
            match sizes.iter().position(|size| *size == Some(0)) {
                Some(fixed) => loops.remove(fixed),
                None => break sizes,
            };
        };
        let has_fixed = loops.len() < n_free;
        let mut found = Self::unknown(n_dims);
        for (dim, is_fixed) in found.is_fixed.iter_mut().enumerate() {
            *is_fixed = has_fixed && !loops.contains(&dim);
        }
        for (&dim, max) in loops.iter().zip(max_coefficients(&sizes)) {
            found.max_coefficient[dim] = max;
        }
        Ok(found)
    }

    /// The same as far as plain bounds of single iterators tell; nothing is fixed.
    pub(crate) fn of_bounds(domain: &Set) -> Result<Self> {
        let n_dims = domain.dim(DimType::SET)? as usize;
        let mut all: Option<Vec<Bounds>> = None;
        for piece in domain.basic_sets()? {
            let own = bounds(&piece.constraints()?, n_dims);
            all = Some(match all {
                None => own,
                Some(others) => others.into_iter().zip(own).map(|(a, b)| a.hull(b)).collect(),
            });
        }
        let sizes: Vec<_> = all.unwrap_or_default().iter().map(Bounds::size).collect();
        let mut found = Self::unknown(n_dims);
        // An iterator with one value is no loop that could be coalesced.
        let sizes: Vec<_> = sizes.into_iter().map(|size| size.filter(|&size| size > 0)).collect();
        if sizes.len() == n_dims {
            found.max_coefficient = max_coefficients(&sizes);
        }
        Ok(found)
    }
}

/// For each loop the largest magnitude of its coefficient, by the sizes of the others.
fn max_coefficients(sizes: &[Option<i64>]) -> Vec<Option<i64>> {
    let max = |at: usize| {
        let others = sizes.iter().enumerate().filter(|(other, _)| *other != at);
        others.filter_map(|(_, size)| *size).min().map(|size| size / 2 + size % 2)
    };
    (0..sizes.len()).map(max).collect()
}

/// The least and the largest value of an iterator, where they are known.
#[derive(Clone, Copy, Default)]
struct Bounds {
    lower: Option<i64>,
    upper: Option<i64>,
}

impl Bounds {
    /// What bounds the values of both.
    fn hull(self, other: Self) -> Self {
        let lower = self.lower.zip(other.lower).map(|(a, b)| a.min(b));
        let upper = self.upper.zip(other.upper).map(|(a, b)| a.max(b));
        Self { lower, upper }
    }

    /// The distance between them.
    fn size(&self) -> Option<i64> {
        self.upper?.checked_sub(self.lower?)
    }
}

/// The bounds of each of `n_dims` iterators by constraints on that iterator alone.
fn bounds(constraints: &Constraints, n_dims: usize) -> Vec<Bounds> {
    let mut found = vec![Bounds::default(); n_dims];
    let equalities = constraints.equalities.iter().map(|row| (row, true));
    for (row, is_equal) in equalities.chain(constraints.inequalities.iter().map(|row| (row, false)))
    {
        let mut factors = row.dims.iter().enumerate().filter(|(_, factor)| **factor != 0);
        let outer = row.params.iter().chain(&row.divs);
        let (Some((dim, &factor)), None) = (factors.next(), factors.next()) else { continue };
        if outer.into_iter().any(|&other| other != 0) || !matches!(factor, -1 | 1) {
            continue;
        }
        let (bounds, value) = (&mut found[dim], row.constant.saturating_mul(-factor));
        if is_equal || factor > 0 {
            bounds.lower = Some(bounds.lower.map_or(value, |lower| lower.max(value)));
        }
        if is_equal || factor < 0 {
            bounds.upper = Some(bounds.upper.map_or(value, |upper| upper.min(value)));
        }
    }
    found
}

/// The innermost iterators that equalities with these coefficients give in terms of the others.
fn given_by(equalities: &[Vec<i64>], n_dims: usize) -> Vec<usize> {
    let mut span = Span::new(n_dims);
    for row in equalities {
        let reversed: Vec<i64> = row.iter().rev().copied().collect();
        span.insert(&reversed);
    }
    span.pivots().map(|pivot| n_dims - 1 - pivot).collect()
}

/// For each of `loops` its size in the projection of `domain` on them; `None` where it is not bounded by a number.
fn sizes(domain: &Set, loops: &[usize]) -> Result<Vec<Option<i64>>> {
    let mut projected = domain.clone();
    for dim in (0..domain.dim(DimType::SET)?).rev() {
        if !loops.contains(&(dim as usize)) {
            projected = projected.project_out(DimType::SET, dim, 1)?;
        }
    }
    // One convex set: what bounds its pieces need not bound all.
    let hull = projected.simple_hull()?.to_set()?.reset_tuple_id()?;
    let positions: Vec<i32> = (0..).take(loops.len()).collect();
    let size = |&at: &i32| -> Result<Option<i64>> {
        let mut pairs = Map::from_domain_and_range(&hull, &hull)?;
        for &other in positions.iter().filter(|&&other| other != at) {
            pairs = pairs.equate(DimType::In, other, DimType::Out, other)?;
        }
        Ok(pairs.deltas()?.dim_max_val(at)?.to_small_int()?)
    };
    positions.iter().map(size).collect()
}

#[cfg(test)]
mod tests {
    use super::LoopSizes;
    use farkas_poly::Set;

    fn sizes(text: &str) -> LoopSizes {
        let domain: Set = text.parse().unwrap();
        let hull = domain.affine_hull().unwrap().constraints().unwrap();
        let affine = hull.equalities.iter().filter(|row| row.divs.iter().all(|&c| c == 0));
        let equalities: Vec<Vec<i64>> = affine.map(|row| row.dims.clone()).collect();
        LoopSizes::of(&domain, &equalities).unwrap()
    }

    #[test]
    fn coefficients_are_at_most_half_of_the_other_loops() {
        let found = sizes("[n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < 8 and 0 <= k < 100 }");
        assert_eq!(found.max_coefficient, [Some(4), Some(50), Some(4)]);
        assert_eq!(found.is_fixed, [false; 3]);
        let found = sizes("[n] -> { S[i, j] : 0 <= i < n and 0 <= j <= i }");
        assert_eq!(found, LoopSizes::unknown(2));
        assert_eq!(sizes("{ S[] }"), LoopSizes::unknown(0));
    }

    #[test]
    fn plain_bounds_tell_most_sizes() {
        let found = |text: &str| LoopSizes::of_bounds(&text.parse().unwrap()).unwrap();
        let sizes = found("[n] -> { S[i, j, k] : 0 <= i < n and 0 <= j < 8 and 0 <= k < 100 }");
        assert_eq!(sizes.max_coefficient, [Some(4), Some(50), Some(4)]);
        let pieces = "{ S[i, j] : 0 <= j < 4 and 0 <= i < 20; S[i, j] : 6 <= j < 8 and i = 30 }";
        assert_eq!(found(pieces).max_coefficient, [Some(4), Some(15)]);
        assert_eq!(found("{ S[i, j] : 0 <= i < 9 and j = 3 }").max_coefficient, [None, Some(4)]);
        assert_eq!(found("{ S[i, j] : 0 <= i < 9 and j >= i }"), {
            LoopSizes { max_coefficient: vec![None, Some(4)], ..LoopSizes::unknown(2) }
        });
        assert_eq!(found("{ S[i, j] : false }"), LoopSizes::unknown(2));
        assert_eq!(found("{ S[] }"), LoopSizes::unknown(0));
    }

    #[test]
    fn integer_functions_of_the_others_are_fixed() {
        let fixed = |text: &str| sizes(text).is_fixed;
        assert_eq!(fixed("{ S[i, j] : 0 <= i <= 9 and j = floor(i/2) }"), [false, true]);
        assert_eq!(fixed("[m] -> { S[i, j] : 0 <= i < m and m <= 2j <= m + 1 }"), [false, true]);
        let chain = "{ S[i, j, k] : 0 <= i <= 9 and j = floor(i/2) and k = floor(j/2) }";
        assert_eq!(fixed(chain), [false, true, true]);
        assert_eq!(fixed("{ S[i, j] : j >= 0 and i >= 10j and i <= j + 9 }"), [false, true]);
        assert_eq!(fixed("{ S[i, t] : 0 <= i < 100 and 32t <= i <= 32t + 31 }"), [false, true]);
    }

    #[test]
    fn equalities_alone_fix_nothing() {
        let found = sizes("{ S[i, j, k] : 0 <= i <= 9 and j = i + 1 and 0 <= k <= 3 }");
        assert_eq!(found.is_fixed, [false; 3]);
        assert_eq!(found.max_coefficient, [Some(2), None, Some(5)]);
        let with = "{ S[i, j, k] : 0 <= i <= 9 and j = i + 1 and k = floor(i/2) }";
        assert_eq!(sizes(with).is_fixed, [false, true, true]);
    }
}
