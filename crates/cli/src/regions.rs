//! Reading a file and choosing regions: what every command but `bench` begins with.

use crate::args::InputArgs;
use crate::convert::read_options;
use crate::messages::Messages;
use farkas::{Input, Options, read, shares};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_scop::{Grant, Region};
use std::path::Path;
use std::sync::Arc;

/// Reads the file, under what a strategy grants, and tells what the front end has to say; `None` when it is refused or has no
/// region.
pub(crate) fn read_regions(
    path: &Path,
    args: &InputArgs,
    grants: &[Grant],
    messages: &Messages,
) -> Option<Input> {
    let input = match read(path, &read_options(args, grants)) {
        Ok(input) => input,
        Err(diagnostic) => {
            messages.tell(&diagnostic);
            return None;
        }
    };
    messages.tell_input(&input);
    if input.has_errors() {
        return None;
    }
    let is_empty = |d: &Diagnostic| d.id == DiagnosticId::NothingToTransform;
    if input.regions.is_empty() && !input.diagnostics.iter().any(is_empty) {
        messages.tell_loops(&input, &[]);
        messages.tell(&no_region(&input, args.auto));
        return None;
    }
    Some(input)
}

/// The message on a file without regions.
fn no_region(input: &Input, auto: bool) -> Diagnostic {
    let message = format!("`{}` has no region", input.source.name());
    let diagnostic = Diagnostic::new(DiagnosticId::NoRegion, message);
    if auto {
        match input.loops() {
            [] => diagnostic.note("it has no loops"),
            _ => diagnostic.help("each loop is listed above with what stopped --auto"),
        }
    } else {
        diagnostic.help(
            "put `#pragma scop` before the loops to transform and `#pragma endscop` behind them, or use --auto",
        )
    }
}

/// The regions that `selector` names: all for `None`, those of `FUNCTION`, or its N-th from 1 for `FUNCTION:N`.
///
/// # Errors
/// The message on a selector that names none.
pub(crate) fn select<'a>(
    input: &'a Input,
    selector: Option<&str>,
) -> Result<Vec<&'a Region>, Box<Diagnostic>> {
    let Some(selector) = selector else { return Ok(input.regions.iter().collect()) };
    let found = match selector.rsplit_once(':') {
        None => input.select(Some(selector)),
        Some((_, number)) if number.parse::<usize>().is_ok_and(|n| n > 0) => {
            input.select(Some(selector))
        }
        Some(_) => Vec::new(),
    };
    if found.is_empty() {
        let message = format!("there is no region `{selector}` in `{}`", input.source.name());
        return Err(Box::new(unknown(input, message)));
    }
    Ok(found)
}

/// Regions of a file, each with the options under which it has the share of the effort that it has where all are transformed.
pub(crate) fn with_shares<'a>(
    input: &Input,
    regions: Vec<&'a Region>,
    options: &Options,
) -> Vec<(&'a Region, Options)> {
    let shares = shares(&input.regions, options.effort);
    let share = |region: &Region| {
        let at = input.regions.iter().position(|other| other.span == region.span);
        at.and_then(|at| shares.get(at).copied()).unwrap_or(options.effort)
    };
    let shared = |region| (region, Options { effort: share(region), ..options.clone() });
    regions.into_iter().map(shared).collect()
}

/// The messages on a region for which a later stage failed, with their place.
pub(crate) fn failure(
    source: &Arc<SourceFile>,
    region: &Region,
    error: &farkas::Error,
) -> Vec<Diagnostic> {
    match error {
        farkas::Error::Refused(diagnostics) => diagnostics.clone(),
        _ => vec![error.to_diagnostic().at(source, region.span, "this region")],
    }
}

/// The one region that `selector` names, or the only one of the file.
///
/// # Errors
/// The message when there is none or more than one.
pub(crate) fn select_one<'a>(
    input: &'a Input,
    selector: Option<&str>,
) -> Result<&'a Region, Box<Diagnostic>> {
    match select(input, selector)?.as_slice() {
        [region] => Ok(region),
        [] => Err(Box::new(unknown(input, "the file has no region with a statement".into()))),
        several => {
            let message = match selector {
                Some(name) => format!("function `{name}` has {} regions", several.len()),
                None => format!("`{}` has {} regions", input.source.name(), several.len()),
            };
            let diagnostic = unknown(input, message);
            Err(Box::new(diagnostic.help("name one with --region FUNCTION:N")))
        }
    }
}

/// A message that lists the regions there are.
fn unknown(input: &Input, message: String) -> Diagnostic {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let mut names = Vec::new();
    for region in &input.regions {
        let function = region.function.as_str();
        let n = match counts.iter_mut().find(|(name, _)| *name == function) {
            Some((_, n)) => {
                *n += 1;
                *n
            }
            None => {
                counts.push((function, 1));
                1
            }
        };
        names.push(format!("{function}:{n} (line {})", input.source.line(region.span)));
    }
    Diagnostic::new(DiagnosticId::UnknownRegion, message)
        .note(format!("the regions are {}", names.join(", ")))
}
