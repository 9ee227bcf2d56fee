//! `farkas show`.

use crate::Status;
use crate::args::{ShowArgs, ShowFormat, What};
use crate::convert::bad;
use crate::messages::{Messages, output};
use crate::project::chosen;
use crate::regions::{failure, read_regions, select, with_shares};
use farkas::show::{self, Stage};

/// Runs the stage on each chosen region and prints its results; nothing is printed when one fails.
pub(crate) fn run(args: &ShowArgs, messages: &Messages) -> Status {
    let choice = match chosen(&args.transform, args.flow, Some(&args.input)) {
        Ok((choice, _)) => choice,
        Err(stop) => return messages.stop(stop),
    };
    if args.what.mapping && args.transform.target.language().is_none() {
        let message = "--mapping goes with --target cuda or opencl".to_owned();
        return messages.misuse(&bad(message));
    }
    let Some(input) = read_regions(&args.input, &args.read, &choice.grants, messages) else {
        return Status::Refused;
    };
    let choice = choice.of_file(&input.source);
    let regions = match select(&input, args.region.as_deref()) {
        Ok(regions) => regions,
        Err(diagnostic) => return messages.misuse(&diagnostic),
    };
    let mut shown = Vec::new();
    for (region, choice) in with_shares(&input, regions, &choice) {
        match show::show(region, stage(&args.what), &choice) {
            Ok(result) => shown.push(result),
            Err(error) => return messages.refuse_all(&failure(&input.source, region, &error)),
        }
    }
    for part in &shown {
        messages.tell_session(part.region.scop.name(), &part.session);
    }
    let text = match args.format {
        ShowFormat::Text => show::to_text(&input, &shown),
        ShowFormat::Json => show::to_json(&input, &shown),
        ShowFormat::Dot => show::to_dot(&input, &shown),
    };
    messages.written(output(&text), None)
}

/// The stage that the flags name; clap demands exactly one.
fn stage(what: &What) -> Stage {
    let stages = [
        (what.scop, Stage::Scop),
        (what.deps, Stage::Deps),
        (what.reductions, Stage::Reductions),
        (what.locality, Stage::Locality),
        (what.normal_form, Stage::NormalForm),
        (what.schedule, Stage::Schedule),
        (what.tree, Stage::Tree),
        (what.mapping, Stage::Mapping),
    ];
    stages.into_iter().find(|(asked, _)| *asked).map_or(Stage::Ast, |(_, stage)| stage)
}
