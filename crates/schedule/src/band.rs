//! Finding one permutable band for a group.

use crate::Result;
use crate::affine::{PairForm, StmtRow};
use crate::coalescing::LoopSizes;
use crate::components::Components;
use crate::cost::{CostContext, ZeroDistance};
use crate::driver::Driver;
use crate::fusion::BandWorth;
use crate::group::{ActiveDep, Effect, Group, GroupRow};
use crate::ilp::{Found, Ilp, Solution};
use crate::plan::{Constraint, Fallback, Plan, State};
use crate::progression::Progression;
use crate::report::{RowReport, Warning};
use crate::span::Span;
use farkas_base::{Budget, Id, IdVec};
use farkas_deps::DepId;
use farkas_poly::Map;
use farkas_scop::{ParamId, StmtId};
use std::rc::Rc;

/// A band that was found, not yet part of the schedule.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundBand {
    pub(crate) rows: Vec<RowReport>,
    /// What the band leaves unordered.
    pub(crate) left: Vec<ActiveDep>,
    /// The spans of the group's statements with the band's rows.
    pub(crate) spans: Vec<Span>,
    pub(crate) warnings: Vec<Warning>,
}

impl FoundBand {
    /// What a fusion heuristic sees of it.
    pub(crate) fn worth(&self) -> BandWorth {
        BandWorth {
            n_members: self.rows.len(),
            n_coincident: self.rows.iter().take_while(|row| row.coincident).count(),
            is_outer_coincident: self.rows.first().is_some_and(|row| row.coincident),
        }
    }
}

/// A row with the fallback that found it.
pub(crate) type FoundRow = (Solution, Option<Fallback>);

/// What came of one step of the fallback order.
pub(crate) enum Step {
    Found(Solution),
    /// The band ends here.
    End,
    Next,
}

/// A dependence while a band grows.
#[derive(Clone)]
struct Progress {
    /// The pairs with zero distance in all rows so far.
    left: Map,
    is_narrowed: bool,
    /// The sum of the distances, where a row was not zero.
    sum: Option<PairForm>,
    is_carried: bool,
}

/// A band while it grows.
pub(crate) struct Growing {
    pub(crate) group: Group,
    pub(crate) dimension: usize,
    non_negative: IdVec<ParamId, bool>,
    ilp: Option<(Plan, Ilp)>,
    pub(crate) stmt_rows: Vec<Vec<StmtRow>>,
    /// The state before each row, for a row that is to be found again.
    before: Vec<(Vec<Span>, Vec<Progress>)>,
    pub(crate) spans: Vec<Span>,
    progress: Vec<Progress>,
    pub(crate) rows: Vec<RowReport>,
    warnings: Vec<Warning>,
    was_recomputed: bool,
    /// How often a row was taken back at the strategy's wish.
    n_recomputed: usize,
}

impl Driver<'_> {
    /// The widest band for `group`: rows until every statement has full rank or the plan's fallbacks end it.
    pub(crate) fn find_band(
        &mut self,
        group: Group,
        dimension: usize,
        last: Option<&RowReport>,
    ) -> Result<FoundBand> {
        let mut band = Growing::new(self, group, dimension);
        loop {
            let plan = self.plan_row(&band, 0, last);
            self.recompute(&mut band, plan.recompute_last);
            let may_have_more =
                plan.extra_row && dimension + band.rows.len() < self.options.max_trials;
            let is_complete = band.spans.iter().all(Span::is_full) && !may_have_more;
            if is_complete || ((plan.ends_band || plan.distributes) && !band.rows.is_empty()) {
                break;
            }
            let Some(found) = self.find_row(&mut band, plan, last)? else { break };
            self.accept(&mut band, found)?;
        }
        self.finish(band)
    }

    /// Takes the last row back where the strategy asks for that, but not for ever.
    fn recompute(&self, band: &mut Growing, is_wanted: bool) {
        band.was_recomputed = false;
        if !is_wanted || band.rows.is_empty() {
            return;
        }
        if band.n_recomputed < self.options.max_trials {
            band.n_recomputed += 1;
            band.was_recomputed = band.forget_last();
            return;
        }
        let warning = Warning::RecomputedTooOften { stmts: band.group.stmts.clone() };
        if !band.warnings.contains(&warning) {
            band.warnings.push(warning);
        }
    }

    /// The strategy's plan for the next row of `band`.
    pub(crate) fn plan_row(
        &mut self,
        band: &Growing,
        attempt: usize,
        last: Option<&RowReport>,
    ) -> Plan {
        let carried: Vec<bool> = band.progress.iter().map(|dep| dep.is_carried).collect();
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
        })
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
        let mut band = Growing::new(self, group, dimension);
        let progression = band.progression();
        Ok(self.solve_plan(&mut band, plan, &progression)?.is_some())
    }

    /// One more row, by the plan or one of its fallbacks.
    fn find_row(
        &mut self,
        band: &mut Growing,
        mut plan: Plan,
        last: Option<&RowReport>,
    ) -> Result<Option<FoundRow>> {
        let progression = if plan.defers_shallow {
            band.progression_of_deepest().unwrap_or_else(|| band.progression())
        } else {
            band.progression()
        };
        let mut attempt = 0;
        loop {
            let fallbacks = plan.fallbacks.clone();
            let first = self.solve_plan(band, plan, &progression)?;
            if first.is_some() || self.budget.left() == 0 {
                let fallback = (attempt > 0).then_some(Fallback::Replan);
                return Ok(first.map(|solution| (solution, fallback)));
            }
            let mut asks_again = false;
            for fallback in fallbacks {
                match self.fall_back(band, fallback, &progression)? {
                    Step::Found(solution) => return Ok(Some((solution, Some(fallback)))),
                    Step::End => return Ok(None),
                    Step::Next => {}
                }
                if fallback == Fallback::Replan {
                    asks_again = true;
                    break;
                }
            }
            attempt += 1;
            if !asks_again || attempt == self.options.max_trials {
                return Ok(None);
            }
            plan = self.plan_row(band, attempt, last);
        }
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
            Fallback::DeferShallow => match band.progression_of_deepest() {
                Some(progression) => {
                    self.solve(band, |ilp, budget| ilp.solve(&progression, budget))?
                }
                None => None,
            },
            Fallback::ParametricShift => match band.ilp.as_ref() {
                Some((plan, _)) if !plan.parametric_shift && !self.scop.params().is_empty() => {
                    let plan = Plan { parametric_shift: true, ..plan.clone() };
                    self.solve_plan(band, plan, progression)?
                }
                _ => None,
            },
            Fallback::NewBand if !band.rows.is_empty() => return Ok(Step::End),
            Fallback::SeparateComponents if Components::of(&band.group).len() > 1 => {
                return Ok(Step::End);
            }
            Fallback::Replan
            | Fallback::OtherSigns
            | Fallback::NewBand
            | Fallback::SeparateComponents
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
        self.set_up(band, plan)?;
        self.solve(band, |ilp, budget| {
            if is_signed {
                ilp.solve_signed(progression, trials, budget)
            } else {
                ilp.solve(progression, budget)
            }
        })
    }

    /// Makes the band's integer program that of `plan`.
    fn set_up(&mut self, band: &mut Growing, plan: Plan) -> Result<()> {
        if band.ilp.as_ref().is_some_and(|(old, _)| old.has_same_ilp(&plan)) {
            return Ok(());
        }
        let context = CostContext {
            scop: self.scop,
            group: &band.group,
            non_negative: &band.non_negative,
            has_params: plan.parametric_shift,
        };
        let stmts: Vec<(StmtId, &LoopSizes)> =
            band.group.stmts.iter().map(|&s| (s, &self.stmts[s].sizes)).collect();
        let ilp = Ilp::new(&context, &plan, &stmts, self.options.solver)?;
        band.ilp = Some((plan, ilp));
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

    /// Makes a solution the next row of the band.
    pub(crate) fn accept(
        &mut self,
        band: &mut Growing,
        (solution, fallback): FoundRow,
    ) -> Result<()> {
        band.before.push((band.spans.clone(), band.progress.clone()));
        let row = GroupRow { stmts: &band.group.stmts, rows: &solution.rows };
        let (mut coincident, mut carrier) = (true, None);
        let mut carried: Vec<DepId> = Vec::new();
        for (dep, progress) in band.group.deps.iter().zip(&mut band.progress) {
            let distance = dep.distance(&row);
            let effect = dep.effect(&distance);
            if dep.is_coincidence() && coincident && !self.is_zero(dep, &distance, effect)? {
                coincident = false;
                carrier = dep.ids.first().copied();
            }
            if effect != Effect::Zero && !progress.is_carried {
                self.advance(dep, progress, distance, effect)?;
                if progress.is_carried {
                    carried.extend(&dep.ids);
                }
            }
        }
        for ((span, rows), row) in
            band.spans.iter_mut().zip(&mut band.stmt_rows).zip(&solution.rows)
        {
            span.insert(&row.iterators);
            rows.push(row.clone());
        }
        carried.sort_unstable();
        band.rows.push(RowReport {
            dimension: band.dimension + band.rows.len(),
            member: band.rows.len(),
            stmts: band.group.stmts.clone(),
            rows: solution.rows,
            cost: solution.cost,
            carried,
            coincident,
            carrier,
            fallback,
            unmarked: band.ilp.as_ref().is_some_and(|(plan, _)| plan.unmarked),
            ilp_size: band.ilp.as_ref().map_or((0, 0), |(_, ilp)| ilp.size()),
        });
        Ok(())
    }

    /// What a row that is not zero everywhere leaves of a dependence.
    fn advance(
        &self,
        dep: &ActiveDep,
        progress: &mut Progress,
        distance: PairForm,
        effect: Effect,
    ) -> Result<()> {
        let sum = match &progress.sum {
            None => distance.clone(),
            Some(sum) => sum.clone().plus(&distance),
        };
        let is_positive = effect == Effect::Carried
            || (dep.is_validity() && progress.sum.is_some() && dep.cone.is_positive(&sum));
        progress.sum = Some(sum);
        if is_positive {
            progress.is_carried = true;
            return Ok(());
        }
        let narrowed = self.within_isl_budget(|| {
            let left = ActiveDep::at_zero(&progress.left, &distance)?;
            Ok((left.is_empty()?, left))
        })?;
        if let Some((is_empty, left)) = narrowed {
            progress.is_carried = is_empty;
            progress.is_narrowed = true;
            progress.left = left;
        }
        Ok(())
    }

    /// Whether all dependences of a group have distance zero in a row.
    pub(crate) fn is_coincident(&self, group: &Group, row: &RowReport) -> Result<bool> {
        let row = GroupRow { stmts: &row.stmts, rows: &row.rows };
        for dep in group.deps.iter().filter(|dep| dep.is_coincidence()) {
            let distance = dep.distance(&row);
            if !self.is_zero(dep, &distance, dep.effect(&distance))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the distance is zero; on the exact relation, where the cone does not say so.
    fn is_zero(&self, dep: &ActiveDep, distance: &PairForm, effect: Effect) -> Result<bool> {
        if effect != Effect::Mixed {
            return Ok(effect == Effect::Zero);
        }
        let answer = self.within_isl_budget(|| {
            let zero = ActiveDep::at_zero(&dep.relation, distance)?;
            Ok(dep.relation.is_subset(&zero)?)
        })?;
        Ok(answer.unwrap_or(false))
    }

    /// The band, with the dependences that it leaves.
    pub(crate) fn finish(&mut self, band: Growing) -> Result<FoundBand> {
        let mut left = Vec::new();
        for (dep, progress) in band.group.deps.iter().zip(&band.progress) {
            if progress.is_carried {
                continue;
            }
            let mut dep = dep.clone();
            if progress.is_narrowed {
                let simplified = self
                    .within_isl_budget(|| Ok(progress.left.coalesce()?.detect_equalities()?))?;
                dep.relation = simplified.unwrap_or_else(|| progress.left.clone());
                dep.cone = self.cones.cone(&dep.relation)?;
            }
            left.push(dep);
        }
        Ok(FoundBand { rows: band.rows, left, spans: band.spans, warnings: band.warnings })
    }
}

/// A copy without the integer program, which is made anew where it is needed.
impl Clone for Growing {
    fn clone(&self) -> Self {
        Self {
            group: self.group.clone(),
            dimension: self.dimension,
            non_negative: self.non_negative.clone(),
            ilp: None,
            stmt_rows: self.stmt_rows.clone(),
            before: self.before.clone(),
            spans: self.spans.clone(),
            progress: self.progress.clone(),
            rows: self.rows.clone(),
            warnings: self.warnings.clone(),
            was_recomputed: self.was_recomputed,
            n_recomputed: self.n_recomputed,
        }
    }
}

impl Growing {
    /// A band without rows.
    pub(crate) fn new(driver: &Driver<'_>, group: Group, dimension: usize) -> Self {
        let stmts = group.stmts.iter().map(|&stmt| &driver.stmts[stmt]);
        let spans = stmts.clone().map(|stmt| stmt.span.clone()).collect();
        let stmt_rows = stmts.map(|stmt| stmt.rows.clone()).collect();
        Self::after(driver, group, dimension, spans, stmt_rows)
    }

    /// A band without rows inside rows that are not yet the driver's, for each statement of the group.
    pub(crate) fn after(
        driver: &Driver<'_>,
        group: Group,
        dimension: usize,
        spans: Vec<Span>,
        stmt_rows: Vec<Vec<StmtRow>>,
    ) -> Self {
        let unchanged = |dep: &ActiveDep| Progress {
            left: dep.relation.clone(),
            is_narrowed: false,
            sum: None,
            is_carried: false,
        };
        Self {
            dimension,
            non_negative: non_negative(&group, driver.scop.params().len()),
            ilp: None,
            stmt_rows,
            before: Vec::new(),
            spans,
            progress: group.deps.iter().map(unchanged).collect(),
            group,
            rows: Vec::new(),
            warnings: Vec::new(),
            was_recomputed: false,
            n_recomputed: 0,
        }
    }

    /// Whether outer bands have carried every dependence.
    pub(crate) fn is_free(&self) -> bool {
        !self.group.deps.iter().any(ActiveDep::is_validity)
    }

    /// Whether a row of the band carries something.
    pub(crate) fn has_carried(&self) -> bool {
        self.progress.iter().any(|progress| progress.is_carried || progress.is_narrowed)
    }

    /// Whether a statement of the group needs no more rows.
    pub(crate) fn is_complete(&self, stmt: StmtId) -> bool {
        self.group.stmts.binary_search(&stmt).is_ok_and(|at| self.spans[at].is_full())
    }

    /// Forgets a dependence.
    pub(crate) fn without_dep(&mut self, position: usize) {
        self.group.deps.remove(position);
        self.progress.remove(position);
        self.before.iter_mut().for_each(|(_, progress)| {
            progress.remove(position);
        });
        self.ilp = None;
    }

    /// What each statement without full rank must do.
    pub(crate) fn progression(&self) -> Vec<Progression> {
        let stmts = self.group.stmts.iter().zip(&self.spans).filter(|(_, span)| !span.is_full());
        stmts.map(|(&stmt, span)| Progression::new(stmt, &span.complement())).collect()
    }

    /// What only the statements that need the most loops must do; `None` where that is all of them.
    fn progression_of_deepest(&self) -> Option<Vec<Progression>> {
        let left = |span: &Span| span.n_dims() - span.rank();
        let most = self.spans.iter().map(left).max()?;
        let stmts = self.group.stmts.iter().zip(&self.spans);
        let (deepest, shallow): (Vec<_>, Vec<_>) =
            stmts.filter(|(_, span)| !span.is_full()).partition(|(_, span)| left(span) == most);
        let progression =
            |(stmt, span): (&StmtId, &Span)| Progression::new(*stmt, &span.complement());
        (!shallow.is_empty()).then(|| deepest.into_iter().map(progression).collect())
    }

    /// Takes the last row back; says whether there was one.
    pub(crate) fn forget_last(&mut self) -> bool {
        let Some((spans, progress)) = self.before.pop() else { return false };
        (self.spans, self.progress) = (spans, progress);
        self.rows.pop();
        for rows in &mut self.stmt_rows {
            rows.pop();
        }
        true
    }
}

/// For each parameter, whether it is not negative wherever a dependence of the group holds.
fn non_negative(group: &Group, n_params: usize) -> IdVec<ParamId, bool> {
    let is_known = |p: usize| {
        let holds = |dep: &ActiveDep| {
            let mut params = vec![0_i128; n_params];
            params[p] = 1;
            let dims = |count: usize| vec![0; count];
            let first = dep.cone.rows.first();
            dep.cone.contains(&PairForm {
                constant: 0,
                params,
                source: dims(first.map_or(0, |row| row.source.len())),
                sink: dims(first.map_or(0, |row| row.sink.len())),
            })
        };
        group.deps.iter().all(holds)
    };
    (0..n_params).map(|p| is_known(ParamId::from_index(p).index())).collect()
}
