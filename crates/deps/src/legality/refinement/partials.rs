//! Partial results: what several updates of an element contribute is gathered in a cell of its own, and combined with the element at once.
//!
//! An array of the program's own gathers where all that happens to it is this: statements that begin its cells with the neutral element,
//! updates by one operator, and statements that combine cells with elements of another array by the same operator. Checked of each, in
//! one *session* of it, an iteration of the loops around all its uses (as for [`copies`](super::copies)):
//!
//! 1. A cell begins once, with the neutral element, and is combined once. What is combined was begun, and is what updates gathered.
//! 2. Cells begin before they are updated, and are combined after the last update. Updates of one cell do not run at the same time;
//!    neither do updates of one element, those that combine cells with it among them.
//! 3. The order of the updates is free ([`Reassociation`](farkas_scop::Reassociation)), or they gather in the unsigned type.
//! 4. Where updates may leave a cell alone, since they have a condition or data chooses the cell, elements are combined with cells that are
//!    no longer neutral, or are such that code may touch in any case. Where data chooses the cell, it chooses the element alike.
//!
//! Selections ([`selections`](super::selections)) gather in cells of several arrays at once, each in the original's order.
//!
//! Then an update of a cell is one of the element that the cell is combined with, in whatever order, but at the time when the cell is
//! combined: so whatever else touches the element must have its place in the original's order there, not where the update runs. What copies
//! elements to buffers does not touch it at all.
//! What remains is a program without such arrays, to which the other clauses apply. It has as many contributions to each element as the
//! original, for it has the same instances.

mod element;
mod found;
mod judged;
mod neutral;

pub(super) use found::Holds;

use super::super::plan::Plan;
use super::super::reduced;
use super::super::walk::{Excused, violation, violation_but};
use super::chosen::Chosen;
use super::origins::Origins;
use super::{Judged, fault, selections, sound};
use crate::analysis::{Prepared, Reference};
use crate::legality::clause::Clause;
use crate::legality::conflict;
use crate::{Relaxed, Result};
use element::{Element, at_element};
use farkas_base::IdVec;
use farkas_poly::{Map, Set, UnionSet};
use farkas_scop::{ArrayId, Scop, Selection, StmtId};
use farkas_tree::{Mark, Node, Program, ScheduleTree};
use found::{Partials, gathering, partials};
use judged::judge;
use std::collections::{BTreeMap, BTreeSet};

/// A program without partial results, and what takes their place.
pub(super) struct Gathered<'a> {
    /// The program.
    program: Program,
    /// The program with them.
    with: Option<With<'a>>,
    /// For each statement whose updates are gathered: from its instances to those that combine them with the element.
    combined: BTreeMap<String, (StmtId, Map)>,
    /// The statements that combine cells with elements of arrays that gather nothing.
    combining: BTreeSet<StmtId>,
}

/// A program with partial results.
struct With<'a> {
    prepared: &'a Prepared,
    plan: &'a Plan,
}

impl<'a> Gathered<'a> {
    /// A program without its partial results, where these are as they must be.
    pub(super) fn of(
        (original, program): (&Scop, &Program),
        prepared: &'a Prepared,
        plan: &'a Plan,
        origins: &Origins,
    ) -> Judged<Self> {
        let scop = &prepared.scop;
        let mut gathered = Self {
            program: program.clone(),
            with: None,
            combined: BTreeMap::new(),
            combining: BTreeSet::new(),
        };
        let arrays = gathering(original, scop, origins);
        if arrays.is_empty() {
            return Ok(Ok(gathered));
        }
        let mut all = Vec::new();
        for array in arrays.keys() {
            let partials = sound!(partials(prepared, plan, origins, (*array, &arrays)));
            sound!(judge(prepared, plan, &partials));
            all.push(partials);
        }
        sound!(selections::judge(scop, &arrays, origins));
        if let Some(found) = reduced::first_obstacle(scop, prepared, plan)? {
            return Ok(Err(found));
        }
        sound!(gathered.undo(prepared, &all));
        gathered.with = Some(With { prepared, plan });
        Ok(Ok(gathered))
    }

    /// The program without partial results, where there are some.
    pub(super) fn without(&self) -> Option<&Program> {
        self.with.as_ref().map(|_| &self.program)
    }

    /// The statements, by name, whose updates run elsewhere: in cells.
    pub(super) fn names(&self) -> BTreeSet<String> {
        self.combined.keys().cloned().collect()
    }

    /// Puts the updates to where they are combined.
    fn undo(&mut self, prepared: &Prepared, all: &[Partials]) -> Judged<()> {
        let scop = &prepared.scop;
        let mut builder = scop.to_builder();
        let of = |array: ArrayId| all.iter().find(|partials| partials.array == array);
        let is_own = |stmt: StmtId| {
            all.iter().any(|partials| {
                partials.begins.iter().any(|begin| begin.stmt == stmt)
                    || partials.combines.iter().any(|(combine, _)| combine.stmt == stmt)
            })
        };
        for partials in all {
            for update in partials.updates.iter().filter(|update| !is_own(update.stmt)) {
                let name = scop.stmts()[update.stmt].name.clone();
                // Through all cells on the way to an element, of which there are no more than arrays.
                let (mut at, mut here) = (partials, update.cells.clone());
                let mut chosen = Chosen::of(&scop.stmts()[update.stmt], partials.array)?;
                let mut last = None;
                for _ in 0..all.len() {
                    let [(combine, element)] = at.combines.as_slice() else {
                        return Ok(Err(fault(&name, Clause::CombinedByTwo)));
                    };
                    let to_combine = here.apply_range(&combine.cells.reverse()?)?;
                    let combining = &scop.stmts()[combine.stmt];
                    let Some(there) = chosen.after(combining, at.array, *element)? else {
                        return Ok(Err(fault(&name, Clause::Chosen)));
                    };
                    chosen = there;
                    last = Some((combine.stmt, to_combine.clone(), *element));
                    let target = scop.stmts()[combine.stmt].accesses[*element].array;
                    let Some(next) = of(target) else { break };
                    let own = next.updates.iter().find(|update| update.stmt == combine.stmt);
                    let Some(own) = own else {
                        return Ok(Err(fault(&name, Clause::Gathers)));
                    };
                    here = to_combine.apply_range(&own.cells)?;
                    at = next;
                }
                let Some((combine, to_combine, element)) = last else { continue };
                let target = &scop.stmts()[combine].accesses[element];
                if of(target.array).is_some() {
                    return Ok(Err(fault(&name, Clause::Gathers)));
                }
                let relation = target.relation.align_params(&prepared.params)?;
                let relation = to_combine.apply_range(&relation)?;
                let element = Element {
                    array: target.array,
                    relation,
                    subscripts: chosen.subscripts(scop.arrays()[target.array].rank()),
                };
                let old = (&scop.stmts()[update.stmt], partials.array);
                let stmt = at_element(scop, old, &builder.stmts[update.stmt], &element);
                let Some(stmt) = stmt else { return Ok(Err(fault(&name, Clause::Body))) };
                builder.stmts[update.stmt] = stmt;
                self.combined.insert(name, (combine, to_combine));
                self.combining.insert(combine);
            }
        }
        builder.stmts = builder
            .stmts
            .iter_enumerated()
            .filter(|(id, _)| !is_own(*id))
            .map(|(_, stmt)| stmt.clone())
            .collect();
        let kept: IdVec<ArrayId, _> = builder
            .arrays
            .iter_enumerated()
            .filter(|(id, _)| of(*id).is_none())
            .map(|(_, array)| array.clone())
            .collect();
        let numbers: BTreeMap<ArrayId, ArrayId> =
            scop.arrays().ids().filter(|id| of(*id).is_none()).zip(kept.ids()).collect();
        for stmt in builder.stmts.iter_mut() {
            for access in stmt.accesses.iter_mut() {
                let Some(number) = numbers.get(&access.array) else {
                    return Ok(Err(fault(&stmt.name, Clause::Gathers)));
                };
                access.array = *number;
            }
        }
        builder.arrays = kept;
        let mut domains = Vec::new();
        for stmt in &builder.stmts {
            domains.push(Set::universe(&stmt.domain.space()?)?);
        }
        let Ok(scop) = builder.build() else {
            return Ok(Err(fault(scop.name(), Clause::Consistent)));
        };
        let tree = self.program.tree.restricted_to(&UnionSet::union_all(domains)?)?;
        // Copies of cells were judged where the cells are.
        let is_cell = |name: &String| scop.arrays().iter().all(|array| array.name != *name);
        let tree = without_reduced(&tree, &is_cell);
        self.program = Program { scop, tree, ..self.program.clone() };
        Ok(Ok(()))
    }

    /// The first thing that is wrong with when cells are combined, where `ordered` is the original over the program's instances.
    pub(super) fn first_fault(&self, ordered: &Scop) -> Judged<()> {
        let Some(with) = &self.with else { return Ok(Ok(())) };
        let known = Prepared::of(ordered)?;
        for (name, (combine, to_combine)) in &self.combined {
            let Some(stmt) = ordered.stmt_by_name(name) else { continue };
            let wrong = |clause| Ok(Err(fault(name, clause)));
            let arrays = combined_arrays(&known, stmt);
            if arrays.is_empty() {
                return wrong(Clause::Gathers);
            }
            for array in arrays {
                if !self.is_in_time(with, &known, (stmt, array), (*combine, to_combine))? {
                    return wrong(Clause::CombinedInTime);
                }
            }
        }
        if self.meets_copies(with, ordered)? {
            return Ok(Err(fault(ordered.name(), Clause::CombinedInTime)));
        }
        if self.races(with)? {
            return Ok(Err(fault(ordered.name(), Clause::CombinedAtOnce)));
        }
        Ok(Ok(()))
    }

    /// Whether what combines a statement's cells keeps the order of its accesses to an array and all others.
    fn is_in_time(
        &self,
        with: &With<'_>,
        known: &Prepared,
        (stmt, array): (StmtId, ArrayId),
        combine: (StmtId, &Map),
    ) -> Result<bool> {
        let is_update = known.updates.get(stmt).is_some();
        for own in known.references[array].iter().filter(|own| own.stmt == stmt) {
            for other in known.references[array].iter() {
                let accesses = [own, other].map(|r| (r.stmt, r.access));
                if conflict(own.kind, other.kind).is_none()
                    || known.updates.relaxed(accesses).is_some()
                {
                    continue;
                }
                let is_kept = match other.stmt == stmt && !is_update {
                    true => selects_in_order(with, known, (own, other), combine)?,
                    false => self.is_kept(with, known, (own, other), combine)?,
                };
                if !is_kept {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether what combines an update's cell keeps the order of the update and another access.
    fn is_kept(
        &self,
        with: &With<'_>,
        known: &Prepared,
        (own, other): (&Reference, &Reference),
        (combine, to_combine): (StmtId, &Map),
    ) -> Result<bool> {
        let scop = &with.prepared.scop;
        let name = &known.scop.stmts()[other.stmt].name;
        let (other_stmt, to_other) = match self.combined.get(name) {
            // Where the other one is gathered, too, its cell counts.
            Some((stmt, map)) => (*stmt, Some(map)),
            None => match scop.stmt_by_name(name) {
                Some(stmt) => (stmt, None),
                None => return Ok(false),
            },
        };
        let moved = |pairs: &Map, first: Option<&Map>, second: Option<&Map>| -> Result<Map> {
            let pairs = match first {
                Some(map) => pairs.apply_domain(map)?,
                None => pairs.clone(),
            };
            Ok(match second {
                Some(map) => pairs.apply_range(map)?,
                None => pairs,
            })
        };
        for piece in known.ordered(own, other)?.iter() {
            let pairs = moved(&piece.pairs, Some(to_combine), to_other)?;
            if violation(with.plan, combine, other_stmt, pairs)?.is_some() {
                return Ok(false);
            }
        }
        for piece in known.ordered(other, own)?.iter() {
            let pairs = moved(&piece.pairs, to_other, Some(to_combine))?;
            if violation(with.plan, other_stmt, combine, pairs)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether statements that copy touch an element that a cell is combined with: what they copy may be from before or after, which nothing
    /// tells.
    fn meets_copies(&self, with: &With<'_>, ordered: &Scop) -> Result<bool> {
        let (prepared, scop) = (with.prepared, &with.prepared.scop);
        for &combine in &self.combining {
            for array in combined_arrays(prepared, combine) {
                let all = &prepared.references[array];
                for own in all.iter().filter(|own| own.stmt == combine && own.kind.is_write()) {
                    for other in all.iter().filter(|other| !self.combining.contains(&other.stmt)) {
                        let name = &scop.stmts()[other.stmt].name;
                        let copies = ordered.stmt_by_name(name).is_none();
                        let own = own.elements.range()?;
                        if copies && !own.is_disjoint(&other.elements.range()?)? {
                            return Ok(true);
                        }
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether something touches an element at the same time as what combines a cell with it.
    fn races(&self, with: &With<'_>) -> Result<bool> {
        let prepared = with.prepared;
        for &combine in &self.combining {
            for array in combined_arrays(prepared, combine) {
                let all = &prepared.references[array];
                for own in all.iter().filter(|own| own.stmt == combine) {
                    for other in all {
                        if conflict(own.kind, other.kind).is_none() {
                            continue;
                        }
                        let pairs = own.elements.apply_range(&other.elements.reverse()?)?;
                        if at_once(with.plan, [combine, other.stmt], pairs, array)? {
                            return Ok(true);
                        }
                    }
                }
            }
        }
        Ok(false)
    }
}

/// The arrays of the elements that a statement combines cells with, or updates.
fn combined_arrays(prepared: &Prepared, stmt: StmtId) -> Vec<ArrayId> {
    if let Some(update) = prepared.updates.get(stmt) {
        return vec![update.array];
    }
    let statement = &prepared.scop.stmts()[stmt];
    let selection = statement.selection(prepared.scop.arrays());
    let arrays = |selection: Selection<'_>| {
        selection.kept().map(|kept| statement.accesses[kept.target].array).collect()
    };
    selection.map(arrays).unwrap_or_default()
}

/// Whether a selection keeps the order in which it looks at values: in each cell, and of the cells that are combined with one element.
fn selects_in_order(
    with: &With<'_>,
    known: &Prepared,
    (own, other): (&Reference, &Reference),
    (combine, to_combine): (StmtId, &Map),
) -> Result<bool> {
    let (scop, params) = (&with.prepared.scop, &with.prepared.params);
    let name = &known.scop.stmts()[own.stmt].name;
    let Some(stmt) = scop.stmt_by_name(name) else { return Ok(false) };
    let same_cell = to_combine.apply_range(&to_combine.reverse()?)?;
    let mut same_element: Option<Map> = None;
    for access in scop.stmts()[combine].accesses.iter().filter(|access| access.kind.is_write()) {
        let element = access.relation.align_params(params)?;
        let same = element.apply_range(&element.reverse()?)?;
        same_element = Some(match same_element {
            Some(known) => known.union(&same)?,
            None => same,
        });
    }
    let Some(same_element) = same_element else { return Ok(false) };
    for piece in known.ordered(own, other)?.iter() {
        let in_cell = piece.pairs.intersect(&same_cell)?;
        if violation(with.plan, stmt, stmt, in_cell)?.is_some() {
            return Ok(false);
        }
        let cells = piece.pairs.apply_domain(to_combine)?.apply_range(to_combine)?;
        let cells = cells.intersect(&same_element)?;
        let cells = cells.subtract(&Map::identity(&cells.space()?)?)?;
        if violation(with.plan, combine, combine, cells)?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The tree whose marks give iterations no copies of these arrays that they update.
fn without_reduced(tree: &ScheduleTree, goes: &impl Fn(&String) -> bool) -> ScheduleTree {
    if let Node::Mark { mark: Mark::Reduce(names), child } = tree.node() {
        let child = without_reduced(child, goes);
        let kept: Vec<String> = names.iter().filter(|name| !goes(name)).cloned().collect();
        return match kept.is_empty() {
            true => child,
            false => ScheduleTree::mark(Mark::Reduce(kept), child),
        };
    }
    let children = tree.children();
    match children.is_empty() {
        true => tree.clone(),
        false => {
            tree.with_children(children.iter().map(|child| without_reduced(child, goes)).collect())
        }
    }
}

/// Whether some of these pairs, of different instances, may run at the same time.
fn at_once(plan: &Plan, ends: [StmtId; 2], pairs: Map, array: ArrayId) -> Result<bool> {
    let pairs = match ends[0] == ends[1] {
        true => pairs.subtract(&Map::identity(&pairs.space()?)?)?,
        false => pairs,
    };
    let excused = Excused::Order(array, Relaxed::Any);
    Ok(violation_but(plan, ends, pairs, excused)?.is_some())
}
