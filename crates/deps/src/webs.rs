//! Webs: which statements hand the values of an array to one another, and between which loops' iterations none goes.
//!
//! What a program keeps in one place may be values that have nothing to do with one another: those of the iterations of a loop
//! that sets a temporary before it uses it. False dependences between them say nothing of the computation.
//!
//! **Paper** P. Feautrier, *Array expansion*, ICS 1988: the place of a value is a function of the instance that computes it. A
//! web here is a component of the graph of statements whose edges are flow dependences, as in register allocation.

use crate::analysis::{Prepared, Reference};
use crate::{DependenceKind, Dependences, Result};
use farkas_poly::{Map, Set};
use farkas_scop::{AccessId, AccessKind, ArrayId, Dim, Scop, StmtId};
use std::collections::{BTreeMap, BTreeSet};

/// Statements that hand values of an array to one another and get none from elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Web {
    /// The array.
    pub array: ArrayId,
    /// The statements; all their accesses to the array belong to the web.
    pub stmts: Vec<StmtId>,
    /// For each statement the dimensions that count the loops around all of them, outermost first.
    pub common: BTreeMap<StmtId, Vec<Dim>>,
    /// Those of these loops, by their positions, between whose iterations no value of the array goes although they use the same elements.
    pub separate: Vec<usize>,
    /// The instances of writes, not empty, whose values nothing overwrites.
    pub last: Vec<(StmtId, AccessId, Set)>,
}

impl Web {
    /// The dimensions of one of its statements that count the loops which keep values apart.
    pub fn separating(&self, stmt: StmtId) -> Vec<Dim> {
        let common = self.common.get(&stmt).map_or(&[][..], Vec::as_slice);
        self.separate.iter().filter_map(|at| common.get(*at)).copied().collect()
    }
}

/// The webs of all arrays in which every read gets its value from a sure write of the region and every access touches one
/// element, by the flow in `deps`; only those with loops that separate values.
///
/// # Errors
/// When isl refuses or its budget is used up.
///
/// # Example
/// In `for i { S: t = A[i]; T: B[i] = t; }` the web of `t` is `S` and `T`, and loop 0 separates its values.
pub fn webs(scop: &Scop, deps: &Dependences) -> Result<Vec<Web>> {
    let prepared = deps.prepared(scop)?;
    let mut found = Vec::new();
    for array in scop.arrays().ids() {
        let flow = Flow::of(&prepared, deps, scop, array);
        if !flow.is_reused() {
            continue;
        }
        for stmts in flow.components() {
            found.extend(flow.web(&stmts)?);
        }
    }
    Ok(found)
}

/// The accesses to an array and the dependences between them.
struct Flow<'a> {
    prepared: &'a Prepared,
    array: ArrayId,
    references: Vec<&'a Reference>,
    deps: Vec<&'a crate::Dependence>,
}

impl<'a> Flow<'a> {
    /// That of `array`.
    fn of(prepared: &'a Prepared, deps: &'a Dependences, scop: &Scop, array: ArrayId) -> Self {
        let references = prepared.references[array].iter().collect();
        let is_of = |dep: &&crate::Dependence| {
            scop.stmts()[dep.source].accesses[dep.source_access].array == array
        };
        Self { prepared, array, references, deps: deps.deps.iter().filter(is_of).collect() }
    }

    /// Whether loops write elements again.
    fn is_reused(&self) -> bool {
        self.deps.iter().any(|dep| dep.kind == DependenceKind::Output && !dep.carried.is_empty())
    }

    /// The pairs of values that go somewhere.
    fn flows(&self) -> impl Iterator<Item = &crate::Dependence> {
        self.deps.iter().copied().filter(|dep| dep.kind == DependenceKind::Flow)
    }

    /// The statements that hand one another values, in groups.
    fn components(&self) -> Vec<BTreeSet<StmtId>> {
        let stmts: BTreeSet<StmtId> = self.references.iter().map(|r| r.stmt).collect();
        let mut group: BTreeMap<StmtId, StmtId> = stmts.iter().map(|stmt| (*stmt, *stmt)).collect();
        for flow in self.flows() {
            let (Some(&from), Some(&to)) = (group.get(&flow.source), group.get(&flow.sink)) else {
                continue;
            };
            group.values_mut().filter(|of| **of == from).for_each(|of| *of = to);
        }
        let mut groups: BTreeMap<StmtId, BTreeSet<StmtId>> = BTreeMap::new();
        for (stmt, of) in group {
            groups.entry(of).or_default().insert(stmt);
        }
        groups.into_values().collect()
    }

    /// The web of these statements, where they are one.
    fn web(&self, stmts: &BTreeSet<StmtId>) -> Result<Option<Web>> {
        let own: Vec<&Reference> =
            self.references.iter().copied().filter(|r| stmts.contains(&r.stmt)).collect();
        if !own.iter().any(|reference| reference.kind == AccessKind::Read) {
            return Ok(None);
        }
        for reference in &own {
            let is_sure = matches!(reference.kind, AccessKind::Read | AccessKind::MustWrite);
            if !is_sure || !reference.elements.is_single_valued()? {
                return Ok(None);
            }
            if reference.kind == AccessKind::Read && !self.is_set(reference)? {
                return Ok(None);
            }
        }
        let common = self.common(stmts)?;
        let separate = self.separate(&own, &common)?;
        if separate.is_empty() {
            return Ok(None);
        }
        let (array, last) = (self.array, self.last(&own)?);
        let stmts = stmts.iter().copied().collect();
        Ok(Some(Web { array, stmts, common, separate, last }))
    }

    /// Whether each value that is read was written in the region.
    fn is_set(&self, read: &Reference) -> Result<bool> {
        let mut rest = read.elements.domain()?;
        for flow in self.flows() {
            if (flow.sink, flow.sink_access) == (read.stmt, read.access) {
                rest = rest.subtract(&flow.relation.range()?)?;
            }
        }
        Ok(rest.is_empty()?)
    }

    /// For each statement the dimensions that count the loops around all of them.
    fn common(&self, stmts: &BTreeSet<StmtId>) -> Result<BTreeMap<StmtId, Vec<Dim>>> {
        let Some(&first) = stmts.first() else { return Ok(BTreeMap::new()) };
        let mut counted = BTreeMap::new();
        for stmt in stmts {
            counted.insert(*stmt, self.prepared.dates.counted_by(first, *stmt)?);
        }
        let n = counted.values().map(Vec::len).min().unwrap_or(0);
        let of = |pairs: Vec<(Dim, Dim)>| pairs.into_iter().take(n).map(|(_, own)| own).collect();
        Ok(counted.into_iter().map(|(stmt, pairs)| (stmt, of(pairs))).collect())
    }

    /// Those of the common loops between whose iterations no value goes, and which use elements again.
    fn separate(
        &self,
        own: &[&Reference],
        common: &BTreeMap<StmtId, Vec<Dim>>,
    ) -> Result<Vec<usize>> {
        let mut separate = Vec::new();
        for at in 0..common.values().next().map_or(0, Vec::len) {
            let counts: BTreeMap<StmtId, Dim> =
                common.iter().map(|(stmt, dims)| (*stmt, dims[at])).collect();
            let mut crosses = false;
            for flow in self.flows().filter(|flow| own.iter().any(|r| r.stmt == flow.sink)) {
                crosses = crosses || differs(&flow.relation, (flow.source, flow.sink), &counts)?;
            }
            if !crosses && uses_again(own, &counts)? {
                separate.push(at);
            }
        }
        Ok(separate)
    }

    /// The instances whose values are left.
    fn last(&self, own: &[&Reference]) -> Result<Vec<(StmtId, AccessId, Set)>> {
        let mut found = Vec::new();
        for write in own.iter().filter(|r| r.kind == AccessKind::MustWrite) {
            let mut last = write.elements.domain()?;
            for dep in &self.deps {
                let is_overwritten = dep.kind == DependenceKind::Output
                    && (dep.source, dep.source_access) == (write.stmt, write.access);
                if is_overwritten {
                    last = last.subtract(&dep.relation.domain()?)?;
                }
            }
            if !last.is_empty()? {
                found.push((write.stmt, write.access, last));
            }
        }
        Ok(found)
    }
}

/// Whether a write touches an element that another iteration of a loop touches, which these dimensions count.
fn uses_again(own: &[&Reference], counts: &BTreeMap<StmtId, Dim>) -> Result<bool> {
    for write in own.iter().filter(|r| r.kind == AccessKind::MustWrite) {
        for other in own {
            let same = write.elements.apply_range(&other.elements.reverse()?)?;
            if differs(&same, (write.stmt, other.stmt), counts)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether some of the pairs of two statements lie in different iterations of a loop, which these dimensions count.
fn differs(
    pairs: &Map,
    (source, sink): (StmtId, StmtId),
    counts: &BTreeMap<StmtId, Dim>,
) -> Result<bool> {
    let (Some(own), Some(other)) = (counts.get(&source), counts.get(&sink)) else {
        return Ok(true);
    };
    let own = iterations(&pairs.domain()?, *own)?;
    let same = own.apply_range(&iterations(&pairs.range()?, *other)?.reverse()?)?;
    Ok(!pairs.subtract(&same)?.is_empty()?)
}

/// From instances to the iterations of a loop that counts one of their dimensions.
fn iterations(instances: &Set, dim: Dim) -> Result<Map> {
    Ok(Map::from_aff(&dim.count(&instances.space()?)?)?)
}
