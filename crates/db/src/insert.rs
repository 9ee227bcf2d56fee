//! Writing: what is new is added, what is known stays.

use crate::content::{Id, program};
use crate::database::Database;
use crate::entry::{Embedding, Entry, Failure, Measurement, Samples};
use crate::error::Error;
use crate::key::Key;
use rusqlite::{Connection, OptionalExtension, Params, params};

/// What was new of what was inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Inserted {
    /// Entries.
    pub entries: usize,
    /// Measurements.
    pub measurements: usize,
    /// Failures.
    pub failures: usize,
}

impl std::ops::AddAssign for Inserted {
    fn add_assign(&mut self, other: Self) {
        self.entries += other.entries;
        self.measurements += other.measurements;
        self.failures += other.failures;
    }
}

impl Database {
    /// Inserts entries, all or none. Of one that is there already, origins, measurements and failures are added that are new. It is on
    /// the disk when this returns.
    ///
    /// # Errors
    /// [`Error::Unfit`] where an entry is none, and when the file cannot be written to.
    pub fn insert(&mut self, entries: &[Entry]) -> Result<Inserted, Error> {
        entries.iter().try_for_each(Entry::check)?;
        self.change(|transaction| {
            let mut inserted = Inserted::default();
            entries.iter().try_for_each(|entry| add(transaction, entry, &mut inserted))?;
            Ok(inserted)
        })
    }
}

/// Adds what is new of an entry.
pub(crate) fn add(
    connection: &Connection,
    entry: &Entry,
    inserted: &mut Inserted,
) -> rusqlite::Result<()> {
    let content = entry.id();
    let nest = nest(connection, &entry.key)?;
    if let Some(embedding) = &entry.embedding {
        embed(connection, nest, embedding)?;
    }
    let program = add_program(connection, &entry.program)?;
    let add_recipe = "INSERT INTO recipe (nest, program, content, text) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO NOTHING";
    inserted.entries += connection.prepare_cached(add_recipe)?.execute(params![
        nest,
        program,
        content.as_bytes(),
        entry.recipe
    ])?;
    let recipe = connection
        .prepare_cached("SELECT id FROM recipe WHERE content = ?1")?
        .query_row([content.as_bytes()], |row| row.get(0))?;
    let add_origin = "INSERT INTO origin (recipe, word) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    for origin in &entry.origins {
        connection.prepare_cached(add_origin)?.execute(params![recipe, origin.word()])?;
    }
    for measurement in &entry.measurements {
        inserted.measurements += add_measurement(connection, recipe, content, measurement)?;
    }
    for failure in &entry.failures {
        inserted.failures += add_failure(connection, recipe, content, failure)?;
    }
    Ok(())
}

/// The row of a program, which is made where there is none. Its text is restored where it was damaged: other entries have it, too.
fn add_program(connection: &Connection, text: &str) -> rusqlite::Result<i64> {
    let content = program(text);
    connection
        .prepare_cached(
            "INSERT INTO program (content, text) VALUES (?1, ?2)
            ON CONFLICT (content) DO UPDATE SET text = excluded.text WHERE text <> excluded.text",
        )?
        .execute(params![content.as_bytes(), text])?;
    connection
        .prepare_cached("SELECT id FROM program WHERE content = ?1")?
        .query_row([content.as_bytes()], |row| row.get(0))
}

/// The row of a key, which is made where there is none.
fn nest(connection: &Connection, key: &Key) -> rusqlite::Result<i64> {
    let machine = row(
        connection,
        "SELECT id FROM machine WHERE name = ?1",
        [&key.machine],
        "INSERT INTO machine (name) VALUES (?1)",
        [&key.machine],
    )?;
    let compiler = &key.compiler;
    let compiler = row(
        connection,
        "SELECT id FROM compiler WHERE name = ?1 AND version = ?2",
        [&compiler.name, &compiler.version],
        "INSERT INTO compiler (name, version) VALUES (?1, ?2)",
        [&compiler.name, &compiler.version],
    )?;
    let Key { nest, normal_form, elements, size_class, .. } = key;
    let columns = params![nest, normal_form, elements, size_class, machine, compiler];
    row(
        connection,
        "SELECT id FROM nest WHERE hash = ?1 AND normal_form = ?2 AND elements = ?3
            AND size_class = ?4 AND machine = ?5 AND compiler = ?6",
        columns,
        "INSERT INTO nest (hash, normal_form, elements, size_class, machine, compiler)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        columns,
    )
}

/// The row that `find` finds, which `make` makes where there is none.
fn row(
    connection: &Connection,
    find: &str,
    found_by: impl Params,
    make: &str,
    made_of: impl Params,
) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached(find)?;
    match statement.query_row(found_by, |row| row.get(0)).optional()? {
        Some(id) => Ok(id),
        None => connection.prepare_cached(make)?.insert(made_of),
    }
}

/// Gives a nest its embedding, unless it has a newer one.
fn embed(connection: &Connection, nest: i64, embedding: &Embedding) -> rusqlite::Result<()> {
    let known: Option<(u32, Vec<u8>)> = connection
        .prepare_cached("SELECT version, vector FROM embedding WHERE nest = ?1")?
        .query_row([nest], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let known = known.and_then(|(version, bytes)| Embedding::from_bytes(version, &bytes).ok());
    if known.is_none_or(|known| embedding.replaces(&known)) {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO embedding (nest, version, vector) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![nest, embedding.version, embedding.to_bytes()])?;
    }
    Ok(())
}

/// Adds a measurement; how many are new.
fn add_measurement(
    connection: &Connection,
    recipe: i64,
    entry: Id,
    measurement: &Measurement,
) -> rusqlite::Result<usize> {
    let Measurement { at, environment, baseline, recipe: own } = measurement;
    let new = connection
        .prepare_cached(
            "INSERT INTO measurement
                (recipe, content, at, environment, baseline_threads, recipe_threads)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            recipe,
            measurement.id(entry).as_bytes(),
            at.seconds(),
            environment,
            baseline.threads,
            own.threads
        ])?;
    if new > 0 {
        let row = connection.last_insert_rowid();
        add_samples(connection, row, false, baseline)?;
        add_samples(connection, row, true, own)?;
    }
    Ok(new)
}

/// Adds the samples of a measurement, of the original or of the recipe's code.
fn add_samples(
    connection: &Connection,
    measurement: i64,
    of_recipe: bool,
    samples: &Samples,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO sample (measurement, of_recipe, position, ns) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (position, ns) in samples.ns.iter().enumerate() {
        statement.execute(params![measurement, of_recipe, position, ns])?;
    }
    Ok(())
}

/// Adds a failure; how many are new.
fn add_failure(
    connection: &Connection,
    recipe: i64,
    entry: Id,
    failure: &Failure,
) -> rusqlite::Result<usize> {
    let Failure { at, kind, threads, text } = failure;
    connection
        .prepare_cached(
            "INSERT INTO failure (recipe, content, at, kind, threads, text)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            recipe,
            failure.id(entry).as_bytes(),
            at.seconds(),
            kind.word(),
            threads,
            text
        ])
}
