//! Buffers in the place of expanded arrays.
//!
//! The program with the arrays is legal; this one has the same tree and the same statements, of which all accesses to an array go
//! to a buffer. That makes no difference where the array is the program's own, and a cell of the buffer of a session and an
//! element of the array are one and the same thing: none stands for two. Checked:
//!
//! 1. But for these accesses, statements are the same.
//! 2. From sessions and cells to elements there is a function, which is injective.
//! 3. Cells lie within the buffer's extents.

use super::super::counterexample::Counterexample;
use super::super::plan::{self, Plan};
use super::buffers::sessions_of;
use super::expanded::is_within_extents;
use super::fault;
use crate::Result;
use crate::analysis::Prepared;
use farkas_poly::Map;
use farkas_scop::{ArrayId, ArrayScope, Scop, Statement};
use farkas_tree::Program;
use std::collections::BTreeMap;

/// What is wrong with a program in the place of the one with the scop `before`; nothing, where it is right.
pub(super) fn first_fault(before: &Scop, program: &Program) -> Result<Option<Counterexample>> {
    let scop = &program.scop;
    let wrong = |name: &str, reason| Ok(Some(fault(name, reason)));
    let is_same_frame = before.params() == scop.params()
        && before.context().is_equal(scop.context())?
        && before.stmts().len() == scop.stmts().len()
        && before.arrays().iter().eq(scop.arrays().iter().take(before.arrays().len()));
    if !is_same_frame {
        return wrong(scop.name(), "its parameters, arrays or statements are others");
    }
    let mut arrays: BTreeMap<ArrayId, ArrayId> = BTreeMap::new();
    for (old, new) in before.stmts().iter().zip(scop.stmts()) {
        if !is_same_statement(old, new, &mut arrays)? {
            return wrong(&new.name, "it is not the same with buffers for arrays");
        }
    }
    arrays.retain(|old, new| old != new);
    let prepared = Prepared::of(scop)?;
    let plan = match plan::plan(scop, &prepared, &program.tree)? {
        Err(found) => return Ok(Some(found)),
        Ok(plan) => plan,
    };
    for (array, buffer) in arrays {
        let (old, new) = (&before.arrays()[array], &scop.arrays()[buffer]);
        let is_own = old.scope == ArrayScope::Expanded && !old.is_live_in && !old.is_live_out;
        let is_buffer = new.scope == ArrayScope::Buffer && old.element == new.element;
        if !is_own || !is_buffer || before.arrays().get(buffer).is_some() {
            return wrong(
                &new.name,
                "it stands for something else than an array of the program's own",
            );
        }
        if let Some(reason) = reason(before, scop, (&prepared, &plan), (array, buffer))? {
            return wrong(&new.name, reason);
        }
    }
    Ok(None)
}

/// Whether two statements differ in arrays alone, and the same arrays everywhere; which are added.
fn is_same_statement(
    old: &Statement,
    new: &Statement,
    arrays: &mut BTreeMap<ArrayId, ArrayId>,
) -> Result<bool> {
    let is_same = old.name == new.name
        && old.body == new.body
        && old.iterators == new.iterators
        && old.accesses.len() == new.accesses.len()
        && old.domain.is_equal(&new.domain)?;
    if !is_same {
        return Ok(false);
    }
    for (old, new) in old.accesses.iter().zip(&new.accesses) {
        if old.kind != new.kind || *arrays.entry(old.array).or_insert(new.array) != new.array {
            return Ok(false);
        }
        let stays = old.array == new.array;
        if stays && !(old.relation.is_equal(&new.relation)? && old.subscripts == new.subscripts) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Why a buffer is not the same as the array that it stands for.
fn reason(
    before: &Scop,
    scop: &Scop,
    (prepared, plan): (&Prepared, &Plan),
    (array, buffer): (ArrayId, ArrayId),
) -> Result<Option<&'static str>> {
    let sessions = sessions_of(scop, prepared, plan, buffer)?;
    let mut elements: Option<Map> = None;
    for (stmt, statement) in scop.stmts().iter_enumerated() {
        for (id, access) in statement.accesses.iter_enumerated().filter(|(_, a)| a.array == buffer)
        {
            let Some(session) = sessions.get(&stmt) else {
                return Ok(Some("it is used where it is not declared"));
            };
            if !is_within_extents(scop, stmt, id)? {
                return Ok(Some("a cell lies outside"));
            }
            let cells = session.flat_range_product(&access.relation)?;
            let old = &before.stmts()[stmt].accesses[id];
            if old.array != array {
                return Ok(Some("it stands for two arrays"));
            }
            let pairs = cells.reverse()?.apply_range(&old.relation)?;
            elements = Some(match elements {
                Some(elements) => elements.union(&pairs)?,
                None => pairs,
            });
        }
    }
    let Some(elements) = elements else { return Ok(None) };
    if !elements.is_single_valued()? {
        return Ok(Some("a cell stands for two elements"));
    }
    Ok((!elements.is_injective()?).then_some("two cells stand for one element"))
}
