//! Random entries, and databases in temporary folders.

use farkas_damage::Random;
use farkas_db::{
    Access, Compiler, Database, Date, Embedding, Entry, Failure, FailureKind, Key, Measurement,
    Origin, Samples, line_of,
};
use std::path::Path;

/// A program that recipes may speak of; no test here looks into it.
pub(crate) const PROGRAM: &str = "void f(int n, double a[n])\n{\n#pragma scop\n    for (int i = 0; i < n; i++)\n        a[i] = 2 * a[i];\n#pragma endscop\n}\n";

/// A key of a nest on a machine.
pub(crate) fn key(nest: &str, machine: &str) -> Key {
    Key {
        nest: nest.into(),
        normal_form: 1,
        elements: "double".into(),
        size_class: "large".into(),
        machine: machine.into(),
        compiler: Compiler { name: "gcc".into(), version: "14.2.0".into() },
    }
}

/// A recipe that says of itself which it is.
pub(crate) fn recipe(number: usize) -> String {
    format!(r#"{{ "recipe": {{ "name": "{number}", "steps": [] }} }}"#)
}

/// A date.
pub(crate) fn day(n: usize) -> Date {
    Date::from_seconds(1_700_000_000 + 86_400 * n as u64).expect("a date")
}

/// A measurement on a day, with times of the original and of the recipe's code.
pub(crate) fn measured(at: usize, baseline: u64, recipe: u64) -> Measurement {
    let samples = |ns: u64| Samples { threads: 1, ns: vec![ns, ns + 1, ns + 2] };
    Measurement {
        at: day(at),
        environment: "-O3".into(),
        baseline: samples(baseline),
        recipe: samples(recipe),
    }
}

/// A failure on a day.
pub(crate) fn failed(at: usize, kind: FailureKind) -> Failure {
    Failure { at: day(at), kind, threads: 2, text: "as \"it\" is\n".into() }
}

/// A random entry, of few keys and recipes, so that many have something in common.
pub(crate) fn entry(random: &mut Random) -> Entry {
    let nest = random.pick(&["aa00", "aa01", "b2"]);
    let machine = random.pick(&["amd-zen4", "a machine, é"]);
    let program = random.pick(&[PROGRAM, "void g(void);"]);
    let mut entry = Entry::new(key(nest, machine), program, recipe(random.below(3)));
    entry.key.size_class = random.pick(&["small", "large"]).into();
    for _ in 0..random.below(3) {
        entry.origins.insert(random.pick(Origin::ALL));
    }
    for _ in 0..random.below(3) {
        let times = [0, 1].map(|_| 1 + random.below(4) as u64);
        entry.measurements.insert(measured(random.below(3), times[0], times[1]));
    }
    if random.chance(30) {
        entry.failures.insert(failed(random.below(3), random.pick(FailureKind::ALL)));
    }
    if random.chance(30) {
        let version = 1 + random.below(2) as u32;
        let values = vec![0.1, -1.5e-9, random.below(2) as f32];
        entry.embedding = Some(Embedding { version, values });
    }
    entry
}

/// Some random entries.
pub(crate) fn entries(random: &mut Random, most: usize) -> Vec<Entry> {
    (0..random.below(most + 1)).map(|_| entry(random)).collect()
}

/// A database with entries, inserted one after another.
pub(crate) fn database(path: &Path, entries: &[Entry]) -> Database {
    let mut database = Database::open(path, Access::Write).expect("a database");
    for entry in entries {
        database.insert(std::slice::from_ref(entry)).expect("inserted");
    }
    database
}

/// All entries of a database, of which nothing may be damaged.
pub(crate) fn all(database: &Database) -> Vec<Entry> {
    let mut all = Vec::new();
    let damaged = database.each(None, |_, entries| {
        all.extend(entries);
        Ok::<(), farkas_db::Error>(())
    });
    assert_eq!(damaged.expect("readable"), []);
    all
}

/// A database as an export has it.
pub(crate) fn lines(database: &Database) -> Vec<String> {
    all(database).iter().map(|entry| line_of(entry).expect("a line")).collect()
}
