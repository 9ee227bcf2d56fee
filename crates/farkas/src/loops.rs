//! Every loop of a file and what came of it, for people.

use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_front_c::{FileLoop, LoopOutcome};
use std::fmt::Write;

/// The loops of a file, each with what was done, or with what stopped it and what would help; `done` says what became of the
/// regions, by name. Empty for a file without loops.
pub fn loops_report(source: &SourceFile, loops: &[FileLoop], done: &[(String, String)]) -> String {
    let mut text = String::new();
    if !loops.is_empty() {
        let _ = writeln!(text, "loops of {}:", source.name());
    }
    for one in loops {
        let _ = writeln!(text, "  line {}: {}", source.line(one.span), one.header);
        match &one.outcome {
            LoopOutcome::InRegion(name) => {
                let done = done.iter().find(|(region, _)| region == name);
                let done = done.map(|(_, what)| format!(": {what}")).unwrap_or_default();
                let _ = writeln!(text, "    in region `{name}`{done}");
            }
            LoopOutcome::LeftAlone(obstacle) => write_obstacle(&mut text, source, one, obstacle),
        }
    }
    text
}

/// Writes why a loop is left alone.
fn write_obstacle(text: &mut String, source: &SourceFile, one: &FileLoop, obstacle: &Diagnostic) {
    let reason = obstacle.message.strip_prefix("a loop is ").unwrap_or(&obstacle.message);
    let label = obstacle.primary.as_ref();
    let detail = label.filter(|label| !label.message.is_empty());
    let detail = detail.map(|label| format!(": {}", label.message)).unwrap_or_default();
    let at = label.map(|label| source.line(label.span)).filter(|&at| at != source.line(one.span));
    let at = at.map(|at| format!(" (line {at})")).unwrap_or_default();
    let _ = writeln!(text, "    {reason}{at}{detail}");
    for note in &obstacle.notes {
        let _ = writeln!(text, "    note: {note}");
    }
    if let Some(help) = &obstacle.help {
        let _ = writeln!(text, "    help: {help}");
    }
}

/// The remarks on the loops that are left alone, as messages.
pub fn left_alone(loops: &[FileLoop]) -> impl Iterator<Item = &Diagnostic> {
    loops.iter().filter_map(|one| match &one.outcome {
        LoopOutcome::LeftAlone(obstacle) => Some(&**obstacle),
        LoopOutcome::InRegion(_) => None,
    })
}

/// One remark that some loops are left alone; none where all are in regions.
pub fn summary(loops: &[FileLoop]) -> Option<Diagnostic> {
    let n = left_alone(loops).count();
    let message = match (n, loops.len()) {
        (0, _) => return None,
        (1, 1) => "the only loop is left alone".to_owned(),
        (1, all) => format!("1 of {all} loops is left alone"),
        (n, all) => format!("{n} of {all} loops are left alone"),
    };
    let diagnostic = Diagnostic::new(DiagnosticId::LoopLeftAlone, message);
    Some(diagnostic.help("`farkas explain --auto`, or --report, lists each with its reason"))
}
