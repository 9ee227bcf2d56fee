//! Where the statements that fill and empty a buffer stand in the tree.

use crate::Result;
use crate::flags::reaching;
use crate::numbered::Around;
use crate::tree::part;
use farkas_poly::{PwAff, Set, UnionPwAff, UnionSet};
use farkas_tree::{Band, Cursor, Mark, Member, Node, ScheduleTree};

/// A statement that is new in the tree.
pub(crate) struct New {
    pub(crate) domain: Set,
    /// Its dates in the loops around the place, outermost first.
    pub(crate) dates: Vec<PwAff>,
    /// Its loops of its own, outermost first: their dates, with the size where they run over tiles.
    pub(crate) loops: Vec<(PwAff, Option<i64>)>,
    /// How many of these, the outermost first, carry something: updates of one element.
    pub(crate) n_carrying: usize,
}

impl New {
    /// Its own loops: each a band, those over tiles under their marks.
    fn tree(&self) -> Result<ScheduleTree> {
        let mut tree = ScheduleTree::leaf();
        for (at, (date, size)) in self.loops.iter().enumerate().rev() {
            let schedule = UnionPwAff::union_all([date.clone()])?;
            let coincident = at >= self.n_carrying;
            let members = vec![Member::new(schedule, coincident)];
            let band = Band { members, permutable: size.is_some() };
            let is_last = self.loops.get(at + 1).is_none_or(|(_, inner)| inner.is_none());
            if size.is_some() && is_last {
                tree = ScheduleTree::mark(Mark::Point, tree);
            }
            tree = ScheduleTree::band(band, tree);
            if let Some(size) = size {
                tree = ScheduleTree::mark(Mark::Tile(vec![*size]), tree);
            }
        }
        Ok(tree)
    }
}

/// Putting statements into a loop, the last one of `path`.
pub(crate) struct Place<'a> {
    pub(crate) path: &'a [Around],
    /// How many marks stand right above the loop's band.
    pub(crate) n_marks: usize,
    /// The sizes of the tiles that the other loops of its band run over, which are inside of it.
    pub(crate) sizes: Vec<i64>,
    /// The instances that use the buffer.
    pub(crate) users: UnionSet,
    /// What runs first.
    pub(crate) before: New,
    /// What runs last.
    pub(crate) after: Option<New>,
}

impl Place<'_> {
    /// The tree with the statements.
    pub(crate) fn in_tree(&self, tree: &ScheduleTree) -> Result<ScheduleTree> {
        let Some(last) = self.path.last() else { return Ok(tree.clone()) };
        let reach = reaching(tree, &last.at.band)?;
        self.below(tree, &Cursor::root(), &reach)
    }

    /// The tree with the statements around the whole loop at `band`, the first of its band, which lies right inside of those of the path.
    pub(crate) fn around(&self, tree: &ScheduleTree, band: &Cursor) -> Result<ScheduleTree> {
        let top = band.ancestor(self.n_marks);
        let reach = reaching(tree, band)?;
        self.around_below(tree, &Cursor::root(), &top, &reach)
    }

    /// The subtree at a cursor on the way to `top`, with the statements around what is there.
    fn around_below(
        &self,
        tree: &ScheduleTree,
        here: &Cursor,
        top: &Cursor,
        reach: &UnionSet,
    ) -> Result<ScheduleTree> {
        if here == top {
            return self.sequence(tree, reach);
        }
        let step = top.steps().get(here.steps().len()).copied().unwrap_or(0);
        let mut children = tree.children().to_vec();
        if let Some(child) = children.get_mut(step) {
            *child = self.around_below(child, &here.child(step), top, reach)?;
        }
        self.on_the_way(tree, here, children)
    }

    /// The new statements.
    fn statements(&self) -> impl Iterator<Item = &New> {
        std::iter::once(&self.before).chain(&self.after)
    }

    /// The instances of the new statements.
    fn added(&self) -> Result<UnionSet> {
        Ok(UnionSet::union_all(self.statements().map(|new| new.domain.clone()))?)
    }

    /// The subtree at a cursor on the way to the loop, with the statements.
    fn below(&self, tree: &ScheduleTree, here: &Cursor, reach: &UnionSet) -> Result<ScheduleTree> {
        let Some(last) = self.path.last() else { return Ok(tree.clone()) };
        if *here == last.at.band {
            return self.in_loop(tree, last, reach);
        }
        let step = last.at.band.steps().get(here.steps().len()).copied().unwrap_or(0);
        let mut children = tree.children().to_vec();
        if let Some(child) = children.get_mut(step) {
            *child = self.below(child, &here.child(step), reach)?;
        }
        // The other loops of the band get a mark of their own.
        if let Node::Mark { mark: Mark::Tile(sizes), .. } = tree.node()
            && here.steps().len() + self.n_marks >= last.at.band.steps().len()
        {
            let n = sizes.len().min(last.at.member + 1);
            return Ok(ScheduleTree::mark(Mark::Tile(sizes[..n].to_vec()), only(children)));
        }
        self.on_the_way(tree, here, children)
    }

    /// A node on the way with these children, which the new statements reach, too.
    fn on_the_way(
        &self,
        tree: &ScheduleTree,
        here: &Cursor,
        children: Vec<ScheduleTree>,
    ) -> Result<ScheduleTree> {
        Ok(match tree.node() {
            Node::Domain { domain, .. } => {
                ScheduleTree::domain(domain.union(&self.added()?)?, only(children))
            }
            Node::Filter { filter, .. } => {
                ScheduleTree::filter(filter.union(&self.added()?)?, only(children))
            }
            Node::Band { band, .. } => ScheduleTree::band(self.dated(band, here)?, only(children)),
            _ => tree.with_children(children),
        })
    }

    /// A band on the way with the new statements' dates.
    fn dated(&self, band: &Band, here: &Cursor) -> Result<Band> {
        let mut band = band.clone();
        for (at, around) in self.path.iter().enumerate().filter(|(_, a)| a.at.band == *here) {
            let Some(member) = band.members.get_mut(around.at.member) else { continue };
            let mut dates = member.schedule.pw_affs()?;
            dates.extend(self.statements().filter_map(|new| new.dates.get(at).cloned()));
            member.schedule = UnionPwAff::union_all(dates)?;
        }
        Ok(band)
    }

    /// The band of the loop with the statements right inside the loop.
    fn in_loop(
        &self,
        tree: &ScheduleTree,
        last: &Around,
        reach: &UnionSet,
    ) -> Result<ScheduleTree> {
        let Node::Band { band, child } = tree.node() else { return Ok(tree.clone()) };
        let band = self.dated(band, &last.at.band)?;
        let (outer, inner) = band.members.split_at(last.at.member + 1);
        let (outer, inner) = (outer.to_vec(), inner.to_vec());
        let mut inside = part(&inner, band.permutable, child.clone());
        if !self.sizes.is_empty() {
            inside = ScheduleTree::mark(Mark::Tile(self.sizes.clone()), inside);
        }
        let is_point = matches!(inside.node(), Node::Mark { mark: Mark::Point, .. });
        if let (true, [below]) = (is_point, inside.children()) {
            inside = below.clone();
        }
        inside = self.sequence(&inside, reach)?;
        if is_point || last.at.size.is_some() {
            inside = ScheduleTree::mark(Mark::Point, inside);
        }
        Ok(part(&outer, band.permutable, inside))
    }

    /// What is inside of the loop, between the statements.
    fn sequence(&self, inside: &ScheduleTree, reach: &UnionSet) -> Result<ScheduleTree> {
        let before = ScheduleTree::filter(self.before.domain.to_union_set()?, self.before.tree()?);
        let after = match &self.after {
            Some(after) => Some(ScheduleTree::filter(after.domain.to_union_set()?, after.tree()?)),
            None => None,
        };
        let mut children = match inside.node() {
            Node::Sequence(children) => children.clone(),
            _ => vec![ScheduleTree::filter(reach.clone(), inside.clone())],
        };
        let (mut first, mut last) = (None, 0);
        for (at, child) in children.iter().enumerate() {
            if let Node::Filter { filter, .. } = child.node()
                && !filter.is_disjoint(&self.users)?
            {
                first.get_or_insert(at);
                last = at + 1;
            }
        }
        if let Some(after) = after {
            children.insert(last, after);
        }
        children.insert(first.unwrap_or(0), before);
        Ok(Node::Sequence(children).into())
    }
}

/// The one child of a node.
fn only(children: Vec<ScheduleTree>) -> ScheduleTree {
    children.into_iter().next().unwrap_or_else(ScheduleTree::leaf)
}
