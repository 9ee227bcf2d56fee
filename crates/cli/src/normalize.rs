//! `farkas normalize`.

use crate::Status;
use crate::args::NormalizeArgs;
use crate::convert::read_options;
use crate::messages::{Messages, folders_exist, note};
use crate::regions::{failure, read_regions, select, select_one, with_shares};
use farkas::{
    Input, Options, check_output, normal_recipe, normalizing, optimize, splice, whole_region,
};
use farkas_base::Diagnostic;
use farkas_scop::Region;

/// Brings each chosen region into its normal form; nothing is written when one is refused.
pub(crate) fn run(args: &NormalizeArgs, messages: &Messages) -> Status {
    if let Err(stop) = folders_exist(&[&args.output, &args.recipe]) {
        return messages.stop(stop);
    }
    let choice = match normalizing(Options::default()) {
        Ok(choice) => choice,
        Err(diagnostics) => return messages.refuse_all(&diagnostics),
    };
    let Some(input) = read_regions(&args.input, &args.read, &choice.grants, messages) else {
        return Status::Refused;
    };
    // What was marked still is, for whoever reads the result.
    let choice = Options { marks: !args.read.auto, ..choice.of_file(&input.source) };
    let selector = args.region.as_deref();
    let chosen = match &args.recipe {
        Some(_) => select_one(&input, selector).map(|region| vec![region]),
        None => select(&input, selector),
    };
    let regions = match chosen {
        Ok(regions) => regions,
        Err(diagnostic) => return messages.misuse(&diagnostic),
    };
    let regions = with_shares(&input, regions, &choice);
    let written = code(args, &input, &regions, messages).and_then(|text| {
        let recipe = args.recipe.as_ref().zip(regions.first());
        let recipe = recipe.map(|(path, (region, choice))| {
            let recipe = normal_recipe(region, choice);
            recipe.map(|text| (path, text)).map_err(|e| failure(&input.source, region, &e))
        });
        Ok((text, recipe.transpose()?))
    });
    match written {
        Ok((text, recipe)) => {
            if let Some((path, recipe)) = recipe
                && let failed @ (Status::Refused | Status::Misuse) =
                    messages.write(&recipe, Some(path))
            {
                return failed;
            }
            messages.write(&text, args.output.as_deref())
        }
        Err(diagnostics) => messages.refuse_all(&diagnostics),
    }
}

/// The message on a recipe that leads to another program than the one that is written.
fn of_pieces(region: &Region) -> String {
    format!(
        "the recipe leads to the normal form of `{}` as its statements stand there: that pieces of them are one in the program, or parts of loops begin \
         together, is no step\n",
        region.function
    )
}

/// The file with the normal forms of regions in their place.
fn code(
    args: &NormalizeArgs,
    input: &Input,
    regions: &[(&Region, Options)],
    messages: &Messages,
) -> Result<String, Vec<Diagnostic>> {
    let mut replacements = Vec::new();
    for (region, choice) in regions {
        let whole = whole_region(region).map_err(|e| failure(&input.source, region, &e))?;
        if whole.is_some() && args.recipe.is_some() {
            note(&of_pieces(region));
        }
        let region = whole.as_ref().unwrap_or(region);
        let optimized = optimize(region, choice).map_err(|e| failure(&input.source, region, &e))?;
        messages.tell_session(region.scop.name(), &optimized.session);
        messages.tell_dropped(input, region.span);
        replacements.push((region.span, optimized.code));
    }
    let text = splice(&input.source, &replacements);
    check_output(&args.input, input.source.text(), &text, &read_options(&args.read, &[]))
        .map_err(|error| vec![*error])?;
    Ok(text)
}
