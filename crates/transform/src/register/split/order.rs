//! What must come before what among the instances of one iteration of the loops around them.

use super::dates;
use crate::Result;
use farkas_deps::Dependences;
use farkas_poly::{MultiUnionPwAff, UnionMap, UnionSet};
use farkas_scop::{AccessId, Scop, StmtId};
use farkas_tree::Member;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of instances of two statements that must stay in order.
#[derive(Clone)]
struct Edge {
    /// The statement of the first, by name.
    source: String,
    /// The statement of the second, by name.
    sink: String,
    /// Whether both touch the sum of a statement, and nothing else.
    is_sum: bool,
    pairs: UnionMap,
}

/// The pairs that must stay in order.
#[derive(Clone)]
pub(super) struct Order {
    edges: Vec<Edge>,
}

/// How often instances that must come first are looked for: each round follows dependences one step back.
const MAX_ROUNDS: usize = 8;

impl Order {
    /// That of all dependences; `sums` are the accesses to the sum of each statement that may be split.
    pub(super) fn of(
        scop: &Scop,
        deps: &Dependences,
        sums: &BTreeMap<StmtId, Vec<AccessId>>,
    ) -> Result<Self> {
        let mut edges = Vec::new();
        for (_, dep) in deps.validity() {
            let of_sum = |access| sums.get(&dep.source).is_some_and(|ids| ids.contains(access));
            let is_sum =
                dep.source == dep.sink && of_sum(&dep.source_access) && of_sum(&dep.sink_access);
            let pairs = dep.relation.to_union_map()?;
            let [source, sink] = [dep.source, dep.sink].map(|stmt| scop.stmts()[stmt].name.clone());
            edges.push(Edge { source, sink, is_sum, pairs });
        }
        Ok(Self { edges })
    }

    /// The same for other pairs.
    fn with_pairs(&self, pairs: impl Fn(&UnionMap) -> Result<UnionMap>) -> Result<Self> {
        let mut edges = Vec::new();
        for edge in &self.edges {
            let pairs = pairs(&edge.pairs)?;
            if !pairs.is_empty()? {
                edges.push(Edge { pairs, ..edge.clone() });
            }
        }
        Ok(Self { edges })
    }

    /// That among some instances.
    pub(super) fn among(&self, instances: &UnionSet) -> Result<Self> {
        self.with_pairs(|pairs| {
            Ok(pairs.intersect_domain(instances)?.intersect_range(instances)?)
        })
    }

    /// That within one iteration of loops with these dates.
    pub(super) fn within(&self, dates: &MultiUnionPwAff) -> Result<Self> {
        self.with_pairs(|pairs| Ok(pairs.eq_at_multi_union_pw_aff(dates)?))
    }

    /// That among new instances, given from old ones.
    pub(super) fn moved(&self, new: &UnionMap) -> Result<Self> {
        self.with_pairs(|pairs| Ok(pairs.apply_domain(new)?.apply_range(new)?))
    }

    /// Whether a loop may stand around all others: it never runs backwards.
    pub(super) fn allows_outermost(&self, member: &Member) -> Result<bool> {
        let date = dates(std::slice::from_ref(member))?;
        let back = self.with_pairs(|pairs| Ok(pairs.lex_gt_at_multi_union_pw_aff(&date)?))?;
        Ok(back.edges.is_empty())
    }

    /// Whether a loop's iterations may run in any order.
    pub(super) fn allows_any_order(&self, member: &Member) -> Result<bool> {
        let date = dates(std::slice::from_ref(member))?;
        let carried =
            self.with_pairs(|pairs| Ok(pairs.subtract(&pairs.eq_at_multi_union_pw_aff(&date)?)?))?;
        Ok(carried.edges.is_empty())
    }

    /// Whether sums of these statements depend on more than their own earlier terms.
    pub(super) fn entangles(&self, sums: &[String]) -> bool {
        self.edges.iter().any(|edge| !edge.is_sum && sums.contains(&edge.sink))
    }

    /// Whether sums of a statement depend on others of the same, as those of a solver do.
    pub(super) fn is_recurrent(&self, sum: &str) -> bool {
        let mut reached = BTreeSet::from([sum]);
        loop {
            let edges = self.edges.iter().filter(|e| !e.is_sum);
            let next = edges.filter(|e| reached.contains(e.source.as_str()));
            let next: Vec<&str> = next.map(|edge| edge.sink.as_str()).collect();
            if next.contains(&sum) {
                return true;
            }
            let n_before = reached.len();
            reached.extend(next);
            if reached.len() == n_before {
                return false;
            }
        }
    }

    /// The instances among `all` that must come before far sums: what sums depend on, but for their own earlier terms, and all
    /// that comes before it. `None` where it takes too long to find it.
    pub(super) fn before(&self, sums: &[String], all: &UnionSet) -> Result<Option<UnionSet>> {
        let mut before = UnionSet::none()?;
        for edge in self.edges.iter().filter(|e| !e.is_sum && sums.contains(&e.sink)) {
            before = before.union(&edge.pairs.domain()?)?;
        }
        self.closed(before, all)
    }

    /// Some of the instances `all`, with those that must come before them. `None` where it takes too long to find these.
    pub(super) fn closed(&self, some: UnionSet, all: &UnionSet) -> Result<Option<UnionSet>> {
        let mut before = coalesced(&some.intersect(all)?)?;
        for _ in 0..MAX_ROUNDS {
            let mut found = before.clone();
            for edge in &self.edges {
                found = found.union(&edge.pairs.intersect_range(&before)?.domain()?)?;
            }
            let found = coalesced(&found.intersect(all)?)?;
            if found.is_subset(&before)? {
                return Ok(Some(before));
            }
            before = found;
        }
        Ok(None)
    }
}

/// The same instances in fewer pieces.
pub(super) fn coalesced(instances: &UnionSet) -> Result<UnionSet> {
    let sets = instances.sets()?;
    let sets = sets.iter().map(|set| Ok(set.coalesce()?));
    Ok(UnionSet::union_all(sets.collect::<Result<Vec<_>>>()?)?)
}
