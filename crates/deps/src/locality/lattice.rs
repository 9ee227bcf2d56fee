//! The least positive distance of a lattice.

/// The order of distances: the first coordinates are compared, then a tie is decided.
pub(super) struct Lattice {
    /// How many coordinates are compared.
    pub(super) n_compared: usize,
    /// Whether a distance that is zero in them is one of a source before its sink.
    pub(super) is_tie_before: bool,
}

/// A distance, and the basis vectors that may still be added to it.
pub(super) type Least<'a> = (Vec<i64>, &'a [(usize, Vec<i64>)]);

impl Lattice {
    /// The least distance of a source before its sink among `distance` plus the integer combinations of `echelon`, vectors
    /// with the positions of their first coordinates that are not zero, ascending; `None` within where there is none, and
    /// outside on overflow.
    pub(super) fn least<'a>(
        &self,
        mut distance: Vec<i64>,
        echelon: &'a [(usize, Vec<i64>)],
    ) -> Option<Option<Least<'a>>> {
        let first = echelon.first().filter(|(pivot, _)| *pivot < self.n_compared);
        let decided = first.map_or(self.n_compared, |(pivot, _)| *pivot);
        let is_before = distance[..decided].iter().find(|&&c| c != 0).map(|&c| c > 0);
        let Some((pivot, vector)) = first.filter(|_| is_before.is_none()) else {
            return Some(is_before.unwrap_or(self.is_tie_before).then_some((distance, echelon)));
        };
        let rest = &echelon[1..];
        let factor = distance[*pivot].div_euclid(vector[*pivot]).checked_neg()?;
        add_multiple(&mut distance, factor, vector)?;
        if distance[*pivot] == 0 {
            if let Some(least) = self.least(distance.clone(), rest)? {
                return Some(Some(least));
            }
            add_multiple(&mut distance, 1, vector)?;
        }
        Some(Some((distance, rest)))
    }
}

/// Adds `factor` times `vector`.
fn add_multiple(to: &mut [i64], factor: i64, vector: &[i64]) -> Option<()> {
    for (entry, c) in to.iter_mut().zip(vector) {
        *entry = factor.checked_mul(*c).and_then(|product| entry.checked_add(product))?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::Lattice;

    /// The least distance among these, and how many vectors are left.
    fn least(
        n_compared: usize,
        tie: bool,
        distance: &[i64],
        basis: &[&[i64]],
    ) -> Option<(Vec<i64>, usize)> {
        let pivot = |v: &[i64]| v.iter().position(|&c| c != 0).unwrap();
        let echelon: Vec<(usize, Vec<i64>)> =
            basis.iter().map(|v| (pivot(v), v.to_vec())).collect();
        let lattice = Lattice { n_compared, is_tie_before: tie };
        let least = lattice.least(distance.to_vec(), &echelon).unwrap();
        least.map(|(distance, free)| (distance, free.len()))
    }

    #[test]
    fn one_vector() {
        assert_eq!(least(2, false, &[0, 0], &[&[0, 1]]), Some((vec![0, 1], 0)));
        assert_eq!(least(2, false, &[0, -5], &[&[0, 3]]), Some((vec![0, 1], 0)));
        assert_eq!(least(2, true, &[0, 0], &[&[0, 1]]), Some((vec![0, 0], 0)));
        assert_eq!(least(2, false, &[0, 7], &[&[1, 2]]), Some((vec![0, 7], 0)));
        assert_eq!(least(2, false, &[0, -7], &[&[1, 2]]), Some((vec![1, -5], 0)));
    }

    #[test]
    fn the_innermost_of_two_vectors_that_will_do() {
        assert_eq!(least(2, false, &[0, 0], &[&[1, 0], &[0, 1]]), Some((vec![0, 1], 0)));
        assert_eq!(
            least(3, false, &[0, 0, -1], &[&[1, 0, 0], &[0, 2, 0]]),
            Some((vec![0, 2, -1], 0))
        );
    }

    #[test]
    fn coordinates_that_nothing_compares_are_free() {
        assert_eq!(least(1, true, &[0, 0], &[&[0, 1]]), Some((vec![0, 0], 1)));
        assert_eq!(least(2, false, &[1, 0], &[&[0, 1]]), Some((vec![1, 0], 1)));
    }

    #[test]
    fn none_is_positive() {
        assert_eq!(least(2, false, &[0, 0], &[]), None);
        assert_eq!(least(2, true, &[-1, 5], &[&[0, 1]]), None);
    }
}
