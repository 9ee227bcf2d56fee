//! How bands are tiled, and in which order their loops are.

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
