//! Recipes to begin with.

use super::TuneError;
use crate::database::{Asked, Described, Hit, KnownForm, Most, described, hits, proposal};
use crate::{Options, Session, Strategy, extract, optimize, recipe_template};
use farkas_db::Database;
use farkas_scop::Region;
use farkas_tune::evolve::Seed;
use std::collections::BTreeSet;

/// The most forms of strategy `auto` that are seeds.
const MAX_FORMS: usize = 8;
/// The most recipes of a database that are: the paper takes the ten nearest.
const MOST: Most = Most { exact: 10, near: 10, near_beside_exact: 10 };

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

/// The recipes that a database has for a region, each of them for the region's own statements: those for the same normal form, then the
/// best one of each of the nests that are nearest.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn neighbours(
    database: &Database,
    region: &Region,
    options: &Options,
) -> Result<Vec<Seed>, TuneError> {
    let mut session = Session::default();
    let Described { form, embedded, .. } =
        described(region, KnownForm::default(), options, &mut session)?;
    let (nest, place) = (&*form.hash, &*embedded.whole);
    let asked = Asked { nest, place, machine: &options.machine.name };
    let found = hits(database, asked, MOST);
    let (hits, _) = found.map_err(|diagnostic| TuneError::Refused(vec![*diagnostic]))?;
    let seed = |hit: &Hit| {
        let proposal = proposal(hit, &region.scop, &embedded).ok()?;
        let origin = format!("database, {}", proposal.name);
        Some(Seed { recipe: proposal.text().ok()?, origin })
    };
    let mut known = BTreeSet::new();
    let seeds = hits.iter().filter_map(seed);
    Ok(seeds.filter(|seed| known.insert(seed.recipe.clone())).collect())
}
