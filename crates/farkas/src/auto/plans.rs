//! Which forms `auto` tries.

use crate::tiling::{TileSizes, TimeTiles};
use crate::{Options, Strategy};
use farkas_schedule::FusionHeuristic;

/// The schedules to try, those that are best most often first.
pub(super) fn plans(base: &Options) -> Vec<(String, Options)> {
    use FusionHeuristic::{Max, No, Smart};
    let pluto = |(name, fusion): (&str, FusionHeuristic)| {
        let options = Options { strategy: Strategy::Pluto, fusion: Some(fusion), ..base.clone() };
        (name.to_owned(), options)
    };
    let fusions = [("pluto", Smart), ("pluto, apart", No), ("pluto, fused", Max)];
    let kept = |(_, fusion): &(&str, FusionHeuristic)| base.fusion.is_none_or(|f| f == *fusion);
    let mut found: Vec<(String, Options)> = fusions.into_iter().filter(kept).map(pluto).collect();
    if let Some(locality @ Strategy::File(_)) = Strategy::from_name("locality-cpu") {
        let Strategy::File(file) = &locality else { return found };
        let options = Options { strategy: locality.clone(), ..base.clone() }.with_file(file);
        found.insert(1.min(found.len()), ("locality-cpu".to_owned(), options));
    }
    found
}

/// The schedule whose bands are as deep as can be; none where the user wants another fusion or no tiles.
pub(super) fn deep(base: &Options) -> Option<(String, Options)> {
    let smart = FusionHeuristic::Smart;
    if base.fusion.is_some_and(|f| f != smart) || base.tile == TileSizes::none() {
        return None;
    }
    let options = Options { strategy: Strategy::PlutoDeep, fusion: Some(smart), ..base.clone() };
    Some(("pluto, deep".to_owned(), options))
}

/// What to do to it: loops over tiles are split where tiles are squares. Larger ones leave more to the tile that all wait for.
pub(super) fn split_shape() -> (&'static str, Shape) {
    let split: Shape = |options| {
        let tile = tiles(&options, TileSizes::default_single());
        Options { tile, split_tiles: true, ..options }
    };
    ("split tiles of 32", split)
}

/// What is done to a schedule.
pub(super) type Shape = fn(Options) -> Options;

/// What to do to each schedule, the most promising first. What the user asks for stays.
pub(super) fn shapes() -> [(&'static str, Shape); 3] {
    let auto: Shape = |o| Options { tile: tiles(&o, TileSizes::auto()), ..shaped(o) };
    let untiled: Shape = |o| Options { tile: tiles(&o, TileSizes::none()), index_sets: true, ..o };
    let plain: Shape = |o| Options { tile: tiles(&o, TileSizes::default_single()), ..shaped(o) };
    [("tiles by model", auto), ("no tiles", untiled), ("tiles of 32", plain)]
}

/// Whether forms with register tiles are tried: where the user asks for them, or for no sizes of his own.
pub(super) fn has_register_tiles(options: &Options) -> bool {
    options.tile != TileSizes::none() && (options.register || options.tile_for_reuse)
}

/// With tiles of rows, strips and, where the user asks for no sizes of his own, register tiles, unless nothing is to be tiled.
fn shaped(options: Options) -> Options {
    if options.tile == TileSizes::none() {
        return options;
    }
    let register = has_register_tiles(&options);
    Options { register, strips: true, time_tiles: TimeTiles::Rows, ..options }
}

/// The tiles of a form: those the user asks for, or none where he wants none, else `chosen`.
fn tiles(options: &Options, chosen: TileSizes) -> TileSizes {
    let is_free = options.tile_for_reuse && options.tile != TileSizes::none();
    if is_free { chosen } else { options.tile.clone() }
}
