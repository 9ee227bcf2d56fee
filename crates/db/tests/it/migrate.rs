//! Files of other versions, and of other programs.

use crate::common::{all, database, entry};
use farkas_damage::Random;
use farkas_db::{Access, Database, Embedding, Error};
use rusqlite::Connection;
use std::path::Path;

/// A database of version 1, as it was written then.
const VERSION_1: &str = include_str!("version1.sql");

/// A file that SQL makes.
fn made_by(path: &Path, sql: &str) {
    Connection::open(path).and_then(|file| file.execute_batch(sql)).expect("a database");
}

#[test]
fn a_file_of_version_1_becomes_one_of_this_version() {
    let folder = tempfile::tempdir().expect("a folder");
    for access in [Access::Read, Access::Write] {
        let path = folder.path().join(format!("{access:?}.db"));
        made_by(&path, VERSION_1);
        let entries = all(&Database::open(&path, access).expect("migrated"));
        let [only] = entries.as_slice() else { panic!("one entry: {entries:?}") };
        assert_eq!((only.measurements.len(), only.failures.len()), (2, 1));
        assert_eq!(only.embedding, None);
        let mut database = Database::open(&path, Access::Write).expect("a database");
        let embedding = Some(Embedding { version: 7, values: vec![0.5] });
        let embedded = farkas_db::Entry { embedding, ..only.clone() };
        assert_eq!(database.insert(std::slice::from_ref(&embedded)).expect("inserted").entries, 0);
        assert_eq!(all(&database), [embedded]);
    }
}

#[test]
fn a_file_of_version_0_gets_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let id = 0x4672_6b53;
    made_by(&path, &format!("PRAGMA application_id = {id}; PRAGMA user_version = 0;"));
    assert_eq!(all(&Database::open(&path, Access::Read).expect("migrated")), []);
    let entry = entry(&mut Random::new(1));
    assert_eq!(all(&database(&path, std::slice::from_ref(&entry))), [entry]);
}

#[test]
fn a_file_that_cannot_be_migrated_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    // One of the tables that the migration makes is there already.
    made_by(&path, &format!("{VERSION_1} CREATE TABLE embedding (nest);"));
    let before = std::fs::read(&path).expect("a file");
    let error = Database::open(&path, Access::Write).expect_err("no database");
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    assert!(std::fs::read(&path).expect("a file") == before, "it was changed");
}

#[test]
fn what_others_add_does_no_harm_unless_it_acts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let written = [entry(&mut Random::new(1))];
    drop(database(&path, &written));
    made_by(&path, "ANALYZE; VACUUM; CREATE TABLE lost_and_found (x);");
    assert_eq!(all(&Database::open(&path, Access::Read).expect("a database")), written);
    made_by(&path, "CREATE TRIGGER t AFTER INSERT ON recipe BEGIN DELETE FROM recipe; END;");
    let error = Database::open(&path, Access::Read).expect_err("no database");
    assert!(error.to_string().ends_with("its tables are not those of version 2"), "{error}");
}

#[test]
fn a_file_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    drop(database(&path, &[]));
    made_by(&path, "PRAGMA user_version = 99;");
    for access in [Access::Read, Access::Write] {
        let error = Database::open(&path, access).expect_err("no database").to_diagnostic();
        assert!(error.message.ends_with("has version 99, and this program knows versions up to 2"));
        assert!(error.help.is_some_and(|help| help.contains("use the program that wrote it")));
    }
}

#[test]
fn files_of_other_programs_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("CREATE TABLE cookies (name TEXT);", "another program (its id is 0x00000000)"),
        ("PRAGMA application_id = 252006675;", "another program (its id is 0x0f055113)"),
    ];
    for (at, (sql, expected)) in cases.iter().enumerate() {
        let path = folder.path().join(format!("{at}.db"));
        made_by(&path, sql);
        let before = std::fs::read(&path).expect("a file");
        let error = Database::open(&path, Access::Write).expect_err("no database");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(std::fs::read(&path).expect("a file") == before, "it was changed");
    }
    let path = folder.path().join("a.txt");
    std::fs::write(&path, "Dear reader,\n".repeat(99)).expect("written");
    let error = Database::open(&path, Access::Write).expect_err("no database");
    assert!(matches!(error, Error::NoDatabase(_)), "{error}");
    let error = Database::open(folder.path(), Access::Read).expect_err("no database");
    assert!(error.to_string().ends_with("it is a folder"), "{error}");
    let missing = folder.path().join("no/such.db");
    let error = Database::open(&missing, Access::Read).expect_err("no database");
    assert!(matches!(error, Error::Missing(_)), "{error}");
    let error = Database::open(&missing, Access::Write).expect_err("no database");
    assert!(matches!(error, Error::Unopenable { .. }), "{error}");
}
