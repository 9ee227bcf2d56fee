//! Forgetting.

use crate::common::{PROGRAM, all, database, day, failed, key, measured, recipe};
use farkas_db::{Database, Embedding, Entry, FailureKind, Rules};
use std::path::Path;

/// Four recipes for one nest, from slow to fast but for the last, which only failed; a predicted one for another machine.
fn example(path: &Path) -> Database {
    let mut entries: Vec<Entry> =
        (0..4).map(|n| Entry::new(key("aa", "here"), PROGRAM, recipe(n))).collect();
    for (n, entry) in entries.iter_mut().take(3).enumerate() {
        entry.measurements.insert(measured(n, 1000, 900 - 100 * n as u64));
    }
    entries[2].measurements.insert(measured(9, 1000, 700));
    entries[2].failures.insert(failed(1, FailureKind::Crash));
    entries[3].failures.insert(failed(9, FailureKind::Illegal));
    let mut predicted = Entry::new(key("aa", "there"), PROGRAM, recipe(0));
    predicted.embedding = Some(Embedding { version: 1, values: vec![1.0] });
    entries.push(predicted);
    database(path, &entries)
}

/// What is left after forgetting: the recipes' numbers, with how many measurements and failures each has.
fn left(rules: &Rules) -> Vec<(String, usize, usize)> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut database = example(&folder.path().join("a.db"));
    let before = all(&database);
    let planned = database.prunable(rules).expect("readable");
    assert_eq!(all(&database), before, "a plan changes nothing");
    assert_eq!(database.prune(rules).expect("pruned"), planned);
    assert_eq!(database.prunable(rules).expect("readable"), [], "once is enough");
    assert_eq!(database.faults().expect("readable"), Vec::<String>::new());
    let numbered = |entry: &Entry| {
        let number = entry.recipe.split('"').nth(5).unwrap_or_default();
        let name = format!("{} {number}", entry.key.machine);
        (name, entry.measurements.len(), entry.failures.len())
    };
    all(&database).iter().map(numbered).collect()
}

/// The expected result.
fn as_owned(expected: &[(&str, usize, usize)]) -> Vec<(String, usize, usize)> {
    expected.iter().map(|&(name, m, f)| (name.to_owned(), m, f)).collect()
}

#[test]
fn each_rule_forgets_what_it_says() {
    let check = |rules: Rules, expected: &[(&str, usize, usize)]| {
        assert_eq!(left(&rules), as_owned(expected), "{rules:?}");
    };
    let all =
        [("here 0", 1, 0), ("here 1", 1, 0), ("here 2", 2, 1), ("here 3", 0, 1), ("there 0", 0, 0)];
    let rules = Rules::default;
    check(rules(), &all);
    check(Rules { machine: Some("there".into()), ..rules() }, &all[..4]);
    check(Rules { machine: Some("nowhere".into()), ..rules() }, &all);
    check(Rules { before: Some(day(2)), ..rules() }, &[("here 2", 2, 0), all[3], all[4]]);
    check(Rules { before: Some(day(99)), ..rules() }, &all[4..]);
    check(Rules { keep: Some(1), ..rules() }, &[all[2], all[3], all[4]]);
    check(Rules { keep: Some(0), ..rules() }, &[all[3], all[4]]);
    check(Rules { failures: true, ..rules() }, &[all[0], all[1], ("here 2", 2, 0), all[4]]);
    let machine = Some("there".into());
    check(Rules { failures: true, keep: Some(0), machine, ..rules() }, &all);
}

#[test]
fn nothing_is_left_of_what_nobody_needs() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut database = example(&folder.path().join("a.db"));
    let entries = all(&database);
    database.remove(&entries).expect("removed");
    assert_eq!(database.nests(None).expect("readable").items, []);
    database.insert(&entries).expect("inserted");
    assert_eq!(all(&database), entries);
}
