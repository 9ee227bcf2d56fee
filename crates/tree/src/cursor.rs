//! Positions in a tree.

use crate::{Error, Mark, Member, Node, Result, ScheduleTree};
use farkas_poly::UnionSet;
use std::fmt;

/// A path from the root: the child to take at each node. The empty path is the root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cursor(Vec<usize>);

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("/")?;
        let steps: Vec<String> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&steps.join("/"))
    }
}

impl Cursor {
    /// The root.
    pub fn root() -> Self {
        Self::default()
    }

    /// The child at `position` of this node.
    #[must_use]
    pub fn child(&self, position: usize) -> Self {
        let mut path = self.0.clone();
        path.push(position);
        Self(path)
    }

    /// The parent, `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        let (_, path) = self.0.split_last()?;
        Some(Self(path.to_vec()))
    }

    /// The node `n` above this one, or the root.
    #[must_use]
    pub fn ancestor(&self, n: usize) -> Self {
        Self(self.0[..self.0.len().saturating_sub(n)].to_vec())
    }

    /// Whether `other` lies below this node.
    pub fn is_above(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0) && other.0.len() > self.0.len()
    }

    /// The steps from the root.
    pub fn steps(&self) -> &[usize] {
        &self.0
    }
}

impl ScheduleTree {
    /// The subtree at `cursor`.
    ///
    /// # Errors
    /// [`Error::NoNode`] when the path leads nowhere.
    pub fn at(&self, cursor: &Cursor) -> Result<&Self> {
        let mut here = self;
        for &step in cursor.steps() {
            here = here.children().get(step).ok_or_else(|| Error::NoNode(cursor.clone()))?;
        }
        Ok(here)
    }

    /// The lowest node that all of some instances reach.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn lowest(&self, instances: &UnionSet) -> farkas_poly::Result<Cursor> {
        let (mut here, mut cursor) = (self, Cursor::root());
        loop {
            let mut below = None;
            match here.node() {
                Node::Leaf => return Ok(cursor),
                Node::Sequence(children) | Node::Set(children) => {
                    for (at, child) in children.iter().enumerate() {
                        if let Node::Filter { filter, .. } = child.node()
                            && instances.is_subset(filter)?
                        {
                            below = Some((at, child));
                        }
                    }
                }
                _ => below = here.children().first().map(|child| (0, child)),
            }
            let Some((at, child)) = below else { return Ok(cursor) };
            (here, cursor) = (child, cursor.child(at));
        }
    }

    /// Whether there is a kernel of a GPU in the tree.
    pub fn has_kernel(&self) -> bool {
        matches!(self.node(), Node::Mark { mark: Mark::Kernel(_), .. })
            || self.children().iter().any(Self::has_kernel)
    }

    /// The member at position `member` of the band at `cursor`, if there is one.
    pub fn member(&self, cursor: &Cursor, member: usize) -> Option<&Member> {
        match self.at(cursor).ok()?.node() {
            Node::Band { band, .. } => band.members.get(member),
            _ => None,
        }
    }

    /// The tree with the subtree at `cursor` replaced by `new`.
    ///
    /// # Errors
    /// [`Error::NoNode`] when the path leads nowhere.
    pub fn replace(&self, cursor: &Cursor, new: Self) -> Result<Self> {
        fn go(tree: &ScheduleTree, steps: &[usize], new: ScheduleTree) -> Option<ScheduleTree> {
            let Some((&first, rest)) = steps.split_first() else { return Some(new) };
            let mut children = tree.children().to_vec();
            let slot = children.get_mut(first)?;
            *slot = go(slot, rest, new)?;
            Some(tree.with_children(children))
        }
        go(self, cursor.steps(), new).ok_or_else(|| Error::NoNode(cursor.clone()))
    }

    /// Every position, parents before children, children in order.
    pub fn cursors(&self) -> Vec<Cursor> {
        fn go(tree: &ScheduleTree, here: &Cursor, out: &mut Vec<Cursor>) {
            out.push(here.clone());
            for (i, child) in tree.children().iter().enumerate() {
                go(child, &here.child(i), out);
            }
        }
        let mut out = Vec::new();
        go(self, &Cursor::root(), &mut out);
        out
    }
}
