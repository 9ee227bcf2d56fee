//! What is done to a scheduler's order where no recipe says it: a list of planners.

use crate::tiling::{PointOrder, TileSizes};
use farkas_config::BlockSizes;
use farkas_transform::{
    Barriers, Contract, FarApart, Gaps, GpuTiles, Innermost, InnermostPoints, JamInTiles,
    JoinKernels, Keep, Kernels, OuterLanes, Pad, Parallel, Partials, Planner, PrivateCopies,
    PrivateStrips, Reductions, RegisterTiles, Residues, Rotate, RowTiles, SplitSums, SplitTiles,
    Strips, Tiles, Vectors, Wavefronts,
};

/// Planners, in the order in which they are asked. Flags, strategy files and strategy `auto` edit such a list.
///
/// # Example
/// ```
/// use farkas::{Template, TileSizes};
///
/// let template = Template::default().tiled(TileSizes::auto()).with_register_tiles();
/// let words: Vec<&str> = template.planners().iter().map(|planner| planner.word()).collect();
/// assert_eq!(words[..5], ["residues", "gaps", "split-sums", "register-tiles", "innermost"]);
/// assert!(!template.without("wavefronts").has("wavefronts"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    planners: Vec<Planner>,
}

/// The words of planners in the order in which edits add them to a list.
const USUAL: [&str; 39] = [
    "residues",
    "gaps",
    "normalize",
    "fission",
    "minimize-strides",
    "fuse-producers",
    "share-parallel",
    "split-index-sets",
    "cut-borders",
    "split-sums",
    "register-tiles",
    "innermost",
    "flatten",
    "gpu-tiles",
    "kernels",
    "join-kernels",
    "barriers",
    "row-tiles",
    "strips",
    "tiles",
    "innermost-points",
    "split-tiles",
    "rotate",
    "jam-in-tiles",
    "wavefronts",
    "part-strips",
    "outer-lanes",
    "partials",
    "parallel",
    "vectors",
    "reductions",
    "wanted-vectors",
    "rare",
    "private-copies",
    "private-strips",
    "far-apart",
    "contract",
    "pad",
    "keep",
];

/// The place of a planner in that order.
fn rank(planner: &Planner) -> usize {
    USUAL.iter().position(|word| *word == planner.word()).unwrap_or(USUAL.len())
}

impl Default for Template {
    /// Tiles of 32 where they bring reuse, wavefronts, threads and vector lanes.
    fn default() -> Self {
        let planners = vec![
            Residues {}.into(),
            Gaps {}.into(),
            Innermost {}.into(),
            Tiles { sizes: vec![32], only_for_reuse: true }.into(),
            Wavefronts {}.into(),
            Parallel {}.into(),
            Vectors {}.into(),
            Reductions {}.into(),
            PrivateCopies {}.into(),
            FarApart {}.into(),
            Contract {}.into(),
            Pad {}.into(),
            Keep {}.into(),
        ];
        Self { planners }
    }
}

impl Template {
    /// Kernels of a GPU, with sizes that somebody asked for.
    pub(crate) fn on_device(sizes: &BlockSizes) -> Self {
        let BlockSizes { block, sums, tensor } = *sizes;
        let plane = block.map(|[x, y, _]| [x, y]);
        Self {
            planners: vec![
                Residues {}.into(),
                Gaps {}.into(),
                PrivateCopies {}.into(),
                GpuTiles { threads: plane, sums, depth: None, buffers: None, tensor }.into(),
                Kernels { threads: block.map(|sizes| sizes.map(|n| i64::from(n.get()))) }.into(),
                JoinKernels {}.into(),
                Barriers {}.into(),
            ],
        }
    }

    /// The planners.
    pub fn planners(&self) -> &[Planner] {
        &self.planners
    }

    /// Whether there is a planner of the kind with this word.
    pub fn has(&self, word: &str) -> bool {
        self.planners.iter().any(|planner| planner.word() == word)
    }

    /// The same with a planner in its usual place; it takes the place of another one of its kind.
    #[must_use]
    pub fn with(self, planner: impl Into<Planner>) -> Self {
        let planner = planner.into();
        self.without(planner.word()).and(planner)
    }

    /// The same without the planners of the kind with this word.
    #[must_use]
    pub fn without(mut self, word: &str) -> Self {
        self.planners.retain(|planner| planner.word() != word);
        self
    }

    /// The same with one more planner in its usual place, after those of its kind.
    fn and(mut self, planner: Planner) -> Self {
        let at = self.planners.iter().take_while(|known| rank(known) <= rank(&planner)).count();
        self.planners.insert(at, planner);
        self
    }

    /// The planners of tiles, one a level.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = &Tiles> {
        self.planners.iter().filter_map(|planner| match planner {
            Planner::Tiles(tiles) => Some(tiles),
            _ => None,
        })
    }

    /// Whether bands are tiled.
    pub(crate) fn is_tiled(&self) -> bool {
        self.tiles().next().is_some()
    }

    /// Whether tiles are only for bands in which they bring reuse: nobody asked for their sizes.
    pub(crate) fn is_for_reuse(&self) -> bool {
        self.tiles().all(|tiles| tiles.only_for_reuse)
    }

    /// The same with tiles of these sizes, in the same bands as those before.
    #[must_use]
    pub fn tiled(self, sizes: TileSizes) -> Self {
        let only_for_reuse = self.is_for_reuse();
        let by_machine = sizes.is_auto().then(Vec::new);
        let mut template = self.without("tiles");
        for sizes in sizes.levels().iter().cloned().chain(by_machine) {
            template = template.and(Tiles { sizes, only_for_reuse }.into());
        }
        if template.has("row-tiles") { template.with_row_tiles() } else { template }
    }

    /// The same with tiles in all bands, or only in those in which they bring reuse.
    #[must_use]
    pub fn tiled_for_reuse(mut self, is_only: bool) -> Self {
        for planner in &mut self.planners {
            if let Planner::Tiles(tiles) = planner {
                tiles.only_for_reuse = is_only;
            }
        }
        if self.has("row-tiles") { self.with_row_tiles() } else { self }
    }

    /// The same with tiles of rows, where there are tiles: of the sizes of the innermost level that somebody asked for.
    #[must_use]
    pub fn with_row_tiles(self) -> Self {
        let Some(innermost) = self.tiles().last() else { return self.without("row-tiles") };
        let sizes = if innermost.only_for_reuse { Vec::new() } else { innermost.sizes.clone() };
        self.with(RowTiles { sizes })
    }

    /// The same with register tiles, and sums in loops of their own for them.
    #[must_use]
    pub fn with_register_tiles(self) -> Self {
        self.with(SplitSums {}).with(RegisterTiles {})
    }

    /// The same with recurrences side by side.
    #[must_use]
    pub fn with_strips(self) -> Self {
        self.with(Strips {}).with(PrivateStrips {})
    }

    /// The same with loops over tiles split at the tile that all others wait for, and what goes with it.
    #[must_use]
    pub fn with_split_tiles(self) -> Self {
        self.with(SplitTiles {}).with(Rotate {}).with(JamInTiles {})
    }

    /// The same with partial results for loops that carry nothing but updates whose order is free, which then run on threads.
    #[must_use]
    pub fn with_partials(self) -> Self {
        self.with(Partials { parts: None, block: None })
    }

    /// The same with outer loops in vector lanes, and partial results for what such loops update.
    #[must_use]
    pub fn with_outer_lanes(self) -> Self {
        self.with(OuterLanes::default()).with_partials()
    }

    /// The planners up to the one of a kind, where there is one.
    pub(crate) fn up_to(&self, word: &str) -> Option<Self> {
        let last = self.planners.iter().position(|planner| planner.word() == word)?;
        Some(Self { planners: self.planners[..=last].to_vec() })
    }

    /// The same without register tiles and what goes with them.
    #[must_use]
    pub fn without_register_tiles(self) -> Self {
        self.without("split-sums").without("register-tiles")
    }

    /// The same without blocks of sums of a GPU's threads.
    #[must_use]
    pub fn without_gpu_tiles(self) -> Self {
        self.without("gpu-tiles")
    }

    /// The same without recurrences side by side.
    #[must_use]
    pub fn without_strips(self) -> Self {
        self.without("strips").without("private-strips")
    }

    /// The same without split tiles and what goes with them.
    #[must_use]
    pub fn without_split_tiles(self) -> Self {
        self.without("split-tiles").without("rotate").without("jam-in-tiles")
    }

    /// The same with these loops in an order that suits memory.
    #[must_use]
    pub fn ordered(self, order: PointOrder) -> Self {
        let others = self.without("innermost").without("innermost-points");
        match order {
            PointOrder::Scheduled => others,
            PointOrder::Bands => others.with(Innermost {}),
            PointOrder::Points => others.with(InnermostPoints {}),
        }
    }
}

/// The planners that see to it that any order can be printed, after whatever steps.
pub(crate) fn last() -> [Planner; 2] {
    [PrivateCopies {}.into(), FarApart {}.into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_planner_has_a_place() {
        let (mut known, mut all) = (USUAL.to_vec(), Planner::WORDS.to_vec());
        known.sort_unstable();
        all.retain(|word| !Planner::BEFORE_SCHEDULE.contains(word));
        all.sort_unstable();
        assert_eq!(known, all);
    }

    #[test]
    fn the_default_is_in_the_usual_order() {
        let template = Template::default().with_strips().with_split_tiles().with_row_tiles();
        assert!(template.planners().is_sorted_by_key(rank));
    }

    /// Row tiles are of the sizes that somebody asked for, whatever was said first.
    #[test]
    fn row_tiles_follow_tiles() {
        let sizes = TileSizes::new(vec![vec![64], vec![8, 16]]).expect("sizes");
        let template = Template::default().with_row_tiles().tiled(sizes).tiled_for_reuse(false);
        let rows = RowTiles { sizes: vec![8, 16] };
        assert!(template.planners().contains(&rows.into()));
        assert_eq!(template.tiles().count(), 2);
        assert!(!template.tiled(TileSizes::none()).has("row-tiles"));
    }
}
