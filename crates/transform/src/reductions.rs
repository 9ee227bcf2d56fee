//! Loops that update elements whose order is free: on threads, or in lanes.

use crate::threads::has_threads;
use crate::updates::{Updates, addresses};
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::{StmtRows, StrideModel};
use farkas_poly::UnionSet;
use farkas_scop::{ArrayId, Freedom, Operator, Scop, StmtId, Stride};
use farkas_steps::{LoopAddress, LoopKind, Mark as MarkStep, Step, Tile};
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Reductions on threads and in lanes, where their order is free.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reductions {}

impl Plans for Reductions {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        if view.all_deps()?.deps.iter().all(|dep| dep.relaxed.is_none()) {
            return Ok(Proposal::Nothing);
        }
        let planning = Planning {
            scop: &view.program.scop,
            tree: view.tree(),
            updates: Updates::of_view(view)?,
            strides: view.strides()?,
            has_threads: view.setting.has_threads,
            has_lanes: view.setting.has_lanes,
            steps: Vec::new(),
            remarks,
        };
        Ok(Proposal::Steps(planning.planned()?))
    }
}

/// A descent into a tree.
struct Planning<'a> {
    scop: &'a Scop,
    /// The whole tree.
    tree: &'a ScheduleTree,
    updates: Updates<'a>,
    strides: &'a StrideModel,
    has_threads: bool,
    has_lanes: bool,
    /// The steps for each loop, outer ones first.
    steps: Vec<Vec<Step>>,
    remarks: &'a mut Vec<Remark>,
}

/// Where a node stands.
#[derive(Clone, Copy)]
struct Around<'o> {
    /// The members around it.
    outer: &'o [Member],
    /// Whether a loop around it runs on threads.
    in_threads: bool,
    /// The arrays of which threads update copies of an element.
    copied: &'o BTreeSet<ArrayId>,
    /// Whether no loop is inside.
    is_innermost: bool,
}

impl Planning<'_> {
    /// Marks, on each path from the root, the outermost loop for threads that carries nothing but updates of single elements whose order is
    /// free, where no other loop runs on threads; and for lanes innermost loops that do, where compilers leave their order as it
    /// is.
    fn planned(mut self) -> Result<Plan> {
        self.below(
            self.tree,
            &Cursor::root(),
            Around { outer: &[], in_threads: false, copied: &BTreeSet::new(), is_innermost: false },
        )?;
        // What is done to a loop leaves the places of those outside of it.
        let steps = self.steps.into_iter().rev().flatten().collect();
        Ok(Plan { steps, ..Plan::none(self.tree) })
    }

    /// Plans for a subtree.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor, around: Around<'_>) -> Result<()> {
        let mut around = around;
        match tree.node() {
            Node::Mark { mark: Mark::Shaped | Mark::Vector | Mark::Unroll, .. } => return Ok(()),
            Node::Mark { mark: Mark::Parallel, .. } => around.in_threads = true,
            Node::Band { band, child } => {
                let mut outer = around.outer.to_vec();
                let mut copied = around.copied.clone();
                for (at, member) in band.members.iter().enumerate() {
                    outer.push(member.clone());
                    let is_last = at + 1 == band.members.len();
                    let is_innermost = is_last && !child.contains_band();
                    let place = Around { outer: &outer, is_innermost, ..around };
                    let may_start = !around.in_threads && !has_threads(child);
                    let of_threads =
                        if may_start { self.on_threads((here, at), place)? } else { None };
                    let is_marked = of_threads.is_some();
                    around.in_threads |= is_marked;
                    copied.extend(of_threads.into_iter().flatten());
                    if is_innermost && !member.coincident {
                        let place = Around { copied: &copied, ..place };
                        self.in_lanes((here, at), place, is_marked)?;
                    }
                }
                let place = Around { outer: &outer, copied: &copied, ..around };
                return self.below(child, &here.child(0), place);
            }
            _ => {}
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at), around)?;
        }
        Ok(())
    }

    /// Marks a loop for threads, where it carries nothing but such updates; the arrays that it updates then.
    fn on_threads(
        &mut self,
        (band, member): (&Cursor, usize),
        around: Around<'_>,
    ) -> Result<Option<BTreeSet<ArrayId>>> {
        if !self.has_threads || around.outer.len() > 1 {
            return Ok(None);
        }
        let Some(arrays) = self.updates.of(band, member)? else { return Ok(None) };
        let freedom = self.updates.freedom(band, &arrays)?;
        if !self.scop.reassociation().permits_on_threads(freedom) {
            return Ok(None);
        }
        let outer = around.outer.split_last().map_or(&[][..], |(_, outer)| outer);
        if self.updates.are_conditional(band, &arrays, around.is_innermost)? {
            return Ok(None);
        }
        for &array in &arrays {
            let is_variable = self.scop.arrays()[array].rank() == 0;
            if !is_variable && !(self.updates.is_one_element(band, outer, array)?) {
                return Ok(None);
            }
        }
        let names: Vec<&str> =
            arrays.iter().map(|array| self.scop.arrays()[*array].source_name.as_str()).collect();
        let text = format!("its iterations update {} on threads", names.join(", "));
        let domain = match around.outer.last() {
            Some(member) => member.schedule.domain()?,
            None => UnionSet::none()?,
        };
        self.remarks.push(Remark { pass: "reductions", stmts: stmt_names(&domain)?, text });
        self.mark(band, member, LoopKind::Parallel, &arrays);
        Ok(Some(arrays))
    }

    /// Marks an innermost loop for lanes, which may be marked for threads already.
    fn in_lanes(
        &mut self,
        (band, member): (&Cursor, usize),
        around: Around<'_>,
        is_marked: bool,
    ) -> Result<()> {
        if !self.has_lanes {
            return Ok(());
        }
        let Some(stmts) = self.strides.rows_of(around.outer)? else { return Ok(()) };
        if !stmts.iter().any(|(stmt, _)| self.is_left(*stmt, around.copied)) {
            return Ok(());
        }
        let Some(arrays) = self.updates.of(band, member)? else { return Ok(()) };
        if !stmts.iter().all(|stmt| self.is_smooth(stmt, &arrays))
            || self.updates.are_conditional(band, &arrays, true)?
        {
            return Ok(());
        }
        match (self.steps.last_mut(), stmts.first()) {
            // Threads share blocks of iterations, in each of which lanes begin anew. No other loop is around.
            (Some(steps), Some((stmt, _))) if is_marked => {
                let first = LoopAddress::member(band.clone(), member);
                let tile = Tile { first, sizes: vec![self.updates.turn(band)?] };
                let reduce = addresses(self.scop, &arrays);
                let mark = |loop_at: i64, kind: LoopKind| {
                    let at = LoopAddress::new(&self.scop.stmts()[*stmt].name, loop_at);
                    Step::Mark(MarkStep { reduce: reduce.clone(), ..MarkStep::new(at, kind) })
                };
                *steps =
                    vec![Step::Tile(tile), mark(1, LoopKind::Parallel), mark(2, LoopKind::Vector)];
            }
            _ => self.mark(band, member, LoopKind::Vector, &arrays),
        }
        Ok(())
    }

    /// Whether no access of a statement jumps along the innermost loop around it, and the element that it updates stays.
    fn is_smooth(&self, (stmt, rows): &StmtRows, updated: &BTreeSet<ArrayId>) -> bool {
        let innermost = rows.len().checked_sub(1);
        let along = innermost.and_then(|last| self.strides.strides(*stmt, rows, last));
        let Some(strides) = along.filter(|strides| !strides.contains(&Stride::Strided)) else {
            return false;
        };
        let statement = &self.scop.stmts()[*stmt];
        let target = statement.update(self.scop.arrays()).map(|update| update.target);
        target.is_none_or(|target| {
            !updated.contains(&statement.accesses[target].array)
                || strides.get(farkas_base::Id::index(target)) == Some(&Stride::Invariant)
        })
    }

    /// Whether compilers leave the order of a statement's updates as it is. What is free in C, they change themselves, but where the
    /// element is in memory: they keep what may be touched elsewhere, or is written under a condition, up to date. (Of those `copied`,
    /// threads have variables.) A function of the user's is left to them, and numbers that no vectors hold: most such calls do not become
    /// instructions on vectors.
    fn is_left(&self, stmt: StmtId, copied: &BTreeSet<ArrayId>) -> bool {
        let statement = &self.scop.stmts()[stmt];
        let update = statement.update(self.scop.arrays());
        update.is_some_and(|update| {
            let id = statement.accesses[update.target].array;
            let array = &self.scop.arrays()[id];
            let is_function = matches!(update.operator, Operator::Function(_));
            let is_in_memory = array.rank() > 0 && !copied.contains(&id);
            !is_function
                && array.element.kind.has_vectors()
                && (is_in_memory
                    || update.freedom >= Freedom::Granted
                    || !array.element.kind.is_integer())
        })
    }

    /// Adds the step that marks a loop.
    fn mark(&mut self, band: &Cursor, member: usize, kind: LoopKind, arrays: &BTreeSet<ArrayId>) {
        let at = LoopAddress::member(band.clone(), member);
        let reduce = addresses(self.scop, arrays);
        self.steps.push(vec![Step::Mark(MarkStep { reduce, ..MarkStep::new(at, kind) })]);
    }
}
