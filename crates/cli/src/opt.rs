//! `farkas opt`.

use crate::Status;
use crate::args::OptArgs;
use crate::convert::{bad, options};
use crate::messages::{Messages, note, output};
use crate::regions::{failure, read_regions};
use farkas::pipeline::{Optimized, optimize};
use farkas::{Input, splice, write_atomically};
use farkas_base::Span;
use std::path::Path;

/// Reads, transforms every region, writes; nothing is written when anything is refused.
pub(crate) fn run(args: &OptArgs, messages: &Messages) -> Status {
    let choice = match options(&args.transform, &args.transform.strategy, args.deps.deps) {
        Ok(choice) => choice,
        Err(diagnostic) => return messages.misuse(&diagnostic),
    };
    if let Some(path) = &args.output
        && is_same_file(path, &args.input)
    {
        let message =
            "the output is the input file, which is never changed: name another one with -o";
        return messages.misuse(&bad(message.into()));
    }
    let Some(input) = read_regions(&args.input, &args.read, messages) else {
        return Status::Refused;
    };
    let mut replacements: Vec<(Span, String)> = Vec::new();
    for region in &input.regions {
        match optimize(region, &choice) {
            Ok(optimized) => {
                messages.warn_all(region.scop.name(), &optimized.warnings);
                report(args, &input, region, &optimized);
                replacements.push((region.span, optimized.code));
            }
            Err(error) => return messages.refuse(&failure(&input, region, &error)),
        }
    }
    let text = splice(&input.source, &replacements);
    match &args.output {
        Some(path) => messages.written(write_atomically(path, &text), Some(path)),
        None => messages.written(output(&text), None),
    }
}

/// What was done and how long it took, where asked for.
fn report(
    args: &OptArgs,
    input: &Input,
    region: &farkas_front_c::ScopRegion,
    optimized: &Optimized,
) {
    if args.report {
        note(&farkas::report::region_report(input, region, optimized));
    }
    if args.time_passes {
        note(&format!("{}:\n{}", region.scop.name(), optimized.times));
    }
}

/// Whether both paths name the same existing file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
