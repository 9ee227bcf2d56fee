//! The heuristics, and what a strategy demands beyond them.

use super::cluster::Clustering;
use super::greedy::Greedy;
use super::{BandWorth, Fusion, FusionReason, Judge, Partition};
use crate::Result;
use farkas_deps::Components;
use farkas_scop::StmtId;
use std::collections::BTreeSet;

/// The three heuristics that Pluto's users know, and isl's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum FusionHeuristic {
    /// Components of one dimensionality that a dependence joins share their loops where that makes the band neither
    /// narrower nor its outermost loop sequential, and all of them run in the same iterations, bounds aside.
    #[default]
    Smart,
    /// Components share their loops wherever a legal row exists.
    Max,
    /// Nothing is fused.
    No,
    /// Each component has a band of its own; then components move as wholes where that brings together what a dependence
    /// joins.
    Cluster,
}

/// How much of the parallelism of components fusion must keep: coincident members of their bands, the outermost first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum KeptParallelism {
    /// None.
    None,
    /// One coincident member where one of the components has one.
    #[default]
    Outermost,
    /// As many as the component with the most.
    All,
}

impl Fusion for FusionHeuristic {
    fn name(&self) -> &str {
        match self {
            Self::Smart => "smart",
            Self::Max => "max",
            Self::No => "no",
            Self::Cluster => "cluster",
        }
    }

    fn partition(&self, components: &Components, judge: &mut dyn Judge) -> Result<Partition> {
        FusionControl::from(*self).partition(components, judge)
    }
}

impl KeptParallelism {
    /// How many coincident members a common band of clusters with bands of this worth must have, and what it is to have
    /// fewer.
    pub(super) fn of(self, alone: &[BandWorth]) -> (usize, FusionReason) {
        let most = alone.iter().map(|band| band.n_coincident).max().unwrap_or(0);
        match self {
            Self::None => (0, FusionReason::LosesParallelism),
            Self::Outermost => (most.min(1), FusionReason::LosesParallelism),
            Self::All => (most, FusionReason::FewerParallel),
        }
    }
}

/// A heuristic with what a strategy demands beyond it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FusionControl {
    /// What decides where nothing else does.
    pub heuristic: FusionHeuristic,
    /// Statements that share their loops, and not with other groups. Statements that no group has stay free.
    pub groups: Vec<Vec<StmtId>>,
    /// Statements that share their loops with nobody.
    pub apart: Vec<StmtId>,
    /// What [`FusionHeuristic::Smart`] and [`FusionHeuristic::Cluster`] do not give up to put components together.
    pub kept_parallelism: KeptParallelism,
    /// Whether [`FusionHeuristic::Cluster`] keeps apart what would have fewer permutable loops together (isl's
    /// `maximize-band-depth`, which PPCG sets); [`FusionHeuristic::Smart`] always does.
    pub keeps_depth: bool,
    /// Whether [`FusionHeuristic::Cluster`] puts together what then runs only in each k-th iteration of the common loops,
    /// as isl does; [`FusionHeuristic::Smart`] does not.
    pub allows_strides: bool,
    /// Whether [`FusionHeuristic::Cluster`] keeps apart what would have to change its outermost loop to be parallel together.
    pub is_typed: bool,
}

impl From<FusionHeuristic> for FusionControl {
    fn from(heuristic: FusionHeuristic) -> Self {
        Self { heuristic, ..Self::default() }
    }
}

impl Fusion for FusionControl {
    fn name(&self) -> &str {
        self.heuristic.name()
    }

    fn partition(&self, components: &Components, judge: &mut dyn Judge) -> Result<Partition> {
        let groups = self.groups_of(components, judge)?;
        let apart = (0..components.len())
            .filter(|&c| components.members[c].iter().any(|stmt| self.apart.contains(stmt)));
        let apart: BTreeSet<usize> = apart.collect();
        let mut greedy = Greedy {
            heuristic: self.heuristic,
            kept_parallelism: self.kept_parallelism,
            components,
            apart: &apart,
            partition: Partition { parts: groups, decisions: Vec::new() },
        };
        greedy.check_groups(judge)?;
        let mut partition = if self.heuristic == FusionHeuristic::Cluster {
            let Partition { parts, decisions } = greedy.partition;
            let clustering = Clustering::new(components, self, &apart, &parts, judge)?;
            let found = clustering.run(judge)?;
            Partition { decisions: [decisions, found.decisions].concat(), ..found }
        } else {
            greedy.place_all(judge)?;
            greedy.partition
        };
        if let Some(order) = components.order(&partition.parts) {
            partition.parts = order.into_iter().map(|at| partition.parts[at].clone()).collect();
        }
        Ok(partition)
    }
}

impl FusionControl {
    /// The components of each group that has some here.
    fn groups_of(&self, components: &Components, judge: &mut dyn Judge) -> Result<Vec<Vec<usize>>> {
        let mut groups = vec![Vec::new(); self.groups.len()];
        for (component, stmts) in components.members.iter().enumerate() {
            let touches = |group: &&Vec<StmtId>| stmts.iter().any(|stmt| group.contains(stmt));
            match self.groups.iter().filter(touches).count() {
                0 => {}
                1 => {
                    let at = self.groups.iter().position(|group| touches(&group));
                    groups[at.unwrap_or_default()].push(component);
                }
                _ => return Err(judge.impossible(stmts.clone(), false)?),
            }
        }
        groups.retain(|group| !group.is_empty());
        Ok(groups)
    }
}
