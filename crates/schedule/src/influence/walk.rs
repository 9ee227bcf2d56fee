//! Following an influence tree: rows of all statements together, with backtracking.
//!
//! **Paper** constraint injection, Algorithm 1. Ours differs: where components are separated, the node is tried again
//! behind the sequence instead of being skipped; statements that need no more loops are put apart from those that do, where
//! dependences allow it, so that they do not end up under conditions inside the loops of the others; and when no
//! scenario is left, nothing stays of the attempt.

use super::levels::Levels;
use super::partial::Partial;
use crate::Result;
use crate::band::{FoundRow, Growing, Step};
use crate::conflict::MAX_SIFTED_DEPS;
use crate::driver::Driver;
use crate::fallback::Fallback;
use crate::group::Group;
use crate::scenario::{InfluenceEvent, InfluenceStep};
use crate::scenario::{InfluenceNode, InfluenceTree};
use farkas_base::Budget;
use farkas_deps::DepId;
use std::rc::Rc;

/// The work that finding out why one node has no row may take, in searches for one row.
const EXPLAINED_ROWS: u64 = 10;

/// A way through the tree.
struct Walk<'t> {
    tree: &'t InfluenceTree,
    /// The position among its siblings of the node at each depth.
    path: Vec<usize>,
    /// The partial schedule before the row of each depth.
    backups: Vec<Partial>,
    /// Fallbacks and rows so far, for a bound on the effort.
    n_steps: usize,
}

/// What became of a node without a row.
enum Next {
    /// Try again: the path or the partial schedule has changed.
    Again(Partial),
    /// A fallback found the row.
    Row(Partial),
    /// No scenario is left.
    Nothing,
}

impl Walk<'_> {
    /// The siblings at a depth of the path.
    fn siblings(&self, depth: usize) -> &[InfluenceNode] {
        let mut children = &self.tree.children;
        for &at in &self.path[..depth] {
            children = &children[at].children;
        }
        children
    }

    /// The node that the path leads to.
    fn node(&self) -> &InfluenceNode {
        let depth = self.path.len() - 1;
        &self.siblings(depth)[self.path[depth]]
    }

    /// Whether the node at this depth has a sibling of lower priority.
    fn has_sibling(&self, depth: usize) -> bool {
        self.path[depth] + 1 < self.siblings(depth).len()
    }
}

impl Driver<'_> {
    /// The part of a schedule that the best feasible scenario of `tree` says; `None` where none is feasible.
    pub(crate) fn follow(
        &mut self,
        group: &Group,
        tree: &InfluenceTree,
    ) -> Result<Option<(Levels, Vec<Group>)>> {
        if tree.children.is_empty() {
            return Ok(None);
        }
        let mut partial = Partial {
            levels: Levels::default(),
            parts: vec![group.stmts.clone()],
            band: Growing::new(self, group.clone(), 0),
            rows: Vec::new(),
        };
        let mut walk = Walk { tree, path: vec![0], backups: Vec::new(), n_steps: 0 };
        loop {
            walk.n_steps += 1;
            let depth = walk.path.len() - 1;
            if walk.n_steps > self.options.max_influence_steps {
                self.note(&walk, InfluenceEvent::Exhausted);
                return Ok(None);
            }
            if walk.backups.len() == depth {
                walk.backups.push(partial.clone());
            }
            let node = walk.node();
            partial = self.finished_apart(partial, node)?;
            let found = if self.try_node(&mut partial, node, true)? {
                Some(partial)
            } else {
                match self.next(&mut walk, partial)? {
                    Next::Again(again) => {
                        partial = again;
                        continue;
                    }
                    Next::Row(found) => Some(found),
                    Next::Nothing => None,
                }
            };
            let Some(found) = found else { return Ok(None) };
            self.note(&walk, InfluenceEvent::Row);
            partial = found;
            if walk.node().children.is_empty() {
                return self.complete(partial).map(Some);
            }
            walk.path.push(0);
        }
    }

    /// The row of `node`, as the next of the band; says whether there is one.
    fn try_node(
        &mut self,
        partial: &mut Partial,
        node: &InfluenceNode,
        progresses: bool,
    ) -> Result<bool> {
        let plan = self.node_plan(partial, node);
        let progression = if progresses { partial.band.progression() } else { Vec::new() };
        let Some(solution) = self.solve_plan(&mut partial.band, plan, &progression)? else {
            return Ok(false);
        };
        self.accept_influenced(partial, node, (solution, None))
    }

    /// Makes a solution the next row, if it is what the node requires.
    fn accept_influenced(
        &mut self,
        partial: &mut Partial,
        node: &InfluenceNode,
        found: FoundRow,
    ) -> Result<bool> {
        self.accept(&mut partial.band, found)?;
        let Some(row) = partial.band.rows.last() else { return Ok(false) };
        if node.requires_parallel && !row.coincident {
            partial.band.forget_last();
            return Ok(false);
        }
        partial.rows.push(row.stmts.iter().copied().zip(row.rows.iter().cloned()).collect());
        Ok(true)
    }

    /// What to do where the node has no row, in the order of the tree.
    fn next(&mut self, walk: &mut Walk<'_>, mut partial: Partial) -> Result<Next> {
        let node = walk.node().clone();
        let depth = walk.path.len() - 1;
        self.explain_failure(walk, &partial, &node)?;
        for fallback in walk.tree.fallbacks.clone() {
            let next = match fallback {
                Fallback::DropProgression => {
                    let is_asked = partial.band.is_free();
                    (is_asked && self.try_node(&mut partial, &node, false)?)
                        .then(|| Next::Row(partial.clone()))
                }
                Fallback::NextSibling if walk.has_sibling(depth) => {
                    walk.path[depth] += 1;
                    Some(Next::Again(walk.backups[depth].clone()))
                }
                Fallback::NewBand if partial.band.has_carried() && !node.requires_permutable => {
                    Some(Next::Again(self.with_new_band(partial.clone())?))
                }
                Fallback::AncestorSibling => {
                    (0..depth).rev().find(|&d| walk.has_sibling(d)).map(|d| {
                        walk.path.truncate(d + 1);
                        walk.path[d] += 1;
                        walk.backups.truncate(d + 1);
                        Next::Again(walk.backups[d].clone())
                    })
                }
                Fallback::SeparateComponents => self
                    .separated(partial.clone(), |_, components| {
                        (0..components.len()).map(|c| vec![c]).collect()
                    })?
                    .map(Next::Again),
                Fallback::OtherSigns | Fallback::ParametricShift | Fallback::DeferShallow => {
                    let progression = partial.band.progression();
                    match self.fall_back(&mut partial.band, fallback, &progression)? {
                        Step::Found(solution) => self
                            .accept_influenced(&mut partial, &node, (solution, Some(fallback)))?
                            .then(|| Next::Row(partial.clone())),
                        _ => None,
                    }
                }
                Fallback::NextSibling
                | Fallback::NewBand
                | Fallback::Replan
                | Fallback::DropConstraints => None,
            };
            if let Some(next) = next {
                self.note(walk, InfluenceEvent::Fallback(fallback));
                return Ok(next);
            }
        }
        self.note(walk, InfluenceEvent::GivenUp);
        Ok(Next::Nothing)
    }

    /// Notes which constraints and dependences leave the node without a row, where that is asked for. It has a budget of
    /// its own, so that the schedule is the same whether it is asked for or not.
    fn explain_failure(
        &mut self,
        walk: &Walk<'_>,
        partial: &Partial,
        node: &InfluenceNode,
    ) -> Result<()> {
        let (mut constraints, mut deps) = (Vec::new(), Vec::new());
        if self.options.explains_influence {
            let most = self.options.max_row_work.saturating_mul(EXPLAINED_ROWS);
            let before = std::mem::replace(&mut self.budget, Rc::new(Budget::new(most)));
            let reason = self.reason_of_failure(partial, node);
            self.budget = before;
            (constraints, deps) = reason?;
        }
        self.note(walk, InfluenceEvent::NoRow { constraints, deps });
        Ok(())
    }

    /// Constraints and dependences that leave the node without a row: as few as the budget allows to find.
    fn reason_of_failure(
        &mut self,
        partial: &Partial,
        node: &InfluenceNode,
    ) -> Result<(Vec<String>, Vec<DepId>)> {
        let mut kept = node.clone();
        let mut at = 0;
        while at < kept.constraints.len() {
            let mut fewer = kept.clone();
            fewer.constraints.remove(at);
            if self.has_no_row(partial.clone(), &fewer)? {
                kept = fewer;
            } else {
                at += 1;
            }
        }
        let mut constraints: Vec<String> =
            kept.constraints.iter().map(|c| c.text.clone()).collect();
        if kept.requires_parallel {
            let free = InfluenceNode { requires_parallel: false, ..kept.clone() };
            match self.has_no_row(partial.clone(), &free)? {
                true => kept = free,
                false => constraints.push("parallel".to_owned()),
            }
        }
        if kept.requires_permutable && partial.band.has_carried() {
            let inside = self.with_new_band(partial.clone())?;
            if !self.has_no_row(inside, &kept)? {
                constraints.push("permutable".to_owned());
            }
        }
        let mut left = partial.clone();
        let mut at = 0;
        while left.band.group.deps.len() <= MAX_SIFTED_DEPS && at < left.band.group.deps.len() {
            let mut fewer = left.clone();
            fewer.band.without_dep(at);
            if self.has_no_row(fewer.clone(), &kept)? {
                left = fewer;
            } else {
                at += 1;
            }
        }
        let kept = left.band.group.deps.iter().filter(|dep| dep.is_validity());
        Ok((constraints, kept.flat_map(|dep| dep.ids.iter().copied()).collect()))
    }

    /// Whether the node has no row, for certain.
    fn has_no_row(&mut self, mut partial: Partial, node: &InfluenceNode) -> Result<bool> {
        let found = self.when_solved(|driver| driver.try_node(&mut partial, node, true))?;
        Ok(found == Some(false))
    }

    /// Notes an event at the node where the walk stands.
    fn note(&mut self, walk: &Walk<'_>, event: InfluenceEvent) {
        self.report.influence.push(InfluenceStep { path: walk.path.clone(), event });
    }
}
