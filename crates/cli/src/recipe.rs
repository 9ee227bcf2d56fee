//! `farkas recipe`.

use crate::Status;
use crate::args::{ExtractArgs, RecipeCommand};
use crate::convert::options;
use crate::messages::{Messages, output};
use crate::regions::{failure, read_regions, select_one, with_shares};
use farkas::{extract, write_atomically};

/// Recipes of results.
pub(crate) fn run(command: &RecipeCommand, messages: &Messages) -> Status {
    match command {
        RecipeCommand::Extract(args) => run_extract(args, messages),
    }
}

/// Writes the recipe of one region's result.
fn run_extract(args: &ExtractArgs, messages: &Messages) -> Status {
    let strategy = args.transform.strategy.as_deref();
    let choice = match options(&args.transform, strategy, args.deps.deps) {
        Ok(choice) => choice,
        Err(stop) => return messages.stop(stop),
    };
    let Some(input) = read_regions(&args.input, &args.read, &choice.grants, messages) else {
        return Status::Refused;
    };
    let choice = choice.of_file(&input.source);
    let region = match select_one(&input, args.region.as_deref()) {
        Ok(region) => region,
        Err(diagnostic) => return messages.misuse(&diagnostic),
    };
    let Some((region, choice)) = with_shares(&input, vec![region], &choice).into_iter().next()
    else {
        return Status::Refused;
    };
    match extract(region, &choice) {
        Ok(text) => match &args.output {
            Some(path) => messages.written(write_atomically(path, &text), Some(path)),
            None => messages.written(output(&text), None),
        },
        Err(error) => messages.refuse_all(&failure(&input.source, region, &error)),
    }
}
