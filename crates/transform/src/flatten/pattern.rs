//! Which loops of a statement a reduction reduces, and which it runs through side by side.

use crate::{Remark, Result};
use farkas_deps::{Reduction, memory_order, reductions};
use farkas_poly::{DimType, Map};
use farkas_scop::{AccessId, Scop, Statement, StmtId};
use std::collections::{BTreeMap, VecDeque};

/// The loops around a statement as a reduction sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pattern {
    /// Whether each of its loops goes through contributions to the same element of the result.
    pub(super) is_reduced: Vec<bool>,
    /// The positions of the loops in the order of the memory that they go through, outermost first.
    pub(super) in_memory: Vec<usize>,
    /// Whether the statement updates the element itself; else it computes what is reduced, or uses the result.
    pub(super) is_update: bool,
}

/// The patterns of statements that update elements in an order that is free, and of those that have one of them propagated: producers of
/// what is reduced and consumers of the result, through other statements, too. Says of the other updates why they have none.
///
/// **Paper** PANAMERA (Zhao et al., PACT 2022), *Propagating reduction dependences to enable fusion*. There a producer's loops are told apart by
/// the dependences along the reduced dimensions; here by the elements of the result that their values come to, which is the same.
pub(super) fn patterns(
    scop: &Scop,
    remarks: &mut Vec<Remark>,
) -> Result<BTreeMap<StmtId, Pattern>> {
    let mut elements: BTreeMap<StmtId, Map> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for reduction in reductions(scop)? {
        if !reduction.is_free(scop.reassociation()) {
            remarks.push(not_free(scop, &reduction));
            continue;
        }
        for update in &reduction.updates {
            let mut is_reduced = vec![false; update.loops.len()];
            update.loops.iter().for_each(|(is, at)| is_reduced[*at] = *is);
            let in_memory = update.loops.iter().map(|(_, at)| *at).collect();
            found.insert(update.stmt, Pattern { is_reduced, in_memory, is_update: true });
            let statement = &scop.stmts()[update.stmt];
            if let Some(target) = statement.update(scop.arrays()) {
                let target = statement.accesses[target.target].relation.clone();
                elements.insert(update.stmt, target);
            }
        }
    }
    propagate(scop, &mut elements, &mut found)?;
    Ok(found)
}

/// Why a reduction is left alone.
fn not_free(scop: &Scop, reduction: &Reduction) -> Remark {
    let stmts = reduction.updates.iter().map(|update| scop.stmts()[update.stmt].name.clone());
    let name = &scop.arrays()[reduction.array].source_name;
    let why = match reduction.readers.is_empty() {
        true => reduction.freedom.fixed_reason(),
        false => "partial results are read",
    };
    let text = format!("the updates of {name} keep their order: {why}");
    Remark { pass: super::PASS, stmts: stmts.collect(), text }
}

/// Goes from statements to those that they share arrays with, where one of them writes.
fn propagate(
    scop: &Scop,
    elements: &mut BTreeMap<StmtId, Map>,
    found: &mut BTreeMap<StmtId, Pattern>,
) -> Result<()> {
    let mut left: VecDeque<StmtId> = elements.keys().copied().collect();
    while let Some(from) = left.pop_front() {
        for (to, statement) in scop.stmts().iter_enumerated() {
            if found.contains_key(&to) || statement.depth() == 0 {
                continue;
            }
            let Some(shared) = shared(&scop.stmts()[from], statement) else { continue };
            let (Some(of_from), (ours, theirs)) = (elements.get(&from), shared) else { continue };
            let here = &statement.accesses[ours].relation;
            let there = &scop.stmts()[from].accesses[theirs].relation;
            let reached = here.apply_range(&there.reverse()?)?.apply_range(of_from)?;
            let mut is_reduced = Vec::new();
            for at in 0..statement.depth() {
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                is_reduced.push(!reached.involves_dims(DimType::In, at, 1)?);
            }
            let in_memory = memory_order(statement, |_| true)?;
            found.insert(to, Pattern { is_reduced, in_memory, is_update: false });
            elements.insert(to, reached);
            left.push_back(to);
        }
    }
    Ok(())
}

/// The accesses by which the second statement touches what the first one does, with that of the first, where one of them writes.
fn shared(from: &Statement, to: &Statement) -> Option<(AccessId, AccessId)> {
    for (theirs, there) in from.accesses.iter_enumerated() {
        for (ours, here) in to.accesses.iter_enumerated() {
            let is_shared = here.array == there.array;
            if is_shared && (here.kind.is_write() || there.kind.is_write()) {
                return Some((ours, theirs));
            }
        }
    }
    None
}
