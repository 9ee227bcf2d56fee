//! From our schedule tree to isl's, with a private mark above each band that links generated loops to the band.

use crate::generate::Cutting;
use crate::{Error, Result};
use farkas_poly::{AstLoopType, IslSchedule, IslScheduleNode, UnionSet};
use farkas_tree::{Band, Cursor, Mark, Node, ScheduleTree};

/// What is known of a band, for the loops that isl makes of it.
#[derive(Clone, Debug)]
pub(crate) struct BandInfo {
    /// Where it is in the tree.
    pub(crate) cursor: Cursor,
    /// The number of members of the bands around it.
    pub(crate) depth: usize,
    /// The band.
    pub(crate) band: Band,
    /// Marked parallel.
    pub(crate) parallel: bool,
    /// Marked vector.
    pub(crate) vector: bool,
    /// The first member is a wavefront.
    pub(crate) wavefront: bool,
    /// Tile sizes, one a member.
    pub(crate) tile: Vec<i64>,
    /// Inside a tile.
    pub(crate) point: bool,
}

/// isl's tree and the bands that its private marks number.
pub(crate) struct Lowered {
    /// The tree.
    pub(crate) schedule: IslSchedule,
    /// The bands.
    pub(crate) bands: Vec<BandInfo>,
}

/// The number of a private mark's band.
pub(crate) fn band_of_mark(name: &str) -> Option<usize> {
    name.strip_prefix("band ")?.parse().ok()
}

/// The marks that hold for the next band, and what tiles surround it.
#[derive(Clone, Default)]
struct Marks {
    parallel: bool,
    vector: bool,
    wavefront: bool,
    separate: bool,
    /// Sizes of the tile loops that are still to come.
    tile: Vec<i64>,
    point: bool,
}

/// Lowers a whole tree.
pub(crate) fn lower(tree: &ScheduleTree, cutting: Cutting) -> Result<Lowered> {
    let Node::Domain { domain, child } = tree.node() else {
        return Err(farkas_tree::Error::WrongKind {
            cursor: Cursor::root(),
            found: tree.kind(),
            expected: "domain",
        }
        .into());
    };
    let mut lowering = Lowering { bands: Vec::new(), cutting };
    let leaf = IslScheduleNode::from_domain(domain)?.child(0)?;
    let root = lowering.insert(child, &Cursor::root().child(0), 0, Marks::default(), leaf)?;
    Ok(Lowered { schedule: root.schedule()?, bands: lowering.bands })
}

/// The state of lowering.
struct Lowering {
    bands: Vec<BandInfo>,
    cutting: Cutting,
}

impl Lowering {
    /// Inserts `tree` at the leaf `at`; the result points at the same place, now the root of `tree`.
    fn insert(
        &mut self,
        tree: &ScheduleTree,
        cursor: &Cursor,
        depth: usize,
        mut marks: Marks,
        at: IslScheduleNode,
    ) -> Result<IslScheduleNode> {
        let (node, child) = match tree.node() {
            Node::Leaf => return Ok(at),
            Node::Mark { mark, child } => {
                match mark {
                    Mark::Parallel => marks.parallel = true,
                    Mark::Vector => marks.vector = true,
                    Mark::Tile(sizes) => {
                        marks.tile.clone_from(sizes);
                        marks.point = false;
                    }
                    Mark::Point => {
                        marks.tile.clear();
                        marks.point = true;
                    }
                    Mark::Wavefront => marks.wavefront = true,
                    Mark::SeparateFullTiles => marks.separate = true,
                }
                return self.insert(child, &cursor.child(0), depth, marks, at);
            }
            Node::Sequence(children) | Node::Set(children) => {
                return self.insert_children(tree, children, cursor, depth, &marks, &at);
            }
            Node::Band { band, child } => {
                return self.insert_band(band, child, cursor, depth, marks, &at);
            }
            Node::Domain { domain, child } => (at.insert_filter(domain)?, child),
            Node::Context { context, child } => (at.insert_context(context)?, child),
            Node::Filter { filter, child } => (at.insert_filter(filter)?, child),
            Node::Guard { guard, child } => (at.insert_guard(guard)?, child),
            Node::Extension { .. } | Node::Expansion { .. } => {
                return Err(Error::Unexpected(format!("an {} node in the tree", tree.kind())));
            }
        };
        let inner = self.insert(child, &cursor.child(0), depth, marks, node.child(0)?)?;
        Ok(inner.parent()?)
    }

    /// Inserts a band under its private mark.
    fn insert_band(
        &mut self,
        band: &Band,
        child: &ScheduleTree,
        cursor: &Cursor,
        depth: usize,
        marks: Marks,
        at: &IslScheduleNode,
    ) -> Result<IslScheduleNode> {
        let n_members = band.members.len();
        let mut below = Marks { point: marks.point, tile: marks.tile.clone(), ..Marks::default() };
        let tile: Vec<i64> = below.tile.drain(..n_members.min(marks.tile.len())).collect();
        let number = self.bands.len();
        self.bands.push(BandInfo {
            cursor: cursor.clone(),
            depth,
            band: band.clone(),
            parallel: marks.parallel,
            vector: marks.vector,
            wavefront: marks.wavefront,
            tile,
            point: marks.point,
        });
        let mut node = at.insert_partial_schedule(&band.schedule()?)?;
        if let Some(options) = self.options(number, child)? {
            node = node.band_set_ast_build_options(&options)?;
        }
        let leaf = node.child(0)?;
        let inner = self.insert(child, &cursor.child(0), depth + n_members, below, leaf)?;
        Ok(inner.parent()?.insert_mark(&format!("band {number}"))?)
    }

    /// Inserts a sequence or set node and its filtered children.
    fn insert_children(
        &mut self,
        tree: &ScheduleTree,
        children: &[ScheduleTree],
        cursor: &Cursor,
        depth: usize,
        marks: &Marks,
        at: &IslScheduleNode,
    ) -> Result<IslScheduleNode> {
        let filters: Vec<UnionSet> = children
            .iter()
            .map(|child| match child.node() {
                Node::Filter { filter, .. } => Ok(filter.clone()),
                _ => Err(farkas_tree::Error::WrongKind {
                    cursor: cursor.clone(),
                    found: child.kind(),
                    expected: "filter",
                }),
            })
            .collect::<std::result::Result<_, _>>()?;
        let mut node = if matches!(tree.node(), Node::Sequence(_)) {
            at.insert_sequence(&filters)?
        } else {
            at.insert_set(&filters)?
        };
        for (i, child) in children.iter().enumerate() {
            let position = i32::try_from(i).unwrap_or(i32::MAX);
            for below in child.children() {
                let leaf = node.child(position)?.child(0)?;
                let inner_cursor = cursor.child(i).child(0);
                let inner = self.insert(below, &inner_cursor, depth, marks.clone(), leaf)?;
                node = inner.ancestor(2)?;
            }
        }
        Ok(node)
    }

    /// How isl shall cut the loops of a band.
    fn options(&self, number: usize, child: &ScheduleTree) -> Result<Option<UnionSet>> {
        let info = &self.bands[number];
        let is_innermost = !child_has_band(child);
        let mut options = Vec::new();
        for (i, member) in info.band.members.iter().enumerate() {
            let innermost = is_innermost && i + 1 == info.band.members.len();
            let kind = match member.loop_type {
                AstLoopType::Default => self.cutting.loop_type(!info.tile.is_empty(), innermost),
                chosen => chosen,
            };
            if kind != AstLoopType::Default {
                options.push(format!("{}[{i}]", kind.name()));
            }
        }
        if options.is_empty() {
            return Ok(None);
        }
        Ok(Some(format!("{{ {} }}", options.join("; ")).parse()?))
    }
}

/// Whether a band stands in `tree`.
fn child_has_band(tree: &ScheduleTree) -> bool {
    matches!(tree.node(), Node::Band { .. }) || tree.children().iter().any(child_has_band)
}
