//! Every loop of a file and what came of it, for people.

use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use farkas_front_c::{FileLoop, LoopOutcome};
use std::fmt::Write;
use std::sync::Arc;

/// What became of a region, or of a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// The bytes of the file that it is.
    pub span: Span,
    /// What was done, in a few words.
    pub done: String,
}

/// The loops of a file with what was done to the smallest of the regions and parts around each that `done` tells of, or with
/// what stopped it and what would help; once for loops in a row of which the same is to be told. Empty for a file without loops.
pub fn loops_report(source: &SourceFile, loops: &[FileLoop], done: &[Summary]) -> String {
    let mut text = String::new();
    if !loops.is_empty() {
        let _ = writeln!(text, "loops of {}:", source.name());
    }
    let told: Vec<(&FileLoop, String)> =
        loops.iter().map(|one| (one, what_came(source, one, done))).collect();
    for alike in told.chunk_by(|a, b| a.1 == b.1) {
        for (one, _) in alike {
            let _ = writeln!(text, "  line {}: {}", source.line(one.span), one.header);
        }
        if let Some((_, came)) = alike.first() {
            text.push_str(came);
        }
    }
    text
}

/// What came of a loop, in lines.
fn what_came(source: &SourceFile, one: &FileLoop, done: &[Summary]) -> String {
    match &one.outcome {
        LoopOutcome::InRegion(name) => format!("    in region {}\n", outcome(one, name, done)),
        LoopOutcome::LeftAlone(obstacle) => obstacle_lines(source, one, obstacle),
    }
}

/// What became of the smallest of the regions and parts around a loop of the region called `name`.
fn outcome(one: &FileLoop, name: &str, done: &[Summary]) -> String {
    let is_around = |of: &&Summary| of.span.start <= one.span.start && one.span.end <= of.span.end;
    match done.iter().filter(is_around).min_by_key(|of| of.span.end - of.span.start) {
        Some(Summary { name, done, .. }) => format!("`{name}`: {done}"),
        None => format!("`{name}`"),
    }
}

/// A remark on each loop of a file, in its order: what became of it, or what stopped it.
pub fn remarks(source: &Arc<SourceFile>, loops: &[FileLoop], done: &[Summary]) -> Vec<Diagnostic> {
    let remark = |one: &FileLoop| match &one.outcome {
        LoopOutcome::LeftAlone(obstacle) => (**obstacle).clone(),
        LoopOutcome::InRegion(name) => {
            let message = format!("a loop is in region {}", outcome(one, name, done));
            Diagnostic::new(DiagnosticId::LoopInRegion, message).at(source, one.span, &*one.header)
        }
    };
    loops.iter().map(remark).collect()
}

/// Why a loop is left alone.
fn obstacle_lines(source: &SourceFile, one: &FileLoop, obstacle: &Diagnostic) -> String {
    let reason = obstacle.message.strip_prefix("a loop is ").unwrap_or(&obstacle.message);
    let label = obstacle.primary.as_ref();
    let detail = label.filter(|label| !label.message.is_empty());
    let detail = detail.map(|label| format!(": {}", label.message)).unwrap_or_default();
    let at = label.map(|label| source.line(label.span)).filter(|&at| at != source.line(one.span));
    let at = at.map(|at| format!(" (line {at})")).unwrap_or_default();
    let mut text = format!("    {reason}{at}{detail}\n");
    for note in &obstacle.notes {
        let _ = writeln!(text, "    note: {note}");
    }
    if let Some(help) = &obstacle.help {
        let _ = writeln!(text, "    help: {help}");
    }
    text
}

/// One remark that some loops are left alone; none where all are in regions.
pub fn summary(loops: &[FileLoop]) -> Option<Diagnostic> {
    let is_left_alone = |one: &&FileLoop| matches!(one.outcome, LoopOutcome::LeftAlone(_));
    let n = loops.iter().filter(is_left_alone).count();
    let message = match (n, loops.len()) {
        (0, _) => return None,
        (1, 1) => "the only loop is left alone".to_owned(),
        (1, all) => format!("1 of {all} loops is left alone"),
        (n, all) => format!("{n} of {all} loops are left alone"),
    };
    let diagnostic = Diagnostic::new(DiagnosticId::LoopLeftAlone, message);
    Some(diagnostic.help("`farkas explain --auto`, or --report, lists each with its reason"))
}
