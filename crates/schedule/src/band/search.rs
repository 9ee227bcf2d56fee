//! Finding one row: the plan's integer program, and its fallbacks where that has no solution.

use super::Growing;
use crate::Result;
use crate::constraint::Constraint;
use crate::cost::{CostContext, ZeroDistance};
use crate::driver::Driver;
use crate::fallback::Fallback;
use crate::group::Group;
use crate::ilp::{Found, Ilp, Solution};
use crate::plan::{Plan, State};
use crate::progression::Progression;
use crate::relations::Reused;
use crate::report::{RowReport, Warning};
use farkas_base::Budget;
use std::rc::Rc;

/// A row with the fallback that found it.
pub(crate) type FoundRow = (Solution, Option<Fallback>);

/// What came of one step of the fallback order.
pub(crate) enum Step {
    Found(Solution),
    /// The band ends here.
    End,
    Next,
}

/// What came of a plan and its fallback order.
enum Trial {
    Found(Solution, Option<Fallback>),
    /// The band ends here.
    End,
    /// The strategy is asked for another plan.
    Replan,
    /// The plan is tried again without the user's constraints.
    DropConstraints,
}

impl Driver<'_> {
    /// The strategy's plan for the next row of `band`.
    pub(crate) fn plan_row(
        &mut self,
        band: &Growing,
        attempt: usize,
        last: Option<&RowReport>,
    ) -> Plan {
        let carried: Vec<bool> = band.progress.iter().map(|dep| dep.is_carried).collect();
        let is_parallel = band.rows.iter().any(|row| row.coincident);
        let stmts = band.group.stmts.iter();
        let has_parallel: Vec<bool> =
            stmts.map(|&stmt| is_parallel || self.stmts[stmt].has_parallel).collect();
        self.ask(&State {
            scop: self.scop,
            deps: self.deps,
            group: &band.group,
            dimension: band.dimension + band.rows.len(),
            n_members: band.rows.len(),
            attempt,
            was_recomputed: band.was_recomputed,
            last: band.rows.last().or(last),
            rows: &band.stmt_rows,
            spans: &band.spans,
            carried: &carried,
            has_parallel: &has_parallel,
        })
    }

    /// One more row, by the plan or one of its fallbacks; those that change the plan begin its order again.
    pub(super) fn find_row(
        &mut self,
        band: &mut Growing,
        mut plan: Plan,
        last: Option<&RowReport>,
    ) -> Result<Option<FoundRow>> {
        let mut attempt = 0;
        let mut dropped: Option<Vec<Constraint>> = None;
        loop {
            let progression = if plan.defers_shallow || band.is_of_clusters() {
                band.progression_with_slack()
            } else {
                band.progression()
            };
            match self.try_plan(band, plan, &progression)? {
                Trial::Found(solution, fallback) => {
                    if let Some(dropped) = &dropped {
                        band.warn_of_broken(dropped, &solution);
                    }
                    let changed = match dropped {
                        Some(_) => Some(Fallback::DropConstraints),
                        None => (attempt > 0).then_some(Fallback::Replan),
                    };
                    return Ok(Some((solution, fallback.or(changed))));
                }
                Trial::End => return Ok(None),
                Trial::Replan if attempt + 1 >= self.options.max_trials => return Ok(None),
                Trial::Replan => attempt += 1,
                Trial::DropConstraints => dropped = Some(Vec::new()),
            }
            plan = self.plan_row(band, attempt, last);
            if let Some(dropped) = &mut dropped {
                *dropped = plan.take_user_constraints();
            }
        }
    }

    /// The best row under `plan`, or what its fallbacks make of there being none.
    fn try_plan(
        &mut self,
        band: &mut Growing,
        plan: Plan,
        progression: &[Progression],
    ) -> Result<Trial> {
        let fallbacks = plan.fallbacks.clone();
        let has_user_constraints = plan.has_user_constraints();
        if let Some(solution) = self.solve_plan(band, plan, progression)? {
            return Ok(Trial::Found(solution, None));
        }
        if self.budget.left() == 0 {
            return Ok(Trial::End);
        }
        for fallback in fallbacks {
            match fallback {
                Fallback::Replan => return Ok(Trial::Replan),
                Fallback::DropConstraints if has_user_constraints => {
                    return Ok(Trial::DropConstraints);
                }
                _ => {}
            }
            match self.fall_back(band, fallback, progression)? {
                Step::Found(solution) => return Ok(Trial::Found(solution, Some(fallback))),
                Step::End => return Ok(Trial::End),
                Step::Next => {}
            }
        }
        Ok(Trial::End)
    }

    /// One step of the fallback order.
    pub(crate) fn fall_back(
        &mut self,
        band: &mut Growing,
        fallback: Fallback,
        progression: &[Progression],
    ) -> Result<Step> {
        let found = match fallback {
            Fallback::OtherSigns if progression.iter().any(|p| p.alternatives.len() > 1) => {
                let trials = self.options.max_trials;
                self.solve(band, |ilp, budget| {
                    ilp.solve_with_other_signs(progression, trials, budget)
                })?
            }
            Fallback::DeferShallow => {
                let deferred = band.progression_with_slack();
                if deferred.len() < progression.len() {
                    self.solve(band, |ilp, budget| ilp.solve(&deferred, budget))?
                } else {
                    None
                }
            }
            Fallback::ParametricShift => match band.ilp.as_ref() {
                Some((plan, _)) if !plan.parametric_shift && !self.scop.params().is_empty() => {
                    let plan = Plan { parametric_shift: true, ..plan.clone() };
                    self.solve_plan(band, plan, progression)?
                }
                _ => None,
            },
            Fallback::NewBand if !band.rows.is_empty() => return Ok(Step::End),
            Fallback::SeparateComponents if band.group.components().len() > 1 => {
                return Ok(Step::End);
            }
            Fallback::Replan
            | Fallback::OtherSigns
            | Fallback::NewBand
            | Fallback::SeparateComponents
            | Fallback::DropConstraints
            | Fallback::DropProgression
            | Fallback::NextSibling
            | Fallback::AncestorSibling => None,
        };
        Ok(found.map_or(Step::Next, Step::Found))
    }

    /// The best row under `plan`, without its fallbacks.
    pub(crate) fn solve_plan(
        &mut self,
        band: &mut Growing,
        plan: Plan,
        progression: &[Progression],
    ) -> Result<Option<Solution>> {
        let (is_signed, trials) = (plan.negative_coefficients, self.options.max_trials);
        let from_positive = plan.prefers_positive;
        self.set_up(band, plan)?;
        self.solve(band, |ilp, budget| {
            if is_signed {
                ilp.solve_signed(progression, from_positive, trials, budget)
            } else {
                ilp.solve(progression, budget)
            }
        })
    }

    /// Makes the band's integer program that of `plan`, with the wishes for the next row.
    fn set_up(&mut self, band: &mut Growing, plan: Plan) -> Result<()> {
        let reused: Vec<&[Reused]> = band.progress.iter().map(|p| p.reused.as_slice()).collect();
        let context = CostContext {
            scop: self.scop,
            group: &band.group,
            non_negative: &band.non_negative,
            sizes: self.cones.sizes(),
            has_params: plan.parametric_shift,
            spans: &band.spans,
            reused: &reused,
        };
        if !band.ilp.as_ref().is_some_and(|(old, _)| old.has_same_ilp(&plan)) {
            let ilp = Ilp::new(&context, &plan, &band.nodes, self.options.solver)?;
            band.ilp = Some((plan, ilp));
        }
        if let Some((plan, ilp)) = &mut band.ilp {
            let wishes = plan.costs.iter().enumerate().flat_map(|(function, cost)| {
                let wishes = cost.wishes(&context, &ilp.layout);
                wishes.into_iter().map(move |wish| (function, wish))
            });
            ilp.wishes = wishes.collect();
        }
        Ok(())
    }

    /// Solves the band's integer program. Running out of budget counts as no solution, with a warning.
    fn solve(
        &mut self,
        band: &mut Growing,
        solve: impl FnOnce(&mut Ilp, &Budget) -> Result<Found>,
    ) -> Result<Option<Solution>> {
        let Some((_, ilp)) = &mut band.ilp else { return Ok(None) };
        let n_pivots = ilp.n_pivots();
        let budget = Budget::new(ilp.max_work(self.options.max_row_work).min(self.budget.left()));
        let found = solve(ilp, &budget)?;
        // What is left is looked at where it matters.
        let _ = self.budget.spend(budget.spent());
        self.n_ilps += 1;
        self.n_pivots += ilp.n_pivots() - n_pivots;
        match found {
            Found::Row(solution) => Ok(Some(solution)),
            Found::Nothing => Ok(None),
            Found::OutOfBudget => {
                self.n_unsolved += 1;
                let warning = Warning::OutOfBudget { stmts: band.group.stmts.clone() };
                if !band.warnings.contains(&warning) {
                    band.warnings.push(warning);
                }
                Ok(None)
            }
        }
    }

    /// Whether `group` may have a first row in which every distance is zero.
    pub(crate) fn can_be_parallel(
        &mut self,
        group: Group,
        dimension: usize,
        last: Option<&RowReport>,
    ) -> Result<bool> {
        let mut plan = self.plan(&group, dimension, last);
        if plan.constraints.iter().any(Constraint::has_cost) {
            // Constraints refer to costs by their position.
            plan.costs.push(Rc::new(ZeroDistance));
        } else {
            plan.costs = vec![Rc::new(ZeroDistance)];
        }
        let mut band = Growing::new(self, group, dimension).open();
        let progression = band.progression();
        Ok(self.solve_plan(&mut band, plan, &progression)?.is_some())
    }
}
