//! The one module that turns diagnostics into text.

use crate::{Diagnostic, Label, Severity, shown};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt::Write;

/// The diagnostic with source lines and carets, as a terminal shows it; coloured when `colour` is set.
pub fn render(diagnostic: &Diagnostic, colour: bool) -> String {
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Remark => Level::NOTE.with_name("remark"),
    };
    let title = level.primary_title(&diagnostic.message).id(diagnostic.id.name());
    let mut group = Group::with_title(title);
    if let Some(snippet) = snippet(diagnostic) {
        group = group.element(snippet);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut text = shown(&renderer.render(&[group])).into_owned();
    text.push('\n');
    text
}

/// The source excerpt with all labels of the diagnostic.
fn snippet(diagnostic: &Diagnostic) -> Option<Snippet<'_, annotate_snippets::Annotation<'_>>> {
    let source = diagnostic.source.as_deref()?;
    let primary = diagnostic.primary.as_ref()?;
    // A byte order mark is no part of the first line.
    let first = source.byte_order_mark().len();
    let lines = source.text().get(first..).unwrap_or("");
    let annotate = |kind: AnnotationKind, label: &Label| {
        let within = |at: usize| at.saturating_sub(first).min(lines.len());
        let range = within(label.span.range().start)..within(label.span.range().end);
        let text = (!label.message.is_empty()).then(|| label.message.clone());
        kind.span(range).label(text.map(std::borrow::Cow::Owned))
    };
    let annotations = std::iter::once(annotate(AnnotationKind::Primary, primary))
        .chain(diagnostic.secondary.iter().map(|label| annotate(AnnotationKind::Context, label)));
    Some(Snippet::source(lines).path(source.name()).fold(true).annotations(annotations))
}

/// One line: `FILE:LINE:COLUMN: error[id]: message`.
pub fn render_concise(diagnostic: &Diagnostic) -> String {
    let mut text = String::new();
    if let (Some(source), Some(primary)) = (&diagnostic.source, &diagnostic.primary) {
        let at = source.line_column(primary.span.start);
        let _ = write!(text, "{}:{}:{}: ", source.name(), at.line, at.column);
    }
    let _ = writeln!(
        text,
        "{}[{}]: {}",
        diagnostic.severity().name(),
        diagnostic.id,
        diagnostic.message
    );
    shown(&text).into_owned()
}

/// One JSON object on one line, for programs.
pub fn render_json(diagnostic: &Diagnostic) -> String {
    let place = |label: &Label| {
        let source = diagnostic.source.as_deref();
        let at = source.map(|s| s.line_column(label.span.start));
        serde_json::json!({
            "file": source.map(crate::SourceFile::name),
            "line": at.map(|a| a.line),
            "column": at.map(|a| a.column),
            "start": source.map(|s| s.file_offset(label.span.start)),
            "end": source.map(|s| s.file_offset(label.span.end)),
            "message": label.message,
        })
    };
    let value = serde_json::json!({
        "id": diagnostic.id.name(),
        "severity": diagnostic.severity().name(),
        "message": diagnostic.message,
        "primary": diagnostic.primary.as_ref().map(place),
        "secondary": diagnostic.secondary.iter().map(place).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    });
    shown(&format!("{value}\n")).into_owned()
}
