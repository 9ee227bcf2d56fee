//! Which loops run on threads.

use farkas_tree::{Mark, Node, ScheduleTree};

/// Whether a loop is marked for threads of a processor's cores somewhere in a tree.
pub(crate) fn has_threads(tree: &ScheduleTree) -> bool {
    matches!(tree.node(), Node::Mark { mark: Mark::Parallel, .. })
        || tree.children().iter().any(has_threads)
}
