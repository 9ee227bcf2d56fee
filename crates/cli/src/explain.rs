//! `farkas explain`.

use crate::Status;
use crate::args::ExplainArgs;
use crate::messages::{Messages, output};
use crate::project::chosen;
use crate::regions::{failure, read_regions, select, with_shares};
use farkas::loops::{Summary, loops_report};
use farkas::{Options, Piece, leave_out, pieces};
use farkas_base::{Diagnostic, DiagnosticId};
use std::path::Path;

/// Explains a file, or documents a diagnostic; an existing file wins over an id of its name.
pub(crate) fn run(args: &ExplainArgs, messages: &Messages) -> Status {
    let path = Path::new(&args.input);
    if path.exists() {
        return explain_file(path, args, messages);
    }
    if let Some(id) = DiagnosticId::from_name(&args.input) {
        return messages.written(output(&documentation(id)), None);
    }
    let looks_like_id =
        args.input.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if !looks_like_id {
        return explain_file(path, args, messages);
    }
    messages.misuse(&neither(&args.input))
}

/// Explains every chosen region.
fn explain_file(path: &Path, args: &ExplainArgs, messages: &Messages) -> Status {
    let choice = match chosen(&args.transform, args.deps.deps, Some(path)) {
        Ok((choice, _)) => choice,
        Err(stop) => return messages.stop(stop),
    };
    let Some(input) = read_regions(path, &args.read, &choice.grants, messages) else {
        return Status::Refused;
    };
    let choice = Options { explains_influence: true, ..choice.of_file(&input.source) };
    let regions = match select(&input, args.region.as_deref()) {
        Ok(regions) => regions,
        Err(diagnostic) => return messages.misuse(&diagnostic),
    };
    let (mut found, mut choices) = (Vec::new(), Vec::new());
    for (region, choice) in with_shares(&input, regions, &choice) {
        found.extend(pieces(input.reading.as_ref(), region, &choice));
        choices.resize(found.len(), choice);
    }
    leave_out(&mut found, &choice);
    let (mut texts, mut summaries) = (Vec::new(), Vec::new());
    for (piece, choice) in found.into_iter().zip(choices) {
        let (name, span) = (piece.region.scop.name().to_owned(), piece.region.span);
        summaries.push(Summary { name, span, done: piece.summary() });
        let Piece { region, result, is_split } = piece;
        let explained = result
            .and_then(|optimized| farkas::explain::explain(&input, &region, &choice, &optimized));
        match explained {
            Ok(text) => texts.push(text),
            Err(error) if is_split && error.is_spent() => {}
            Err(error) => return messages.refuse_all(&failure(&input.source, &region, &error)),
        }
    }
    if args.region.is_none() && messages.are_json() {
        messages.tell_loops(&input, &summaries);
    } else if args.region.is_none() && !input.loops().is_empty() {
        texts.insert(0, loops_report(&input.source, input.loops(), &summaries));
    }
    messages.written(output(&texts.join("\n")), None)
}

/// The paragraph of a diagnostic under its name.
fn documentation(id: DiagnosticId) -> String {
    let lines: Vec<&str> = id.documentation().lines().map(str::trim).collect();
    format!("{}[{id}]\n\n{}\n", id.severity().name(), lines.join("\n"))
}

/// The message on an argument that is neither a file nor an id.
fn neither(argument: &str) -> Diagnostic {
    let message = format!("`{argument}` is neither a file nor the id of a diagnostic");
    let diagnostic = Diagnostic::new(DiagnosticId::BadOption, message);
    let mut near: Vec<(usize, &str)> = DiagnosticId::ALL
        .iter()
        .map(|id| (distance(argument, id.name()), id.name()))
        .filter(|(distance, name)| *distance <= 3 || shares_words(argument, name))
        .collect();
    near.sort_unstable();
    let names: Vec<String> = near.iter().take(4).map(|(_, name)| format!("`{name}`")).collect();
    if names.is_empty() {
        diagnostic.help("ids stand in brackets in messages: error[non-affine-subscript]")
    } else {
        diagnostic.help(format!("ids near to it: {}", names.join(", ")))
    }
}

/// Whether a whole word of more than three letters stands in both.
fn shares_words(a: &str, b: &str) -> bool {
    a.split(['-', '_']).any(|word| word.len() > 3 && b.split('-').any(|other| other == word))
}

/// Insertions, deletions and replacements of a character that lead from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_found() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        let help = |word| neither(word).help.unwrap_or_default();
        assert!(help("non-afine-subscript").contains("`non-affine-subscript`"));
        assert!(help("subscript").contains("`indirect-subscript`"));
        assert!(help("zzzzzzzzz").contains("brackets"));
    }
}
