//! The project of an input.

use crate::args::{Deps, TransformArgs};
use crate::convert::options;
use crate::messages::Stop;
use farkas::database::Recipes;
use farkas::{Options, Strategy, project_of};
use std::path::Path;
use std::sync::Arc;

/// What the flags ask for, for an input, and what there is to tell of its project.
///
/// # Errors
/// Those of [`options`] and [`with_project`].
pub(crate) fn chosen(
    args: &TransformArgs,
    deps: Deps,
    input: Option<&Path>,
) -> Result<(Options, Option<String>), Stop> {
    with_project(options(args, args.strategy.as_deref(), deps)?, args, input)
}

/// The options for an input: with the recipes of its project's database where strategy auto decides and no flag names one; and what there is
/// to tell of that.
///
/// # Errors
/// The messages on a project file, or on the database that it names.
pub(crate) fn with_project(
    options: Options,
    args: &TransformArgs,
    input: Option<&Path>,
) -> Result<(Options, Option<String>), Stop> {
    let is_open = matches!(options.strategy, Strategy::Auto) && options.recipes.is_none();
    let Some(input) = input.filter(|_| is_open && !args.no_project) else {
        return Ok((options, None));
    };
    let Some(project) = project_of(input).map_err(Stop::Refused)? else {
        return Ok((options, None));
    };
    let Some(db) = project.db else { return Ok((options, None)) };
    let recipes = Some(Arc::new(Recipes::open(&db).map_err(Stop::refused)?));
    let told = format!("{}: recipes of {}\n", project.file.display(), db.display());
    Ok((Options { recipes, ..options }, Some(told)))
}
