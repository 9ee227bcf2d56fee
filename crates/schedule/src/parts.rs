//! The parts of a group that do not share their loops: how they come about, and how they are ordered.

use crate::Result;
use crate::arrange::{Arrangement, PartOrder, weak_components};
use crate::band::FoundBand;
use crate::driver::Driver;
use crate::group::Group;
use crate::judge::DriverJudge;
use crate::plan::Plan;
use crate::report::RowReport;
use farkas_poly::UnionSet;
use farkas_scop::StmtId;
use farkas_tree::{Node, ScheduleTree};
use std::collections::BTreeMap;

/// Statements that share their loops.
pub(crate) struct Part {
    pub(crate) group: Group,
    /// The band, if it was looked for.
    pub(crate) found: Option<FoundBand>,
}

impl Driver<'_> {
    /// The parts of a group that do not share their loops, in an order that dependences allow.
    pub(crate) fn split(
        &mut self,
        group: &Group,
        plan: &Plan,
        dimension: usize,
        last: Option<&RowReport>,
    ) -> Result<Vec<Part>> {
        if self.strategy.part_order() == PartOrder::Sequence {
            return self.split_connected(group, plan, dimension, plan.distributes, last);
        }
        let joined = group.deps.iter().map(|dep| (dep.source, dep.sink));
        let wholes = weak_components(&group.stmts, joined);
        let distributes = plan.distributes || wholes.len() > 1;
        let mut parts = Vec::new();
        for stmts in wholes {
            let whole = group.restricted(stmts);
            parts.extend(self.split_connected(&whole, plan, dimension, distributes, last)?);
        }
        Ok(parts)
    }

    /// The parts of a group that the fusion heuristic may put together. With `distributes` they are behind the row of a
    /// sequence or set even if there is one part.
    fn split_connected(
        &mut self,
        group: &Group,
        plan: &Plan,
        dimension: usize,
        distributes: bool,
        last: Option<&RowReport>,
    ) -> Result<Vec<Part>> {
        let components = group.components();
        if components.len() == 1 && !plan.distributes {
            return Ok(vec![Part { group: group.clone(), found: None }]);
        }
        let place = (dimension, distributes);
        let mut judge = DriverJudge::new(self, (group, &components), plan, place, last);
        let partition = plan.fusion.partition(&components, &mut judge)?;
        let mut parts = Vec::with_capacity(partition.parts.len());
        for mut part in partition.parts {
            part.sort_unstable();
            let found = judge.take_band(&part)?;
            parts.push(Part { group: judge.part(&part), found });
        }
        self.report.fusion.extend(partition.decisions);
        Ok(parts)
    }

    /// The parts, by group and position, whose rows are found together.
    pub(crate) fn linked(&self, splits: &[Vec<Part>]) -> Vec<Vec<(usize, usize)>> {
        let mut linked: Vec<Vec<(usize, usize)>> = Vec::new();
        for (g, parts) in splits.iter().enumerate() {
            for (p, part) in parts.iter().enumerate() {
                let is_tied = |others: &Vec<(usize, usize)>| {
                    others.iter().any(|&(g, p)| self.are_linked(&splits[g][p].group, &part.group))
                };
                let (tied, free) = linked.into_iter().partition(is_tied);
                linked = free;
                let tied: Vec<Vec<(usize, usize)>> = tied;
                linked.push(tied.concat().into_iter().chain([(g, p)]).collect());
            }
        }
        linked.iter_mut().for_each(|parts| parts.sort_unstable());
        linked.sort_unstable();
        linked
    }

    /// Whether the strategy ties statements of both groups together.
    fn are_linked(&self, a: &Group, b: &Group) -> bool {
        let has = |group: &Group, link: &[StmtId]| {
            link.iter().any(|stmt| group.stmts.binary_search(stmt).is_ok())
        };
        self.links.iter().any(|link| has(a, link) && has(b, link))
    }

    /// The parts of a group with their trees, ordered as far as the strategy wants.
    pub(crate) fn arranged(
        &self,
        group: &Group,
        parts: &[Part],
        trees: Vec<ScheduleTree>,
    ) -> Result<ScheduleTree> {
        let mut part_of: BTreeMap<StmtId, usize> = BTreeMap::new();
        for (at, part) in parts.iter().enumerate() {
            part_of.extend(part.group.stmts.iter().map(|&stmt| (stmt, at)));
        }
        let part_of = |stmt: StmtId| part_of.get(&stmt).copied();
        let kept = group.deps.iter().filter(|dep| dep.is_validity());
        let edges = kept.filter_map(|dep| Some((part_of(dep.source)?, part_of(dep.sink)?)));
        let edges = edges.filter(|(a, b)| a != b).collect();
        let order = Arrangement::new(parts.len(), &edges, self.strategy.part_order());
        let is_leaf = |tree: &ScheduleTree| matches!(tree.node(), Node::Leaf);
        if order.is_free() && trees.iter().all(is_leaf) {
            // No node says the same.
            return Ok(ScheduleTree::leaf());
        }
        self.tree_of(&order, parts, &trees)
    }

    /// The tree of an arrangement of parts with these trees.
    fn tree_of(
        &self,
        order: &Arrangement,
        parts: &[Part],
        trees: &[ScheduleTree],
    ) -> Result<ScheduleTree> {
        let child = |order: &Arrangement| -> Result<(UnionSet, ScheduleTree)> {
            let of = order.parts();
            let stmts: Vec<StmtId> =
                of.iter().flat_map(|&part| parts[part].group.stmts.iter().copied()).collect();
            Ok((self.instances(&stmts)?, self.tree_of(order, parts, trees)?))
        };
        let all = |children: &[Arrangement]| children.iter().map(child).collect::<Result<_>>();
        Ok(match order {
            Arrangement::Part(part) => trees[*part].clone(),
            Arrangement::Sequence(children) => ScheduleTree::sequence(all(children)?),
            Arrangement::Set(children) => ScheduleTree::set(all(children)?),
        })
    }
}
