//! Recipes to begin with.

use super::TuneError;
use crate::database::{Subject, recipe_of, told};
use crate::{Options, Strategy, extract, optimize, recipe_template};
use farkas_db::{Database, Entry, Standing};
use farkas_scop::Region;
use farkas_tune::evolve::Seed;
use std::collections::BTreeSet;

/// The most forms of strategy `auto` that are seeds, and recipes of a database.
const MAX_FORMS: usize = 8;
/// The same of a database.
const MAX_NEIGHBOURS: usize = 10;

/// Strategies whose own template is a seed.
const TEMPLATES: [&str; 6] = ["pluto", "pluto-deep", "tensor", "feautrier", "isl", "original"];

/// The forms that `auto` ranks, each as steps and as the planners that made them, the best by the model first; then planners for the orders
/// of other strategies. What cannot be written as a recipe is left out.
pub(super) fn forms(region: &Region, options: &Options) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for rank in 1..=MAX_FORMS {
        let auto = Options { strategy: Strategy::Auto, rank: Some(rank), ..options.clone() };
        let Ok(found) = optimize(region, &auto) else { break };
        let n_forms = found.ranking.as_ref().map_or(0, |ranking| ranking.forms.len());
        if rank > n_forms {
            break;
        }
        let origin = format!("auto, form {rank}");
        let seed = |recipe| Seed { recipe, origin: origin.clone() };
        seeds.extend(extract(region, &auto).ok().map(seed));
        seeds.extend(recipe_template(&found.options).ok().map(seed));
    }
    for name in TEMPLATES {
        let Some(strategy) = Strategy::from_name(name) else { continue };
        let plain = Options { strategy, ..options.clone() };
        let tiled = plain.clone().with_template(|template| template.with_register_tiles());
        let origin = format!("planners after {name}");
        let recipes = [&plain, &tiled].map(recipe_template).into_iter().flatten();
        seeds.extend(recipes.map(|recipe| Seed { recipe, origin: origin.clone() }));
    }
    seeds
}

/// Recipes that a database has for nests like this one, the nearest first: those of the same normal form, whatever the machine and the
/// sizes, the fastest first. This is the place for nests that are similar.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn neighbours(database: &Database, subject: &Subject) -> Result<Vec<Seed>, TuneError> {
    let refused = |error: &farkas_db::Error| TuneError::Refused(vec![*told(error)]);
    let nests = database.nests(None).map_err(|error| refused(&error))?;
    let is_same = |nest: &&farkas_db::Nest| nest.key.nest == subject.nest();
    let mut entries: Vec<Entry> = Vec::new();
    for nest in nests.items.iter().filter(is_same) {
        entries.extend(database.exact(&nest.key).map_err(|error| refused(&error))?.items);
    }
    entries.retain(|entry| entry.standing() != Standing::Failed);
    let gain = |entry: &Entry| entry.best_speedup().map_or(0.0, |best| best.ratio);
    entries.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    let mut known = BTreeSet::new();
    entries.retain(|entry| known.insert(entry.recipe.clone()) && recipe_of(entry).is_ok());
    let seed = |entry: Entry| Seed {
        origin: format!("database, nest {}", entry.key.short_nest()),
        recipe: entry.recipe,
    };
    Ok(entries.into_iter().take(MAX_NEIGHBOURS).map(seed).collect())
}
