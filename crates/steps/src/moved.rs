//! Dependences of programs whose statements are parts of those of another one.

use crate::{Lifted, Result};
use farkas_base::{Id, IdVec};
use farkas_deps::{Dependence, DependenceKind, Dependences};
use farkas_poly::{DimType, Map};
use farkas_scop::{Access, AccessId, AccessKind, ArrayId, ArrayScope, Scop, StmtId};
use farkas_tree::{Cursor, Node, Program};
use std::collections::BTreeMap;

/// The dependences of the scop that a program was made from as those of the program's statements; `None` where these have the instances of the
/// scop's own.
///
/// Statements have the dimensions of those that they stand for behind others, as the refinement rule of `farkas-deps` asks for. What copies
/// read and write is not said: in the order of what they are for.
///
/// # Errors
/// When isl refuses.
pub fn moved(deps: &Dependences, scop: &Scop, program: &Program) -> Result<Option<Dependences>> {
    let mut parts: IdVec<StmtId, Vec<Part>> = scop.stmts().iter().map(|_| Vec::new()).collect();
    let mut is_changed = false;
    let homes = Program::homes(&program.scop, &program.tree)?;
    for (id, stmt) in program.scop.stmts().iter_enumerated() {
        let of = program.origins.get(&stmt.name).unwrap_or(&stmt.name);
        let Some(original) = scop.stmt_by_name(of) else { continue };
        let known = scop.domain_of(original)?;
        let domain = program.scop.domain_of(id)?;
        let n_new = domain.dim(DimType::SET)?.saturating_sub(known.dim(DimType::SET)?);
        let is_same = n_new == 0 && of == &stmt.name;
        let cells = cells(scop, original, program, (id, &homes))?;
        is_changed |= !is_same || cells.is_some();
        let from = match is_same {
            true => None,
            false => Some(Lifted::named(of, &stmt.name, &domain, n_new)?.to_new(&domain)?),
        };
        let accesses = accesses_now(scop, original, program, id);
        let temporaries = temporaries(program, id, &homes)?;
        parts[original].push(Part { id, from, cells, temporaries, accesses });
    }
    if !is_changed {
        return Ok(None);
    }
    let mut found: Vec<Dependence> = Vec::new();
    for dep in &deps.deps {
        for source in &parts[dep.source] {
            let from_source = source.domain_of(&dep.relation)?;
            for sink in &parts[dep.sink] {
                found.extend(between(scop, dep, &from_source, (source, sink))?);
            }
        }
    }
    found.sort_by_key(|dep| (dep.source, dep.sink, dep.source_access, dep.sink_access));
    Ok(Some(found.into_iter().collect::<IdVec<_, _>>().into()))
}

/// A dependence of the scop as those of two of the program's statements; `from_source` has the instances of the first one already.
fn between(
    scop: &Scop,
    dep: &Dependence,
    from_source: &Map,
    (source, sink): (&Part, &Part),
) -> Result<Vec<Dependence>> {
    // Where integers alone show that there are no pairs, it stays: to search for one takes isl long.
    let mut relation = sink.range_of(from_source)?.remove_redundancies()?;
    let mut flow = None;
    let selects = || scop.stmts()[dep.source].selection(scop.arrays()).is_some();
    let is_gathered = dep.relaxed.is_some() || dep.source == dep.sink && selects();
    if let (true, Some(from), Some(to)) = (is_gathered, &source.cells, &sink.cells) {
        if from.array != to.array {
            return Ok(Vec::new());
        }
        relation = relation.intersect(&from.relation.apply_range(&to.relation.reverse()?)?)?;
        if dep.relaxed.is_some() {
            // What an update finds in the element, one of other cells may have left there: in the cell, it finds what the last
            // one of this cell left, with which an output dependence pairs it.
            match dep.kind {
                DependenceKind::Flow => return Ok(Vec::new()),
                DependenceKind::Output => {
                    flow = update_read(scop, dep.sink).map(|read| sink.access(read));
                }
                _ => {}
            }
        }
    }
    if relation.plain_is_empty()? {
        return Ok(Vec::new());
    }
    let array = scop.stmts()[dep.source].accesses[dep.source_access].array;
    let name = &scop.arrays()[array].name;
    if let (Some(from), Some(to)) = (source.temporaries.get(name), sink.temporaries.get(name)) {
        relation = relation.intersect(&from.apply_range(&to.reverse()?)?)?;
        if relation.is_empty()? {
            return Ok(Vec::new());
        }
    }
    let moved = Dependence {
        source: source.id,
        sink: sink.id,
        source_access: source.access(dep.source_access),
        sink_access: sink.access(dep.sink_access),
        relation,
        ..dep.clone()
    };
    let flow = flow.map(|sink_access| {
        let kind = DependenceKind::Flow;
        Dependence { kind, sink_access, ..moved.clone() }
    });
    Ok(flow.into_iter().chain([moved]).collect())
}

/// The accesses of a statement that took the place of those of the one that it stands for, by these; none where they are at the same places. Of those that
/// read what a buffer holds now, a read of a buffer.
fn accesses_now(
    original: &Scop,
    of: StmtId,
    program: &Program,
    now: StmtId,
) -> Option<IdVec<AccessId, AccessId>> {
    let (before, after) = (&original.stmts()[of].accesses, &program.scop.stmts()[now].accesses);
    if before.len() == after.len() {
        return None;
    }
    let arrays = program.scop.arrays();
    let name = |access: &Access| {
        let name = &arrays[access.array].name;
        program.in_cells.get(name).unwrap_or(name)
    };
    let is_buffer = |access: &Access| arrays[access.array].scope == ArrayScope::Buffer;
    let is_read = |access: &Access| access.kind == AccessKind::Read;
    let mut filled = after.iter_enumerated().filter(|(_, a)| is_read(a) && is_buffer(a));
    let filled = filled.next().or_else(|| after.iter_enumerated().next())?.0;
    let mut found = IdVec::new();
    for (id, access) in before.iter_enumerated() {
        let is_same =
            |a: &Access, of: &str| a.kind == access.kind && of == array_name(original, access);
        let n_before =
            before.iter().take(id.index()).filter(|a| is_same(a, array_name(original, a))).count();
        let mut all = after.iter_enumerated().filter(|(_, a)| is_same(a, name(a)));
        found.push(all.nth(n_before).map_or(filled, |(id, _)| id));
    }
    Some(found)
}

/// The name of the array that an access is to.
fn array_name<'s>(scop: &'s Scop, access: &Access) -> &'s str {
    &scop.arrays()[access.array].name
}

/// The access by which a statement reads the element that it updates.
fn update_read(scop: &Scop, stmt: StmtId) -> Option<AccessId> {
    let stmt = &scop.stmts()[stmt];
    let update = stmt.update(scop.arrays())?;
    let mut accesses = stmt.accesses.iter_enumerated();
    let is_read = |access: &Access| access.kind == AccessKind::Read;
    accesses.find(|(id, access)| is_read(access) && update.has(*id)).map(|(id, _)| id)
}

/// The cells that a statement updates, or selects in, instead of the element that it did, under its own instances; of a buffer, behind the dates of the loops
/// whose iterations have buffers of their own.
fn cells(
    original: &Scop,
    of: StmtId,
    program: &Program,
    (now, homes): (StmtId, &[(ArrayId, Cursor)]),
) -> Result<Option<Cells>> {
    let element = |scop: &Scop, stmt: StmtId| {
        let stmt = &scop.stmts()[stmt];
        let update = stmt.update(scop.arrays()).map(|update| update.target);
        let selection = || Some(stmt.selection(scop.arrays())?.key.target);
        let target = &stmt.accesses[update.or_else(selection)?];
        Some((target.array, scop.arrays()[target.array].name.clone(), target.relation.clone()))
    };
    let scop = &program.scop;
    let (Some((_, before, _)), Some((array, after, mut relation))) =
        (element(original, of), element(scop, now))
    else {
        return Ok(None);
    };
    if before == after {
        return Ok(None);
    }
    if let Some((_, home)) = homes.iter().find(|(buffer, _)| *buffer == array) {
        relation = in_home(&relation, program, now, home)?;
    }
    Ok(Some(Cells { array, relation }))
}

/// The cells in which a statement has the values of temporaries, by the temporaries' names, behind the dates of the loops whose iterations have cells
/// of their own.
fn temporaries(
    program: &Program,
    stmt: StmtId,
    homes: &[(ArrayId, Cursor)],
) -> Result<BTreeMap<String, Map>> {
    let mut found = BTreeMap::new();
    for (buffer, home) in homes {
        let name = &program.scop.arrays()[*buffer].name;
        let Some(temporary) = program.in_cells.get(name) else { continue };
        let accesses = program.scop.stmts()[stmt].accesses.iter();
        let mut touched: Vec<&Map> =
            accesses.filter(|a| a.array == *buffer).map(|a| &a.relation).collect();
        touched.dedup();
        if let [cells] = touched[..] {
            found.insert(temporary.clone(), in_home(cells, program, stmt, home)?);
        }
    }
    Ok(found)
}

/// Cells of a buffer behind the dates of the loops around its home.
fn in_home(cells: &Map, program: &Program, stmt: StmtId, home: &Cursor) -> Result<Map> {
    let space = program.scop.stmts()[stmt].domain.space()?;
    let (mut cells, mut here) = (cells.clone(), Cursor::root());
    for step in home.steps() {
        if let Node::Band { band, .. } = program.tree.at(&here)?.node() {
            for member in &band.members {
                let date = member.schedule.extract_pw_aff(&space)?;
                cells = date.to_map()?.flat_range_product(&cells)?;
            }
        }
        here = here.child(*step);
    }
    Ok(cells)
}

/// Cells that gather what a statement contributes to elements.
struct Cells {
    /// The array that they are in. Statements that gather in different ones share no cell.
    array: ArrayId,
    /// From the statement's instances to their cells.
    relation: Map,
}

/// A statement that stands for some instances of another one.
struct Part {
    id: StmtId,
    /// From those to its own; none where they are the same.
    from: Option<Map>,
    /// The cells that gather what it contributes to elements, where there are some: updates of others do not wait for one another.
    cells: Option<Cells>,
    /// The cells of temporaries that it uses, by their names.
    temporaries: BTreeMap<String, Map>,
    /// Its accesses by those of the statement that it stands for, where they are at other places.
    accesses: Option<IdVec<AccessId, AccessId>>,
}

impl Part {
    /// Its access for one of the statement that it stands for.
    fn access(&self, of: AccessId) -> AccessId {
        self.accesses.as_ref().and_then(|accesses| accesses.get(of)).copied().unwrap_or(of)
    }

    /// Pairs with its instances as the first ones.
    fn domain_of(&self, pairs: &Map) -> farkas_poly::Result<Map> {
        match &self.from {
            Some(from) => pairs.apply_domain(from),
            None => Ok(pairs.clone()),
        }
    }

    /// Pairs with its instances as the second ones.
    fn range_of(&self, pairs: &Map) -> farkas_poly::Result<Map> {
        match &self.from {
            Some(from) => pairs.apply_range(from),
            None => Ok(pairs.clone()),
        }
    }
}
