//! The driver: PolyTOPS' Algorithm 1, group by group.

use crate::affine::StmtRow;
use crate::band::FoundBand;
use crate::components::Components;
use crate::farkas::ConeCache;
use crate::fusion::{BandWorth, Judge};
use crate::group::Group;
use crate::original::OriginalOrder;
use crate::plan::{Plan, State, Strategy};
use crate::report::{RowReport, ScheduleReport, ScheduleStats, Warning};
use crate::span::Span;
use crate::{Result, ScheduleOptions, Scheduled};
use farkas_base::{Budget, IdVec};
use farkas_deps::{DependenceKind, Dependences};
use farkas_poly::{Set, Space, UnionPwAff, UnionSet};
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Band, Member, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};

/// A statement while its schedule grows.
pub(crate) struct StmtState {
    /// The set space of its instances with all parameters of the scop.
    pub(crate) space: Space,
    /// The iterator parts of its rows, and what its domain fixes: a full span needs no more rows.
    pub(crate) span: Span,
    pub(crate) rows: Vec<StmtRow>,
}

/// One scheduling run.
pub(crate) struct Driver<'a> {
    pub(crate) scop: &'a Scop,
    pub(crate) deps: &'a Dependences,
    pub(crate) strategy: &'a mut dyn Strategy,
    pub(crate) options: &'a ScheduleOptions,
    pub(crate) stmts: IdVec<StmtId, StmtState>,
    pub(crate) cones: ConeCache,
    pub(crate) budget: Budget,
    pub(crate) n_ilps: u64,
    pub(crate) n_pivots: u64,
    report: ScheduleReport,
}

impl<'a> Driver<'a> {
    /// A driver that has done nothing yet.
    pub(crate) fn new(
        scop: &'a Scop,
        deps: &'a Dependences,
        strategy: &'a mut dyn Strategy,
        options: &'a ScheduleOptions,
    ) -> Result<Self> {
        let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
        let params = Space::params_named(&names)?;
        let stmt = |stmt| StmtState::new(&scop.domain_of(stmt)?.align_params(&params)?);
        let stmts = scop.stmts().ids().map(stmt).collect::<Result<Vec<_>>>()?;
        let report = ScheduleReport { strategy: strategy.name().to_owned(), ..Default::default() };
        Ok(Self {
            scop,
            deps,
            strategy,
            options,
            stmts: stmts.into_iter().collect(),
            cones: ConeCache::default(),
            budget: Budget::new(options.max_solver_work),
            n_ilps: 0,
            n_pivots: 0,
            report,
        })
    }

    /// Schedules everything. Where that takes too large numbers, the original order is the result.
    pub(crate) fn run(mut self) -> Result<Scheduled> {
        let tree = match self.tree() {
            Err(error) if error.is_effort() => {
                let stmts = self.scop.stmts().ids().collect();
                let reason = error.to_string();
                self.report.rows.clear();
                self.report.warnings = vec![Warning::TooLarge { stmts, reason }];
                farkas_tree::original_tree(self.scop)?
            }
            tree => tree?,
        };
        let stats = ScheduleStats {
            n_pivots: self.n_pivots,
            solver_work: self.budget.spent(),
            n_ilps: self.n_ilps,
            n_shapes: self.cones.len(),
        };
        Ok(Scheduled { tree, report: self.report, stats })
    }

    /// The schedule of everything.
    fn tree(&mut self) -> Result<ScheduleTree> {
        let group = Group::of_all(self.scop.stmts().ids(), self.deps, &mut self.cones)?;
        let child = self.order(group, 0, None)?;
        Ok(ScheduleTree::domain(self.scop.domain()?, child))
    }

    /// Orders what is left of `group`: components that are not fused one after another, each by a band.
    fn order(
        &mut self,
        group: Group,
        dimension: usize,
        last: Option<&RowReport>,
    ) -> Result<ScheduleTree> {
        let has_loops = group.stmts.iter().any(|&stmt| !self.stmts[stmt].span.is_full());
        if group.stmts.is_empty() || (group.stmts.len() == 1 && group.deps.is_empty() && !has_loops)
        {
            return Ok(ScheduleTree::leaf());
        }
        let components = Components::of(&group);
        if components.len() == 1 {
            let found = self.find_band(&group, dimension, last)?;
            return self.band(&group, found, dimension);
        }
        let plan = self.plan(&group, dimension, last);
        let mut judge = DriverJudge {
            loops_left: self.loops_left(&components),
            driver: self,
            group: &group,
            components: &components,
            related: related(&group, &components, &plan.proximity_kinds),
            dimension,
            last,
            bands: BTreeMap::new(),
        };
        let partition = plan.fusion.partition(&components, &mut judge)?;
        let mut bands = judge.bands;
        self.report.fusion.extend(partition.decisions);
        let is_sequence = partition.parts.len() > 1;
        let inner = if is_sequence { dimension + 1 } else { dimension };
        let mut children = Vec::new();
        for mut part in partition.parts {
            part.sort_unstable();
            let stmts = components.stmts(&part);
            let filter = self.instances(&stmts)?;
            let group = group.restricted(stmts);
            let found = match bands.remove(&part) {
                Some(found) => found,
                None => self.find_band(&group, inner, last)?,
            };
            children.push((filter, self.band(&group, found, inner)?));
        }
        Ok(ScheduleTree::sequence(children))
    }

    /// `found` as a node, over what it leaves unordered; without a row, the components one after another.
    fn band(&mut self, group: &Group, found: FoundBand, dimension: usize) -> Result<ScheduleTree> {
        self.report.warnings.extend(found.warnings);
        let Some(last) = found.rows.last().cloned() else {
            return self.without_band(group, dimension);
        };
        for (&stmt, span) in group.stmts.iter().zip(found.spans) {
            self.stmts[stmt].span = span;
        }
        let n_rows = found.rows.len();
        let mut members = Vec::with_capacity(n_rows);
        for row in found.rows {
            for (&stmt, stmt_row) in row.stmts.iter().zip(&row.rows) {
                self.stmts[stmt].rows.push(stmt_row.clone());
            }
            members.push(Member::new(self.member(&row)?, row.coincident));
            self.report.rows.push(row);
        }
        let rest = Group { stmts: group.stmts.clone(), deps: found.left };
        let child = self.order(rest, dimension + n_rows, Some(&last))?;
        Ok(ScheduleTree::band(Band { members, permutable: true }, child))
    }

    /// What remains to be done for a group that no row was found for.
    fn without_band(&mut self, group: &Group, dimension: usize) -> Result<ScheduleTree> {
        let has_loops = group.stmts.iter().any(|&stmt| !self.stmts[stmt].span.is_full());
        if group.stmts.len() == 1 && group.deps.is_empty() && !has_loops {
            return Ok(ScheduleTree::leaf());
        }
        let components = Components::of(group);
        if components.len() == 1 {
            self.report.warnings.push(Warning::OriginalOrder { stmts: group.stmts.clone() });
            return OriginalOrder::of(self.scop)?.restricted_to(&self.instances(&group.stmts)?);
        }
        if has_loops {
            self.report.warnings.push(Warning::Unfusible { stmts: group.stmts.clone() });
        }
        let mut children = Vec::new();
        for stmts in components.members {
            let filter = self.instances(&stmts)?;
            children.push((filter, self.order(group.restricted(stmts), dimension + 1, None)?));
        }
        Ok(ScheduleTree::sequence(children))
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
        self.strategy.plan(&State {
            scop: self.scop,
            deps: self.deps,
            group,
            dimension,
            n_members: 0,
            attempt: 0,
            was_recomputed: false,
            last,
            rows: &rows,
        })
    }

    /// How many loops each component still needs.
    fn loops_left(&self, components: &Components) -> Vec<usize> {
        let left = |stmt: &StmtId| {
            let span = &self.stmts[*stmt].span;
            span.n_dims() - span.rank()
        };
        let most = |stmts: &Vec<StmtId>| stmts.iter().map(left).max().unwrap_or(0);
        components.members.iter().map(most).collect()
    }

    /// One member of a band, over all its statements.
    fn member(&self, row: &RowReport) -> Result<UnionPwAff> {
        let parts = row.stmts.iter().zip(&row.rows);
        let parts: Vec<_> = parts
            .map(|(&stmt, row)| row.to_pw_aff(&self.stmts[stmt].space))
            .collect::<farkas_poly::Result<_>>()?;
        Ok(UnionPwAff::union_all(parts)?)
    }

    /// All instances of `stmts`, as the filter of a sequence.
    fn instances(&self, stmts: &[StmtId]) -> Result<UnionSet> {
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
        match farkas_poly::with_budget(self.options.max_isl_operations, work) {
            Ok(value) => Ok(Some(value)),
            Err(crate::Error::Poly(farkas_poly::Error::OutOfBudget)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl StmtState {
    /// A statement without rows.
    fn new(domain: &Set) -> Result<Self> {
        let hull = domain.affine_hull()?.constraints()?;
        let mut span = Span::new(domain.dim(farkas_poly::DimType::SET)? as usize);
        for row in hull.equalities.iter().filter(|row| row.divs.iter().all(|&c| c == 0)) {
            span.insert(&row.dims);
        }
        Ok(Self { space: domain.space()?, span, rows: Vec::new() })
    }
}

/// Pairs of components, the smaller first, that a dependence of these kinds joins.
fn related(
    group: &Group,
    components: &Components,
    kinds: &[DependenceKind],
) -> BTreeSet<(usize, usize)> {
    let mut component_of: BTreeMap<StmtId, usize> = BTreeMap::new();
    for (component, stmts) in components.members.iter().enumerate() {
        component_of.extend(stmts.iter().map(|&stmt| (stmt, component)));
    }
    let deps = group.deps.iter().filter(|dep| dep.is_any_of(kinds));
    let pairs = deps.map(|dep| (component_of[&dep.source], component_of[&dep.sink]));
    pairs.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect()
}

/// Answers a fusion heuristic by looking for bands, which are kept.
struct DriverJudge<'d, 'a> {
    driver: &'d mut Driver<'a>,
    group: &'d Group,
    components: &'d Components,
    related: BTreeSet<(usize, usize)>,
    dimension: usize,
    last: Option<&'d RowReport>,
    loops_left: Vec<usize>,
    bands: BTreeMap<Vec<usize>, FoundBand>,
}

impl Judge for DriverJudge<'_, '_> {
    fn loops_left(&self, component: usize) -> usize {
        self.loops_left[component]
    }

    fn are_related(&self, a: usize, b: usize) -> bool {
        self.related.contains(&(a.min(b), a.max(b)))
    }

    fn can_be_parallel(&mut self, components: &[usize]) -> Result<bool> {
        let part = self.group.restricted(self.components.stmts(components));
        self.driver.can_be_parallel(&part, self.dimension, self.last)
    }

    fn band(&mut self, components: &[usize]) -> Result<BandWorth> {
        let mut components = components.to_vec();
        components.sort_unstable();
        if let Some(found) = self.bands.get(&components) {
            return Ok(found.worth());
        }
        let part = self.group.restricted(self.components.stmts(&components));
        let found = self.driver.find_band(&part, self.dimension, self.last)?;
        let worth = found.worth();
        self.bands.insert(components, found);
        Ok(worth)
    }
}
