//! Entries in and out as lines of JSON.

use super::{Filter, counted, damage, open, told};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use farkas_config::RecipeFile;
use farkas_db::{Access, Damage, Database, Entry, Inserted, line_of, read_line};
use farkas_run::read_source_within;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most bytes of a file that is imported.
const MAX_IMPORT_BYTES: u64 = 512 << 20;

/// Messages on lines that are kept: whoever reads them corrects the file before there are more.
const MAX_MESSAGES: usize = 100;

/// The entries that a filter lets through as lines, sorted, and what is damaged and left out. The same entries are the same bytes, however
/// they came into the database.
///
/// # Errors
/// The message on a database that cannot be read.
pub fn export(
    database: &Database,
    filter: &Filter,
) -> Result<(String, Vec<Damage>), Box<Diagnostic>> {
    let mut text = String::new();
    let damaged = database.each(filter.machine.as_deref(), |nest, entries| {
        let chosen = entries.iter().filter(|entry| filter.has(&nest.key) && filter.is_of(entry));
        for entry in chosen {
            let line = line_of(entry).map_err(|error| unprintable(&error))?;
            text.push_str(&line);
            text.push('\n');
        }
        Ok(())
    });
    let damaged = damaged.map_err(|failure: Failure| failure.0)?;
    Ok((text, damaged))
}

/// Puts all lines of files into the database at `path`, or into the user's own; returns what was new.
///
/// # Errors
/// What is wrong with lines, each with its place: nothing is written then. The message on a database that cannot be written to.
pub fn import(path: Option<&Path>, files: &[PathBuf]) -> Result<Inserted, Vec<Diagnostic>> {
    let mut entries = Vec::new();
    let mut refused = Vec::new();
    for file in files {
        match read_source_within(file, MAX_IMPORT_BYTES) {
            Ok(source) => read_lines(&source, &mut entries, &mut refused),
            Err(diagnostic) => refused.push(*diagnostic),
        }
    }
    if !refused.is_empty() {
        refused.truncate(MAX_MESSAGES);
        return Err(refused);
    }
    let mut database = open(path, Access::Write).map_err(|diagnostic| vec![*diagnostic])?;
    database.insert(&entries).map_err(|error| vec![*told(&error)])
}

/// Puts all that databases know into the one at `into`, or into the user's own, one after another; returns what was new, and the warnings on
/// what is damaged and left out.
///
/// # Errors
/// The message on a database that cannot be used. Nothing is written where one of `files` cannot be opened.
pub fn merge(
    files: &[PathBuf],
    into: Option<&Path>,
) -> Result<(Inserted, Vec<Diagnostic>), Box<Diagnostic>> {
    let sources: Result<Vec<Database>, _> =
        files.iter().map(|file| open(Some(file), Access::Read)).collect();
    let sources = sources?;
    let mut database = open(into, Access::Write)?;
    let mut inserted = Inserted::default();
    let mut warnings = Vec::new();
    for source in &sources {
        let (new, damaged) = database.merge(source).map_err(|error| told(&error))?;
        inserted += new;
        warnings.extend(damage(source.path(), &damaged));
    }
    Ok((inserted, warnings))
}

/// What was new, on a line.
pub fn describe_inserted(inserted: &Inserted) -> String {
    format!(
        "new: {}, {}, {}\n",
        counted(inserted.entries, "recipe"),
        counted(inserted.measurements, "measurement"),
        counted(inserted.failures, "failure")
    )
}

/// Reads the lines of a file; empty ones count for nothing.
fn read_lines(source: &Arc<SourceFile>, entries: &mut Vec<Entry>, refused: &mut Vec<Diagnostic>) {
    let mut number = 1;
    while let Some(range) = source.line_range(number) {
        number += 1;
        let line = source.text().get(range.clone()).unwrap_or_default();
        if line.trim().is_empty() {
            continue;
        }
        match read_line(line) {
            Ok(entry) => match recipe_fault(&entry) {
                None => entries.push(entry),
                Some(fault) => refused.push(refusal(source, range.start, &fault.message)),
            },
            Err(error) => {
                let at = range.start + error.offset;
                refused.push(refusal(source, at, &error.reason).help(error.help));
            }
        }
    }
}

/// What is wrong with the recipe of an entry, if it is none for any program.
fn recipe_fault(entry: &Entry) -> Option<Diagnostic> {
    let source = Arc::new(SourceFile::new("recipe", entry.recipe.as_str()));
    RecipeFile::parse(source).err()?.into_iter().next()
}

/// The message on a line, at a byte of the file.
fn refusal(source: &Arc<SourceFile>, at: usize, reason: &str) -> Diagnostic {
    let message = format!("this line is no entry: {reason}");
    Diagnostic::new(DiagnosticId::BadEntry, message)
        .at(source, Span::new(at..at), "")
        .note("nothing was written")
}

/// Why an export ends early.
struct Failure(Box<Diagnostic>);

impl From<farkas_db::Error> for Failure {
    fn from(error: farkas_db::Error) -> Self {
        Self(told(&error))
    }
}

/// The message on an entry that has no line.
fn unprintable(error: &serde_json::Error) -> Failure {
    let message = format!("an entry cannot be written as a line: {error}");
    Failure(Box::new(Diagnostic::new(DiagnosticId::InternalError, message)))
}
