//! Buffers that are faithful copies.
//!
//! A *session* of a buffer is one iteration of the loops around the lowest node that all its uses stand below; the buffer is
//! declared inside these loops, so that no session sees what another one left. Checked for each buffer that statements fill
//! which are none of the original's:
//!
//! 1. In a session each cell is filled at most once, before all uses of it, and every cell that is used is filled.
//! 2. What it is filled with is what the original statement computes from its own accesses there ([`bodies`](super::bodies)).
//! 3. While the session lasts, nothing else writes what it is filled with, or what that was copied from in its turn. Where the
//!    buffer is written, nothing else touches the elements that it stands for; no two cells stand for one; and after its last
//!    write each cell that was written is copied back to its element.
//! 4. Cells lie within the buffer's extents, and nothing is copied that the original does not access.
//!
//! Where nothing but what fills a buffer writes it, cells may be filled again ([`refills`]): each use then finds the last fill before
//! it, and every fill is what some use finds.

use super::super::plan::Plan;
use super::super::walk::violation;
use super::fault;
use super::origins::Origins;
use super::refills::{all_filled, found, last_fills};
use super::{Judged, sound};
use crate::Result;
use crate::analysis::Prepared;
use crate::legality::clause::Clause;
use crate::legality::counterexample::Counterexample;
use farkas_poly::{DimType, Map, PwAff, Set};
use farkas_scop::{
    Access, AccessId, AccessKind, Array, ArrayId, ArrayScope, AssignOp, BodyStmt, Expr, Scop,
    Statement, StmtId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The sessions of the instances of statements.
type Sessions = BTreeMap<StmtId, Map>;

/// One access to a buffer.
struct Use {
    stmt: StmtId,
    access: AccessId,
    kind: AccessKind,
    /// From instances to sessions and cells.
    cells: Map,
}

/// A buffer that copies fill, with all that touches it.
struct Buffer {
    name: String,
    /// What fills it: the expression that it is filled with is the body's.
    fills: Vec<Use>,
    /// What copies it back, with the access to the element.
    empties: Vec<(Use, AccessId)>,
    /// The accesses of the original's statements, and of what fills other buffers from it.
    uses: Vec<Use>,
    /// The sessions of all instances that run in them.
    sessions: Sessions,
    /// Where cells are filled again: for each access that uses the buffer, from its instances to those of the fill that they find.
    refills: Option<BTreeMap<(StmtId, AccessId), Map>>,
}

impl Buffer {
    /// Whether something writes it but what fills it.
    fn is_written(&self) -> bool {
        self.uses.iter().any(|used| used.kind != AccessKind::Read)
    }
}

/// What a program copies, and the arrays that it has beside the original's.
pub(super) struct Copies<'a> {
    /// The program's scop.
    pub(super) scop: &'a Scop,
    pub(super) prepared: &'a Prepared,
    pub(super) plan: Option<&'a Plan>,
    /// The arrays of the original, by the program's.
    known: BTreeMap<ArrayId, ArrayId>,
    /// The buffers that copies fill.
    buffers: BTreeMap<ArrayId, Buffer>,
    /// The other arrays that the original has not, with their sessions; none for those of the whole program.
    own: BTreeMap<ArrayId, Option<Sessions>>,
    /// The statements that copy single values from one array to another, in the original's order.
    pub(super) moves: Vec<StmtId>,
}

impl<'a> Copies<'a> {
    /// Those of a program in the order of `plan`.
    pub(super) fn of(
        original: &Scop,
        prepared: &'a Prepared,
        plan: &'a Plan,
        origins: &Origins,
    ) -> Judged<Self> {
        Self::found(original, prepared, Some(plan), origins)
    }

    /// Those of a program that has no other order than the original's: it has no buffers.
    pub(super) fn none(original: &Scop, prepared: &'a Prepared, origins: &Origins) -> Judged<Self> {
        Self::found(original, prepared, None, origins)
    }

    /// Those of a program, in the order of a plan where there is one.
    fn found(
        original: &Scop,
        prepared: &'a Prepared,
        plan: Option<&'a Plan>,
        origins: &Origins,
    ) -> Judged<Self> {
        let scop = &prepared.scop;
        let (known, new) = sound!(arrays(original, scop));
        let (buffers, own, moves) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut copies = Self { scop, prepared, plan, known, buffers, own, moves };
        let mut all = BTreeMap::new();
        for array in &new {
            if scop.arrays()[*array].scope == ArrayScope::Buffer {
                all.insert(*array, sound!(copies.sessions_of(*array)));
            }
        }
        let filled = filled(scop, &all, origins)?;
        copies.moves = sound!(single_moves(scop, &filled, origins));
        for array in new {
            match all.remove(&array) {
                Some(sessions) if filled.contains(&array) => {
                    let buffer = sound!(copies.buffer(array, sessions, &filled, origins));
                    copies.buffers.insert(array, buffer);
                }
                sessions => drop(copies.own.insert(array, sessions)),
            }
        }
        Ok(Ok(copies))
    }

    /// The array of the original that an array is.
    pub(super) fn known(&self, array: ArrayId) -> Option<ArrayId> {
        self.known.get(&array).copied()
    }

    /// The arrays that the original has not and no copy fills.
    pub(super) fn own_arrays(&self) -> impl Iterator<Item = ArrayId> {
        self.own.keys().copied()
    }

    /// Whether copies fill a buffer.
    pub(super) fn is_copied(&self, array: ArrayId) -> bool {
        self.buffers.contains_key(&array)
    }

    /// The statements that fill a buffer or copy it back.
    pub(super) fn movers(&self, array: ArrayId) -> Vec<StmtId> {
        let Some(buffer) = self.buffers.get(&array) else { return Vec::new() };
        let empties = buffer.empties.iter().map(|(empty, _)| empty);
        buffer.fills.iter().chain(empties).map(|mover| mover.stmt).collect()
    }

    /// The elements of an access that goes to no buffer that copies fill: of an array of the program's own, they are apart for each
    /// session.
    pub(super) fn elements(&self, stmt: StmtId, access: AccessId) -> Judged<Map> {
        let access = &self.scop.stmts()[stmt].accesses[access];
        let relation = access.relation.align_params(&self.prepared.params)?;
        let relation = relation.intersect_domain(&self.prepared.domains[stmt])?;
        let Some(Some(sessions)) = self.own.get(&access.array) else { return Ok(Ok(relation)) };
        let name = &self.scop.arrays()[access.array].name;
        let Some(session) = sessions.get(&stmt) else {
            return Ok(Err(fault(name, Clause::Declared)));
        };
        Ok(Ok(session.flat_range_product(&relation)?.with_tuple_name(DimType::Out, name)?))
    }

    /// For each statement that fills the buffer of an access, from the access's instances to those that their cell is from.
    pub(super) fn sources(&self, stmt: StmtId, access: AccessId) -> Result<Vec<(StmtId, Map)>> {
        let Some(buffer) = self.buffers.get(&self.scop.stmts()[stmt].accesses[access].array) else {
            return Ok(Vec::new());
        };
        if let (Some(refills), [fill]) = (&buffer.refills, buffer.fills.as_slice()) {
            let found = refills.get(&(stmt, access));
            return Ok(found.map(|last| (fill.stmt, last.clone())).into_iter().collect());
        }
        let Some(session) = buffer.sessions.get(&stmt) else { return Ok(Vec::new()) };
        let relation = &self.scop.stmts()[stmt].accesses[access].relation;
        let cells = session.flat_range_product(&relation.align_params(&self.prepared.params)?)?;
        let source = |fill: &Use| Ok((fill.stmt, cells.apply_range(&fill.cells.reverse()?)?));
        buffer.fills.iter().map(source).collect()
    }

    /// From these instances, of a statement or beyond its own, to the cells of an access to a buffer behind the dates that tell
    /// sessions apart; `None` where the sessions are not known.
    pub(super) fn cells_in_sessions(
        &self,
        stmt: StmtId,
        access: &Access,
        of: &Set,
    ) -> Result<Option<Map>> {
        let Some(plan) = self.plan else { return Ok(None) };
        let mut dates = BTreeMap::new();
        sessions(plan, &users(self.scop, access.array), &mut dates);
        let Some(dates) = dates.get(&stmt) else { return Ok(None) };
        let mut all = Vec::new();
        for date in dates {
            let Some(date) = super::ghosts::extended(date)? else { return Ok(None) };
            all.push(date);
        }
        let session = session(of, &all.iter().collect::<Vec<_>>())?;
        if !of.is_subset(&session.domain()?)? {
            return Ok(None);
        }
        let relation = access.relation.align_params(&self.prepared.params)?;
        Ok(Some(session.flat_range_product(&relation)?))
    }

    /// The first thing that is wrong with a buffer or an array of the program's own.
    pub(super) fn first_fault(&self) -> Result<Option<Counterexample>> {
        for array in self.own.keys() {
            if let Some(found) = self.outside(*array)? {
                return Ok(Some(found));
            }
        }
        for buffer in self.buffers.values() {
            if let Err(found) = self.judge(buffer)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// What lies outside of an array of the program's own.
    pub(super) fn outside(&self, array: ArrayId) -> Result<Option<Counterexample>> {
        let of = &self.scop.arrays()[array];
        for (stmt, statement) in self.scop.stmts().iter_enumerated() {
            for access in statement.accesses.iter().filter(|access| access.array == array) {
                let domain = &self.prepared.domains[stmt];
                let cells = access.relation.intersect_domain(domain)?.range()?;
                if !is_inside(&cells, of)? {
                    return Ok(Some(fault(&of.name, Clause::Extents)));
                }
            }
        }
        Ok(None)
    }

    /// A buffer's fills and uses; copies fill those in `filled`.
    fn buffer(
        &self,
        array: ArrayId,
        sessions: Sessions,
        filled: &BTreeSet<ArrayId>,
        origins: &Origins,
    ) -> Judged<Buffer> {
        let name = self.scop.arrays()[array].name.clone();
        let (fills, empties, uses) = (Vec::new(), Vec::new(), Vec::new());
        let mut buffer = Buffer { name, fills, empties, uses, sessions, refills: None };
        for stmt in users(self.scop, array) {
            let statement = &self.scop.stmts()[stmt];
            let fills_other = target(statement).is_some_and(|(_, written)| {
                written.array != array && filled.contains(&written.array)
            });
            let uses = origins.get(&statement.name).is_some() || fills_other;
            for (id, access) in
                statement.accesses.iter_enumerated().filter(|(_, a)| a.array == array)
            {
                let Some(session) = buffer.sessions.get(&stmt) else {
                    return Ok(Err(fault(&buffer.name, Clause::Declared)));
                };
                let cell = access.relation.align_params(&self.prepared.params)?;
                let cells = session.flat_range_product(&cell)?;
                let used = Use { stmt, access: id, kind: access.kind, cells };
                match copied(statement, array) {
                    _ if uses => buffer.uses.push(used),
                    Some(Copied::In) => buffer.fills.push(used),
                    Some(Copied::Back(to)) => buffer.empties.push((used, to)),
                    None => return Ok(Err(fault(&statement.name, Clause::Copy))),
                }
            }
        }
        buffer.refills = self.refills(&buffer)?;
        Ok(Ok(buffer))
    }

    /// What the uses of a buffer find whose cells are filled again; `None` where they are not, or where nobody knows.
    fn refills(&self, buffer: &Buffer) -> Result<Option<BTreeMap<(StmtId, AccessId), Map>>> {
        let (Some(plan), [fill]) = (self.plan, buffer.fills.as_slice()) else { return Ok(None) };
        if buffer.is_written() || !buffer.empties.is_empty() || fill.cells.is_injective()? {
            return Ok(None);
        }
        let mut all = BTreeMap::new();
        for used in &buffer.uses {
            let last = last_fills(plan, (fill.stmt, &fill.cells), (used.stmt, &used.cells))?;
            let Some(last) = last else { return Ok(None) };
            all.insert((used.stmt, used.access), last);
        }
        Ok(Some(all))
    }

    /// The sessions of a buffer.
    fn sessions_of(&self, array: ArrayId) -> Judged<Sessions> {
        let Some(plan) = self.plan else {
            return Ok(Err(fault(&self.scop.arrays()[array].name, Clause::Declared)));
        };
        let mut dates = BTreeMap::new();
        sessions(plan, &users(self.scop, array), &mut dates);
        let mut sessions = BTreeMap::new();
        for (stmt, dates) in dates {
            sessions.insert(stmt, session(&self.prepared.domains[stmt], &dates)?);
        }
        Ok(Ok(sessions))
    }

    /// Whether the pairs of `first` and `second` that have something in common run in this order.
    fn in_order(&self, first: &Use, second: &Use) -> Result<bool> {
        let Some(plan) = self.plan else { return Ok(false) };
        let pairs = first.cells.apply_range(&second.cells.reverse()?)?;
        Ok(violation(plan, first.stmt, second.stmt, pairs)?.is_none())
    }

    /// Checks 1, 3 and 4 for one buffer.
    fn judge(&self, buffer: &Buffer) -> Judged<()> {
        let wrong = |clause| Ok(Err(fault(&buffer.name, clause)));
        if let Some(refills) = &buffer.refills {
            return self.judge_refilled(buffer, refills);
        }
        let filled = ranges(&buffer.fills)?;
        for (at, fill) in buffer.fills.iter().enumerate() {
            if !fill.cells.is_injective()? {
                return wrong(Clause::FilledTwice);
            }
            let range = fill.cells.range()?;
            for other in &buffer.fills[..at] {
                if !other.cells.range()?.is_disjoint(&range)? {
                    return wrong(Clause::FilledByTwo);
                }
            }
        }
        let used = ranges(&buffer.uses)?;
        if !is_within(&used, &filled)? {
            return wrong(Clause::Filled);
        }
        if !is_within(&filled, &used)? {
            return wrong(Clause::Used);
        }
        for fill in &buffer.fills {
            for used in buffer.uses.iter().chain(buffer.empties.iter().map(|(empty, _)| empty)) {
                if !self.in_order(fill, used)? {
                    return wrong(Clause::FilledFirst);
                }
            }
        }
        if !self.is_within_extents(buffer)? {
            return wrong(Clause::Extents);
        }
        if buffer.is_written() {
            return self.judge_written(buffer);
        }
        if !buffer.empties.is_empty() {
            return wrong(Clause::NotWritten);
        }
        self.judge_read_only(buffer)
    }

    /// Checks 1, 3 and 4 for a buffer whose cells are filled again.
    fn judge_refilled(
        &self,
        buffer: &Buffer,
        refills: &BTreeMap<(StmtId, AccessId), Map>,
    ) -> Judged<()> {
        let wrong = |clause| Ok(Err(fault(&buffer.name, clause)));
        for used in &buffer.uses {
            match refills.get(&(used.stmt, used.access)) {
                Some(last) if all_filled(&used.cells, last)? => {}
                _ => return wrong(Clause::Filled),
            }
        }
        let found = found(refills.values())?;
        for fill in &buffer.fills {
            let all = fill.cells.domain()?;
            if !found.as_ref().map_or(Ok(false), |found| all.is_subset(found))? {
                let is_used = is_within(&[fill.cells.range()?], &ranges(&buffer.uses)?)?;
                return wrong(if is_used { Clause::FilledTwice } else { Clause::Used });
            }
        }
        if !self.is_within_extents(buffer)? {
            return wrong(Clause::Extents);
        }
        self.judge_read_only(buffer)
    }

    /// Nothing writes what a buffer is filled with while it is in use.
    fn judge_read_only(&self, buffer: &Buffer) -> Judged<()> {
        for fill in &buffer.fills {
            let statement = &self.scop.stmts()[fill.stmt];
            let reads =
                statement.accesses.iter_enumerated().filter(|(_, a)| a.kind == AccessKind::Read);
            for (read, _) in reads {
                if self.is_written_meanwhile(buffer, fill.stmt, read)? {
                    return Ok(Err(fault(&buffer.name, Clause::Unchanged)));
                }
            }
        }
        Ok(Ok(()))
    }

    /// The elements of a written buffer are its own, and get their values back.
    fn judge_written(&self, buffer: &Buffer) -> Judged<()> {
        let wrong = |clause| Ok(Err(fault(&buffer.name, clause)));
        let own: Vec<StmtId> = buffer
            .fills
            .iter()
            .map(|f| f.stmt)
            .chain(buffer.empties.iter().map(|e| e.0.stmt))
            .collect();
        let emptied: Vec<Set> =
            buffer.empties.iter().map(|(e, _)| Ok(e.cells.range()?)).collect::<Result<_>>()?;
        if !is_within(&emptied, &ranges(&buffer.fills)?)? {
            return wrong(Clause::BackFilled);
        }
        for used in buffer.uses.iter().filter(|used| used.kind != AccessKind::Read) {
            if used.kind != AccessKind::MustWrite || !is_within(&[used.cells.range()?], &emptied)? {
                return wrong(Clause::Back);
            }
            for (empty, _) in &buffer.empties {
                if !self.in_order(used, empty)? {
                    return wrong(Clause::BackLast);
                }
            }
        }
        for fill in &buffer.fills {
            let Some(element) = self.filled_element(fill.stmt) else {
                return wrong(Clause::Holds);
            };
            let Some(session) = buffer.sessions.get(&fill.stmt) else {
                return wrong(Clause::Declared);
            };
            let relation = &self.scop.stmts()[fill.stmt].accesses[element].relation;
            let relation = relation.align_params(&self.prepared.params)?;
            if !session.flat_range_product(&relation)?.is_injective()? {
                return wrong(Clause::OneElement);
            }
            if self.is_used_beside(buffer, fill.stmt, element, &own)? {
                return wrong(Clause::Beside);
            }
            let elements = sound!(self.elements(fill.stmt, element));
            for (empty, to) in &buffer.empties {
                let pairs = empty.cells.apply_range(&fill.cells.reverse()?)?;
                let home = sound!(self.elements(empty.stmt, *to));
                if !pairs.is_empty()? && !pairs.apply_range(&elements)?.is_subset(&home)? {
                    return wrong(Clause::BackHome);
                }
            }
        }
        if buffer.fills.len() > 1 {
            return wrong(Clause::OneFill);
        }
        Ok(Ok(()))
    }

    /// The access that a statement copies into a buffer, where it copies an element.
    fn filled_element(&self, fill: StmtId) -> Option<AccessId> {
        match self.scop.stmts()[fill].body.as_slice() {
            [BodyStmt::Assign { value: Expr::Access(element), .. }] => Some(*element),
            _ => None,
        }
    }

    /// Whether a statement writes, in some session of `buffer`, an element that `access` of `fill` has its value from in it.
    fn is_written_meanwhile(
        &self,
        buffer: &Buffer,
        fill: StmtId,
        access: AccessId,
    ) -> Result<bool> {
        let Some(session) = buffer.sessions.get(&fill) else { return Ok(true) };
        let Some(held) = self.held(fill, access, self.buffers.len())? else { return Ok(true) };
        for (array, relation) in held {
            let elements = session.flat_range_product(&relation)?.range()?;
            for (stmt, session) in &buffer.sessions {
                for (_, touched) in self.touching(*stmt, session, array, AccessKind::is_write)? {
                    if !touched.range()?.is_disjoint(&elements)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether a statement that is none of `own` touches, in some session of `buffer`, an element that `access` of `fill` has its
    /// value from in it, at another time than before the element is in the buffer or after it is back.
    fn is_used_beside(
        &self,
        buffer: &Buffer,
        fill: StmtId,
        access: AccessId,
        own: &[StmtId],
    ) -> Result<bool> {
        let Some(session) = buffer.sessions.get(&fill) else { return Ok(true) };
        let Some(held) = self.held(fill, access, self.buffers.len())? else { return Ok(true) };
        for (array, relation) in held {
            let filled = (fill, session.flat_range_product(&relation)?);
            let elements = filled.1.range()?;
            let Some(back) = self.back_in(buffer, array)? else { return Ok(true) };
            for (stmt, session) in buffer.sessions.iter().filter(|(stmt, _)| !own.contains(stmt)) {
                for touched in self.touching(*stmt, session, array, |_| true)? {
                    if !touched.1.range()?.is_disjoint(&elements)?
                        && !self.is_outside(&touched, &filled, &back)?
                    {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// From the instances of a statement to sessions and elements of an array, for each of its accesses of such a kind.
    fn touching(
        &self,
        stmt: StmtId,
        session: &Map,
        array: ArrayId,
        is_meant: impl Fn(AccessKind) -> bool,
    ) -> Result<Vec<(StmtId, Map)>> {
        let accesses = self.scop.stmts()[stmt].accesses.iter();
        let mut all = Vec::new();
        for other in accesses.filter(|a| a.array == array && is_meant(a.kind)) {
            let relation = other.relation.align_params(&self.prepared.params)?;
            all.push((stmt, session.flat_range_product(&relation)?));
        }
        Ok(all)
    }

    /// From the instances of what empties a buffer to sessions and the elements of an array that get their values back.
    fn back_in(&self, buffer: &Buffer, array: ArrayId) -> Result<Option<Vec<(StmtId, Map)>>> {
        let mut back = Vec::new();
        for (empty, to) in &buffer.empties {
            let Some(session) = buffer.sessions.get(&empty.stmt) else { return Ok(None) };
            let Some(homes) = self.held(empty.stmt, *to, self.buffers.len())? else {
                return Ok(None);
            };
            for (_, relation) in homes.iter().filter(|(home, _)| *home == array) {
                back.push((empty.stmt, session.flat_range_product(relation)?));
            }
        }
        Ok(Some(back))
    }

    /// Whether what is touched is so before it is filled in from its element, or else after all of it is back.
    fn is_outside(
        &self,
        touched: &(StmtId, Map),
        filled: &(StmtId, Map),
        back: &[(StmtId, Map)],
    ) -> Result<bool> {
        let Some(plan) = self.plan else { return Ok(false) };
        let is_first = |first: &(StmtId, Map), second: &(StmtId, Map)| -> Result<bool> {
            let pairs = first.1.apply_range(&second.1.reverse()?)?;
            Ok(violation(plan, first.0, second.0, pairs)?.is_none())
        };
        if is_first(touched, filled)? {
            return Ok(true);
        }
        let meant = touched.1.range()?.intersect(&filled.1.range()?)?;
        let homes: Vec<Set> = back.iter().map(|(_, to)| Ok(to.range()?)).collect::<Result<_>>()?;
        if !is_within(&[meant], &homes)? {
            return Ok(false);
        }
        for home in back {
            if !is_first(home, touched)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The elements that an access has its value from, through at most `depth` copies; `None` where one of them is of a buffer that is
    /// written.
    fn held(
        &self,
        stmt: StmtId,
        access: AccessId,
        depth: usize,
    ) -> Result<Option<Vec<(ArrayId, Map)>>> {
        let Access { array, relation, .. } = &self.scop.stmts()[stmt].accesses[access];
        let Some(buffer) = self.buffers.get(array) else {
            return Ok(Some(vec![(*array, relation.align_params(&self.prepared.params)?)]));
        };
        if depth == 0 || buffer.is_written() {
            return Ok(None);
        }
        let mut all = Vec::new();
        for (fill, from) in self.sources(stmt, access)? {
            let accesses = self.scop.stmts()[fill].accesses.iter_enumerated();
            for (read, _) in accesses.filter(|(_, a)| a.kind == AccessKind::Read) {
                let Some(held) = self.held(fill, read, depth - 1)? else { return Ok(None) };
                for (array, relation) in held {
                    all.push((array, from.apply_range(&relation)?));
                }
            }
        }
        Ok(Some(all))
    }

    /// Whether all cells lie within the extents.
    fn is_within_extents(&self, buffer: &Buffer) -> Result<bool> {
        let array = self.scop.arrays().iter().find(|array| array.name == buffer.name);
        let Some(array) = array else { return Ok(false) };
        let known = array.constant_extents();
        let rank = u32::try_from(array.rank()).unwrap_or(u32::MAX);
        for used in &buffer.fills {
            let n = used.cells.dim(DimType::Out)?;
            let cells = used.cells.range()?;
            for (axis, at) in (n.saturating_sub(rank)..n).enumerate() {
                let is_within = match (&known, &array.extents[axis]) {
                    (Some(extents), _) => is_below(&cells, at, extents[axis])?,
                    (None, Some(extent)) => is_below_any(&cells, at, extent)?,
                    (None, None) => false,
                };
                if !is_within {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Whether a dimension of cells begins at zero, at least, and ends before a number.
fn is_below(cells: &Set, at: u32, extent: i64) -> Result<bool> {
    let Ok(last) = i32::try_from(extent - 1) else { return Ok(false) };
    let inside = cells.lower_bound_si(DimType::SET, at, 0)?;
    Ok(cells.is_subset(&inside.upper_bound_si(DimType::SET, at, last)?)?)
}

/// Whether it begins at zero, at least, and ends before an extent, whatever the parameters are.
fn is_below_any(cells: &Set, at: u32, extent: &PwAff) -> Result<bool> {
    let rest = cells.dim(DimType::SET)?.saturating_sub(at).saturating_sub(1);
    let values = cells.reset_tuple_id()?.project_out(DimType::SET, at.saturating_add(1), rest)?;
    let values = values.project_out(DimType::SET, 0, at)?;
    if !values.is_subset(&values.lower_bound_si(DimType::SET, 0, 0)?)? {
        return Ok(false);
    }
    let beyond: Map = "{ [extent] -> [value] : value >= extent }".parse()?;
    let beyond = extent.to_map()?.range()?.apply(&beyond)?;
    Ok(values.intersect(&beyond)?.is_empty()?)
}

/// The arrays that are the original's, with those, and the others, which are to be the program's own.
fn arrays(original: &Scop, scop: &Scop) -> Judged<(BTreeMap<ArrayId, ArrayId>, BTreeSet<ArrayId>)> {
    let (mut known, mut new) = (BTreeMap::new(), BTreeSet::new());
    for (id, array) in scop.arrays().iter_enumerated() {
        let mut of_original = original.arrays().iter_enumerated();
        match of_original.find(|(_, of)| of.name == array.name) {
            Some((of, same)) if same == array => drop(known.insert(id, of)),
            Some(_) => return Ok(Err(fault(&array.name, Clause::Arrays))),
            None => {
                let is_made = matches!(array.scope, ArrayScope::Expanded | ArrayScope::Buffer);
                if !is_made || array.is_live_in || array.is_live_out {
                    return Ok(Err(fault(&array.name, Clause::Own)));
                }
                new.insert(id);
            }
        }
    }
    Ok(Ok((known, new)))
}

/// The buffers, of those with these sessions, that hold copies: statements write them which are none of the original's, and not only to
/// copy back to them what buffers with more and shorter sessions hold.
fn filled(
    scop: &Scop,
    sessions: &BTreeMap<ArrayId, Sessions>,
    origins: &Origins,
) -> Result<BTreeSet<ArrayId>> {
    let mut n_loops = BTreeMap::new();
    for (array, sessions) in sessions {
        let n = match sessions.values().next() {
            Some(session) => session.dim(DimType::Out)?,
            None => 0,
        };
        n_loops.insert(*array, n);
    }
    let mut filled = BTreeSet::new();
    for stmt in scop.stmts().iter().filter(|stmt| origins.get(&stmt.name).is_none()) {
        let from = single_copy(stmt).and_then(|(_, read)| n_loops.get(&stmt.accesses[read].array));
        for written in stmt.accesses.iter().filter(|access| access.kind.is_write()) {
            let n = n_loops.get(&written.array);
            if n.is_some() && from <= n {
                filled.insert(written.array);
            }
        }
    }
    Ok(filled)
}

/// The statements, none of the original's, that have nothing to do with buffers that copies fill: each copies a single value.
fn single_moves(scop: &Scop, filled: &BTreeSet<ArrayId>, origins: &Origins) -> Judged<Vec<StmtId>> {
    let mut moves = Vec::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        let is_other = origins.get(&stmt.name).is_none();
        if !is_other || stmt.accesses.iter().any(|access| filled.contains(&access.array)) {
            continue;
        }
        if single_copy(stmt).is_none() {
            return Ok(Err(fault(&stmt.name, Clause::Statements)));
        }
        moves.push(id);
    }
    Ok(Ok(moves))
}

/// The written and the read access of a statement that copies an element and does nothing else.
pub(super) fn single_copy(stmt: &Statement) -> Option<(AccessId, AccessId)> {
    let [BodyStmt::Assign { target, op: AssignOp::Set, read: None, value: Expr::Access(read) }] =
        stmt.body.as_slice()
    else {
        return None;
    };
    let is_sure = stmt.accesses.get(*target)?.kind == AccessKind::MustWrite;
    let is_whole = stmt.accesses.len() == 2 && stmt.accesses.get(*read)?.kind == AccessKind::Read;
    (is_sure && is_whole).then_some((*target, *read))
}

/// What a statement of one assignment writes.
fn target(stmt: &Statement) -> Option<(AccessId, &Access)> {
    match stmt.body.as_slice() {
        [BodyStmt::Assign { target, .. }] => Some((*target, stmt.accesses.get(*target)?)),
        _ => None,
    }
}

/// Whether elements lie within the extents of their array.
pub(super) fn is_inside(elements: &Set, array: &Array) -> Result<bool> {
    for (at, extent) in (0..).zip(&array.extents) {
        let Some(extent) = extent else { return Ok(false) };
        if !elements.is_subset(&elements.lower_bound_si(DimType::SET, at, 0)?)? {
            return Ok(false);
        }
        let last = elements.dim_max(i32::try_from(at).unwrap_or(i32::MAX))?;
        if !last.domain()?.is_subset(&last.lt_set(&extent.project_domain_on_params()?)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The statements that use a buffer.
pub(super) fn users(scop: &Scop, array: ArrayId) -> BTreeSet<StmtId> {
    let of = |stmt: &farkas_scop::Statement| stmt.accesses.iter().any(|a| a.array == array);
    scop.stmts().iter_enumerated().filter(|(_, s)| of(s)).map(|(id, _)| id).collect()
}

/// From some instances of a statement to these dates, which tell sessions apart.
pub(super) fn session(domain: &Set, dates: &[&PwAff]) -> Result<Map> {
    let all = Set::universe(&domain.space()?)?;
    let depth = domain.dim(DimType::SET)?;
    let mut session = all.identity()?.project_out(DimType::Out, 0, depth)?;
    for date in dates {
        session = session.flat_range_product(&date.to_map()?)?;
    }
    // Last, for products of bounded relations take isl much longer.
    Ok(session.intersect_domain(domain)?)
}

/// Which way a statement copies.
enum Copied {
    /// Into the buffer.
    In,
    /// From the buffer to the element of this access.
    Back(AccessId),
}

/// Which way a statement copies the buffer `array`; `None` where it does something else.
fn copied(stmt: &Statement, array: ArrayId) -> Option<Copied> {
    let [BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }] = stmt.body.as_slice()
    else {
        return None;
    };
    let is_of = |access: AccessId| stmt.accesses.get(access).is_some_and(|a| a.array == array);
    if is_of(*target) {
        let mut is_read = false;
        value.walk(&mut |e| is_read |= matches!(e, Expr::Access(a) if is_of(*a)));
        let is_sure = stmt.accesses[*target].kind == AccessKind::MustWrite;
        return (!is_read && is_sure).then_some(Copied::In);
    }
    match value {
        Expr::Access(read) if is_of(*read) => Some(Copied::Back(*target)),
        _ => None,
    }
}

/// The sessions and cells that each of `uses` touches.
fn ranges(uses: &[Use]) -> Result<Vec<Set>> {
    uses.iter().map(|used| Ok(used.cells.range()?)).collect()
}

/// Whether all of `sets` lie in the union of `others`.
fn is_within(sets: &[Set], others: &[Set]) -> Result<bool> {
    for set in sets {
        let mut left = set.clone();
        for other in others {
            left = left.subtract(other)?;
        }
        if !left.is_empty()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Collects the dates of the loops around the lowest node that all instances of `stmts` reach, for each statement that reaches it.
pub(super) fn sessions<'a>(
    plan: &'a Plan,
    stmts: &BTreeSet<StmtId>,
    dates: &mut BTreeMap<StmtId, Vec<&'a PwAff>>,
) {
    match plan {
        Plan::Leaf { .. } => {}
        Plan::Band { members, child, .. } => {
            for member in members {
                for (stmt, date) in member.iter().collect::<BTreeMap<_, _>>() {
                    dates.entry(*stmt).or_default().push(&date.function);
                }
            }
            sessions(child, stmts, dates);
        }
        Plan::Fork { of, children, .. } => {
            let only = |stmt: &StmtId| match of.get(stmt).map(Vec::as_slice) {
                Some([(child, _)]) => Some(*child),
                _ => None,
            };
            let mut all = stmts.iter().map(only);
            let first = all.next().flatten();
            let is_one = first.is_some() && all.all(|child| child == first);
            for stmt in of.keys().copied().collect::<BTreeSet<_>>() {
                dates.entry(stmt).or_default();
            }
            if let Some(child) = first.filter(|_| is_one) {
                dates.retain(|stmt, _| {
                    of.get(stmt).is_some_and(|c| c.iter().any(|(at, _)| *at == child))
                });
                sessions(&children[child], stmts, dates);
            }
        }
    }
}
