//! How long values take through the statements of straight code.

use crate::counted::Moves;
use farkas_analysis::{Elements, follow};
use farkas_scop::{AccessId, ArrayId, Statement};
use std::collections::BTreeMap;

/// Cycles until what the innermost cache has is in a register.
const LOAD_CYCLES: u32 = 5;

/// A place that a reference touches in one iteration: the array, how it moves, and where it is.
type Place<'a> = (ArrayId, &'a [(usize, Vec<i64>)], &'a [i64]);

/// The places that statements of one iteration have written, with the cycles from its start until their values are there.
#[derive(Default)]
pub(crate) struct Values<'a> {
    written: BTreeMap<Place<'a>, u32>,
    last: u32,
}

impl<'a> Values<'a> {
    /// Goes on with a statement, which touches `references`.
    pub(crate) fn run(&mut self, stmt: &Statement, references: &'a [Moves]) {
        follow(stmt, &mut Here { values: self, references });
    }

    /// Cycles until the last of all values is there.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }
}

/// The places of one statement.
struct Here<'v, 'a> {
    values: &'v mut Values<'a>,
    references: &'a [Moves],
}

impl<'a> Here<'_, 'a> {
    /// Where an access leads, if that is known.
    fn place(&self, access: AccessId, is_write: bool) -> Option<Place<'a>> {
        let is_it = |r: &&Moves| r.access == access && r.is_write == is_write;
        let found = self.references.iter().find(is_it)?;
        Some((found.array, found.steps.as_deref()?, &found.at))
    }
}

impl Elements for Here<'_, '_> {
    fn read(&self, access: AccessId) -> Option<u32> {
        let written = self.place(access, false).and_then(|place| self.values.written.get(&place));
        Some(written.copied().unwrap_or(LOAD_CYCLES))
    }

    fn write(&mut self, access: AccessId, cycles: Option<u32>) {
        let cycles = cycles.unwrap_or(0);
        if let Some(place) = self.place(access, true) {
            self.values.written.insert(place, cycles);
        }
        self.values.last = self.values.last.max(cycles);
    }
}
