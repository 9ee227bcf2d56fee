//! The file: how it is opened, and what it is checked for then.
//!
//! Changes go through a rollback journal (SQLite's `DELETE` mode) and not through a write-ahead log: whoever copies the one file has
//! all that was acknowledged, a database in a folder that cannot be written to can be read, and it works on network file systems, where
//! the shared memory of a log does not. What a log would be good for, reading while others write, is seldom long here: writers hold the
//! file for the time of one insertion. Each is on the disk before it is acknowledged (`synchronous = EXTRA`), and a process that is
//! killed meanwhile leaves a journal, from which the next one restores what was there.

use crate::damage::Damage;
use crate::error::{Error, Fault};
use crate::prune::sweep;
use crate::schema::{self, State, VERSION};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long to wait while others write. An insertion takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// The most bytes of a text or a row: what a damaged length can make us allocate.
const MAX_ROW_BYTES: i32 = 64 << 20;

/// The most lines that SQLite's own check prints.
const MAX_FAULTS: i64 = 20;

/// What a database is opened for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// To read what is there.
    Read,
    /// To write, too; it is made where there is none.
    Write,
}

/// A database of recipes.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    connection: Connection,
}

impl Database {
    /// Opens the database at `path`. One of an older version is brought to this one, whatever the access.
    ///
    /// # Errors
    /// When there is none, when it is damaged, another program's or a newer one's, or when the system refuses.
    pub fn open(path: &Path, access: Access) -> Result<Self, Error> {
        if path.is_dir() {
            return Err(Error::Unopenable { path: path.into(), reason: "it is a folder".into() });
        }
        if access == Access::Read && !path.exists() {
            return Err(Error::Missing(path.into()));
        }
        let connection = connect(path, access).map_err(|error| Error::of(path, &error))?;
        let mut database = Self { path: path.into(), connection };
        database.settle(access)?;
        if access == Access::Read {
            database.act(|connection| connection.pragma_update(None, "query_only", true))?;
        }
        Ok(database)
    }

    /// A new one that no file has, to be read like one that is called `name`.
    ///
    /// # Errors
    /// When there is no memory.
    pub fn in_memory(name: &Path) -> Result<Self, Error> {
        let mut connection =
            Connection::open_in_memory().map_err(|error| Error::of(name, &error))?;
        let mut make = || -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            schema::migrate(&transaction, 0)?;
            transaction.commit()
        };
        make().map_err(|error| Error::of(name, &error))?;
        Ok(Self { path: name.into(), connection })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What SQLite finds wrong with the file as a whole; nothing where it is whole.
    ///
    /// # Errors
    /// When it cannot even be looked at.
    pub fn faults(&self) -> Result<Vec<String>, Error> {
        let lines: Vec<String> = self.act(|connection| {
            let check = format!("PRAGMA integrity_check({MAX_FAULTS})");
            let mut statement = connection.prepare(&check)?;
            statement.query_map([], |row| row.get(0))?.collect()
        })?;
        let broken = self.act(|connection| {
            let count = "SELECT count(*) FROM pragma_foreign_key_check";
            connection.query_row(count, [], |row| row.get::<_, i64>(0))
        })?;
        let mut faults: Vec<String> = lines.into_iter().filter(|line| line != "ok").collect();
        if broken > 0 {
            faults.push(format!("{broken} rows point to rows that are not there"));
        }
        Ok(faults)
    }

    /// Removes damaged rows, with what hangs on them.
    ///
    /// # Errors
    /// When the file cannot be written to.
    pub fn remove_damaged(&mut self, damaged: &[Damage]) -> Result<(), Error> {
        self.change(|transaction| {
            for damage in damaged {
                transaction.execute(damage.table.removal(), [damage.row])?;
            }
            sweep(transaction)?;
            Ok(())
        })
    }

    /// Asks something of the connection.
    pub(crate) fn act<T>(
        &self,
        ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        ask(&self.connection).map_err(|error| Error::of(&self.path, &error))
    }

    /// What is read while this lives is of one moment: others cannot write. It is nothing inside of another one.
    pub(crate) fn moment(&self) -> Result<Option<Transaction<'_>>, Error> {
        if !self.connection.is_autocommit() {
            return Ok(None);
        }
        let moment = self.connection.unchecked_transaction();
        moment.map(Some).map_err(|error| Error::of(&self.path, &error))
    }

    /// Changes the database in one step: all of it, or nothing.
    pub(crate) fn change<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let Self { path, connection } = self;
        let changed = || -> Result<T, Fault> {
            // A transaction that began to read could not go on to write while another one does.
            let immediate = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(immediate)?;
            let value = change(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        changed().map_err(|fault| fault.of(path))
    }

    /// Sees to it that the file has the tables of this version.
    fn settle(&mut self, access: Access) -> Result<(), Error> {
        match self.state()? {
            State::Empty if access == Access::Read => return Err(Error::Empty(self.path.clone())),
            State::Ours(version) if version > VERSION => {
                return Err(Error::Newer { path: self.path.clone(), version, known: VERSION });
            }
            State::Ours(VERSION) => {}
            State::Empty => self.migrate()?,
            State::Ours(version) => self.migrate().map_err(|error| match error {
                Error::Unwritable { path, .. } => Error::Older { path, version, known: VERSION },
                error => error,
            })?,
            State::Foreign(application_id) => {
                return Err(Error::Foreign { path: self.path.clone(), application_id });
            }
        }
        self.check()
    }

    /// Checks that the file is as long as it says, and has the tables that it is to have.
    fn check(&self) -> Result<(), Error> {
        let _moment = self.moment()?;
        let ask = |name| self.act(|c| c.pragma_query_value(None, name, |row| row.get::<_, u64>(0)));
        let expected = ask("page_count")? * ask("page_size")?;
        // The file must not be opened for this: to close it would end all locks that this process has on it.
        let found = self.path.metadata().map_or(expected, |data| data.len());
        let damaged = |what: String| Err(Error::Damaged { path: self.path.clone(), what });
        if found < expected {
            return damaged(format!("it is cut off after {found} of {expected} bytes"));
        }
        if !self.act(schema::is_as_expected)? {
            return damaged(format!("its tables are not those of version {VERSION}"));
        }
        Ok(())
    }

    /// What it is.
    fn state(&self) -> Result<State, Error> {
        // Between two questions another process might make the tables.
        let _moment = self.moment()?;
        self.act(schema::state)
    }

    /// Brings it to this version, unless another process has done it meanwhile.
    fn migrate(&mut self) -> Result<(), Error> {
        self.change(|transaction| {
            match schema::state(transaction)? {
                State::Empty => schema::migrate(transaction, 0)?,
                State::Ours(version) if version < VERSION => schema::migrate(transaction, version)?,
                State::Ours(_) | State::Foreign(_) => {}
            }
            Ok(())
        })
    }
}

/// A connection to the file. Where others are to be read only, the file is opened to be written to all the same, if it can be: what a
/// killed process left must be restored before anybody reads.
fn connect(path: &Path, access: Access) -> rusqlite::Result<Connection> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if access == Access::Write {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    // Some names, as `:memory:`, mean something else to SQLite where no folder is in front of them.
    let connection = Connection::open_with_flags(Path::new(".").join(path), flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "synchronous", "EXTRA")?;
    Ok(connection)
}
