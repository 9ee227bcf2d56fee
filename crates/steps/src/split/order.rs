//! What must come before what among the instances of one iteration of the loops around them.

use super::strips::dates;
use crate::Result;
use farkas_deps::Dependences;
use farkas_poly::{MultiUnionPwAff, Set, UnionMap, UnionSet};
use farkas_scop::{AccessId, AccessKind, BodyStmt, Scop, Statement, StmtId};
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

/// The pairs of instances that must stay in order.
#[derive(Clone)]
pub struct Order {
    edges: Vec<Edge>,
}

/// How often instances that must come first are looked for: each round follows dependences one step back.
const MAX_ROUNDS: usize = 8;

impl Order {
    /// That of all dependences.
    pub(super) fn of(scop: &Scop, deps: &Dependences) -> Result<Self> {
        let sums = sums_of(scop)?;
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
    ///
    /// # Errors
    /// When isl refuses.
    pub fn among(&self, instances: &UnionSet) -> Result<Self> {
        self.with_pairs(|pairs| {
            Ok(pairs.intersect_domain(instances)?.intersect_range(instances)?)
        })
    }

    /// Whether none of some instances must stay in order with any of others.
    pub(super) fn leaves_apart(&self, some: &Set, others: &Set) -> Result<bool> {
        let (some, others) = (some.to_union_set()?, others.to_union_set()?);
        for edge in &self.edges {
            let there = edge.pairs.intersect_domain(&some)?.intersect_range(&others)?;
            let back = edge.pairs.intersect_domain(&others)?.intersect_range(&some)?;
            if !there.is_empty()? || !back.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
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
    ///
    /// # Errors
    /// When isl refuses.
    pub fn allows_outermost(&self, member: &Member) -> Result<bool> {
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
    pub fn entangles(&self, sums: &[String]) -> bool {
        self.edges.iter().any(|edge| !edge.is_sum && sums.contains(&edge.sink))
    }

    /// Whether sums of a statement depend on others of the same, as those of a solver do.
    pub fn is_recurrent(&self, sum: &str) -> bool {
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

/// The accesses to the sum of each statement that sums something up.
fn sums_of(scop: &Scop) -> Result<BTreeMap<StmtId, Vec<AccessId>>> {
    let mut sums = BTreeMap::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        if let [BodyStmt::Assign { target, .. }] = stmt.body.as_slice()
            && let Some(own) = summed(stmt, *target)?
        {
            sums.insert(id, own);
        }
    }
    Ok(sums)
}

/// The accesses of a statement with the relation of its target, where it is read and written; `None` where they do something else.
///
/// # Errors
/// When isl refuses.
pub fn summed(stmt: &Statement, target: AccessId) -> farkas_poly::Result<Option<Vec<AccessId>>> {
    let written = &stmt.accesses[target];
    let mut sums = Vec::new();
    for (id, access) in stmt.accesses.iter_enumerated().filter(|(_, a)| a.array == written.array) {
        if !access.relation.is_equal(&written.relation)? {
            continue;
        }
        if !matches!(access.kind, AccessKind::Read | AccessKind::MustWrite) {
            return Ok(None);
        }
        sums.push(id);
    }
    Ok((sums.len() > 1).then_some(sums))
}

/// The same instances in fewer pieces.
pub(super) fn coalesced(instances: &UnionSet) -> Result<UnionSet> {
    let sets = instances.sets()?;
    let sets = sets.iter().map(|set| Ok(set.coalesce()?));
    Ok(UnionSet::union_all(sets.collect::<Result<Vec<_>>>()?)?)
}
