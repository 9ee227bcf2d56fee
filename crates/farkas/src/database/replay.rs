//! What a recipe of a database makes of the program that it was found for: made anew, and proved, whoever wrote it.

use crate::{Input, Optimized, Options, Strategy, machine_named, optimize, parse};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_config::RecipeFile;
use farkas_db::Entry;
use farkas_machine::Machine;
use farkas_scop::Region;
use std::sync::Arc;

/// A program and what a recipe made of it.
#[derive(Debug)]
pub struct Replayed {
    /// The program.
    pub input: Input,
    /// Its one region, which went through the legality check.
    pub optimized: Optimized,
}

/// Applies the recipe of an entry to its program.
///
/// The recipe decides nothing else: one that asks for a strategy of the user's is refused.
///
/// # Errors
/// What is wrong with the program or the recipe, or why one does not do for the other.
pub fn replay(entry: &Entry) -> Result<Replayed, Vec<Diagnostic>> {
    let name = entry.key.short_nest();
    let input = program(&format!("program of {name}"), &entry.program)?;
    let recipe = recipe_of(entry)?;
    let region = only_region(&input)?;
    let options = Options { machine: machine(&entry.key.machine), ..Options::default() };
    let options = options.with_recipe(Arc::new(recipe))?.of_file(&input.source);
    let optimized = optimize(region, &options).map_err(|error| match error {
        crate::Error::Refused(diagnostics) => diagnostics,
        error => vec![error.to_diagnostic()],
    })?;
    if let Some(warning) = optimized.session.warnings.first() {
        return Err(vec![Diagnostic::new(DiagnosticId::TooComplex, warning.clone())]);
    }
    if let Some(bug) = optimized.session.noticed_bug() {
        return Err(vec![bug.clone()]);
    }
    Ok(Replayed { input, optimized })
}

/// The one region that the program of an entry has.
pub(super) fn only_region(input: &Input) -> Result<&Region, Vec<Diagnostic>> {
    let [region] = input.regions.as_slice() else {
        let message = format!("the program has {} regions, and not one", input.regions.len());
        return Err(vec![Diagnostic::new(DiagnosticId::UnknownRegion, message)]);
    };
    Ok(region)
}

/// The recipe of an entry, parsed; it names no strategy of the user's, in a file or a library, since it may come from anybody.
///
/// # Errors
/// What is wrong with it.
pub(super) fn recipe_of(entry: &Entry) -> Result<RecipeFile, Vec<Diagnostic>> {
    let name = format!("recipe of {}", entry.key.short_nest());
    let recipe = RecipeFile::parse(Arc::new(SourceFile::new(name, entry.recipe.as_str())))?;
    match foreign_strategy(&recipe) {
        Some(refused) => Err(vec![refused]),
        None => Ok(recipe),
    }
}

/// The program of an entry, parsed.
pub(super) fn program(name: &str, text: &str) -> Result<Input, Vec<Diagnostic>> {
    let source = Arc::new(SourceFile::new(name, text));
    // No preprocessor looks at it: it might read any file.
    let preprocessed = format!("# 1 \"{name}\"\n{text}");
    let input = parse(source, &preprocessed, &farkas_front_c::Options::default());
    if input.has_errors() { Err(input.diagnostics) } else { Ok(input) }
}

/// The message on a recipe whose order is not that of a shipped strategy, nor the program's own.
pub(super) fn foreign_strategy(recipe: &RecipeFile) -> Option<Diagnostic> {
    let word = recipe.strategy()?;
    match Strategy::from_name(word) {
        Some(Strategy::Auto) | None => {}
        Some(_) => return None,
    }
    let message = format!("recipes of databases begin with no strategy `{word}`");
    let diagnostic = Diagnostic::new(DiagnosticId::UnknownWord, message);
    let help = "name one that Farkas has, other than auto";
    Some(match recipe.strategy_place() {
        Some(place) => diagnostic.at(recipe.source(), place, "").help(help),
        None => diagnostic.help(help),
    })
}

/// The machine of a key, for recipes of planners, where its name is one of ours; else the usual one.
pub(super) fn machine(name: &str) -> Machine {
    let is_shipped = crate::machine_names().iter().skip(1).any(|known| *known == name);
    let named = if is_shipped { machine_named(name).ok() } else { None };
    named.map_or_else(Machine::generic, |detected| detected.machine)
}
