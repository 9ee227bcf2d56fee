//! What loops do to elements whose updates are free in their order.

use crate::Result;
use crate::view::View;
use farkas_deps::{DependenceKind, Dependences, carried};
use farkas_poly::{Map, MultiUnionPwAff, UnionMap};
use farkas_scop::{Access, ArrayId, ArrayScope, Freedom, Scop, Statement, StmtId};
use farkas_steps::{ArrayAddress, dates_around, reaching};
use farkas_tree::{Cursor, Member, ScheduleTree};
use std::collections::BTreeSet;

/// How many bytes of an array a thread goes through at once in an innermost loop, where its lanes begin anew and nothing is fetched ahead yet: so
/// many that it takes little to begin, and that lanes which walk through several places of memory find several pages in each.
const TURN_BYTES: i64 = 1 << 18;

/// The updates of a program.
#[derive(Clone, Copy)]
pub(crate) struct Updates<'a> {
    pub(crate) scop: &'a Scop,
    pub(crate) tree: &'a ScheduleTree,
    pub(crate) deps: &'a Dependences,
    /// Whether the order keeps all of them: where not, iterations may have copies of temporaries.
    pub(crate) keeps_all: bool,
}

impl<'a> Updates<'a> {
    /// How many iterations of an innermost loop a thread takes at once: [`TURN_BYTES`] of the elements that have the fewest bytes.
    pub(crate) fn turn(&self, band: &Cursor) -> Result<i64> {
        Ok(TURN_BYTES / self.least_bytes(band, |_| true)?.unwrap_or(8))
    }

    /// The bytes of the smallest element of an array among those that statements in a loop access in some ways.
    pub(crate) fn least_bytes(
        &self,
        band: &Cursor,
        is_one: impl Fn(&Access) -> bool,
    ) -> Result<Option<i64>> {
        let inside = reaching(self.tree, band)?;
        let mut least = None;
        for stmt in self.scop.stmts() {
            if inside.extract_set(&stmt.domain.space()?)?.is_empty()? {
                continue;
            }
            let accessed = stmt.accesses.iter().filter(|access| is_one(access));
            let arrays = accessed.map(|access| &self.scop.arrays()[access.array]);
            let sizes = arrays.filter(|array| array.rank() > 0);
            let sizes = sizes.filter_map(|array| array.element.kind.size_bytes());
            least = least.into_iter().chain(sizes.map(|bytes| i64::from(bytes.max(1)))).min();
        }
        Ok(least)
    }

    /// Those of a program that is looked at.
    pub(crate) fn of_view(view: &View<'a>) -> Result<Self> {
        let (scop, deps) = (&view.program.scop, view.all_deps()?);
        Ok(Self { scop, tree: view.tree(), deps, keeps_all: view.setting.keeps_all })
    }

    /// The arrays that iterations of a loop update in an order that is free, where it carries nothing else.
    pub(crate) fn of(&self, band: &Cursor, member: usize) -> Result<Option<BTreeSet<ArrayId>>> {
        let report = carried::report(self.deps, self.tree, band, member)?;
        let copied = self.temporaries(band, member)?;
        let mut arrays = BTreeSet::new();
        for id in report.blocked_by {
            let dep = &self.deps[id];
            let array = self.scop.stmts()[dep.source].accesses[dep.source_access].array;
            if copied.contains(&array) {
                continue;
            }
            if dep.relaxed.is_none() {
                return Ok(None);
            }
            arrays.insert(array);
        }
        // Copies of elements are looked through when a program is judged: marks cannot name them.
        let is_own = |array: &ArrayId| {
            let is_added = matches!(
                self.scop.arrays()[*array].scope,
                ArrayScope::Buffer | ArrayScope::Expanded
            );
            !is_added || self.are_cells(*array)
        };
        let are_elements = !arrays.is_empty() && arrays.iter().all(is_own);
        Ok((are_elements
            && self.only_update(band, &arrays)?
            && !self.uses_within(band, member, &arrays)?)
        .then_some(arrays))
    }

    /// The statements that select, where a loop carries nothing but what they keep from one iteration to the next.
    pub(crate) fn selecting(&self, band: &Cursor, member: usize) -> Result<BTreeSet<StmtId>> {
        let report = carried::report(self.deps, self.tree, band, member)?;
        let copied = self.temporaries(band, member)?;
        let mut stmts = BTreeSet::new();
        for id in report.blocked_by {
            let dep = &self.deps[id];
            let stmt = &self.scop.stmts()[dep.source];
            if copied.contains(&stmt.accesses[dep.source_access].array) {
                continue;
            }
            if dep.source != dep.sink || stmt.selection(self.scop.arrays()).is_none() {
                return Ok(BTreeSet::new());
            }
            stmts.insert(dep.source);
        }
        Ok(stmts)
    }

    /// The temporaries of which iterations of a loop may have copies: it carries something of them, but their values stay in an iteration each.
    pub(crate) fn temporaries(&self, band: &Cursor, member: usize) -> Result<BTreeSet<ArrayId>> {
        let report = carried::report(self.deps, self.tree, band, member)?;
        let (mut temporaries, mut with_values) = (BTreeSet::new(), BTreeSet::new());
        for id in report.blocked_by {
            let dep = &self.deps[id];
            let array = self.scop.stmts()[dep.source].accesses[dep.source_access].array;
            let is_temporary = !self.keeps_all && self.scop.arrays()[array].may_be_private();
            match dep.kind {
                DependenceKind::Flow => with_values.insert(array),
                _ => is_temporary && temporaries.insert(array),
            };
        }
        let mut copied = BTreeSet::new();
        for array in &temporaries - &with_values {
            if self.stays_within(band, member, array)? {
                copied.insert(array);
            }
        }
        Ok(copied)
    }

    /// Whether no value of an array that is set or used in an iteration of a loop goes to another one, or comes from there.
    fn stays_within(&self, band: &Cursor, member: usize, array: ArrayId) -> Result<bool> {
        let (inside, together) =
            (reaching(self.tree, band)?, together(self.tree, band, member + 1)?);
        for dep in &self.deps.deps {
            let of = self.scop.stmts()[dep.source].accesses[dep.source_access].array;
            if dep.kind != DependenceKind::Flow || of != array {
                continue;
            }
            let pairs = dep.relation.to_union_map()?;
            let touching =
                pairs.intersect_domain(&inside)?.union(&pairs.intersect_range(&inside)?)?;
            if !touching.is_subset(&together)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an array is one of partial results: a statement combines its cells with elements of another one.
    fn are_cells(&self, array: ArrayId) -> bool {
        self.scop.stmts().iter().any(|stmt| {
            let update = stmt.update(self.scop.arrays());
            update.is_some_and(|update| {
                let cell = update.combined_access().map(|cell| stmt.accesses[cell].array);
                cell == Some(array) && stmt.accesses[update.target].array != array
            })
        })
    }

    /// Whether steps added statements that copy elements of an array: what they copy may be from before or after partial results are combined.
    pub(crate) fn is_copied(&self, array: ArrayId, original: &Scop) -> bool {
        let is_added = |stmt: &&Statement| original.stmt_by_name(&stmt.name).is_none();
        self.scop.stmts().iter().filter(is_added).any(|stmt| {
            let combines = stmt.update(self.scop.arrays()).is_some();
            !combines && stmt.accesses.iter().any(|access| access.array == array)
        })
    }

    /// The greatest freedom that the order of updates of these arrays in a loop needs.
    pub(crate) fn freedom(&self, band: &Cursor, arrays: &BTreeSet<ArrayId>) -> Result<Freedom> {
        let inside = reaching(self.tree, band)?;
        let mut most = Freedom::Free;
        for stmt in self.scop.stmts() {
            let Some(update) = stmt.update(self.scop.arrays()) else { continue };
            if arrays.contains(&stmt.accesses[update.target].array)
                && !inside.extract_set(&stmt.domain.space()?)?.is_empty()?
            {
                most = most.max(update.freedom);
            }
        }
        Ok(most)
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
                if stmt.accesses[update.target].array != array {
                    return Ok(false);
                }
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

    /// Whether an iteration of a loop uses what it updated of these arrays, which copies have not then.
    fn uses_within(
        &self,
        band: &Cursor,
        member: usize,
        arrays: &BTreeSet<ArrayId>,
    ) -> Result<bool> {
        let together = together(self.tree, band, member + 1)?;
        for dep in &self.deps.deps {
            let array = self.scop.stmts()[dep.source].accesses[dep.source_access].array;
            if dep.kind == DependenceKind::Flow
                && dep.relaxed.is_none()
                && arrays.contains(&array)
                && !together.intersect(&dep.relation.to_union_map()?)?.is_empty()?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether statements in a loop may leave elements of these arrays alone that code may touch only where they are updated: those that stand
    /// in loops inside, and those under conditions.
    pub(crate) fn are_conditional(
        &self,
        band: &Cursor,
        arrays: &BTreeSet<ArrayId>,
        is_innermost: bool,
    ) -> Result<bool> {
        let inside = reaching(self.tree, band)?;
        for stmt in self.scop.stmts() {
            let Some(update) = stmt.update(self.scop.arrays()) else { continue };
            let array = stmt.accesses[update.target].array;
            if arrays.contains(&array)
                && (!is_innermost || update.condition.is_some())
                && update.operator.needs_update(&self.scop.arrays()[array])
                && !inside.extract_set(&stmt.domain.space()?)?.is_empty()?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether statements in a loop update one element of an array in each iteration of the loops around it.
    pub(crate) fn is_one_element(
        &self,
        band: &Cursor,
        outer: &[Member],
        array: ArrayId,
    ) -> Result<bool> {
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
}

/// Some arrays by what names them in steps.
pub(crate) fn addresses(scop: &Scop, arrays: &BTreeSet<ArrayId>) -> Vec<ArrayAddress> {
    arrays.iter().map(|array| ArrayAddress::of(scop, *array)).collect()
}

/// The pairs of instances in a band that are in one iteration of the loops around it and of its first `n`.
pub(crate) fn together(tree: &ScheduleTree, band: &Cursor, n: usize) -> Result<UnionMap> {
    let inside = reaching(tree, band)?;
    let around = dates_around(tree, band, n)?;
    if around.is_empty() {
        return Ok(UnionMap::from_domain_and_range(&inside, &inside)?);
    }
    let dates = MultiUnionPwAff::from_members(&around)?.to_union_map()?;
    let dates = dates.intersect_domain(&inside)?;
    Ok(dates.apply_range(&dates.reverse()?)?)
}
