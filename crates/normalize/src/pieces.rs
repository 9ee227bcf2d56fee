//! Convex pieces of sets.

use crate::Result;
use farkas_base::gcd;
use farkas_poly::{Aff, BasicSet, Constraints, LinearRow, Set, Space, Val};

/// By how much a bound is moved at most.
const MAX_MOVED: i64 = 4;

/// The convex pieces of a set. Where there are several, each is as large as the set lets it be, and none lies in another, so that they do not
/// depend on where the set was cut; parameters are in the context.
pub(crate) fn pieces(set: &Set, context: &Set) -> Result<Vec<BasicSet>> {
    let all = set.coalesce()?;
    let space = all.space()?;
    let pieces = all.basic_sets()?;
    if space.is_params()? {
        return Ok(pieces);
    }
    match pieces.as_slice() {
        [piece] => plain(piece)?.basic_sets().map_err(Into::into),
        _ => pieces_within(&all, &Set::universe(&space)?.intersect_params(context)?),
    }
}

/// The convex pieces of a set, each as large as it may be without other points of `within`, and none in another.
pub(crate) fn pieces_within(set: &Set, within: &Set) -> Result<Vec<BasicSet>> {
    let all = set.coalesce()?;
    let grower = Grower { space: &all.space()?, all: &all, within };
    let (mut grown, mut multiples) = (Vec::new(), Vec::new());
    for piece in all.basic_sets()? {
        match grower.without_multiples(&piece)? {
            Some(own) => add(own, &mut grown)?,
            None => multiples.push(piece),
        }
    }
    for piece in multiples {
        for own in grower.with_multiples(&piece, &grown)? {
            add(own, &mut grown)?;
        }
    }
    let mut found = Vec::new();
    for piece in &grown {
        found.extend(piece.basic_sets()?);
    }
    Ok(found)
}

/// Adds a piece to those that lie in no other.
fn add(own: Set, pieces: &mut Vec<Set>) -> Result<()> {
    let mut others = Vec::new();
    for other in pieces.iter() {
        if own.is_subset(other)? {
            return Ok(());
        }
        if !other.is_subset(&own)? {
            others.push(other.clone());
        }
    }
    others.push(own);
    *pieces = others;
    Ok(())
}

/// A piece whose divisions say nothing but which numbers are multiples, as far as it is one.
pub(crate) fn plain(piece: &BasicSet) -> Result<Set> {
    let set = piece.to_set()?;
    let rows = piece.detect_equalities()?.remove_redundancies()?.constraints()?;
    let Some(mut plain) = without_divs(&rows) else { return Ok(set) };
    let space = set.space()?;
    let mut multiples = Set::universe(&space)?;
    for row in &rows.equalities {
        let modulus = row.divs.iter().fold(0, |modulus, factor| gcd(modulus, *factor));
        if modulus > 1 {
            let sum = Aff::linear(&space, &row.dims, &row.params, row.constant)?.to_pw_aff()?;
            let rest = sum.mod_val(&Val::int(modulus)?)?;
            multiples = multiples.intersect(&rest.zero_set()?)?;
        }
    }
    if !piece_of(&space, &plain)?.intersect(&multiples)?.is_equal(&set)? {
        return Ok(set);
    }
    // Some rows hold of multiples anyway.
    let mut at = 0;
    while at < plain.inequalities.len() {
        let row = plain.inequalities.remove(at);
        if !piece_of(&space, &plain)?.intersect(&multiples)?.is_subset(&set)? {
            plain.inequalities.insert(at, row);
            at += 1;
        }
    }
    Ok(piece_of(&space, &plain)?.intersect(&multiples)?)
}

/// The rows without divisions, if some have them.
fn without_divs(rows: &Constraints) -> Option<Constraints> {
    let is_plain = |row: &&LinearRow| row.divs.iter().all(|factor| *factor == 0);
    let kept = |rows: &[LinearRow]| -> Vec<LinearRow> {
        let kept = rows.iter().filter(is_plain).cloned();
        kept.map(|row| LinearRow { divs: Vec::new(), ..row }).collect()
    };
    let (equalities, inequalities) = (kept(&rows.equalities), kept(&rows.inequalities));
    let mut all = rows.equalities.iter().chain(&rows.inequalities);
    all.any(|row| !row.divs.is_empty()).then_some(Constraints { equalities, inequalities })
}

/// What pieces may grow into.
struct Grower<'a> {
    space: &'a Space,
    all: &'a Set,
    /// Of other points nothing is asked.
    within: &'a Set,
}

impl Grower<'_> {
    /// A piece as large as may be, if it is one without divisions; numbers that are multiples of one and those between them may be all
    /// numbers.
    fn without_multiples(&self, piece: &BasicSet) -> Result<Option<Set>> {
        let rows = piece.detect_equalities()?.remove_redundancies()?.constraints()?;
        let rows = match without_divs(&rows) {
            None => rows,
            Some(rows) if self.fits(&rows)? => rows,
            Some(_) => return Ok(None),
        };
        self.grown(rows).map(Some)
    }

    /// A piece with divisions: what other pieces leave of it, where that has none.
    fn with_multiples(&self, piece: &BasicSet, others: &[Set]) -> Result<Vec<Set>> {
        let mut left = piece.to_set()?;
        for other in others {
            left = left.subtract(other)?;
        }
        let mut found = Vec::new();
        for part in left.coalesce()?.basic_sets()? {
            match self.without_multiples(&part)? {
                Some(own) => found.push(own),
                None => return Ok(vec![plain(piece)?]),
            }
        }
        Ok(found)
    }

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
        Ok(self.piece(rows)?.intersect(self.within)?.is_subset(self.all)?)
    }

    /// The piece of some rows.
    fn piece(&self, rows: &Constraints) -> Result<Set> {
        piece_of(self.space, rows)
    }
}

/// The points of a space for which rows hold.
pub(crate) fn piece_of(space: &Space, rows: &Constraints) -> Result<Set> {
    let sum =
        |row: &LinearRow| Aff::linear(space, &row.dims, &row.params, row.constant)?.to_pw_aff();
    let mut piece = Set::universe(space)?;
    for row in &rows.equalities {
        piece = piece.intersect(&sum(row)?.zero_set()?)?;
    }
    for row in &rows.inequalities {
        piece = piece.intersect(&sum(row)?.nonneg_set()?)?;
    }
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use super::pieces;
    use farkas_poly::Set;

    #[test]
    fn even_and_odd_numbers_are_all_numbers() {
        let n_pieces = |text: &str| {
            let context = "[n] -> { : }".parse().expect("a set");
            pieces(&text.parse().expect("a set"), &context).expect("pieces").len()
        };
        let even = "[i, j] : i mod 2 = 0 and 0 <= i < n and 0 <= j < n";
        let odd = "[i, j] : i mod 2 = 1 and 0 <= i < n and 0 <= j < n";
        assert_eq!(n_pieces(&format!("[n] -> {{ {even}; {odd} }}")), 1);
        // However many there are, they are all of the set, and nothing else.
        let uneven: Set = format!("[n] -> {{ {even}; {odd} and j > 0 }}").parse().expect("a set");
        let context = "[n] -> { : }".parse().expect("a set");
        let found = pieces(&uneven, &context).expect("pieces").into_iter();
        let parts = found.map(|piece| piece.to_set().expect("a set"));
        let all = parts.reduce(|all, part| all.union(&part).expect("a union")).expect("pieces");
        assert!(all.is_equal(&uneven).expect("an answer"));
    }

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
