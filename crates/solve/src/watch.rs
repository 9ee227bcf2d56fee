//! Which rows the current point violates, kept up to date as the point moves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::number::{Number, Overflow};
use crate::store::{RowStore, Urgency};
use crate::tableau::Tableau;

/// The violated rows, most urgent first.
///
/// Invariant: every stored row below `n_seen` that the current point violates is queued; a queued row may have come to
/// hold in the meantime, which is found when it is taken.
#[derive(Clone, Default, Debug)]
pub(crate) struct Watch {
    heap: BinaryHeap<Reverse<Urgency>>,
    /// Per row, whether it is in the heap.
    queued: Vec<bool>,
    /// Per row, the round in which it was last looked at.
    rounds: Vec<u32>,
    round: u32,
    n_seen: usize,
}

impl Watch {
    /// Forgets everything: the point or the rows are others.
    pub(crate) fn reset(&mut self) {
        self.heap.clear();
        self.queued.clear();
        self.rounds.clear();
        (self.round, self.n_seen) = (0, 0);
    }

    /// Looks at the rows that were added; returns how many numbers that took.
    pub(crate) fn see_new<N: Number>(
        &mut self,
        store: &RowStore<N>,
        tableau: &Tableau<N>,
    ) -> Result<u64, Overflow> {
        let first = self.n_seen;
        self.n_seen = store.len();
        self.queued.resize(self.n_seen, false);
        self.rounds.resize(self.n_seen, 0);
        let mut n_numbers = 0;
        for row in first..self.n_seen {
            n_numbers += self.look_at(row, store, tableau)?;
        }
        Ok(n_numbers)
    }

    /// Looks at the rows whose value the last pivot can have changed; returns how many numbers that took.
    pub(crate) fn see_moved<N: Number>(
        &mut self,
        store: &RowStore<N>,
        tableau: &Tableau<N>,
    ) -> Result<u64, Overflow> {
        let mut n_numbers = 0;
        self.round += 1;
        for &var in tableau.changed() {
            for &row in store.rows_with(var) {
                if row < self.n_seen && !self.queued[row] && self.rounds[row] != self.round {
                    self.rounds[row] = self.round;
                    n_numbers += self.look_at(row, store, tableau)?;
                }
            }
        }
        Ok(n_numbers)
    }

    /// Queues `row` if the current point violates it; returns how many numbers that took.
    fn look_at<N: Number>(
        &mut self,
        row: usize,
        store: &RowStore<N>,
        tableau: &Tableau<N>,
    ) -> Result<u64, Overflow> {
        let terms = store.terms(row);
        let n_numbers = terms.clone().count() as u64 + 1;
        if tableau.sign_of(terms, store.constant(row))? < 0 {
            self.queued[row] = true;
            self.heap.push(Reverse(store.urgency(row)));
        }
        Ok(n_numbers)
    }

    /// Takes the most urgent row that the current point violates.
    pub(crate) fn take<N: Number>(
        &mut self,
        store: &RowStore<N>,
        tableau: &Tableau<N>,
    ) -> Result<Option<usize>, Overflow> {
        while let Some(Reverse(Urgency { row, .. })) = self.heap.pop() {
            self.queued[row] = false;
            if tableau.sign_of(store.terms(row), store.constant(row))? < 0 {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// Puts back a row that was taken and not pivoted in.
    pub(crate) fn put_back<N: Number>(&mut self, row: usize, store: &RowStore<N>) {
        self.queued[row] = true;
        self.heap.push(Reverse(store.urgency(row)));
    }
}
