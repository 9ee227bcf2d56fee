//! Convex pieces of sets.

use crate::Result;
use farkas_poly::{Aff, BasicSet, Constraints, LinearRow, Set, Space};

/// By how much a bound is moved at most.
const MAX_MOVED: i64 = 4;

/// The convex pieces of a set. Where there are several, each is as large as the set lets it be, and none lies in another, so that they do not
/// depend on where the set was cut; parameters are in the context.
pub(crate) fn pieces(set: &Set, context: &Set) -> Result<Vec<BasicSet>> {
    let all = set.coalesce()?;
    let pieces = all.basic_sets()?;
    let space = all.space()?;
    if pieces.len() < 2 || space.is_params()? {
        return Ok(pieces);
    }
    let mut grown: Vec<Set> = Vec::new();
    for piece in pieces {
        let rows = piece.detect_equalities()?.remove_redundancies()?.constraints()?;
        let mut all_rows = rows.equalities.iter().chain(&rows.inequalities);
        let own = match all_rows.any(|row| !row.divs.is_empty()) {
            true => piece.to_set()?,
            false => Grower { space: &space, all: &all, context }.grown(rows)?,
        };
        let mut is_new = true;
        for other in &grown {
            is_new &= !own.is_subset(other)?;
        }
        if is_new {
            let mut others = Vec::new();
            for other in grown {
                if !other.is_subset(&own)? {
                    others.push(other);
                }
            }
            others.push(own);
            grown = others;
        }
    }
    let mut found = Vec::new();
    for piece in &grown {
        found.extend(piece.basic_sets()?);
    }
    Ok(found)
}

/// What pieces may grow into.
struct Grower<'a> {
    space: &'a Space,
    all: &'a Set,
    context: &'a Set,
}

impl Grower<'_> {
    /// The piece of some rows without those that it does not need, the others as far out as may be.
    fn grown(&self, mut rows: Constraints) -> Result<Set> {
        let mut at = 0;
        while at < rows.inequalities.len() {
            let row = rows.inequalities.remove(at);
            if self.fits(&rows)? {
                continue;
            }
            rows.inequalities.insert(at, row);
            for _ in 0..MAX_MOVED {
                rows.inequalities[at].constant += 1;
                if !self.fits(&rows)? {
                    rows.inequalities[at].constant -= 1;
                    break;
                }
            }
            at += 1;
        }
        self.piece(&rows)
    }

    /// Whether the piece of some rows lies in the set.
    fn fits(&self, rows: &Constraints) -> Result<bool> {
        Ok(self.piece(rows)?.intersect_params(self.context)?.is_subset(self.all)?)
    }

    /// The piece of some rows.
    fn piece(&self, rows: &Constraints) -> Result<Set> {
        let sum = |row: &LinearRow| {
            Aff::linear(self.space, &row.dims, &row.params, row.constant)?.to_pw_aff()
        };
        let mut piece = Set::universe(self.space)?;
        for row in &rows.equalities {
            piece = piece.intersect(&sum(row)?.zero_set()?)?;
        }
        for row in &rows.inequalities {
            piece = piece.intersect(&sum(row)?.nonneg_set()?)?;
        }
        Ok(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::pieces;
    use farkas_poly::Set;

    #[test]
    fn pieces_do_not_depend_on_where_a_set_was_cut() {
        let texts = [
            "[n, m] -> { [i, j] : 0 <= i < m - n and j = m - n - 1 - i; [i, 0] : i >= 0 and m - n <= i < m }",
            "[m, n] -> { [i, j] : 0 <= i < m - n - 1 and j = m - n - 1 - i; [i, 0] : i >= 0 and m - n - 1 <= i < m }",
        ];
        let found = texts.map(|text| {
            let set: Set = text.parse().expect("a set");
            let context = "[n] -> { : n >= 0 }".parse().expect("a set");
            let pieces = pieces(&set, &context).expect("pieces");
            let mut rows: Vec<Vec<i64>> = Vec::new();
            for piece in pieces {
                for row in piece.constraints().expect("rows").inequalities {
                    let mut params = row.params.clone();
                    params.sort_unstable();
                    rows.push([row.dims, params, vec![row.constant]].concat());
                }
            }
            rows.sort();
            rows
        });
        assert_eq!(found[0], found[1]);
    }
}
