//! What a GPU's threads run, where there is no GPU.

use farkas_tree::{Mark, Node, ScheduleTree};

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
