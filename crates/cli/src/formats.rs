//! What `farkas opt` reads and writes: C, or OpenSCoP.

use crate::args::{Format, OptArgs, OutputFormat};
use crate::convert::bad;
use crate::messages::Messages;
use crate::regions::{failure, read_regions};
use farkas::{Exchange, Input, parse_openscop};
use farkas_base::Diagnostic;
use std::path::Path;

/// A file and, where OpenSCoP comes in or goes out, its document.
pub(crate) struct Task {
    /// The regions.
    pub(crate) input: Input,
    /// The document to write, if the result is one.
    pub(crate) document: Option<Exchange>,
    /// Whether the result is the text of the regions alone: a document has no C around them.
    pub(crate) is_bare: bool,
}

/// Why there is nothing to do: the message, if it was not told yet, and whether the command line is at fault.
pub(crate) enum Stop {
    /// Messages have told.
    Told,
    /// The input is refused.
    Refused(Box<Diagnostic>),
    /// The command line makes no sense.
    Misuse(Box<Diagnostic>),
}

/// Reads what the command line names.
pub(crate) fn read_task(args: &OptArgs, messages: &Messages) -> Result<Task, Stop> {
    let path = args.input.as_deref().filter(|path| *path != Path::new("-"));
    let is_openscop = match args.from {
        Some(format) => format == Format::Openscop,
        None => path.is_some_and(|p| p.extension().is_some_and(|e| e == "scop")),
    };
    let to_openscop = args.to == Some(OutputFormat::Openscop);
    if is_openscop {
        let (input, document) = read_openscop(path, messages).map_err(Stop::Refused)?;
        let document = to_openscop.then_some(document);
        return Ok(Task { input, document, is_bare: true });
    }
    let Some(path) = path else {
        let message =
            "standard input is read as OpenSCoP alone: name a C file, or say --from openscop";
        return Err(Stop::Misuse(bad(message.into())));
    };
    let input = read_regions(path, &args.read, messages).ok_or(Stop::Told)?;
    let document = if to_openscop {
        messages.tell_all(&Exchange::losses(&input));
        let document =
            Exchange::of_regions(&input).map_err(|error| match input.regions.first() {
                Some(region) => Stop::Refused(Box::new(failure(&input, region, &error))),
                None => Stop::Refused(Box::new(error.to_diagnostic())),
            })?;
        Some(document)
    } else {
        None
    };
    Ok(Task { input, document, is_bare: false })
}

/// Reads OpenSCoP from a file, or from standard input.
fn read_openscop(
    path: Option<&Path>,
    messages: &Messages,
) -> Result<(Input, Exchange), Box<Diagnostic>> {
    let source = match path {
        Some(path) => farkas_run::read_source(path)?,
        None => farkas_run::read_standard_input()?,
    };
    let (input, document) = parse_openscop(&source)?;
    messages.tell_all(&input.diagnostics);
    Ok((input, document))
}
