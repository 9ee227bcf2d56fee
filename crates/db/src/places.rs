//! Where nests lie, all at once: what a search for the nearest looks at.

use crate::damage::{Damage, Found, Table};
use crate::database::Database;
use crate::entry::Embedding;
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

    /// Adds one.
    fn push(&mut self, row: i64, values: &[f32]) {
        self.rows.push(row);
        self.values.extend_from_slice(values);
        self.ends.push(self.values.len());
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
                let bytes = row.get_ref(1)?.as_blob();
                let embedding = match bytes {
                    Ok(bytes) => Embedding::from_bytes(version, bytes).map_err(|e| e.to_string()),
                    Err(error) => Err(error.to_string()),
                };
                match embedding {
                    Ok(embedding) => places.push(nest, &embedding.values),
                    Err(what) => damaged.push(Damage { table: Table::Embedding, row: nest, what }),
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
