//! Loops of their own for all that dependences let run apart.

use crate::plan::Draft;
use crate::updates::together;
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result};
use farkas_deps::{Components, Dependences};
use farkas_scop::{Scop, StmtId};
use farkas_steps::{Distribute, LoopAddress, Step, reaching};
use farkas_tree::{Cursor, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximal loop fission: each loop is divided among the statements that no cycle of dependences ties together, from outside in, until no
/// loop can be divided. What was together in a loop for the sake of the text alone, or of a cache, is apart then.
///
/// **Paper**: *A priori loop nest normalization*, section 2.1. That the parts are the strongly connected components of the dependences
/// that no loop outside carries, is from R. Allen, K. Kennedy, *Automatic translation of Fortran programs to vector form*,
/// TOPLAS 9, 1987; statements in cycles of an outer loop may come apart in an inner one. Updates whose order is free keep nothing
/// together.
///
/// **Steps**: `distribute`, with the statements of each part; parts are in the order that dependences ask for, else in that of the text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fission {}

impl Plans for Fission {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let deps = view.all_deps()?;
        let mut draft = Draft::new(view.program, Some(deps));
        // Loops that stay although they could be divided come before those that are looked at next.
        let mut n_left = 0;
        while let Some(division) = division(draft.scop(), draft.tree(), deps, n_left)? {
            let (n_parts, stmts) = (division.groups.len(), division.groups.concat());
            if draft.attempt(|draft| draft.apply(Step::Distribute(division)))? {
                let text = format!(
                    "a loop becomes {n_parts}: no cycle of dependences ties its statements together"
                );
                remarks.push(Remark { pass: "fission", stmts, text });
            } else {
                n_left += 1;
            }
        }
        Ok(Proposal::Steps(draft.plan(view.tree())))
    }
}

/// The outermost loop to divide, but for the first `n_left`.
fn division(
    scop: &Scop,
    tree: &ScheduleTree,
    deps: &Dependences,
    n_left: usize,
) -> Result<Option<Distribute>> {
    let mut n_found = 0;
    for here in tree.cursors() {
        let Node::Band { band, .. } = tree.at(&here)?.node() else { continue };
        for member in 0..band.members.len() {
            let components = components(scop, tree, deps, (&here, member))?;
            if components.len() < 2 {
                continue;
            }
            n_found += 1;
            if n_found > n_left {
                let name = |stmt: &StmtId| scop.stmts()[*stmt].name.clone();
                let groups =
                    components.members.iter().map(|stmts| stmts.iter().map(name).collect());
                let at = LoopAddress::member(here, member);
                return Ok(Some(Distribute { at, groups: groups.collect() }));
            }
        }
    }
    Ok(None)
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
            && dep.relaxed.is_none()
            && are_inside
            && !together.intersect(&dep.relation.to_union_map()?)?.is_empty()?
        {
            edges.push((dep.source, dep.sink));
        }
    }
    Ok(Components::new(&stmts, edges))
}
