//! Buffers of which iterations of a loop update copies.
//!
//! Where a mark gives iterations copies of a buffer, these stand for elements of an array as the buffer's cells do: order is judged by
//! the same mark for the array. That takes a buffer that is filled before the loop and copied back behind it.

use super::super::clause::Clause;
use super::super::counterexample::Counterexample;
use super::super::private::concurrent_bands;
use super::copies::Copies;
use super::fault;
use farkas_scop::Scop;
use farkas_tree::{Mark, Node, ScheduleTree};

/// The first buffer that a loop fills or copies back while its iterations update copies of it.
pub(super) fn first_fault(copies: &Copies<'_>) -> Option<Counterexample> {
    let plan = copies.plan?;
    for (_, concurrent) in concurrent_bands(plan) {
        for &array in &concurrent.reduced {
            let movers = copies.movers(array);
            if concurrent.active.iter().any(|(stmt, _)| movers.contains(stmt)) {
                return Some(fault(&copies.scop.arrays()[array].name, Clause::AroundCopies));
            }
        }
    }
    None
}

/// The tree whose marks name, in the place of buffers, the arrays whose elements they stand for in `ordered`.
pub(super) fn at_home(tree: &ScheduleTree, copies: &Copies<'_>, ordered: &Scop) -> ScheduleTree {
    let children = tree.children();
    if children.is_empty() {
        return tree.clone();
    }
    let children = children.iter().map(|child| at_home(child, copies, ordered)).collect();
    let same = tree.with_children(children);
    match same.node() {
        Node::Mark { mark: Mark::Reduce(names), child } => {
            let mut home: Vec<String> = Vec::new();
            for name in names.iter().flat_map(|name| homes(name, copies, ordered)) {
                if !home.contains(&name) {
                    home.push(name);
                }
            }
            ScheduleTree::mark(Mark::Reduce(home), child.clone())
        }
        _ => same,
    }
}

/// The arrays whose elements the cells of a buffer stand for where statements write it; another array itself.
fn homes(name: &str, copies: &Copies<'_>, ordered: &Scop) -> Vec<String> {
    let arrays = copies.scop.arrays().iter_enumerated();
    let buffer = arrays.filter(|(id, _)| copies.is_copied(*id)).find(|(_, a)| a.name == name);
    let Some((buffer, _)) = buffer else { return vec![name.to_owned()] };
    let mut found = Vec::new();
    for stmt in copies.scop.stmts() {
        let Some(home) = ordered.stmt_by_name(&stmt.name) else { continue };
        for (id, access) in stmt.accesses.iter_enumerated() {
            if access.array == buffer && access.kind.is_write() {
                let array = ordered.stmts()[home].accesses[id].array;
                found.push(ordered.arrays()[array].name.clone());
            }
        }
    }
    found
}
