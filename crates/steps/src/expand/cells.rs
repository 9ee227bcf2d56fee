//! A cell of a buffer for each iteration of a loop.

use crate::buffer::{Axis, Buffer, Part};
use crate::numbered::Numbered;
use crate::tree::Loop;
use crate::{ArrayAddress, LoopAddress, NotApplicable, Result, Subject};
use farkas_analysis::stmt_names;
use farkas_deps::carried;
use farkas_poly::DimType;
use farkas_scop::{Access, ArrayId, Statement};
use farkas_tree::{Cursor, Node, Program, ScheduleTree};

/// The program in which each iteration of a loop has a cell of a buffer in the place of a temporary.
///
/// **Rewrite**: in `band [f]; ...`, `x` becomes `x_lanes[f - s floor(f / s)]` where `f` runs through tiles of `s`, or `x_lanes[f]` where numbers
/// bound it; of an array, each iteration has a whole one. Loops over tiles around the loop become dimensions of the statements in it. Legal
/// where each iteration sets what it uses, and nothing else reads that.
///
/// **Paper** P. Feautrier, *Array expansion*, ICS 1988; ours expands by one loop, within a tile.
pub(super) fn expanded(
    subject: &Subject<'_>,
    address: &ArrayAddress,
    at: &LoopAddress,
) -> Result<Program> {
    let refused =
        |why| -> crate::Error { NotApplicable::NoCells { array: address.clone(), why }.into() };
    let array = address.find(subject.scop())?;
    let at = subject.find(at)?;
    let inside = stmt_names(&at.member_in(subject.tree())?.schedule.domain()?)?;
    if subject.scop().arrays()[array].constant_extents().is_none() {
        return Err(refused("its extents are no numbers"));
    }
    let tree = free(subject, &at, array)?;
    let mut program = Program { tree, ..subject.program.clone() };
    let mut axes = Vec::new();
    for name in inside {
        let numbered = Numbered::of(&Subject { program: &program, deps: None }, &name)?;
        let Some(place) = numbered.path.iter().position(|around| around.at.is_same(&at)) else {
            return Err(refused("a statement in it stands elsewhere, too"));
        };
        let axis = Axis::along(&numbered, place, |outer| outer < place)?.map_err(refused)?;
        axes.push((numbered.stmt, axis));
        program = numbered.program;
    }
    let Some((_, first)) = axes.first() else { return Err(refused("nothing runs in it")) };
    if axes.iter().any(|(_, axis)| (axis.least, axis.extent) != (first.least, first.extent)) {
        return Err(refused("its iterations are not counted alike by all that is inside"));
    }
    let of = program.scop.arrays()[array].clone();
    let mut builder = program.scop.to_builder();
    let wanted = format!("{}_lanes", of.source_name);
    let axis = vec![first.clone()];
    let buffer = Buffer::new(&program.scop, &mut builder, &wanted, &of.element, axis)?;
    builder.arrays[buffer.array].extents.extend(of.extents.iter().cloned());
    for (stmt, axis) in axes {
        let buffer = Buffer { axes: vec![axis], ..buffer.clone() };
        let with_cells = with_cells(&program.scop.stmts()[stmt], array, &buffer)?;
        builder.stmts[stmt] = with_cells;
    }
    let scop = builder.build().map_err(crate::Error::Scop)?;
    let mut in_cells = program.in_cells.clone();
    let temporary = in_cells.get(&of.name).unwrap_or(&of.name).clone();
    in_cells.insert(buffer.name, temporary);
    Ok(Program { scop, in_cells, ..program })
}

/// A statement with the cells of a buffer in the place of an array.
fn with_cells(stmt: &Statement, array: ArrayId, buffer: &Buffer) -> Result<Statement> {
    let mut new = stmt.clone();
    let part = Part::whole(stmt);
    for access in new.accesses.iter_mut().filter(|access| access.array == array) {
        let cell = buffer.access(&part, access.kind)?;
        let relation = cell.relation.flat_range_product(&access.relation)?;
        let subscripts = cell.subscripts.into_iter().chain(access.subscripts.iter().cloned());
        *access = Access {
            array: buffer.array,
            relation: relation.with_tuple_name(DimType::Out, &buffer.name)?,
            subscripts: subscripts.collect(),
            ..access.clone()
        };
    }
    Ok(new)
}

/// The tree in which the loop, and those around it, are coincident where nothing but the array kept them in order.
fn free(subject: &Subject<'_>, at: &Loop, array: ArrayId) -> Result<ScheduleTree> {
    let mut tree = subject.tree().clone();
    let Some(deps) = subject.deps else { return Ok(tree) };
    let name = &subject.scop().arrays()[array].name;
    let is_around = |cursor: &&Cursor| **cursor == at.band || cursor.is_above(&at.band);
    for cursor in subject.tree().cursors().iter().filter(is_around) {
        let Node::Band { band, child } = tree.at(cursor)?.node() else { continue };
        let (mut band, child) = (band.clone(), child.clone());
        for (position, member) in band.members.iter_mut().enumerate() {
            let is_inside = *cursor == at.band && position > at.member;
            if is_inside || member.coincident {
                continue;
            }
            let report = carried::report(deps, subject.tree(), cursor, position)?;
            let mut others = report
                .blocked_by
                .iter()
                .filter(|id| subject.array_of(&deps[**id]).is_none_or(|of| of != name));
            member.coincident = others.next().is_none();
        }
        tree = tree.replace(cursor, ScheduleTree::band(band, child))?;
    }
    Ok(tree)
}
