//! Combining clusters: components with bands of their own, brought together along the relations that want them close.

use super::clusters::Clusters;
use super::{BandWorth, FusionControl, FusionDecision, FusionReason, Judge, Partition};
use crate::Result;
use farkas_deps::Components;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A relation along which two components may come together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProximityEdge {
    /// The component of its sources.
    pub source: usize,
    /// The component of its sinks.
    pub sink: usize,
    /// How many of the dimensions that are left it can align completely.
    pub weight: usize,
}

/// How far a relation reaches in the members of a band.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// How many members there are.
    pub n_members: usize,
    /// In how many of them its distance is not small.
    pub n_far: usize,
    /// Whether in each of those all its sources, or all its sinks, have one date.
    pub is_pinned: bool,
}

/// What is known of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Status {
    /// It was given up.
    Closed,
    /// It comes after all that are open: it leaves a long distance inside the cluster that it makes, which then hides
    /// what others would gain.
    Late,
    /// It is still to be tried.
    Open,
}

/// What one trial came to.
enum Outcome {
    Together(FusionReason),
    Apart(FusionReason),
    Postponed,
}

/// Clusters while they are combined.
///
/// **Paper** the locality model, section 3.4; S. Verdoolaege and G. Janssens, *Scheduling for PPCG*, KU Leuven CW 706, 2017.
/// The order of trials and the checks are those of isl's scheduler, but for that of strides.
pub(super) struct Clustering<'a> {
    components: &'a Components,
    control: &'a FusionControl,
    clusters: Clusters,
    /// Clusters that are never combined, and why.
    alone: BTreeMap<usize, FusionReason>,
    /// Clusters that the strategy asks for: no two of them are combined.
    demanded: BTreeSet<usize>,
    edges: Vec<(ProximityEdge, Status)>,
    decisions: Vec<FusionDecision>,
    /// The same, to note each once.
    noted: BTreeSet<FusionDecision>,
}

impl<'a> Clustering<'a> {
    /// One cluster for each of the `demanded` sets of components, and one for each other component; those with components
    /// of `apart` stay alone.
    pub(super) fn new(
        components: &'a Components,
        control: &'a FusionControl,
        apart: &BTreeSet<usize>,
        demanded: &[Vec<usize>],
        judge: &mut dyn Judge,
    ) -> Result<Self> {
        let clusters = Clusters::new(components, demanded);
        let mut alone = BTreeMap::new();
        for cluster in clusters.names() {
            let members = clusters.members(cluster);
            if members.iter().any(|component| apart.contains(component)) {
                alone.insert(cluster, FusionReason::KeptApart);
            } else if !judge.band(members)?.can_be_shared {
                alone.insert(cluster, FusionReason::NoSharedBand);
            }
        }
        let edges = judge.proximity_edges()?.into_iter().map(|edge| (edge, Status::Open));
        Ok(Self {
            components,
            control,
            clusters,
            alone,
            demanded: demanded.iter().filter_map(|group| group.iter().copied().min()).collect(),
            edges: edges.collect(),
            decisions: Vec::new(),
            noted: BTreeSet::new(),
        })
    }

    /// Combines clusters until no edge is left to be tried.
    pub(super) fn run(mut self, judge: &mut dyn Judge) -> Result<Partition> {
        while let Some(edge) = self.best_edge() {
            self.try_edge(edge, judge)?;
        }
        let names = self.clusters.names();
        let parts = names.map(|cluster| self.clusters.members(cluster).to_vec()).collect();
        Ok(Partition { parts, decisions: self.decisions })
    }

    /// The clusters that an edge joins.
    fn ends(&self, edge: usize) -> (usize, usize) {
        let edge = self.edges[edge].0;
        (self.clusters.of(edge.source), self.clusters.of(edge.sink))
    }

    /// Whether an edge joins two clusters.
    fn joins_two(&self, edge: usize) -> bool {
        let (source, sink) = self.ends(edge);
        source != sink
    }

    /// The edge to try next: one that aligns most dimensions, of those one of least distance in the order of components, of
    /// those one that makes the smallest cluster, so that chains combine by halves, of those the last (isl takes the first
    /// that its hash tables have).
    fn best_edge(&self) -> Option<usize> {
        let is_candidate = |&at: &usize| self.joins_two(at) && self.edges[at].1 != Status::Closed;
        let preference = |&at: &usize| {
            let (edge, status) = self.edges[at];
            let (source, sink) = self.ends(at);
            let distance = sink.cast_signed() - source.cast_signed();
            let n_members: usize =
                [source, sink].iter().map(|&cluster| self.clusters.members(cluster).len()).sum();
            (Reverse((status, edge.weight)), distance, n_members, Reverse(at))
        };
        (0..self.edges.len()).filter(is_candidate).min_by_key(preference)
    }

    /// Combines the clusters of an edge with all that must run between them, if that is fine.
    fn try_edge(&mut self, edge: usize, judge: &mut dyn Judge) -> Result<()> {
        let (source, sink) = self.ends(edge);
        let clusters = self.clusters.between(source, sink);
        match self.outcome(edge, &clusters, judge)? {
            Outcome::Together(reason) => {
                self.decide(source, &clusters, reason);
                self.combine(&clusters);
            }
            Outcome::Apart(reason) => {
                self.decide(source, &clusters, reason);
                self.edges[edge].1 = Status::Closed;
            }
            Outcome::Postponed => self.edges[edge].1 = Status::Late,
        }
        Ok(())
    }

    /// Makes one cluster of some.
    fn combine(&mut self, clusters: &BTreeSet<usize>) {
        if clusters.iter().any(|cluster| self.demanded.contains(cluster)) {
            self.demanded.extend(clusters.first());
        }
        self.clusters.combine(clusters);
    }

    /// Whether these clusters are combined along an edge.
    fn outcome(
        &mut self,
        edge: usize,
        clusters: &BTreeSet<usize>,
        judge: &mut dyn Judge,
    ) -> Result<Outcome> {
        use Outcome::Apart;
        if let Some(&reason) = clusters.iter().find_map(|cluster| self.alone.get(cluster)) {
            return Ok(Apart(reason));
        }
        if self.demanded.intersection(clusters).count() > 1 {
            return Ok(Apart(FusionReason::KeptApart));
        }
        let is_inside = |at: &usize| {
            let (source, sink) = self.ends(*at);
            clusters.contains(&source) && clusters.contains(&sink)
        };
        let inside: Vec<usize> = (0..self.edges.len()).filter(is_inside).collect();
        // What was tried for a part of the clusters is not tried again for all, and waits as long as the part.
        if inside.iter().any(|&at| self.edges[at].1 == Status::Closed) {
            return Ok(Apart(FusionReason::PartsApart));
        }
        let is_late = |at: &usize| self.edges[*at].1 == Status::Late;
        if !is_late(&edge) && inside.iter().any(is_late) {
            return Ok(Outcome::Postponed);
        }
        let members = clusters.iter().map(|&cluster| self.clusters.members(cluster).to_vec());
        let members: Vec<Vec<usize>> = members.collect();
        let alone = members.iter().map(|cluster| judge.band(cluster));
        let alone: Vec<BandWorth> = alone.collect::<Result<_>>()?;
        if alone.iter().all(|band| band.n_members == 0) {
            return Ok(Apart(FusionReason::NoLoopsLeft));
        }
        if self.control.is_typed && !judge.are_aligned(&members)? {
            return Ok(Apart(FusionReason::Misaligned));
        }
        let all = members.concat();
        match self.loss(&members, &alone, judge)? {
            Some(reason) => Ok(Apart(reason)),
            None if !self.control.allows_strides && !judge.runs_in_step(&all)? => {
                Ok(Apart(FusionReason::OutOfStep))
            }
            None => self.closeness(edge, &inside, &all, judge),
        }
    }

    /// Looks for the common band of clusters with bands worth `alone`; says what is wrong with it, whatever it brings
    /// together.
    fn loss(
        &self,
        clusters: &[Vec<usize>],
        alone: &[BandWorth],
        judge: &mut dyn Judge,
    ) -> Result<Option<FusionReason>> {
        let (n_coincident, loses_parallelism) = self.control.kept_parallelism.of(alone);
        let widest = alone.iter().map(|band| band.n_members).max().unwrap_or(0);
        let n_members = if self.control.keeps_depth { widest } else { 1 };
        Ok(match judge.combined(clusters, n_coincident)? {
            Some(together) if together.n_members == 0 => Some(FusionReason::NoCommonRow),
            Some(together) if together.n_members < n_members => Some(FusionReason::NarrowsBand),
            Some(together) if together.n_coincident >= n_coincident => None,
            _ => Some(loses_parallelism),
        })
    }

    /// Whether the band found for `all` brings something together: an edge among those `inside` has a small distance in
    /// each member. Else an edge may do that has one where its ends can be aligned, and elsewhere one end at one date; but
    /// it waits for the others.
    fn closeness(
        &mut self,
        edge: usize,
        inside: &[usize],
        all: &[usize],
        judge: &mut dyn Judge,
    ) -> Result<Outcome> {
        let was_late = self.edges[edge].1 == Status::Late;
        for &at in inside {
            if !self.joins_two(at) {
                continue;
            }
            let reach = judge.reach(at, all)?;
            if reach.n_far == 0 {
                return Ok(Outcome::Together(FusionReason::Closer));
            }
            let most = reach.n_members.saturating_sub(self.edges[at].0.weight);
            if !reach.is_pinned || reach.n_far > most {
                continue;
            }
            if self.edges[at].1 == Status::Late {
                return Ok(Outcome::Together(FusionReason::AroundPinned));
            }
            self.edges[at].1 = Status::Late;
        }
        let is_late = self.edges[edge].1 == Status::Late;
        Ok(if is_late && !was_late {
            Outcome::Postponed
        } else {
            Outcome::Apart(FusionReason::TooFar)
        })
    }

    /// Notes a decision about clusters, of which `with` is one; nothing of those without loops, which share none, nor of
    /// two between which it was said before.
    fn decide(&mut self, with: usize, clusters: &BTreeSet<usize>, reason: FusionReason) {
        let was_said = reason == FusionReason::PartsApart && clusters.len() == 2;
        if was_said || reason == FusionReason::NoLoopsLeft {
            return;
        }
        let stmts = |clusters: &mut dyn Iterator<Item = &usize>| {
            let members = clusters.flat_map(|&cluster| self.clusters.members(cluster));
            self.components.stmts(&members.copied().collect::<Vec<usize>>())
        };
        let decision = FusionDecision {
            with: stmts(&mut [with].iter()),
            stmts: stmts(&mut clusters.iter().filter(|&&cluster| cluster != with)),
            fused: reason.is_fused(),
            reason,
        };
        if self.noted.insert(decision.clone()) {
            self.decisions.push(decision);
        }
    }
}

#[cfg(test)]
mod tests;
