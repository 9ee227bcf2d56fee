//! Rectangular tiling of permutable bands.

use crate::reuse::may_win;
use crate::{Remark, Result, StrideModel, stmt_names};
use farkas_poly::{UnionSet, Val};
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};

/// Tiles every permutable band of at least two members, inside the tiles of outer bands, too.
///
/// **Rewrite**: `band [f, g]` becomes `mark tile; band [s floor(f / s), t floor(g / t)]; mark point; band [f, g]`.
/// Legal because every member of a permutable band is non-decreasing along each dependence that outer nodes leave, and
/// so are its floors (Irigoin and Triolet, "Supernode partitioning", POPL 1988). A band that is already the tile band of
/// an outer level is left alone; its point band is tiled again, which gives the inner level.
///
/// `sizes` has a size a member; the last one is repeated for longer bands. With `only_for`, bands whose accesses show
/// that tiles bring no reuse stay as they are.
///
/// # Errors
/// When isl refuses.
pub fn tile_bands(
    tree: &ScheduleTree,
    sizes: &[i64],
    only_for: Option<&StrideModel>,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    let domain = match tree.node() {
        Node::Domain { domain, .. } => domain.clone(),
        _ => UnionSet::none()?,
    };
    Tiling { sizes, only_for, domain, outer: Vec::new(), remarks }.below(tree)
}

/// The state of tiling a tree.
struct Tiling<'a> {
    sizes: &'a [i64],
    only_for: Option<&'a StrideModel>,
    /// All instances of the tree.
    domain: UnionSet,
    /// The members around the place.
    outer: Vec<Member>,
    remarks: &'a mut Vec<Remark>,
}

impl Tiling<'_> {
    /// The subtree with its bands tiled.
    fn below(&mut self, tree: &ScheduleTree) -> Result<ScheduleTree> {
        let node = tree.node();
        if matches!(node, Node::Mark { mark: Mark::Shaped, .. }) {
            return Ok(tree.clone());
        }
        if let Node::Mark { mark: mark @ Mark::Tile(_), child } = node
            && let Node::Band { band, child: points } = child.node()
        {
            let points = self.below(points)?;
            return Ok(ScheduleTree::mark(mark.clone(), ScheduleTree::band(band.clone(), points)));
        }
        if let Node::Mark { mark: Mark::Point, child } = node {
            if let Node::Band { band, .. } = child.node()
                && !band.permutable
            {
                // Tiles of rows are as they are to be.
                return Ok(tree.clone());
            }
            // The inner level takes the place of the point band.
            return self.below(child);
        }
        let depth = self.outer.len();
        if let Node::Band { band, child } = node {
            if band.permutable && band.members.len() >= 2 {
                if !self.is_worthwhile(band, child)? {
                    return Ok(tree.clone());
                }
                return self.tiled(band, child);
            }
            self.outer.extend(band.members.iter().cloned());
        }
        let children = tree.children().iter().map(|c| self.below(c)).collect::<Result<_>>()?;
        self.outer.truncate(depth);
        Ok(tree.with_children(children))
    }

    /// A band with its tiles, and those of the bands inside it.
    fn tiled(&mut self, band: &Band, child: &ScheduleTree) -> Result<ScheduleTree> {
        let last = self.sizes.last().copied().unwrap_or(1);
        let n_members = band.members.len();
        let sizes: Vec<i64> =
            self.sizes.iter().copied().chain(std::iter::repeat(last)).take(n_members).collect();
        if let Some(first) = band.members.first() {
            let text: Vec<String> = sizes.iter().map(i64::to_string).collect();
            let stmts = stmt_names(&first.schedule.domain()?)?;
            let text = format!("tiles {}", text.join(" x "));
            self.remarks.push(Remark { pass: "tile", stmts, text });
        }
        let depth = self.outer.len();
        self.outer.extend(band.members.iter().cloned());
        let child = self.below(child)?;
        self.outer.truncate(depth);
        tile_band(band, child, sizes)
    }

    /// Whether a band is to be tiled; says so where it is not.
    fn is_worthwhile(&mut self, band: &Band, child: &ScheduleTree) -> Result<bool> {
        let Some(strides) = self.only_for else { return Ok(true) };
        let may_win = may_win(band, child, &self.outer, &self.domain, strides)?;
        if let Some(first) = band.members.first().filter(|_| !may_win) {
            let stmts = stmt_names(&first.schedule.domain()?)?;
            let text = "no tiles: nothing is used again along the outer loop that the inner one keeps apart";
            self.remarks.push(Remark { pass: "tile", stmts, text: text.to_owned() });
        }
        Ok(may_win)
    }
}

/// One band with tiles of these sizes, one a member.
fn tile_band(band: &Band, child: ScheduleTree, sizes: Vec<i64>) -> Result<ScheduleTree> {
    let tiled = band.members.iter().zip(&sizes).map(|(m, &size)| tile_member(m, size));
    let tiles = Band { members: tiled.collect::<Result<_>>()?, permutable: band.permutable };
    let points = ScheduleTree::mark(Mark::Point, ScheduleTree::band(band.clone(), child));
    Ok(ScheduleTree::mark(Mark::Tile(sizes), ScheduleTree::band(tiles, points)))
}

/// The tile loop of a member: its dates rounded down to multiples of `size`.
pub(crate) fn tile_member(member: &Member, size: i64) -> Result<Member> {
    let size = Val::int(size)?;
    let schedule = member.schedule.scale_down_val(&size)?.floor()?.scale_val(&size)?;
    Ok(Member::new(schedule, member.coincident))
}
