//! What dependences are left where all loops but the rows stand still.

use crate::Result;
use farkas_deps::Dependences;
use farkas_poly::{Map, UnionSet};
use farkas_scop::StmtId;
use farkas_tree::Member;
use std::collections::{BTreeMap, BTreeSet};

/// The dependences between instances with equal dates in a number of loops.
pub(crate) struct Residual {
    /// The statements, in the order of the scop.
    stmts: Vec<StmtId>,
    /// Pairs of statements with such dependences, and whether some of them lie at different places of their rows.
    edges: BTreeMap<(StmtId, StmtId), bool>,
}

impl Residual {
    /// The dependences among `instances` of `stmts` that have equal dates in the loops `fixed`, seen along `row`.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn new(
        deps: &Dependences,
        instances: &UnionSet,
        stmts: &[StmtId],
        fixed: &[Member],
        row: &Member,
    ) -> Result<Self> {
        let mut edges = BTreeMap::new();
        for (_, dep) in deps.validity() {
            let ends = (dep.source, dep.sink);
            let is_known = edges.get(&ends) == Some(&true);
            if is_known || !stmts.contains(&dep.source) || !stmts.contains(&dep.sink) {
                continue;
            }
            let left = left_over(&dep.relation, instances, fixed)?;
            if left.is_empty()? {
                continue;
            }
            let moves = !left.is_subset(&same_date(&left, row)?)?;
            *edges.entry(ends).or_insert(false) |= moves;
        }
        Ok(Self { stmts: stmts.to_vec(), edges })
    }

    /// The statements in groups that may run one after another: no dependence leads from a group to one before it. A
    /// group is as small as it can be; where dependences leave the order open, it is the scop's.
    pub(crate) fn groups(&self) -> Vec<BTreeSet<StmtId>> {
        let reached: BTreeMap<StmtId, BTreeSet<StmtId>> =
            self.stmts.iter().map(|&stmt| (stmt, self.reached_from(stmt))).collect();
        let mut left: Vec<StmtId> = self.stmts.clone();
        let mut groups = Vec::new();
        while let Some(first) = left.iter().copied().find(|stmt| {
            let is_before =
                |other: &StmtId| reached[other].contains(stmt) && !reached[stmt].contains(other);
            !left.iter().any(is_before)
        }) {
            let in_cycle =
                |other: &StmtId| reached[&first].contains(other) && reached[other].contains(&first);
            let group: BTreeSet<StmtId> =
                left.iter().copied().filter(|s| *s == first || in_cycle(s)).collect();
            left.retain(|stmt| !group.contains(stmt));
            groups.push(group);
        }
        groups
    }

    /// Whether a dependence leads from a statement of one group to one of the other, at another place of the row; of one group, where it is
    /// both.
    pub(crate) fn moves_between(&self, one: &BTreeSet<StmtId>, other: &BTreeSet<StmtId>) -> bool {
        let joins =
            |a, b| one.contains(a) && other.contains(b) || other.contains(a) && one.contains(b);
        self.edges.iter().any(|((a, b), moves)| *moves && joins(a, b))
    }

    /// Whether a dependence leads from a statement of `first` to one of `second`.
    pub(crate) fn leads(&self, first: &BTreeSet<StmtId>, second: &BTreeSet<StmtId>) -> bool {
        self.edges.keys().any(|(a, b)| first.contains(a) && second.contains(b))
    }

    /// The statements that dependences lead to, in one step or several.
    fn reached_from(&self, stmt: StmtId) -> BTreeSet<StmtId> {
        let (mut reached, mut todo) = (BTreeSet::new(), vec![stmt]);
        while let Some(here) = todo.pop() {
            let next = self.edges.keys().filter(|(from, _)| *from == here).map(|(_, to)| *to);
            let new: Vec<StmtId> = next.filter(|to| !reached.contains(to)).collect();
            reached.extend(&new);
            todo.extend(new);
        }
        reached
    }
}

/// Those of `pairs` among `instances` that have equal dates in the loops `fixed`.
///
/// # Errors
/// When isl refuses.
pub(crate) fn left_over(pairs: &Map, instances: &UnionSet, fixed: &[Member]) -> Result<Map> {
    let space = pairs.space()?;
    let mut left = pairs
        .intersect_domain(&instances.extract_set(&space.domain()?)?)?
        .intersect_range(&instances.extract_set(&space.range()?)?)?;
    for member in fixed {
        left = left.intersect(&same_date(&left, member)?)?;
    }
    Ok(left)
}

/// The pairs in the space of `pairs` whose dates in a loop are equal.
///
/// # Errors
/// When isl refuses.
pub(crate) fn same_date(pairs: &Map, member: &Member) -> Result<Map> {
    let space = pairs.space()?;
    let source = member.schedule.extract_pw_aff(&space.domain()?)?.to_map()?;
    let sink = member.schedule.extract_pw_aff(&space.range()?)?.to_map()?;
    Ok(source.apply_range(&sink.reverse()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farkas_base::Id;

    /// The groups of statements `0..n` with dependences `edges`, as numbers.
    fn groups(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let ids: Vec<StmtId> = (0..n).map(StmtId::from_index).collect();
        let edges = edges.iter().map(|&(a, b)| ((ids[a], ids[b]), false)).collect();
        let residual = Residual { stmts: ids, edges };
        residual.groups().iter().map(|group| group.iter().map(|id| id.index()).collect()).collect()
    }

    #[test]
    fn groups_follow_dependences() {
        assert_eq!(groups(3, &[]), [vec![0], vec![1], vec![2]]);
        assert_eq!(groups(3, &[(2, 0), (0, 0)]), [vec![1], vec![2], vec![0]]);
        assert_eq!(groups(4, &[(0, 2), (2, 0), (2, 1), (3, 0)]), [vec![3], vec![0, 2], vec![1]]);
    }
}
