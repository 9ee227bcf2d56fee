//! The heuristics, and what a strategy demands beyond them.

use super::greedy::Greedy;
use super::{Fusion, Judge, Partition};
use crate::Result;
use crate::components::Components;
use farkas_scop::StmtId;

/// The three heuristics that Pluto's users know.
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
}

impl Fusion for FusionHeuristic {
    fn name(&self) -> &str {
        match self {
            Self::Smart => "smart",
            Self::Max => "max",
            Self::No => "no",
        }
    }

    fn partition(&self, components: &Components, judge: &mut dyn Judge) -> Result<Partition> {
        FusionControl::from(*self).partition(components, judge)
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
    /// Whether [`FusionHeuristic::Smart`] keeps components apart that would have fewer parallel outer loops together.
    pub keeps_coincident: bool,
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
        let mut greedy = Greedy {
            heuristic: self.heuristic,
            keeps_coincident: self.keeps_coincident,
            components,
            apart: apart.collect(),
            partition: Partition { parts: groups, decisions: Vec::new() },
        };
        greedy.check_groups(judge)?;
        if !greedy.fuses_all(judge)? {
            let grouped: Vec<usize> = greedy.partition.parts.concat();
            for component in (0..components.len()).filter(|c| !grouped.contains(c)) {
                greedy.place(component, judge)?;
            }
        }
        let mut partition = greedy.partition;
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
