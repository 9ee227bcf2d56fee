//! Which entries of a database still hold.

use super::{counted, replay, told};
use crate::threads::alone;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_db::{Damage, Database, Entry, Standing};

/// An entry whose recipe does not do for its program.
#[derive(Clone, Debug)]
pub struct Unusable {
    /// The entry.
    pub entry: Entry,
    /// Why.
    pub reason: Box<Diagnostic>,
}

/// What a database holds.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Entries that were replayed.
    pub n_replayed: usize,
    /// Entries that say of themselves that they failed: nobody takes their recipes.
    pub n_failed: usize,
    /// Entries that cannot be used.
    pub unusable: Vec<Unusable>,
    /// What is damaged.
    pub damaged: Vec<Damage>,
    /// What is wrong with the file as a whole.
    pub faults: Vec<String>,
}

impl Known {
    /// Whether nothing is wrong.
    pub fn is_good(&self) -> bool {
        self.unusable.is_empty() && self.damaged.is_empty() && self.faults.is_empty()
    }
}

/// Replays all entries of a database, and looks at the file as a whole. `tell` is told how many keys are done, and of how many.
///
/// # Errors
/// The message on a file that cannot be read.
pub fn verify(
    database: &Database,
    tell: &mut dyn FnMut(usize, usize),
) -> Result<Known, Box<Diagnostic>> {
    let faults = database.faults().map_err(|error| told(&error))?;
    let nests = database.nests(None).map_err(|error| told(&error))?;
    let mut known = Known { faults, damaged: nests.damaged, ..Known::default() };
    for (done, nest) in nests.items.iter().enumerate() {
        tell(done, nests.items.len());
        let found = database.exact(&nest.key).map_err(|error| told(&error))?;
        known.damaged.extend(found.damaged);
        for entry in found.items {
            if entry.standing() == Standing::Failed {
                known.n_failed += 1;
                continue;
            }
            known.n_replayed += 1;
            if let Err(reason) = holds(&entry) {
                known.unusable.push(Unusable { entry, reason });
            }
        }
    }
    Ok(known)
}

/// Whether an entry can be used; on a thread of its own, so that what isl remembers of others changes nothing.
fn holds(entry: &Entry) -> Result<(), Box<Diagnostic>> {
    let verdict = alone(|| replay(entry).map(|_| ()));
    let diagnostics = match verdict {
        Some(Ok(())) => return Ok(()),
        Some(Err(diagnostics)) => diagnostics,
        None => Vec::new(),
    };
    let first = diagnostics.into_iter().find(Diagnostic::is_error);
    let mut first = first.unwrap_or_else(|| {
        Diagnostic::new(DiagnosticId::InternalError, "it could not be replayed")
    });
    // What commands say that would have written something.
    first.notes.retain(|note| note != "nothing was written");
    let (key, id) = (&entry.key, entry.id().to_string());
    let which = format!(
        "recipe {} for nest {} ({}, {}, {})",
        id.get(..12).unwrap_or(&id),
        key.short_nest(),
        key.machine,
        key.compiler,
        key.size_class
    );
    let message = format!("{which} cannot be used: {}", first.message);
    Err(Box::new(Diagnostic { id: DiagnosticId::UnusableEntry, message, ..first }))
}

/// Removes what is damaged and what cannot be used.
///
/// # Errors
/// The message on a file that cannot be written to.
pub fn remove_unusable(database: &mut Database, known: &Known) -> Result<(), Box<Diagnostic>> {
    let entries: Vec<Entry> = known.unusable.iter().map(|u| u.entry.clone()).collect();
    let removed = database.remove_damaged(&known.damaged).and_then(|()| database.remove(&entries));
    removed.map_err(|error| told(&error))
}

/// What was found, on a line; `is_removed` says whether what cannot be used was taken out.
pub fn describe_known(known: &Known, is_removed: bool) -> String {
    let Known { n_replayed, n_failed, unusable, damaged, .. } = known;
    let (n_unusable, n_damaged) = (unusable.len(), damaged.len());
    let removed = if is_removed && n_unusable + n_damaged > 0 { ", taken out" } else { "" };
    let replayed = counted(*n_replayed, "recipe");
    format!(
        "{replayed} replayed, {n_failed} known to fail left alone; {n_unusable} cannot be used, {n_damaged} damaged{removed}\n"
    )
}
