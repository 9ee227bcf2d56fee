//! Programs made of recipes.

use super::TuneError;
use super::entries::Entries;
use super::seeds::forms;
use crate::{Input, Options, Strategy, extract, optimize, pieces, splice};
use farkas_base::{Diagnostic, SourceFile, Span};
use farkas_config::RecipeFile;
use farkas_scop::Region;
use farkas_tune::evolve::{Answer, Made, Progress, Rival, Seed, Workshop};
use std::sync::Arc;

/// The pipeline for one region.
pub(super) struct Bench<'a> {
    /// The file.
    pub(super) input: &'a Input,
    /// The region.
    pub(super) region: &'a Region,
    /// How it is transformed beside the recipe.
    pub(super) options: Options,
    /// What a database knew of nests like this one when the search began.
    pub(super) neighbours: Vec<Seed>,
    /// The database that is told.
    pub(super) entries: Option<Entries<'a>>,
    /// Who hears how far the search is.
    pub(super) tell: &'a mut dyn FnMut(Progress),
}

impl Bench<'_> {
    /// The program that a recipe makes.
    pub(super) fn program(&self, recipe: &str) -> Result<String, String> {
        made_by(recipe, self.input, self.region, &self.options)
    }

    /// The program that strategy `auto` makes.
    fn auto(&self, options: &Options) -> Result<String, TuneError> {
        let mut replacements: Vec<(Span, String)> = Vec::new();
        for piece in pieces(self.input.reading.as_ref(), self.region, options) {
            replacements.extend(piece.replacement()?);
        }
        Ok(splice(&self.input.source, &replacements))
    }
}

/// The program that a recipe makes of a file and a region of it, as `opt --recipe` writes it. One that takes so much work that another form
/// stands in its place, or at which a bug of ours is noticed, makes none.
pub(super) fn made_by(
    recipe: &str,
    input: &Input,
    region: &Region,
    options: &Options,
) -> Result<String, String> {
    let source = Arc::new(SourceFile::new("recipe.json", recipe));
    let file = RecipeFile::parse(source).map_err(|diagnostics| first(&diagnostics))?;
    let options = options.clone().with_recipe(Arc::new(file));
    let options = options.map_err(|diagnostics| first(&diagnostics))?;
    let optimized = optimize(region, &options).map_err(|error| error.to_string())?;
    if let Some(warning) = optimized.session.warnings.first() {
        return Err(warning.clone());
    }
    if let Some(bug) = optimized.session.noticed_bug() {
        return Err(bug.message.clone());
    }
    let code = optimized.replacement().map(|code| (region.span, code.to_owned()));
    Ok(splice(&input.source, code.as_slice()))
}

/// The first of some messages.
fn first(diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map_or_else(String::new, |diagnostic| diagnostic.message.clone())
}

impl Workshop for Bench<'_> {
    type Error = TuneError;

    fn rival(&mut self) -> Result<Rival, TuneError> {
        let options = Options { strategy: Strategy::Auto, ..self.options.clone() };
        let text = self.auto(&options)?;
        let recipe = extract(self.region, &options).ok();
        let gives_it = |recipe: &String| self.program(recipe).is_ok_and(|made| made == text);
        let recipe = recipe.filter(gives_it);
        Ok(Rival { made: Made { text }, recipe, origin: "auto".into() })
    }

    fn seeds(&mut self, epoch: usize) -> Result<Vec<Seed>, TuneError> {
        let mut seeds = self.neighbours.clone();
        if epoch == 0 {
            seeds.extend(forms(self.region, &self.options));
        }
        Ok(seeds)
    }

    fn make(&mut self, recipe: &str) -> Result<Made, String> {
        self.program(recipe).map(|text| Made { text })
    }

    fn note(
        &mut self,
        recipe: &str,
        answer: &Answer,
        at: usize,
        when_s: u64,
    ) -> Result<(), TuneError> {
        match &mut self.entries {
            Some(entries) => entries.note(recipe, answer, at, when_s),
            None => Ok(()),
        }
    }

    fn tell(&mut self, progress: Progress) {
        (self.tell)(progress);
    }
}
