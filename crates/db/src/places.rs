//! Where nests lie, all at once: what a search for the nearest looks at.

use crate::damage::{Damage, Found, Table};
use crate::database::Database;
use crate::error::Error;
use crate::load::{Nest, nest_at};

/// The embeddings of one version, one behind the other, without the keys of their nests: few of these are asked for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Places {
    rows: Vec<i64>,
    /// Where the numbers of each end.
    ends: Vec<usize>,
    values: Vec<f32>,
}

/// A nest among [`Places`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlaceRow(i64);

impl Places {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Each with its numbers.
    pub fn iter(&self) -> impl Iterator<Item = (PlaceRow, &[f32])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends).map(|(start, &end)| start..end);
        let numbers = ranges.map(|range| self.values.get(range).unwrap_or_default());
        self.rows.iter().map(|&row| PlaceRow(row)).zip(numbers)
    }

    /// Adds one, as a row has it.
    ///
    /// # Errors
    /// What is wrong with the row.
    fn push(&mut self, row: i64, bytes: &[u8]) -> Result<(), String> {
        let begin = self.values.len();
        let (numbers, rest) = bytes.as_chunks::<4>();
        self.values.extend(numbers.iter().map(|&number| f32::from_le_bytes(number)));
        if !rest.is_empty() || !self.values.iter().skip(begin).all(|value| value.is_finite()) {
            self.values.truncate(begin);
            return Err("the embedding is no list of finite numbers".to_owned());
        }
        self.rows.push(row);
        self.ends.push(self.values.len());
        Ok(())
    }
}

impl Database {
    /// All embeddings of a version, in one pass, and what is damaged and left out.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn places(&self, version: u32) -> Result<(Places, Vec<Damage>), Error> {
        let all = "SELECT nest, vector FROM embedding WHERE version = ?1";
        self.act(|connection| {
            let mut statement = connection.prepare_cached(all)?;
            let mut rows = statement.query([version])?;
            let (mut places, mut damaged) = (Places::default(), Vec::new());
            while let Some(row) = rows.next()? {
                let nest = row.get(0)?;
                let bytes = row.get_ref(1)?.as_blob().map_err(|error| error.to_string());
                if let Err(what) = bytes.and_then(|bytes| places.push(nest, bytes)) {
                    damaged.push(Damage { table: Table::Embedding, row: nest, what });
                }
            }
            Ok((places, damaged))
        })
    }

    /// The key of one of the places; nothing where another process took it out.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn nest_at(&self, PlaceRow(row): PlaceRow) -> Result<Found<Nest>, Error> {
        self.act(|connection| nest_at(connection, row))
    }
}
