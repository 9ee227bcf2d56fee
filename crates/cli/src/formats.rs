//! What `farkas opt` reads and writes: C, OpenSCoP, or isl's text.

use crate::args::{Format, OptArgs, OutputFormat};
use crate::convert::bad;
use crate::messages::{Messages, Stop};
use crate::regions::{failure, read_regions};
use farkas::{Exchange, Input, parse_isl, parse_openscop};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_front_isl::{Lowered, is_scop, read_constraints};
use farkas_scop::Grant;
use std::path::Path;
use std::sync::Arc;

/// What there is to do.
pub(crate) enum Task {
    /// Regions to replace by code; the result is the text of the regions alone where it is bare: there is no C around
    /// them.
    Code { input: Input, is_bare: bool },
    /// Regions whose new order goes into a document.
    Document { input: Input, document: Exchange },
    /// Regions whose new order is written as schedule trees.
    Trees { input: Input },
    /// Schedule constraints, whose order is written as a schedule tree.
    Constraints { source: Arc<SourceFile>, lowered: Lowered },
}

impl Task {
    /// The file that the places of messages lie in.
    pub(crate) fn source(&self) -> &Arc<SourceFile> {
        match self {
            Self::Code { input, .. } | Self::Document { input, .. } | Self::Trees { input } => {
                &input.source
            }
            Self::Constraints { source, .. } => source,
        }
    }
}

/// Reads what the command line names, C under what the strategy grants, too.
pub(crate) fn read_task(
    args: &OptArgs,
    grants: &[Grant],
    messages: &Messages,
) -> Result<Task, Stop> {
    let path = args.input.as_deref().filter(|path| *path != Path::new("-"));
    let format = args.from.unwrap_or_else(|| usual_format(path));
    let read = &args.read;
    if format != Format::C
        && (read.auto || read.context.is_some() || !read.pure_functions.is_empty())
    {
        let message = "--auto, --context and --pure say how to read C, not OpenSCoP or isl";
        return Err(Stop::Misuse(bad(message.into())));
    }
    match format {
        Format::Openscop => {
            let (mut input, document) = read_openscop(path, messages).map_err(Stop::refused)?;
            messages.tell_all(&input.tell_sizes(&read.sizes));
            if !matches!(args.to, Some(OutputFormat::Openscop | OutputFormat::Isl)) {
                only_c(&document).map_err(Stop::refused)?;
            }
            Ok(task(args, input, Some(document)))
        }
        Format::Isl => read_isl(args, path, messages),
        Format::C => {
            let Some(path) = path else {
                let message = "standard input is read as OpenSCoP or isl alone: name a C file, or say --from openscop";
                return Err(Stop::Misuse(bad(message.into())));
            };
            let other = match usual_format(Some(path)) {
                Format::C => None,
                Format::Openscop => Some("OpenSCoP"),
                Format::Isl => Some("isl's text"),
            };
            if let Some(other) = other {
                let message = format!("`{}` holds {other}: leave --from out", path.display());
                return Err(Stop::Misuse(bad(message)));
            }
            let input = read_regions(path, &args.read, grants, messages).ok_or(Stop::Told)?;
            match args.to {
                Some(OutputFormat::Openscop) => {
                    messages.tell_all(&Exchange::losses(&input));
                    let document = raised(&input)?;
                    Ok(Task::Document { input, document })
                }
                Some(OutputFormat::Isl) => Ok(Task::Trees { input }),
                _ => Ok(Task::Code { input, is_bare: false }),
            }
        }
    }
}

/// What a file of this name holds.
fn usual_format(path: Option<&Path>) -> Format {
    match path.and_then(Path::extension).and_then(|extension| extension.to_str()) {
        Some("scop") => Format::Openscop,
        Some("sc" | "isl") => Format::Isl,
        _ => Format::C,
    }
}

/// What to do with regions that are no C; `document` is the one that they come from.
fn task(args: &OptArgs, input: Input, document: Option<Exchange>) -> Task {
    match (args.to, document) {
        (Some(OutputFormat::Openscop), Some(document)) => Task::Document { input, document },
        (Some(OutputFormat::Isl), _) => Task::Trees { input },
        _ => Task::Code { input, is_bare: true },
    }
}

/// The document of regions that come from elsewhere.
fn raised(input: &Input) -> Result<Exchange, Stop> {
    Exchange::of_regions(input).map_err(|error| match input.regions.first() {
        Some(region) => Stop::Refused(failure(&input.source, region, &error)),
        None => Stop::Refused(vec![error.to_diagnostic()]),
    })
}

/// Reads a file, or standard input.
fn text_of(path: Option<&Path>) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    match path {
        Some(path) => farkas_run::read_source(path),
        None => farkas_run::read_standard_input(),
    }
}

/// Reads schedule constraints or a scop as sets and maps.
fn read_isl(args: &OptArgs, path: Option<&Path>, messages: &Messages) -> Result<Task, Stop> {
    let source = text_of(path).map_err(Stop::refused)?;
    if is_scop(&source) {
        let mut input = parse_isl(&source).map_err(Stop::refused)?;
        messages.tell_all(&input.diagnostics);
        messages.tell_all(&input.tell_sizes(&args.read.sizes));
        return match args.to {
            None => Ok(Task::Trees { input }),
            Some(OutputFormat::Openscop) => {
                let document = raised(&input)?;
                Ok(Task::Document { input, document })
            }
            Some(_) => Ok(task(args, input, None)),
        };
    }
    if args.to.is_some_and(|to| to != OutputFormat::Isl) {
        let message = "schedule constraints say nothing of what is computed: only --to isl makes sense for them";
        return Err(Stop::Misuse(bad(message.into())));
    }
    if !args.read.sizes.is_empty() {
        let message = "schedule constraints have no costs: --sizes says nothing of them";
        return Err(Stop::Misuse(bad(message.into())));
    }
    let lowered = read_constraints(&source, "constraints").map_err(Stop::refused)?;
    messages.tell_all(&lowered.warnings);
    Ok(Task::Constraints { source, lowered })
}

/// That the bodies of a document are C, so that loops of C can go around them.
fn only_c(exchange: &Exchange) -> Result<(), Box<Diagnostic>> {
    let full = exchange.document.scops.iter().filter(|scop| !scop.statements.is_empty());
    match full.map(|scop| scop.language.as_str()).find(|language| *language != "C") {
        None => Ok(()),
        Some(language) => {
            let message = format!("the bodies are {language}, so there is no C for them");
            let diagnostic = Diagnostic::new(DiagnosticId::UnsupportedOpenscop, message);
            Err(Box::new(diagnostic.help("write OpenSCoP instead, with --to openscop")))
        }
    }
}

/// Reads OpenSCoP from a file, or from standard input.
fn read_openscop(
    path: Option<&Path>,
    messages: &Messages,
) -> Result<(Input, Exchange), Box<Diagnostic>> {
    let source = text_of(path)?;
    let (input, document) = parse_openscop(&source)?;
    messages.tell_all(&input.diagnostics);
    Ok((input, document))
}
