//! What to do to a tree.

use farkas_machine::Machine;

/// Which transformations to apply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Tiles, if any.
    pub tile: TileSizes,
    /// How bands in which every loop carries dependences are tiled.
    pub time_tiles: TimeTiles,
    /// Leave bands alone in which tiles bring no reuse: for sizes that nobody asked for.
    pub tile_for_reuse: bool,
    /// Which loops are put in an order that suits memory.
    pub point_order: PointOrder,
    /// Skew a tiled band without a parallel loop so that it has one, where parallel loops are marked.
    pub wavefront: bool,
    /// Split loops over tiles, where none is parallel, at the tile that all others wait for.
    pub split_tiles: bool,
    /// Split loops at an iteration that is all the others wait for.
    pub index_sets: bool,
    /// Give nests that sum up products register tiles and packed operands.
    pub register: bool,
    /// Run recurrences side by side: strips of a parallel loop inside of the loops that carry them.
    pub strips: bool,
    /// Mark parallel loops.
    pub parallel: bool,
    /// Mark vector loops.
    pub vector: bool,
    /// Where vector loops are marked, mark sums, too, whose order may then change.
    pub reassociate: bool,
    /// The machine that sizes are chosen for.
    pub machine: Machine,
}

/// How bands in which every loop carries dependences, as those of stencils over time, are tiled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum TimeTiles {
    /// As other bands.
    #[default]
    Plain,
    /// In tiles of whole rows where rows carry nothing, with a loop for each statement.
    Rows,
}

/// Which loops are put in an order that suits memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum PointOrder {
    /// None: the schedule's order stays.
    Scheduled,
    /// Those of whole bands, before tiling, so that tile loops follow the same order.
    #[default]
    Bands,
    /// Those within tiles alone, after tiling.
    Points,
}

/// Sizes of rectangular tiles.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TileSizes {
    levels: Vec<Vec<i64>>,
    is_auto: bool,
}

impl TileSizes {
    /// No tiling.
    pub fn none() -> Self {
        Self::default()
    }

    /// Levels of tiles, outermost first; in each level a size a loop, the last one repeated for deeper bands.
    ///
    /// Returns `None` when a level is empty or a size is not positive.
    pub fn new(levels: Vec<Vec<i64>>) -> Option<Self> {
        let sound =
            levels.iter().all(|level| !level.is_empty() && level.iter().all(|&size| size > 0));
        sound.then_some(Self { levels, is_auto: false })
    }

    /// One level of 32 in each loop, as Pluto and PPCG tile by default.
    pub fn default_single() -> Self {
        Self { levels: vec![vec![32]], is_auto: false }
    }

    /// Two levels: 32 inside 256.
    pub fn default_double() -> Self {
        Self { levels: vec![vec![256], vec![32]], is_auto: false }
    }

    /// Sizes by what each band touches and what the machine has, in as many levels as pay.
    pub fn auto() -> Self {
        Self { levels: Vec::new(), is_auto: true }
    }

    /// Whether sizes are chosen band by band.
    pub fn is_auto(&self) -> bool {
        self.is_auto
    }

    /// The levels that are given, outermost first.
    pub fn levels(&self) -> &[Vec<i64>] {
        &self.levels
    }
}
