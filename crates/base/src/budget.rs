//! Bounded effort: work is counted, never timed (DESIGN.md, invariant 4).

use std::cell::Cell;

/// A limit on counted work (pivots, isl operations, candidates) that callees draw from.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: u64,
    spent: Cell<u64>,
}

/// The budget is used up: the caller takes its defined fallback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfBudget {
    /// The limit that was reached.
    pub limit: u64,
}

impl std::fmt::Display for OutOfBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "budget of {} units of work used up", self.limit)
    }
}

impl std::error::Error for OutOfBudget {}

impl Budget {
    /// A budget of `limit` units.
    pub fn new(limit: u64) -> Self {
        Self { limit, spent: Cell::new(0) }
    }

    /// A budget that is never used up.
    pub fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    /// Draws `units`.
    ///
    /// # Errors
    /// [`OutOfBudget`] when the limit is passed; the units count as spent all the same.
    pub fn spend(&self, units: u64) -> Result<(), OutOfBudget> {
        self.spent.set(self.spent.get().saturating_add(units));
        if self.spent.get() > self.limit { Err(OutOfBudget { limit: self.limit }) } else { Ok(()) }
    }

    /// Units drawn so far.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Units left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent.get())
    }
}
