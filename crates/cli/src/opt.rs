//! `farkas opt`.

use crate::Status;
use crate::args::{OptArgs, OutputFormat};
use crate::convert::{bad, options};
use crate::formats::{Stop, Task, read_task};
use crate::messages::{Messages, note, output};
use crate::regions::failure;
use farkas::pipeline::{Optimized, optimize};
use farkas::report::region_report;
use farkas::{
    Exchange, Input, Options, PassTimes, Reordered, endless, reorder, splice, write_atomically,
};
use farkas_base::{Diagnostic, Span};
use farkas_codegen::Target;
use farkas_front_c::ScopRegion;
use std::path::Path;

/// Reads, transforms every region, writes; nothing is written when anything is refused.
pub(crate) fn run(args: &OptArgs, messages: &Messages) -> Status {
    let mut choice = match options(&args.transform, &args.transform.strategy, args.deps.deps) {
        Ok(choice) => choice,
        Err(diagnostic) => return messages.misuse(&diagnostic),
    };
    match args.to {
        // A document has notes on the loops that OpenMP would have pragmas for.
        Some(OutputFormat::Openmp | OutputFormat::Openscop) => choice.target = Target::OpenMp,
        Some(OutputFormat::C) => choice.target = Target::C,
        None => {}
    }
    if let (Some(output), Some(input)) = (&args.output, &args.input)
        && is_same_file(output, input)
    {
        let message =
            "the output is the input file, which is never changed: name another one with -o";
        return messages.misuse(&bad(message.into()));
    }
    let task = match read_task(args, messages) {
        Ok(task) => task,
        Err(Stop::Told) => return Status::Refused,
        Err(Stop::Refused(diagnostic)) => return messages.refuse(&diagnostic),
        Err(Stop::Misuse(diagnostic)) => return messages.misuse(&diagnostic),
    };
    let Task { input, document: exchange, is_bare } = task;
    let text = match exchange {
        Some(exchange) => document(args, &input, exchange, &choice, messages),
        None => code(args, &input, is_bare, &choice, messages),
    };
    let text = match text {
        Ok(text) => text,
        Err(diagnostic) => return messages.refuse(&diagnostic),
    };
    match &args.output {
        Some(path) => messages.written(write_atomically(path, &text), Some(path)),
        None => messages.written(output(&text), None),
    }
}

/// The code in the place of the regions.
fn code(
    args: &OptArgs,
    input: &Input,
    is_bare: bool,
    choice: &Options,
    messages: &Messages,
) -> Result<String, Box<Diagnostic>> {
    if is_bare
        && let Some(diagnostic) = endless(input).map_err(|error| Box::new(error.to_diagnostic()))?
    {
        return Err(Box::new(diagnostic));
    }
    let mut replacements: Vec<(Span, String)> = Vec::new();
    for region in &input.regions {
        let optimized = optimize(region, choice).map_err(|e| failure(input, region, &e))?;
        messages.warn_all(region.scop.name(), &optimized.warnings);
        let Optimized { deps, scheduled, remarks, times, code, .. } = optimized;
        if args.report {
            note(&region_report(input, region, &deps, scheduled.as_ref(), &remarks));
        }
        tell_times(args, region, &times);
        replacements.push((region.span, code));
    }
    Ok(if is_bare {
        replacements.into_iter().map(|(_, code)| code).collect()
    } else {
        splice(&input.source, &replacements)
    })
}

/// The document with the new order of the regions.
fn document(
    args: &OptArgs,
    input: &Input,
    mut exchange: Exchange,
    choice: &Options,
    messages: &Messages,
) -> Result<String, Box<Diagnostic>> {
    for (at, region) in input.regions.iter().enumerate() {
        let failed = |error| Box::new(failure(input, region, &error));
        let Reordered { deps, scheduled, tree, remarks, warnings, times } =
            reorder(&region.scop, choice).map_err(failed)?;
        messages.warn_all(region.scop.name(), &warnings);
        if args.report {
            note(&region_report(input, region, &deps, scheduled.as_ref(), &remarks));
        }
        tell_times(args, region, &times);
        exchange.reschedule(at, &region.scop, &tree).map_err(failed)?;
    }
    Ok(exchange.document.to_string())
}

/// How long it took, where asked for.
fn tell_times(args: &OptArgs, region: &ScopRegion, times: &PassTimes) {
    if args.time_passes {
        note(&format!("{}:\n{times}", region.scop.name()));
    }
}

/// Whether both paths name the same existing file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
