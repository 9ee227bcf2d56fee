//! Reading: keys, and the entries of one. Every row is held against its hash.

use crate::content::{Id, program};
use crate::damage::{Damage, Found, Table};
use crate::database::Database;
use crate::date::Date;
use crate::entry::{Embedding, Entry, Failure, FailureKind, Measurement, Origin, Samples};
use crate::error::Error;
use crate::key::{Compiler, Key};
use rusqlite::{Connection, Row, params};
use std::str::FromStr;

/// A key that there are entries for, with the embedding of its nest.
#[derive(Clone, PartialEq, Debug)]
pub struct Nest {
    /// The key.
    pub key: Key,
    /// The embedding, where it is known.
    pub embedding: Option<Embedding>,
    /// Its row.
    pub(crate) row: i64,
}

/// A key with its row and its embedding.
const NESTS: &str = "
SELECT nest.id, nest.hash, nest.normal_form, nest.elements, nest.size_class,
    machine.name, compiler.name, compiler.version, embedding.version, embedding.vector
FROM nest
    LEFT JOIN machine ON machine.id = nest.machine
    LEFT JOIN compiler ON compiler.id = nest.compiler
    LEFT JOIN embedding ON embedding.nest = nest.id";

/// The condition on one key.
const OF_KEY: &str = "
WHERE nest.hash = ?1 AND nest.normal_form = ?2 AND nest.elements = ?3 AND nest.size_class = ?4
    AND machine.name = ?5 AND compiler.name = ?6 AND compiler.version = ?7";

/// The condition on one nest, on any machine.
const OF_HASH: &str = "
WHERE nest.hash = ?1 AND nest.normal_form = ?2";

/// The condition on one row.
const OF_ROW: &str = "
WHERE nest.id = ?1";

/// The condition on one machine.
const OF_MACHINE: &str = "
WHERE machine.name = ?1";

impl Database {
    /// The entries of a key, in the order of their programs and recipes.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn exact(&self, key: &Key) -> Result<Found<Entry>, Error> {
        let _moment = self.moment()?;
        self.act(|connection| {
            let nests = nest_of(connection, key)?;
            let mut found = Found { items: Vec::new(), damaged: nests.damaged };
            for nest in &nests.items {
                found.extend(entries(connection, nest)?);
            }
            Ok(found)
        })
    }

    /// The keys of a nest, whatever the machine, the compiler and the sizes are, in their order. [`Database::exact`] has the entries of one.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of_hash(&self, hash: &str, normal_form: u32) -> Result<Found<Nest>, Error> {
        self.act(|connection| {
            let mut statement = connection.prepare_cached(&format!("{NESTS}{OF_HASH}"))?;
            sorted(statement.query(params![hash, normal_form])?)
        })
    }

    /// All keys of a machine, or of all machines, in their order. [`Database::exact`] has the entries of one.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn nests(&self, machine: Option<&str>) -> Result<Found<Nest>, Error> {
        self.act(|connection| nests(connection, machine))
    }

    /// Gives each key with its entries to `visit`, in the order of keys; returns what is damaged. All is of one moment: others cannot
    /// write meanwhile.
    ///
    /// # Errors
    /// When the file cannot be read; those of `visit`.
    pub fn each<E: From<Error>>(
        &self,
        machine: Option<&str>,
        mut visit: impl FnMut(&Nest, Vec<Entry>) -> Result<(), E>,
    ) -> Result<Vec<Damage>, E> {
        let _moment = self.moment()?;
        let nests = self.nests(machine)?;
        let mut damaged = nests.damaged;
        for nest in &nests.items {
            let found = self.act(|connection| entries(connection, nest))?;
            damaged.extend(found.damaged);
            visit(nest, found.items)?;
        }
        Ok(damaged)
    }
}

/// All keys of a machine, or of all.
pub(crate) fn nests(
    connection: &Connection,
    machine: Option<&str>,
) -> rusqlite::Result<Found<Nest>> {
    match machine {
        Some(name) => {
            let mut statement = connection.prepare_cached(&format!("{NESTS}{OF_MACHINE}"))?;
            sorted(statement.query([name])?)
        }
        None => sorted(connection.prepare_cached(NESTS)?.query([])?),
    }
}

/// The key of a row, if there is one.
pub(crate) fn nest_at(connection: &Connection, row: i64) -> rusqlite::Result<Found<Nest>> {
    collect(connection.prepare_cached(&format!("{NESTS}{OF_ROW}"))?.query([row])?)
}

/// The keys of rows, in their order.
fn sorted(rows: rusqlite::Rows<'_>) -> rusqlite::Result<Found<Nest>> {
    let mut found = collect(rows)?;
    found.items.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(found)
}

/// The row of a key, if there is one.
pub(crate) fn nest_of(connection: &Connection, key: &Key) -> rusqlite::Result<Found<Nest>> {
    let mut statement = connection.prepare_cached(&format!("{NESTS}{OF_KEY}"))?;
    let Compiler { name, version } = &key.compiler;
    let Key { nest, normal_form, elements, size_class, machine, .. } = key;
    collect(statement.query(params![
        nest,
        normal_form,
        elements,
        size_class,
        machine,
        name,
        version
    ])?)
}

/// The keys of rows.
fn collect(mut rows: rusqlite::Rows<'_>) -> rusqlite::Result<Found<Nest>> {
    let mut found = Found::default();
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        let key = match whole(key_of(row), Table::Nest, id)? {
            Ok(key) => key,
            Err(damage) => {
                found.damaged.push(damage);
                continue;
            }
        };
        let embedding = match whole(embedding_of(row), Table::Embedding, id)? {
            Ok(embedding) => embedding,
            Err(damage) => {
                found.damaged.push(damage);
                None
            }
        };
        found.items.push(Nest { key, embedding, row: id });
    }
    Ok(found)
}

/// The key that a row has.
fn key_of(row: &Row<'_>) -> Result<Key, Flaw> {
    let key = Key {
        nest: row.get(1)?,
        normal_form: row.get(2)?,
        elements: row.get(3)?,
        size_class: row.get(4)?,
        machine: row.get(5)?,
        compiler: Compiler { name: row.get(6)?, version: row.get(7)? },
    };
    key.check().map_err(|unfit| Flaw::Content(unfit.to_string()))?;
    Ok(key)
}

/// The embedding that a row has.
fn embedding_of(row: &Row<'_>) -> Result<Option<Embedding>, Flaw> {
    let Some(version) = row.get(8)? else { return Ok(None) };
    let bytes: Vec<u8> = row.get(9)?;
    let embedding = Embedding::from_bytes(version, &bytes);
    embedding.map(Some).map_err(|unfit| Flaw::Content(unfit.to_string()))
}

/// The entries of a key.
pub(crate) fn entries(connection: &Connection, nest: &Nest) -> rusqlite::Result<Found<Entry>> {
    let mut statement = connection.prepare_cached(
        "SELECT recipe.id, recipe.content, program.text, recipe.text, program.content
        FROM recipe LEFT JOIN program ON program.id = recipe.program WHERE recipe.nest = ?1",
    )?;
    let mut rows = statement.query([nest.row])?;
    let mut found = Found::default();
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        match whole(entry_of(connection, row, nest), Table::Recipe, id)? {
            Ok(mut entry) => {
                let content = entry.id();
                let measurements = measurements(connection, id, content)?;
                let failures = failures(connection, id, content)?;
                entry.measurements.extend(measurements.items);
                entry.failures.extend(failures.items);
                found.damaged.extend(measurements.damaged);
                found.damaged.extend(failures.damaged);
                match entry.check() {
                    Ok(()) => found.items.push(entry),
                    Err(unfit) => found.damaged.push(Damage {
                        table: Table::Recipe,
                        row: id,
                        what: unfit.to_string(),
                    }),
                }
            }
            Err(damage) => found.damaged.push(damage),
        }
    }
    found.items.sort_by(|a: &Entry, b| (&a.program, &a.recipe).cmp(&(&b.program, &b.recipe)));
    Ok(found)
}

/// The entry that a row has, but for what was seen of it.
fn entry_of(connection: &Connection, row: &Row<'_>, nest: &Nest) -> Result<Entry, Flaw> {
    let (id, content): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
    let (text, recipe): (String, String) = (row.get(2)?, row.get(3)?);
    let program_content: Vec<u8> = row.get(4)?;
    let mut entry = Entry::new(nest.key.clone(), text, recipe);
    expect(&program_content, program(&entry.program))?;
    expect(&content, entry.id())?;
    entry.embedding.clone_from(&nest.embedding);
    let mut statement = connection.prepare_cached("SELECT word FROM origin WHERE recipe = ?1")?;
    let words: rusqlite::Result<Vec<String>> =
        statement.query_map([id], |row| row.get(0))?.collect();
    for word in words? {
        entry.origins.insert(known::<Origin>("origin", &word)?);
    }
    Ok(entry)
}

/// The measurements of an entry.
fn measurements(
    connection: &Connection,
    recipe: i64,
    entry: Id,
) -> rusqlite::Result<Found<Measurement>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, content, at, environment, baseline_threads, recipe_threads
        FROM measurement WHERE recipe = ?1",
    )?;
    gather(statement.query([recipe])?, Table::Measurement, |row| {
        let (id, content): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
        let of = |of_recipe| samples(connection, id, of_recipe);
        let measurement = Measurement {
            at: date(row.get(2)?)?,
            environment: row.get(3)?,
            baseline: Samples { threads: row.get(4)?, ns: of(false)? },
            recipe: Samples { threads: row.get(5)?, ns: of(true)? },
        };
        expect(&content, measurement.id(entry))?;
        Ok(measurement)
    })
}

/// The samples of a measurement, of the original or of the recipe's code.
fn samples(connection: &Connection, measurement: i64, of_recipe: bool) -> Result<Vec<u64>, Flaw> {
    let mut statement = connection.prepare_cached(
        "SELECT ns FROM sample WHERE measurement = ?1 AND of_recipe = ?2 ORDER BY position",
    )?;
    let ns: rusqlite::Result<Vec<u64>> =
        statement.query_map(params![measurement, of_recipe], |row| row.get(0))?.collect();
    Ok(ns?)
}

/// The failures of an entry.
fn failures(connection: &Connection, recipe: i64, entry: Id) -> rusqlite::Result<Found<Failure>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, content, at, kind, threads, text FROM failure WHERE recipe = ?1",
    )?;
    gather(statement.query([recipe])?, Table::Failure, |row| {
        let (content, kind): (Vec<u8>, String) = (row.get(1)?, row.get(3)?);
        let failure = Failure {
            at: date(row.get(2)?)?,
            kind: known::<FailureKind>("kind of failure", &kind)?,
            threads: row.get(4)?,
            text: row.get(5)?,
        };
        expect(&content, failure.id(entry))?;
        Ok(failure)
    })
}

/// What rows of a table have, each with its number in front.
fn gather<T>(
    mut rows: rusqlite::Rows<'_>,
    table: Table,
    read: impl Fn(&Row<'_>) -> Result<T, Flaw>,
) -> rusqlite::Result<Found<T>> {
    let mut found = Found::default();
    while let Some(row) = rows.next()? {
        match whole(read(row), table, row.get(0)?)? {
            Ok(item) => found.items.push(item),
            Err(damage) => found.damaged.push(damage),
        }
    }
    Ok(found)
}

/// Why a row cannot be used.
enum Flaw {
    /// SQLite has none, or none of this form.
    Row(rusqlite::Error),
    /// It says something that nobody wrote.
    Content(String),
}

impl From<rusqlite::Error> for Flaw {
    fn from(error: rusqlite::Error) -> Self {
        Self::Row(error)
    }
}

/// What a row has, or that it alone is damaged.
///
/// # Errors
/// When the file as a whole cannot be read.
fn whole<T>(read: Result<T, Flaw>, table: Table, row: i64) -> rusqlite::Result<Result<T, Damage>> {
    let what = match read {
        Ok(value) => return Ok(Ok(value)),
        Err(Flaw::Row(error)) if error.sqlite_error_code().is_some() => return Err(error),
        Err(Flaw::Row(error)) => error.to_string(),
        Err(Flaw::Content(what)) => what,
    };
    Ok(Err(Damage { table, row, what }))
}

/// Checks that a row has the hash of what it says.
fn expect(content: &[u8], id: Id) -> Result<(), Flaw> {
    match Id::from_bytes(content) {
        Some(found) if found == id => Ok(()),
        _ => Err(Flaw::Content("it is not what was written".into())),
    }
}

/// What a word of a row stands for.
fn known<T: FromStr>(what: &str, word: &str) -> Result<T, Flaw> {
    word.parse().map_err(|_| Flaw::Content(format!("unknown {what} `{word}`")))
}

/// The date that a row has.
fn date(seconds: u64) -> Result<Date, Flaw> {
    Date::from_seconds(seconds).map_err(|error| Flaw::Content(error.to_string()))
}
