//! Finding one permutable band for a group: row by row, until the strategy or the fallbacks end it.

mod carry;
mod growing;
mod ranges;
mod search;

use crate::Result;
use crate::driver::Driver;
use crate::group::{ActiveDep, Group};
use crate::report::{RowReport, Warning};
use crate::span::Span;
pub(crate) use growing::Growing;
pub(crate) use search::{FoundRow, Step};

/// A band that was found, not yet part of the schedule.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundBand {
    pub(crate) rows: Vec<RowReport>,
    /// What the band leaves unordered.
    pub(crate) left: Vec<ActiveDep>,
    /// The spans of the group's statements with the band's rows.
    pub(crate) spans: Vec<Span>,
    pub(crate) warnings: Vec<Warning>,
}

impl Driver<'_> {
    /// The widest band for `group`: rows until every statement has full rank or the plan's fallbacks end it.
    pub(crate) fn find_band(
        &mut self,
        group: Group,
        dimension: usize,
        last: Option<&RowReport>,
    ) -> Result<FoundBand> {
        let band = self.grow(group, dimension, last)?;
        self.finish(band)
    }

    /// The same, while it is not yet known whether it is wanted: what it leaves is not worked out.
    pub(crate) fn grow(
        &mut self,
        group: Group,
        dimension: usize,
        last: Option<&RowReport>,
    ) -> Result<Growing> {
        let start = Growing::new(self, group, dimension);
        let (band, _) = self.grow_from(start, last, &|_| true)?;
        Ok(band)
    }

    /// Adds one more row to `band`, which is behind `last`; says whether there is one. The strategy may have it that an
    /// earlier one is found again.
    pub(crate) fn find_member(
        &mut self,
        band: &mut Growing,
        last: Option<&RowReport>,
    ) -> Result<bool> {
        let plan = self.plan_row(band, 0, last);
        self.recompute(band, plan.recompute_last);
        let may_have_more =
            plan.extra_row && band.dimension + band.rows.len() < self.options.max_trials;
        let is_complete = band.n_rows_left() == 0 && !may_have_more;
        if is_complete || ((plan.ends_band || plan.distributes) && !band.rows.is_empty()) {
            return Ok(false);
        }
        let Some(found) = self.find_row(band, plan, last)? else { return Ok(false) };
        self.accept(band, found)?;
        Ok(true)
    }

    /// Takes the last row back where the strategy asks for that, but not for ever.
    fn recompute(&self, band: &mut Growing, is_wanted: bool) {
        band.was_recomputed = false;
        if !is_wanted || band.rows.is_empty() {
            return;
        }
        if band.n_recomputed < self.options.max_trials {
            band.n_recomputed += 1;
            band.was_recomputed = band.forget_last();
            return;
        }
        let warning = Warning::RecomputedTooOften { stmts: band.group.stmts.clone() };
        if !band.warnings.contains(&warning) {
            band.warnings.push(warning);
        }
    }
}
