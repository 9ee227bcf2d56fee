//! What is forgotten, in the words of people.

use super::counted;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_db::{Date, Pruned, Rules};
use farkas_run::{Align, Table};
use std::time::{Duration, SystemTime};

/// An age as people write it: `90d`, `6months`.
///
/// # Errors
/// Why it is none.
pub fn age(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error}: expected an age, as in 90d or 6months"))
}

/// The rules to forget by: `max_age` counts from now.
///
/// # Errors
/// That the clock of this machine shows no date; that nothing is to be forgotten.
pub fn rules(
    machine: Option<String>,
    max_age: Option<Duration>,
    keep: Option<usize>,
    failures: bool,
) -> Result<Rules, Box<Diagnostic>> {
    let refused = |message: String| Box::new(Diagnostic::new(DiagnosticId::BadOption, message));
    let before = match max_age {
        None => None,
        Some(age) => {
            let now = Date::from_time(SystemTime::now());
            let now = now.map_err(|error| refused(format!("the clock shows {error}")))?;
            Some(now.before(age))
        }
    };
    let rules = Rules { machine, before, keep, failures };
    if rules.is_empty() {
        let message =
            "nothing says what to forget: expected --older-than, --keep, --failures or --machine";
        return Err(refused(message.into()));
    }
    Ok(rules)
}

/// What goes as a table, with a line that counts it.
pub fn describe_pruned(pruned: &[Pruned], is_trial: bool) -> String {
    let mut table = Table::new(&[
        ("nest", Align::Left),
        ("machine", Align::Left),
        ("sizes", Align::Left),
        ("recipe", Align::Left),
        ("measurements", Align::Right),
        ("failures", Align::Right),
        ("what goes", Align::Left),
    ]);
    for Pruned { entry, is_gone, n_measurements, n_failures } in pruned {
        let id = entry.id().to_string();
        table.row(vec![
            entry.key.short_nest().to_owned(),
            entry.key.machine.clone(),
            entry.key.size_class.clone(),
            id.get(..12).unwrap_or(&id).to_owned(),
            n_measurements.to_string(),
            n_failures.to_string(),
            if *is_gone { "the recipe" } else { "these" }.to_owned(),
        ]);
    }
    let n_gone = pruned.iter().filter(|pruned| pruned.is_gone).count();
    let n_measurements: usize = pruned.iter().map(|pruned| pruned.n_measurements).sum();
    let n_failures: usize = pruned.iter().map(|pruned| pruned.n_failures).sum();
    let verb = if is_trial { "would go" } else { "gone" };
    let table = if pruned.is_empty() { String::new() } else { format!("{table}\n") };
    format!(
        "{table}{verb}: {}, {}, {}\n",
        counted(n_gone, "recipe"),
        counted(n_measurements, "measurement"),
        counted(n_failures, "failure")
    )
}
