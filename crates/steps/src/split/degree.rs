//! How the number of instances grows with the sizes of a problem.

use crate::Result;
use farkas_analysis::spread;
use farkas_poly::{DimType, Map, Set};

/// In how many directions the instances of one iteration of loops extend further than `short`: their number grows with this
/// power of the problem's size. `groups` tells the iterations apart.
pub(super) fn degree(instances: &Set, groups: &Map, short: i64) -> Result<u32> {
    let mut degree = 0;
    for piece in instances.basic_sets()? {
        let piece = piece.to_set()?;
        if !piece.is_empty()? {
            degree = degree.max(degree_of(&groups.intersect_domain(&piece)?.reverse()?, short)?);
        }
    }
    Ok(degree)
}

/// The same for a convex piece, from iterations to its instances.
fn degree_of(instances: &Map, short: i64) -> Result<u32> {
    let (n, n_in) = (instances.dim(DimType::Out)?, instances.dim(DimType::In)?);
    let mut degree = 0;
    for at in 0..n {
        // Where the dimensions before it are known.
        let first = instances.project_out(DimType::Out, at + 1, n - at - 1)?;
        let first = first.reset_tuple_id(DimType::In)?.reset_tuple_id(DimType::Out)?;
        let one = first.move_dims(DimType::In, n_in, DimType::Out, 0, at)?;
        if spread(&one)?.is_none_or(|spread| spread > short) {
            degree += 1;
        }
    }
    Ok(degree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_that_extend() {
        let degree = |set: &str, groups: &str| {
            let set: Set = set.parse().expect("a set");
            super::degree(&set, &groups.parse().expect("a map"), 100).expect("a number")
        };
        let by_block = "{ S[i, j] -> [b] : 8b <= i < 8b + 8 }";
        assert_eq!(degree("[n] -> { S[i, j] : 0 <= i, j < n }", by_block), 1);
        assert_eq!(degree("[n] -> { S[i, j] : 0 <= i < n and i <= j < i + 8 }", by_block), 0);
        let whole = "{ S[i, j] -> [] }";
        assert_eq!(degree("[n] -> { S[i, j] : 0 <= i, j < n }", whole), 2);
        assert_eq!(degree("[n] -> { S[i, j] : 0 <= i < n and i <= j < i + 8 }", whole), 1);
        assert_eq!(degree("{ S[i, j] : 0 <= i < 50 and 0 <= j < 500 }", whole), 1);
    }
}
