//! What the tests share.

use farkas_base::{Diagnostic, SourceFile, render};
use farkas_front_openscop::{Lowered, Parsed, parse, scop_of};
use std::path::Path;
use std::sync::Arc;

/// The files of a folder of cases with their names, sorted.
pub(crate) fn cases(folder: &str) -> Vec<(String, Arc<SourceFile>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = std::fs::read_dir(path).expect("the folder of cases");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "scop"));
    paths.sort();
    let case = |path: &std::path::PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("readable");
        (name.clone(), Arc::new(SourceFile::new(format!("{name}.scop"), text)))
    };
    let found: Vec<_> = paths.iter().map(case).collect();
    assert!(!found.is_empty(), "no cases in {folder}");
    found
}

/// The document in a text that has one.
pub(crate) fn parsed(text: impl Into<String>) -> (Arc<SourceFile>, Parsed) {
    let source = Arc::new(SourceFile::new("test.scop", text));
    let parsed = parse(&source).unwrap_or_else(|error| panic!("{}", render(&error, false)));
    (source, parsed)
}

/// All scops of a file that have statements.
pub(crate) fn lowered(
    source: &Arc<SourceFile>,
    parsed: &Parsed,
) -> Result<Vec<Lowered>, Box<Diagnostic>> {
    let scops = parsed.document.scops.iter().enumerate();
    let full = scops.filter(|(_, scop)| !scop.statements.is_empty());
    full.map(|(at, _)| scop_of(source, parsed, at, &format!("scop{at}"))).collect()
}
