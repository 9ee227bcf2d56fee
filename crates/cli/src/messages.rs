//! Standard error and standard output.

use crate::Status;
use crate::args::{Colour, MessageFormat};
use farkas::loops::{Summary, loops_report, remarks};
use farkas::{Input, Session, write_atomically};
use farkas_base::{Diagnostic, DiagnosticId, Span, encode, shown};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Why there is nothing to do: the messages, if they were not told yet, and whether the command line is at fault.
pub(crate) enum Stop {
    /// Messages have told.
    Told,
    /// The input is refused.
    Refused(Vec<Diagnostic>),
    /// The command line makes no sense.
    Misuse(Box<Diagnostic>),
}

impl Stop {
    /// The input is refused with one message.
    #[expect(clippy::boxed_local, reason = "errors carry their message in a box")]
    pub(crate) fn refused(diagnostic: Box<Diagnostic>) -> Self {
        Self::Refused(vec![*diagnostic])
    }
}

impl From<Box<Diagnostic>> for Stop {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Misuse(diagnostic)
    }
}

/// How messages are printed.
#[derive(Clone)]
pub(crate) struct Messages {
    colour: bool,
    format: MessageFormat,
}

impl Messages {
    /// Colour as asked for; on a terminal only, and never under `NO_COLOR`, when left to us.
    pub(crate) fn new(colour: Colour, format: MessageFormat) -> Self {
        let colour = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
            }
        };
        Self { colour, format }
    }

    /// Prints a diagnostic on standard error.
    pub(crate) fn tell(&self, diagnostic: &Diagnostic) {
        let text = match self.format {
            MessageFormat::Human => farkas_base::render(diagnostic, self.colour),
            MessageFormat::Concise => farkas_base::render_concise(diagnostic),
            MessageFormat::Json => farkas_base::render_json(diagnostic),
        };
        note(&text);
    }

    /// Prints all of them.
    pub(crate) fn tell_all(&self, diagnostics: &[Diagnostic]) {
        diagnostics.iter().for_each(|d| self.tell(d));
    }

    /// Prints what is wrong with the input.
    pub(crate) fn refuse(&self, diagnostic: &Diagnostic) -> Status {
        self.tell(diagnostic);
        Status::Refused
    }

    /// Prints why there is nothing to do.
    pub(crate) fn stop(&self, stop: Stop) -> Status {
        match stop {
            Stop::Told => Status::Refused,
            Stop::Refused(diagnostics) => self.refuse_all(&diagnostics),
            Stop::Misuse(diagnostic) => self.misuse(&diagnostic),
        }
    }

    /// Prints all that is wrong with the input.
    pub(crate) fn refuse_all(&self, diagnostics: &[Diagnostic]) -> Status {
        self.tell_all(diagnostics);
        Status::Refused
    }

    /// Prints what is wrong with the command line.
    pub(crate) fn misuse(&self, diagnostic: &Diagnostic) -> Status {
        self.tell(diagnostic);
        Status::Misuse
    }

    /// Prints what there is to tell of the work on the region called `name`: first the fallbacks that were taken.
    pub(crate) fn tell_session(&self, name: &str, session: &Session) {
        for warning in &session.warnings {
            self.tell(&Diagnostic::new(DiagnosticId::SimplerForm, format!("{name}: {warning}")));
        }
        self.tell_all(&session.diagnostics);
    }

    /// Tells what the front end has to say of a file, but for pragmas that are dropped where regions are rewritten.
    pub(crate) fn tell_input(&self, input: &Input) {
        let is_told = |d: &&Diagnostic| d.id != DiagnosticId::PragmaDropped;
        input.diagnostics.iter().filter(is_told).for_each(|d| self.tell(d));
    }

    /// Tells which pragmas are dropped where a region is rewritten.
    pub(crate) fn tell_dropped(&self, input: &Input, region: Span) {
        let is_of = |d: &&Diagnostic| {
            let place = d.primary.as_ref().map(|label| label.span);
            d.id == DiagnosticId::PragmaDropped
                && place.is_some_and(|p| region.start <= p.start && p.end <= region.end)
        };
        input.diagnostics.iter().filter(is_of).for_each(|d| self.tell(d));
    }

    /// Whether programs read the messages.
    pub(crate) fn are_json(&self) -> bool {
        matches!(self.format, MessageFormat::Json)
    }

    /// Tells what came of every loop of a file: a list for people, a message each for programs.
    pub(crate) fn tell_loops(&self, input: &Input, done: &[Summary]) {
        match self.format {
            MessageFormat::Json => self.tell_all(&remarks(&input.source, input.loops(), done)),
            _ => note(&loops_report(&input.source, input.loops(), done)),
        }
    }

    /// Writes a text to `path`, in one step; to standard output where there is no path, or `-`.
    pub(crate) fn write(&self, text: &str, path: Option<&Path>) -> Status {
        match path.filter(|path| path.as_os_str() != "-") {
            Some(path) => self.written(write_atomically(path, text), Some(path)),
            None => self.written(output_bytes(&encode(text)), None),
        }
    }

    /// What writing to `path`, or to standard output, came to; a message when it failed.
    pub(crate) fn written(&self, written: std::io::Result<()>, path: Option<&Path>) -> Status {
        let Err(error) = written else { return Status::Success };
        self.refuse(&match path {
            Some(path) => missing_folder(path).unwrap_or_else(|| unwritable(path, &error)),
            None => {
                let message = format!("cannot write `standard output`: {error}");
                Diagnostic::new(DiagnosticId::UnwritableOutput, message)
            }
        })
    }

    /// Prints errors and warnings, not remarks.
    pub(crate) fn tell_important(&self, diagnostics: &[Diagnostic]) {
        diagnostics
            .iter()
            .filter(|d| d.severity() != farkas_base::Severity::Remark)
            .for_each(|d| self.tell(d));
    }
}

/// The message on a file that cannot be written.
fn unwritable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot write `{}`: {error}", path.display());
    Diagnostic::new(DiagnosticId::UnwritableOutput, message)
}

/// The message on a file that is to be written to a folder that is not there, if so.
pub(crate) fn missing_folder(path: &Path) -> Option<Diagnostic> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    if path.as_os_str() == "-" || folder.exists() {
        return None;
    }
    let (path, folder) = (path.display(), folder.display());
    let message = format!("cannot write `{path}`: there is no folder `{folder}`");
    let diagnostic = Diagnostic::new(DiagnosticId::UnwritableOutput, message);
    Some(diagnostic.help(format!("make it first: mkdir -p '{folder}'")))
}

/// Sees to it that what takes long to find has folders to be written to.
///
/// # Errors
/// The message on one that has none.
pub(crate) fn folders_exist(paths: &[&Option<PathBuf>]) -> Result<(), Stop> {
    let mut missing = paths.iter().filter_map(|path| missing_folder(path.as_deref()?));
    missing.next().map_or(Ok(()), |diagnostic| Err(Stop::Refused(vec![diagnostic])))
}

/// Prints text on standard error.
pub(crate) fn note(text: &str) {
    // Nobody is left to tell when standard error is closed.
    let _ = std::io::stderr().lock().write_all(shown(text).as_bytes());
}

/// Prints text on standard output; a reader that has gone away ends the output quietly.
///
/// # Errors
/// When standard output cannot be written to for another reason.
pub(crate) fn output(text: &str) -> std::io::Result<()> {
    output_bytes(shown(text).as_bytes())
}

/// Prints bytes on standard output, as [`output`] does a text.
fn output_bytes(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
