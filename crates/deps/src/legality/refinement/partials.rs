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

use super::super::plan::Plan;
use super::super::reduced;
use super::super::walk::{Excused, violation, violation_but};
use super::chosen::Chosen;
use super::copies::{is_inside, session, sessions, users};
use super::fault;
use super::origins::Origins;
use super::{Judged, selections, sound};
use crate::analysis::{Prepared, Reference};
use crate::legality::clause::Clause;
use crate::legality::conflict;
use crate::{Relaxed, Result};
use farkas_base::IdVec;
use farkas_poly::{Map, Set, UnionSet};
use farkas_scop::{
    AccessId, AccessKind, ArrayId, ArrayScope, AssignOp, BinaryOp, BodyStmt, ElementKind,
    ElementType, Expr, Freedom, Operator, Reassociation, Scop, Selection, Statement, StmtId,
    UnaryOp,
};
use farkas_tree::{Mark, Node, Program, ScheduleTree};
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

/// An array that gathers.
struct Partials {
    array: ArrayId,
    begins: Vec<Use>,
    updates: Vec<Use>,
    /// With the access to the element that the cell is combined with.
    combines: Vec<(Use, AccessId)>,
    /// Whether updates may leave alone cells that they are related to.
    may_leave: bool,
}

/// An access to cells.
struct Use {
    stmt: StmtId,
    /// From instances to sessions and cells.
    cells: Map,
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

/// What the cells of an array hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Holds {
    /// What an operator combines.
    Combined(Operator),
    /// What a selection compares, with the new value on the left.
    Compared(BinaryOp),
    /// What comes with it.
    Taken,
}

/// The arrays of a program's own that gather: statements which are none of the original's combine their cells with other elements.
fn gathering(original: &Scop, scop: &Scop, origins: &Origins) -> BTreeMap<ArrayId, Holds> {
    let is_own = |array: ArrayId| {
        original.arrays().iter().all(|known| known.name != scop.arrays()[array].name)
    };
    let mut found = BTreeMap::new();
    for stmt in scop.stmts().iter().filter(|stmt| origins.get(&stmt.name).is_none()) {
        if let Some(update) = stmt.update(scop.arrays())
            && let Some(cell) = update.combined_access()
            && stmt.accesses[cell].array != stmt.accesses[update.target].array
            && is_own(stmt.accesses[cell].array)
        {
            found.insert(stmt.accesses[cell].array, Holds::Combined(update.operator));
        }
        let Some(selection) = stmt.selection(scop.arrays()) else { continue };
        for (at, kept) in selection.kept().enumerate() {
            let holds = if at == 0 { Holds::Compared(selection.op) } else { Holds::Taken };
            if let Expr::Access(cell) = kept.value
                && is_own(stmt.accesses[*cell].array)
            {
                found.insert(stmt.accesses[*cell].array, holds);
            }
        }
    }
    found
}

/// All that touches an array that gathers, one of `all`.
fn partials(
    prepared: &Prepared,
    plan: &Plan,
    origins: &Origins,
    (array, all): (ArrayId, &BTreeMap<ArrayId, Holds>),
) -> Judged<Partials> {
    let scop = &prepared.scop;
    let name = &scop.arrays()[array].name;
    let users = users(scop, array);
    let mut dates = BTreeMap::new();
    sessions(plan, &users, &mut dates);
    let mut found = Partials {
        array,
        begins: Vec::new(),
        updates: Vec::new(),
        combines: Vec::new(),
        may_leave: false,
    };
    for stmt in users {
        let statement = &scop.stmts()[stmt];
        let Some(dates) = dates.get(&stmt) else { return Ok(Err(fault(name, Clause::Declared))) };
        // What is allocated is there for the whole program.
        let is_buffer = scop.arrays()[array].scope == ArrayScope::Buffer;
        let dates = if is_buffer { dates.as_slice() } else { &[] };
        let session = session(&prepared.domains[stmt], dates)?;
        let cells = |access: AccessId| -> Result<Use> {
            let relation = statement.accesses[access].relation.align_params(&prepared.params)?;
            Ok(Use { stmt, cells: session.flat_range_product(&relation)? })
        };
        let is_original = origins.get(&statement.name).is_some();
        match sound!(part(scop, stmt, is_original, (array, all))) {
            Part::Begins(target) => found.begins.push(cells(target)?),
            Part::Gathers { target, may_leave } => {
                let is_told = statement.accesses[target].relation.is_single_valued()?;
                found.may_leave |= may_leave || !is_told;
                found.updates.push(cells(target)?);
            }
            Part::Combines { cell, element } => found.combines.push((cells(cell)?, element)),
        }
    }
    Ok(Ok(found))
}

/// What a statement does with cells.
enum Part {
    /// Begins the one that it writes.
    Begins(AccessId),
    /// Updates it, or may leave it alone.
    Gathers { target: AccessId, may_leave: bool },
    /// Combines it with an element.
    Combines { cell: AccessId, element: AccessId },
}

/// What a statement does with the cells of an array, one of `all` that gather.
fn part(
    scop: &Scop,
    stmt: StmtId,
    is_original: bool,
    (array, all): (ArrayId, &BTreeMap<ArrayId, Holds>),
) -> Judged<Part> {
    let statement = &scop.stmts()[stmt];
    let wrong = |clause| Ok(Err(fault(&statement.name, clause)));
    let is_of = |access: AccessId| statement.accesses[access].array == array;
    let n_uses = statement.accesses.ids().filter(|access| is_of(*access)).count();
    let is_free = |freedom: Freedom| {
        scop.reassociation().permits(freedom) && !matches!(freedom, Freedom::Unsigned(_))
    };
    if let Some(update) = statement.update(scop.arrays()) {
        let is_own_operator = all.get(&array) == Some(&Holds::Combined(update.operator.clone()));
        if is_of(update.target) {
            let is_all = n_uses == update.reads.len() + 1;
            if !is_own_operator || !is_all || !is_free(update.freedom) {
                return wrong(Clause::Gathers);
            }
            let may_leave = update.condition.is_some();
            return Ok(Ok(Part::Gathers { target: update.target, may_leave }));
        }
        if !is_original && is_own_operator {
            let cell = update.combined_access().filter(|cell| is_of(*cell));
            let reads_cell_alone = statement
                .accesses
                .ids()
                .all(|id| update.has(id) || is_of(id) && is_same_cell(statement, id, cell));
            let of = &scop.arrays()[array].element;
            let is_for_updated = update.condition.is_none_or(|condition| {
                is_not_neutral(&update.operator, of, condition, statement, array)
            });
            let is_right = reads_cell_alone && is_for_updated && is_free(update.freedom);
            return match cell.filter(|_| is_right) {
                Some(cell) => Ok(Ok(Part::Combines { cell, element: update.target })),
                None => wrong(Clause::Combines),
            };
        }
    }
    if let Some(selection) = statement.selection(scop.arrays()) {
        if let Some(kept) = selection.kept().find(|kept| is_of(kept.target)) {
            let is_kept = scop.reassociation() == Reassociation::Kept;
            if is_kept || !selection.is_harmless() {
                return wrong(Clause::Gathers);
            }
            let may_leave = selection.asked_first.is_some();
            return Ok(Ok(Part::Gathers { target: kept.target, may_leave }));
        }
        let cell = |value: &Expr| match value {
            Expr::Access(cell) if is_of(*cell) => Some(*cell),
            _ => None,
        };
        let combined = selection.kept().find_map(|kept| Some((cell(kept.value)?, kept.target)));
        if let Some((cell, element)) = combined.filter(|_| !is_original) {
            return Ok(Ok(Part::Combines { cell, element }));
        }
    }
    let begun = (!is_original).then(|| begun(scop, statement, (array, all))).flatten();
    match begun {
        Some(target) => Ok(Ok(Part::Begins(target))),
        None => wrong(Clause::Neutral),
    }
}

/// The access by which a statement begins a cell of an array, where it does nothing but begin cells.
fn begun(
    scop: &Scop,
    stmt: &Statement,
    (array, all): (ArrayId, &BTreeMap<ArrayId, Holds>),
) -> Option<AccessId> {
    let mut found = None;
    for part in &stmt.body {
        let BodyStmt::Assign { target, op: AssignOp::Set, read: None, value } = part else {
            return None;
        };
        let of = stmt.accesses[*target].array;
        let kind = scop.arrays()[of].element.kind;
        let is_first = match all.get(&of)? {
            Holds::Combined(operator) => is_neutral(operator, kind, value),
            Holds::Compared(op) => Operator::of_comparison(*op)
                .is_some_and(|operator| is_neutral(&operator, kind, value)),
            Holds::Taken => matches!(value, Expr::Int { .. } | Expr::Float(_)),
        };
        let is_sure = stmt.accesses[*target].kind == AccessKind::MustWrite;
        if !is_first || !is_sure || of == array && found.is_some() {
            return None;
        }
        found = if of == array { Some(*target) } else { found };
    }
    found.filter(|_| stmt.accesses.len() == stmt.body.len())
}

/// Whether an access of a statement is written as the cell that another one reads.
fn is_same_cell(stmt: &Statement, access: AccessId, cell: Option<AccessId>) -> bool {
    cell.is_some_and(|cell| stmt.accesses[cell].relation == stmt.accesses[access].relation)
}

/// Checks one array that gathers.
fn judge(prepared: &Prepared, plan: &Plan, partials: &Partials) -> Judged<()> {
    let array = &prepared.scop.arrays()[partials.array];
    let wrong = |clause| Ok(Err(fault(&array.name, clause)));
    let Partials { begins, updates, combines, .. } = partials;
    let combines: Vec<&Use> = combines.iter().map(|(combine, _)| combine).collect();
    let begins: Vec<&Use> = begins.iter().collect();
    let updates: Vec<&Use> = updates.iter().collect();
    if !are_apart(&begins)? {
        return wrong(Clause::BegunTwice);
    }
    if !are_apart(&combines)? {
        return wrong(Clause::CombinedTwice);
    }
    let ranges = |uses: &[&Use]| -> Result<Vec<Set>> {
        uses.iter().map(|used| Ok(used.cells.range()?)).collect()
    };
    let (begun, gathered, taken) = (ranges(&begins)?, ranges(&updates)?, ranges(&combines)?);
    if !is_within(&gathered, &begun)? || !is_within(&taken, &begun)? {
        return wrong(Clause::Begun);
    }
    if !is_within(&gathered, &taken)? || !is_within(&taken, &gathered)? {
        return wrong(Clause::Combined);
    }
    if partials.may_leave && partials.combines.iter().any(|one| touches_all(&prepared.scop, one)) {
        return wrong(Clause::CombinedWhereUpdated);
    }
    let in_order = |first: &Use, second: &Use| -> Result<bool> {
        let pairs = first.cells.apply_range(&second.cells.reverse()?)?;
        Ok(violation(plan, first.stmt, second.stmt, pairs)?.is_none())
    };
    for update in &updates {
        for begin in &begins {
            if !in_order(begin, update)? {
                return wrong(Clause::BegunFirst);
            }
        }
        for combine in &combines {
            if !in_order(update, combine)? {
                return wrong(Clause::CombinedLast);
            }
        }
        for other in &updates {
            let pairs = update.cells.apply_range(&other.cells.reverse()?)?;
            if at_once(plan, [update.stmt, other.stmt], pairs, partials.array)? {
                return wrong(Clause::GatheredAtOnce);
            }
        }
    }
    for used in &begins {
        let relations = prepared.references[partials.array].iter();
        for reference in relations.filter(|reference| reference.stmt == used.stmt) {
            if !is_inside(&reference.elements.range()?, array)? {
                return wrong(Clause::Extents);
            }
        }
    }
    Ok(Ok(()))
}

/// Whether a statement touches the elements that it combines cells with, whatever was gathered, though code may touch them only where the
/// original does.
fn touches_all(scop: &Scop, (combine, element): &(Use, AccessId)) -> bool {
    let stmt = &scop.stmts()[combine.stmt];
    let array = &scop.arrays()[stmt.accesses[*element].array];
    match stmt.update(scop.arrays()) {
        Some(update) => update.condition.is_none() && update.operator.needs_update(array),
        None => {
            let is_strict = stmt.selection(scop.arrays()).is_some_and(|s| s.is_strict());
            !array.is_always_there() || !is_strict
        }
    }
}

/// Whether no cell is used twice.
fn are_apart(uses: &[&Use]) -> Result<bool> {
    for (at, used) in uses.iter().enumerate() {
        if !used.cells.is_injective()? {
            return Ok(false);
        }
        for other in &uses[..at] {
            if !other.cells.range()?.is_disjoint(&used.cells.range()?)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether all of `sets` lie in the union of `others`.
fn is_within(sets: &[Set], others: &[Set]) -> Result<bool> {
    let Some(all) = Set::union_all(others.to_vec())? else { return Ok(sets.is_empty()) };
    for set in sets {
        if !set.is_subset(&all)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether an expression is the neutral element of an operator on numbers of a kind.
fn is_neutral(operator: &Operator, kind: ElementKind, value: &Expr) -> bool {
    if let Some(number) = integer(value) {
        let least = |bits: u8| -(1_i128 << (bits - 1));
        let greatest = |bits: u8| (1_i128 << (bits - 1)) - 1;
        return match (operator, kind) {
            (Operator::Sum | Operator::BitOr | Operator::BitXor | Operator::Or, _) => number == 0,
            (Operator::Product | Operator::And, _) => number == 1,
            (Operator::BitAnd, _) => number == -1,
            (Operator::Max, ElementKind::Signed(bits)) => number == least(bits),
            (Operator::Min, ElementKind::Signed(bits)) => number == greatest(bits),
            (Operator::Max, ElementKind::Unsigned(_)) => number == 0,
            (Operator::Min, ElementKind::Unsigned(_)) => number == -1,
            _ => false,
        };
    }
    match (operator, value) {
        // What is no number is neutral for those that prefer numbers.
        (Operator::Fmin | Operator::Fmax, Expr::Binary(BinaryOp::Div, a, b)) => {
            let is_zero = |e: &Expr| matches!(e, Expr::Float(text) if text == "0.0");
            is_zero(a) && is_zero(b)
        }
        (Operator::Sum, Expr::Float(text)) => text == "0.0",
        (Operator::Product, Expr::Float(text)) => text == "1.0",
        (Operator::Max, Expr::Unary(UnaryOp::Minus, value)) => is_infinite(value, kind),
        (Operator::Min, value) => is_infinite(value, kind),
        (Operator::Function(function), Expr::Verbatim(text)) => *text == function.neutral,
        _ => false,
    }
}

/// Whether a condition says that a cell of an array is no longer neutral.
fn is_not_neutral(
    operator: &Operator,
    of: &ElementType,
    condition: &Expr,
    stmt: &Statement,
    array: ArrayId,
) -> bool {
    let Expr::Binary(BinaryOp::Ne, cell, neutral) = condition else { return false };
    let kind = of.kind;
    let is_equal_alone = match operator {
        // What is no number differs from itself.
        Operator::Fmin | Operator::Fmax => false,
        // `x = x && 1` makes one of two.
        Operator::And | Operator::Or => of.is_truth(),
        // Zeros are equal, which a function may tell apart.
        Operator::Function(_) => !kind.is_floating(),
        _ => true,
    };
    let is_cell = matches!(**cell, Expr::Access(cell) if stmt.accesses[cell].array == array);
    let (neutral, is_converted) = match neutral.as_ref() {
        Expr::Cast(ty, inner) if ty.kind == kind => (inner.as_ref(), true),
        other => (other, false),
    };
    // An unsigned cell that is narrower than `int` is never negative.
    let is_narrow = matches!(kind, ElementKind::Unsigned(bits) if bits < 32);
    let is_negative = match neutral {
        Expr::Verbatim(text) => text.starts_with(['-', '(']),
        other => integer(other).is_none_or(|n| n < 0),
    };
    let may_be_equal = is_converted || !is_narrow || !is_negative;
    is_equal_alone && is_cell && may_be_equal && is_neutral(operator, kind, neutral)
}

/// The value of a constant of integers.
fn integer(value: &Expr) -> Option<i128> {
    match value {
        Expr::Int { value, .. } => Some((*value).into()),
        Expr::Unary(UnaryOp::Minus, value) => Some(-integer(value)?),
        Expr::Binary(BinaryOp::Sub, a, b) => Some(integer(a)? - integer(b)?),
        _ => None,
    }
}

/// Whether a value is the greatest of a floating-point type.
fn is_infinite(value: &Expr, kind: ElementKind) -> bool {
    let Expr::Call(name, arguments) = value else { return false };
    let is_of = match kind {
        ElementKind::Float => matches!(name.as_str(), "__builtin_inf" | "__builtin_inff"),
        ElementKind::Half | ElementKind::Double => name == "__builtin_inf",
        _ => false,
    };
    is_of && arguments.is_empty()
}

/// What a cell is combined with.
struct Element {
    array: ArrayId,
    /// From the instances that update the cell.
    relation: Map,
    /// Those that data chooses, among others; none where it chooses nothing.
    subscripts: Vec<Expr>,
}

/// A statement that gathers in `cells`, as `old` does, as one that uses the element: without conversions to the cell's type where that is the
/// element's unsigned one.
fn at_element(
    scop: &Scop,
    (old, cells): (&Statement, ArrayId),
    stmt: &Statement,
    element: &Element,
) -> Option<Statement> {
    let of_cell = scop.arrays()[cells].element.kind;
    let of_element = scop.arrays()[element.array].element.kind;
    let mut new = stmt.clone();
    for (access, _) in old.accesses.iter_enumerated().filter(|(_, a)| a.array == cells) {
        let own = &mut new.accesses[access];
        own.array = element.array;
        own.relation = element.relation.clone();
        own.subscripts = element.subscripts.clone();
    }
    if of_cell == of_element {
        return Some(new);
    }
    let ElementKind::Unsigned(width) = of_cell else { return None };
    let (ElementKind::Signed(bits) | ElementKind::Unsigned(bits)) = of_element else { return None };
    // What is cut off in the end may as well be cut off later.
    if width < bits.max(32) {
        return None;
    }
    unconverted(&mut new.body, of_cell)?;
    Some(new)
}

/// Takes the conversion of what is combined out of a body.
fn unconverted(body: &mut [BodyStmt], to: ElementKind) -> Option<()> {
    match body {
        [BodyStmt::If { then, .. }] => unconverted(then, to),
        [BodyStmt::Assign { value, .. }] => {
            *value = unconverted_value(value, to)?;
            Some(())
        }
        _ => None,
    }
}

/// A value without the conversion of what is combined.
fn unconverted_value(value: &Expr, to: ElementKind) -> Option<Expr> {
    Some(match value {
        Expr::Cast(ty, inner) if ty.kind == to => (**inner).clone(),
        Expr::Binary(op, left, right) => {
            let strip = |side: &Expr| match side {
                Expr::Cast(ty, inner) if ty.kind == to => inner.clone(),
                other => Box::new(other.clone()),
            };
            Expr::Binary(*op, strip(left), strip(right))
        }
        Expr::Ternary(condition, new, old) => {
            let new = Box::new(unconverted_value(new, to)?);
            Expr::Ternary(condition.clone(), new, old.clone())
        }
        _ => return None,
    })
}
