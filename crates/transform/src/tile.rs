//! Rectangular tiling of permutable bands.

use crate::reuse::may_win;
use crate::{Nest, Remark, Result, StrideModel, choose_tile_sizes, stmt_names};
use farkas_machine::Machine;
use farkas_poly::UnionSet;
use farkas_scop::Scop;
use farkas_steps::tile_member;
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};

/// Tiles every permutable band of at least two members, inside the tiles of outer bands, too.
///
/// **Rewrite**: `band [f, g]` becomes `mark tile; band [s floor(f / s), t floor(g / t)]; mark point; band [f, g]`.
/// Legal because every member of a permutable band is non-decreasing along each dependence that outer nodes leave, and
/// so are its floors (Irigoin and Triolet, "Supernode partitioning", POPL 1988). A band that is already the tile band of
/// an outer level is left alone; its point band is tiled again, which gives the inner level.
///
/// `by` says how large the tiles are, in each band of its own where a machine decides. With `only_for`, bands whose
/// accesses show that tiles bring no reuse stay as they are.
///
/// # Errors
/// When isl refuses.
pub fn tile_bands(
    tree: &ScheduleTree,
    by: TileBy<'_>,
    only_for: Option<&StrideModel>,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    let domain = match tree.node() {
        Node::Domain { domain, .. } => domain.clone(),
        _ => UnionSet::none()?,
    };
    Tiling { by, only_for, domain, outer: Vec::new(), remarks }.below(tree)
}

/// How large tiles are.
#[derive(Clone, Copy, Debug)]
pub enum TileBy<'a> {
    /// A size a member; the last one is repeated for longer bands.
    Sizes(&'a [i64]),
    /// As [`choose_tile_sizes`] says.
    Machine {
        /// Whose statements the tree orders.
        scop: &'a Scop,
        /// What it runs on.
        machine: &'a Machine,
    },
}

/// The state of tiling a tree.
struct Tiling<'a> {
    by: TileBy<'a>,
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
            if let Node::Mark { mark: Mark::Point, child } = points.node()
                && let Node::Sequence(_) = child.node()
            {
                // Strips of what was divided are as they are to be.
                return Ok(tree.clone());
            }
            let points = self.below(points)?;
            return Ok(ScheduleTree::mark(mark.clone(), ScheduleTree::band(band.clone(), points)));
        }
        if let Node::Mark { mark: Mark::Point, child } = node
            && let Node::Band { band, .. } = child.node()
        {
            if !band.permutable {
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
        let levels = self.levels(band, child)?;
        let depth = self.outer.len();
        self.outer.extend(band.members.iter().cloned());
        let child = self.below(child)?;
        self.outer.truncate(depth);
        let mut tree = ScheduleTree::band(band.clone(), child);
        for sizes in levels.into_iter().rev() {
            tree = tile_band(band, tree, sizes)?;
        }
        Ok(tree)
    }

    /// The sizes of each level, outermost first.
    fn levels(&mut self, band: &Band, child: &ScheduleTree) -> Result<Vec<Vec<i64>>> {
        let (levels, why) = match self.by {
            TileBy::Sizes(sizes) => {
                let last = std::iter::repeat(sizes.last().copied().unwrap_or(1));
                let sizes = sizes.iter().copied().chain(last).take(band.members.len());
                (vec![sizes.collect()], String::new())
            }
            TileBy::Machine { scop, machine } => {
                let nest = Nest::new(scop, &self.outer, band, child, &self.domain)?;
                let choice = choose_tile_sizes(&nest, machine);
                let kib =
                    choice.tile_bytes.iter().map(|bytes| format!("{} KiB", bytes.div_ceil(1024)));
                let kib: Vec<String> = kib.collect();
                (choice.levels, format!(" for {}: one touches {}", machine.name, kib.join(", ")))
            }
        };
        let Some(first) = band.members.first() else { return Ok(levels) };
        let words =
            |sizes: &Vec<i64>| sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(" x ");
        let text = match levels.is_empty() {
            true => "no tiles: what they would save is less than what they cost".to_owned(),
            false => {
                let words: Vec<String> = levels.iter().map(words).collect();
                format!("tiles {}{why}", words.join(" of "))
            }
        };
        let stmts = stmt_names(&first.schedule.domain()?)?;
        self.remarks.push(Remark { pass: "tile", stmts, text });
        Ok(levels)
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

/// Tiles of these sizes, one a member, around the loops `inside` of a band: its points, or smaller tiles.
fn tile_band(band: &Band, inside: ScheduleTree, sizes: Vec<i64>) -> Result<ScheduleTree> {
    let tiled = band.members.iter().zip(&sizes).map(|(m, &size)| tile_member(m, size));
    let tiles =
        Band { members: tiled.collect::<farkas_poly::Result<_>>()?, permutable: band.permutable };
    let inside = match inside.node() {
        Node::Band { .. } => ScheduleTree::mark(Mark::Point, inside),
        _ => inside,
    };
    Ok(ScheduleTree::mark(Mark::Tile(sizes), ScheduleTree::band(tiles, inside)))
}
