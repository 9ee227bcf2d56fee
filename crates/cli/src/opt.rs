//! `farkas opt`.

use crate::Status;
use crate::args::OptArgs;
use crate::convert::{options, read_options};
use crate::messages::{Messages, note, output};
use farkas::pipeline::{Optimized, optimize};
use farkas::{Input, read, splice, write_atomically};
use farkas_base::{Diagnostic, DiagnosticId, Span};
use std::path::Path;

/// Reads, transforms every region, writes; nothing is written when anything is refused.
pub(crate) fn run(args: &OptArgs, messages: &Messages) -> Status {
    let Some(choice) = options(&args.transform, &args.transform.strategy, args.deps.deps) else {
        return Status::Misuse;
    };
    if let Some(path) = &args.output
        && is_same_file(path, &args.input)
    {
        note(
            "error: the output is the input file, which is never changed: name another one with -o\n",
        );
        return Status::Misuse;
    }
    let input = match read(&args.input, &read_options(&args.read)) {
        Ok(input) => input,
        Err(diagnostic) => {
            messages.tell(&diagnostic);
            return Status::Refused;
        }
    };
    messages.tell_all(&input.diagnostics);
    if input.has_errors() {
        return Status::Refused;
    }
    let mut replacements: Vec<(Span, String)> = Vec::new();
    for region in &input.regions {
        match optimize(region, &choice) {
            Ok(optimized) => {
                report(args, &input, region, &optimized);
                replacements.push((region.span, optimized.code));
            }
            Err(error) => {
                messages.tell(&error.to_diagnostic());
                return Status::Refused;
            }
        }
    }
    let text = splice(&input.source, &replacements);
    let written = match &args.output {
        Some(path) => write_atomically(path, &text),
        None => output(&text),
    };
    match written {
        Ok(()) => Status::Success,
        Err(error) => {
            let name = args
                .output
                .as_ref()
                .map_or_else(|| "standard output".into(), |p| p.display().to_string());
            let message = format!("cannot write `{name}`: {error}");
            messages.tell(&Diagnostic::new(DiagnosticId::UnwritableOutput, message));
            Status::Refused
        }
    }
}

/// Warnings always; what was done and how long it took where asked for.
fn report(
    args: &OptArgs,
    input: &Input,
    region: &farkas_front_c::ScopRegion,
    optimized: &Optimized,
) {
    for warning in &optimized.warnings {
        note(&format!("warning: {}: {warning}\n", region.scop.name()));
    }
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
