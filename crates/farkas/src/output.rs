//! The last look at a transformed file, before it is written.

use crate::ReadOptions;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_front_c::functions_without_errors;
use farkas_run::{Preprocessor, Replacement};
use std::path::Path;

/// The most lines of the compiler's that a message has.
const MAX_LINES: usize = 12;

/// Checks that `output`, made from the file at `path` with the text `original`, is a C file where that is one: compilers take it.
/// Where they do not take the original either, or there is none, the functions that could be parsed still can be.
///
/// # Errors
/// `internal-error` with what is wrong: nothing must be written then.
pub fn check_output(
    path: &Path,
    original: &str,
    output: &str,
    options: &ReadOptions,
) -> Result<(), Box<Diagnostic>> {
    let preprocessor = Preprocessor::from_option(options.cpp.as_deref()).args(&options.cpp_args);
    let place = |text| Replacement::new(&preprocessor, path, text).map_err(|e| unchecked(&e));
    let ours = place(output)?;
    let Err(messages) = ours.compiles() else { return Ok(()) };
    if messages.lines().any(|line| line.contains("cblas.h")) {
        return Err(without_header(&messages));
    }
    let theirs = place(original)?;
    if theirs.compiles().is_ok() {
        return Err(wrong("the compiler refuses the result", &messages));
    }
    let (source, text) = ours
        .preprocessed()
        .map_err(|error| wrong("the preprocessor refuses the result", &error.message))?;
    let parsed = functions_without_errors(source, text)?;
    let (source, text) = theirs.preprocessed()?;
    let before = functions_without_errors(source, text)?;
    match before.iter().find(|name| !parsed.contains(*name)) {
        Some(name) => Err(wrong(&format!("function `{name}` of the result has errors"), &messages)),
        None => Ok(()),
    }
}

/// The result could not be looked at.
fn unchecked(error: &std::io::Error) -> Box<Diagnostic> {
    let message = format!("the result cannot be checked: {error}");
    Box::new(Diagnostic::new(DiagnosticId::ToolchainFailed, message))
}

/// The header of what `--blas` calls is not there, or does not go with the file.
fn without_header(messages: &str) -> Box<Diagnostic> {
    let message = "the compiler refuses cblas.h, which the result includes";
    let diagnostic = Diagnostic::new(DiagnosticId::ToolchainFailed, message)
        .help("install a BLAS with its header, say where it is with -I, or leave --blas away");
    let lines = messages.lines().filter(|line| !line.trim().is_empty()).take(MAX_LINES);
    Box::new(lines.fold(diagnostic, Diagnostic::note))
}

/// The result is no C.
fn wrong(what: &str, messages: &str) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(DiagnosticId::InternalError, what);
    let lines = messages.lines().filter(|line| !line.trim().is_empty()).take(MAX_LINES);
    Box::new(lines.fold(diagnostic, Diagnostic::note))
}
