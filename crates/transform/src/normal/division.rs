//! What dependences let run apart in a loop.

use crate::Result;
use crate::updates::together;
use farkas_deps::{Components, Dependences};
use farkas_scop::{Scop, StmtId};
use farkas_steps::{Distribute, LoopAddress, Step, reaching};
use farkas_tree::{Cursor, ScheduleTree};

/// The step that gives a loop's statements loops of their own, as far as no cycle of dependences ties them together; and how many loops
/// there are then. None where all are tied together.
pub(crate) fn division(
    (scop, tree): (&Scop, &ScheduleTree),
    deps: &Dependences,
    (band, member): (&Cursor, usize),
) -> Result<Option<(Step, Vec<Vec<String>>)>> {
    let components = components(scop, tree, deps, (band, member))?;
    if components.members.len() < 2 {
        return Ok(None);
    }
    let name = |stmt: &StmtId| scop.stmts()[*stmt].name.clone();
    let groups = components.members.iter().map(|stmts| stmts.iter().map(name).collect());
    let groups: Vec<Vec<String>> = groups.collect();
    let at = LoopAddress::member(band.clone(), member);
    Ok(Some((Step::Distribute(Distribute { at, groups: groups.clone() }), groups)))
}

/// What cycles of dependences tie together in a loop: of dependences between instances in one iteration of the loops around it.
fn components(
    scop: &Scop,
    tree: &ScheduleTree,
    deps: &Dependences,
    (band, member): (&Cursor, usize),
) -> Result<Components> {
    let inside = reaching(tree, band)?;
    let mut stmts = Vec::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        if !inside.extract_set(&stmt.domain.space()?)?.is_empty()? {
            stmts.push(id);
        }
    }
    if stmts.len() < 2 {
        return Ok(Components::new(&stmts, []));
    }
    let together = together(tree, band, member)?;
    let mut edges = Vec::new();
    for dep in &deps.deps {
        let are_inside = stmts.contains(&dep.source) && stmts.contains(&dep.sink);
        if dep.is_order()
            && are_inside
            && !together.intersect(&dep.relation.to_union_map()?)?.is_empty()?
        {
            edges.push((dep.source, dep.sink));
        }
    }
    Ok(Components::new(&stmts, edges))
}
