//! Where a program's accesses go, with copies looked through, and that values get where they should.
//!
//! The original's statements over the program's instances are written down twice: with the original's accesses, and with those of
//! the program. A statement that the program lacks copies, in the second, an element to itself; what copies single values there
//! has no counterpart in the first. In both, statements that read all elements which are written, after everything else, stand
//! for code after the region.

use super::copies::{Copies, single_copy};
use super::fault;
use super::origins::Origins;
use super::values::{Flow, FromSource};
use super::{Judged, bodies, sound};
use crate::Result;
use crate::legality::clause::Clause;
use crate::legality::counterexample::Counterexample;
use farkas_base::{IdVec, NameGenerator};
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{
    Access, AccessId, AccessKind, Array, ArrayId, BodyStmt, Iterator, Scop, ScopBuilder, Statement,
    StmtId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The original with its own accesses and with the program's.
pub(super) struct Places {
    /// The original over the program's instances.
    before: Scop,
    /// The same with the program's accesses, and then the statements that copy single values.
    after: Scop,
    /// The accesses that go elsewhere.
    moved: BTreeSet<(StmtId, AccessId)>,
    /// How many of the statements the program has, before those that it lacks.
    n_present: usize,
    /// Those that it lacks since what they set is read where they have it from.
    from_sources: BTreeMap<StmtId, FromSource>,
}

impl Places {
    /// Those of a program with these copies.
    pub(super) fn of(original: &Scop, origins: &Origins, copies: &Copies<'_>) -> Judged<Self> {
        let before = sound!(origins.scop(original, copies.scop));
        let n_present = before.stmts().len() - origins.missing.len();
        let mut writer = Writer {
            copies,
            arrays: BTreeMap::new(),
            builder: before.to_builder(),
            moved: BTreeSet::new(),
        };
        sound!(writer.add_arrays());
        for (id, stmt) in before.stmts().iter_enumerated().take(n_present) {
            let Some(origin) = origins.get(&stmt.name) else { continue };
            let moved = sound!(bodies::moved(original, copies, origin));
            let renames = is_one_assignment(stmt) || renames(copies, stmt, &moved)?;
            for (access, (array, elements)) in moved {
                let name = &original.stmts()[origin.stmt].name;
                sound!(writer.move_access((id, access), (array, &elements), (name, renames)));
            }
        }
        let left: BTreeSet<ArrayId> = writer
            .moved
            .iter()
            .map(|(stmt, access)| before.stmts()[*stmt].accesses[*access].array)
            .collect();
        let mut from_sources = BTreeMap::new();
        for (id, stmt) in before.stmts().iter_enumerated().skip(n_present) {
            let Some((moved, new)) = copied_to_itself(stmt, &left) else {
                return Ok(Err(fault(&stmt.name, Clause::Missing)));
            };
            writer.builder.stmts[id] = new;
            writer.moved.insert((id, moved));
            if let Some((target, read)) = single_copy(stmt)
                && target == moved
            {
                let kinds = [target, read]
                    .map(|access| before.arrays()[stmt.accesses[access].array].element.kind);
                if kinds[0] != kinds[1] {
                    // It converts what it copies.
                    return Ok(Err(fault(&stmt.name, Clause::Missing)));
                }
                // It would set an element to what that is.
                writer.builder.stmts[id].domain = Set::empty(&stmt.domain.space()?)?;
                let stays = !left.contains(&stmt.accesses[read].array);
                from_sources.insert(id, FromSource { read, stays });
            }
        }
        for stmt in &copies.moves {
            sound!(writer.add_move(*stmt));
        }
        let moved = writer.moved;
        Ok(match writer.builder.build() {
            Ok(after) => Ok(Self { before, after, moved, n_present, from_sources }),
            Err(_) => Err(fault(original.name(), Clause::Consistent)),
        })
    }

    /// The program's statements with these accesses, but for those that fill and empty buffers.
    pub(super) fn ordered(&self) -> impl std::iter::Iterator<Item = &Statement> {
        let n_before = self.before.stmts().len();
        let stmts = self.after.stmts().iter().enumerate();
        stmts.filter(move |(at, _)| *at < self.n_present || *at >= n_before).map(|(_, stmt)| stmt)
    }

    /// The scop of these statements.
    pub(super) fn scop_in_order(&self) -> Judged<Scop> {
        if self.n_present == self.before.stmts().len() {
            return Ok(Ok(self.after.clone()));
        }
        let mut builder = self.after.to_builder();
        builder.stmts = self.ordered().cloned().collect();
        Ok(builder.build().map_err(|_| fault(self.after.name(), Clause::Consistent)))
    }

    /// The first read, in the program or after it, that gets its value from another write than in the original.
    pub(super) fn first_fault(&self) -> Result<Option<Counterexample>> {
        let arrays = self.arrays();
        if arrays.is_empty() {
            return Ok(None);
        }
        let left = Left::of(&self.before, &self.after, &arrays)?;
        let n = self.before.stmts().len();
        let flow = |scop: &Scop| match left.after(scop)? {
            Some(whole) => Flow::of(&whole, &arrays, n),
            None => Ok(None),
        };
        let (Some(before), Some(after)) = (flow(&self.before)?, flow(&self.after)?) else {
            return Ok(Some(fault(self.before.name(), Clause::Known)));
        };
        let scops = (&self.before, &self.after);
        let before = match before.without_copies(scops, &self.from_sources, &self.moved)? {
            Ok(before) => before,
            Err(name) => return Ok(Some(fault(&name, Clause::Values))),
        };
        let found = before.difference(&after, &self.moved)?;
        Ok(found.map(|name| fault(&name, Clause::Values)))
    }

    /// The arrays that values leave, and those that they go to.
    fn arrays(&self) -> BTreeSet<ArrayId> {
        let mut found = BTreeSet::new();
        for &(stmt, access) in &self.moved {
            found.insert(self.before.stmts()[stmt].accesses[access].array);
            found.insert(self.after.stmts()[stmt].accesses[access].array);
        }
        for copies in self.after.stmts().iter().skip(self.before.stmts().len()) {
            found.extend(copies.accesses.iter().map(|access| access.array));
        }
        found
    }
}

/// An array of the program's own, as one whose elements are apart for each session.
struct Own {
    array: ArrayId,
    /// The dimensions that the others determine, which are left out, the last one first.
    dropped: Vec<u32>,
}

/// Writes the program's accesses into the original.
struct Writer<'a> {
    copies: &'a Copies<'a>,
    /// The program's own arrays.
    arrays: BTreeMap<ArrayId, Own>,
    builder: ScopBuilder,
    moved: BTreeSet<(StmtId, AccessId)>,
}

impl Writer<'_> {
    /// Adds the arrays of the program's own.
    fn add_arrays(&mut self) -> Judged<()> {
        let scop = self.copies.scop;
        for array in self.copies.own_arrays() {
            let mut all = Vec::new();
            for (stmt, statement) in scop.stmts().iter_enumerated() {
                let accesses = statement.accesses.iter_enumerated();
                for (access, _) in accesses.filter(|(_, a)| a.array == array) {
                    all.push(sound!(self.copies.elements(stmt, access)).range()?);
                }
            }
            let Some(used) = Set::union_all(all)? else { continue };
            let of = &scop.arrays()[array];
            let n = used.dim(DimType::SET)?;
            let n_session = n.saturating_sub(u32::try_from(of.rank()).unwrap_or(u32::MAX));
            let dropped = determined(&used, n_session)?;
            let n_kept = n as usize - dropped.len();
            let extents = if n_session > 0 { vec![None; n_kept] } else { of.extents.clone() };
            let new = self.builder.arrays.push(Array { extents, ..of.clone() });
            self.arrays.insert(array, Own { array: new, dropped });
        }
        Ok(Ok(()))
    }

    /// An array of the program in the scop that is written, and these elements of it.
    fn place(&self, array: ArrayId, elements: &Map) -> Result<Option<(ArrayId, Map)>> {
        if let Some(known) = self.copies.known(array) {
            return Ok(Some((known, elements.clone())));
        }
        let Some(own) = self.arrays.get(&array) else { return Ok(None) };
        let mut elements = elements.clone();
        for at in &own.dropped {
            elements = elements.project_out(DimType::Out, *at, 1)?;
        }
        let name = &self.copies.scop.arrays()[array].name;
        Ok(Some((own.array, elements.with_tuple_name(DimType::Out, name)?)))
    }

    /// Puts an access of a statement, called `name` in the original, to other elements; told whether what its parts do to one another
    /// stays the same.
    fn move_access(
        &mut self,
        (stmt, access): (StmtId, AccessId),
        (array, elements): (ArrayId, &Map),
        (name, renames): (&str, bool),
    ) -> Judged<()> {
        let Some((to, relation)) = self.place(array, elements)? else {
            return Ok(Err(fault(name, Clause::Consistent)));
        };
        let of = &self.builder.stmts[stmt];
        let writes =
            |array: ArrayId| of.accesses.iter().any(|a| a.array == array && a.kind.is_write());
        let only_reads = !writes(of.accesses[access].array) && !writes(to);
        if !only_reads && !renames {
            return Ok(Err(fault(name, Clause::Assignment)));
        }
        let domain = of.domain.intersect_params(&self.builder.context)?;
        if !domain.is_subset(&relation.domain()?)? {
            return Ok(Err(fault(name, Clause::Body)));
        }
        let kinds = [of.accesses[access].array, to].map(|a| self.builder.arrays[a].element.kind);
        // What is only read may have been promoted already.
        let is_read = of.accesses[access].kind == AccessKind::Read;
        let is_same = kinds[0] == kinds[1] || is_read && kinds[0].promoted() == kinds[1];
        if !is_same || kinds[0].size_bytes().is_none() {
            return Ok(Err(fault(name, Clause::Elements)));
        }
        let own = &mut self.builder.stmts[stmt].accesses[access];
        *own = Access { array: to, relation, subscripts: Vec::new(), ..own.clone() };
        self.moved.insert((stmt, access));
        Ok(Ok(()))
    }

    /// Adds a statement of the program that copies a single value.
    fn add_move(&mut self, stmt: StmtId) -> Judged<()> {
        let of = &self.copies.scop.stmts()[stmt];
        let mut accesses = IdVec::new();
        for (id, access) in of.accesses.iter_enumerated() {
            let elements = sound!(self.copies.elements(stmt, id));
            let Some((array, relation)) = self.place(access.array, &elements)? else {
                return Ok(Err(fault(&of.name, Clause::Consistent)));
            };
            accesses.push(Access { array, relation, subscripts: Vec::new(), ..access.clone() });
        }
        self.builder.stmts.push(Statement { accesses, ..of.clone() });
        Ok(Ok(()))
    }
}

/// Whether a statement is one assignment, in which all reads come before the write.
fn is_one_assignment(stmt: &Statement) -> bool {
    matches!(stmt.body.as_slice(), [BodyStmt::Assign { .. }])
}

/// Whether each instance of a statement has, in the place of one element of an array, one element of another that nothing else of the
/// instance touches: so its parts do to one another what they did.
fn renames(copies: &Copies<'_>, stmt: &Statement, moved: &bodies::Moved) -> Result<bool> {
    for (access, (to, elements)) in moved {
        let known = copies.known(*to);
        let from = &stmt.accesses[*access];
        for (other, touched) in stmt.accesses.iter_enumerated() {
            let is_apart = match moved.get(&other) {
                None => touched.array != from.array && Some(touched.array) != known,
                Some((array, _)) if touched.array != from.array => array != to,
                Some((array, others)) => {
                    array == to
                        && others.is_equal(elements)?
                        && touched.relation.is_equal(&from.relation)?
                }
            };
            if !is_apart {
                return Ok(false);
            }
        }
        if !from.relation.is_single_valued()? || !elements.is_single_valued()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Those of the first dimensions of `elements` that the others determine, the last one first: without them, elements stay apart.
fn determined(elements: &Set, n_first: u32) -> Result<Vec<u32>> {
    let (mut left, mut at, mut places) = (elements.clone(), 0, Vec::new());
    for place in 0..n_first {
        let n = left.dim(DimType::SET)?;
        let pairs = left.identity()?.project_out(DimType::In, at, 1)?;
        let pairs = pairs.project_out(DimType::Out, at + 1, n - at - 1)?;
        if pairs.project_out(DimType::Out, 0, at)?.is_single_valued()? {
            left = left.project_out(DimType::SET, at, 1)?;
            places.push(place);
        } else {
            at += 1;
        }
    }
    places.reverse();
    Ok(places)
}

/// A statement that copies an element of one of the arrays `from`, or to one, with the same element on both sides; and the
/// access that was moved to that end: what it sets, where both arrays are among them.
fn copied_to_itself(stmt: &Statement, from: &BTreeSet<ArrayId>) -> Option<(AccessId, Statement)> {
    let (target, read) = single_copy(stmt)?;
    let is_from = |access: AccessId| from.contains(&stmt.accesses[access].array);
    let (moved, stays) = match (is_from(target), is_from(read)) {
        (true, _) => (target, read),
        (false, true) => (read, target),
        (false, false) => return None,
    };
    let place = stmt.accesses[stays].clone();
    let mut stmt = stmt.clone();
    let kind = stmt.accesses[moved].kind;
    stmt.accesses[moved] = Access { kind, ..place };
    Some((moved, stmt))
}

/// What code after the region may read.
struct Left {
    /// Each array with the elements that are written.
    arrays: Vec<(ArrayId, Set)>,
}

impl Left {
    /// What both scops may leave in some arrays.
    fn of(original: &Scop, changed: &Scop, arrays: &BTreeSet<ArrayId>) -> Result<Self> {
        let mut found = Vec::new();
        for &array in arrays {
            let is_read = original.arrays().get(array).is_some_and(|array| array.is_live_out);
            let mut written = Vec::new();
            for scop in [original, changed].iter().filter(|_| is_read) {
                for (stmt, statement) in scop.stmts().iter_enumerated() {
                    let writes = statement.accesses.iter();
                    for write in writes.filter(|a| a.array == array && a.kind.is_write()) {
                        let domain = scop.domain_of(stmt)?;
                        written.push(write.relation.intersect_domain(&domain)?.range()?);
                    }
                }
            }
            found.extend(Set::union_all(written)?.map(|elements| (array, elements)));
        }
        Ok(Self { arrays: found })
    }

    /// The scop with statements that read all this after everything else; `None` where they do not fit.
    fn after(&self, scop: &Scop) -> Result<Option<Scop>> {
        let mut builder = scop.to_builder();
        let n_dates = match builder.stmts.iter().next() {
            Some(first) => first.date.dim(DimType::Out)?,
            None => return Ok(Some(scop.clone())),
        };
        for stmt in builder.stmts.iter_mut() {
            stmt.date = in_front(&stmt.date, 0)?;
        }
        let mut names = NameGenerator::new(scop.stmts().iter().map(|stmt| stmt.name.clone()));
        for (array, elements) in &self.arrays {
            let name = names.fresh("left");
            let stmt = reader(&builder, *array, elements, &name, n_dates)?;
            builder.stmts.push(stmt);
        }
        Ok(builder.build().ok())
    }
}

/// A date with a constant in front.
fn in_front(date: &Map, constant: i32) -> Result<Map> {
    let inserted = date.insert_dims(DimType::Out, 0, 1)?;
    Ok(inserted.fix_si(DimType::Out, 0, constant)?)
}

/// A statement that reads these elements, with dates after all.
fn reader(
    builder: &ScopBuilder,
    array: ArrayId,
    elements: &Set,
    name: &str,
    n_dates: u32,
) -> Result<Statement> {
    let of = &builder.arrays[array];
    let domain = elements.with_tuple_name(name)?;
    let relation = Set::universe(&domain.space()?)?.identity()?;
    let rank = u32::try_from(of.rank()).unwrap_or(u32::MAX);
    let mut date = relation.project_out(DimType::Out, 0, rank)?.add_dims(DimType::Out, n_dates)?;
    for at in 0..n_dates {
        date = date.fix_si(DimType::Out, at, 0)?;
    }
    let mut iterators = Vec::new();
    let function = relation.to_pw_multi_aff()?;
    for at in 0..i32::try_from(rank).unwrap_or(i32::MAX) {
        let (name, ty) = (format!("x{at}"), "int".to_owned());
        iterators.push(Iterator { name, ty, value: function.at(at)? });
    }
    let relation = relation.with_tuple_name(DimType::Out, &of.name)?;
    let kind = AccessKind::Read;
    let mut accesses = IdVec::new();
    accesses.push(Access { array, kind, relation, subscripts: Vec::new(), span: None });
    Ok(Statement {
        name: name.to_owned(),
        label: None,
        domain,
        iterators,
        date: in_front(&date, 1)?,
        accesses,
        body: Vec::new(),
        span: None,
    })
}
