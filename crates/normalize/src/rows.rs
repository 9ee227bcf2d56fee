//! The rows of a convex set of integers, whatever rows it was described by.

use crate::Result;
use crate::pieces::piece_of;
use farkas_base::gcd;
use farkas_poly::{Aff, Constraints, LinearRow, Set};

/// The rows of a set that no others imply for integers, each as tight as these let it be and of as few loops as may be: where `0 <= j <= 1`, the row
/// `3 i + j >= 0` is `i >= 0`.
pub(crate) fn simplest(all: &Set, rows: Constraints) -> Result<Constraints> {
    let Constraints { equalities, inequalities } = rows;
    let divides = |row: &LinearRow| row.divs.iter().any(|factor| *factor != 0);
    if equalities.iter().chain(&inequalities).any(divides) {
        let inequalities = inequalities.iter().map(|row| match divides(row) {
            true => Ok(row.clone()),
            false => tight(row, all),
        });
        return Ok(Constraints { inequalities: inequalities.collect::<Result<_>>()?, equalities });
    }
    // Where all factors are one, integers seldom imply what fractions do not.
    let is_unit = |row: &LinearRow| row.dims.iter().chain(&row.params).all(|f| f.abs() < 2);
    let mut rows = Constraints { equalities, inequalities };
    if rows.inequalities.iter().all(is_unit) {
        return Ok(rows);
    }
    rows.inequalities.sort_by_cached_key(key);
    let mut at = 0;
    while at < rows.inequalities.len() {
        let row = rows.inequalities.remove(at);
        if is_within(&rows, all)? {
            continue;
        }
        let row = of_fewer_loops(all, &mut rows, at, row)?;
        rows.inequalities.insert(at, row);
        at += 1;
    }
    Ok(rows)
}

/// What tells rows apart, but for the names of parameters.
fn key(row: &LinearRow) -> (Vec<i64>, Vec<i64>, i64) {
    let mut params: Vec<i64> = row.params.iter().copied().filter(|factor| *factor != 0).collect();
    params.sort_unstable();
    (row.dims.clone(), params, row.constant)
}

/// Whether the points of some rows lie in a set.
fn is_within(rows: &Constraints, all: &Set) -> Result<bool> {
    Ok(piece_of(&all.space()?, rows)?.is_subset(all)?)
}

/// A row of a set, in the place `at` among others, without the loops that it says no more with.
fn of_fewer_loops(
    all: &Set,
    rows: &mut Constraints,
    at: usize,
    mut row: LinearRow,
) -> Result<LinearRow> {
    for dim in 0..row.dims.len() {
        let n_dims = row.dims.iter().filter(|factor| **factor != 0).count();
        if row.dims[dim] == 0 || n_dims < 2 {
            continue;
        }
        let mut fewer = row.clone();
        fewer.dims[dim] = 0;
        let Some(fewer) = lowest(fewer) else { continue };
        let holds = Constraints { equalities: Vec::new(), inequalities: vec![fewer.clone()] };
        if !all.is_subset(&piece_of(&all.space()?, &holds)?)? {
            continue;
        }
        rows.inequalities.insert(at, fewer.clone());
        let is_enough = is_within(rows, all)?;
        rows.inequalities.remove(at);
        if is_enough {
            row = fewer;
        }
    }
    Ok(row)
}

/// A row divided by what divides all its factors.
fn lowest(row: LinearRow) -> Option<LinearRow> {
    let factors = row.dims.iter().chain(&row.params);
    let divisor = factors.fold(0, |divisor, factor| gcd(divisor, *factor));
    if divisor == 0 {
        return None;
    }
    let all = |factors: &[i64]| factors.iter().map(|factor| factor / divisor).collect();
    Some(LinearRow {
        constant: row.constant.div_euclid(divisor),
        params: all(&row.params),
        dims: all(&row.dims),
        divs: row.divs,
    })
}

/// An inequality as tight as integers let it be: of numbers that leave the remainder 1 by 3, `i >= 0` is `i >= 1`.
fn tight(row: &LinearRow, all: &Set) -> Result<LinearRow> {
    let value = Aff::linear(&all.space()?, &row.dims, &row.params, row.constant)?;
    let least = all.apply(&value.to_pw_aff()?.to_map()?)?.dim_min_val(0)?.to_small_int()?;
    let least = least.filter(|least| *least > 0).unwrap_or_default();
    Ok(LinearRow { constant: row.constant.saturating_sub(least), ..row.clone() })
}

#[cfg(test)]
mod tests {
    use super::simplest;
    use farkas_poly::Set;

    /// The factors of loops and the constants of the rows of a set, in their order.
    fn rows(text: &str) -> Vec<(Vec<i64>, i64)> {
        let set: Set = text.parse().expect("a set");
        let pieces = set.basic_sets().expect("pieces");
        let [piece] = pieces.as_slice() else { panic!("one piece") };
        let rows = piece.constraints().expect("rows");
        let rows = simplest(&set, rows).expect("rows").inequalities.into_iter();
        let mut rows: Vec<_> = rows.map(|row| (row.dims, row.constant)).collect();
        rows.sort();
        rows
    }

    #[test]
    fn what_integers_imply_is_not_said() {
        let own = "0 <= i <= j and j <= 2 + k and k <= 3 l + i and 3 l + i <= n - 4";
        let short = rows(&format!("[n] -> {{ [i, j, k, l] : {own} }}"));
        let long = rows(&format!("[n] -> {{ [i, j, k, l] : {own} and i <= n - 4 }}"));
        assert_eq!(short, long);
    }

    #[test]
    fn rows_are_of_as_few_loops_as_may_be() {
        let short = rows("{ [i, j] : 0 <= j <= 1 and 0 <= i <= 2 }");
        assert_eq!(rows("{ [i, j] : 0 <= j <= 1 and 0 <= 3 i + j and i <= 2 }"), short);
    }

    #[test]
    fn bounds_of_multiples_are_multiples() {
        let short = rows("{ [i] : 0 <= i <= 6 and (i mod 4) <= 2 }");
        assert_eq!(rows("{ [i] : -1 <= i <= 7 and (i mod 4) <= 2 }"), short);
    }
}
