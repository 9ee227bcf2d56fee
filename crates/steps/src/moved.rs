//! Dependences of programs whose statements are parts of those of another one.

use crate::{Lifted, Result};
use farkas_base::IdVec;
use farkas_deps::{Dependence, DependenceKind, Dependences};
use farkas_poly::{DimType, Map};
use farkas_scop::{Access, AccessId, AccessKind, ArrayId, Scop, StmtId};
use farkas_tree::{Cursor, Node, Program};

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
    for (id, stmt) in program.scop.stmts().iter_enumerated() {
        let of = program.origins.get(&stmt.name).unwrap_or(&stmt.name);
        let Some(original) = scop.stmt_by_name(of) else { continue };
        let known = scop.domain_of(original)?;
        let domain = program.scop.domain_of(id)?;
        let n_new = domain.dim(DimType::SET)?.saturating_sub(known.dim(DimType::SET)?);
        let is_same = n_new == 0 && of == &stmt.name;
        let cells = cells(scop, original, program, id)?;
        is_changed |= !is_same || cells.is_some();
        let from = match is_same {
            true => None,
            false => Some(Lifted::named(of, &stmt.name, &domain, n_new)?.to_new(&domain)?),
        };
        parts[original].push(Part { id, from, cells });
    }
    if !is_changed {
        return Ok(None);
    }
    let mut found: Vec<Dependence> = Vec::new();
    for dep in &deps.deps {
        let selects = || scop.stmts()[dep.source].selection(scop.arrays()).is_some();
        let is_gathered = dep.relaxed.is_some() || dep.source == dep.sink && selects();
        for source in &parts[dep.source] {
            let from_source = source.domain_of(&dep.relation)?;
            for sink in &parts[dep.sink] {
                // Where integers alone show that there are no pairs, it stays: to search for one takes isl long.
                let mut relation = sink.range_of(&from_source)?.remove_redundancies()?;
                let mut flow = None;
                if let (true, Some(from), Some(to)) = (is_gathered, &source.cells, &sink.cells) {
                    if from.array != to.array {
                        continue;
                    }
                    let same_cell = from.relation.apply_range(&to.relation.reverse()?)?;
                    relation = relation.intersect(&same_cell)?;
                    if dep.relaxed.is_some() {
                        // What an update finds in the element, one of other cells may have left there: in the cell, it finds what the last
                        // one of this cell left, with which an output dependence pairs it.
                        match dep.kind {
                            DependenceKind::Flow => continue,
                            DependenceKind::Output => flow = update_read(scop, dep.sink),
                            _ => {}
                        }
                    }
                }
                if relation.plain_is_empty()? {
                    continue;
                }
                let (source, sink) = (source.id, sink.id);
                let moved = Dependence { source, sink, relation, ..dep.clone() };
                if let Some(sink_access) = flow {
                    found.push(Dependence {
                        kind: DependenceKind::Flow,
                        sink_access,
                        ..moved.clone()
                    });
                }
                found.push(moved);
            }
        }
    }
    found.sort_by_key(|dep| (dep.source, dep.sink, dep.source_access, dep.sink_access));
    Ok(Some(found.into_iter().collect::<IdVec<_, _>>().into()))
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
fn cells(original: &Scop, of: StmtId, program: &Program, now: StmtId) -> Result<Option<Cells>> {
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
    let homes = Program::homes(scop, &program.tree)?;
    if let Some((_, home)) = homes.iter().find(|(buffer, _)| *buffer == array) {
        let space = scop.stmts()[now].domain.space()?;
        let mut here = Cursor::root();
        for step in home.steps() {
            if let Node::Band { band, .. } = program.tree.at(&here)?.node() {
                for member in &band.members {
                    let date = member.schedule.extract_pw_aff(&space)?;
                    relation = date.to_map()?.flat_range_product(&relation)?;
                }
            }
            here = here.child(*step);
        }
    }
    Ok(Some(Cells { array, relation }))
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
}

impl Part {
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
