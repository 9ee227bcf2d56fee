//! Live ranges: which anti and output dependences do nothing but keep the lives of a variable's values apart.

use crate::analysis::Prepared;
use crate::{DepId, Dependence, DependenceKind, Dependences, Result};
use farkas_base::IdVec;
use farkas_poly::{Map, Set};
use farkas_scop::{Access, AccessId, AccessKind, ArrayId, Scop, Statement, StmtId};
use std::collections::{BTreeMap, BTreeSet};

/// What a dependence is to the live ranges of its array. A live range reaches from a write to the reads of its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RangeRole {
    /// Nothing: it matters whatever live ranges do.
    None,
    /// Flow along live ranges.
    Live(ArrayId),
    /// It keeps live ranges apart.
    Apart {
        /// The array.
        array: ArrayId,
        /// The pairs that may change their order where live ranges stay apart all the same.
        conditional: Map,
        /// The others, if there are any: those from a read of what the array held before the region, and those to the last
        /// write of an element that is read after it.
        forced: Option<Map>,
    },
}

/// The live ranges of the arrays whose anti and output dependences are conditional.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LiveRanges {
    /// What each dependence is to them.
    pub roles: IdVec<DepId, RangeRole>,
    /// The arrays. The flag says whether every read finds a value of the region, so that copies of the array need not begin
    /// with what it held before.
    pub arrays: BTreeMap<ArrayId, bool>,
}

/// Finds the live ranges of the arrays of `scop`, whose dependences are `deps`.
///
/// The false dependences of an array are conditional where all its accesses are sure and touch one element each, so that the
/// flow into a read tells the one range that it belongs to, and where some write begins a new range: an array whose writes
/// all update what they read has one range an element, which no order takes apart.
///
/// **Paper** S. Verdoolaege and A. Cohen, *Live-Range Reordering*, IMPACT 2016. Ours differs: conditions are those of
/// whole arrays.
///
/// # Errors
/// When isl refuses or its budget is used up.
///
/// # Example
/// In `for i: { S: t = A[i]; T: B[i] = t; }` with `t` dead afterwards, `T[i] -> S[i']` is conditional for `i < i'`.
pub fn live_ranges(scop: &Scop, deps: &Dependences) -> Result<LiveRanges> {
    let mut arrays: BTreeMap<ArrayId, bool> =
        reorderable(scop, deps)?.into_iter().map(|array| (array, true)).collect();
    let prepared = &*deps.prepared(scop)?;
    let mut ends =
        Ends { scop, prepared, deps, set: BTreeMap::new(), overwritten: BTreeMap::new() };
    for (stmt, access, a) in accesses(scop) {
        if let Some(reads_own) = arrays.get_mut(&a.array)
            && a.kind == AccessKind::Read
        {
            *reads_own &= ends.set(stmt, access)?.outside.is_empty()?;
        }
    }
    let mut roles = IdVec::new();
    for dep in &deps.deps {
        let array = scop.stmts()[dep.source].accesses[dep.source_access].array;
        roles.push(match dep.kind {
            _ if !arrays.contains_key(&array) => RangeRole::None,
            DependenceKind::Input => RangeRole::None,
            DependenceKind::Flow => RangeRole::Live(array),
            DependenceKind::Anti | DependenceKind::Output => ends.split(dep, array)?,
        });
    }
    Ok(LiveRanges { roles, arrays })
}

/// The arrays whose false dependences are conditional.
pub(crate) fn reorderable(scop: &Scop, deps: &Dependences) -> Result<BTreeSet<ArrayId>> {
    let mut found = BTreeSet::new();
    for array in scop.arrays().ids() {
        if is_candidate(scop, deps, array)? {
            found.insert(array);
        }
    }
    Ok(found)
}

/// All accesses.
fn accesses(scop: &Scop) -> impl Iterator<Item = (StmtId, AccessId, &Access)> {
    scop.stmts().iter_enumerated().flat_map(|(stmt, statement)| {
        statement.accesses.iter_enumerated().map(move |(access, a)| (stmt, access, a))
    })
}

/// Whether the false dependences of `array` are conditional.
fn is_candidate(scop: &Scop, deps: &Dependences, array: ArrayId) -> Result<bool> {
    let is_false = |dep: &Dependence| {
        matches!(dep.kind, DependenceKind::Anti | DependenceKind::Output)
            && scop.stmts()[dep.source].accesses[dep.source_access].array == array
    };
    if !deps.deps.iter().any(|dep| is_false(dep) && begins_range(scop, dep)) {
        return Ok(false);
    }
    for (_, _, access) in accesses(scop).filter(|(_, _, access)| access.array == array) {
        let is_sure = matches!(access.kind, AccessKind::Read | AccessKind::MustWrite);
        if access.kind == AccessKind::Kill {
            continue;
        }
        if !is_sure || !access.relation.is_single_valued()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the write at the end of a false dependence does not update what it reads.
fn begins_range(scop: &Scop, dep: &Dependence) -> bool {
    let sink: &Statement = &scop.stmts()[dep.sink];
    let write = &sink.accesses[dep.sink_access];
    !sink.accesses.iter().any(|read| {
        read.kind == AccessKind::Read
            && read.array == write.array
            && read.relation.plain_is_equal(&write.relation).unwrap_or(false)
    })
}

/// Some instances of a statement, and the others.
#[derive(Clone)]
struct Parts {
    inside: Set,
    outside: Set,
}

impl Parts {
    /// Those of `all` that are in one of `sets`, which lie in it, and the others.
    fn of(all: &Set, sets: impl Iterator<Item = Result<Set>>) -> Result<Self> {
        let mut inside: Option<Set> = None;
        for set in sets {
            let set = set?;
            inside = Some(match inside {
                Some(inside) => inside.union(&set)?,
                None => set,
            });
        }
        let Some(inside) = inside else {
            return Ok(Self { inside: Set::empty(&all.space()?)?, outside: all.clone() });
        };
        let inside = inside.coalesce()?;
        Ok(Self { outside: all.subtract(&inside)?.coalesce()?, inside })
    }
}

/// Where live ranges reach out of the region.
struct Ends<'a> {
    scop: &'a Scop,
    prepared: &'a Prepared,
    deps: &'a Dependences,
    /// For each read, the instances that flow leads to.
    set: BTreeMap<(StmtId, AccessId), Parts>,
    /// For each write, the instances that another write follows.
    overwritten: BTreeMap<(StmtId, AccessId), Parts>,
}

impl Ends<'_> {
    /// The instances of a read that see a value of the region; the others see what the array held before.
    fn set(&mut self, stmt: StmtId, access: AccessId) -> Result<Parts> {
        if let Some(known) = self.set.get(&(stmt, access)) {
            return Ok(known.clone());
        }
        let flows = self.deps.deps.iter().filter(|dep| {
            dep.kind == DependenceKind::Flow && (dep.sink, dep.sink_access) == (stmt, access)
        });
        let ranges = flows.map(|flow| Ok(flow.relation.range()?));
        let parts = Parts::of(&self.prepared.domains[stmt], ranges)?;
        self.set.insert((stmt, access), parts.clone());
        Ok(parts)
    }

    /// The instances of a write whose values another one replaces; the array holds those of the others after the region.
    fn overwritten(&mut self, stmt: StmtId, access: AccessId) -> Result<Parts> {
        if let Some(known) = self.overwritten.get(&(stmt, access)) {
            return Ok(known.clone());
        }
        let outputs = self.deps.deps.iter().filter(|dep| {
            dep.kind == DependenceKind::Output && (dep.source, dep.source_access) == (stmt, access)
        });
        let domains = outputs.map(|output| Ok(output.relation.domain()?));
        let parts = Parts::of(&self.prepared.domains[stmt], domains)?;
        self.overwritten.insert((stmt, access), parts.clone());
        Ok(parts)
    }

    /// The conditional and the forced pairs of a false dependence of `array`.
    fn split(&mut self, dep: &Dependence, array: ArrayId) -> Result<RangeRole> {
        let mut conditional = dep.relation.clone();
        let mut forced: Option<Map> = None;
        if dep.kind == DependenceKind::Anti {
            let parts = self.set(dep.source, dep.source_access)?;
            let unset = conditional.intersect_domain(&parts.outside)?;
            if !unset.is_empty()? {
                conditional = conditional.intersect_domain(&parts.inside)?;
                forced = Some(unset);
            }
        }
        if self.scop.arrays()[array].is_live_out {
            let parts = self.overwritten(dep.sink, dep.sink_access)?;
            let last = conditional.intersect_range(&parts.outside)?;
            if !last.is_empty()? {
                conditional = conditional.intersect_range(&parts.inside)?;
                forced = Some(match forced {
                    Some(unset) => unset.union(&last)?,
                    None => last,
                });
            }
        }
        let Some(forced) = forced else {
            return Ok(RangeRole::Apart { array, conditional, forced: None });
        };
        if conditional.is_empty()? {
            return Ok(RangeRole::None);
        }
        let conditional = conditional.coalesce()?.detect_equalities()?;
        let forced = Some(forced.coalesce()?.detect_equalities()?);
        Ok(RangeRole::Apart { array, conditional, forced })
    }
}
