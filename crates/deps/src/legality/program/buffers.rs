//! Buffers that are faithful copies.
//!
//! A *session* of a buffer is one iteration of the loops around the lowest node that all its uses stand below; the buffer is
//! declared inside these loops, so that no session sees what another one left. Checked for each buffer:
//!
//! 1. In a session each cell is filled at most once, before all uses of it, and every cell that is used is filled.
//! 2. What it is filled with is what the original statement computes from its own accesses there ([`bodies`](super::bodies)).
//! 3. While the session lasts, nothing else writes what it is filled with. Where the buffer is written, nothing else touches the
//!    elements that it stands for; no two cells stand for one; and after its last write each cell that was written is
//!    copied back to its element.
//! 4. Cells lie within the buffer's extents, and nothing is copied that the original does not access.

use super::super::counterexample::Counterexample;
use super::super::plan::Plan;
use super::super::walk::violation;
use super::bodies;
use super::expanded::{Expansions, Sessions};
use super::fault;
use super::unbuffered::Origins;
use crate::Result;
use crate::analysis::Prepared;
use farkas_poly::{DimType, Map, PwAff, Set};
use farkas_scop::{
    AccessId, AccessKind, ArrayId, ArrayScope, AssignOp, BodyStmt, Expr, Scop, StmtId,
};
use std::collections::{BTreeMap, BTreeSet};

/// What judging needs.
pub(super) struct Judge<'a> {
    pub(super) original: &'a Scop,
    /// The program's scop.
    pub(super) scop: &'a Scop,
    pub(super) prepared: &'a Prepared,
    pub(super) plan: &'a Plan,
    pub(super) origins: &'a Origins,
    pub(super) expansions: &'a Expansions,
}

/// One access to a buffer.
struct Use {
    stmt: StmtId,
    kind: AccessKind,
    /// From instances to sessions and cells.
    cells: Map,
}

/// A buffer with all that touches it.
pub(super) struct Buffer<'a> {
    name: &'a str,
    /// What fills it: the expression that it is filled with is the body's.
    fills: Vec<Use>,
    /// What copies it back, with the access to the element.
    empties: Vec<(Use, AccessId)>,
    /// The accesses of the original's statements.
    uses: Vec<Use>,
    /// The sessions of all instances that run in them.
    sessions: BTreeMap<StmtId, Map>,
}

/// A judgement: nothing, or what is wrong.
type Judged = Result<std::result::Result<(), Counterexample>>;

impl Judge<'_> {
    /// The first thing that is wrong with a buffer or a body.
    pub(super) fn first_fault(&self) -> Result<Option<Counterexample>> {
        let mut buffers = BTreeMap::new();
        for (id, array) in self.scop.arrays().iter_enumerated() {
            let is_known = self.original.arrays().iter().any(|known| known.name == array.name);
            match (array.scope, is_known) {
                (ArrayScope::Buffer, false) if self.expansions.has_buffer(id) => {}
                (ArrayScope::Buffer, false) => match self.buffer(id)? {
                    Ok(buffer) => drop(buffers.insert(id, buffer)),
                    Err(found) => return Ok(Some(found)),
                },
                (_, true) => {}
                _ => return Ok(Some(fault(&array.name, "the original has no such array"))),
            }
        }
        for buffer in buffers.values() {
            if let Err(found) = self.judge(buffer)? {
                return Ok(Some(found));
            }
        }
        for origin in self.origins.iter().filter(|o| !self.expansions.has_stmt(o.now)) {
            let bodies = bodies::Bodies { judge: self, buffers: &buffers, origin };
            if let Err(found) = bodies.are_same()? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A buffer's fills and uses.
    fn buffer(&self, array: ArrayId) -> Result<std::result::Result<Buffer<'_>, Counterexample>> {
        let name = self.scop.arrays()[array].name.as_str();
        let stmts = users(self.scop, array);
        let sessions = self.sessions_of(array)?;
        let mut buffer =
            Buffer { name, fills: Vec::new(), empties: Vec::new(), uses: Vec::new(), sessions };
        for &stmt in &stmts {
            let statement = &self.scop.stmts()[stmt];
            let is_own = self.origins.get(&statement.name).is_none();
            for (_, access) in
                statement.accesses.iter_enumerated().filter(|(_, a)| a.array == array)
            {
                let Some(session) = buffer.sessions.get(&stmt) else {
                    return Ok(Err(fault(name, "it is used where it is not declared")));
                };
                let cell = access.relation.align_params(&self.prepared.params)?;
                let cells = session.flat_range_product(&cell)?;
                let used = Use { stmt, kind: access.kind, cells };
                match copied(&statement.body, &statement.accesses, array) {
                    _ if !is_own => buffer.uses.push(used),
                    Some(Copied::In) => buffer.fills.push(used),
                    Some(Copied::Back(to)) => buffer.empties.push((used, to)),
                    None => return Ok(Err(fault(&statement.name, "it is no copy"))),
                }
            }
        }
        Ok(Ok(buffer))
    }

    /// The sessions of a buffer.
    fn sessions_of(&self, array: ArrayId) -> Result<Sessions> {
        sessions_of(self.scop, self.prepared, self.plan, array)
    }

    /// The sessions of the buffers that stand for scalars.
    pub(super) fn sessions(&self) -> Result<BTreeMap<ArrayId, Sessions>> {
        let sessions = |array| Ok((array, self.sessions_of(array)?));
        self.expansions.buffers().map(sessions).collect()
    }

    /// The elements that an access touches in each session: from instances to sessions and elements.
    pub(super) fn elements(
        &self,
        buffer: &Buffer<'_>,
        stmt: StmtId,
        access: AccessId,
    ) -> Result<Option<Map>> {
        let Some(session) = buffer.sessions.get(&stmt) else { return Ok(None) };
        let relation = &self.scop.stmts()[stmt].accesses[access].relation;
        Ok(Some(session.flat_range_product(&relation.align_params(&self.prepared.params)?)?))
    }

    /// Whether the pairs of `first` and `second` that have something in common run in this order.
    fn in_order(&self, first: &Use, second: &Use) -> Result<bool> {
        let pairs = first.cells.apply_range(&second.cells.reverse()?)?;
        Ok(violation(self.plan, first.stmt, second.stmt, pairs)?.is_none())
    }

    /// Checks 1, 3 and 4 for one buffer.
    fn judge(&self, buffer: &Buffer<'_>) -> Judged {
        let wrong = |reason| Ok(Err(fault(buffer.name, reason)));
        let filled = ranges(&buffer.fills)?;
        for (at, fill) in buffer.fills.iter().enumerate() {
            if !fill.cells.is_injective()? {
                return wrong("a cell is filled twice in a session");
            }
            let range = fill.cells.range()?;
            for other in &buffer.fills[..at] {
                if !other.cells.range()?.is_disjoint(&range)? {
                    return wrong("two statements fill a cell in one session");
                }
            }
        }
        let used = ranges(&buffer.uses)?;
        if !is_within(&used, &filled)? {
            return wrong("a cell is used that was not filled");
        }
        if !is_within(&filled, &used)? {
            return wrong("a cell is filled that nothing uses");
        }
        for fill in &buffer.fills {
            for used in buffer.uses.iter().chain(buffer.empties.iter().map(|(empty, _)| empty)) {
                if !self.in_order(fill, used)? {
                    return wrong("a cell is used before it is filled");
                }
            }
        }
        if !self.is_within_extents(buffer)? {
            return wrong("a cell lies outside");
        }
        if buffer.uses.iter().any(|used| used.kind != AccessKind::Read) {
            return self.judge_written(buffer);
        }
        if !buffer.empties.is_empty() {
            return wrong("it is copied back though nothing writes it");
        }
        self.judge_read_only(buffer)
    }

    /// Nothing writes what a buffer is filled with while it is in use.
    fn judge_read_only(&self, buffer: &Buffer<'_>) -> Judged {
        for fill in &buffer.fills {
            let statement = &self.scop.stmts()[fill.stmt];
            let reads =
                statement.accesses.iter_enumerated().filter(|(_, a)| a.kind == AccessKind::Read);
            for (id, read) in reads {
                let is_write = |kind: AccessKind| kind.is_write();
                if self.is_touched(buffer, fill.stmt, id, read.array, is_write, &[])? {
                    return Ok(Err(fault(
                        buffer.name,
                        "what it holds is written while it is used",
                    )));
                }
            }
        }
        Ok(Ok(()))
    }

    /// The elements of a written buffer are its own, and get their values back.
    fn judge_written(&self, buffer: &Buffer<'_>) -> Judged {
        let wrong = |reason| Ok(Err(fault(buffer.name, reason)));
        let own: Vec<StmtId> = buffer
            .fills
            .iter()
            .map(|f| f.stmt)
            .chain(buffer.empties.iter().map(|e| e.0.stmt))
            .collect();
        let emptied: Vec<Set> =
            buffer.empties.iter().map(|(e, _)| Ok(e.cells.range()?)).collect::<Result<_>>()?;
        if !is_within(&emptied, &ranges(&buffer.fills)?)? {
            return wrong("a cell is copied back that was not filled");
        }
        for used in buffer.uses.iter().filter(|used| used.kind != AccessKind::Read) {
            if used.kind != AccessKind::MustWrite || !is_within(&[used.cells.range()?], &emptied)? {
                return wrong("a cell is written that is not copied back");
            }
            for (empty, _) in &buffer.empties {
                if !self.in_order(used, empty)? {
                    return wrong("a cell is written after it was copied back");
                }
            }
        }
        for fill in &buffer.fills {
            let Some(element) = self.filled_element(fill.stmt) else {
                return wrong("it is written, but does not hold elements of an array");
            };
            let array = self.scop.stmts()[fill.stmt].accesses[element].array;
            let Some(elements) = self.elements(buffer, fill.stmt, element)? else {
                return wrong("it is used where it is not declared");
            };
            if !elements.is_injective()? {
                return wrong("two cells stand for one element");
            }
            if self.is_touched(buffer, fill.stmt, element, array, |_| true, &own)? {
                return wrong("an element is used beside the buffer that stands for it");
            }
            for (empty, to) in &buffer.empties {
                let pairs = empty.cells.apply_range(&fill.cells.reverse()?)?;
                let relation = |stmt: StmtId, access: AccessId| {
                    self.scop.stmts()[stmt].accesses[access].relation.clone()
                };
                let from = pairs.apply_range(&relation(fill.stmt, element))?;
                if !from.is_subset(&relation(empty.stmt, *to))? {
                    return wrong("a cell is copied back to another element");
                }
            }
        }
        if buffer.fills.len() > 1 {
            return wrong("several statements fill a buffer that is written");
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

    /// Whether an access of such a kind by a statement that is none of `own` touches, in some session, an element of `array` that
    /// `access` of `fill` touches in it.
    fn is_touched(
        &self,
        buffer: &Buffer<'_>,
        fill: StmtId,
        access: AccessId,
        array: ArrayId,
        is_meant: impl Fn(AccessKind) -> bool,
        own: &[StmtId],
    ) -> Result<bool> {
        let Some(elements) = self.elements(buffer, fill, access)? else { return Ok(true) };
        let elements = elements.range()?;
        for &stmt in buffer.sessions.keys().filter(|stmt| !own.contains(stmt)) {
            let accesses = self.scop.stmts()[stmt].accesses.iter_enumerated();
            for (other, _) in accesses.filter(|(_, a)| a.array == array && is_meant(a.kind)) {
                let Some(touched) = self.elements(buffer, stmt, other)? else { return Ok(true) };
                if !touched.range()?.is_disjoint(&elements)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether all cells lie within the extents.
    fn is_within_extents(&self, buffer: &Buffer<'_>) -> Result<bool> {
        let array = self.scop.arrays().iter().find(|array| array.name == buffer.name);
        let Some(extents) = array.and_then(farkas_scop::Array::constant_extents) else {
            return Ok(false);
        };
        for used in &buffer.fills {
            let n = used.cells.dim(DimType::Out)?;
            let n_session = n.saturating_sub(u32::try_from(extents.len()).unwrap_or(u32::MAX));
            let cells = used.cells.range()?;
            for (at, extent) in (n_session..n).zip(&extents) {
                let Ok(last) = i32::try_from(extent - 1) else { return Ok(false) };
                let inside = cells.lower_bound_si(DimType::SET, at, 0)?;
                let inside = inside.upper_bound_si(DimType::SET, at, last)?;
                if !cells.is_subset(&inside)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

impl Buffer<'_> {
    /// For each fill, from the instances of a use to those of the fill that their cell is from.
    pub(super) fn sources(
        &self,
        judge: &Judge<'_>,
        stmt: StmtId,
        access: AccessId,
    ) -> Result<Vec<(StmtId, Map)>> {
        let Some(session) = self.sessions.get(&stmt) else { return Ok(Vec::new()) };
        let relation = &judge.scop.stmts()[stmt].accesses[access].relation;
        let cells = session.flat_range_product(&relation.align_params(&judge.prepared.params)?)?;
        let source = |fill: &Use| Ok((fill.stmt, cells.apply_range(&fill.cells.reverse()?)?));
        self.fills.iter().map(source).collect()
    }
}

/// The statements that use a buffer.
fn users(scop: &Scop, array: ArrayId) -> BTreeSet<StmtId> {
    let of = |stmt: &farkas_scop::Statement| stmt.accesses.iter().any(|a| a.array == array);
    scop.stmts().iter_enumerated().filter(|(_, s)| of(s)).map(|(id, _)| id).collect()
}

/// The sessions of a buffer.
pub(super) fn sessions_of(
    scop: &Scop,
    prepared: &Prepared,
    plan: &Plan,
    array: ArrayId,
) -> Result<Sessions> {
    let mut dates = BTreeMap::new();
    sessions(plan, &users(scop, array), &mut dates);
    let mut sessions = BTreeMap::new();
    for (stmt, dates) in dates {
        sessions.insert(stmt, session(prepared, stmt, &dates)?);
    }
    Ok(sessions)
}

/// From the instances of a statement to these dates, which tell sessions apart.
fn session(prepared: &Prepared, stmt: StmtId, dates: &[&PwAff]) -> Result<Map> {
    let domain = &prepared.domains[stmt];
    let mut session = domain.identity()?;
    let depth = domain.dim(DimType::SET)?;
    session = session.project_out(DimType::Out, 0, depth)?;
    for date in dates {
        session = session.flat_range_product(&date.to_map()?)?;
    }
    Ok(session)
}

/// Which way a statement copies.
enum Copied {
    /// Into the buffer.
    In,
    /// From the buffer to the element of this access.
    Back(AccessId),
}

/// Which way a statement with this body copies the buffer `array`; `None` where it does something else.
fn copied(
    body: &[BodyStmt],
    accesses: &farkas_base::IdVec<AccessId, farkas_scop::Access>,
    array: ArrayId,
) -> Option<Copied> {
    let [BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }] = body else {
        return None;
    };
    if accesses[*target].array == array {
        let mut is_read = false;
        value.walk(&mut |e| is_read |= matches!(e, Expr::Access(a) if accesses[*a].array == array));
        return (!is_read && accesses[*target].kind == AccessKind::MustWrite).then_some(Copied::In);
    }
    match value {
        Expr::Access(read) if accesses[*read].array == array => Some(Copied::Back(*target)),
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
fn sessions<'a>(
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
