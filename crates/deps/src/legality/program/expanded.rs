//! Buffers that stand for scalars: a cell for each iteration of a loop.
//!
//! Where nothing fills and empties a buffer, statements of the original use it in the place of a scalar. That is right if the
//! tree is legal for the program in which they do ([`Expansions::scop`]), in which each session of a buffer has cells of
//! its own, and if that program, in its original order, computes what the original does. Checked for the latter:
//!
//! 1. But for these accesses, statements have the bodies, iterators and accesses of the original.
//! 2. Each read of the scalar or of a buffer gets its value from the write that the original's gets it from, and none gets
//!    what a buffer holds at first.
//! 3. Nothing reads the scalar after the region.
//! 4. Cells lie within the buffer's extents.

use super::super::counterexample::Counterexample;
use super::super::dataflow::Dataflow;
use super::fault;
use super::unbuffered::{Origin, Origins};
use crate::Result;
use crate::analysis::Prepared;
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{AccessId, AccessKind, Array, ArrayId, ArrayScope, Scop, Statement, StmtId};
use std::collections::{BTreeMap, BTreeSet};

/// The buffers of a program that stand for scalars.
pub(super) struct Expansions {
    /// Each with the scalar of the original.
    scalars: BTreeMap<ArrayId, ArrayId>,
    /// The statements of the program that use one.
    stmts: BTreeSet<StmtId>,
}

/// The sessions of the instances of statements.
pub(super) type Sessions = BTreeMap<StmtId, Map>;

/// What is asked of a program, or what is wrong with it.
type Judged<T> = Result<std::result::Result<T, Counterexample>>;

impl Expansions {
    /// Those of a program with this scop; or what is wrong with one of them, by the first and the third check.
    pub(super) fn of(original: &Scop, scop: &Scop, origins: &Origins) -> Judged<Self> {
        let mut found = Self { scalars: BTreeMap::new(), stmts: BTreeSet::new() };
        for (buffer, array) in scop.arrays().iter_enumerated() {
            let is_known = original.arrays().iter().any(|known| known.name == array.name);
            if array.scope != ArrayScope::Buffer || is_known {
                continue;
            }
            let uses = |stmt: &Statement| stmt.accesses.iter().any(|a| a.array == buffer);
            let users = scop.stmts().iter_enumerated().filter(|(_, stmt)| uses(stmt));
            let users: Vec<(StmtId, Option<&Origin>)> =
                users.map(|(id, stmt)| (id, origins.get(&stmt.name))).collect();
            if users.is_empty() || users.iter().any(|(_, origin)| origin.is_none()) {
                continue;
            }
            for (stmt, origin) in users {
                let Some(origin) = origin else { continue };
                if let Err(found) = found.add(original, scop, (buffer, stmt), origin)? {
                    return Ok(Err(found));
                }
            }
        }
        for stmt in &found.stmts {
            let name = &scop.stmts()[*stmt].name;
            let is_same = match origins.get(name) {
                Some(origin) => found.is_same(original, scop, origin)?,
                None => false,
            };
            if !is_same {
                return Ok(Err(fault(name, "it is not the original with buffers for scalars")));
            }
        }
        Ok(Ok(found))
    }

    /// Notes that a statement uses a buffer.
    fn add(
        &mut self,
        original: &Scop,
        scop: &Scop,
        (buffer, stmt): (ArrayId, StmtId),
        origin: &Origin,
    ) -> Judged<()> {
        let name = &scop.arrays()[buffer].name;
        let (old, new) = (&original.stmts()[origin.stmt], &scop.stmts()[stmt]);
        self.stmts.insert(stmt);
        for (id, _) in new.accesses.iter_enumerated().filter(|(_, a)| a.array == buffer) {
            let Some(access) = old.accesses.get(id) else {
                return Ok(Err(fault(name, "it stands for nothing")));
            };
            let scalar = &original.arrays()[access.array];
            if scalar.rank() != 0 || scalar.is_live_out {
                return Ok(Err(fault(
                    name,
                    "it stands for something else than a temporary scalar",
                )));
            }
            if scalar.element != scop.arrays()[buffer].element {
                return Ok(Err(fault(name, "it has other elements than the scalar")));
            }
            if *self.scalars.entry(buffer).or_insert(access.array) != access.array {
                return Ok(Err(fault(name, "it stands for two scalars")));
            }
        }
        Ok(Ok(()))
    }

    /// Whether a statement is the original's with buffers for scalars; of one scalar, all accesses are to the same array.
    fn is_same(&self, original: &Scop, scop: &Scop, origin: &Origin) -> Result<bool> {
        let (old, new) = (&original.stmts()[origin.stmt], &scop.stmts()[origin.now]);
        let by = u32::try_from(origin.n_added).unwrap_or(u32::MAX);
        let is_same_body = old.body.len() == new.body.len()
            && old.body.iter().zip(&new.body).all(|(old, new)| old.shifted(by) == *new);
        if !is_same_body
            || old.accesses.len() != new.accesses.len()
            || old.iterators.len() + origin.n_added != new.iterators.len()
        {
            return Ok(false);
        }
        let domain = scop.domain_of(origin.now)?;
        for (old, new) in old.iterators.iter().zip(new.iterators.iter().skip(origin.n_added)) {
            let expected = origin.to_original.apply_range(&old.value.to_map()?)?;
            if !new.value.to_map()?.intersect_domain(&domain)?.is_equal(&expected)? {
                return Ok(false);
            }
        }
        let mut homes: BTreeMap<ArrayId, ArrayId> = BTreeMap::new();
        for (old, new) in old.accesses.iter().zip(&new.accesses) {
            if old.kind != new.kind || *homes.entry(old.array).or_insert(new.array) != new.array {
                return Ok(false);
            }
            if self.scalars.contains_key(&new.array) {
                continue;
            }
            let expected = origin.to_original.apply_range(&old.relation)?;
            let is_same_array = original.arrays()[old.array].name == scop.arrays()[new.array].name;
            if !is_same_array || !new.relation.intersect_domain(&domain)?.is_equal(&expected)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.scalars.is_empty()
    }

    /// The buffers.
    pub(super) fn buffers(&self) -> impl Iterator<Item = ArrayId> {
        self.scalars.keys().copied()
    }

    /// Whether a buffer stands for a scalar.
    pub(super) fn has_buffer(&self, array: ArrayId) -> bool {
        self.scalars.contains_key(&array)
    }

    /// Whether a statement of the program uses such a buffer.
    pub(super) fn has_stmt(&self, stmt: StmtId) -> bool {
        self.stmts.contains(&stmt)
    }

    /// `unbuffered`, the original over the program's instances, with buffers in the place of scalars: a cell for each session
    /// and cell. Or what is wrong with it by the second and the fourth check.
    pub(super) fn scop(
        &self,
        original: &Scop,
        unbuffered: &Scop,
        scop: &Scop,
        sessions: &BTreeMap<ArrayId, Sessions>,
    ) -> Judged<Scop> {
        let mut builder = unbuffered.to_builder();
        let mut new: BTreeMap<ArrayId, ArrayId> = BTreeMap::new();
        for (&buffer, sessions) in sessions {
            let array = &scop.arrays()[buffer];
            let n_session = match sessions.values().next() {
                Some(session) => session.dim(DimType::Out)? as usize,
                None => 0,
            };
            let extents = vec![None; n_session + array.rank()];
            new.insert(buffer, builder.arrays.push(Array { extents, ..array.clone() }));
        }
        for stmt in builder.stmts.iter_mut() {
            let Some(now) = scop.stmt_by_name(&stmt.name) else { continue };
            for (id, access) in scop.stmts()[now].accesses.iter_enumerated() {
                let Some(&array) = new.get(&access.array) else { continue };
                let (name, own) = (&scop.arrays()[access.array].name, &mut stmt.accesses[id]);
                let Some(session) = sessions[&access.array].get(&now) else {
                    return Ok(Err(fault(name, "it is used where it is not declared")));
                };
                if !is_within_extents(scop, now, id)? {
                    return Ok(Err(fault(name, "a cell lies outside")));
                }
                let cell = session.flat_range_product(&access.relation)?;
                own.relation = cell.with_tuple_name(DimType::Out, name)?;
                own.subscripts = Vec::new();
                own.array = array;
            }
        }
        let Ok(expanded) = builder.build() else {
            return Ok(Err(fault(original.name(), "its buffers contradict one another")));
        };
        for scalar in self.scalars.values().copied().collect::<BTreeSet<_>>() {
            let of = self.scalars.iter().filter(|(_, of)| **of == scalar);
            let buffers: Vec<ArrayId> = of.filter_map(|(b, _)| new.get(b)).copied().collect();
            if !is_same_flow(unbuffered, &expanded, scalar, &buffers)? {
                let name = &original.arrays()[scalar].name;
                return Ok(Err(fault(name, "a read of it gets another value from its buffer")));
            }
        }
        Ok(Ok(expanded))
    }
}

/// Whether the cells of an access to a buffer lie within its extents.
pub(super) fn is_within_extents(scop: &Scop, stmt: StmtId, access: AccessId) -> Result<bool> {
    let access = &scop.stmts()[stmt].accesses[access];
    let Some(extents) = scop.arrays()[access.array].constant_extents() else { return Ok(false) };
    let cells = access.relation.intersect_domain(&scop.domain_of(stmt)?)?.range()?;
    let mut inside = cells.clone();
    for (at, extent) in (0..).zip(extents) {
        let Ok(last) = i32::try_from(extent - 1) else { return Ok(false) };
        inside = inside.lower_bound_si(DimType::SET, at, 0)?;
        inside = inside.upper_bound_si(DimType::SET, at, last)?;
    }
    Ok(cells.is_subset(&inside)?)
}

/// Whether each read of `scalar` in `old` gets its value from the same write in `new`, where `buffers` stand for it, too.
/// Both have the same statements.
fn is_same_flow(old: &Scop, new: &Scop, scalar: ArrayId, buffers: &[ArrayId]) -> Result<bool> {
    let (old, new) = (Prepared::of(old)?, Prepared::of(new)?);
    let mut all = vec![scalar];
    all.extend(buffers);
    let Some(before) = Flow::of(&old, &[scalar])? else { return Ok(false) };
    let (Some(after), Some(own)) = (Flow::of(&new, &all)?, Flow::of(&new, buffers)?) else {
        return Ok(false);
    };
    Ok(own.is_defined()? && before.is_equal(&after)?)
}

/// Where the values of some arrays come from.
struct Flow {
    /// From writes to reads, by their statements.
    pairs: BTreeMap<(StmtId, StmtId), Map>,
    /// The reads that get no value from the region.
    from_before: BTreeMap<StmtId, Set>,
}

impl Flow {
    /// That of some arrays; `None` where it is not known. Each statement has one relation to each of them.
    fn of(prepared: &Prepared, arrays: &[ArrayId]) -> Result<Option<Self>> {
        let mut found = Self { pairs: BTreeMap::new(), from_before: BTreeMap::new() };
        for array in arrays {
            let references = prepared.references[*array].iter();
            let mut used = references.filter(|r| r.kind != AccessKind::Kill);
            if used.any(|r| {
                prepared.references[*array]
                    .iter()
                    .any(|o| o.kind != AccessKind::Kill && o.stmt == r.stmt && o.like != r.like)
            }) {
                return Ok(None);
            }
            let Some(flow) = Dataflow::of(prepared, *array)? else { return Ok(None) };
            for range in flow.ranges {
                let key = (range.write.stmt, range.read.stmt);
                let pairs = match found.pairs.get(&key) {
                    Some(known) => known.union(&range.pairs)?,
                    None => range.pairs,
                };
                found.pairs.insert(key, pairs);
            }
            for (read, instances) in flow.from_before {
                let all = match found.from_before.get(&read.stmt) {
                    Some(known) => known.union(&instances)?,
                    None => instances,
                };
                found.from_before.insert(read.stmt, all);
            }
        }
        Ok(Some(found))
    }

    /// Whether all reads get values from the region.
    fn is_defined(&self) -> Result<bool> {
        for instances in self.from_before.values() {
            if !instances.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether values come from the same.
    fn is_equal(&self, other: &Self) -> Result<bool> {
        Ok(self.is_within(other)? && other.is_within(self)?)
    }

    /// Whether all is in `other`, too.
    fn is_within(&self, other: &Self) -> Result<bool> {
        for (key, pairs) in &self.pairs {
            let known = other.pairs.get(key);
            let is_known = match known {
                Some(known) => pairs.is_subset(known)?,
                None => pairs.is_empty()?,
            };
            if !is_known {
                return Ok(false);
            }
        }
        for (stmt, instances) in &self.from_before {
            let is_known = match other.from_before.get(stmt) {
                Some(known) => instances.is_subset(known)?,
                None => instances.is_empty()?,
            };
            if !is_known {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
