//! Which forms `auto` tries.

use crate::template::Template;
use crate::tiling::{PointOrder, TileSizes};
use crate::{Options, Strategy};
use farkas_schedule::FusionHeuristic;
use farkas_transform::{CutBorders, Rare, SplitIndexSets};

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
    if base.fusion.is_some_and(|f| f != smart) || !base.template.is_tiled() {
        return None;
    }
    let options = Options { strategy: Strategy::PlutoDeep, fusion: Some(smart), ..base.clone() };
    Some(("pluto, deep".to_owned(), options))
}

/// An edit of a template.
pub(super) type Shape = fn(Template) -> Template;

/// What to do to it: loops over tiles are split where tiles are squares. Larger ones leave more to the tile that all wait for.
pub(super) const SPLIT: (&str, Shape) = ("split tiles of 32", |template| {
    tiled(template, TileSizes::default_single()).with_split_tiles()
});

/// What to do to each schedule, the most promising first. What the user asks for stays.
pub(super) const SHAPES: [(&str, Shape); 3] = [
    ("tiles by model", |template| shaped(tiled(template, TileSizes::auto()))),
    ("no tiles", |template| cut(tiled(template, TileSizes::none()))),
    ("tiles of 32", |template| shaped(tiled(template, TileSizes::default_single()))),
];

/// The original order with its parallel loops on threads, and its loops asked at once that rarely change anything.
pub(super) fn in_parallel(base: &Options) -> Options {
    let own = Options { strategy: Strategy::Original, shapes_own_order: true, ..base.clone() };
    own.with_template(|template| {
        let untiled = template.tiled(TileSizes::none()).without("wavefronts");
        cut(untiled).ordered(PointOrder::Scheduled).with(Rare {})
    })
}

/// Whether forms with register tiles are tried: where the user asks for them, or for no sizes of his own.
pub(super) fn has_register_tiles(template: &Template) -> bool {
    template.is_tiled() && (template.has("register-tiles") || template.is_for_reuse())
}

/// With tiles of rows, strips and, where the user asks for no sizes of his own, register tiles, unless nothing is to be tiled.
fn shaped(template: Template) -> Template {
    if !template.is_tiled() {
        return template;
    }
    let registers = has_register_tiles(&template);
    let shaped = template.with_strips().with_row_tiles();
    if registers { shaped.with_register_tiles() } else { shaped }
}

/// The template with the tiles that the user asks for, or none where he wants none, else with `chosen` ones.
fn tiled(template: Template, chosen: TileSizes) -> Template {
    let is_free = template.is_for_reuse() && template.is_tiled();
    if is_free { template.tiled(chosen) } else { template }
}

/// With loops cut where iterations wait for one of them, and where windows inside become whole.
fn cut(template: Template) -> Template {
    template.with(SplitIndexSets {}).with(CutBorders {})
}
