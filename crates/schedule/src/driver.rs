//! The driver: PolyTOPS' Algorithm 1, group by group.

use crate::affine::StmtRow;
use crate::band::{FoundBand, Remains};
use crate::coalescing::LoopSizes;
use crate::components::Components;
use crate::farkas::ConeCache;
use crate::gpu::mapped;
use crate::group::{ActiveDep, Group};
use crate::influence::Levels;
use crate::plan::{Origin, Plan, State, Strategy};
use crate::relations::Relation;
use crate::report::{RowReport, ScheduleReport, ScheduleStats, Warning};
use crate::sequence::Splits;
use crate::span::Span;
use crate::{Result, ScheduleOptions, Scheduled};
use farkas_base::{Budget, IdVec};
use farkas_deps::Dependences;
use farkas_poly::{Set, Space, UnionPwAff, UnionSet};
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Band, Member, ScheduleTree, original_tree};
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
    relations: &'a [Relation],
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

    /// Schedules everything. Where that takes too large numbers, the original order is the result.
    pub(crate) fn run(mut self) -> Result<Scheduled> {
        let tree = match self.tree() {
            Err(error) if error.is_effort() => {
                let stmts = self.scop.stmts().ids().collect();
                let reason = error.to_string();
                self.report.rows.clear();
                self.report.sequences.clear();
                self.report.warnings = vec![Warning::TooLarge { stmts, reason }];
                original_tree(self.scop)?
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
        let all = Group::of_all(self.scop.stmts().ids(), self.relations, self.cones)?;
        let is_last = |stmt: &StmtId| self.options.last.contains(stmt);
        let (last, first): (Vec<StmtId>, Vec<StmtId>) =
            all.stmts.iter().copied().partition(is_last);
        if last.is_empty() || first.is_empty() {
            let child = self.child(all)?;
            return Ok(ScheduleTree::domain(self.scop.domain()?, child));
        }
        let filters = (self.instances(&first)?, self.instances(&last)?);
        let child = self.child(all.restricted(first))?;
        let last = self.order(&[all.restricted(last)], 1, None)?.remove(0);
        let children = vec![(filters.0, child), (filters.1, last)];
        Ok(ScheduleTree::domain(self.scop.domain()?, ScheduleTree::sequence(children)))
    }

    /// The schedule of a group.
    fn child(&mut self, group: Group) -> Result<ScheduleTree> {
        let influenced = match self.strategy.influence() {
            Some(tree) => self.follow(&group, &tree)?,
            None => None,
        };
        let (levels, groups) = influenced.unwrap_or_else(|| (Levels::default(), vec![group]));
        let last = levels.rows().last().cloned();
        self.report.rows.extend(levels.rows().cloned());
        self.report.sequences.extend(levels.sequences());
        let trees = self.order(&groups, levels.n_dimensions(), last.as_ref())?;
        self.tree_of_levels(&levels, trees)
    }

    /// Orders what is left of some groups that run one after another but whose rows are found together: components that
    /// are not fused one after another, each by a band. The trees are those of the groups.
    pub(crate) fn order(
        &mut self,
        groups: &[Group],
        dimension: usize,
        last: Option<&RowReport>,
    ) -> Result<Vec<ScheduleTree>> {
        if groups.iter().all(|group| self.is_done(group)) {
            return Ok(vec![ScheduleTree::leaf(); groups.len()]);
        }
        let plan = self.plan(&Group::merged(groups), dimension, last);
        let Splits { parts: mut splits, is_scalar } =
            self.splits(groups, &plan, dimension, last)?;
        let inner = if is_scalar { dimension + 1 } else { dimension };
        let mut trees: Vec<Vec<ScheduleTree>> =
            splits.iter().map(|parts| vec![ScheduleTree::leaf(); parts.len()]).collect();
        for linked in self.linked(&splits) {
            let parts: Vec<Group> =
                linked.iter().map(|&(g, p)| splits[g][p].group.clone()).collect();
            let known = match linked.as_slice() {
                &[(g, p)] => splits[g][p].found.take(),
                _ => None,
            };
            let found = match known {
                Some(found) => found,
                None => self.find_band(Group::merged(&parts), inner, last)?,
            };
            for (&(g, p), tree) in linked.iter().zip(self.bands(&parts, found, inner)?) {
                trees[g][p] = tree;
            }
        }
        let orders = groups.iter().zip(splits).zip(trees);
        orders.map(|((group, parts), trees)| self.arranged(group, &parts, trees)).collect()
    }

    /// Whether nothing is left to be ordered.
    pub(crate) fn is_done(&self, group: &Group) -> bool {
        let has_loops = group.stmts.iter().any(|&stmt| !self.stmts[stmt].span.is_full());
        let has_order = !group.deps.iter().all(ActiveDep::is_no_order);
        group.stmts.len() <= 1 && !has_order && !has_loops
    }

    /// `found` as a node for each of the groups that it was found for, over what it leaves unordered; without a row, the
    /// components of each group one after another.
    pub(crate) fn bands(
        &mut self,
        groups: &[Group],
        found: FoundBand,
        dimension: usize,
    ) -> Result<Vec<ScheduleTree>> {
        self.report.warnings.extend(found.warnings);
        let Some(last) = found.rows.last().cloned() else {
            return self.without_band(groups, dimension);
        };
        let merged = Group::merged(groups);
        let is_mapped = self.strategy.maps_threads()
            && !merged.stmts.iter().any(|&stmt| self.stmts[stmt].has_parallel);
        for (&stmt, span) in merged.stmts.iter().zip(found.spans) {
            self.stmts[stmt].span = span;
        }
        for row in &found.rows {
            for (&stmt, stmt_row) in row.stmts.iter().zip(&row.rows) {
                self.stmts[stmt].rows.push(stmt_row.clone());
                self.stmts[stmt].has_parallel |= row.coincident;
            }
        }
        let left = Group { stmts: merged.stmts, deps: found.left };
        let rest: Vec<Group> =
            groups.iter().map(|group| left.restricted(group.stmts.clone())).collect();
        self.report.rows.extend(found.rows.iter().cloned());
        let children = self.order(&rest, dimension + found.rows.len(), Some(&last))?;
        let nodes = groups.iter().zip(children);
        nodes
            .map(|(group, child)| {
                let band = self.band_node(group, groups.len(), &found.rows, child)?;
                if is_mapped { mapped(band, group, &found.rows) } else { Ok(band) }
            })
            .collect()
    }

    /// The part of a band that schedules `group`, one of `n_groups`.
    pub(crate) fn band_node(
        &self,
        group: &Group,
        n_groups: usize,
        rows: &[RowReport],
        child: ScheduleTree,
    ) -> Result<ScheduleTree> {
        let mut members = Vec::with_capacity(rows.len());
        for row in rows.iter().filter(|row| !row.is_constant(&group.stmts)) {
            let of_group: Vec<(StmtId, &StmtRow)> = row.of(&group.stmts).collect();
            let coincident =
                if n_groups == 1 { row.coincident } else { self.is_coincident(group, row)? };
            let coincident = coincident && !row.unmarked;
            let is_wanted =
                of_group.iter().all(|(stmt, row)| self.strategy.may_be_parallel(*stmt, row));
            members.push(Member::new(self.member(&of_group)?, coincident && is_wanted));
        }
        if members.is_empty() {
            return Ok(child);
        }
        let permutable = rows.iter().all(|row| !row.unmarked);
        Ok(ScheduleTree::band(Band { members, permutable }, child))
    }

    /// What remains to be done for groups, whose rows are found together, that no row was found for: their components, one
    /// after another; of components alone the original order.
    fn without_band(&mut self, groups: &[Group], dimension: usize) -> Result<Vec<ScheduleTree>> {
        if groups.iter().all(|group| self.is_done(group)) {
            return Ok(vec![ScheduleTree::leaf(); groups.len()]);
        }
        if groups.iter().all(|group| Components::of(group).len() == 1) {
            if let Some(conflict) = self.conflict(&Group::merged(groups), dimension)? {
                return Err(conflict);
            }
            return groups.iter().map(|group| self.in_original_order(group)).collect();
        }
        for group in groups {
            let is_open = |stmt: &StmtId| !self.stmts[*stmt].span.is_full();
            if Components::of(group).len() > 1 && group.stmts.iter().any(is_open) {
                self.report.warnings.push(Warning::Unfusible { stmts: group.stmts.clone() });
            }
        }
        let splits = self.components_apart(groups, dimension)?;
        let mut trees: Vec<Vec<ScheduleTree>> =
            splits.iter().map(|parts| vec![ScheduleTree::leaf(); parts.len()]).collect();
        for linked in self.linked(&splits) {
            let parts: Vec<Group> =
                linked.iter().map(|&(g, p)| splits[g][p].group.clone()).collect();
            for (&(g, p), tree) in linked.iter().zip(self.order(&parts, dimension + 1, None)?) {
                trees[g][p] = tree;
            }
        }
        let orders = groups.iter().zip(splits).zip(trees);
        orders.map(|((group, parts), trees)| self.arranged(group, &parts, trees)).collect()
    }

    /// A group in its original order, for want of a row.
    fn in_original_order(&mut self, group: &Group) -> Result<ScheduleTree> {
        if self.is_done(group) {
            return Ok(ScheduleTree::leaf());
        }
        self.report.warnings.push(Warning::OriginalOrder { stmts: group.stmts.clone() });
        let original = original_tree(self.scop)?.restricted_to(&self.instances(&group.stmts)?)?;
        Ok(original.children().first().cloned().unwrap_or(original))
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
    fn member(&self, rows: &[(StmtId, &StmtRow)]) -> Result<UnionPwAff> {
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
        match farkas_poly::with_budget(self.options.max_isl_operations, work) {
            Ok(value) => Ok(Some(value)),
            Err(crate::Error::Poly(farkas_poly::Error::OutOfBudget)) => Ok(None),
            Err(error) => Err(error),
        }
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
