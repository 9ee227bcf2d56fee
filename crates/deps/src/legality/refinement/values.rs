//! Which write each read gets its value from.

use crate::Result;
use crate::analysis::Prepared;
use crate::legality::dataflow::Dataflow;
use farkas_base::Id;
use farkas_poly::{Map, Set};
use farkas_scop::{AccessId, AccessKind, ArrayId, Scop, StmtId};
use std::collections::{BTreeMap, BTreeSet};

/// A read access of a statement, by the statement's name.
type Read = (String, AccessId);

/// A write access of a statement: the statement may set elements of other arrays to other values.
type Write = (StmtId, AccessId);

/// Where the values of some arrays come from.
pub(super) struct Flow {
    /// For each read, from the instances of writes.
    sources: BTreeMap<Read, BTreeMap<Write, Map>>,
    /// The reads that get no value from the region.
    from_before: BTreeMap<Read, Set>,
    /// The reads that find the same elsewhere that a copy has from before the region.
    through_copies: BTreeSet<Read>,
    /// What the statements of the original are called.
    names: Vec<String>,
}

impl Flow {
    /// That of a scop of which the first `n_original` statements are those of the original, and those that write after them
    /// copy; `None` where it is not known.
    pub(super) fn of(
        scop: &Scop,
        arrays: &BTreeSet<ArrayId>,
        n_original: usize,
    ) -> Result<Option<Self>> {
        let prepared = Prepared::of(scop)?;
        let mut all = Self {
            sources: BTreeMap::new(),
            from_before: BTreeMap::new(),
            through_copies: BTreeSet::new(),
            names: scop.stmts().iter().take(n_original).map(|stmt| stmt.name.clone()).collect(),
        };
        for &array in arrays.iter().filter(|array| scop.arrays().get(**array).is_some()) {
            if writes_several(scop, array)? || !all.add(scop, &prepared, array)? {
                return Ok(None);
            }
        }
        all.through_copies(scop, n_original)
    }

    /// Adds the flow of an array; `false` where it is not known.
    fn add(&mut self, scop: &Scop, prepared: &Prepared, array: ArrayId) -> Result<bool> {
        let Some(flow) = Dataflow::of(prepared, array)? else { return Ok(false) };
        for read in prepared.references[array].iter().filter(|r| r.kind == AccessKind::Read) {
            let key: Read = (scop.stmts()[read.stmt].name.clone(), read.access);
            let sources = self.sources.entry(key.clone()).or_default();
            let is_its = |stmt: StmtId, like: AccessId| (stmt, like) == (read.stmt, read.like);
            for range in flow.ranges.iter().filter(|r| is_its(r.read.stmt, r.read.like)) {
                let write = (range.write.stmt, range.write.access);
                add_to(sources, write, range.pairs.clone())?;
            }
            for (_, instances) in flow.from_before.iter().filter(|(r, _)| is_its(r.stmt, r.like)) {
                let known = self.from_before.remove(&key);
                let all = known.map_or(Ok(instances.clone()), |known| known.union(instances))?;
                self.from_before.insert(key.clone(), all);
            }
        }
        Ok(true)
    }

    /// The flow with what comes from copies coming from where they have it; `None` where a copy has a value of another copy,
    /// or one from before the region.
    fn through_copies(mut self, scop: &Scop, n_original: usize) -> Result<Option<Self>> {
        let copies = scop.stmts().iter_enumerated().skip(n_original);
        for (copy, statement) in copies.filter(|(_, stmt)| !stmt.body.is_empty()) {
            let of_copy = |(name, _): &&Read| *name == statement.name;
            let reads: Vec<Read> = self.sources.keys().filter(of_copy).cloned().collect();
            let [read] = reads.as_slice() else { return Ok(None) };
            let has_all = !self.from_before.contains_key(read);
            let Some(own) = self.sources.remove(read).filter(|_| has_all) else { return Ok(None) };
            if own.keys().any(|(source, _)| source.index() >= n_original) {
                return Ok(None);
            }
            let Some(write) = write_of(scop, copy) else { return Ok(None) };
            for sources in self.sources.values_mut() {
                let Some(copied) = sources.remove(&write) else { continue };
                for (source, pairs) in &own {
                    add_to(sources, *source, pairs.apply_range(&copied)?)?;
                }
            }
        }
        Ok(Some(self))
    }

    /// The flow with what some statements copy coming from where they have it. What they set must be read by accesses of the other scop
    /// that were moved; else the name of a statement that reads something else.
    pub(super) fn without_copies(
        mut self,
        scops: (&Scop, &Scop),
        copies: &BTreeMap<StmtId, FromSource>,
        moved: &BTreeSet<(StmtId, AccessId)>,
    ) -> Result<std::result::Result<Self, String>> {
        let scop = scops.0;
        let found_before: BTreeSet<Read> = self.from_before.keys().cloned().collect();
        let mut left: BTreeSet<StmtId> = copies.keys().copied().collect();
        // A copy of a copy goes first: what the other one sets is then read by none but those that read in the place of both.
        while let Some(&first) = left.first() {
            let Some(copy) = self.unread(&left, scop) else {
                return Ok(Err(scop.stmts()[first].name.clone()));
            };
            left.remove(&copy);
            let readers = Readers { scops, moved, found_before: &found_before };
            if let Some(name) = self.without_copy(copy, copies[&copy], &readers)? {
                return Ok(Err(name));
            }
        }
        Ok(Ok(self))
    }

    /// One of some copies whose copy none of the others reads.
    fn unread(&self, copies: &BTreeSet<StmtId>, scop: &Scop) -> Option<StmtId> {
        let is_copy =
            |(name, _): &Read| copies.iter().any(|copy| scop.stmts()[*copy].name == *name);
        let of_copies = || self.sources.iter().filter(|(read, _)| is_copy(read));
        let is_read = |copy: &StmtId| {
            of_copies().any(|(_, sources)| sources.keys().any(|(source, _)| source == copy))
        };
        copies.iter().copied().find(|copy| !is_read(copy))
    }

    /// Lets what a statement copies come from where it has it; the name of a statement that reads something else.
    fn without_copy(
        &mut self,
        copy: StmtId,
        FromSource { read: access, stays }: FromSource,
        Readers { scops: (scop, other), moved, found_before }: &Readers<'_>,
    ) -> Result<Option<String>> {
        let statement = &scop.stmts()[copy];
        let key: Read = (statement.name.clone(), access);
        let own = self.sources.remove(&key).unwrap_or_default();
        let own_before = self.from_before.remove(&key);
        let Some(write) = write_of(scop, copy) else { return Ok(Some(key.0)) };
        for (read, sources) in &mut self.sources {
            let Some(pairs) = sources.remove(&write) else { continue };
            if pairs.is_empty()? {
                continue;
            }
            let stmt = scop.stmt_by_name(&read.0).filter(|stmt| moved.contains(&(*stmt, read.1)));
            let Some(stmt) = stmt.filter(|_| !found_before.contains(read)) else {
                return Ok(Some(read.0.clone()));
            };
            // What is in the same place as ever may have come there before the region: the element must be the same.
            if stays {
                let copied = pairs.reverse()?.apply_range(&statement.accesses[access].relation)?;
                let now = &other.stmts()[stmt].accesses[read.1].relation;
                if !now.intersect_domain(&pairs.range()?)?.is_equal(&copied)? {
                    return Ok(Some(read.0.clone()));
                }
            } else if own_before.is_some() {
                return Ok(Some(read.0.clone()));
            }
            for (source, to_copy) in &own {
                add_to(sources, *source, to_copy.apply_range(&pairs)?)?;
            }
            if let Some(before) = &own_before {
                let found = pairs.intersect_domain(before)?.range()?;
                let all = match self.from_before.remove(read) {
                    Some(known) => known.union(&found)?,
                    None => found,
                };
                self.from_before.insert(read.clone(), all);
                self.through_copies.insert(read.clone());
            }
        }
        Ok(None)
    }

    /// The statement of the first read of which `other` says something else, or of the moved accesses one that finds a value from
    /// before the region.
    pub(super) fn difference(
        &self,
        other: &Self,
        moved: &BTreeSet<(StmtId, AccessId)>,
    ) -> Result<Option<String>> {
        let reads: BTreeSet<&Read> = self.sources.keys().chain(other.sources.keys()).collect();
        let none = BTreeMap::new();
        for read in reads {
            let before = self.sources.get(read).unwrap_or(&none);
            let after = other.sources.get(read).unwrap_or(&none);
            let is_same = is_within(before, after)? && is_within(after, before)?;
            let is_before = match (self.from_before.get(read), other.from_before.get(read)) {
                (None, None) => true,
                (Some(a), Some(b)) => {
                    a.is_equal(b)?
                        && (self.through_copies.contains(read) || !self.is_moved(read, moved))
                }
                (Some(set), None) | (None, Some(set)) => set.is_empty()?,
            };
            if !is_same || !is_before {
                return Ok(Some(read.0.clone()));
            }
        }
        Ok(None)
    }

    /// Whether a read is one of the moved accesses.
    fn is_moved(&self, read: &Read, moved: &BTreeSet<(StmtId, AccessId)>) -> bool {
        let is_read = |(stmt, access): &(StmtId, AccessId)| {
            *access == read.1 && self.names.get(stmt.index()) == Some(&read.0)
        };
        moved.iter().any(is_read)
    }
}

/// A statement that copies, but that the program lacks: what it sets is read where it has it from.
#[derive(Clone, Copy)]
pub(super) struct FromSource {
    /// The access that reads what it copies.
    pub(super) read: AccessId,
    /// Whether what it copies is where it was.
    pub(super) stays: bool,
}

/// Those who read what is copied.
struct Readers<'a> {
    /// The scop, and the one with the program's accesses.
    scops: (&'a Scop, &'a Scop),
    /// The accesses that go elsewhere.
    moved: &'a BTreeSet<(StmtId, AccessId)>,
    /// The reads that find values from before the region without any copy.
    found_before: &'a BTreeSet<Read>,
}

/// The one write access of a statement that copies.
fn write_of(scop: &Scop, stmt: StmtId) -> Option<Write> {
    let accesses = scop.stmts()[stmt].accesses.iter_enumerated();
    let mut writes = accesses.filter(|(_, access)| access.kind.is_write());
    let (access, _) = writes.next()?;
    writes.next().is_none().then_some((stmt, access))
}

/// Whether some statement writes several elements of an array. What writes one element at several places, as the branches of a condition
/// do, leaves one value.
fn writes_several(scop: &Scop, array: ArrayId) -> Result<bool> {
    for stmt in scop.stmts() {
        let mut writes = stmt.accesses.iter().filter(|a| a.array == array && a.kind.is_write());
        let Some(first) = writes.next() else { continue };
        for other in writes {
            if !first.relation.is_equal(&other.relation)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Adds pairs of a source.
fn add_to(sources: &mut BTreeMap<Write, Map>, source: Write, pairs: Map) -> Result<()> {
    let all = match sources.remove(&source) {
        Some(known) => known.union(&pairs)?,
        None => pairs,
    };
    sources.insert(source, all);
    Ok(())
}

/// Whether all pairs are in `others`, too.
fn is_within(pairs: &BTreeMap<Write, Map>, others: &BTreeMap<Write, Map>) -> Result<bool> {
    for (source, own) in pairs {
        let is_known = match others.get(source) {
            Some(known) => own.is_subset(known)?,
            None => own.is_empty()?,
        };
        if !is_known {
            return Ok(false);
        }
    }
    Ok(true)
}
