//! The loops around statements.

use crate::Result;
use farkas_poly::UnionSet;
use farkas_scop::{Dim, Scop, StmtId, linear_part};
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

/// The dimensions of each statement of a program in the order of the loops that count them, the other way where a loop falls with one; others, and
/// those of a statement whose loops count no single dimension, as they are.
///
/// # Errors
/// When isl refuses.
pub fn dims_by_loops(program: &Program) -> Result<Vec<(StmtId, Vec<Dim>)>> {
    let mut orders: Vec<(StmtId, Vec<Dim>)> = Vec::new();
    for Standing { stmt, loops } in standing(program)? {
        let depth = program.scop.stmts()[stmt].depth();
        if orders.iter().all(|(other, _)| *other != stmt) {
            orders.push((stmt, in_order(depth, &loops)));
        }
    }
    Ok(orders)
}

/// The dimensions that loops count, in their order, and then the others.
fn in_order(depth: usize, loops: &[Option<Vec<i64>>]) -> Vec<Dim> {
    let mut dims: Vec<Dim> = Vec::new();
    for row in loops.iter().flatten() {
        let mut counted = row.iter().enumerate().filter(|(_, factor)| **factor != 0);
        match (counted.next(), counted.next()) {
            (None, _) => {}
            (Some((at, factor)), None) if dims.iter().all(|dim| dim.at != at) => {
                dims.push(Dim { at, falls: *factor < 0 });
            }
            _ => return Dim::as_they_are(depth),
        }
    }
    let mut others = Dim::as_they_are(depth);
    others.retain(|other| dims.iter().all(|dim| dim.at != other.at));
    [dims, others].concat()
}

#[cfg(test)]
mod tests {
    use super::in_order;
    use farkas_scop::Dim;

    #[test]
    fn dimensions_come_in_the_order_of_loops() {
        let row = |factors: [i64; 3]| Some(factors.to_vec());
        let dims = |signed: [(usize, bool); 3]| signed.map(|(at, falls)| Dim { at, falls });
        let found = in_order(3, &[row([0, 0, -1]), row([1, 0, 0])]);
        assert_eq!(found, dims([(2, true), (0, false), (1, false)]));
        assert_eq!(in_order(3, &[row([1, 1, 0])]), Dim::as_they_are(3));
        let found = in_order(3, &[None, row([0, 1, 0])]);
        assert_eq!(found, dims([(1, false), (0, false), (2, false)]));
    }
}
