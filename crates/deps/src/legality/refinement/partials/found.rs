//! Arrays that gather: their cells begin, are updated and are combined.

use super::super::copies::{session, sessions, users};
use super::super::origins::Origins;
use super::super::{Judged, fault, sound};
use super::neutral::{is_neutral, is_not_neutral};
use crate::Result;
use crate::analysis::Prepared;
use crate::legality::clause::Clause;
use crate::legality::plan::Plan;
use farkas_poly::Map;
use farkas_scop::{
    AccessId, AccessKind, ArrayId, ArrayScope, AssignOp, BinaryOp, BodyStmt, Expr, Freedom,
    Operator, Reassociation, Scop, Statement, StmtId,
};
use std::collections::BTreeMap;

/// An array that gathers.
pub(super) struct Partials {
    pub(super) array: ArrayId,
    pub(super) begins: Vec<Use>,
    pub(super) updates: Vec<Use>,
    /// With the access to the element that the cell is combined with.
    pub(super) combines: Vec<(Use, AccessId)>,
    /// Whether updates may leave alone cells that they are related to.
    pub(super) may_leave: bool,
}

/// An access to cells.
pub(super) struct Use {
    pub(super) stmt: StmtId,
    /// From instances to sessions and cells.
    pub(super) cells: Map,
}

/// What the cells of an array hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) enum Holds {
    /// What an operator combines.
    Combined(Operator),
    /// What a selection compares, with the new value on the left.
    Compared(BinaryOp),
    /// What comes with it.
    Taken,
}

/// The arrays of a program's own that gather: statements which are none of the original's combine their cells with other elements.
pub(super) fn gathering(
    original: &Scop,
    scop: &Scop,
    origins: &Origins,
) -> BTreeMap<ArrayId, Holds> {
    let is_own = |array: ArrayId| {
        original.arrays().iter().all(|known| known.name != scop.arrays()[array].name)
    };
    let mut found = BTreeMap::new();
    for stmt in scop.stmts().iter().filter(|stmt| origins.get(&stmt.name).is_none()) {
        if let Some(update) = stmt.update(scop.arrays())
            && let Some(cell) = update.combined_access()
            && stmt.accesses[cell].array != stmt.accesses[update.target].array
            && is_own(stmt.accesses[cell].array)
        {
            found.insert(stmt.accesses[cell].array, Holds::Combined(update.operator));
        }
        let Some(selection) = stmt.selection(scop.arrays()) else { continue };
        for (at, kept) in selection.kept().enumerate() {
            let holds = if at == 0 { Holds::Compared(selection.op) } else { Holds::Taken };
            if let Expr::Access(cell) = kept.value
                && is_own(stmt.accesses[*cell].array)
            {
                found.insert(stmt.accesses[*cell].array, holds);
            }
        }
    }
    found
}

/// All that touches an array that gathers, one of `all`.
pub(super) fn partials(
    prepared: &Prepared,
    plan: &Plan,
    origins: &Origins,
    (array, all): (ArrayId, &BTreeMap<ArrayId, Holds>),
) -> Judged<Partials> {
    let scop = &prepared.scop;
    let name = &scop.arrays()[array].name;
    let users = users(scop, array);
    let mut dates = BTreeMap::new();
    sessions(plan, &users, &mut dates);
    let mut found = Partials {
        array,
        begins: Vec::new(),
        updates: Vec::new(),
        combines: Vec::new(),
        may_leave: false,
    };
    for stmt in users {
        let statement = &scop.stmts()[stmt];
        let Some(dates) = dates.get(&stmt) else { return Ok(Err(fault(name, Clause::Declared))) };
        // What is allocated is there for the whole program.
        let is_buffer = scop.arrays()[array].scope == ArrayScope::Buffer;
        let dates = if is_buffer { dates.as_slice() } else { &[] };
        let session = session(&prepared.domains[stmt], dates)?;
        let cells = |access: AccessId| -> Result<Use> {
            let relation = statement.accesses[access].relation.align_params(&prepared.params)?;
            Ok(Use { stmt, cells: session.flat_range_product(&relation)? })
        };
        let is_original = origins.get(&statement.name).is_some();
        match sound!(part(scop, stmt, is_original, (array, all))) {
            Part::Begins(target) => found.begins.push(cells(target)?),
            Part::Gathers { target, may_leave } => {
                let is_told = statement.accesses[target].relation.is_single_valued()?;
                found.may_leave |= may_leave || !is_told;
                found.updates.push(cells(target)?);
            }
            Part::Combines { cell, element } => found.combines.push((cells(cell)?, element)),
        }
    }
    Ok(Ok(found))
}

/// What a statement does with cells.
pub(super) enum Part {
    /// Begins the one that it writes.
    Begins(AccessId),
    /// Updates it, or may leave it alone.
    Gathers { target: AccessId, may_leave: bool },
    /// Combines it with an element.
    Combines { cell: AccessId, element: AccessId },
}

/// What a statement does with the cells of an array, one of `all` that gather.
pub(super) fn part(
    scop: &Scop,
    stmt: StmtId,
    is_original: bool,
    (array, all): (ArrayId, &BTreeMap<ArrayId, Holds>),
) -> Judged<Part> {
    let statement = &scop.stmts()[stmt];
    let wrong = |clause| Ok(Err(fault(&statement.name, clause)));
    let is_of = |access: AccessId| statement.accesses[access].array == array;
    let n_uses = statement.accesses.ids().filter(|access| is_of(*access)).count();
    let is_free = |freedom: Freedom| {
        scop.reassociation().permits(freedom) && !matches!(freedom, Freedom::Unsigned(_))
    };
    if let Some(update) = statement.update(scop.arrays()) {
        let is_own_operator = all.get(&array) == Some(&Holds::Combined(update.operator.clone()));
        if is_of(update.target) {
            let is_all = n_uses == update.reads.len() + 1;
            if !is_own_operator || !is_all || !is_free(update.freedom) {
                return wrong(Clause::Gathers);
            }
            let may_leave = update.condition.is_some();
            return Ok(Ok(Part::Gathers { target: update.target, may_leave }));
        }
        if !is_original && is_own_operator {
            let cell = update.combined_access().filter(|cell| is_of(*cell));
            let reads_cell_alone = statement
                .accesses
                .ids()
                .all(|id| update.has(id) || is_of(id) && is_same_cell(statement, id, cell));
            let of = &scop.arrays()[array].element;
            let is_for_updated = update.condition.is_none_or(|condition| {
                is_not_neutral(&update.operator, of, condition, statement, array)
            });
            let is_right = reads_cell_alone && is_for_updated && is_free(update.freedom);
            return match cell.filter(|_| is_right) {
                Some(cell) => Ok(Ok(Part::Combines { cell, element: update.target })),
                None => wrong(Clause::Combines),
            };
        }
    }
    if let Some(selection) = statement.selection(scop.arrays()) {
        if let Some(kept) = selection.kept().find(|kept| is_of(kept.target)) {
            let is_kept = scop.reassociation() == Reassociation::Kept;
            if is_kept || !selection.is_harmless() {
                return wrong(Clause::Gathers);
            }
            let may_leave = selection.asked_first.is_some();
            return Ok(Ok(Part::Gathers { target: kept.target, may_leave }));
        }
        let cell = |value: &Expr| match value {
            Expr::Access(cell) if is_of(*cell) => Some(*cell),
            _ => None,
        };
        let combined = selection.kept().find_map(|kept| Some((cell(kept.value)?, kept.target)));
        if let Some((cell, element)) = combined.filter(|_| !is_original) {
            return Ok(Ok(Part::Combines { cell, element }));
        }
    }
    let begun = (!is_original).then(|| begun(scop, statement, (array, all))).flatten();
    match begun {
        Some(target) => Ok(Ok(Part::Begins(target))),
        None => wrong(Clause::Neutral),
    }
}

/// The access by which a statement begins a cell of an array, where it does nothing but begin cells.
pub(super) fn begun(
    scop: &Scop,
    stmt: &Statement,
    (array, all): (ArrayId, &BTreeMap<ArrayId, Holds>),
) -> Option<AccessId> {
    let mut found = None;
    for part in &stmt.body {
        let BodyStmt::Assign { target, op: AssignOp::Set, read: None, value } = part else {
            return None;
        };
        let of = stmt.accesses[*target].array;
        let kind = scop.arrays()[of].element.kind;
        let is_first = match all.get(&of)? {
            Holds::Combined(operator) => is_neutral(operator, kind, value),
            Holds::Compared(op) => Operator::of_comparison(*op)
                .is_some_and(|operator| is_neutral(&operator, kind, value)),
            Holds::Taken => matches!(value, Expr::Int { .. } | Expr::Float(_)),
        };
        let is_sure = stmt.accesses[*target].kind == AccessKind::MustWrite;
        if !is_first || !is_sure || of == array && found.is_some() {
            return None;
        }
        found = if of == array { Some(*target) } else { found };
    }
    found.filter(|_| stmt.accesses.len() == stmt.body.len())
}

/// Whether an access of a statement is written as the cell that another one reads.
pub(super) fn is_same_cell(stmt: &Statement, access: AccessId, cell: Option<AccessId>) -> bool {
    cell.is_some_and(|cell| stmt.accesses[cell].relation == stmt.accesses[access].relation)
}
