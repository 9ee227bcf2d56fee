//! Why there is no row: irreducible sets of constraints and dependences.

use crate::constraint::Origin;
use crate::driver::Driver;
use crate::group::{ActiveDep, Group};
use crate::{Error, Result};
use farkas_deps::DepId;
use std::collections::BTreeSet;

/// Dependences beyond this number are not sifted, since each takes integer programs of its own.
pub(crate) const MAX_SIFTED_DEPS: usize = 100;

impl Driver<'_> {
    /// The error that constraints with an origin leave no row for `group`; `None` where there is none without them either.
    ///
    /// What it names is irreducible (a deletion filter): constraints are taken away one by one, for good where there
    /// is still no row.
    pub(crate) fn conflict(&mut self, group: &Group, dimension: usize) -> Result<Option<Error>> {
        let plan = self.plan(group, dimension, None);
        let all: BTreeSet<Origin> = plan.constraints.iter().filter_map(|c| c.origin).collect();
        let is_conflict = !all.is_empty()
            && self.has_row_without(group, dimension, BTreeSet::new())? == Some(false)
            && self.has_row_without(group, dimension, all.clone())? == Some(true);
        if !is_conflict {
            return Ok(None);
        }
        let mut ignored = BTreeSet::new();
        for &origin in &all {
            ignored.insert(origin);
            if self.has_row_without(group, dimension, ignored.clone())? != Some(false) {
                ignored.remove(&origin);
            }
        }
        let origins: Vec<Origin> = all.difference(&ignored).copied().collect();
        // Dependences that leave no row with these constraints alone.
        let before = std::mem::replace(&mut self.ignored, ignored);
        let deps = self.obstacles(group, dimension);
        self.ignored = before;
        let deps = deps?;
        Ok(Some(Error::Conflict { stmts: group.stmts.clone(), dimension, origins, deps }))
    }

    /// An irreducible set of dependences that leave no row for `group`; all of them where they are many.
    pub(crate) fn obstacles(&mut self, group: &Group, dimension: usize) -> Result<Vec<DepId>> {
        let (validity, others): (Vec<ActiveDep>, Vec<ActiveDep>) =
            group.deps.iter().cloned().partition(ActiveDep::is_validity);
        let mut kept = validity;
        let mut at = 0;
        while kept.len() <= MAX_SIFTED_DEPS && at < kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(at);
            let deps = fewer.iter().chain(&others).cloned().collect();
            let fewer_deps = Group { stmts: group.stmts.clone(), deps };
            if self.has_row(fewer_deps, dimension)? == Some(false) {
                kept = fewer;
            } else {
                at += 1;
            }
        }
        Ok(kept.iter().flat_map(|dep| dep.ids.iter().copied()).collect())
    }

    /// Whether there is a row without the constraints of some origins; `None` where the budget ran out before that was
    /// clear.
    fn has_row_without(
        &mut self,
        group: &Group,
        dimension: usize,
        ignored: BTreeSet<Origin>,
    ) -> Result<Option<bool>> {
        let before = std::mem::replace(&mut self.ignored, ignored);
        let answer = self.has_row(group.clone(), dimension);
        self.ignored = before;
        answer
    }

    /// Whether there is a row.
    fn has_row(&mut self, group: Group, dimension: usize) -> Result<Option<bool>> {
        self.when_solved(|driver| Ok(!driver.find_band(group, dimension, None)?.rows.is_empty()))
    }

    /// Whether `look` finds something; `None` where it does not, but a program was given up.
    pub(crate) fn when_solved(
        &mut self,
        look: impl FnOnce(&mut Self) -> Result<bool>,
    ) -> Result<Option<bool>> {
        let before = self.n_unsolved;
        let found = look(self)?;
        Ok((found || self.n_unsolved == before).then_some(found))
    }
}
