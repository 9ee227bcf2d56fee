//! Walks down a tree with what is known at each place.

use crate::Result;
use crate::index_sets::{divided, inside, pairs_of};
use farkas_analysis::StrideModel;
use farkas_deps::Dependences;
use farkas_poly::{Map, UnionSet};
use farkas_scop::Scop;
use farkas_tree::{Mark, Member, Node, ScheduleTree};

/// What stands above a place in a tree.
#[derive(Clone)]
pub(crate) struct Place {
    /// The members of the bands above.
    pub(crate) outer: Vec<Member>,
    /// The instances that reach the place.
    pub(crate) instances: UnionSet,
    /// The pairs among them that dependences ask for and that the bands above leave in one iteration, in convex pieces.
    pub(crate) pairs: Vec<Map>,
}

impl Place {
    /// What stands above the children of `node` at this place.
    fn inside(&self, node: &Node) -> Result<Self> {
        let mut inner = self.clone();
        match node {
            Node::Filter { filter, .. } => {
                inner.instances = inner.instances.intersect(filter)?;
                inner.pairs = inside(&inner.pairs, filter)?;
            }
            Node::Band { band, .. } => {
                for member in &band.members {
                    inner.pairs = divided(&inner.pairs, &member.schedule)?.0;
                    inner.outer.push(member.clone());
                }
            }
            _ => {}
        }
        Ok(inner)
    }

    /// Whether a loop above runs on threads, or may.
    pub(crate) fn is_in_threads(&self) -> bool {
        self.outer.iter().any(|member| member.coincident)
    }
}

/// What a tree that is walked down orders.
#[derive(Clone, Copy)]
pub(crate) struct Descent<'a> {
    /// The scop that `deps` are of.
    pub(crate) scop: &'a Scop,
    pub(crate) deps: &'a Dependences,
    /// The strides of all statements of the tree.
    pub(crate) strides: &'a StrideModel,
}

impl Descent<'_> {
    /// The tree with subtrees in the place of those for which `rewrite` has one, the outermost first. What has its shape already
    /// stays, and so does what orders statements that the dependences know nothing of.
    ///
    /// # Errors
    /// When isl refuses, and those of `rewrite`.
    pub(crate) fn rewritten(
        self,
        tree: &ScheduleTree,
        rewrite: &mut Rewrite<'_>,
    ) -> Result<ScheduleTree> {
        let Node::Domain { domain, .. } = tree.node() else { return Ok(tree.clone()) };
        let (instances, pairs) = (domain.clone(), pairs_of(self.deps)?);
        self.below(tree, &Place { outer: Vec::new(), instances, pairs }, rewrite)
    }

    /// The same below a place.
    fn below(
        self,
        tree: &ScheduleTree,
        place: &Place,
        rewrite: &mut Rewrite<'_>,
    ) -> Result<ScheduleTree> {
        if matches!(tree.node(), Node::Leaf | Node::Mark { mark: Mark::Shaped, .. }) {
            return Ok(tree.clone());
        }
        if self.strides.are_of(self.scop, &place.instances)?
            && let Some(new) = rewrite(tree, place)?
        {
            return Ok(new);
        }
        let inner = place.inside(tree.node())?;
        let children = tree.children().iter().map(|child| self.below(child, &inner, rewrite));
        Ok(tree.with_children(children.collect::<Result<_>>()?))
    }
}

/// What takes the place of a subtree; `None` where it stays.
type Rewrite<'a> = dyn FnMut(&ScheduleTree, &Place) -> Result<Option<ScheduleTree>> + 'a;

/// The members of bands one inside the other, with nothing between them, and what is in them, where that has no loops; `None` where
/// there is no such nest.
pub(crate) fn nest(tree: &ScheduleTree) -> Option<(Vec<&Member>, &ScheduleTree)> {
    let (mut body, mut members) = (tree, Vec::new());
    while let Node::Band { band, child } = body.node() {
        members.extend(&band.members);
        body = child;
    }
    (!members.is_empty() && !body.contains_band()).then_some((members, body))
}
