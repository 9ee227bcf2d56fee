//! Files that are cut off or changed: each is refused with a message, or gives nothing that was not written.

use crate::common::{database, entries, entry};
use farkas_damage::Random;
use farkas_db::{Access, Database, Entry, Error};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A whole database as bytes, what is in it, and a place to damage it at.
struct Whole {
    _folder: TempDir,
    path: PathBuf,
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

impl Whole {
    /// One with random entries.
    fn new(n_entries: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("recipes.db");
        let mut random = Random::new(5);
        let inserted: Vec<Entry> = (0..n_entries).map(|_| entry(&mut random)).collect();
        let entries = crate::common::all(&database(&path, &inserted));
        let bytes = std::fs::read(&path).expect("a file");
        Self { _folder: folder, path, bytes, entries }
    }

    /// Opens, reads and perhaps writes the file with these bytes: whether it could be used.
    fn try_with(&self, bytes: &[u8], access: Access) -> bool {
        std::fs::write(&self.path, bytes).expect("written");
        for journal in ["-journal", "-wal", "-shm"] {
            let _ = std::fs::remove_file(with_ending(&self.path, journal));
        }
        let tried = self.try_access(access);
        tried.as_ref().err().into_iter().for_each(|error| self.check_message(error));
        tried.is_ok()
    }

    /// Reads all, and writes where that is asked for.
    fn try_access(&self, access: Access) -> Result<(), Error> {
        let mut database = Database::open(&self.path, access)?;
        database.faults()?;
        self.check_entries(&database)?;
        if access == Access::Write {
            let new = entries(&mut Random::new(77), 3);
            database.insert(&new)?;
            let known = |found: &Entry| new.iter().any(|new| new.id() == found.id());
            let whole = self.entries.iter().map(Entry::id);
            let whole: Vec<farkas_db::Id> = whole.collect();
            database.each(None, |_, found| {
                assert!(found.iter().all(|found| known(found) || whole.contains(&found.id())));
                Ok::<(), Error>(())
            })?;
        }
        Ok(())
    }

    /// Everything that is found was written.
    fn check_entries(&self, database: &Database) -> Result<(), Error> {
        let mut found: Vec<Entry> = Vec::new();
        let damaged = database.each(None, |_, entries| {
            found.extend(entries);
            Ok::<(), Error>(())
        })?;
        for found in &found {
            let written = self.entries.iter().find(|written| written.id() == found.id());
            let written = written.expect("it was written");
            assert_eq!((&found.program, &found.recipe), (&written.program, &written.recipe));
            assert!(found.measurements.is_subset(&written.measurements));
            assert!(found.failures.is_subset(&written.failures));
        }
        for written in &self.entries {
            database.exact(&written.key)?;
        }
        for damage in damaged {
            assert!(!damage.to_string().is_empty());
        }
        Ok(())
    }

    /// The message names the file, says what is wrong, and what to do.
    fn check_message(&self, error: &Error) {
        let diagnostic = error.to_diagnostic();
        let path = self.path.display().to_string();
        assert!(diagnostic.message.contains(&path), "{}", diagnostic.message);
        let needs_help = matches!(
            error,
            Error::Damaged { .. }
                | Error::NoDatabase(_)
                | Error::Foreign { .. }
                | Error::Newer { .. }
        );
        assert!(!needs_help || diagnostic.help.is_some(), "{}", diagnostic.message);
    }
}

/// The path with something behind it.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[test]
fn a_file_that_is_cut_off_says_so() {
    let whole = Whole::new(8);
    let n = whole.bytes.len();
    let pages = (0..n).step_by(4096).flat_map(|at| [at.saturating_sub(1), at, at + 1]);
    for end in (0..150).chain(pages).chain((150..n).step_by(n / 100)) {
        for access in [Access::Read, Access::Write] {
            let is_used = whole.try_with(&whole.bytes[..end], access);
            // What is empty becomes a new database; to SQLite, one byte is nothing.
            let is_new = end < 2 && access == Access::Write;
            assert!(is_used == is_new, "cut off after {end} of {n} bytes");
        }
    }
    std::fs::write(&whole.path, &whole.bytes[..n - 7]).expect("written");
    let error = Database::open(&whole.path, Access::Read).expect_err("most of a file");
    let text = format!("it is cut off after {} of {n} bytes", n - 7);
    assert!(error.to_string().ends_with(&text), "{error}");
}

#[test]
#[ignore = "long"]
fn a_file_that_is_cut_off_at_any_byte_says_so() {
    let whole = Whole::new(8);
    let file = std::fs::File::options().write(true).open(&whole.path).expect("a file");
    for end in (1..whole.bytes.len()).rev() {
        file.set_len(end as u64).expect("cut off");
        let error = Database::open(&whole.path, Access::Read).expect_err("part of a file");
        whole.check_message(&error);
    }
}

/// Changes one byte, so many times; how many of the files could be used.
fn change_bytes(n_files: usize, seed: u64) -> usize {
    let whole = Whole::new(8);
    let mut random = Random::new(seed);
    let mut n_used = 0;
    for at in 0..n_files {
        let access = if at % 2 == 0 { Access::Read } else { Access::Write };
        let mut bytes = whole.bytes.clone();
        let at = random.below(bytes.len());
        bytes[at] ^= u8::try_from(1 + random.below(255)).unwrap_or(1);
        n_used += usize::from(whole.try_with(&bytes, access));
    }
    n_used
}

#[test]
fn a_byte_that_changed_gives_nothing_that_was_not_written() {
    let n_used = change_bytes(400, 1);
    assert!((100..400).contains(&n_used), "{n_used} of 400 files could be used");
}

#[test]
#[ignore = "long"]
fn ten_thousand_bytes_that_changed_give_nothing_that_was_not_written() {
    let n_used = change_bytes(10_000, 2);
    assert!((2_500..10_000).contains(&n_used), "{n_used} of 10000 files could be used");
}

/// Texts in rows that somebody changed through SQLite itself, with pages that fit: hashes tell.
#[test]
fn rows_that_changed_are_damage_and_can_be_removed() {
    let changes = [
        "UPDATE recipe SET text = replace(text, 'steps', 'stops')",
        "UPDATE program SET text = text || ' '",
        "UPDATE measurement SET at = at + 1",
        "UPDATE sample SET ns = ns + 1",
        "DELETE FROM sample WHERE position = 0",
        "UPDATE failure SET kind = 'luck'",
        "UPDATE failure SET text = 'fine'",
        "UPDATE nest SET hash = 'aa99'",
        "UPDATE nest SET hash = 'no hash'",
        "UPDATE machine SET name = name || '2'",
        "UPDATE OR REPLACE origin SET word = 'luck'",
        "UPDATE embedding SET vector = x'0000c07f'",
        "UPDATE recipe SET content = x'00' WHERE id = 1",
    ];
    let whole = Whole::new(8);
    for change in changes {
        std::fs::write(&whole.path, &whole.bytes).expect("written");
        let file = rusqlite::Connection::open(&whole.path).expect("a database");
        let change = change.replace("UPDATE nest", "UPDATE OR IGNORE nest");
        file.execute_batch(&change).expect("changed");
        drop(file);
        let mut database = Database::open(&whole.path, Access::Write).expect("a database");
        whole.check_entries(&database).expect("readable");
        let damaged = database.each(None, |_, _| Ok::<(), Error>(())).expect("readable");
        assert_ne!(damaged, [], "{change}");
        database.remove_damaged(&damaged).expect("removed");
        let damaged = database.each(None, |_, _| Ok::<(), Error>(())).expect("readable");
        assert_eq!(damaged, [], "{change}");
        database.insert(&whole.entries).expect("inserted");
        let healed = crate::common::all(&database);
        assert!(whole.entries.iter().all(|entry| healed.contains(entry)), "{change}");
    }
}

#[test]
fn a_program_that_changed_is_restored_by_whoever_writes_it() {
    let whole = Whole::new(8);
    let file = rusqlite::Connection::open(&whole.path).expect("a database");
    file.execute_batch("UPDATE program SET text = 'int x;'").expect("changed");
    drop(file);
    let mut database = Database::open(&whole.path, Access::Write).expect("a database");
    database.insert(&whole.entries).expect("inserted");
    assert_eq!(crate::common::all(&database), whole.entries);
}
