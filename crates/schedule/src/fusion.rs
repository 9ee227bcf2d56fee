//! Fusion: which strongly connected components share their loops.

use crate::components::Components;
use crate::{Error, Result};
use farkas_scop::StmtId;
use std::collections::BTreeSet;
use std::fmt;

/// What a band found for some components would be worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BandWorth {
    /// Members of the band; zero when none was found.
    pub n_members: usize,
    /// Whether its first member is coincident.
    pub is_outer_coincident: bool,
}

/// Answers a heuristic's questions about components.
pub trait Judge {
    /// How many loops the statements of a component still need; the largest number.
    fn loops_left(&self, component: usize) -> usize;

    /// Whether a dependence that the strategy wants short joins two components, in whatever direction.
    fn are_related(&self, a: usize, b: usize) -> bool;

    /// Whether these components together may have a first row of distance zero. Cheaper than [`Judge::band`].
    ///
    /// # Errors
    /// When the solver or isl fail.
    fn can_be_parallel(&mut self, components: &[usize]) -> Result<bool>;

    /// What the first band of these components together would be worth.
    ///
    /// # Errors
    /// When the solver or isl fail.
    fn band(&mut self, components: &[usize]) -> Result<BandWorth>;

    /// The error that these statements cannot be put `together`, or apart, with the dependences that forbid it.
    ///
    /// # Errors
    /// When the solver or isl fail.
    fn impossible(&mut self, stmts: Vec<StmtId>, together: bool) -> Result<Error>;
}

/// Why statements are scheduled together or apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum FusionReason {
    /// Together: their common band is as wide and as parallel as their own.
    AsGoodTogether,
    /// Together: a common row exists, and the heuristic asks for no more.
    RowExists,
    /// Apart: the heuristic fuses nothing.
    NeverFused,
    /// Apart: they need different numbers of loops.
    DifferentDimensionality,
    /// Apart: no dependence joins them.
    Unrelated,
    /// Apart: another component must run between them.
    OrderedApart,
    /// Apart: they have no legal row in common.
    NoCommonRow,
    /// Apart: the outermost loop would no longer be parallel.
    LosesParallelism,
    /// Apart: fewer loops would be permutable.
    NarrowsBand,
    /// Apart: nothing is left to be shared.
    NoLoopsLeft,
    /// Apart: one of them is to have a loop of its own.
    KeptApart,
    /// Together: the strategy says so.
    Demanded,
}

impl fmt::Display for FusionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsGoodTogether => "their common band is as wide and as parallel as their own",
            Self::RowExists => "they have a legal row in common",
            Self::NeverFused => "the heuristic fuses nothing",
            Self::DifferentDimensionality => "they need different numbers of loops",
            Self::Unrelated => "no dependence joins them",
            Self::OrderedApart => "another component must run between them",
            Self::NoCommonRow => "they have no legal row in common",
            Self::LosesParallelism => "the outermost loop would no longer be parallel",
            Self::NarrowsBand => "fewer loops would be permutable",
            Self::NoLoopsLeft => "no loop is left to be shared",
            Self::KeptApart => "one of them is to have a loop of its own",
            Self::Demanded => "the strategy demands it",
        })
    }
}

/// A decision about one component, named by statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FusionDecision {
    /// The statements that were there already.
    pub with: Vec<StmtId>,
    /// The statements of the component that was to join them.
    pub stmts: Vec<StmtId>,
    /// Whether it did.
    pub fused: bool,
    /// Why.
    pub reason: FusionReason,
}

/// `apart: S0 and S1: they need different numbers of loops`.
impl fmt::Display for FusionDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            |stmts: &[StmtId]| stmts.iter().map(StmtId::to_string).collect::<Vec<_>>().join(", ");
        let verb = if self.fused { "fused" } else { "apart" };
        write!(f, "{verb}: {} and {}: {}", names(&self.with), names(&self.stmts), self.reason)
    }
}

/// Components put together, in the order in which the parts run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Partition {
    /// The components of each part.
    pub parts: Vec<Vec<usize>>,
    /// What was decided on the way.
    pub decisions: Vec<FusionDecision>,
}

/// A fusion heuristic.
pub trait Fusion {
    /// Its name in options and reports.
    fn name(&self) -> &str;

    /// Puts components together. Each component goes to one part; `parts` come in an order that dependences allow.
    ///
    /// # Errors
    /// Those of the judge.
    fn partition(&self, components: &Components, judge: &mut dyn Judge) -> Result<Partition>;
}

/// The three heuristics that Pluto's users know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum FusionHeuristic {
    /// Components of one dimensionality that a dependence joins share their loops where that makes the band neither
    /// narrower nor its outermost loop sequential.
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

/// Components are placed one after another, each into the latest part that takes it.
struct Greedy<'a> {
    heuristic: FusionHeuristic,
    components: &'a Components,
    /// Components that share their loops with nobody.
    apart: BTreeSet<usize>,
    partition: Partition,
}

impl Greedy<'_> {
    /// Whether the strategy's groups can be ordered and have loops in common.
    fn check_groups(&mut self, judge: &mut dyn Judge) -> Result<()> {
        let groups = self.partition.parts.clone();
        let rest = (0..self.components.len()).filter(|c| !groups.concat().contains(c));
        let all: Vec<Vec<usize>> = groups.iter().cloned().chain(rest.map(|c| vec![c])).collect();
        if self.components.order(&all).is_none() {
            return Err(judge.impossible(self.components.stmts(&groups.concat()), false)?);
        }
        for group in groups.iter().filter(|group| group.len() > 1) {
            let has_loops = group.iter().any(|&c| judge.loops_left(c) > 0);
            if has_loops && judge.band(group)?.n_members == 0 {
                return Err(judge.impossible(self.components.stmts(group), true)?);
            }
            self.decide(&group[..1], &group[1..], FusionReason::Demanded);
        }
        Ok(())
    }

    /// Fuses everything at once where that is fine: one large problem instead of many.
    fn fuses_all(&mut self, judge: &mut dyn Judge) -> Result<bool> {
        if !self.apart.is_empty() || !self.partition.parts.is_empty() {
            return Ok(false);
        }
        let all: Vec<usize> = (0..self.components.len()).collect();
        let is_candidate = match self.heuristic {
            FusionHeuristic::No => false,
            FusionHeuristic::Max => all.iter().any(|&c| judge.loops_left(c) > 0),
            FusionHeuristic::Smart => {
                judge.loops_left(0) > 0
                    && all.iter().all(|&c| judge.loops_left(c) == judge.loops_left(0))
                    && is_connected(&all, judge)
            }
        };
        if !is_candidate {
            return Ok(false);
        }
        let reason = self.verdict(&all, &[], judge)?;
        if reason.is_fused() {
            self.decide(&all[..1], &all[1..], reason);
            self.partition.parts = vec![all];
        }
        Ok(reason.is_fused())
    }

    /// Puts `component` into a part, or into a new one.
    fn place(&mut self, component: usize, judge: &mut dyn Judge) -> Result<()> {
        for part in (0..self.partition.parts.len()).rev() {
            let there = self.partition.parts[part].clone();
            let reason = self.reason(&there, component, part, judge)?;
            if !matches!(reason, FusionReason::Unrelated | FusionReason::NoLoopsLeft) {
                self.decide(&there, &[component], reason);
            }
            if reason.is_fused() {
                self.partition.parts[part].push(component);
                return Ok(());
            }
        }
        self.partition.parts.push(vec![component]);
        Ok(())
    }

    /// Whether `component` may join the components `there`, and why.
    fn reason(
        &self,
        there: &[usize],
        component: usize,
        part: usize,
        judge: &mut dyn Judge,
    ) -> Result<FusionReason> {
        if self.heuristic == FusionHeuristic::No {
            return Ok(FusionReason::NeverFused);
        }
        if self.apart.contains(&component) || there.iter().any(|c| self.apart.contains(c)) {
            return Ok(FusionReason::KeptApart);
        }
        if judge.loops_left(component) == 0 {
            return Ok(FusionReason::NoLoopsLeft);
        }
        if self.heuristic == FusionHeuristic::Smart {
            if !there.iter().any(|&other| judge.are_related(other, component)) {
                return Ok(FusionReason::Unrelated);
            }
            if judge.loops_left(there[0]) != judge.loops_left(component) {
                return Ok(FusionReason::DifferentDimensionality);
            }
        }
        if !self.is_acyclic_with(component, part) {
            return Ok(FusionReason::OrderedApart);
        }
        self.verdict(there, &[component], judge)
    }

    /// Whether the parts can be ordered when `component` joins `part`.
    fn is_acyclic_with(&self, component: usize, part: usize) -> bool {
        let mut parts = self.partition.parts.clone();
        parts[part].push(component);
        let placed = parts.concat();
        let later = (0..self.components.len()).filter(|c| !placed.contains(c));
        parts.extend(later.map(|later| vec![later]));
        self.components.order(&parts).is_some()
    }

    /// What the band of `a` and `b` together says.
    fn verdict(&self, a: &[usize], b: &[usize], judge: &mut dyn Judge) -> Result<FusionReason> {
        let all = [a, b].concat();
        if self.heuristic == FusionHeuristic::Max {
            let exists = judge.band(&all)?.n_members > 0;
            return Ok(if exists { FusionReason::RowExists } else { FusionReason::NoCommonRow });
        }
        let alone: Vec<BandWorth> =
            all.iter().map(|&component| judge.band(&[component])).collect::<Result<_>>()?;
        let is_parallel = alone.iter().any(|band| band.is_outer_coincident);
        if is_parallel && !judge.can_be_parallel(&all)? {
            return Ok(FusionReason::LosesParallelism);
        }
        let together = judge.band(&all)?;
        if together.n_members == 0 {
            return Ok(FusionReason::NoCommonRow);
        }
        if alone.iter().any(|band| together.n_members < band.n_members) {
            return Ok(FusionReason::NarrowsBand);
        }
        if is_parallel && !together.is_outer_coincident {
            return Ok(FusionReason::LosesParallelism);
        }
        Ok(FusionReason::AsGoodTogether)
    }

    /// Notes a decision.
    fn decide(&mut self, with: &[usize], joining: &[usize], reason: FusionReason) {
        self.partition.decisions.push(FusionDecision {
            with: self.components.stmts(with),
            stmts: self.components.stmts(joining),
            fused: reason.is_fused(),
            reason,
        });
    }
}

impl FusionReason {
    /// Whether it is a reason to fuse.
    pub fn is_fused(self) -> bool {
        matches!(self, Self::AsGoodTogether | Self::RowExists | Self::Demanded)
    }
}

/// Whether relations join all of `components`.
fn is_connected(components: &[usize], judge: &dyn Judge) -> bool {
    let mut reached = vec![false; components.len()];
    let mut stack = vec![0];
    while let Some(at) = stack.pop() {
        if std::mem::replace(&mut reached[at], true) {
            continue;
        }
        let near =
            |&next: &usize| !reached[next] && judge.are_related(components[at], components[next]);
        stack.extend((0..components.len()).filter(near));
    }
    reached.into_iter().all(|r| r)
}
