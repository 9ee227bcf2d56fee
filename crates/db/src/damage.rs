//! Rows that are not what was written.

/// A row whose hash does not fit what it says, or that has something in it that nobody writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// Its table.
    pub(crate) table: Table,
    /// Its number there.
    pub(crate) row: i64,
    /// What is wrong.
    pub(crate) what: String,
}

/// The tables whose rows can be damaged each by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Table {
    /// Keys.
    Nest,
    /// Entries.
    Recipe,
    /// Measurements and their samples.
    Measurement,
    /// Failures.
    Failure,
    /// Embeddings, by the number of their nest.
    Embedding,
}

impl Table {
    /// Removes one row, and what hangs on it.
    pub(crate) fn removal(self) -> &'static str {
        match self {
            Self::Nest => "DELETE FROM nest WHERE id = ?1",
            Self::Recipe => "DELETE FROM recipe WHERE id = ?1",
            Self::Measurement => "DELETE FROM measurement WHERE id = ?1",
            Self::Failure => "DELETE FROM failure WHERE id = ?1",
            Self::Embedding => "DELETE FROM embedding WHERE nest = ?1",
        }
    }

    /// What a row of it is, in the words of messages.
    fn name(self) -> &'static str {
        match self {
            Self::Nest => "nest",
            Self::Recipe => "entry",
            Self::Measurement => "measurement",
            Self::Failure => "failure",
            Self::Embedding => "embedding",
        }
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {}", self.table.name(), self.row, self.what)
    }
}

/// What was found, and what was damaged so that it is left out.
#[derive(Clone, PartialEq, Debug)]
pub struct Found<T> {
    /// What is whole.
    pub items: Vec<T>,
    /// What is not.
    pub damaged: Vec<Damage>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self { items: Vec::new(), damaged: Vec::new() }
    }
}

impl<T> Found<T> {
    /// Adds what was found elsewhere.
    pub(crate) fn extend(&mut self, other: Self) {
        self.items.extend(other.items);
        self.damaged.extend(other.damaged);
    }
}
