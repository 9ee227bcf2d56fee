//! The reductions of a scop: updates of the same elements by one operator, of which the order matters to nobody else.

use crate::analysis::Prepared;
use crate::{DependenceKind, DependenceOptions, Result, dependences};
use farkas_poly::{DimType, Map};
use farkas_scop::{
    AccessId, AccessKind, ArrayId, Freedom, Operator, Reassociation, Scop, Statement, StmtId,
    linear_subscripts,
};
use std::fmt;

/// Updates of the elements of an array by one operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reduction {
    /// The array.
    pub array: ArrayId,
    /// The operator.
    pub operator: Operator,
    /// What C says of the order of all updates.
    pub freedom: Freedom,
    /// The statements that update, in the order of the scop.
    pub updates: Vec<ReductionUpdate>,
    /// The accesses that read partial results, between one update of an element and another: the order is theirs, too.
    pub readers: Vec<(StmtId, AccessId)>,
}

/// A statement that updates elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReductionUpdate {
    /// The statement.
    pub stmt: StmtId,
    /// From its instances to the elements.
    pub elements: Map,
    /// Its loops in the order of the memory that they go through, from the outermost dimension on: whether each updates the same element in all
    /// of its iterations, and its position among the statement's loops.
    pub loops: Vec<(bool, usize)>,
}

/// What reductions of several dimensions are in the end.
///
/// **Paper** PANAMERA, *Dimension Flattening*.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReductionForm {
    /// No loop updates an element again.
    None,
    /// All loops do: one element comes out.
    All,
    /// The inner ones do, which go through memory: an element a row comes out.
    X,
    /// The outer ones do: an element a column comes out.
    Y,
    /// Loops that do lie between others: they are to be interchanged.
    Interleaved,
}

impl ReductionForm {
    /// The word that text forms use.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "no reduction",
            Self::All => "all-reduce",
            Self::X => "x-reduce",
            Self::Y => "y-reduce",
            Self::Interleaved => "interleaved",
        }
    }
}

impl ReductionUpdate {
    /// The form.
    pub fn form(&self) -> ReductionForm {
        let mut runs: Vec<bool> = self.loops.iter().map(|(is_reduced, _)| *is_reduced).collect();
        runs.dedup();
        match runs.as_slice() {
            [] | [false] => ReductionForm::None,
            [true] => ReductionForm::All,
            [false, true] => ReductionForm::X,
            [true, false] => ReductionForm::Y,
            _ => ReductionForm::Interleaved,
        }
    }

    /// The loops as letters: `r` for one that updates an element again, `p` for others.
    pub fn pattern(&self) -> String {
        self.loops.iter().map(|(is_reduced, _)| if *is_reduced { 'r' } else { 'p' }).collect()
    }
}

impl Reduction {
    /// Whether the updates may run in any order under what a user permits.
    pub fn is_free(&self, reassociation: Reassociation) -> bool {
        self.readers.is_empty() && reassociation.permits(self.freedom)
    }
}

/// The reductions of a scop: groups of statements that update the same elements of an array by one operator, whether or not their order is
/// free.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn reductions(scop: &Scop) -> Result<Vec<Reduction>> {
    let mut found: Vec<Reduction> = Vec::new();
    for (stmt, statement) in scop.stmts().iter_enumerated() {
        let Some(update) = statement.update(scop.arrays()) else { continue };
        let elements = statement.accesses[update.target].relation.clone();
        let elements = elements.intersect_domain(&scop.domain_of(stmt)?)?;
        let loops = loops(statement, update.target, |access| update.has(access))?;
        let array = statement.accesses[update.target].array;
        let new = ReductionUpdate { stmt, elements, loops };
        let operator = update.operator;
        let same = found.iter().position(|known| {
            known.array == array && known.operator == operator && meets(known, &new)
        });
        match same {
            Some(at) => {
                found[at].freedom = found[at].freedom.max(update.freedom);
                found[at].updates.push(new);
            }
            None => found.push(Reduction {
                array,
                operator,
                freedom: update.freedom,
                updates: vec![new],
                readers: Vec::new(),
            }),
        }
    }
    // An update that no loop repeats is none.
    found.retain(|reduction| {
        let is_repeated = |update: &ReductionUpdate| update.form() != ReductionForm::None;
        reduction.updates.iter().any(is_repeated)
    });
    if !found.is_empty() {
        find_readers(scop, &mut found)?;
    }
    Ok(found)
}

/// Whether a statement updates elements that others of a reduction do.
fn meets(reduction: &Reduction, new: &ReductionUpdate) -> bool {
    let meets = |known: &ReductionUpdate| -> Result<bool> {
        Ok(!known.elements.range()?.is_disjoint(&new.elements.range()?)?)
    };
    // Where isl does not answer, they count as the same: that frees nothing.
    reduction.updates.iter().any(|known| meets(known).unwrap_or(true))
}

/// The loops around an update in the order of memory, each with whether it updates the same element in all of its iterations.
pub(crate) fn loops(
    stmt: &Statement,
    target: AccessId,
    is_own: impl Fn(AccessId) -> bool,
) -> Result<Vec<(bool, usize)>> {
    let target = &stmt.accesses[target].relation;
    let mut is_reduced = Vec::new();
    for at in 0..stmt.depth() {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        is_reduced.push(!target.involves_dims(DimType::In, at, 1)?);
    }
    let is_operand = |id: AccessId| !is_own(id) && stmt.accesses[id].kind == AccessKind::Read;
    let order = memory_order(stmt, is_operand)?;
    Ok(order.into_iter().map(|at| (is_reduced[at], at)).collect())
}

/// The positions of the loops around a statement in the order of memory, from the outermost dimension on: that of the access, of those that
/// `counts` takes, with the most of them in its subscripts; loops that it does not go along come first, in their own order.
///
/// # Errors
/// When isl refuses.
pub fn memory_order(stmt: &Statement, counts: impl Fn(AccessId) -> bool) -> Result<Vec<usize>> {
    let mut best: Vec<usize> = Vec::new();
    for (id, access) in stmt.accesses.iter_enumerated() {
        if !counts(id) {
            continue;
        }
        let mut along: Vec<usize> = Vec::new();
        for row in linear_subscripts(&access.relation)?.unwrap_or_default() {
            let of_row = (0..row.len()).filter(|at| row[*at] != 0);
            along.extend(of_row.filter(|at| !along.contains(at)).collect::<Vec<_>>());
        }
        if along.len() > best.len() {
            best = along;
        }
    }
    let others = (0..stmt.depth()).filter(|at| !best.contains(at));
    Ok(others.chain(best.iter().copied()).collect())
}

/// Finds the reads of partial results.
fn find_readers(scop: &Scop, found: &mut [Reduction]) -> Result<()> {
    let scop = &scop.with_reassociation(Reassociation::Kept);
    let deps = dependences(scop, DependenceOptions::default())?;
    let prepared = Prepared::of(scop)?;
    for reduction in found {
        let is_update = |stmt: StmtId, access: AccessId| {
            let update = scop.stmts()[stmt].update(scop.arrays());
            reduction.updates.iter().any(|one| one.stmt == stmt)
                && update.is_some_and(|update| update.has(access))
        };
        let mut readers = Vec::new();
        for reference in prepared.references[reduction.array].iter() {
            let (stmt, access) = (reference.stmt, reference.access);
            if reference.kind != AccessKind::Read || is_update(stmt, access) {
                continue;
            }
            // What is read came from an update, and another one follows that begins with it.
            let into = deps.deps.iter().filter(|dep| {
                dep.kind == DependenceKind::Flow
                    && (dep.sink, dep.sink_access) == (stmt, access)
                    && is_update(dep.source, dep.source_access)
            });
            for flow in into {
                let goes_on = deps.deps.iter().filter(|dep| {
                    dep.kind == DependenceKind::Flow
                        && (dep.source, dep.source_access) == (flow.source, flow.source_access)
                        && is_update(dep.sink, dep.sink_access)
                });
                for next in goes_on {
                    let both = flow.relation.domain()?.intersect(&next.relation.domain()?)?;
                    if !both.is_empty()? && !readers.contains(&(stmt, access)) {
                        readers.push((stmt, access));
                    }
                }
            }
        }
        reduction.readers = readers;
    }
    Ok(())
}

impl fmt::Display for ReductionForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
