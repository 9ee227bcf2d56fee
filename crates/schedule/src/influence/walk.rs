//! Following an influence tree: rows of all statements together, with backtracking.
//!
//! **Paper** constraint injection, Algorithm 1. Ours differs: where components are separated, the node is tried again
//! behind the sequence instead of being skipped; statements that need no more loops are put apart from those that do, where
//! dependences allow it, so that they do not end up under conditions inside the loops of the others; and when no
//! scenario is left, nothing stays of the attempt.

use crate::Result;
use crate::affine::StmtRow;
use crate::band::Growing;
use crate::components::Components;
use crate::conflict::MAX_SIFTED_DEPS;
use crate::cost::{CostFunction, UserCost, ZeroDistance};
use crate::driver::Driver;
use crate::group::Group;
use crate::influence::levels::{Level, Levels};
use crate::influence::trace::{InfluenceEvent, InfluenceStep};
use crate::influence::tree::{InfluenceNode, InfluenceTerm, InfluenceTree};
use crate::plan::{Constraint, Fallback, Plan, Term};
use farkas_base::Budget;
use farkas_deps::DepId;
use farkas_scop::StmtId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The work that finding out why one node has no row may take, in searches for one row.
const EXPLAINED_ROWS: u64 = 10;

/// A partial schedule of all statements together.
#[derive(Clone)]
struct Partial {
    levels: Levels,
    /// Statements that run one after another; their rows are found together.
    parts: Vec<Vec<StmtId>>,
    band: Growing,
    /// The influenced rows so far.
    rows: Vec<BTreeMap<StmtId, StmtRow>>,
}

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
        found: crate::band::FoundRow,
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

    /// The strategy's plan with what the node adds.
    fn node_plan(&mut self, partial: &Partial, node: &InfluenceNode) -> Plan {
        let mut plan = self.plan_row(&partial.band, 0, None);
        let objectives: Vec<Rc<dyn CostFunction>> =
            node.objectives.iter().map(|&v| user_cost(node, v, true)).collect();
        let shift = objectives.len();
        for constraint in &mut plan.constraints {
            for (term, _) in &mut constraint.terms {
                if let Term::Cost { function, .. } = term {
                    *function += shift;
                }
            }
        }
        plan.costs.splice(0..0, objectives);
        let mut places: BTreeMap<usize, usize> =
            node.objectives.iter().enumerate().map(|(place, &v)| (v, place)).collect();
        for variable in 0..node.variables.len() {
            places.entry(variable).or_insert_with(|| {
                plan.costs.push(user_cost(node, variable, false));
                plan.costs.len() - 1
            });
        }
        if node.requires_parallel {
            plan.costs.push(Rc::new(ZeroDistance));
        }
        plan.constraints.extend(node_constraints(partial, node, &places));
        plan
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
                        crate::band::Step::Found(solution) => self
                            .accept_influenced(&mut partial, &node, (solution, Some(fallback)))?
                            .then(|| Next::Row(partial.clone())),
                        _ => None,
                    }
                }
                Fallback::NextSibling | Fallback::NewBand | Fallback::Replan => None,
            };
            if let Some(next) = next {
                self.note(walk, InfluenceEvent::Fallback(fallback));
                return Ok(next);
            }
        }
        self.note(walk, InfluenceEvent::GivenUp);
        Ok(Next::Nothing)
    }

    /// The partial schedule with its band ended.
    fn with_new_band(&mut self, partial: Partial) -> Result<Partial> {
        let Partial { mut levels, parts, band, rows } = partial;
        let stmt_rows = band.stmt_rows.clone();
        let dimension = band.dimension + band.rows.len();
        let group = Group { stmts: band.group.stmts.clone(), deps: Vec::new() };
        let groups = parts.iter().map(|part| band.group.restricted(part.clone())).collect();
        let found = self.finish(band)?;
        if !found.rows.is_empty() {
            levels.push(Level::Band { rows: found.rows, groups });
        }
        let group = Group { deps: found.left, ..group };
        let band = Growing::after(self, group, dimension, found.spans, stmt_rows);
        Ok(Partial { levels, parts, band, rows })
    }

    /// The partial schedule with its band ended and each part cut as `cut` says of its components; `None` where nothing
    /// is cut.
    fn separated(
        &mut self,
        partial: Partial,
        cut: impl Fn(&Growing, &Components) -> Vec<Vec<usize>>,
    ) -> Result<Option<Partial>> {
        let mut partial = self.with_new_band(partial)?;
        let mut sequence: Vec<Vec<Vec<StmtId>>> = Vec::new();
        for part in &partial.parts {
            let components = Components::of(&partial.band.group.restricted(part.clone()));
            let cuts = cut(&partial.band, &components);
            let order = components.order(&cuts);
            let order = order.unwrap_or_else(|| (0..cuts.len()).collect());
            sequence.push(order.into_iter().map(|at| components.stmts(&cuts[at])).collect());
        }
        if sequence.iter().all(|parts| parts.len() == 1) {
            return Ok(None);
        }
        partial.parts = sequence.concat();
        let groups: Vec<Group> =
            partial.parts.iter().map(|part| partial.band.group.restricted(part.clone())).collect();
        partial.levels.push(Level::Sequence(sequence));
        let (spans, rows) = (partial.band.spans.clone(), partial.band.stmt_rows.clone());
        let dimension = partial.band.dimension + 1;
        partial.band = Growing::after(self, Group::merged(&groups), dimension, spans, rows);
        Ok(Some(partial))
    }

    /// The partial schedule with the statements that need no more loops apart from those that do, and those that the node
    /// wants apart.
    fn finished_apart(&mut self, partial: Partial, node: &InfluenceNode) -> Result<Partial> {
        let is_mixed = {
            let full = |stmt: &StmtId| partial.band.is_complete(*stmt);
            let stmts = &partial.band.group.stmts;
            stmts.iter().any(full) && !stmts.iter().all(full)
        };
        if !is_mixed && node.unfused.is_empty() {
            return Ok(partial);
        }
        let unfused = node.unfused.clone();
        let separated = self.separated(partial.clone(), |band, components| {
            runs(components, |stmts| {
                let alone = stmts.iter().find(|stmt| unfused.contains(stmt)).copied();
                (alone, stmts.iter().all(|stmt| band.is_complete(*stmt)))
            })
        })?;
        Ok(separated.unwrap_or(partial))
    }

    /// The end of a walk: the levels, and what is left for the plain schedule.
    fn complete(&mut self, partial: Partial) -> Result<(Levels, Vec<Group>)> {
        let Partial { levels, parts, band, .. } = self.with_new_band(partial)?;
        for (at, &stmt) in band.group.stmts.iter().enumerate() {
            self.stmts[stmt].span = band.spans[at].clone();
            self.stmts[stmt].rows = band.stmt_rows[at].clone();
        }
        let groups = parts.into_iter().map(|part| band.group.restricted(part)).collect();
        Ok((levels, groups))
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
            let before = std::mem::replace(&mut self.budget, Budget::new(most));
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
        let constraints = kept.constraints.iter().map(|c| c.text.clone()).collect();
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

/// A variable of a node as a cost function.
fn user_cost(node: &InfluenceNode, variable: usize, is_minimized: bool) -> Rc<dyn CostFunction> {
    Rc::new(UserCost::new(node.variables[variable].clone(), is_minimized))
}

/// The node's constraints, those on rows further out with their values; `places` are those of its variables in the plan.
fn node_constraints(
    partial: &Partial,
    node: &InfluenceNode,
    places: &BTreeMap<usize, usize>,
) -> Vec<Constraint> {
    let depth = partial.rows.len();
    let constraint = |influence: &crate::influence::tree::InfluenceConstraint| {
        let mut constant = influence.constant;
        let mut terms = Vec::new();
        for &(term, factor) in &influence.terms {
            match term {
                InfluenceTerm::Coefficient { stmt, depth: at, which } if at == depth => {
                    terms.push((Term::Coefficient(stmt, which), factor));
                }
                InfluenceTerm::Coefficient { stmt, depth: at, which } => {
                    let row = partial.rows.get(at).and_then(|rows| rows.get(&stmt));
                    let value = row.map_or(0, |row| row.coefficient(which));
                    constant = constant.saturating_add(value.saturating_mul(factor));
                }
                InfluenceTerm::Variable(number) => {
                    let function = places[&number];
                    let is_minimized = node.objectives.contains(&number);
                    let cost = UserCost::new(node.variables[number].clone(), is_minimized);
                    terms.extend(cost.terms().into_iter().map(|(variable, sign)| {
                        (Term::Cost { function, variable }, factor.saturating_mul(sign))
                    }));
                }
            }
        }
        Constraint { kind: influence.kind, terms, constant, origin: None }
    };
    node.constraints.iter().map(constraint).collect()
}

/// Components in their order, cut where what `class` says of them changes.
fn runs<C: PartialEq>(components: &Components, class: impl Fn(&[StmtId]) -> C) -> Vec<Vec<usize>> {
    let mut cuts: Vec<Vec<usize>> = Vec::new();
    for component in 0..components.len() {
        let same = cuts.last().and_then(|cut| cut.last()).is_some_and(|&before| {
            class(&components.members[before]) == class(&components.members[component])
        });
        match cuts.last_mut() {
            Some(cut) if same => cut.push(component),
            _ => cuts.push(vec![component]),
        }
    }
    cuts
}
