//! Statements that are pieces of one.
//!
//! A loop of which the first iteration stands in front, the two branches of a condition, the parts of a loop that was cut: each piece is a statement
//! of its own, although they compute one thing for different iterations. Pieces are joined where they compute the same from the same elements, as
//! functions of iterations that only one of them has, and where all may run when the iterations of one of them run: the legality check
//! judges the order in which they do.

mod place;
mod shape;

use crate::Result;
use farkas_base::IdVec;
use farkas_deps::legality;
use farkas_poly::Map;
use farkas_scop::{Scop, Statement, StmtId};
use farkas_tree::original_tree;
use place::Whole;
use shape::Shape;
use std::collections::BTreeMap;

/// How many orders of a scop are judged.
const MAX_JUDGED: usize = 40;

/// A scop that computes the same, in which statements that are pieces of one are one; none where no statements are. The statement has the name
/// and the loops of one of its pieces.
///
/// # Errors
/// When isl refuses, or a budget is used up.
pub fn joined(scop: &Scop) -> Result<Option<Scop>> {
    let mut found = None;
    let mut n_left = MAX_JUDGED;
    loop {
        let now = found.as_ref().unwrap_or(scop);
        let Some(next) = joined_once(now, &mut n_left)? else { return Ok(found) };
        found = Some(next);
    }
}

/// Some of the pieces that there are joined.
fn joined_once(scop: &Scop, n_left: &mut usize) -> Result<Option<Scop>> {
    let groups = groups(scop)?;
    let mut all = Vec::new();
    for group in &groups {
        let mut wholes = group.iter();
        let first = wholes.find_map(|(whole, _)| join(scop, group, *whole).transpose());
        all.extend(first.transpose()?);
    }
    if all.is_empty() {
        return Ok(None);
    }
    if let Some(found) = proved(scop, &all, n_left)? {
        return Ok(Some(found));
    }
    for group in &groups {
        for (whole, _) in group {
            let Some(join) = join(scop, group, *whole)? else { continue };
            if let Some(found) = proved(scop, std::slice::from_ref(&join), n_left)? {
                return Ok(Some(found));
            }
            for piece in join.pieces.iter().filter(|_| join.pieces.len() > 1) {
                let one = Join { whole: join.whole, pieces: vec![piece.clone()] };
                if let Some(found) = proved(scop, &[one], n_left)? {
                    return Ok(Some(found));
                }
            }
        }
    }
    Ok(None)
}

/// Statements of one shape, those in most loops first.
type Group = Vec<(StmtId, Shape)>;

/// The statements of each shape that several have.
fn groups(scop: &Scop) -> Result<Vec<Group>> {
    let mut by_shape: BTreeMap<String, Group> = BTreeMap::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        let shape = Shape::of(scop, stmt)?;
        by_shape.entry(shape.text.clone()).or_default().push((id, shape));
    }
    let mut groups: Vec<Group> = by_shape.into_values().filter(|group| group.len() > 1).collect();
    for group in &mut groups {
        group.sort_by_key(|(stmt, _)| std::cmp::Reverse(scop.stmts()[*stmt].depth()));
    }
    Ok(groups)
}

/// Pieces of a statement.
struct Join {
    whole: StmtId,
    /// From the instances of each to those of the statement that they are.
    pieces: Vec<(StmtId, Map)>,
}

/// The other statements of a group that are pieces of one of them, if any is.
fn join(scop: &Scop, group: &Group, stmt: StmtId) -> Result<Option<Join>> {
    let Some((_, shape)) = group.iter().find(|(other, _)| *other == stmt) else { return Ok(None) };
    let mut whole = Whole { scop, stmt, shape, instances: scop.domain_of(stmt)? };
    let mut pieces = Vec::new();
    for (other, shape) in group.iter().filter(|(other, _)| *other != stmt) {
        if let Some(place) = whole.place_of(*other, shape)? {
            whole.instances = whole.instances.union(&place.range()?)?;
            pieces.push((*other, place));
        }
    }
    Ok((!pieces.is_empty()).then_some(Join { whole: stmt, pieces }))
}

/// The scop with pieces joined, if they may run as iterations of one statement.
fn proved(scop: &Scop, joins: &[Join], n_left: &mut usize) -> Result<Option<Scop>> {
    if *n_left == 0 {
        return Ok(None);
    }
    *n_left -= 1;
    let mut parts = scop.to_builder();
    for Join { whole, pieces } in joins {
        for (piece, place) in pieces {
            parts.stmts[*piece].date = place.apply_range(&scop.stmts()[*whole].date)?;
        }
    }
    let Ok(moved) = parts.build() else { return Ok(None) };
    if !legality::check(scop, &original_tree(&moved)?)?.is_legal() {
        return Ok(None);
    }
    let mut stmts: IdVec<StmtId, Statement> = IdVec::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        let is_piece = |join: &Join| join.pieces.iter().any(|(piece, _)| *piece == id);
        if joins.iter().any(is_piece) {
            continue;
        }
        let own = joins.iter().find(|join| join.whole == id);
        stmts.push(own.map_or_else(|| Ok(stmt.clone()), |join| whole(scop, stmt, join))?);
    }
    Ok(farkas_scop::ScopBuilder { stmts, ..scop.to_builder() }.build().ok())
}

/// A statement with its pieces.
fn whole(scop: &Scop, stmt: &Statement, join: &Join) -> Result<Statement> {
    let mut domain = scop.domain_of(join.whole)?;
    for (_, place) in &join.pieces {
        domain = domain.union(&place.range()?)?;
    }
    let domain = domain.coalesce()?.gist_params(scop.context())?;
    Ok(Statement { domain, ..stmt.clone() })
}
