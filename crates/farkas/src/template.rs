//! The planners that options stand for.

use crate::tiling::{PointOrder, TimeTiles};
use crate::{Error, Options, vector_loops};
use farkas_scop::Scop;
use farkas_transform::{
    Contract, FarApart, Gaps, Innermost, InnermostPoints, JamInTiles, Parallel, PartialSums,
    Planner, PrivateCopies, PrivateStrips, RegisterTiles, Residues, Rotate, RowTiles,
    SplitIndexSets, SplitTiles, Strips, Tiles, Vectors, Wavefronts,
};

/// The planners, in the order in which they are asked.
///
/// # Errors
/// [`Error::Refused`] when a strategy's file names what the scop does not have.
pub(crate) fn planners(scop: &Scop, options: &Options) -> Result<Vec<Planner>, Error> {
    let wanted = vector_loops::wanted_loops(scop, options)?;
    let strips = options.strips.then_some(());
    let mut list: Vec<Planner> = vec![Residues {}.into(), Gaps {}.into()];
    list.extend(options.index_sets.then(|| SplitIndexSets {}.into()));
    list.extend(options.register.then(|| RegisterTiles {}.into()));
    list.extend((options.point_order == PointOrder::Bands).then(|| Innermost {}.into()));
    list.extend(row_tiles(options).map(Planner::from));
    list.extend(strips.map(|()| Strips {}.into()));
    list.extend(tiles(options).map(Planner::from));
    list.extend((options.point_order == PointOrder::Points).then(|| InnermostPoints {}.into()));
    if options.split_tiles {
        list.extend([SplitTiles {}.into(), Rotate {}.into(), JamInTiles {}.into()]);
    }
    list.extend(options.wavefront.then(|| Wavefronts {}.into()));
    list.extend([Parallel {}.into(), Vectors {}.into(), PartialSums {}.into()]);
    list.extend(wanted.map(Planner::from));
    list.push(PrivateCopies {}.into());
    list.extend(strips.map(|()| PrivateStrips {}.into()));
    list.extend([FarApart {}.into(), Contract {}.into()]);
    Ok(list)
}

/// The planners that see to it that any order can be printed, after whatever steps.
pub(crate) fn last() -> [Planner; 2] {
    [PrivateCopies {}.into(), FarApart {}.into()]
}

/// Tiles of rows, of the sizes of the innermost level where the user asked for some.
fn row_tiles(options: &Options) -> Option<RowTiles> {
    let is_tiled = options.tile.is_auto() || !options.tile.levels().is_empty();
    let sizes = options.tile.levels().last().filter(|_| !options.tile_for_reuse);
    let rows = RowTiles { sizes: sizes.cloned().unwrap_or_default() };
    (is_tiled && options.time_tiles == TimeTiles::Rows).then_some(rows)
}

/// Tiles of each level, outermost first.
fn tiles(options: &Options) -> impl Iterator<Item = Tiles> {
    let by_machine = options.tile.is_auto().then(Vec::new);
    let sizes = options.tile.levels().iter().cloned().chain(by_machine);
    let only_for_reuse = options.tile_for_reuse;
    sizes.map(move |sizes| Tiles { sizes, only_for_reuse })
}
