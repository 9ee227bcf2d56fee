//! What is known only grows, and it makes no difference in which order.

use crate::common::{all, database, entries, entry, lines};
use farkas_damage::Random;
use farkas_db::{Access, Database, Entry, Inserted, line_of, read_line};
use proptest::prelude::*;
use std::path::Path;

/// What is known after entries were inserted in any order: what databases must agree with.
fn known(entries: &[Entry]) -> Vec<Entry> {
    let mut known: Vec<Entry> = Vec::new();
    for new in entries {
        let Some(old) = known.iter_mut().find(|old| old.id() == new.id()) else {
            known.push(Entry { embedding: None, ..new.clone() });
            continue;
        };
        old.origins.extend(&new.origins);
        old.measurements.extend(new.measurements.iter().cloned());
        old.failures.extend(new.failures.iter().cloned());
    }
    for entry in &mut known {
        let of_key = entries.iter().filter(|other| other.key == entry.key);
        let bits = |e: &farkas_db::Embedding| {
            (e.version, e.values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
        };
        entry.embedding = of_key.filter_map(|other| other.embedding.clone()).max_by_key(bits);
    }
    known.sort_by(|a, b| (&a.key, &a.program, &a.recipe).cmp(&(&b.key, &b.program, &b.recipe)));
    known
}

/// A new database that databases were merged into.
fn merged(path: &Path, parts: &[&Database]) -> Database {
    let mut whole = Database::open(path, Access::Write).expect("a database");
    for part in parts {
        assert_eq!(whole.merge(part).expect("merged").1, []);
    }
    whole
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_insertions_makes_no_difference(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let mut inserted = entries(&mut random, 12);
        let first = database(&folder.path().join("first.db"), &inserted);
        let expected = known(&inserted);
        prop_assert_eq!(&all(&first), &expected);
        let again: Vec<Entry> = inserted.iter().filter(|_| random.chance(50)).cloned().collect();
        inserted.extend(again);
        inserted.reverse();
        let mut second = Database::open(&folder.path().join("second.db"), Access::Write)?;
        second.insert(&inserted)?;
        prop_assert_eq!(lines(&second), lines(&first));
    }

    #[test]
    fn merging_is_commutative_associative_and_idempotent(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let parts = [(); 3].map(|()| entries(&mut random, 6));
        let [a, b, c] = &parts;
        let [a, b, c] = [("a", a), ("b", b), ("c", c)].map(|(name, part)| database(&path(name), part));
        let expected = known(&parts.concat());
        let left = merged(&path("a+b"), &[&a, &b]);
        let right = merged(&path("c+b"), &[&c, &b]);
        for (name, order) in [("(a+b)+c", [&left, &c]), ("a+(c+b)", [&a, &right]), ("(c+b)+a", [&right, &a])] {
            let mut whole = merged(&path(name), &order);
            prop_assert_eq!(&all(&whole), &expected);
            let before = lines(&whole);
            for part in [&a, &left, &right] {
                prop_assert_eq!(whole.merge(part)?, (Inserted::default(), vec![]));
            }
            prop_assert_eq!(lines(&whole), before);
        }
    }

    #[test]
    fn lines_say_all_there_is(seed in any::<u64>()) {
        let entry = entry(&mut Random::new(seed));
        let line = line_of(&entry)?;
        prop_assert_eq!(read_line(&line)?, entry);
    }
}

#[test]
fn a_database_has_nothing_new_for_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let mut own = database(&path, &entries(&mut Random::new(1), 9));
    let other = Database::open(&path, Access::Read).expect("a database");
    assert_eq!(own.merge(&other).expect("merged"), (Inserted::default(), Vec::new()));
}
