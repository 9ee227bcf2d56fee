//! Whether instances may run at other dates.

use super::Join;
use crate::Result;
use crate::live::live;
use farkas_base::IdVec;
use farkas_deps::{DependenceKind, DependenceOptions, Dependences, dependences, legality};
use farkas_poly::{DimType, Map, with_budget};
use farkas_scop::{Scop, StmtId};
use farkas_tree::original_tree;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// How many orders of one scop are judged by the legality check.
const MAX_JUDGED: usize = 40;

/// How many more are refused for a value that would be read before it is written, which takes little work.
const MAX_REFUSED: usize = 400;

/// isl operations that the dependences of a scop may take.
const MAX_OPERATIONS: u64 = 2_000_000;

/// How much may still be judged.
#[derive(Debug)]
pub(super) struct Effort {
    n_judged: usize,
    n_refused: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { n_judged: MAX_JUDGED, n_refused: MAX_REFUSED }
    }
}

/// A scop whose pieces are to run at the dates of what they are pieces of.
pub(super) struct Judge<'a> {
    scop: &'a Scop,
    /// Its dependences, once they are asked for; none where they take too much work.
    deps: OnceCell<Option<Dependences>>,
    /// Whether one was.
    has_refused: bool,
}

impl<'a> Judge<'a> {
    /// That of a scop.
    pub(super) fn of(scop: &'a Scop) -> Self {
        Self { scop, deps: OnceCell::new(), has_refused: false }
    }

    /// The dependences; none where they take too much work.
    fn deps(&self) -> Result<Option<&Dependences>> {
        if self.deps.get().is_none() {
            let find = || dependences(self.scop, DependenceOptions::default());
            let found = match with_budget(MAX_OPERATIONS, find) {
                Err(farkas_deps::Error::OutOfBudget) => None,
                found => Some(found?),
            };
            self.deps.get_or_init(|| found);
        }
        Ok(self.deps.get().and_then(Option::as_ref))
    }

    /// For each statement whether something comes of it, as far as is known.
    pub(super) fn live(&self) -> Result<IdVec<StmtId, bool>> {
        let live_by = |deps| live(self.scop, deps);
        Ok(self.deps()?.map_or_else(|| self.scop.stmts().map(|_| true), live_by))
    }

    /// Whether the pieces may run as iterations of their statements.
    pub(super) fn allows(&mut self, joins: &[Join], effort: &mut Effort) -> Result<bool> {
        if effort.n_judged == 0 || effort.n_refused == 0 {
            return Ok(false);
        }
        let mut parts = self.scop.to_builder();
        let mut pieces = BTreeSet::new();
        for Join { whole, pieces: own } in joins {
            for (piece, place) in own {
                parts.stmts[*piece].date = place.apply_range(&self.scop.stmts()[*whole].date)?;
                pieces.insert(*piece);
            }
        }
        let Ok(moved) = parts.build() else { return Ok(false) };
        if self.has_refused && !self.keeps_values(&moved, &pieces)? {
            effort.n_refused -= 1;
            return Ok(false);
        }
        effort.n_judged -= 1;
        let is_legal = legality::check(self.scop, &original_tree(&moved)?)?.is_legal();
        self.has_refused |= !is_legal;
        Ok(is_legal)
    }

    /// Whether each value that a piece reads, or that is read of it, is still written before. Where not, no check need be asked.
    fn keeps_values(&self, moved: &Scop, pieces: &BTreeSet<StmtId>) -> Result<bool> {
        // The check answers without them.
        let Some(deps) = self.deps()? else { return Ok(true) };
        for dep in &deps.deps {
            let is_moved = pieces.contains(&dep.source) || pieces.contains(&dep.sink);
            if dep.kind != DependenceKind::Flow || dep.relaxed.is_some() || !is_moved {
                continue;
            }
            let dates = |stmt: StmtId| &moved.stmts()[stmt].date;
            if !in_order(&dep.relation, dates(dep.source), dates(dep.sink))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether the first of each of some pairs has an earlier date than the second.
fn in_order(pairs: &Map, first: &Map, second: &Map) -> Result<bool> {
    let mut left = pairs.apply_domain(first)?.apply_range(second)?;
    for at in 0..left.dim(DimType::In)?.cast_signed() {
        if !left.order_gt(DimType::In, at, DimType::Out, at)?.is_empty()? {
            return Ok(false);
        }
        left = left.equate(DimType::In, at, DimType::Out, at)?;
    }
    Ok(left.is_empty()?)
}

#[cfg(test)]
mod tests {
    use super::in_order;
    use farkas_poly::Map;

    #[test]
    fn pairs_are_in_the_order_of_their_dates() {
        let map = |text: &str| -> Map { text.parse().expect("a relation") };
        let pairs = map("[n] -> { S[i] -> T[i + 1] : 0 <= i < n }");
        for (first, second, expected) in [
            ("{ S[i] -> [i, 1] }", "{ T[i] -> [i, 0] }", true),
            ("{ S[i] -> [i, 1] }", "{ T[i] -> [i - 1, 0] }", false),
            ("{ S[i] -> [i, 0] }", "{ T[i] -> [i - 1, 1] }", true),
            ("{ S[i] -> [i, 0] }", "{ T[i] -> [i - 1, 0] }", false),
        ] {
            let found = in_order(&pairs, &map(first), &map(second)).expect("an answer");
            assert_eq!(found, expected, "{first} {second}");
        }
    }
}
