//! Answers to a fusion heuristic, by looking for bands.

use crate::band::FoundBand;
use crate::components::Components;
use crate::driver::Driver;
use crate::fusion::{BandWorth, Judge};
use crate::group::Group;
use crate::report::RowReport;
use crate::strides;
use crate::{Error, Result};
use farkas_deps::DependenceKind;
use farkas_scop::StmtId;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of components, the smaller first, that a dependence of these kinds joins.
pub(crate) fn related(
    group: &Group,
    components: &Components,
    kinds: &[DependenceKind],
) -> BTreeSet<(usize, usize)> {
    let mut component_of: BTreeMap<StmtId, usize> = BTreeMap::new();
    for (component, stmts) in components.members.iter().enumerate() {
        component_of.extend(stmts.iter().map(|&stmt| (stmt, component)));
    }
    let deps = group.deps.iter().filter(|dep| dep.is_any_of(kinds));
    let pairs = deps.map(|dep| (component_of[&dep.source], component_of[&dep.sink]));
    pairs.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect()
}

/// Answers a fusion heuristic by looking for bands, which are kept.
pub(crate) struct DriverJudge<'d, 'a> {
    pub(crate) driver: &'d mut Driver<'a>,
    pub(crate) group: &'d Group,
    pub(crate) components: &'d Components,
    pub(crate) related: BTreeSet<(usize, usize)>,
    pub(crate) dimension: usize,
    /// Whether parts follow one another even where there is one part alone.
    pub(crate) distributes: bool,
    pub(crate) last: Option<&'d RowReport>,
    pub(crate) loops_left: Vec<usize>,
    pub(crate) bands: BTreeMap<Vec<usize>, FoundBand>,
}

impl Judge for DriverJudge<'_, '_> {
    fn loops_left(&self, component: usize) -> usize {
        self.loops_left[component]
    }

    fn are_related(&self, a: usize, b: usize) -> bool {
        self.related.contains(&(a.min(b), a.max(b)))
    }

    fn can_be_parallel(&mut self, components: &[usize]) -> Result<bool> {
        let part = self.group.restricted(self.components.stmts(components));
        let dimension = self.dimension_of(components);
        self.driver.can_be_parallel(part, dimension, self.last)
    }

    fn band(&mut self, components: &[usize]) -> Result<BandWorth> {
        let mut components = components.to_vec();
        components.sort_unstable();
        if let Some(found) = self.bands.get(&components) {
            return Ok(found.worth());
        }
        let part = self.group.restricted(self.components.stmts(&components));
        let found = self.driver.find_band(part, self.dimension_of(&components), self.last)?;
        let worth = found.worth();
        self.bands.insert(components, found);
        Ok(worth)
    }

    fn runs_in_step(&mut self, components: &[usize]) -> Result<bool> {
        self.band(components)?;
        let mut components = components.to_vec();
        components.sort_unstable();
        let rows = self.bands.get(&components).map(|found| found.rows.as_slice());
        strides::in_step(self.driver.scop, rows.unwrap_or_default())
    }

    fn impossible(&mut self, stmts: Vec<StmtId>, together: bool) -> Result<Error> {
        let group = self.group.restricted(stmts);
        let deps = if together {
            let dimension = self.dimension + 1;
            if let Some(conflict) = self.driver.conflict(&group, dimension)? {
                return Ok(conflict);
            }
            self.driver.obstacles(&group, dimension)?
        } else {
            let between =
                group.deps.iter().filter(|dep| dep.is_validity() && dep.source != dep.sink);
            between.flat_map(|dep| dep.ids.iter().copied()).collect()
        };
        let dimension = self.dimension;
        Ok(Error::ImpossibleFusion { stmts: group.stmts, together, dimension, deps })
    }
}

impl DriverJudge<'_, '_> {
    /// The row at which the band of some components begins: behind the row of the sequence, if there is one.
    fn dimension_of(&self, components: &[usize]) -> usize {
        let is_alone = components.len() == self.components.len() && !self.distributes;
        if is_alone { self.dimension } else { self.dimension + 1 }
    }
}
