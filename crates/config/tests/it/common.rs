//! What the tests share: a scop to resolve against, and short ways to parse.

use farkas_base::{Diagnostic, SourceFile, render};
use farkas_config::{Influence, InfluenceFile, StrategyFile};
use farkas_schedule::Config;
use farkas_scop::{Scop, Statement};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scop and the file that it comes from.
pub(crate) struct Program {
    pub(crate) scop: Scop,
    source: Arc<SourceFile>,
}

impl Program {
    /// The program of these tests: `init` in one loop, S1 in two, S2 in three, S3 and S4 in none, on one line.
    pub(crate) fn new() -> Self {
        Self::of(include_str!("../program.c"))
    }

    /// The only region of a C text without directives but the pragmas.
    pub(crate) fn of(text: &str) -> Self {
        let source = Arc::new(SourceFile::new("program.c", text));
        let preprocessed = format!("# 1 \"program.c\"\n{text}");
        let options = farkas_front_c::Options::default();
        let (regions, diagnostics) =
            farkas_front_c::parse(Arc::clone(&source), &preprocessed, &options);
        assert!(!diagnostics.iter().any(Diagnostic::is_error), "{}", messages(&diagnostics));
        let region = regions.into_iter().next().expect("a region");
        Self { scop: region.scop, source }
    }

    /// The line of a statement.
    pub(crate) fn line(&self, stmt: &Statement) -> Option<u32> {
        stmt.span.map(|span| self.source.line(span))
    }

    /// Reads and resolves a strategy file.
    pub(crate) fn strategy(&self, text: &str) -> Result<Config, Vec<Diagnostic>> {
        strategy_file(text)?.resolve(&self.scop, |stmt| self.line(stmt))
    }

    /// Reads and resolves an influence file.
    pub(crate) fn influence(&self, text: &str) -> Result<Influence, Vec<Diagnostic>> {
        influence_file(text)?.resolve(&self.scop, |stmt| self.line(stmt))
    }

    /// The configuration of a strategy with these keys.
    pub(crate) fn config(&self, keys: &str) -> Config {
        let text = format!("{{ \"scheduling_strategy\": {{ {keys} }} }}");
        self.strategy(&text).unwrap_or_else(|errors| panic!("{}", messages(&errors)))
    }
}

/// Reads a strategy file.
pub(crate) fn strategy_file(text: &str) -> Result<StrategyFile, Vec<Diagnostic>> {
    StrategyFile::parse(Arc::new(SourceFile::new("strategy.json", text)))
}

/// Reads an influence file.
pub(crate) fn influence_file(text: &str) -> Result<InfluenceFile, Vec<Diagnostic>> {
    InfluenceFile::parse(Arc::new(SourceFile::new("influence.json", text)))
}

/// All diagnostics as a terminal shows them.
pub(crate) fn messages(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| render(d, false)).collect::<Vec<_>>().join("\n")
}

/// A file of each kind that has everything: strategy, influence tree, AKG's flat form.
pub(crate) const EVERYTHING: [&str; 3] = [
    include_str!("../everything/strategy.json"),
    include_str!("../everything/influence.json"),
    include_str!("../everything/akg.json"),
];

/// The JSON files of a folder, seen from the crate, by name.
pub(crate) fn json_files(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "json"));
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a readable file"))
    };
    paths.iter().map(read).collect()
}
