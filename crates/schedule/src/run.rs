//! A scheduling run: PolyTOPS' Algorithm 1, group by group.

use crate::affine::StmtRow;
use crate::band::FoundBand;
use crate::driver::Driver;
use crate::group::Group;
use crate::influence::Levels;
use crate::report::{RowReport, ScheduleStats, Warning};
use crate::sequence::Splits;
use crate::{Result, Scheduled};
use farkas_scop::StmtId;
use farkas_tree::{Band, Member, ScheduleTree, original_tree};

impl Driver<'_> {
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
            return self.of_running(child);
        }
        let filters = (self.instances(&first)?, self.instances(&last)?);
        let child = self.child(all.restricted(first))?;
        let last = self.order(&[all.restricted(last)], 1, None)?.remove(0);
        let children = vec![(filters.0, child), (filters.1, last)];
        self.of_running(ScheduleTree::sequence(children))
    }

    /// The tree over all instances, without parts for statements that never run: nothing around these has a name.
    fn of_running(&self, child: ScheduleTree) -> Result<ScheduleTree> {
        let domain = self.scop.domain()?;
        let child = match domain.sets()?.len() < self.scop.stmts().len() {
            true => child.pruned_to(&domain)?,
            false => child,
        };
        Ok(ScheduleTree::domain(domain, child))
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
            .map(|(group, child)| self.band_node(group, groups.len(), &found.rows, child))
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
            let member = Member::new(self.member(&of_group)?, coincident && is_wanted);
            members.push(Member { walks_lines: row.walks_lines, ..member });
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
        if groups.iter().all(|group| group.components().len() == 1) {
            if let Some(conflict) = self.conflict(&Group::merged(groups), dimension)? {
                return Err(conflict);
            }
            return groups.iter().map(|group| self.in_original_order(group)).collect();
        }
        for group in groups {
            let is_open = |stmt: &StmtId| !self.stmts[*stmt].span.is_full();
            if group.components().len() > 1 && group.stmts.iter().any(is_open) {
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
}
