//! `farkas recipe`.

use crate::Status;
use crate::args::{DepsArg, ExplainRecipeArgs, ExtractArgs, InputArgs, RecipeCommand};
use crate::args::{TemplateArgs, TransformArgs};
use crate::convert::{bad, options};
use crate::messages::Messages;
use crate::project::chosen;
use crate::regions::{failure, read_regions, select_one, with_shares};
use farkas::explain::explain_recipe;
use farkas::{Error, Options, extract, recipe_template};
use farkas_scop::Region;
use std::path::Path;

/// Recipes of results, and what they do.
pub(crate) fn run(command: &RecipeCommand, messages: &Messages) -> Status {
    match command {
        RecipeCommand::Extract(args) => run_extract(args, messages),
        RecipeCommand::Explain(args) => run_explain(args, messages),
        RecipeCommand::Template(args) => run_template(args, messages),
    }
}

/// Writes the recipe of one region's result.
fn run_extract(args: &ExtractArgs, messages: &Messages) -> Status {
    let flags = Flags { read: &args.read, transform: &args.transform, deps: &args.deps };
    let output = args.output.as_deref();
    flags.of_region(&args.input, args.region.as_deref(), output, messages, extract)
}

/// Prints what the steps of a recipe do to one region.
fn run_explain(args: &ExplainRecipeArgs, messages: &Messages) -> Status {
    let recipe = Some(args.recipe_file.clone());
    let transform = TransformArgs { recipe, ..args.transform.clone() };
    let flags = Flags { read: &args.read, transform: &transform, deps: &args.deps };
    flags.of_region(&args.input, args.region.as_deref(), None, messages, explain_recipe)
}

/// Writes the recipe that flags stand for.
fn run_template(args: &TemplateArgs, messages: &Messages) -> Status {
    let strategy = args.transform.strategy.as_deref();
    let choice = match options(&args.transform, strategy, args.deps.deps) {
        Ok(choice) => choice,
        Err(stop) => return messages.stop(stop),
    };
    match recipe_template(&choice) {
        Ok(text) => messages.write(&text, args.output.as_deref()),
        Err(diagnostic) => messages.refuse_all(&[*diagnostic]),
    }
}

/// Flags on one region.
struct Flags<'a> {
    read: &'a InputArgs,
    transform: &'a TransformArgs,
    deps: &'a DepsArg,
}

impl Flags<'_> {
    /// Writes what `made` makes of a region.
    fn of_region(
        &self,
        input: &Path,
        region: Option<&str>,
        output: Option<&Path>,
        messages: &Messages,
        made: impl Fn(&Region, &Options) -> Result<String, Error>,
    ) -> Status {
        if self.transform.blas {
            return messages.misuse(&bad("recipes have no word for calls of a BLAS".into()));
        }
        let choice = match chosen(self.transform, self.deps.deps, Some(input)) {
            Ok((choice, _)) => choice,
            Err(stop) => return messages.stop(stop),
        };
        let Some(input) = read_regions(input, self.read, &choice.grants, messages) else {
            return Status::Refused;
        };
        let choice = choice.of_file(&input.source);
        let region = match select_one(&input, region) {
            Ok(region) => region,
            Err(diagnostic) => return messages.misuse(&diagnostic),
        };
        let Some((region, choice)) = with_shares(&input, vec![region], &choice).into_iter().next()
        else {
            return Status::Refused;
        };
        match made(region, &choice) {
            Ok(text) => messages.write(&text, output),
            Err(error) => messages.refuse_all(&failure(&input.source, region, &error)),
        }
    }
}
