//! Wishes: rows that are granted one after another, as far as that is possible.

use super::Ilp;
use crate::Result;
use crate::cost::Wish;
use farkas_base::{Budget, IdVec};
use farkas_deps::Reuse;
use farkas_solve::{Outcome, Row, RowKind, VarIdx};
use std::collections::BTreeSet;

/// What came of the wishes.
#[derive(Default)]
pub(crate) struct Granted {
    /// The best point under those that are granted.
    pub(crate) point: IdVec<VarIdx, i64>,
    /// Whether each was granted.
    pub(crate) is_granted: Vec<bool>,
    /// The parts of the others.
    pub(crate) given_up: BTreeSet<(usize, Reuse)>,
}

impl Ilp {
    /// The best point under as many wishes as can be granted in their order, where `point` is the best without them. Leaves
    /// the solver as it was.
    pub(crate) fn grant(&mut self, point: IdVec<VarIdx, i64>, budget: &Budget) -> Result<Granted> {
        let wishes = std::mem::take(&mut self.wishes);
        let mut granted = Granted { point, ..Granted::default() };
        self.solver.common().push();
        let mut depth = 1;
        let mut fixed = 0;
        for (function, wish) in &wishes {
            // What comes before the wish in the plan costs no more for its sake.
            for before in fixed..*function {
                self.fix_costs(before, &granted.point)?;
            }
            fixed = fixed.max(*function);
            let is_granted = self.try_wish(wish, &mut granted, &mut depth, budget)?;
            granted.is_granted.push(is_granted);
        }
        for _ in 0..depth {
            self.solver.common().pop()?;
        }
        self.wishes = wishes;
        Ok(granted)
    }

    /// Adds the rows of a wish for good, or not at all. `depth` counts what is pushed.
    fn try_wish(
        &mut self,
        wish: &Wish,
        granted: &mut Granted,
        depth: &mut usize,
        budget: &Budget,
    ) -> Result<bool> {
        let parts = wish.parts.iter();
        let left = parts.filter(|part| !granted.given_up.contains(&(part.dep, part.reuse)));
        let rows: Vec<&(RowKind, Row)> = left.flat_map(|part| &part.rows).collect();
        let is_met = rows.iter().all(|(kind, row)| holds(*kind, row, &granted.point));
        if !is_met {
            self.solver.common().push();
        }
        for (kind, row) in rows {
            self.solver.common().add_row(*kind, row.clone())?;
        }
        if is_met {
            return Ok(true);
        }
        if let Outcome::Solution(point) = self.solver.common().minimize(budget)? {
            granted.point = point;
            *depth += 1;
            return Ok(true);
        }
        self.solver.common().pop()?;
        granted.given_up.extend(wish.parts.iter().map(|part| (part.dep, part.reuse)));
        Ok(false)
    }

    /// Fixes the cost of a function at its value at `point`.
    fn fix_costs(&mut self, function: usize, point: &IdVec<VarIdx, i64>) -> Result<()> {
        let columns: Vec<VarIdx> = self.layout.leading_of(function).collect();
        for column in columns {
            let row = Row::new().with(column, 1).with_constant(-point[column]);
            self.solver.common().add_row(RowKind::Equality, row)?;
        }
        Ok(())
    }
}

/// Whether a row holds at a point.
fn holds(kind: RowKind, row: &Row, point: &IdVec<VarIdx, i64>) -> bool {
    let terms = row.terms().iter();
    let sum = terms.map(|&(column, factor)| i128::from(factor) * i128::from(point[column]));
    let value = sum.sum::<i128>() + i128::from(row.constant());
    match kind {
        RowKind::Equality => value == 0,
        RowKind::Inequality => value >= 0,
    }
}
