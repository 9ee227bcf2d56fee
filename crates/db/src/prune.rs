//! Forgetting: the one way in which a database gets smaller.

use crate::database::Database;
use crate::date::Date;
use crate::entry::{Entry, Standing};
use crate::error::Error;
use crate::load::{entries, nests};
use rusqlite::Connection;

/// What to forget. Each rule is for the entries of `machine`, or of all machines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// The machine that all rules are for; alone, all of its entries go.
    pub machine: Option<String>,
    /// What was seen before then goes, and entries of which nothing is left.
    pub before: Option<Date>,
    /// Only so many measured entries of each key stay, the fastest.
    pub keep: Option<usize>,
    /// Failures go, and entries of which nothing is left.
    pub failures: bool,
}

/// What goes, or would go, of an entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Pruned {
    /// The entry as it was.
    pub entry: Entry,
    /// Whether all of it goes.
    pub is_gone: bool,
    /// Measurements that go.
    pub n_measurements: usize,
    /// Failures that go.
    pub n_failures: usize,
}

impl Rules {
    /// Whether they ask for nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What stays of the entries of one key, in the same order; none for one that goes.
    fn left(&self, entries: &[Entry]) -> Vec<Option<Entry>> {
        if self.before.is_none() && self.keep.is_none() && !self.failures {
            return vec![None; entries.len()];
        }
        let mut left: Vec<Option<Entry>> = entries.iter().map(|entry| self.fresh(entry)).collect();
        if let Some(keep) = self.keep {
            let mut ranked: Vec<(f64, usize)> = Vec::new();
            for (at, entry) in left.iter().enumerate() {
                let speedup = entry.as_ref().and_then(Entry::best_speedup);
                ranked.extend(speedup.map(|best| (best.ratio, at)));
            }
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            ranked.iter().skip(keep).for_each(|&(_, at)| left[at] = None);
        }
        left
    }

    /// An entry without what is old, and without failures where they go; none where nothing is left that it was known by.
    fn fresh(&self, entry: &Entry) -> Option<Entry> {
        let is_recent = |at| self.before.is_none_or(|before| at >= before);
        let mut fresh = entry.clone();
        fresh.measurements.retain(|measurement| is_recent(measurement.at));
        fresh.failures.retain(|failure| !self.failures && is_recent(failure.at));
        let is_spent =
            fresh.standing() == Standing::Predicted && entry.standing() != Standing::Predicted;
        (!is_spent).then_some(fresh)
    }
}

impl Database {
    /// Forgets what rules say; returns what went.
    ///
    /// # Errors
    /// When the file cannot be written to.
    pub fn prune(&mut self, rules: &Rules) -> Result<Vec<Pruned>, Error> {
        self.change(|transaction| {
            let pruned = plan(transaction, rules)?;
            for (entry, left) in &pruned {
                forget(transaction, entry, left.as_ref())?;
            }
            sweep(transaction)?;
            Ok(pruned.into_iter().map(|(entry, left)| summary(entry, left)).collect())
        })
    }

    /// What [`Database::prune`] would forget.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn prunable(&self, rules: &Rules) -> Result<Vec<Pruned>, Error> {
        let _moment = self.moment()?;
        let pruned = self.act(|connection| plan(connection, rules))?;
        Ok(pruned.into_iter().map(|(entry, left)| summary(entry, left)).collect())
    }

    /// Removes whole entries.
    ///
    /// # Errors
    /// When the file cannot be written to.
    pub fn remove(&mut self, entries: &[Entry]) -> Result<(), Error> {
        self.change(|transaction| {
            entries.iter().try_for_each(|entry| forget(transaction, entry, None))?;
            sweep(transaction)?;
            Ok(())
        })
    }
}

/// The entries of which something goes, with what stays of them.
fn plan(connection: &Connection, rules: &Rules) -> rusqlite::Result<Vec<(Entry, Option<Entry>)>> {
    if rules.is_empty() {
        return Ok(Vec::new());
    }
    let mut changes = Vec::new();
    for nest in nests(connection, rules.machine.as_deref())?.items {
        let entries = entries(connection, &nest)?.items;
        let left = rules.left(&entries);
        let changed = entries.into_iter().zip(left);
        changes.extend(changed.filter(|(entry, left)| left.as_ref() != Some(entry)));
    }
    Ok(changes)
}

/// Removes what does not stay of an entry.
fn forget(connection: &Connection, entry: &Entry, left: Option<&Entry>) -> rusqlite::Result<()> {
    let id = entry.id();
    let Some(left) = left else {
        connection
            .prepare_cached("DELETE FROM recipe WHERE content = ?1")?
            .execute([id.as_bytes()])?;
        return Ok(());
    };
    for measurement in entry.measurements.difference(&left.measurements) {
        connection
            .prepare_cached("DELETE FROM measurement WHERE content = ?1")?
            .execute([measurement.id(id).as_bytes()])?;
    }
    for failure in entry.failures.difference(&left.failures) {
        connection
            .prepare_cached("DELETE FROM failure WHERE content = ?1")?
            .execute([failure.id(id).as_bytes()])?;
    }
    Ok(())
}

/// Removes what no entry needs any more.
pub(crate) fn sweep(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "DELETE FROM nest WHERE id NOT IN (SELECT nest FROM recipe);
        DELETE FROM program WHERE id NOT IN (SELECT program FROM recipe);
        DELETE FROM machine WHERE id NOT IN (SELECT machine FROM nest);
        DELETE FROM compiler WHERE id NOT IN (SELECT compiler FROM nest);",
    )
}

/// What goes of an entry, in numbers.
fn summary(entry: Entry, left: Option<Entry>) -> Pruned {
    let (measurements, failures) = (entry.measurements.len(), entry.failures.len());
    let n_left =
        left.as_ref().map_or((0, 0), |left| (left.measurements.len(), left.failures.len()));
    Pruned {
        is_gone: left.is_none(),
        n_measurements: measurements - n_left.0,
        n_failures: failures - n_left.1,
        entry,
    }
}
