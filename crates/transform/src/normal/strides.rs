//! How far accesses move along loops in an order.

use super::chain::Chain;
use super::distance::Distance;
use super::signs::{Order, Signs};
use crate::Result;
use farkas_analysis::StrideModel;
use farkas_base::Id;
use farkas_scop::{Scop, StmtId};

/// How many loops are brought into all their orders at once. Deeper nests are sorted in groups of so many, from the innermost on.
const MAX_LOOPS: usize = 6;

/// The strides of the accesses in a chain of loops.
pub(crate) struct Strides {
    /// For each loop the sum of the distances from one iteration to the next of all accesses to arrays that have a layout.
    sums: Vec<Distance>,
    /// For each access to an array whose layout was ours to choose the loops that move it. Its dimensions count as if they were in the order of
    /// the loops.
    open: Vec<Vec<bool>>,
    /// For each loop the numbers of accesses that go forward and back.
    directions: Vec<(usize, usize)>,
}

/// What an order costs: the sums of strides, innermost first, then how many accesses go back.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Cost(Vec<Distance>, Vec<usize>);

impl Strides {
    /// Those of a chain. Accesses whose subscripts are not affine count for nothing.
    pub(crate) fn of(scop: &Scop, model: &StrideModel, chain: &Chain) -> Result<Self> {
        let n = chain.loops.len();
        let mut strides = Self {
            sums: vec![Distance::default(); n],
            open: Vec::new(),
            directions: vec![(0, 0); n],
        };
        for (stmt, loops) in &chain.stmts {
            let mut rows = Vec::new();
            for member in loops {
                rows.push(model.member_row(*stmt, member)?);
            }
            let Some(rows) = rows.into_iter().collect::<Option<Vec<_>>>() else { continue };
            let along = (0..n).map(|at| model.moves(*stmt, &rows, chain.depth + at));
            strides.add(scop, *stmt, &along.map(Option::unwrap_or_default).collect::<Vec<_>>())?;
        }
        Ok(strides)
    }

    /// Adds what the accesses of a statement do along each loop. A reference that is written several times counts once.
    fn add(&mut self, scop: &Scop, stmt: StmtId, along: &[Vec<Option<Vec<i64>>>]) -> Result<()> {
        let mut seen = Vec::new();
        for (access, own) in scop.stmts()[stmt].accesses.iter_enumerated() {
            if seen.contains(&&own.relation) {
                continue;
            }
            seen.push(&own.relation);
            let array = &scop.arrays()[own.array];
            let moves: Vec<Option<&Vec<i64>>> =
                along.iter().map(|moves| moves.get(access.index())?.as_ref()).collect();
            if array.is_temporary() {
                let moves = moves.into_iter();
                let is_moved =
                    |by: Option<&Vec<i64>>| by.is_some_and(|by| by.iter().any(|n| *n != 0));
                self.open.push(moves.map(is_moved).collect());
                continue;
            }
            for (at, moves) in moves.into_iter().enumerate() {
                let Some(moves) = moves else { continue };
                let distance = Distance::of_moves(array, moves)?;
                if distance.is_backward() {
                    self.directions[at].1 += 1;
                } else if distance != Distance::default() {
                    self.directions[at].0 += 1;
                }
                self.sums[at] = self.sums[at].plus(&distance.length());
            }
        }
        Ok(())
    }

    /// What an order costs.
    fn cost(&self, order: &Order) -> Cost {
        let innermost_first = order.iter().rev();
        let back = |&(at, is_reversed): &(usize, bool)| match is_reversed {
            true => self.directions[at].0,
            false => self.directions[at].1,
        };
        let mut sums: Vec<Distance> =
            innermost_first.clone().map(|(at, _)| self.sums[*at].clone()).collect();
        for access in &self.open {
            let moving = innermost_first.clone().enumerate().filter(|(_, (at, _))| access[*at]);
            for (n_inside, (place, _)) in moving.enumerate() {
                sums[place] = sums[place].plus(&Distance::power(n_inside));
            }
        }
        Cost(sums, innermost_first.map(back).collect())
    }

    /// The legal orders of the least cost; the order that there is comes first where it is one of them.
    pub(crate) fn best(&self, signs: &Signs) -> Vec<Order> {
        let mut best: Order = (0..self.sums.len()).map(|at| (at, false)).collect();
        let mut ties = vec![best.clone()];
        let n_groups = best.len().saturating_sub(MAX_LOOPS) + 1;
        for first in (0..n_groups).rev() {
            let behind = (first + MAX_LOOPS).min(best.len());
            let candidates = orders(&best[first..behind]).into_iter().map(|group| {
                let mut order = best.clone();
                order.splice(first..behind, group);
                order
            });
            let candidates: Vec<Order> = candidates.filter(|order| signs.allow(order)).collect();
            let least = candidates.iter().map(|order| self.cost(order)).min();
            let is_least = |order: &Order| Some(self.cost(order)) == least;
            ties = candidates.into_iter().filter(is_least).collect();
            let Some(order) = ties.first() else { break };
            best = order.clone();
        }
        ties
    }
}

/// All orders of some loops, in both directions, that which there is first.
fn orders(loops: &[(usize, bool)]) -> Vec<Order> {
    if loops.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..loops.len() {
        let mut others = loops.to_vec();
        let (first, is_reversed) = others.remove(at);
        let behind = orders(&others);
        for is_reversed in [is_reversed, !is_reversed] {
            for rest in &behind {
                all.push([vec![(first, is_reversed)], rest.clone()].concat());
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::orders;

    #[test]
    fn all_orders_begin_with_that_which_there_is() {
        let loops = [(0, false), (1, false), (2, true)];
        let all = orders(&loops);
        assert_eq!(all[0], loops);
        assert_eq!(all.len(), 6 * 8);
    }
}
