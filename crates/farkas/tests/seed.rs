//! The shipped database: what it says of recipes still holds.

use farkas::database::{SEED, key_of, open, replay};
use farkas::{Options, machine_named};
use farkas_db::{Access, Entry, Error, Standing};
use std::collections::BTreeSet;
use std::path::Path;

/// All entries.
fn entries() -> Vec<Entry> {
    let database = open(Some(Path::new(SEED)), Access::Read).expect("the shipped database");
    let mut all = Vec::new();
    let damaged = database.each(None, |_, entries| {
        all.extend(entries);
        Ok::<(), Error>(())
    });
    assert_eq!(damaged.expect("entries"), []);
    all
}

/// The recipe of an entry does for its program, which is looked up by the entry's key.
fn check(entry: &Entry) {
    let name = format!("{} for {}", entry.key.short_nest(), entry.key.machine);
    let replayed = replay(entry).unwrap_or_else(|why| panic!("{name}: {why:?}"));
    let region = &replayed.input.regions[0];
    let keyed = key_of(region, &Options::default(), &entry.key.compiler).expect("a key");
    let made_again = "the normal form changed: make recipes/seed.jsonl again (kernels/seed.py)";
    assert_eq!(keyed.key.nest, entry.key.nest, "{name}: {made_again}");
    assert_eq!(keyed.key.normal_form, entry.key.normal_form, "{name}: {made_again}");
}

#[test]
fn entries_are_measured_here_and_predicted_elsewhere() {
    let entries = entries();
    let of = |standing: Standing| {
        let entries = entries.iter().filter(move |entry| entry.standing() == standing);
        entries.map(|entry| entry.key.machine.clone()).collect::<BTreeSet<String>>()
    };
    assert_eq!(of(Standing::Measured).len(), 1, "measured on one machine");
    assert!(of(Standing::Predicted).len() >= 2);
    for machine in of(Standing::Predicted) {
        machine_named(&machine).expect("a shipped machine");
    }
    assert!(entries.iter().all(|entry| entry.embedding.is_some()));
}

#[test]
fn a_sample_of_the_recipes_holds() {
    entries()
        .iter()
        .filter(|entry| entry.standing() != Standing::Failed)
        .step_by(29)
        .for_each(check);
}

#[test]
#[ignore = "long"]
fn all_recipes_hold() {
    entries().iter().filter(|entry| entry.standing() != Standing::Failed).for_each(check);
}
