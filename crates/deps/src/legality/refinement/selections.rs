//! Selections whose partial results are kept in cells of several arrays: `if (e > m) { m = e; at = i; }`.
//!
//! What [`partials`](super::partials) asks of each array, it asks of each of these; begun are the cells of values with what no value is
//! below, or above. Beside that:
//!
//! 1. A selection keeps all in cells with the same subscripts, and one statement combines them, which compares alike and takes from the
//!    cells all that it keeps.
//! 2. Cells are combined with an element in the order of what they gathered, and in a cell the original's order holds: of equal values the
//!    first one is kept.

use super::origins::Origins;
use super::partials::Holds;
use super::{Judged, fault};
use crate::Result;
use crate::legality::clause::Clause;
use farkas_poly::{DimType, Map};
use farkas_scop::{AccessId, ArrayId, Expr, Scop, Selection, Statement};
use std::collections::BTreeMap;

/// Checks that selections use cells of several arrays as one.
pub(super) fn judge(
    scop: &Scop,
    arrays: &BTreeMap<ArrayId, Holds>,
    origins: &Origins,
) -> Judged<()> {
    for stmt in scop.stmts() {
        let Some(selection) = stmt.selection(scop.arrays()) else { continue };
        let is_original = origins.get(&stmt.name).is_some();
        let cells = match cells(stmt, &selection, arrays, is_original) {
            Ok(cells) if cells.is_empty() => continue,
            Ok(cells) => cells,
            Err(clause) => return Ok(Err(fault(&stmt.name, clause))),
        };
        if !are_alike(stmt, &cells)? {
            return Ok(Err(fault(&stmt.name, Clause::SelectsAsOne)));
        }
        let is_one = is_original || {
            let together: Vec<ArrayId> = cells.iter().map(|c| stmt.accesses[*c].array).collect();
            gathered_together(scop, origins, &together)
        };
        if !is_one {
            return Ok(Err(fault(&stmt.name, Clause::SelectsAsOne)));
        }
    }
    Ok(Ok(()))
}

/// The accesses to cells of a selection, that of the compared one first: what an original one writes, or what another one takes; none where it
/// has to do with elements alone.
fn cells(
    stmt: &Statement,
    selection: &Selection<'_>,
    arrays: &BTreeMap<ArrayId, Holds>,
    is_original: bool,
) -> std::result::Result<Vec<AccessId>, Clause> {
    let cell = |target: AccessId, value: &Expr| {
        let found = match value {
            Expr::Access(taken) if !is_original => *taken,
            _ if is_original => target,
            _ => return None,
        };
        arrays.get(&stmt.accesses[found].array).map(|holds| (found, holds.clone()))
    };
    let all: Vec<_> = selection.kept().map(|kept| cell(kept.target, kept.value)).collect();
    if all.iter().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for (at, cell) in all.into_iter().enumerate() {
        let wanted = if at == 0 { Holds::Compared(selection.op) } else { Holds::Taken };
        match cell.filter(|(_, holds)| *holds == wanted) {
            Some((cell, _)) => found.push(cell),
            None => return Err(Clause::SelectsAsOne),
        }
    }
    Ok(found)
}

/// Whether accesses go to cells with the same subscripts.
fn are_alike(stmt: &Statement, cells: &[AccessId]) -> Result<bool> {
    let plain = |cell: &AccessId| -> Result<Map> {
        Ok(stmt.accesses[*cell].relation.with_tuple_name(DimType::Out, "cell")?)
    };
    let Some(first) = cells.first() else { return Ok(true) };
    for cell in &cells[1..] {
        let [own, other] = [cell, first].map(|cell| &stmt.accesses[*cell].subscripts);
        let is_alike = stmt.are_same_values(own, other);
        if !is_alike || !plain(cell)?.is_equal(&plain(first)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether all selections of the original that gather in one of these arrays gather in all of them, in this order.
fn gathered_together(scop: &Scop, origins: &Origins, together: &[ArrayId]) -> bool {
    let of_original = scop.stmts().iter().filter(|stmt| origins.get(&stmt.name).is_some());
    of_original.filter_map(|stmt| Some((stmt, stmt.selection(scop.arrays())?))).all(
        |(stmt, selection)| {
            let mut targets: Vec<ArrayId> =
                selection.kept().map(|kept| stmt.accesses[kept.target].array).collect();
            let is_one = targets.iter().any(|target| together.contains(target));
            let (mut rest, key) = (together.to_vec(), targets.first().copied());
            let has_key = key == rest.first().copied();
            rest.sort_unstable();
            targets.sort_unstable();
            !is_one || has_key && rest == targets
        },
    )
}
