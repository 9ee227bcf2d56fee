//! All that is known of one nest.

use super::list::origins;
use super::told;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_db::{Damage, Database, Entry, Failure, Key, Measurement, Nest, Samples, line_of};
use farkas_run::time_words;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The most nests that a message lists.
const MAX_CANDIDATES: usize = 20;

/// Everything about the one nest whose hash begins with `prefix`, on all machines, for people or as lines of JSON; and what is
/// damaged of it.
///
/// # Errors
/// That there is no such nest, or which there are; the message on a database that cannot be read.
pub fn show(
    database: &Database,
    prefix: &str,
    as_json: bool,
) -> Result<(String, Vec<Damage>), Box<Diagnostic>> {
    let all = database.nests(None).map_err(|error| told(&error))?;
    let mut damaged = all.damaged;
    let nests = of_prefix(&all.items, prefix)?;
    let mut text = String::new();
    for nest in nests {
        let found = database.exact(&nest.key).map_err(|error| told(&error))?;
        damaged.extend(found.damaged);
        if as_json {
            let lines = found.items.iter().filter_map(|entry| line_of(entry).ok());
            lines.for_each(|line| text.extend([line.as_str(), "\n"]));
        } else {
            tell_key(&mut text, nest);
            found.items.iter().for_each(|entry| tell_entry(&mut text, entry));
        }
    }
    Ok((text, damaged))
}

/// The keys of the one nest whose hash begins with `prefix`.
fn of_prefix<'n>(nests: &'n [Nest], prefix: &str) -> Result<Vec<&'n Nest>, Box<Diagnostic>> {
    let unknown = |message: String| Diagnostic::new(DiagnosticId::UnknownEntry, message);
    if !Key::is_prefix(prefix) {
        let message =
            format!("`{prefix}` begins no hash: hashes have the digits 0 to 9 and a to f");
        return Err(Box::new(unknown(message).help("`farkas db list` shows all nests")));
    }
    let fitting: Vec<&Nest> =
        nests.iter().filter(|nest| nest.key.nest.starts_with(prefix)).collect();
    let hashes: BTreeSet<&str> = fitting.iter().map(|nest| nest.key.nest.as_str()).collect();
    if hashes.is_empty() {
        let message = format!("no nest in the database has a hash that begins with `{prefix}`");
        return Err(Box::new(unknown(message).help("`farkas db list` shows all nests")));
    }
    if hashes.len() > 1 && !hashes.contains(prefix) {
        let message = format!("{} nests have a hash that begins with `{prefix}`", hashes.len());
        let some = hashes.iter().take(MAX_CANDIDATES);
        let diagnostic = some.fold(unknown(message), |told, hash| told.note(*hash));
        return Err(Box::new(diagnostic.help("give more digits")));
    }
    Ok(fitting.into_iter().filter(|nest| hashes.len() == 1 || nest.key.nest == prefix).collect())
}

/// Writes what there is to say of a key.
fn tell_key(text: &mut String, nest: &Nest) {
    let key = &nest.key;
    let gap = if text.is_empty() { "" } else { "\n" };
    let _ = writeln!(text, "{gap}nest {}, normal form {}", key.nest, key.normal_form);
    let (machine, compiler) = (&key.machine, &key.compiler);
    let _ = writeln!(
        text,
        "on {machine} with {compiler}, sizes {}, elements {}",
        key.size_class, key.elements
    );
    if let Some(embedding) = &nest.embedding {
        let (n, version) = (embedding.values.len(), embedding.version);
        let _ = writeln!(text, "embedding of version {version}, {n} numbers");
    }
}

/// Writes all of an entry.
fn tell_entry(text: &mut String, entry: &Entry) {
    let id = entry.id().to_string();
    let _ = write!(text, "\nrecipe {}: {}", id.get(..12).unwrap_or(&id), entry.standing());
    if !entry.origins.is_empty() {
        let _ = write!(text, ", found by {}", origins(entry));
    }
    text.push('\n');
    for speedup in entry.speedups() {
        let (own, original) = (speedup.recipe_threads, speedup.baseline_threads);
        let _ = writeln!(
            text,
            "  {:.2} times as fast on {} as the original on {}",
            speedup.ratio,
            threads(own),
            threads(original)
        );
    }
    entry.measurements.iter().for_each(|measurement| tell_measurement(text, measurement));
    entry.failures.iter().for_each(|failure| tell_failure(text, failure));
    tell_text(text, "recipe", &entry.recipe);
    tell_text(text, "program", &entry.program);
}

/// Writes a measurement.
fn tell_measurement(text: &mut String, measurement: &Measurement) {
    let Measurement { at, environment, baseline, recipe } = measurement;
    let with = if environment.is_empty() { String::new() } else { format!(", {environment}") };
    let _ = writeln!(text, "  measured {at}{with}");
    let _ = writeln!(text, "    original: {}", times(baseline));
    let _ = writeln!(text, "    recipe:   {}", times(recipe));
}

/// Samples on one line.
fn times(samples: &Samples) -> String {
    let ns: Vec<String> = samples.ns.iter().map(u64::to_string).collect();
    let median = time_words(samples.median() * 1e-9);
    format!("{median} on {}, of {} ns", threads(samples.threads), ns.join(", "))
}

/// A number of threads in words.
fn threads(n: u32) -> String {
    if n == 1 { "1 thread".to_owned() } else { format!("{n} threads") }
}

/// Writes a failure.
fn tell_failure(text: &mut String, failure: &Failure) {
    let Failure { at, kind, threads: n, text: said } = failure;
    let on = if *n == 0 { String::new() } else { format!(" on {}", threads(*n)) };
    let _ = writeln!(text, "  failed {at}{on}: {kind}: {said}");
}

/// Writes a text under what it is.
fn tell_text(text: &mut String, what: &str, said: &str) {
    let _ = writeln!(text, "  {what}");
    // What others wrote must not steer a terminal.
    let printable =
        |c: char| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
    for line in said.lines() {
        let line: String = line.chars().map(printable).collect();
        let _ = writeln!(text, "{}", format!("    {line}").trim_end());
    }
}
