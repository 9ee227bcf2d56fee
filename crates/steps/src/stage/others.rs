//! Other statements that use a staged element.

use crate::Result;
use crate::buffer::relation;
use crate::flags::reaching;
use crate::numbered::{Numbered, all};
use farkas_poly::{DimType, Map};
use farkas_scop::{AccessId, AccessKind, BodyStmt, StmtId};

/// What an access touches in an iteration of a loop, the one at a place among those around the statement of `numbered`: from the dates of
/// the loops down to it to elements.
pub(super) fn touched(
    numbered: &Numbered,
    last: usize,
    stmt: StmtId,
    access: AccessId,
) -> Result<Map> {
    let Numbered { program, path, .. } = numbered;
    let (domain, space) = (all(&program.scop, stmt)?, program.scop.stmts()[stmt].domain.space()?);
    let mut dates = Vec::new();
    for around in &path[..=last] {
        let member = around.at.member_in(&program.tree)?;
        dates.push(member.schedule.extract_pw_aff(&space)?);
    }
    let iterations = relation(&space, "iteration", &dates)?.intersect_domain(&domain)?;
    Ok(iterations.reverse()?.apply_range(&program.scop.stmts()[stmt].accesses[access].relation)?)
}

/// The accesses of another statement to the element that `element` tells of each iteration; why it cannot use a variable in its place.
pub(super) fn uses(
    numbered: &Numbered,
    last: usize,
    element: &Map,
    stmt: StmtId,
) -> Result<std::result::Result<Vec<AccessId>, &'static str>> {
    let of = &numbered.program.scop.stmts()[stmt];
    if !matches!(of.body.as_slice(), [BodyStmt::Assign { .. }]) {
        return Ok(Err("another statement is more than one assignment"));
    }
    let inside = reaching(&numbered.program.tree, &numbered.path[last].at.band)?;
    if !all(&numbered.program.scop, stmt)?.to_union_set()?.is_subset(&inside)? {
        return Ok(Err("another statement runs elsewhere, too"));
    }
    let mut uses = Vec::new();
    for (id, access) in of.accesses.iter_enumerated() {
        let array = access.relation.tuple_name(DimType::Out);
        if array != element.tuple_name(DimType::Out) {
            continue;
        }
        let touched = touched(numbered, last, stmt, id)?;
        if touched.is_empty()? || !touched.is_subset(element)? {
            continue;
        }
        if !matches!(access.kind, AccessKind::Read | AccessKind::MustWrite) {
            return Ok(Err("another statement may or may not write it"));
        }
        uses.push(id);
    }
    Ok(if uses.is_empty() { Err("another statement does not use it") } else { Ok(uses) })
}
