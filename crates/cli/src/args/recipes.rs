//! `farkas recipe`.

use super::{DepsArg, InputArgs, TransformArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand, Debug)]
pub(crate) enum RecipeCommand {
    /// Write the recipe of what is made of a region: `opt --recipe` then makes the same code, byte for byte.
    ///
    /// It was tried before it is written. Where parts of the result are no steps yet, as register tiles, there is none.
    Extract(ExtractArgs),
    /// Print the loops of a region before and after each step of a recipe.
    Explain(ExplainRecipeArgs),
    /// Print the recipe that the flags stand for: its planners look for steps in whatever program they are given.
    Template(TemplateArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ExplainRecipeArgs {
    /// The recipe.
    pub(crate) recipe_file: PathBuf,
    /// The C file.
    pub(crate) input: PathBuf,
    /// The region: a function, or FUNCTION:N for its N-th region from 1.
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) read: InputArgs,
    #[command(flatten)]
    pub(crate) transform: TransformArgs,
    #[command(flatten)]
    pub(crate) deps: DepsArg,
}

#[derive(Args, Debug)]
pub(crate) struct TemplateArgs {
    /// Where to write it [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) transform: TransformArgs,
    #[command(flatten)]
    pub(crate) deps: DepsArg,
}

#[derive(Args, Debug)]
pub(crate) struct ExtractArgs {
    /// The C file.
    pub(crate) input: PathBuf,
    /// Where to write the recipe [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The region that it is for: a function, or FUNCTION:N for its N-th region from 1.
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) read: InputArgs,
    #[command(flatten)]
    pub(crate) transform: TransformArgs,
    #[command(flatten)]
    pub(crate) deps: DepsArg,
}
