//! Putting components together one after another.

use super::{
    BandWorth, FusionDecision, FusionHeuristic, FusionReason, Judge, KeptParallelism, Partition,
};
use crate::Result;
use farkas_deps::Components;
use std::collections::BTreeSet;

/// Components are placed one after another, each into the latest part that takes it.
pub(super) struct Greedy<'a> {
    pub(super) heuristic: FusionHeuristic,
    pub(super) kept_parallelism: KeptParallelism,
    pub(super) components: &'a Components,
    /// Components that share their loops with nobody.
    pub(super) apart: &'a BTreeSet<usize>,
    pub(super) partition: Partition,
}

impl Greedy<'_> {
    /// Whether the strategy's groups can be ordered and have loops in common.
    pub(super) fn check_groups(&mut self, judge: &mut dyn Judge) -> Result<()> {
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

    /// Puts every component that is in no group into a part.
    pub(super) fn place_all(&mut self, judge: &mut dyn Judge) -> Result<()> {
        if self.fuses_all(judge)? {
            return Ok(());
        }
        let grouped: Vec<usize> = self.partition.parts.concat();
        for component in (0..self.components.len()).filter(|c| !grouped.contains(c)) {
            self.place(component, judge)?;
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
            FusionHeuristic::No | FusionHeuristic::Cluster => false,
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
        let (n_coincident, loses_parallelism) = self.kept_parallelism.of(&alone);
        if n_coincident > 0 && !judge.can_be_parallel(&all)? {
            return Ok(FusionReason::LosesParallelism);
        }
        let together = judge.band(&all)?;
        if together.n_members == 0 {
            return Ok(FusionReason::NoCommonRow);
        }
        if alone.iter().any(|band| together.n_members < band.n_members) {
            return Ok(FusionReason::NarrowsBand);
        }
        if together.n_coincident < n_coincident {
            return Ok(loses_parallelism);
        }
        if !judge.runs_in_step(&all)? {
            return Ok(FusionReason::OutOfStep);
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
