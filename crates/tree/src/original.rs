//! The original program's order as a tree.

use crate::{Band, Mark, Member, Node, Program, Result, ScheduleTree};
use farkas_poly::{DimType, Map, PwAff, Set, UnionPwAff, UnionSet};
use farkas_scop::{Scop, StmtId};

/// The tree of the original order of `scop`: each dimension of the dates becomes a sequence where it is a constant for
/// each statement, else a band of one member, neither permutable nor coincident.
///
/// # Errors
/// When isl refuses.
///
/// # Example
/// Dates `S0[i] -> [0, i, 0]` and `S1[i] -> [0, i, 1]` become a band `i` over a sequence of `S0` and `S1`.
pub fn original_tree(scop: &Scop) -> Result<ScheduleTree> {
    let stmts: Vec<StmtId> = scop.stmts().ids().collect();
    let Some(first) = stmts.first() else {
        return Ok(ScheduleTree::domain(scop.domain()?, ScheduleTree::leaf()));
    };
    let dims = scop.stmts()[*first].date.dim(DimType::Out)?;
    let child = order_from(scop, &stmts, 0, dims)?;
    Ok(ScheduleTree::domain(scop.domain()?, child))
}

impl Program {
    /// Whether it runs the statements of `scop` in their own loops, whatever threads and lanes do of them.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn keeps_loops_of(&self, scop: &Scop) -> Result<bool> {
        let Some(loops) = unmarked(&self.tree) else { return Ok(false) };
        let Some(own) = unmarked(&original_tree(scop)?) else { return Ok(false) };
        Ok(self.scop.stmts() == scop.stmts() && is_same(&loops, &own)?)
    }
}

/// Whether two trees of the same statements are the same, in whatever order their nodes have these. Sets and functions are compared as they
/// are written: isl writes what it has compared in another way afterwards.
fn is_same(tree: &ScheduleTree, other: &ScheduleTree) -> Result<bool> {
    let is_same_node = match (tree.node(), other.node()) {
        (Node::Filter { filter, .. }, Node::Filter { filter: other, .. }) => {
            filter.sets()? == other.sets()?
        }
        (Node::Band { band, .. }, Node::Band { band: other, .. }) => {
            let pairs = band.members.iter().zip(&other.members);
            let mut is_same = band.members.len() == other.members.len();
            for (member, other) in pairs {
                is_same &= member.schedule.pw_affs()? == other.schedule.pw_affs()?;
            }
            is_same
        }
        (Node::Domain { .. }, Node::Domain { .. })
        | (Node::Sequence(_), Node::Sequence(_))
        | (Node::Leaf, Node::Leaf) => true,
        _ => false,
    };
    let (children, others) = (tree.children(), other.children());
    if !is_same_node || children.len() != others.len() {
        return Ok(false);
    }
    for (child, other) in children.iter().zip(others) {
        if !is_same(child, other)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The order of a tree alone, one loop a band; `None` where marks say more than what runs on threads or in lanes.
fn unmarked(tree: &ScheduleTree) -> Option<ScheduleTree> {
    use Mark::{Parallel, Private, Reduce, Vector};
    let children: Option<Vec<ScheduleTree>> = tree.children().iter().map(unmarked).collect();
    let children = children?;
    match tree.node() {
        Node::Mark { mark: Parallel | Vector | Private(_) | Reduce(_), .. } => {
            children.into_iter().next()
        }
        Node::Mark { .. } => None,
        Node::Band { band, .. } => {
            band.members.iter().rev().try_fold(children.into_iter().next()?, |child, member| {
                let members = vec![Member::new(member.schedule.clone(), false)];
                Some(ScheduleTree::band(Band { members, permutable: false }, child))
            })
        }
        _ => Some(tree.with_children(children)),
    }
}

/// Orders `stmts` by the date dimensions from `dim` on.
fn order_from(scop: &Scop, stmts: &[StmtId], dim: u32, dims: u32) -> Result<ScheduleTree> {
    if dim == dims {
        return Ok(ScheduleTree::leaf());
    }
    let dates: Vec<PwAff> = stmts.iter().map(|&s| date(scop, s, dim)).collect::<Result<_>>()?;
    let constants: Vec<Option<i64>> = dates.iter().map(constant).collect::<Result<_>>()?;
    let constants: Option<Vec<i64>> = constants.into_iter().collect();
    match constants {
        Some(constants) => sequence_by(scop, stmts, &constants, dim, dims),
        None => {
            let member = Member::new(UnionPwAff::union_all(dates)?, false);
            let band = Band { members: vec![member], permutable: false };
            Ok(ScheduleTree::band(band, order_from(scop, stmts, dim + 1, dims)?))
        }
    }
}

/// Orders `stmts` by their constants in dimension `dim`, then by the dimensions after it.
fn sequence_by(
    scop: &Scop,
    stmts: &[StmtId],
    constants: &[i64],
    dim: u32,
    dims: u32,
) -> Result<ScheduleTree> {
    let mut values = constants.to_vec();
    values.sort_unstable();
    values.dedup();
    let mut children = Vec::new();
    for value in values {
        let group: Vec<StmtId> =
            stmts.iter().zip(constants).filter(|(_, c)| **c == value).map(|(s, _)| *s).collect();
        children.push((instances(scop, &group)?, order_from(scop, &group, dim + 1, dims)?));
    }
    Ok(ScheduleTree::sequence(children))
}

/// All instances of `stmts`, as the filter of a sequence.
fn instances(scop: &Scop, stmts: &[StmtId]) -> Result<UnionSet> {
    let spaces: Vec<Set> = stmts
        .iter()
        .map(|&s| Set::universe(&scop.stmts()[s].domain.space()?))
        .collect::<farkas_poly::Result<_>>()?;
    Ok(UnionSet::union_all(spaces)?)
}

/// The date of a statement in one dimension, as a function of the instance.
fn date(scop: &Scop, stmt: StmtId, dim: u32) -> Result<PwAff> {
    let date: &Map = &scop.stmts()[stmt].date;
    Ok(date.to_pw_multi_aff()?.at(i32::try_from(dim).unwrap_or(i32::MAX))?)
}

/// The value of a function that is the same constant everywhere.
fn constant(value: &PwAff) -> Result<Option<i64>> {
    let pieces = value.pieces()?;
    match pieces.as_slice() {
        [(_, aff)] if aff.is_cst()? => Ok(Some(aff.constant_val()?.to_i64()?)),
        _ => Ok(None),
    }
}
