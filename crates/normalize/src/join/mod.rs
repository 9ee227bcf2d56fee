//! Statements that are pieces of one.
//!
//! A loop of which the first iteration stands in front, the two branches of a condition, the parts of a loop that was cut: each piece is a statement
//! of its own, although they compute one thing for different iterations. Pieces are joined where they compute the same from the same elements, as
//! functions of iterations that only one of them has, and where all may run when the iterations of one of them run: the legality check
//! judges the order in which they do.

mod judge;
mod place;

use crate::Result;
use crate::live::is_read_after;
use crate::pieces::pieces;
use crate::shape::{OwnNames, Shape};
use farkas_base::IdVec;
use farkas_poly::Map;
use farkas_scop::{Scop, Statement, StmtId};
use judge::{Effort, Judge};
use place::Whole;
use std::collections::BTreeMap;

/// A scop in which statements that were pieces of one are one.
#[derive(Clone, Debug)]
pub struct Joined {
    /// The scop.
    pub scop: Scop,
    /// The statements that are gone, by name, each with the one that it was a piece of.
    pub pieces: BTreeMap<String, String>,
}

/// A scop that computes the same, in which statements that are pieces of one are one; none where no statements are. The statement has the name
/// and the loops of one of its pieces.
///
/// # Errors
/// When isl refuses, or a budget is used up.
pub fn joined(scop: &Scop) -> Result<Option<Joined>> {
    let mut found: Option<Joined> = None;
    let mut effort = Effort::default();
    loop {
        let now = found.as_ref().map_or(scop, |found| &found.scop);
        let Some(joins) = legal(now, &mut effort)? else { return Ok(found) };
        let Some(next) = after(now, &joins)? else { return Ok(found) };
        let name = |stmt: StmtId| now.stmts()[stmt].name.clone();
        let mut pieces = found.as_ref().map(|found| found.pieces.clone()).unwrap_or_default();
        for Join { whole, pieces: own } in &joins {
            for (piece, _) in own {
                let is_of_piece = |of: &&mut String| **of == name(*piece);
                pieces.values_mut().filter(is_of_piece).for_each(|of| *of = name(*whole));
                pieces.insert(name(*piece), name(*whole));
            }
        }
        found = Some(Joined { scop: next, pieces });
    }
}

/// Pieces of statements that may run as iterations of these: all that there are, or some of them.
fn legal(scop: &Scop, effort: &mut Effort) -> Result<Option<Vec<Join>>> {
    let mut judge = Judge::of(scop);
    let groups = groups(scop, &judge)?;
    let mut all = Vec::new();
    for group in &groups {
        let mut wholes = group.iter();
        let first = wholes.find_map(|(whole, _)| join(scop, group, *whole).transpose());
        all.extend(first.transpose()?);
    }
    if all.is_empty() || judge.allows(&all, effort)? {
        return Ok(Some(all).filter(|all| !all.is_empty()));
    }
    for group in &groups {
        for (whole, _) in group {
            let Some(join) = join(scop, group, *whole)? else { continue };
            if judge.allows(std::slice::from_ref(&join), effort)? {
                return Ok(Some(vec![join]));
            }
            for piece in join.pieces.iter().filter(|_| join.pieces.len() > 1) {
                let one = [Join { whole: join.whole, pieces: vec![piece.clone()] }];
                if judge.allows(&one, effort)? {
                    return Ok(Some(one.into()));
                }
            }
        }
    }
    Ok(None)
}

/// Statements of one shape, those in most loops first.
type Group = Vec<(StmtId, Shape)>;

/// The statements of each shape that several have, but for those of which nothing comes: `s = 0` in front of a loop whose iterations begin with
/// it is no piece of theirs.
fn groups(scop: &Scop, judge: &Judge<'_>) -> Result<Vec<Group>> {
    let mut by_shape: BTreeMap<String, Group> = BTreeMap::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        let shape = Shape::of(scop, stmt, &OwnNames)?;
        by_shape.entry(shape.text.clone()).or_default().push((id, shape));
    }
    let has_pieces = |group: &Group| group.len() > 1;
    let mut groups: Vec<Group> = by_shape.into_values().filter(has_pieces).collect();
    let may_be_dead = |(stmt, _): &(StmtId, Shape)| !is_read_after(scop, &scop.stmts()[*stmt]);
    if groups.iter().flatten().any(may_be_dead) {
        let is_live = judge.live()?;
        groups.iter_mut().for_each(|group| group.retain(|(stmt, _)| is_live[*stmt]));
        groups.retain(has_pieces);
    }
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

/// The scop with pieces joined.
fn after(scop: &Scop, joins: &[Join]) -> Result<Option<Scop>> {
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
    let domain = match pieces(&domain, scop.context())?.as_slice() {
        [all] => all.to_set()?,
        _ => domain.coalesce()?,
    };
    Ok(Statement { domain: domain.gist_params(scop.context())?, ..stmt.clone() })
}
