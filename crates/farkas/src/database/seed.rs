//! The database that is shipped: recipes for the kernels of the repository, with times of the machine that measured them, and as
//! predicted for others. `recipes/README.md` says how it is made.

use super::told;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_db::{Database, Entry, LineError, read_line};
use std::path::Path;

/// What it is called, where others are files.
pub const SEED: &str = "seed";

/// Its entries.
const LINES: &str = include_str!("../../../../recipes/seed.jsonl");

/// Whether a path means the shipped database. A file of that name is `./seed`.
pub fn is_seed(path: &Path) -> bool {
    path.as_os_str() == SEED
}

/// The shipped database.
pub(super) fn seed() -> Result<Database, Box<Diagnostic>> {
    let read = || -> Result<Vec<Entry>, LineError> { LINES.lines().map(read_line).collect() };
    let entries = read().map_err(|error| {
        let message = format!("the shipped database has a line that is no entry: {error}");
        Box::new(Diagnostic::new(DiagnosticId::InternalError, message))
    })?;
    let filled = || {
        let mut database = Database::in_memory(Path::new(SEED))?;
        database.insert(&entries)?;
        Ok(database)
    };
    filled().map_err(|error: farkas_db::Error| told(&error))
}

/// The message on a shipped database that is to be written to.
pub(super) fn only_read() -> Box<Diagnostic> {
    let message = format!("`{SEED}` is the shipped database, which is only read");
    let diagnostic = Diagnostic::new(DiagnosticId::UnwritableOutput, message);
    Box::new(diagnostic.help(format!(
        "`farkas db merge {SEED} -o FILE` makes a file of it; a file of that name is `./{SEED}`"
    )))
}
