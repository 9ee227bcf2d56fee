//! The state of a scheduling run, and what it is asked of.

use crate::affine::StmtRow;
use crate::coalescing::LoopSizes;
use crate::constraint::Origin;
use crate::farkas::ConeCache;
use crate::group::{ActiveDep, Group};
use crate::plan::{Plan, State, Strategy};
use crate::relations::Relation;
use crate::remains::Remains;
use crate::report::{RowReport, ScheduleReport};
use crate::span::Span;
use crate::{Result, ScheduleOptions};
use farkas_base::{Budget, IdVec};
use farkas_deps::Components;
use farkas_deps::Dependences;
use farkas_poly::{Set, Space, UnionPwAff, UnionSet};
use farkas_scop::{Scop, StmtId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A statement while its schedule grows.
pub(crate) struct StmtState {
    /// The set space of its instances with all parameters of the scop.
    pub(crate) space: Space,
    /// The iterator parts of its rows, and what its domain fixes: a full span needs no more rows.
    pub(crate) span: Span,
    pub(crate) rows: Vec<StmtRow>,
    /// Whether one of the rows is coincident.
    pub(crate) has_parallel: bool,
    /// What is known of its loops: more, where the strategy asks for it.
    pub(crate) sizes: LoopSizes,
}

/// One scheduling run.
pub(crate) struct Driver<'a> {
    pub(crate) scop: &'a Scop,
    /// The dependences, for strategies to look at.
    pub(crate) deps: &'a Dependences,
    pub(crate) relations: &'a [Relation],
    pub(crate) strategy: &'a mut dyn Strategy,
    pub(crate) options: &'a ScheduleOptions,
    pub(crate) stmts: IdVec<StmtId, StmtState>,
    pub(crate) cones: &'a mut ConeCache,
    pub(crate) remains: &'a mut Remains,
    pub(crate) budget: Rc<Budget>,
    pub(crate) n_ilps: u64,
    pub(crate) n_pivots: u64,
    /// Integer programs that were given up.
    pub(crate) n_unsolved: u64,
    /// Origins of constraints that plans go without, while a conflict is looked into.
    pub(crate) ignored: BTreeSet<Origin>,
    /// Statements whose rows are found together.
    pub(crate) links: Vec<Vec<StmtId>>,
    pub(crate) report: ScheduleReport,
}

/// What the runs of one call share: the same relations lead to the same cones and remains, and the effort is that of all
/// runs.
pub(crate) struct Shared {
    pub(crate) cones: ConeCache,
    pub(crate) remains: Remains,
    pub(crate) budget: Rc<Budget>,
}

impl<'a> Driver<'a> {
    /// A driver that has done nothing yet.
    pub(crate) fn new(
        scop: &'a Scop,
        deps: &'a Dependences,
        relations: &'a [Relation],
        strategy: &'a mut dyn Strategy,
        options: &'a ScheduleOptions,
        Shared { cones, remains, budget }: &'a mut Shared,
    ) -> Result<Self> {
        let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
        let params = Space::params_named(&names)?;
        let max_operations = strategy.avoids_coalescing().then_some(options.max_isl_operations);
        let stmt =
            |stmt| StmtState::new(&scop.domain_of(stmt)?.align_params(&params)?, max_operations);
        let stmts = scop.stmts().ids().map(stmt).collect::<Result<Vec<_>>>()?;
        let report = ScheduleReport {
            strategy: strategy.name().to_owned(),
            reorders_live_ranges: relations.iter().any(|r| !r.ranges.apart.is_empty()),
            ..Default::default()
        };
        let links = strategy.links();
        Ok(Self {
            scop,
            deps,
            relations,
            strategy,
            options,
            stmts: stmts.into_iter().collect(),
            cones,
            remains,
            budget: Rc::clone(budget),
            n_ilps: 0,
            n_pivots: 0,
            n_unsolved: 0,
            ignored: BTreeSet::new(),
            links,
            report,
        })
    }

    /// Whether nothing is left to be ordered.
    pub(crate) fn is_done(&self, group: &Group) -> bool {
        let has_loops = group.stmts.iter().any(|&stmt| !self.stmts[stmt].span.is_full());
        let has_order = !group.deps.iter().all(ActiveDep::is_no_order);
        group.stmts.len() <= 1 && !has_order && !has_loops
    }

    /// The strategy's plan for the next dimension of `group`.
    pub(crate) fn plan(
        &mut self,
        group: &Group,
        dimension: usize,
        last: Option<&RowReport>,
    ) -> Plan {
        let rows: Vec<Vec<StmtRow>> =
            group.stmts.iter().map(|&stmt| self.stmts[stmt].rows.clone()).collect();
        let spans: Vec<Span> =
            group.stmts.iter().map(|&stmt| self.stmts[stmt].span.clone()).collect();
        let has_parallel: Vec<bool> =
            group.stmts.iter().map(|&stmt| self.stmts[stmt].has_parallel).collect();
        self.ask(&State {
            scop: self.scop,
            deps: self.deps,
            group,
            dimension,
            n_members: 0,
            attempt: 0,
            was_recomputed: false,
            last,
            rows: &rows,
            spans: &spans,
            carried: &vec![false; group.deps.len()],
            has_parallel: &has_parallel,
        })
    }

    /// The strategy's plan, without the constraints that are ignored for now.
    pub(crate) fn ask(&mut self, state: &State<'_>) -> Plan {
        let mut plan = self.strategy.plan(state);
        plan.constraints.retain(|c| c.origin.is_none_or(|origin| !self.ignored.contains(&origin)));
        plan
    }

    /// How many loops each component still needs.
    pub(crate) fn loops_left(&self, components: &Components) -> Vec<usize> {
        let left = |stmt: &StmtId| {
            let span = &self.stmts[*stmt].span;
            span.n_dims() - span.rank()
        };
        let most = |stmts: &Vec<StmtId>| stmts.iter().map(left).max().unwrap_or(0);
        components.members.iter().map(most).collect()
    }

    /// One member of a band, over all its statements.
    pub(crate) fn member(&self, rows: &[(StmtId, &StmtRow)]) -> Result<UnionPwAff> {
        let parts: Vec<_> = rows
            .iter()
            .map(|(stmt, row)| row.to_pw_aff(&self.stmts[*stmt].space))
            .collect::<farkas_poly::Result<_>>()?;
        Ok(UnionPwAff::union_all(parts)?)
    }

    /// All instances of `stmts`, as the filter of a sequence.
    pub(crate) fn instances(&self, stmts: &[StmtId]) -> Result<UnionSet> {
        let sets: Vec<Set> = stmts
            .iter()
            .map(|&stmt| Set::universe(&self.stmts[stmt].space))
            .collect::<farkas_poly::Result<_>>()?;
        Ok(UnionSet::union_all(sets)?)
    }

    /// Runs isl work within the budget; `None` when it ran out.
    pub(crate) fn within_isl_budget<T>(
        &self,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<Option<T>> {
        self.options.within_isl_budget(work)
    }
}

impl StmtState {
    /// A statement without rows; all that can be known of the sizes of its loops takes at most `max_operations` of isl's, if
    /// that much is wanted.
    fn new(domain: &Set, max_operations: Option<u64>) -> Result<Self> {
        let hull = domain.affine_hull()?.constraints()?;
        let affine = hull.equalities.into_iter().filter(|row| row.divs.iter().all(|&c| c == 0));
        let equalities: Vec<Vec<i64>> = affine.map(|row| row.dims).collect();
        let n_dims = domain.dim(farkas_poly::DimType::SET)? as usize;
        let find = || LoopSizes::of(domain, &equalities);
        let sizes = match max_operations.map(|max| farkas_poly::with_budget(max, find)) {
            None => LoopSizes::of_bounds(domain)?,
            Some(Err(crate::Error::Poly(farkas_poly::Error::OutOfBudget))) => {
                LoopSizes::unknown(n_dims)
            }
            Some(sizes) => sizes?,
        };
        let mut span = Span::new(n_dims);
        if sizes.has_fixed() {
            for dim in (0..n_dims).filter(|&dim| sizes.is_fixed[dim]) {
                let unit: Vec<i64> = (0..n_dims).map(|other| i64::from(other == dim)).collect();
                span.insert(&unit);
            }
        } else {
            equalities.iter().for_each(|row| {
                span.insert(row);
            });
        }
        let (space, rows) = (domain.space()?, Vec::new());
        Ok(Self { space, span, rows, has_parallel: false, sizes })
    }
}
