//! The loops that a strip's loop became which went inside of others.

use crate::Result;
use farkas_tree::{Cursor, Mark, Node, ScheduleTree};

/// The bands right inside of innermost loops whose iterations wait for one another, below a node: what has become of a strip's loop
/// there, after it went inside of the strip's loops.
pub(crate) fn lanes(tree: &ScheduleTree, here: &Cursor) -> Vec<Cursor> {
    let mut found = Vec::new();
    if let Node::Band { band, child } = tree.node()
        && let Node::Band { child: inside, .. } = child.node()
        && !inside.contains_band()
        && band.members.last().is_some_and(|member| !member.coincident)
    {
        found.push(here.child(0));
    }
    for (at, child) in tree.children().iter().enumerate() {
        found.extend(lanes(child, &here.child(at)));
    }
    found
}

/// The tree with a mark above each of [`lanes`].
pub(super) fn with_mark(tree: &ScheduleTree, mark: &Mark) -> Result<ScheduleTree> {
    let mut tree = tree.clone();
    for at in lanes(&tree, &Cursor::root()) {
        let marked = ScheduleTree::mark(mark.clone(), tree.at(&at)?.clone());
        tree = tree.replace(&at, marked)?;
    }
    Ok(tree)
}
