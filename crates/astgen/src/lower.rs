//! From our schedule tree to isl's, with a private mark above each band that links generated loops to the band.

use crate::ast::{Divided, LoopKind};
use crate::cutting::{Cutting, LoopShape};
use crate::expr::Expr;
use crate::values::{dimension_of, in_dimensions};
use crate::{Error, Result};
use farkas_poly::{
    AstLoopType, DimType, IslSchedule, IslScheduleNode, MultiUnionPwAff, Set, UnionPwAff, UnionSet,
    Val,
};
use farkas_tree::{Band, Cursor, Mark, Member, Node, ScheduleTree};

/// What is known of a band, for the loops that isl makes of it.
#[derive(Clone, Debug)]
pub(crate) struct BandInfo {
    /// Where it is in the tree.
    pub(crate) cursor: Cursor,
    /// The number of isl's loops around it.
    pub(crate) depth: usize,
    /// The number of members that isl has no loops for.
    pub(crate) n_fixed: usize,
    /// The band.
    pub(crate) band: Band,
    /// How the iterations of its first member run.
    pub(crate) kind: LoopKind,
    /// The arrays that each iteration has a copy of.
    pub(crate) private: Vec<String>,
    /// The arrays that each iteration updates a copy of.
    pub(crate) reduced: Vec<String>,
    /// What runs the iterations of its members in a kernel; none where each thread does.
    pub(crate) divided: Vec<Divided>,
    /// The first member is a wavefront.
    pub(crate) wavefront: bool,
    /// Full tiles are generated apart from partial ones.
    pub(crate) separate: bool,
    /// The statements that run through whole tiles.
    pub(crate) padded: Vec<String>,
    /// Tile sizes, one a member; none outside of tile loops.
    pub(crate) tile: Vec<i64>,
    /// What the dates of the members that isl has loops for were divided by for it, to be multiplied with again.
    pub(crate) scale: Vec<i64>,
    /// Inside a tile.
    pub(crate) point: bool,
}

impl BandInfo {
    /// The date of an instance of a statement in the member at `at`, counted as isl's loop counts it.
    pub(crate) fn date_at(&self, at: usize, (name, args): (&str, &[Expr])) -> Result<Expr> {
        let size = self.tile.get(at).copied().unwrap_or(1);
        let (counted, _) = counted(&self.band.members[at].schedule, size)?;
        for date in counted.pw_affs()? {
            let of = date.domain_space()?.tuple_name(DimType::SET);
            if of.as_deref() == Some(name) {
                let by = |name: &str| args.get(dimension_of(name)?).cloned();
                return Ok(in_dimensions(&date, &date.domain()?)?.substitute(&by));
            }
        }
        Err(Error::UnknownStatement(name.to_owned()))
    }
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
    kind: LoopKind,
    private: Vec<String>,
    reduced: Vec<String>,
    divided: Vec<Divided>,
    wavefront: bool,
    separate: bool,
    padded: Vec<String>,
    /// Sizes of the tile loops that are still to come.
    tile: Vec<i64>,
    point: bool,
}

/// Lowers a whole tree; `cursor` is where the child of its domain node stands in the tree that cursors are for, `place` what
/// surrounds it.
pub(crate) fn lower(
    tree: &ScheduleTree,
    cursor: &Cursor,
    place: Place,
    cutting: Cutting,
) -> Result<Lowered> {
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
    let root = lowering.insert(child, cursor, place, leaf)?;
    Ok(Lowered { schedule: root.schedule()?, bands: lowering.bands })
}

/// What surrounds a node.
#[derive(Clone, Default)]
pub(crate) struct Place {
    /// The number of isl's loops around it.
    depth: usize,
    /// The number of loops to leave out.
    n_fixed: usize,
    /// A loop around it has pieces because the tree asks for them.
    is_in_piece: bool,
    /// The marks above it.
    marks: Marks,
}

impl Place {
    /// What surrounds a whole tree, the outermost loops of which have a single iteration each, and are left out.
    pub(crate) fn of_tree(n_fixed: usize, is_in_piece: bool) -> Self {
        Self { n_fixed, is_in_piece, ..Self::default() }
    }
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
        mut place: Place,
        at: IslScheduleNode,
    ) -> Result<IslScheduleNode> {
        let marks = &mut place.marks;
        if !matches!(tree.node(), Node::Mark { .. } | Node::Band { .. }) {
            // These are for a band right below them.
            marks.kind = LoopKind::Sequential;
            marks.private.clear();
            marks.reduced.clear();
        }
        let (node, child) = match tree.node() {
            Node::Leaf => return Ok(at),
            Node::Mark { mark, child } => {
                match mark {
                    Mark::Parallel | Mark::Vector | Mark::Unroll | Mark::Rare | Mark::Tensor => {
                        marks.kind = marks.kind.marked(mark);
                    }
                    Mark::Private(arrays) => marks.private.extend(arrays.iter().cloned()),
                    Mark::Reduce(arrays) => {
                        let known = marks.reduced.clone();
                        let new = arrays.iter().filter(|array| !known.contains(array));
                        marks.reduced.extend(new.cloned());
                    }
                    Mark::Tile(sizes) => {
                        marks.tile.clone_from(sizes);
                        marks.point = false;
                    }
                    Mark::Point => {
                        marks.tile.clear();
                        marks.point = true;
                        marks.separate = false;
                    }
                    Mark::Wavefront => marks.wavefront = true,
                    Mark::SeparateFullTiles => marks.separate = true,
                    Mark::Padded(stmts) => marks.padded.clone_from(stmts),
                    Mark::Blocks(axes) => {
                        marks.divided = axes.iter().copied().map(Divided::Blocks).collect();
                    }
                    Mark::Threads(axes) => {
                        marks.divided = axes.iter().copied().map(Divided::Threads).collect();
                    }
                    Mark::Kernel(_) | Mark::Barrier => {
                        let node = at.insert_mark(&mark.to_string())?.child(0)?;
                        return Ok(self.insert(child, &cursor.child(0), place, node)?.parent()?);
                    }
                    Mark::Shaped => {}
                }
                return self.insert(child, &cursor.child(0), place, at);
            }
            Node::Sequence(children) | Node::Set(children) => {
                return self.insert_children(tree, children, cursor, &place, &at);
            }
            Node::Band { band, child } => {
                return self.insert_band(band, child, cursor, place, at);
            }
            Node::Domain { domain, child } => (at.insert_filter(domain)?, child),
            Node::Context { context, child } => (at.insert_context(context)?, child),
            Node::Filter { filter, child } => (at.insert_filter(filter)?, child),
            Node::Guard { guard, child } => (at.insert_guard(guard)?, child),
            Node::Extension { .. } | Node::Expansion { .. } => {
                return Err(Error::Unexpected(format!("an {} node in the tree", tree.kind())));
            }
        };
        let inner = self.insert(child, &cursor.child(0), place, node.child(0)?)?;
        Ok(inner.parent()?)
    }

    /// Inserts a band under its private mark.
    fn insert_band(
        &mut self,
        band: &Band,
        child: &ScheduleTree,
        cursor: &Cursor,
        mut place: Place,
        at: IslScheduleNode,
    ) -> Result<IslScheduleNode> {
        let n_members = band.members.len();
        let n_fixed = place.n_fixed.min(n_members);
        let members = &band.members[n_fixed..];
        let marks = std::mem::take(&mut place.marks);
        let (tile, tile_below) = marks.tile.split_at(n_members.min(marks.tile.len()));
        let Marks { point, separate, .. } = marks;
        let below = Place {
            depth: place.depth + members.len(),
            n_fixed: place.n_fixed - n_fixed,
            is_in_piece: place.is_in_piece || members.iter().any(Member::asks_for_pieces),
            marks: Marks { point, separate, tile: tile_below.to_vec(), ..Marks::default() },
        };
        if members.is_empty() {
            return self.insert(child, &cursor.child(0), below, at);
        }
        let (schedule, scale) = unscaled(members, tile.get(n_fixed..).unwrap_or_default())?;
        let is_innermost = !child.contains_band();
        let options = members.iter().enumerate().filter_map(|(i, member)| {
            let shape = LoopShape {
                asked: member.loop_type,
                is_in_piece: place.is_in_piece || members[..i].iter().any(Member::asks_for_pieces),
                is_tile: !tile.is_empty(),
                is_innermost: is_innermost && i + 1 == members.len(),
                in_innermost_nest: is_innermost && band.permutable,
            };
            let kind = self.cutting.loop_type(shape);
            (kind != AstLoopType::Default).then(|| format!("{}[{i}]", kind.name()))
        });
        let options = format!("{{ {} }}", options.collect::<Vec<_>>().join("; ")).parse()?;
        let node = at.insert_partial_schedule(&schedule)?.band_set_ast_build_options(&options)?;
        let node = node.insert_mark(&format!("band {}", self.bands.len()))?;
        self.bands.push(BandInfo {
            cursor: cursor.clone(),
            depth: place.depth,
            n_fixed,
            band: band.clone(),
            kind: marks.kind,
            private: marks.private,
            reduced: marks.reduced,
            divided: marks.divided,
            wavefront: marks.wavefront,
            separate,
            padded: marks.padded,
            tile: tile.to_vec(),
            scale,
            point,
        });
        let leaf = node.child(0)?.child(0)?;
        if !is_innermost {
            return Ok(self.insert(child, &cursor.child(0), below, leaf)?.ancestor(2)?);
        }
        let leaf = leaf.insert_context(&anything(below.depth)?)?.child(0)?;
        Ok(self.insert(child, &cursor.child(0), below, leaf)?.ancestor(3)?)
    }

    /// Inserts a sequence or set node and its filtered children.
    fn insert_children(
        &mut self,
        tree: &ScheduleTree,
        children: &[ScheduleTree],
        cursor: &Cursor,
        place: &Place,
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
                let inner = self.insert(below, &inner_cursor, place.clone(), leaf)?;
                node = inner.ancestor(2)?;
            }
        }
        Ok(node)
    }
}

/// A context that says nothing of the `depth` loops around it. Its mere presence keeps isl from moving statements of a
/// loop against each other where it finds them strided with different offsets (`generate_component`): it compares each
/// with one of them only, and only where the loops around them agree, so that statements are put out of order which
/// never share an iteration of those loops with that one.
fn anything(depth: usize) -> Result<Set> {
    Ok(Set::unnamed_universe(depth)?)
}

/// The schedules of members for isl, and what was divided out of them.
fn unscaled(members: &[Member], tile: &[i64]) -> Result<(MultiUnionPwAff, Vec<i64>)> {
    let (mut schedules, mut scale) = (Vec::new(), Vec::new());
    for (i, member) in members.iter().enumerate() {
        let (schedule, factor) = counted(&member.schedule, tile.get(i).copied().unwrap_or(1))?;
        schedules.push(schedule);
        scale.push(factor);
    }
    Ok((MultiUnionPwAff::from_members(&schedules)?, scale))
}

/// The date of a loop over tiles of this size counted in tiles, and the factor that makes it the date again: such loops
/// run over multiples of the tile size, which costs isl twice the time of counting tiles and makes no other difference.
pub(crate) fn counted(date: &UnionPwAff, size: i64) -> Result<(UnionPwAff, i64)> {
    if size > 1 {
        let size_val = Val::int(size)?;
        let counted = date.scale_down_val(&size_val)?.floor()?;
        if is_same(&counted.scale_val(&size_val)?, date)? {
            return Ok((counted, size));
        }
    }
    Ok((date.clone(), 1))
}

/// Whether both dates are the same function. isl writes `1 + 2 i - (1 + 2 i) mod 32` in more than one way, so that parts
/// are compared by their values.
fn is_same(a: &UnionPwAff, b: &UnionPwAff) -> Result<bool> {
    let (a_parts, b_parts) = (a.pw_affs()?, b.pw_affs()?);
    for part in &a_parts {
        if !part.is_equal(&b.extract_pw_aff(&part.domain_space()?)?)? {
            return Ok(false);
        }
    }
    Ok(a_parts.len() == b_parts.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tile loop that is not counted steps through all dates with a guard that most of them fail.
    #[test]
    fn tiles_of_strided_dates_are_counted() {
        for row in ["2i", "2i + 1", "4i + 3", "-2i + 5", "i + 2j + 1"] {
            let date: UnionPwAff =
                format!("[n] -> {{ S[i, j] -> [({row})] }}").parse().expect("a date");
            let size = Val::int(32).expect("a number");
            let tiles = |date: &UnionPwAff| date.scale_down_val(&size)?.floor()?.scale_val(&size);
            let tiled: UnionPwAff =
                tiles(&date).expect("tiles").to_string().parse().expect("what isl prints");
            assert_eq!(counted(&tiled, 32).expect("an answer").1, 32, "{tiled}");
        }
    }

    /// isl keeps `S3` and `S4` in one slot of its table, in the order in which they came; `floor` turns that order.
    #[test]
    fn tile_loops_are_counted_in_whatever_order_the_statements_are() {
        let (half, whole) = ("S3[i] -> [(2i - 2*((i) mod 16))]", "S4[i] -> [(i - (i) mod 32)]");
        for text in [format!("{{ {half}; {whole} }}"), format!("{{ {whole}; {half} }}")] {
            let date: UnionPwAff = text.parse().expect("a date");
            let (tiles, factor) = counted(&date, 32).expect("an answer");
            assert_eq!(factor, 32, "{text} counted as {tiles}");
        }
    }
}
