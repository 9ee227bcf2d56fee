//! Loops that update elements whose order is free: on threads, or in lanes.

use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::StrideModel;
use farkas_deps::{Dependences, carried};
use farkas_poly::{Map, MultiUnionPwAff, UnionMap, UnionSet};
use farkas_scop::{ArrayId, Freedom, Scop, Stride};
use farkas_steps::{ArrayAddress, LoopAddress, LoopKind, Mark as MarkStep, Step, reaching};
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
        let deps = view.all_deps()?;
        if deps.deps.iter().all(|dep| dep.relaxed.is_none()) {
            return Ok(Proposal::Nothing);
        }
        let planning = Planning {
            scop: &view.program.scop,
            tree: view.tree(),
            deps,
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
    deps: &'a Dependences,
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
    /// Whether no loop is inside.
    is_innermost: bool,
}

impl Planning<'_> {
    /// Marks, on each path from the root, the outermost loop for threads that carries nothing but updates of single elements whose order is
    /// free, where no other loop runs on threads; and for lanes innermost loops of one statement that do, where compilers leave its order
    /// as it is.
    fn planned(mut self) -> Result<Plan> {
        self.below(
            self.tree,
            &Cursor::root(),
            Around { outer: &[], in_threads: false, is_innermost: false },
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
                for (at, member) in band.members.iter().enumerate() {
                    outer.push(member.clone());
                    let is_last = at + 1 == band.members.len();
                    let is_innermost = is_last && !child.contains_band();
                    let place = Around { outer: &outer, is_innermost, ..around };
                    let in_threads = !around.in_threads
                        && !has_threads(child)
                        && self.on_threads((here, at), place)?;
                    around.in_threads |= in_threads;
                    if is_innermost && !member.coincident {
                        self.in_lanes((here, at), place, in_threads)?;
                    }
                }
                let place = Around { outer: &outer, ..around };
                return self.below(child, &here.child(0), place);
            }
            _ => {}
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at), around)?;
        }
        Ok(())
    }

    /// Marks a loop for threads, where it carries nothing but such updates; whether it does.
    fn on_threads(&mut self, (band, member): (&Cursor, usize), around: Around<'_>) -> Result<bool> {
        if !self.has_threads || around.outer.len() > 1 {
            return Ok(false);
        }
        let Some(arrays) = self.updated(band, member)? else { return Ok(false) };
        let outer = around.outer.split_last().map_or(&[][..], |(_, outer)| outer);
        if !around.is_innermost && self.needs_update(band, &arrays)? {
            return Ok(false);
        }
        for &array in &arrays {
            let is_variable = self.scop.arrays()[array].rank() == 0;
            if !is_variable && !(self.is_one_element(band, outer, array)?) {
                return Ok(false);
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
        Ok(true)
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
        let [(stmt, rows)] = stmts.as_slice() else { return Ok(()) };
        let statement = &self.scop.stmts()[*stmt];
        let Some(update) = statement.update(self.scop.arrays()) else { return Ok(()) };
        // What is free in C, compilers do themselves.
        let kind = self.scop.arrays()[statement.accesses[update.target].array].element.kind;
        if update.freedom != Freedom::Rounded && kind.is_integer() {
            return Ok(());
        }
        let innermost = rows.len().checked_sub(1);
        let along = innermost.and_then(|last| self.strides.strides(*stmt, rows, last));
        let is_smooth = along.is_some_and(|strides| {
            strides.get(farkas_base::Id::index(update.target)) == Some(&Stride::Invariant)
                && !strides.contains(&Stride::Strided)
        });
        if !is_smooth {
            return Ok(());
        }
        let Some(arrays) = self.updated(band, member)? else { return Ok(()) };
        match self.steps.last_mut() {
            // Threads have a band of their own, under two marks, and its copies are those of lanes, too.
            Some(steps) if is_marked => {
                let outside = if member > 0 { band.child(0) } else { band.clone() };
                let at = LoopAddress::member(outside.child(0).child(0), 0);
                let reduce = addresses(self.scop, &arrays);
                let lanes = MarkStep { reduce, ..MarkStep::new(at, LoopKind::Vector) };
                steps.push(Step::Mark(lanes));
            }
            _ => self.mark(band, member, LoopKind::Vector, &arrays),
        }
        Ok(())
    }

    /// The arrays that iterations of a loop update in an order that is free, where it carries nothing else.
    fn updated(&self, band: &Cursor, member: usize) -> Result<Option<BTreeSet<ArrayId>>> {
        let report = carried::report(self.deps, self.tree, band, member)?;
        let mut arrays = BTreeSet::new();
        for id in report.blocked_by {
            let dep = &self.deps[id];
            if dep.relaxed.is_none() {
                return Ok(None);
            }
            arrays.insert(self.scop.stmts()[dep.source].accesses[dep.source_access].array);
        }
        Ok((!arrays.is_empty() && self.only_update(band, &arrays)?).then_some(arrays))
    }

    /// Whether all that statements in a loop do with these arrays' elements are updates by one operator each.
    fn only_update(&self, band: &Cursor, arrays: &BTreeSet<ArrayId>) -> Result<bool> {
        let inside = reaching(self.tree, band)?;
        for &array in arrays {
            let mut operators = BTreeSet::new();
            for stmt in self.scop.stmts() {
                let is_used = stmt.accesses.iter().any(|access| access.array == array);
                if !is_used || inside.extract_set(&stmt.domain.space()?)?.is_empty()? {
                    continue;
                }
                let Some(update) = stmt.update(self.scop.arrays()) else { return Ok(false) };
                // Other elements of the array may be read.
                let target = &stmt.accesses[update.target].relation;
                for (id, access) in stmt.accesses.iter_enumerated() {
                    if access.array != array || update.has(id) {
                        continue;
                    }
                    let both = access.relation.intersect(target)?.intersect_domain(&stmt.domain)?;
                    if !both.is_empty()? {
                        return Ok(false);
                    }
                }
                operators.insert(update.operator);
            }
            if operators.len() > 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether statements in a loop update elements of these arrays that code may touch only where they are updated.
    fn needs_update(&self, band: &Cursor, arrays: &BTreeSet<ArrayId>) -> Result<bool> {
        let inside = reaching(self.tree, band)?;
        for stmt in self.scop.stmts() {
            let Some(update) = stmt.update(self.scop.arrays()) else { continue };
            let array = stmt.accesses[update.target].array;
            if arrays.contains(&array)
                && update.operator.needs_update(&self.scop.arrays()[array])
                && !inside.extract_set(&stmt.domain.space()?)?.is_empty()?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether statements in a loop update one element of an array in each iteration of the loops around it.
    fn is_one_element(&self, band: &Cursor, outer: &[Member], array: ArrayId) -> Result<bool> {
        let inside = reaching(self.tree, band)?;
        let mut elements: Vec<Map> = Vec::new();
        for stmt in self.scop.stmts() {
            for access in stmt.accesses.iter().filter(|access| access.array == array) {
                elements.push(access.relation.intersect_domain(&stmt.domain)?);
            }
        }
        let elements = UnionMap::union_all(elements)?.intersect_domain(&inside)?;
        if outer.is_empty() {
            let sets = elements.range()?.sets()?;
            return Ok(sets.len() == 1 && sets[0].is_singleton()?);
        }
        let dates: Vec<_> = outer.iter().map(|member| member.schedule.clone()).collect();
        let outer = MultiUnionPwAff::from_members(&dates)?.to_union_map()?;
        Ok(outer.reverse()?.apply_range(&elements)?.is_single_valued()?)
    }

    /// Adds the step that marks a loop.
    fn mark(&mut self, band: &Cursor, member: usize, kind: LoopKind, arrays: &BTreeSet<ArrayId>) {
        let at = LoopAddress::member(band.clone(), member);
        let reduce = addresses(self.scop, arrays);
        self.steps.push(vec![Step::Mark(MarkStep { reduce, ..MarkStep::new(at, kind) })]);
    }
}

/// Some arrays by what names them in steps.
fn addresses(scop: &Scop, arrays: &BTreeSet<ArrayId>) -> Vec<ArrayAddress> {
    arrays.iter().map(|array| ArrayAddress::of(scop, *array)).collect()
}

/// Whether a loop runs on threads somewhere in a tree.
fn has_threads(tree: &ScheduleTree) -> bool {
    matches!(tree.node(), Node::Mark { mark: Mark::Parallel, .. })
        || tree.children().iter().any(has_threads)
}
