//! The loops around statements.

use crate::Result;
use farkas_poly::UnionSet;
use farkas_scop::{Scop, StmtId, linear_part};
use farkas_tree::{Member, Node, Program, ScheduleTree};

/// A statement where it stands in a tree.
pub(crate) struct Standing {
    pub(crate) stmt: StmtId,
    /// The loops around it, outermost first, each as a row over the statement's dimensions; `None` where it is not affine.
    pub(crate) loops: Vec<Option<Vec<i64>>>,
}

/// The statements of a program in the order of its tree; one that stands in several places comes for each.
pub(crate) fn standing(program: &Program) -> Result<Vec<Standing>> {
    let mut found = Vec::new();
    let walk = Walk { instances: UnionSet::none()?, loops: Vec::new() };
    collect(&program.scop, &program.tree, walk, &mut found)?;
    Ok(found)
}

/// What is known at a place of a tree.
#[derive(Clone)]
struct Walk {
    instances: UnionSet,
    loops: Vec<Member>,
}

/// Adds the statements of a tree.
fn collect(
    scop: &Scop,
    tree: &ScheduleTree,
    mut walk: Walk,
    found: &mut Vec<Standing>,
) -> Result<()> {
    match tree.node() {
        Node::Domain { domain, .. } => walk.instances = domain.clone(),
        Node::Filter { filter, .. } => walk.instances = walk.instances.intersect(filter)?,
        Node::Band { band, .. } => walk.loops.extend(band.members.iter().cloned()),
        _ => {}
    }
    if !matches!(tree.node(), Node::Leaf) {
        let mut children = tree.children().iter();
        return children.try_for_each(|child| collect(scop, child, walk.clone(), found));
    }
    for (stmt, own) in scop.stmts().iter_enumerated() {
        let space = own.domain.space()?;
        if walk.instances.extract_set(&space)?.is_empty()? {
            continue;
        }
        let mut loops = Vec::new();
        for member in &walk.loops {
            loops.push(linear_part(&member.schedule.extract_pw_aff(&space)?)?);
        }
        found.push(Standing { stmt, loops });
    }
    Ok(())
}

/// The dimensions of each statement of a program in the order of the loops that count them; others, and those of a statement whose loops count
/// no single dimension, as they are.
///
/// # Errors
/// When isl refuses.
pub fn dims_by_loops(program: &Program) -> Result<Vec<(StmtId, Vec<usize>)>> {
    let mut orders: Vec<(StmtId, Vec<usize>)> = Vec::new();
    for Standing { stmt, loops } in standing(program)? {
        let depth = program.scop.stmts()[stmt].depth();
        if orders.iter().all(|(other, _)| *other != stmt) {
            orders.push((stmt, in_order(depth, &loops)));
        }
    }
    Ok(orders)
}

/// The dimensions that loops count, in their order, and then the others.
fn in_order(depth: usize, loops: &[Option<Vec<i64>>]) -> Vec<usize> {
    let mut dims: Vec<usize> = Vec::new();
    for row in loops.iter().flatten() {
        let mut counted = row.iter().enumerate().filter(|(_, factor)| **factor != 0);
        match (counted.next(), counted.next()) {
            (None, _) => {}
            (Some((dim, _)), None) if !dims.contains(&dim) => dims.push(dim),
            _ => return (0..depth).collect(),
        }
    }
    let others: Vec<usize> = (0..depth).filter(|dim| !dims.contains(dim)).collect();
    [dims, others].concat()
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn dimensions_come_in_the_order_of_loops() {
        let row = |factors: [i64; 3]| Some(factors.to_vec());
        assert_eq!(in_order(3, &[row([0, 0, -1]), row([1, 0, 0])]), [2, 0, 1]);
        assert_eq!(in_order(3, &[row([1, 1, 0])]), [0, 1, 2]);
        assert_eq!(in_order(3, &[None, row([0, 1, 0])]), [1, 0, 2]);
    }
}
