//! From a path to regions: read, preprocess, parse.

use crate::input::{Input, parse, parse_isl};
use crate::openscop::parse_openscop;
use farkas_base::Diagnostic;
use farkas_run::{Preprocessor, read_source};
use std::path::Path;

/// How to read a C file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The compiler whose preprocessor is used; `None` for `$FARKAS_CPP`, else `cc`.
    pub cpp: Option<String>,
    /// `-I`, `-D`, `-U` and `-include` arguments, passed through.
    pub cpp_args: Vec<String>,
    /// What the front end accepts and assumes.
    pub front: farkas_front_c::Options,
}

/// Reads, preprocesses and parses the C file at `path`; a file whose name ends in `.scop` is read as OpenSCoP, one whose
/// name ends in `.isl` as a scop of sets and maps.
///
/// # Errors
/// The diagnostic of a file that cannot be read or preprocessed at all; what the front end refuses is in
/// [`Input::diagnostics`].
pub fn read(path: &Path, options: &ReadOptions) -> Result<Input, Box<Diagnostic>> {
    let source = read_source(path)?;
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("scop") => return Ok(parse_openscop(&source)?.0),
        Some("isl") => return parse_isl(&source),
        _ => {}
    }
    let preprocessor = Preprocessor::from_option(options.cpp.as_deref()).args(&options.cpp_args);
    let preprocessed = preprocessor.run(path, &source)?;
    Ok(parse(source, &preprocessed, &options.front))
}
