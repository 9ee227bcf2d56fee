//! What the tests share.

use farkas_base::{SourceFile, render};
use farkas_front_isl::{Lowered, ReadScop, read_constraints, read_scop};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// The files of a folder of cases with one extension, with their names, sorted.
pub(crate) fn cases(folder: &str, extension: &str) -> Vec<(String, Arc<SourceFile>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = std::fs::read_dir(path).expect("the folder of cases");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == extension));
    paths.sort();
    let case = |path: &std::path::PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("readable");
        (name.clone(), source(&name, &text))
    };
    let found: Vec<_> = paths.iter().map(case).collect();
    assert!(!found.is_empty(), "no cases in {folder}");
    found
}

/// A text as a file.
pub(crate) fn source(name: &str, text: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile::new(name, text))
}

/// The constraints in a text that has some.
pub(crate) fn constraints(text: &str) -> Lowered {
    let read = read_constraints(&source("test.sc", text), "test");
    read.unwrap_or_else(|error| panic!("{}", render(&error, false)))
}

/// The scop in a text that has one.
pub(crate) fn scop(text: &str) -> ReadScop {
    let read = read_scop(&source("test.isl", text), "test");
    read.unwrap_or_else(|error| panic!("{}", render(&error, false)))
}

/// Constraints for people: statements, pairs, warnings.
pub(crate) fn shown(lowered: &Lowered) -> String {
    let mut text = format!("{}\n", lowered.scop);
    for constraint in &lowered.constraints {
        let _ = writeln!(text, "{} {}", constraint.kind.name(), constraint.pairs);
    }
    lowered.warnings.iter().for_each(|warning| text.push_str(&render(warning, false)));
    text
}
