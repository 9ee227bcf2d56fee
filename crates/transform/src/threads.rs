//! Which loops run on threads, of a processor's cores or of a GPU.

use farkas_tree::{Mark, Node, ScheduleTree};

/// Whether a loop is marked for threads of a processor's cores somewhere in a tree.
pub(crate) fn has_threads(tree: &ScheduleTree) -> bool {
    matches!(tree.node(), Node::Mark { mark: Mark::Parallel, .. })
        || tree.children().iter().any(has_threads)
}

/// The tree without the marks that say which threads of a GPU run which loops.
pub fn without_threads(tree: &ScheduleTree) -> ScheduleTree {
    if let Node::Mark { mark: Mark::Threads(_), child } = tree.node() {
        return without_threads(child);
    }
    let children = tree.children();
    if children.is_empty() {
        return tree.clone();
    }
    tree.with_children(children.iter().map(without_threads).collect())
}
