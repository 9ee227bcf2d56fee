//! Searching over the signs of coefficients, where the preferred form of progression has no solution or need not be the
//! best.

use crate::Result;
use crate::affine::StmtRow;
use crate::coefficient::Coefficient;
use crate::ilp::{Found, Ilp, Solution};
use crate::progression::Progression;
use farkas_base::{Budget, Id};
use farkas_scop::StmtId;
use farkas_solve::{Row, RowKind};

/// A search over the signs of coefficients.
struct SignSearch {
    best: Found,
    /// Programs that may still be solved.
    trials: usize,
    /// Whether the best in all costs is looked for; else in those that decide.
    is_exact: bool,
}

impl SignSearch {
    /// Whether nothing in the branch with this relaxation is better than what was found.
    fn is_hopeless(&self, relaxed: &Solution) -> bool {
        let Found::Row(best) = &self.best else { return false };
        if self.is_exact {
            let values = |solution: &Solution| -> Vec<i64> {
                solution.cost.iter().map(|(_, value)| *value).collect()
            };
            values(best) <= values(relaxed)
        } else {
            best.deciding <= relaxed.deciding
        }
    }
}

impl Ilp {
    /// The same with the other alternatives, node by node; at most `max_trials` programs.
    pub(crate) fn solve_with_other_signs(
        &mut self,
        progress: &[Progression],
        max_trials: usize,
        budget: &Budget,
    ) -> Result<Found> {
        self.pop()?;
        let mut trials = max_trials;
        self.search_signs(progress, &mut trials, budget)
    }

    /// Depth-first over the alternatives of the nodes left.
    fn search_signs(
        &mut self,
        progress: &[Progression],
        trials: &mut usize,
        budget: &Budget,
    ) -> Result<Found> {
        let Some((first, rest)) = progress.split_first() else { return self.minimize(budget) };
        for alternative in &first.alternatives {
            if *trials == 0 {
                return Ok(Found::OutOfBudget);
            }
            *trials -= 1;
            self.solver.common().push();
            for (h, bound) in alternative {
                let row = self.independence(first, h, *bound);
                self.solver.common().add_inequality(row)?;
            }
            let mut found = self.minimize(budget)?;
            if matches!(found, Found::Row(_)) {
                found = self.search_signs(rest, trials, budget)?;
            }
            self.solver.common().pop()?;
            if !matches!(found, Found::Nothing) {
                return Ok(found);
            }
        }
        Ok(Found::Nothing)
    }

    /// The best row whose coefficients may be negative: branch and bound over the signs, at most `max_trials` programs,
    /// of which the best one found counts. With `from_positive` the search begins with the positive form of progression as
    /// the one to beat, so that of rows of equal cost one with small coefficients wins, and only a row that costs less in
    /// all costs takes its place; else that form is the last resort, and costs that do not decide end no branch.
    ///
    /// **Paper** the locality model, section 3.3, without `from_positive`. A branch ends where its relaxation is no better.
    /// So that relaxations are close to what lies below them, each node that has to progress has some coefficient that is
    /// not zero, with `from_positive`: the sum of the parts of its coefficients is at least one.
    pub(crate) fn solve_signed(
        &mut self,
        progress: &[Progression],
        from_positive: bool,
        max_trials: usize,
        budget: &Budget,
    ) -> Result<Found> {
        let first = if from_positive { self.solve(progress, budget)? } else { Found::Nothing };
        self.pop()?;
        let is_exact = from_positive;
        let mut search = SignSearch { best: first, trials: max_trials, is_exact };
        self.solver.common().push();
        if is_exact {
            for node in progress {
                let some = self.some_coefficient(node);
                self.solver.common().add_inequality(some)?;
            }
        }
        self.branch(progress, &mut search, budget)?;
        self.solver.common().pop()?;
        match search.best {
            Found::Row(best) if descends_innermost(&best.rows) => self.ascending(best, budget),
            Found::Nothing if search.trials == 0 && !from_positive => self.solve(progress, budget),
            // Whether there is a row is not known.
            Found::Nothing if search.trials == 0 => Ok(Found::OutOfBudget),
            found => Ok(found),
        }
    }

    /// That a node's row has a coefficient that is not zero, or both parts of one.
    fn some_coefficient(&self, progression: &Progression) -> Row {
        let columns = (0..progression.n_dims()).flat_map(|dim| {
            self.layout.node_terms(progression.node, dim).iter().map(|&(column, _)| (column, 1))
        });
        Row::from_terms(columns, -1)
    }

    /// The opposite of `best`, in which the statements' innermost iterators ascend, where it costs no more.
    fn ascending(&mut self, best: Solution, budget: &Budget) -> Result<Found> {
        self.solver.common().push();
        let stmts: Vec<StmtId> = self.layout.stmts().collect();
        for (stmt, row) in stmts.into_iter().zip(&best.rows) {
            for (i, coefficient) in row.iterators.iter().enumerate() {
                let mut opposite = Row::new().with_constant(*coefficient);
                self.layout.add(&mut opposite, stmt, Coefficient::Iterator(i), 1);
                self.solver.common().add_row(RowKind::Equality, opposite)?;
            }
        }
        let found = self.minimize(budget)?;
        self.solver.common().pop()?;
        Ok(match found {
            Found::Row(opposite) if opposite.cost <= best.cost => Found::Row(opposite),
            _ => Found::Row(best),
        })
    }

    /// One node of the search: the cases so far are pushed.
    fn branch(
        &mut self,
        progress: &[Progression],
        search: &mut SignSearch,
        budget: &Budget,
    ) -> Result<()> {
        if search.trials == 0 {
            return Ok(());
        }
        search.trials -= 1;
        let relaxed = match self.minimize(budget)? {
            Found::Row(relaxed) => relaxed,
            Found::Nothing => return Ok(()),
            Found::OutOfBudget => {
                search.trials = 0;
                return Ok(());
            }
        };
        if search.is_hopeless(&relaxed) {
            return Ok(());
        }
        let Some(trivial) = self.first_trivial(progress, &relaxed) else {
            search.best = Found::Row(relaxed);
            return Ok(());
        };
        for case in trivial.cases() {
            self.solver.common().push();
            for (h, bound) in &case {
                let row = self.independence(trivial, h, *bound);
                self.solver.common().add_inequality(row)?;
            }
            self.branch(progress, search, budget)?;
            self.solver.common().pop()?;
        }
        Ok(())
    }

    /// The first node that does not progress.
    fn first_trivial<'p>(
        &self,
        progress: &'p [Progression],
        solution: &Solution,
    ) -> Option<&'p Progression> {
        progress.iter().find(|p| p.is_trivial(&solution.node_rows[p.node.index()]))
    }
}

/// Whether the innermost iterators that count descend in more statements than they ascend in.
fn descends_innermost(rows: &[StmtRow]) -> bool {
    let innermost = rows.iter().filter_map(|row| row.iterators.iter().rfind(|c| **c != 0));
    innermost.map(|c| c.signum()).sum::<i64>() < 0
}
