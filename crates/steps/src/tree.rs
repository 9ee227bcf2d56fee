//! What steps ask of a tree and do to it.

use crate::role::Role;
use crate::{NotApplicable, Result};
use farkas_poly::{Set, UnionPwAff};
use farkas_scop::Scop;
use farkas_tree::{Band, Cursor, Mark, Member, Node, ScheduleTree};
use std::ops::RangeBounds;

/// A loop of a tree.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// Its band.
    pub(crate) band: Cursor,
    /// Its position in the band.
    pub(crate) member: usize,
    /// What it is for.
    pub(crate) roles: Vec<Role>,
    /// How many iterations its tiles have, where it runs over tiles and was found on the way to a statement.
    pub(crate) size: Option<i64>,
}

impl Loop {
    /// Whether both are the same loop.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.band, self.member) == (&other.band, other.member)
    }

    /// The place among all loops of a path: outer loops first.
    pub(crate) fn order(&self) -> (usize, usize) {
        (self.band.steps().len(), self.member)
    }

    /// The band and what is inside it.
    pub(crate) fn band_in(&self, tree: &ScheduleTree) -> Result<(Band, ScheduleTree)> {
        match tree.at(&self.band)?.node() {
            Node::Band { band, child } => Ok((band.clone(), child.clone())),
            _ => Err(farkas_tree::Error::NoNode(self.band.clone()).into()),
        }
    }

    /// The member.
    pub(crate) fn member_in<'t>(&self, tree: &'t ScheduleTree) -> Result<&'t Member> {
        let member = tree.member(&self.band, self.member);
        member.ok_or_else(|| farkas_tree::Error::NoNode(self.band.clone()).into())
    }
}

/// The loops around each place at which instances of a statement stand, outermost first; places in the order of the tree.
/// One that never runs stands nowhere.
pub(crate) fn path_to(scop: &Scop, tree: &ScheduleTree, stmt: &str) -> Result<Vec<Vec<Loop>>> {
    let missing = || NotApplicable::NoStatement(stmt.to_owned());
    let stmt = scop.stmt_by_name(stmt).ok_or_else(missing)?;
    let instances = scop.domain_of(stmt)?;
    if instances.is_empty()? {
        return Ok(Vec::new());
    }
    let mut descent = Descent { loops: Vec::new(), paths: Vec::new() };
    descent.below(tree, &Cursor::root(), &instances, Around::default())?;
    Ok(descent.paths)
}

/// The state of a descent to a statement.
struct Descent {
    /// The loops around the place.
    loops: Vec<Loop>,
    paths: Vec<Vec<Loop>>,
}

/// The marks that hold of the bands below.
#[derive(Clone, Default)]
struct Around {
    /// The sizes of the tiles that the next loops run over.
    tiles: std::collections::VecDeque<i64>,
    is_point: bool,
    is_parallel: bool,
    is_vector: bool,
}

impl Descent {
    /// Follows the instances through a subtree.
    fn below(
        &mut self,
        tree: &ScheduleTree,
        here: &Cursor,
        instances: &Set,
        mut around: Around,
    ) -> Result<()> {
        let depth = self.loops.len();
        match tree.node() {
            Node::Leaf => {
                self.paths.push(self.loops.clone());
                return Ok(());
            }
            Node::Filter { filter, child } => {
                let own = filter.extract_set(&instances.space()?)?;
                if own.plain_is_empty()? {
                    return Ok(());
                }
                let inside = instances.intersect(&own)?;
                if !inside.is_empty()? {
                    self.below(child, &here.child(0), &inside, around)?;
                }
                return Ok(());
            }
            Node::Mark { mark, .. } => match mark {
                Mark::Tile(sizes) => {
                    (around.tiles, around.is_point) = (sizes.iter().copied().collect(), false)
                }
                Mark::Point => (around.tiles, around.is_point) = (Default::default(), true),
                Mark::Parallel => around.is_parallel = true,
                Mark::Vector => around.is_vector = true,
                _ => {}
            },
            Node::Band { band, .. } => {
                for member in 0..band.members.len() {
                    let size = around.tiles.pop_front();
                    let roles = [
                        (Role::Tile, size.is_some()),
                        (Role::Point, size.is_none() && around.is_point),
                        (Role::Parallel, around.is_parallel),
                        (Role::Vector, around.is_vector),
                    ];
                    let roles = roles.into_iter().filter_map(|(role, has)| has.then_some(role));
                    let (band, roles) = (here.clone(), roles.collect());
                    self.loops.push(Loop { band, member, roles, size });
                }
                (around.is_parallel, around.is_vector) = (false, false);
            }
            _ => {}
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at), instances, around.clone())?;
        }
        self.loops.truncate(depth);
        Ok(())
    }
}

/// The dates of the loops around a loop, outermost first.
pub(crate) fn members_around(tree: &ScheduleTree, at: &Loop) -> Result<Vec<UnionPwAff>> {
    dates_around(tree, &at.band, at.member)
}

/// The loops around a band and its first `n`, outermost first.
///
/// # Errors
/// When there is no such band.
pub fn loops_around(tree: &ScheduleTree, at: &Cursor, n: usize) -> Result<Vec<Member>> {
    let (mut here, mut loops) = (Cursor::root(), Vec::new());
    for step in at.steps() {
        if let Node::Band { band, .. } = tree.at(&here)?.node() {
            loops.extend(band.members.iter().cloned());
        }
        here = here.child(*step);
    }
    if let Node::Band { band, .. } = tree.at(at)?.node() {
        loops.extend(band.members.iter().take(n).cloned());
    }
    Ok(loops)
}

/// The dates of [`loops_around`].
///
/// # Errors
/// When there is no such band.
pub fn dates_around(tree: &ScheduleTree, at: &Cursor, n: usize) -> Result<Vec<UnionPwAff>> {
    Ok(loops_around(tree, at, n)?.into_iter().map(|member| member.schedule).collect())
}

/// The marks right above a node, the lowest first.
pub(crate) fn marks_above<'t>(tree: &'t ScheduleTree, at: &Cursor) -> Vec<&'t Mark> {
    let mut marks = Vec::new();
    let mut here = at.parent();
    while let Some(cursor) = here
        && let Ok(node) = tree.at(&cursor)
        && let Node::Mark { mark, .. } = node.node()
    {
        marks.push(mark);
        here = cursor.parent();
    }
    marks
}

/// A tree beneath marks, the lowest first, that stood above a band of which it has some of the loops: of tile sizes, it has those of
/// its loops.
pub(crate) fn with_marks(
    marks: &[&Mark],
    members: impl RangeBounds<usize> + Clone,
    mut tree: ScheduleTree,
) -> ScheduleTree {
    for mark in marks {
        let mark = match mark {
            Mark::Tile(sizes) => {
                let own = sizes.iter().enumerate().filter(|(at, _)| members.contains(at));
                Mark::Tile(own.map(|(_, size)| *size).collect())
            }
            other => (*other).clone(),
        };
        tree = ScheduleTree::mark(mark, tree);
    }
    tree
}

/// The tree with `inner` in the place of a loop, of those right inside it and of what is in them; `inner` has its marks. The loops of the band around
/// it keep theirs.
pub(crate) fn beneath(
    tree: &ScheduleTree,
    at: &Loop,
    marks: &[&Mark],
    inner: ScheduleTree,
) -> Result<ScheduleTree> {
    let (band, _) = at.band_in(tree)?;
    let outer = &band.members[..at.member];
    let new = match outer.is_empty() {
        true => inner,
        false => with_marks(marks, ..at.member, part(outer, band.permutable, inner)),
    };
    Ok(tree.replace(&at.band.ancestor(marks.len()), new)?)
}

/// Refuses a loop whose marks say more of it than that it runs over tiles or within them.
pub(crate) fn refuse_marked(tree: &ScheduleTree, at: &Loop) -> Result<()> {
    let fits = |mark: &&&Mark| !matches!(**mark, Mark::Tile(_) | Mark::Point);
    match marks_above(tree, &at.band).iter().find(fits) {
        Some(mark) => Err(NotApplicable::Marked((*mark).clone()).into()),
        None => Ok(()),
    }
}

/// The loops right inside each other from a loop on, with what is inside the last one.
pub(crate) fn chain(tree: &ScheduleTree, first: &Loop) -> Result<(Vec<Band>, ScheduleTree)> {
    let (mut band, mut child) = first.band_in(tree)?;
    band.members.drain(..first.member);
    let mut bands = vec![band];
    while let Node::Band { band, child: inner } = child.clone().node() {
        bands.push(band.clone());
        child = inner.clone();
    }
    Ok((bands, child))
}

/// A band of some of the loops of another one; its child where there are none.
pub(crate) fn part(members: &[Member], permutable: bool, child: ScheduleTree) -> ScheduleTree {
    ScheduleTree::band(Band { members: members.to_vec(), permutable }, child)
}
