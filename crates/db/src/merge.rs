//! All that another database knows.

use crate::damage::Damage;
use crate::database::Database;
use crate::error::{Error, Fault};
use crate::insert::{Inserted, add};

impl Database {
    /// Inserts all entries of another database, in one step; also returns what is damaged there, which is left out.
    ///
    /// What comes of it is the same in whatever order databases are merged, and how often.
    ///
    /// # Errors
    /// When one cannot be read or the other not be written to.
    pub fn merge(&mut self, other: &Self) -> Result<(Inserted, Vec<Damage>), Error> {
        let mut inserted = Inserted::default();
        // Nobody can read what one writes meanwhile.
        if self.is_same_file(other) {
            return Ok((inserted, Vec::new()));
        }
        let damaged = self.change(|transaction| {
            other.each(None, |_, entries| {
                let mut all = entries.iter();
                all.try_for_each(|entry| add(transaction, entry, &mut inserted))
                    .map_err(Fault::Here)
            })
        })?;
        Ok((inserted, damaged))
    }

    /// Whether both are one file.
    fn is_same_file(&self, other: &Self) -> bool {
        match (self.path().canonicalize(), other.path().canonicalize()) {
            (Ok(own), Ok(others)) => own == others,
            _ => false,
        }
    }
}
