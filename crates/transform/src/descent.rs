//! Walks down a tree with what is known at each place.

use crate::Result;
use crate::index_sets::{divided, inside, pieces_of};
use farkas_analysis::StrideModel;
use farkas_deps::Dependences;
use farkas_poly::{Map, UnionSet};
use farkas_scop::Scop;
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};

/// What stands above a place in a tree.
#[derive(Clone)]
pub(crate) struct Place {
    /// Where it is.
    pub(crate) here: Cursor,
    /// The members of the bands above.
    pub(crate) outer: Vec<Member>,
    /// The instances that reach the place.
    pub(crate) instances: UnionSet,
    /// The pairs among them that may not run at the same time and that the bands above leave in one iteration, in convex pieces: those that
    /// dependences ask for, and updates whose order is free.
    pub(crate) pairs: Vec<Map>,
}

impl Place {
    /// What stands above child `at` of `node` at this place.
    fn inside(&self, node: &Node, at: usize) -> Result<Self> {
        let mut inner = Self { here: self.here.child(at), ..self.clone() };
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
    /// What `find` finds in a tree, the outermost first, and nothing inside of what it found. It is not asked of what orders statements
    /// that the dependences know nothing of, nor of what has its shape already.
    ///
    /// # Errors
    /// When isl refuses, and those of `find`.
    pub(crate) fn sites<T>(self, tree: &ScheduleTree, find: &mut Find<'_, T>) -> Result<Vec<T>> {
        let mut found = Vec::new();
        let Node::Domain { domain, .. } = tree.node() else { return Ok(found) };
        let pairs = pieces_of(self.deps.atomicity().map(|(_, dep)| dep))?;
        let instances = domain.clone();
        let place = Place { here: Cursor::root(), outer: Vec::new(), instances, pairs };
        self.below(tree, &place, find, &mut found)?;
        Ok(found)
    }

    /// The same below a place.
    fn below<T>(
        self,
        tree: &ScheduleTree,
        place: &Place,
        find: &mut Find<'_, T>,
        found: &mut Vec<T>,
    ) -> Result<()> {
        if matches!(tree.node(), Node::Leaf | Node::Mark { mark: Mark::Shaped, .. }) {
            return Ok(());
        }
        if self.strides.are_of(self.scop, &place.instances)?
            && let Some(site) = find(tree, place)?
        {
            found.push(site);
            return Ok(());
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &place.inside(tree.node(), at)?, find, found)?;
        }
        Ok(())
    }
}

/// What is found at a place in a tree, if anything.
type Find<'a, T> = dyn FnMut(&ScheduleTree, &Place) -> Result<Option<T>> + 'a;

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

/// How many marks there are right above a place.
pub(crate) fn n_marks_above(tree: &ScheduleTree, at: &Cursor) -> usize {
    let is_mark =
        |above: &Cursor| matches!(tree.at(above).map(ScheduleTree::node), Ok(Node::Mark { .. }));
    (1..=at.steps().len()).take_while(|n| is_mark(&at.ancestor(*n))).count()
}
