//! Rectangular tiling of permutable bands.

use crate::reuse::may_win;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, choose_tile_sizes, stmt_names};
use farkas_analysis::{Nest, StrideModel};
use farkas_machine::Machine;
use farkas_poly::UnionSet;
use farkas_scop::Scop;
use farkas_steps::{LoopAddress, NotApplicable, Step, Tile};
use farkas_tree::{Band, Cursor, Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rectangular tiles of permutable bands: [`plan_tiles`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tiles {
    /// A size a loop; the last one is repeated for longer bands. Without any the machine decides, in each band of its own, and in as
    /// many levels as pay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<i64>,
    /// Whether bands stay as they are whose accesses show that tiles bring no reuse.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_for_reuse: bool,
}

impl Plans for Tiles {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        check_sizes(&self.sizes)?;
        let only_for = if self.only_for_reuse { Some(view.strides()?) } else { None };
        let by = if self.sizes.is_empty() {
            TileBy::Machine { scop: &view.program.scop, machine: view.setting.machine }
        } else {
            TileBy::Sizes(&self.sizes)
        };
        Ok(Proposal::Steps(plan_tiles(view.tree(), by, only_for, remarks)?))
    }
}

/// Refuses sizes that are none.
pub(crate) fn check_sizes(sizes: &[i64]) -> Result<()> {
    if sizes.iter().all(|size| *size > 0) {
        return Ok(());
    }
    Err(farkas_steps::Error::from(NotApplicable::BadNumber("tile sizes are positive")).into())
}

/// Tiles every permutable band of at least two members, inside the tiles of outer bands, too. A band that is already the tile
/// band of an outer level is left alone; its point band is tiled again, which gives the inner level.
///
/// `by` says how large the tiles are, in each band of its own where a machine decides. With `only_for`, bands whose
/// accesses show that tiles bring no reuse stay as they are.
///
/// # Errors
/// When isl refuses.
pub fn plan_tiles(
    tree: &ScheduleTree,
    by: TileBy<'_>,
    only_for: Option<&StrideModel>,
    remarks: &mut Vec<Remark>,
) -> Result<Plan> {
    let domain = match tree.node() {
        Node::Domain { domain, .. } => domain.clone(),
        _ => UnionSet::none()?,
    };
    let mut plan = Plan::none(tree);
    let steps = &mut plan.steps;
    let mut tiling = Tiling { by, only_for, domain, outer: Vec::new(), steps, remarks };
    tiling.below(tree, &Cursor::root(), 0)?;
    Ok(plan)
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
    /// For inner bands first, so that outer ones are where they were.
    steps: &'a mut Vec<Step>,
    remarks: &'a mut Vec<Remark>,
}

impl Tiling<'_> {
    /// The tiles of the bands of a subtree, right above which there are `n_marks` marks.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor, n_marks: usize) -> Result<()> {
        match tree.node() {
            Node::Mark { mark: Mark::Shaped, .. } => return Ok(()),
            Node::Mark { mark: Mark::Tile(_), child } => {
                if let Node::Band { child: points, .. } = child.node() {
                    if let Node::Mark { mark: Mark::Point, child } = points.node()
                        && let Node::Sequence(_) = child.node()
                    {
                        // Strips of what was divided are as they are to be.
                        return Ok(());
                    }
                    return self.below(points, &here.child(0).child(0), 0);
                }
            }
            Node::Mark { mark: Mark::Point, child } => {
                if let Node::Band { band, .. } = child.node()
                    && !band.permutable
                {
                    // Tiles of rows are as they are to be.
                    return Ok(());
                }
            }
            _ => {}
        }
        let depth = self.outer.len();
        let n_inside = if matches!(tree.node(), Node::Mark { .. }) { n_marks + 1 } else { 0 };
        if let Node::Band { band, child } = tree.node() {
            if band.permutable && band.members.len() >= 2 {
                if self.is_worthwhile(band, child)? {
                    let top = here.ancestor(n_marks);
                    self.tiled(band, child, (here, &top))?;
                }
                return Ok(());
            }
            self.outer.extend(band.members.iter().cloned());
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at), n_inside)?;
        }
        self.outer.truncate(depth);
        Ok(())
    }

    /// The tiles of a band, whose uppermost mark is at `top`, after those of the bands inside it.
    fn tiled(
        &mut self,
        band: &Band,
        child: &ScheduleTree,
        (here, top): (&Cursor, &Cursor),
    ) -> Result<()> {
        let levels = self.levels(band, child)?;
        let depth = self.outer.len();
        self.outer.extend(band.members.iter().cloned());
        self.below(child, &here.child(0), 0)?;
        self.outer.truncate(depth);
        let (mut place, mut top) = (here.clone(), top.clone());
        for sizes in levels {
            let first = LoopAddress::member(place, 0);
            self.steps.push(Step::Tile(Tile { first, sizes }));
            // The points of each level become tiles of the next: below marks and tiles.
            place = top.child(0).child(0).child(0);
            top = top.child(0).child(0);
        }
        Ok(())
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
