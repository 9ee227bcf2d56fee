//! What runs beyond the instances of statements.
//!
//! In padded tiles, statements run through whole tiles, also where a tile has but some of their instances. The rest are *ghosts*. Checked
//! for each statement that a mark pads:
//!
//! 1. It is one assignment to a buffer. Where it reads buffers alone, its ghosts compute, and what they compute is defined whatever
//!    the buffers hold; where it reads none, they set the buffer to zero.
//! 2. The cells that ghosts touch lie within the buffers' extents.
//! 3. In no session do they write a cell that an instance touches. What reads ghosts' cells is then a ghost.
//!
//! Where zeros are set, they may also be set in the cells of the tile's instances, right before these: they are written then.

use super::copies::Copies;
use super::fault;
use crate::Result;
use crate::legality::clause::Clause;
use crate::legality::counterexample::Counterexample;
use farkas_poly::{DimType, Map, PwAff, Set, UnionPwAff};
use farkas_scop::{
    Access, AccessKind, Array, ArrayScope, AssignOp, BinaryOp, BodyStmt, Expr, Scop, Statement,
};
use farkas_tree::{Mark, Node, ScheduleTree};

/// A loop around a place.
#[derive(Clone)]
struct Around {
    dates: UnionPwAff,
    /// The size of its tiles, where full ones are apart.
    tile: Option<i64>,
}

/// What holds at a place of the tree.
#[derive(Clone, Default)]
struct Place {
    loops: Vec<Around>,
    /// The sizes of tiles that the next loops have.
    sizes: Vec<i64>,
    is_apart: bool,
    /// The statements that the next band pads.
    pads: Vec<String>,
    /// The statements that are padded here, each with the number of loops that are not within its tiles.
    padded: Vec<(String, usize)>,
}

/// Whether the tree pads tiles.
pub(super) fn has_ghosts(tree: &ScheduleTree) -> bool {
    matches!(tree.node(), Node::Mark { mark: Mark::Padded(_), .. })
        || tree.children().iter().any(has_ghosts)
}

/// What is wrong with the ghosts of a program, if something is.
pub(super) fn first_fault(
    copies: &Copies<'_>,
    tree: &ScheduleTree,
) -> Result<Option<Counterexample>> {
    if !has_ghosts(tree) {
        return Ok(None);
    }
    let mut found = Vec::new();
    collect(copies, tree, &Place::default(), &mut found)?;
    for (name, whole) in found {
        if let Some(clause) = judge(copies, &name, whole)? {
            return Ok(Some(fault(&name, clause)));
        }
    }
    Ok(None)
}

/// The padded statements below a node, each with what lies in its tiles there; without that where there is no such statement.
fn collect(
    copies: &Copies<'_>,
    tree: &ScheduleTree,
    place: &Place,
    found: &mut Vec<(String, Option<Set>)>,
) -> Result<()> {
    let mut place = place.clone();
    match tree.node() {
        Node::Mark { mark, .. } => match mark {
            Mark::Tile(sizes) => place.sizes.clone_from(sizes),
            Mark::Point => (place.sizes, place.is_apart) = (Vec::new(), false),
            Mark::SeparateFullTiles => place.is_apart = true,
            Mark::Padded(names) => {
                place.pads.clone_from(names);
                let is_known = |name: &&String| copies.scop.stmt_by_name(name).is_some();
                let unknown = names.iter().filter(|name| !is_known(name));
                found.extend(unknown.map(|name| (name.clone(), None)));
            }
            _ => {}
        },
        Node::Band { band, .. } => {
            for member in &band.members {
                let size = (!place.sizes.is_empty()).then(|| place.sizes.remove(0));
                let tile = size.filter(|_| place.is_apart);
                place.loops.push(Around { dates: member.schedule.clone(), tile });
            }
            let n = place.loops.len();
            place.padded.extend(std::mem::take(&mut place.pads).into_iter().map(|name| (name, n)));
        }
        Node::Leaf => {
            for (name, n_outer) in &place.padded {
                if let Some(whole) = whole(copies, name, &place.loops, *n_outer)? {
                    found.push((name.clone(), whole));
                }
            }
        }
        _ => {}
    }
    tree.children().iter().try_for_each(|child| collect(copies, child, &place, found))
}

/// What lies in the tiles of a statement's instances at a leaf in these loops, these and ghosts, where that is known; `None` where it has no instances there. Of the loops, the first `n_outer` are
/// not within its tiles. Those within that never leave a tile are taken to run through all of it, whatever runs through others.
fn whole(
    copies: &Copies<'_>,
    name: &str,
    loops: &[Around],
    n_outer: usize,
) -> Result<Option<Option<Set>>> {
    let Some(stmt) = copies.scop.stmt_by_name(name) else { return Ok(None) };
    let domain = &copies.prepared.domains[stmt];
    let space = domain.space()?;
    let date = |of: &Around| of.dates.extract_pw_aff(&space);
    let (outer, inner) = loops.split_at(n_outer);
    let mut whole = domain.clone();
    let mut tiles = Vec::new();
    for point in inner {
        let point = date(point)?;
        if point.domain()?.is_empty()? {
            // Another statement's.
            return Ok(None);
        }
        let Some(point) = extended(&point)? else { return Ok(Some(None)) };
        for tile in outer {
            let Some(size) = tile.tile else { continue };
            let Some(tile) = extended(&date(tile)?)? else { return Ok(Some(None)) };
            let within = within(&point, &tile, size)?;
            if !domain.is_subset(&within)? {
                continue;
            }
            tiles.push(within);
            for at in 0..domain.dim(DimType::SET)? {
                if point.involves_dims(DimType::In, at, 1)? {
                    let others = whole.project_out(DimType::SET, at, 1)?;
                    whole = others.insert_dims(DimType::SET, at, 1)?.with_tuple_name(name)?;
                }
            }
        }
    }
    for tile in tiles {
        whole = whole.intersect(&tile)?;
    }
    Ok(Some(Some(whole)))
}

/// A function of instances as it goes on beyond them; none where it has several parts.
pub(super) fn extended(of: &PwAff) -> Result<Option<PwAff>> {
    match of.pieces()?.as_slice() {
        [(_, one)] => Ok(Some(one.to_pw_aff()?)),
        _ => Ok(None),
    }
}

/// Where a loop's date is that of an iteration of the tile which begins at another date.
fn within(point: &PwAff, tile: &PwAff, size: i64) -> Result<Set> {
    let last = tile.add(&PwAff::constant_on(&tile.domain()?, size - 1)?)?;
    Ok(tile.le_set(point)?.intersect(&point.le_set(&last)?)?)
}

/// The clause that the ghosts of a statement break: what lies in its tiles, apart from its instances.
fn judge(copies: &Copies<'_>, name: &str, whole: Option<Set>) -> Result<Option<Clause>> {
    let Some(stmt) = copies.scop.stmt_by_name(name) else { return Ok(Some(Clause::Statements)) };
    let Some(whole) = whole else { return Ok(Some(Clause::Ghosts)) };
    let statement = &copies.scop.stmts()[stmt];
    let Some((written, reads)) = of_buffers(copies.scop, statement) else {
        return Ok(Some(Clause::GhostBuffers));
    };
    if !reads.is_empty() && !is_total(copies.scop, statement) {
        return Ok(Some(Clause::GhostTraps));
    }
    for access in reads.into_iter().chain([written]) {
        let cells = access.relation.align_params(&copies.prepared.params)?;
        let cells = cells.intersect_domain(&whole)?;
        let is_known = whole.is_subset(&cells.domain()?)?;
        let array = &copies.scop.arrays()[access.array];
        if !is_known || !is_inside(&cells, array)? {
            return Ok(Some(Clause::GhostCells));
        }
    }
    let ghosts = whole.subtract(&copies.prepared.domains[stmt])?;
    let Some(cells) = copies.cells_in_sessions(stmt, written, &ghosts)? else {
        return Ok(Some(Clause::Ghosts));
    };
    for (other, statement) in copies.scop.stmts().iter_enumerated() {
        let uses = statement.accesses.iter().filter(|a| a.array == written.array);
        let mut uses: Vec<&Access> = uses.collect();
        uses.dedup_by(|a, b| a.relation == b.relation);
        for access in uses {
            let domain = &copies.prepared.domains[other];
            let Some(touched) = copies.cells_in_sessions(other, access, domain)? else {
                return Ok(Some(Clause::Ghosts));
            };
            if !cells.apply_range(&touched.reverse()?)?.is_empty()? {
                return Ok(Some(Clause::Ghosts));
            }
        }
    }
    Ok(None)
}

/// What a statement writes, where that is a buffer, and what its ghosts read: all that it reads, where those are buffers, and nothing where
/// none is.
fn of_buffers<'s>(scop: &Scop, stmt: &'s Statement) -> Option<(&'s Access, Vec<&'s Access>)> {
    let [BodyStmt::Assign { target, op, .. }] = stmt.body.as_slice() else { return None };
    let is_buffer = |access: &Access| scop.arrays()[access.array].scope == ArrayScope::Buffer;
    let mut reads = Vec::new();
    for (id, access) in stmt.accesses.iter_enumerated() {
        match access.kind {
            AccessKind::Read => reads.push(access),
            AccessKind::MustWrite if id == *target => {}
            _ => return None,
        }
    }
    let written = stmt.accesses.get(*target).filter(|written| is_buffer(written))?;
    let n_buffers = reads.iter().filter(|read| is_buffer(read)).count();
    match n_buffers {
        0 if *op == AssignOp::Set => Some((written, Vec::new())),
        n if n == reads.len() => Some((written, reads)),
        _ => None,
    }
}

/// Whether the cells of a relation lie within the extents of a buffer, which are numbers.
fn is_inside(cells: &Map, buffer: &Array) -> Result<bool> {
    let Some(extents) = buffer.constant_extents() else { return Ok(false) };
    for (at, extent) in (0..).zip(extents) {
        let Ok(end) = i32::try_from(extent) else { return Ok(false) };
        let outside = [
            cells.lower_bound_si(DimType::Out, at, end)?,
            cells.upper_bound_si(DimType::Out, at, -1)?,
        ];
        for outside in outside {
            if !outside.is_empty()? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether what a statement computes is defined whatever it reads and wherever it runs: sums and products of unsigned numbers, which wrap, or
/// of floating-point numbers alone, as other integers may overflow, without calls, and without divisions of integers, as iterators make, but by small numbers.
fn is_total(scop: &Scop, stmt: &Statement) -> bool {
    if stmt.wraps(scop.arrays()) {
        return true;
    }
    let [BodyStmt::Assign { op, value, .. }] = stmt.body.as_slice() else { return false };
    let is_float = |access: &Access| scop.arrays()[access.array].element.kind.is_floating();
    let divides =
        |op: &BinaryOp| matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr);
    let is_defined = |by: &Expr| {
        let mut is_read = false;
        by.walk(&mut |e| is_read |= matches!(e, Expr::Access(_)));
        is_read || matches!(by, Expr::Int { value, .. } if (1..32).contains(value))
    };
    let mut is_total = stmt.accesses.iter().all(is_float);
    is_total &= !matches!(op, AssignOp::Compound(op) if divides(op)) || is_defined(value);
    value.walk(&mut |e| {
        is_total &= match e {
            Expr::Call(..) | Expr::Verbatim(_) => false,
            Expr::Binary(op, _, by) => !divides(op) || is_defined(by),
            _ => true,
        };
    });
    is_total
}
