//! The tree itself.

use crate::{Mark, OneThread};
use farkas_poly::{
    AstLoopType, MultiUnionPwAff, Set, UnionMap, UnionPwAff, UnionPwMultiAff, UnionSet,
};
use std::rc::Rc;

/// A schedule tree, or a subtree of one. Persistent: clones share their nodes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ScheduleTree(Rc<Node>);

/// One node with its children; isl's kinds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// The root of a whole tree: the instances that it orders.
    Domain {
        /// The instances.
        domain: UnionSet,
        /// How they are ordered.
        child: ScheduleTree,
    },
    /// What may be assumed of parameters and outer dates.
    Context {
        /// The assumption.
        context: Set,
        /// The subtree.
        child: ScheduleTree,
    },
    /// Loops.
    Band {
        /// The loops.
        band: Band,
        /// What happens in each iteration.
        child: ScheduleTree,
    },
    /// Children run one after another. Each child is a filter; together they cover all instances once.
    Sequence(Vec<ScheduleTree>),
    /// Children run in any order. Each child is a filter.
    Set(Vec<ScheduleTree>),
    /// Only these instances.
    Filter {
        /// The instances.
        filter: UnionSet,
        /// The subtree.
        child: ScheduleTree,
    },
    /// A note for later stages.
    Mark {
        /// The note.
        mark: Mark,
        /// The subtree.
        child: ScheduleTree,
    },
    /// Adds instances that are not in the domain: from outer dates to instances.
    Extension {
        /// The added instances.
        extension: UnionMap,
        /// The subtree.
        child: ScheduleTree,
    },
    /// Replaces grouped instances by their members.
    Expansion {
        /// From members to groups.
        contraction: UnionPwMultiAff,
        /// From groups to members.
        expansion: UnionMap,
        /// The subtree.
        child: ScheduleTree,
    },
    /// The subtree runs only under this condition on parameters and outer dates.
    Guard {
        /// The condition.
        guard: Set,
        /// The subtree.
        child: ScheduleTree,
    },
    /// Nothing more is ordered.
    Leaf,
}

/// Loops of a band, outermost first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Band {
    /// The loops.
    pub members: Vec<Member>,
    /// Whether the members may be interchanged and tiled: each member alone keeps every dependence that outer nodes do
    /// not already satisfy.
    pub permutable: bool,
}

/// One loop of a band.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// The date of each instance in this loop.
    pub schedule: UnionPwAff,
    /// Whether the loop carries no dependence that outer nodes leave: its iterations may run in any order.
    pub coincident: bool,
    /// How code is generated where the ranges of statements differ.
    pub loop_type: AstLoopType,
    /// Why its iterations stay on one thread, where that was decided; no part of the tree's text.
    pub one_thread: Option<OneThread>,
    /// Whether a scheduler made it for neighbouring iterations to touch neighbouring elements; no part of the tree's text.
    pub walks_lines: bool,
}

impl Band {
    /// All members as one tuple.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn schedule(&self) -> farkas_poly::Result<MultiUnionPwAff> {
        let members: Vec<UnionPwAff> = self.members.iter().map(|m| m.schedule.clone()).collect();
        MultiUnionPwAff::from_members(&members)
    }
}

impl Member {
    /// A loop without special properties.
    pub fn new(schedule: UnionPwAff, coincident: bool) -> Self {
        let (loop_type, one_thread) = (AstLoopType::Default, None);
        Self { schedule, coincident, loop_type, one_thread, walks_lines: false }
    }

    /// Whether the loop is to have a piece for each range in which the same statements run.
    pub fn asks_for_pieces(&self) -> bool {
        self.loop_type == AstLoopType::Separate
    }
}

impl From<Node> for ScheduleTree {
    fn from(node: Node) -> Self {
        Self(Rc::new(node))
    }
}

impl ScheduleTree {
    /// The tree of one leaf.
    pub fn leaf() -> Self {
        Node::Leaf.into()
    }

    /// `child` under a domain node.
    pub fn domain(domain: UnionSet, child: Self) -> Self {
        Node::Domain { domain, child }.into()
    }

    /// `child` under a band; `child` itself for a band without members.
    pub fn band(band: Band, child: Self) -> Self {
        if band.members.is_empty() { child } else { Node::Band { band, child }.into() }
    }

    /// `child` under a filter.
    pub fn filter(filter: UnionSet, child: Self) -> Self {
        Node::Filter { filter, child }.into()
    }

    /// `child` under a mark.
    pub fn mark(mark: Mark, child: Self) -> Self {
        Node::Mark { mark, child }.into()
    }

    /// Filtered children in this order; the child itself where there is just one.
    pub fn sequence(mut children: Vec<(UnionSet, Self)>) -> Self {
        if children.len() == 1
            && let Some((_, child)) = children.pop()
        {
            return child;
        }
        Node::Sequence(filters(children)).into()
    }

    /// Filtered children in any order; the child itself where there is just one.
    pub fn set(mut children: Vec<(UnionSet, Self)>) -> Self {
        if children.len() == 1
            && let Some((_, child)) = children.pop()
        {
            return child;
        }
        Node::Set(filters(children)).into()
    }

    /// The root node.
    pub fn node(&self) -> &Node {
        &self.0
    }

    /// isl's name of the root node's kind.
    pub fn kind(&self) -> &'static str {
        match self.node() {
            Node::Domain { .. } => "domain",
            Node::Context { .. } => "context",
            Node::Band { .. } => "band",
            Node::Sequence(_) => "sequence",
            Node::Set(_) => "set",
            Node::Filter { .. } => "filter",
            Node::Mark { .. } => "mark",
            Node::Extension { .. } => "extension",
            Node::Expansion { .. } => "expansion",
            Node::Guard { .. } => "guard",
            Node::Leaf => "leaf",
        }
    }

    /// The children of the root node.
    pub fn children(&self) -> &[Self] {
        match self.node() {
            Node::Domain { child, .. }
            | Node::Context { child, .. }
            | Node::Band { child, .. }
            | Node::Filter { child, .. }
            | Node::Mark { child, .. }
            | Node::Extension { child, .. }
            | Node::Expansion { child, .. }
            | Node::Guard { child, .. } => std::slice::from_ref(child),
            Node::Sequence(children) | Node::Set(children) => children,
            Node::Leaf => &[],
        }
    }

    /// Whether a band stands anywhere in the tree, the root included.
    pub fn contains_band(&self) -> bool {
        matches!(self.node(), Node::Band { .. }) || self.children().iter().any(Self::contains_band)
    }

    /// The same root node over other children, which must be as many.
    #[must_use]
    pub fn with_children(&self, children: Vec<Self>) -> Self {
        let mut node = self.node().clone();
        match &mut node {
            Node::Domain { child, .. }
            | Node::Context { child, .. }
            | Node::Band { child, .. }
            | Node::Filter { child, .. }
            | Node::Mark { child, .. }
            | Node::Extension { child, .. }
            | Node::Expansion { child, .. }
            | Node::Guard { child, .. } => {
                if let Some(new) = children.into_iter().next() {
                    *child = new;
                }
            }
            Node::Sequence(old) | Node::Set(old) => *old = children,
            Node::Leaf => {}
        }
        node.into()
    }

    /// The tree with `f` applied to every subtree, children before parents.
    ///
    /// # Errors
    /// The first error of `f`.
    pub fn map_bottom_up<E>(&self, f: &mut impl FnMut(Self) -> Result<Self, E>) -> Result<Self, E> {
        let children: Vec<Self> =
            self.children().iter().map(|c| c.map_bottom_up(f)).collect::<Result<_, E>>()?;
        f(if children.is_empty() { self.clone() } else { self.with_children(children) })
    }
}

/// Each child under its filter.
fn filters(children: Vec<(UnionSet, ScheduleTree)>) -> Vec<ScheduleTree> {
    children.into_iter().map(|(filter, child)| ScheduleTree::filter(filter, child)).collect()
}
