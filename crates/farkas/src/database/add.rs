//! Entries that are made of a region and a recipe for it.

use super::key::{Keyed, key_of};
use super::replay::{only_region, program};
use super::{open, replay, told};
use crate::{Error, Options};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_db::{Access, Compiler, Entry, Inserted, Origin};
use farkas_scop::Region;
use std::path::Path;

/// An entry for a region of a file and a recipe for it, of which nothing was measured. It was replayed, and the result proved.
///
/// The program of the entry is the function around the region, as the file has it.
///
/// # Errors
/// What is wrong with the recipe; that the function cannot be read without the rest of the file.
pub fn entry_of(
    (source, region): (&SourceFile, &Region),
    recipe: &str,
    options: &Options,
    compiler: &Compiler,
    origin: Origin,
) -> Result<Entry, Vec<Diagnostic>> {
    let text = function_of(source, region).ok_or_else(|| vec![alone(region, "it has no end")])?;
    let keyed = |region: &Region| {
        key_of(region, options, compiler).map_err(|error| match error {
            Error::Refused(diagnostics) => diagnostics,
            error => vec![error.to_diagnostic()],
        })
    };
    let Keyed { key, embedding } = keyed(region)?;
    let own = program("program of an entry", &text).map_err(|mut why| {
        let first = why.drain(..).find(Diagnostic::is_error);
        vec![alone(region, first.as_ref().map_or("it is no program", |d| &d.message))]
    })?;
    if keyed(only_region(&own)?)?.key.nest != key.nest {
        return Err(vec![alone(region, "it does not compute the same")]);
    }
    let mut entry = Entry::new(key, text, recipe);
    entry.embedding = Some(embedding);
    entry.origins.insert(origin);
    replay(&entry)?;
    Ok(entry)
}

/// Puts entries into the database at `path`, or into the user's own; returns what was new.
///
/// # Errors
/// The message on a database that cannot be written to.
pub fn insert(path: Option<&Path>, entries: &[Entry]) -> Result<Inserted, Box<Diagnostic>> {
    let mut database = open(path, Access::Write)?;
    database.insert(entries).map_err(|error| told(&error))
}

/// The text of the function around a region, with the region between its pragmas; none where no such function is found.
fn function_of(source: &SourceFile, region: &Region) -> Option<String> {
    let text = source.text();
    let range = region.span.range();
    let (before, behind) = (text.get(..range.start)?, text.get(range.end..)?);
    let name = before.rfind(&format!("{}(", region.function))?;
    let start = before.get(..name)?.rfind('\n').map_or(0, |at| at + 1);
    let head = before.get(start..)?;
    let open = head.matches('{').count().checked_sub(head.matches('}').count())?;
    let end = closing(behind, open)?;
    let [head, tail] = [head, behind.get(..end)?].map(without_pragmas);
    let body = region.host.original.trim_matches('\n');
    Some(format!("{head}\n#pragma scop\n{body}\n#pragma endscop\n{tail}\n"))
}

/// A text without the lines that mark regions.
fn without_pragmas(text: &str) -> String {
    let is_mark = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        matches!(words.as_slice(), ["#pragma", "scop" | "endscop"])
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_mark(line)).collect();
    lines.join("\n")
}

/// The byte behind the brace that closes so many open ones.
fn closing(text: &str, mut open: usize) -> Option<usize> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' if open <= 1 => return Some(at + 1),
            b'}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// The message on a region whose function says too little.
fn alone(region: &Region, why: &str) -> Diagnostic {
    let message = format!(
        "the function `{}` cannot be kept in a database without the rest of its file: {why}",
        region.function
    );
    Diagnostic::new(DiagnosticId::BadEntry, message)
        .note("nothing was written")
        .help("declare all that it uses as its parameters, without macros")
}
