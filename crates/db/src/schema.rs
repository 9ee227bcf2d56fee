//! The tables, and how those of an older version become those of this one.

use rusqlite::{Connection, Transaction};

/// What tells our databases from other programs' (`PRAGMA application_id`): `FrkS`.
pub(crate) const APPLICATION_ID: u32 = 0x4672_6b53;

/// The newest version of the tables (`PRAGMA user_version`).
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Each leads from the version of its position to the next one. Version 0 has no tables. What stands here is never changed: there are
/// databases of each version.
const MIGRATIONS: [&str; 2] = [ENTRIES, EMBEDDINGS];

/// Version 1: entries.
///
/// `content` is the hash of what a row says, its key and all that it points to included. A row of `recipe` is an entry.
const ENTRIES: &str = "
CREATE TABLE machine (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE compiler (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    UNIQUE (name, version)
) STRICT;
CREATE TABLE program (
    id INTEGER PRIMARY KEY,
    content BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE nest (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    normal_form INTEGER NOT NULL,
    elements TEXT NOT NULL,
    size_class TEXT NOT NULL,
    machine INTEGER NOT NULL REFERENCES machine,
    compiler INTEGER NOT NULL REFERENCES compiler,
    UNIQUE (hash, normal_form, elements, size_class, machine, compiler)
) STRICT;
CREATE INDEX nest_machine ON nest (machine);
CREATE INDEX nest_compiler ON nest (compiler);
CREATE TABLE recipe (
    id INTEGER PRIMARY KEY,
    nest INTEGER NOT NULL REFERENCES nest ON DELETE CASCADE,
    program INTEGER NOT NULL REFERENCES program,
    content BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX recipe_nest ON recipe (nest);
CREATE INDEX recipe_program ON recipe (program);
CREATE TABLE origin (
    recipe INTEGER NOT NULL REFERENCES recipe ON DELETE CASCADE,
    word TEXT NOT NULL,
    PRIMARY KEY (recipe, word)
) STRICT, WITHOUT ROWID;
CREATE TABLE measurement (
    id INTEGER PRIMARY KEY,
    recipe INTEGER NOT NULL REFERENCES recipe ON DELETE CASCADE,
    content BLOB NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    environment TEXT NOT NULL,
    baseline_threads INTEGER NOT NULL,
    recipe_threads INTEGER NOT NULL
) STRICT;
CREATE INDEX measurement_recipe ON measurement (recipe);
CREATE TABLE sample (
    measurement INTEGER NOT NULL REFERENCES measurement ON DELETE CASCADE,
    of_recipe INTEGER NOT NULL,
    position INTEGER NOT NULL,
    ns INTEGER NOT NULL,
    PRIMARY KEY (measurement, of_recipe, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE failure (
    id INTEGER PRIMARY KEY,
    recipe INTEGER NOT NULL REFERENCES recipe ON DELETE CASCADE,
    content BLOB NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    threads INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX failure_recipe ON failure (recipe);
";

/// Version 2: nests may have an embedding.
const EMBEDDINGS: &str = "
CREATE TABLE embedding (
    nest INTEGER PRIMARY KEY REFERENCES nest ON DELETE CASCADE,
    version INTEGER NOT NULL,
    vector BLOB NOT NULL
) STRICT;
";

/// What a file says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Nothing was ever written.
    Empty,
    /// Ours, with a version.
    Ours(i64),
    /// Another program's, with its id.
    Foreign(u32),
}

/// What the database of a connection is.
pub(crate) fn state(connection: &Connection) -> rusqlite::Result<State> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let count = "SELECT count(*) FROM sqlite_schema";
    let objects: i64 = connection.query_row(count, [], |row| row.get(0))?;
    Ok(match (id.cast_unsigned(), version, objects) {
        (APPLICATION_ID, version, _) => State::Ours(version),
        (0, 0, 0) => State::Empty,
        (id, ..) => State::Foreign(id),
    })
}

/// Leads the tables of a version, zero or one that is known, to this one.
pub(crate) fn migrate(transaction: &Transaction<'_>, version: i64) -> rusqlite::Result<()> {
    let done = usize::try_from(version).unwrap_or(0);
    for step in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID.cast_signed())?;
    transaction.pragma_update(None, "user_version", VERSION)
}

/// A table, an index or anything else: its kind, its name, and how it is defined.
type Definition = (String, String, String);

/// Whether a database has the tables and indexes of this version, each defined as here, and nothing that acts by itself. Further
/// tables do no harm: SQLite's own tools make some.
pub(crate) fn is_as_expected(connection: &Connection) -> rusqlite::Result<bool> {
    let mut fresh = Connection::open_in_memory()?;
    let transaction = fresh.transaction()?;
    migrate(&transaction, 0)?;
    let (expected, found) = (definitions(&transaction)?, definitions(connection)?);
    let is_passive = |(kind, ..): &Definition| kind == "table" || kind == "index";
    Ok(expected.iter().all(|one| found.contains(one)) && found.iter().all(is_passive))
}

/// Everything that is defined in a database.
fn definitions(connection: &Connection) -> rusqlite::Result<Vec<Definition>> {
    let all = "SELECT type, name, coalesce(sql, '') FROM sqlite_schema";
    let mut statement = connection.prepare(all)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}
