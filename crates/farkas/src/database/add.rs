//! Entries that are made of a region and a recipe for it.

use super::key::{Keyed, key_of};
use super::subject::by_itself;
use super::{open, replay, told};
use crate::{Error, Options};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_db::{Access, Compiler, Entry, Inserted, Origin};
use farkas_scop::Region;
use std::path::Path;

/// An entry for a region and a recipe for it, of which nothing was measured. It was replayed, and the result proved.
///
/// # Errors
/// What is wrong with the recipe; that the region is no program by itself.
pub fn entry_of(
    region: &Region,
    recipe: &str,
    options: &Options,
    compiler: &Compiler,
    origin: Origin,
) -> Result<Entry, Vec<Diagnostic>> {
    let Keyed { key, embedding } =
        key_of(region, options, compiler).map_err(|error| match error {
            Error::Refused(diagnostics) => diagnostics,
            error => vec![error.to_diagnostic()],
        })?;
    let text = by_itself(region, options, &key.nest).map_err(|why| vec![alone(region, &why)])?;
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

/// The message on a region that is no program by itself.
fn alone(region: &Region, why: &str) -> Diagnostic {
    let message = format!(
        "the region of `{}` cannot be kept in a database without the rest of its file: {why}",
        region.function
    );
    Diagnostic::new(DiagnosticId::BadEntry, message)
        .note("nothing was written")
        .help("use no macros in it, and arrays whose extents are numbers or sums of parameters")
}
