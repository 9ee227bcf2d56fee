//! Answers to a fusion heuristic, by looking for bands.

use crate::affine::PairForm;
use crate::band::{FoundBand, Growing};
use crate::closeness::Closeness;
use crate::driver::Driver;
use crate::fusion::{BandWorth, Judge, ProximityEdge, Reach};
use crate::group::Group;
use crate::plan::Plan;
use crate::report::RowReport;
use crate::strides;
use crate::{Error, Result};
use farkas_deps::Components;
use farkas_scop::StmtId;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of components, the smaller first, that a relation joins which `plan` wants to be short.
fn related(group: &Group, components: &Components, plan: &Plan) -> BTreeSet<(usize, usize)> {
    let component_of = components.of_stmts();
    let deps = group.deps.iter().filter(|dep| plan.brings_close(dep));
    let pairs = deps.map(|dep| (component_of[&dep.source], component_of[&dep.sink]));
    pairs.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect()
}

/// Answers a fusion heuristic by looking for bands, which are kept.
pub(crate) struct DriverJudge<'d, 'a> {
    driver: &'d mut Driver<'a>,
    group: &'d Group,
    components: &'d Components,
    plan: &'d Plan,
    related: BTreeSet<(usize, usize)>,
    /// Proximity relations between components, once somebody asked for them.
    closeness: Vec<Closeness>,
    dimension: usize,
    /// Whether parts follow one another even where there is one part alone.
    distributes: bool,
    last: Option<&'d RowReport>,
    loops_left: Vec<usize>,
    /// For each component the positions in the group of the relations whose source it has.
    deps_from: Vec<Vec<usize>>,
    /// Whether relations of the group do nothing but keep live ranges apart.
    has_conditional: bool,
    bands: BTreeMap<Vec<usize>, Growing>,
}

impl Judge for DriverJudge<'_, '_> {
    fn loops_left(&self, component: usize) -> usize {
        self.loops_left[component]
    }

    fn are_related(&self, a: usize, b: usize) -> bool {
        self.related.contains(&(a.min(b), a.max(b)))
    }

    fn can_be_parallel(&mut self, components: &[usize]) -> Result<bool> {
        let part = self.part(components);
        let dimension = self.dimension_of(components);
        self.driver.can_be_parallel(part, dimension, self.last)
    }

    fn band(&mut self, components: &[usize]) -> Result<BandWorth> {
        let mut components = components.to_vec();
        components.sort_unstable();
        if let Some(found) = self.bands.get(&components) {
            return Ok(found.worth());
        }
        let part = self.part(&components);
        let band = self.driver.grow(part, self.dimension_of(&components), self.last)?.ended();
        let worth = band.worth();
        self.bands.insert(components, band);
        Ok(worth)
    }

    fn proximity_edges(&mut self) -> Result<Vec<ProximityEdge>> {
        let (group, components) = (self.group, self.components);
        self.closeness = Closeness::between(self.driver, group, components, self.plan)?;
        Ok(self.closeness.iter().map(|closeness| closeness.edge).collect())
    }

    fn combined(
        &mut self,
        clusters: &[Vec<usize>],
        n_coincident: usize,
    ) -> Result<Option<BandWorth>> {
        let mut all = clusters.concat();
        all.sort_unstable();
        let band = self.together(&all);
        let band = match self.combine(band, clusters, n_coincident) {
            // What cannot be computed is not combined.
            Err(error) if error.is_overflow() => Some(self.together(&all)),
            band => band?,
        };
        let worth = band.as_ref().map(Growing::worth);
        self.bands.extend(band.map(|band| (all, band)));
        Ok(worth)
    }

    fn reach(&mut self, edge: usize, components: &[usize]) -> Result<Reach> {
        let mut components = components.to_vec();
        components.sort_unstable();
        let rows = self.bands.get(&components).map_or(&[][..], |found| &found.rows);
        self.closeness[edge].reach(self.driver, self.group, rows)
    }

    fn runs_in_step(&mut self, components: &[usize]) -> Result<bool> {
        self.band(components)?;
        let mut components = components.to_vec();
        components.sort_unstable();
        let rows = self.bands.get(&components).map(|found| found.rows.as_slice());
        strides::in_step(self.driver.scop, rows.unwrap_or_default())
    }

    fn are_aligned(&mut self, clusters: &[Vec<usize>]) -> Result<bool> {
        let component_of = self.components.of_stmts();
        let cluster_of = |stmt: StmtId| {
            let component = component_of[&stmt];
            clusters.iter().find(|cluster| cluster.contains(&component))
        };
        let deps = self.group.deps.iter().filter(|dep| dep.is_coincidence());
        for dep in deps.filter(|dep| !(dep.is_conditional() && dep.ranges.may_be_private)) {
            let (Some(from), Some(to)) = (cluster_of(dep.source), cluster_of(dep.sink)) else {
                continue;
            };
            let first = |cluster| self.bands.get(cluster).and_then(|band| band.rows.first());
            let (Some(from_row), Some(to_row)) = (first(from), first(to)) else { continue };
            if from == to || !from_row.coincident && !to_row.coincident {
                continue;
            }
            let (Some(source), Some(sink)) = (from_row.row_of(dep.source), to_row.row_of(dep.sink))
            else {
                continue;
            };
            let distance = PairForm::distance(source, sink);
            let is_same = from_row.coincident == to_row.coincident;
            if !is_same || !self.driver.has_distance_zero(dep, &distance)? {
                return Ok(false);
            }
        }
        Ok(true)
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

impl<'d, 'a> DriverJudge<'d, 'a> {
    /// The judge of the components of `group` under `plan`.
    pub(crate) fn new(
        driver: &'d mut Driver<'a>,
        (group, components): (&'d Group, &'d Components),
        plan: &'d Plan,
        (dimension, distributes): (usize, bool),
        last: Option<&'d RowReport>,
    ) -> Self {
        let component_of = components.of_stmts();
        let mut deps_from = vec![Vec::new(); components.len()];
        for (at, dep) in group.deps.iter().enumerate() {
            deps_from[component_of[&dep.source]].push(at);
        }
        Self {
            loops_left: driver.loops_left(components),
            driver,
            group,
            components,
            plan,
            related: related(group, components, plan),
            closeness: Vec::new(),
            dimension,
            distributes,
            last,
            deps_from,
            has_conditional: group.has_conditional(),
            bands: BTreeMap::new(),
        }
    }

    /// The part of the group that some components make up.
    pub(crate) fn part(&self, components: &[usize]) -> Group {
        let stmts = self.components.stmts(components);
        let mut deps: Vec<usize> =
            components.iter().flat_map(|&component| self.deps_from[component].clone()).collect();
        deps.sort_unstable();
        let deps = deps.into_iter().map(|at| &self.group.deps[at]);
        let deps = deps.filter(|dep| stmts.binary_search(&dep.sink).is_ok()).cloned().collect();
        let mut part = Group { stmts, deps };
        if self.has_conditional {
            part.keep_apart(&self.group.leaving(&part.stmts));
        }
        part
    }

    /// The band that was looked for last for these components.
    pub(crate) fn take_band(&mut self, components: &[usize]) -> Result<Option<FoundBand>> {
        let band = self.bands.remove(components);
        band.map(|band| self.driver.finish(band)).transpose()
    }

    /// A band without rows.
    fn together(&self, components: &[usize]) -> Growing {
        Growing::new(self.driver, self.part(components), self.dimension_of(components))
    }

    /// `band`, which has no rows, with those that move the bands of some clusters as wholes. `None` where one of the first
    /// `n_coincident` is not coincident.
    fn combine(
        &mut self,
        band: Growing,
        clusters: &[Vec<usize>],
        n_coincident: usize,
    ) -> Result<Option<Growing>> {
        for cluster in clusters {
            self.band(cluster)?;
        }
        let bands = clusters.iter().map(|cluster| &self.bands[cluster]);
        let n_rows =
            n_common_rows(bands.clone().map(|band| (band.rows.len(), band.n_loops_left())));
        let nodes = bands.map(Growing::cluster).collect();
        let is_wanted = |band: &Growing| {
            band.rows.len() > n_coincident || band.rows.last().is_none_or(|row| row.coincident)
        };
        let start = band.of_clusters(nodes, n_rows);
        let (band, is_wanted) = self.driver.grow_from(start, self.last, &is_wanted)?;
        Ok(is_wanted.then(|| band.ended()))
    }

    /// The row at which the band of some components begins: behind the row of the sequence, if there is one.
    fn dimension_of(&self, components: &[usize]) -> usize {
        let is_alone = components.len() == self.components.len() && !self.distributes;
        if is_alone { self.dimension } else { self.dimension + 1 }
    }
}

/// How many rows the common band of clusters may have whose bands have so many rows and leave their statements so many
/// loops: as many as the widest, but where a narrower one leaves more loops than any of the widest do, only as many as
/// that, since a row more would be one more for all.
///
/// **Paper** none; isl's `adjust_maxvar_to_slack`.
fn n_common_rows(bands: impl Iterator<Item = (usize, usize)> + Clone) -> usize {
    let widest = bands.clone().map(|(n_rows, _)| n_rows).max().unwrap_or(0);
    let of_widest = bands.clone().filter(|(n_rows, _)| *n_rows == widest);
    let left_by_widest = of_widest.map(|(_, n_left)| n_left).max().unwrap_or(0);
    let limits = bands.filter(|(_, n_left)| *n_left > left_by_widest).map(|(n_rows, _)| n_rows);
    limits.chain([widest]).min().unwrap_or(widest)
}

#[cfg(test)]
mod tests {
    use super::n_common_rows;

    #[test]
    fn a_narrow_band_with_more_to_come_limits_a_wide_one() {
        let rows = |bands: &[(usize, usize)]| n_common_rows(bands.iter().copied());
        assert_eq!(rows(&[(3, 0), (2, 0)]), 3);
        assert_eq!(rows(&[(3, 0), (2, 1)]), 2);
        assert_eq!(rows(&[(3, 1), (2, 1)]), 3);
        assert_eq!(rows(&[(3, 0), (2, 1), (1, 3)]), 1);
        assert_eq!(rows(&[(0, 0), (0, 0)]), 0);
    }
}
