//! What a band does about live ranges: a band that has each of a variable's live ranges in one iteration needs nothing that
//! keeps them apart.
//!
//! **Paper** S. Verdoolaege and A. Cohen, *Live-Range Reordering*, IMPACT 2016. Ours differs: of a band that reorders the
//! live ranges of some variables and one that does not, the one with an outer parallel member wins, then the wider
//! one.

use super::Growing;
use crate::Result;
use crate::driver::Driver;
use crate::group::{ActiveDep, Group, GroupRow};
use crate::relations::RangesId;
use crate::report::RowReport;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a band does about the live ranges of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Treatment {
    /// Rows are found as if nothing kept them apart; after each of them it is seen whether that was right.
    Open,
    /// Each lies in one iteration.
    Local,
    /// What keeps them apart is kept.
    Kept,
}

/// The treatment of each variable.
type Treatments = BTreeMap<RangesId, Treatment>;

/// A band to be found.
struct Search<'a> {
    /// The band without rows.
    start: Growing,
    /// The row that it is behind.
    last: Option<&'a RowReport>,
    /// Whether it is wanted, behind each row.
    is_wanted: &'a dyn Fn(&Growing) -> bool,
}

/// What came of one treatment.
enum Grown {
    /// A band, and whether it is wanted.
    Band(Box<Growing>, bool),
    /// The live ranges of these variables overlap.
    Overlap(BTreeSet<RangesId>),
}

impl Driver<'_> {
    /// The widest band from `start`, which has no rows, and whether `is_wanted` holds behind each of its rows; it ends where
    /// that does not.
    ///
    /// False dependences of temporaries are out of sight at first. Where live ranges would overlap, the band is found again
    /// with those of the variable in one iteration each, and without that where there is no such band or no better one.
    pub(crate) fn grow_from(
        &mut self,
        start: Growing,
        last: Option<&RowReport>,
        is_wanted: &dyn Fn(&Growing) -> bool,
    ) -> Result<(Growing, bool)> {
        let mut treatments = all_open(&start.group);
        if treatments.is_empty() {
            let mut band = start;
            let is_wanted = self.add_rows(&mut band, last, is_wanted)?;
            return Ok((band, is_wanted));
        }
        let search = Search { start, last, is_wanted };
        loop {
            let (band, is_wanted) = self.treated(&search, &mut treatments, Treatment::Local)?;
            let local = with(&treatments, Treatment::Local);
            if local.is_empty() || is_wanted && band.n_marked() > 0 && band.n_rows_left() == 0 {
                return Ok((band, is_wanted));
            }
            if !is_wanted || band.n_marked() == 0 {
                self.give_up(&search, &local, &mut treatments)?;
                continue;
            }
            set(&mut treatments, &local, Treatment::Kept);
            let (kept, is_wanted) = self.treated(&search, &mut treatments, Treatment::Kept)?;
            let is_better = is_wanted && kept.rank() >= band.rank();
            return Ok((if is_better { kept } else { band }, true));
        }
    }

    /// Adds rows to `band` until there is none or the band is not wanted; says whether it is.
    fn add_rows(
        &mut self,
        band: &mut Growing,
        last: Option<&RowReport>,
        is_wanted: &dyn Fn(&Growing) -> bool,
    ) -> Result<bool> {
        while self.find_member(band, last)? {
            if !is_wanted(band) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The band under `treatments`, which become `otherwise` for open variables whose live ranges overlap.
    fn treated(
        &mut self,
        search: &Search<'_>,
        treatments: &mut Treatments,
        otherwise: Treatment,
    ) -> Result<(Growing, bool)> {
        loop {
            let overlap = match self.grown(search, treatments)? {
                Grown::Band(band, is_wanted) => return Ok((*band, is_wanted)),
                Grown::Overlap(variables) => variables,
            };
            for variable in overlap {
                let is_open = treatments.get(&variable) == Some(&Treatment::Open);
                treatments.insert(variable, if is_open { otherwise } else { Treatment::Kept });
            }
        }
    }

    /// Keeps what keeps those of `local` apart that alone leave no row; one of them where each of them leaves one.
    fn give_up(
        &mut self,
        search: &Search<'_>,
        local: &BTreeSet<RangesId>,
        treatments: &mut Treatments,
    ) -> Result<()> {
        let mut is_given_up = false;
        for &variable in local {
            let mut alone = treatments.clone();
            set(&mut alone, local, Treatment::Open);
            alone.insert(variable, Treatment::Local);
            let mut band = search.start.clone().under(&alone);
            if !self.find_member(&mut band, search.last)? || band.n_marked() == 0 {
                treatments.insert(variable, Treatment::Kept);
                is_given_up = true;
            }
        }
        if let Some(&variable) = local.last().filter(|_| !is_given_up) {
            treatments.insert(variable, Treatment::Kept);
        }
        Ok(())
    }

    /// The band under `treatments`, as far as live ranges do not overlap.
    fn grown(&mut self, search: &Search<'_>, treatments: &Treatments) -> Result<Grown> {
        let mut band = search.start.clone().under(treatments);
        while self.find_member(&mut band, search.last)? {
            if !(search.is_wanted)(&band) {
                return Ok(Grown::Band(Box::new(band), false));
            }
            let overlap = self.overlapping(&band, treatments)?;
            if !overlap.is_empty() {
                return Ok(Grown::Overlap(overlap));
            }
        }
        Ok(Grown::Band(Box::new(band), true))
    }

    /// The variables of which live ranges lie in several iterations, where the rows would need to keep them apart: where a row
    /// reverses pairs that do so, or is coincident only since copies of the variable keep them apart.
    fn overlapping(&self, band: &Growing, treatments: &Treatments) -> Result<BTreeSet<RangesId>> {
        let mut found = BTreeSet::new();
        let torn = band.torn();
        for (at, dep) in band.group.deps.iter().enumerate() {
            let given = band.given(at);
            if !is_loose(given, treatments) || given.ranges.apart.is_disjoint(&torn) {
                continue;
            }
            for row in &band.rows {
                let distance = dep.distance(&GroupRow { stmts: &row.stmts, rows: &row.rows });
                let is_excused = row.coincident && given.is_coincidence() && !dep.is_coincidence();
                if !dep.cone.contains(&distance)
                    || is_excused && !self.has_distance_zero(dep, &distance)?
                {
                    found.extend(given.ranges.apart.intersection(&torn));
                    break;
                }
            }
        }
        Ok(found)
    }

    /// The variables that a coincident row of `band` needs copies of.
    pub(super) fn private_in(
        &self,
        band: &Growing,
        row: &GroupRow<'_>,
    ) -> Result<BTreeSet<RangesId>> {
        let mut found = BTreeSet::new();
        for (at, dep) in band.group.deps.iter().enumerate() {
            let given = band.given(at);
            if given.is_coincidence()
                && !dep.is_coincidence()
                && !self.has_distance_zero(dep, &dep.distance(row))?
            {
                found.extend(&given.ranges.apart);
            }
        }
        Ok(found)
    }
}

impl Growing {
    /// The band, without rows, as if nothing kept live ranges apart.
    pub(crate) fn open(self) -> Self {
        let treatments = all_open(&self.group);
        if treatments.is_empty() { self } else { self.under(&treatments) }
    }

    /// The band, without rows, under these treatments.
    fn under(mut self, treatments: &Treatments) -> Self {
        self.given = Some(Rc::from(self.group.deps.as_slice()));
        for dep in &mut self.group.deps {
            if is_loose(dep, treatments) {
                dep.roles.validity = false;
                dep.roles.coincidence &= !dep.ranges.may_be_private;
                dep.kinds.clear();
            }
            let is_local = |v: &RangesId| treatments.get(v) == Some(&Treatment::Local);
            dep.is_fixed = dep.ranges.along.iter().any(is_local);
        }
        self
    }

    /// A dependence as it is, whatever the band does about live ranges.
    pub(super) fn given(&self, at: usize) -> &ActiveDep {
        self.given.as_ref().map_or(&self.group.deps[at], |given| &given[at])
    }

    /// The variables of which some live range may lie in several iterations.
    pub(super) fn torn(&self) -> BTreeSet<RangesId> {
        let deps = self.group.deps.iter().zip(&self.progress);
        let torn = deps.filter(|(_, progress)| progress.sum.is_some());
        torn.flat_map(|(dep, _)| dep.ranges.along.iter().copied()).collect()
    }

    /// How many rows make a permutable band.
    fn n_marked(&self) -> usize {
        self.rows.iter().filter(|row| !row.unmarked).count()
    }

    /// What makes one band better than another.
    fn rank(&self) -> (bool, usize) {
        let is_parallel = self.rows.first().is_some_and(|row| row.coincident && !row.unmarked);
        (is_parallel, self.n_marked())
    }
}

/// All variables of a group with false dependences that only keep live ranges apart, open.
fn all_open(group: &Group) -> Treatments {
    let variables = group.deps.iter().flat_map(|dep| dep.ranges.apart.iter().copied());
    variables.map(|variable| (variable, Treatment::Open)).collect()
}

/// Gives `variables` a treatment.
fn set(treatments: &mut Treatments, variables: &BTreeSet<RangesId>, treatment: Treatment) {
    treatments.extend(variables.iter().map(|&variable| (variable, treatment)));
}

/// The variables with this treatment.
fn with(treatments: &Treatments, wanted: Treatment) -> BTreeSet<RangesId> {
    let such = treatments.iter().filter(|(_, treatment)| **treatment == wanted);
    such.map(|(variable, _)| *variable).collect()
}

/// Whether `dep` is out of sight under `treatments`.
fn is_loose(dep: &ActiveDep, treatments: &Treatments) -> bool {
    let is_seen = |v: &RangesId| treatments.get(v).is_none_or(|t| *t == Treatment::Kept);
    dep.is_conditional() && !dep.ranges.apart.iter().any(is_seen)
}
