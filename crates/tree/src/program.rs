//! A scop and the order in which it runs.

use crate::{Cursor, NoThreads, Result, ScheduleTree, original_tree};
use farkas_poly::UnionSet;
use farkas_scop::{ArrayId, ArrayScope, Scop, StmtId};
use std::collections::BTreeMap;

/// A scop with a tree of its instances: what transformations map to another one of the same meaning.
///
/// A transformation may add buffers (arrays of scope [`Buffer`](farkas_scop::ArrayScope::Buffer)), statements that fill
/// and empty them, and dimensions in front of a statement's own, which say in which tile an instance is. It may split off some
/// of a statement's instances as another statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Statements and arrays.
    pub scop: Scop,
    /// The order of the statements' instances.
    pub tree: ScheduleTree,
    /// The statement of the scop that this was made from, by name, for each whose instances were split off it.
    pub origins: BTreeMap<String, String>,
    /// The buffers in whose cells values are that a temporary of that scop had one after another, by name, with the temporary.
    pub in_cells: BTreeMap<String, String>,
    /// Why none of its loops runs on threads, where that was decided of all of them at once.
    pub no_threads: Option<NoThreads>,
}

impl Program {
    /// `scop` in the order of `tree`.
    pub fn new(scop: &Scop, tree: ScheduleTree) -> Self {
        let (origins, in_cells) = (BTreeMap::new(), BTreeMap::new());
        Self { scop: scop.clone(), tree, origins, in_cells, no_threads: None }
    }

    /// The buffers with their homes: the lowest node that all instances of the statements reach that use one. Iterations of
    /// loops around it have buffers of their own.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn homes(scop: &Scop, tree: &ScheduleTree) -> farkas_poly::Result<Vec<(ArrayId, Cursor)>> {
        let buffers = scop.arrays().iter_enumerated();
        let buffers = buffers.filter(|(_, array)| array.scope == ArrayScope::Buffer);
        buffers.map(|(array, _)| Ok((array, home(scop, tree, array)?))).collect()
    }

    /// `scop` in its original order.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn original(scop: &Scop) -> Result<Self> {
        Ok(Self::new(scop, original_tree(scop)?))
    }
}

/// The home of one buffer.
fn home(scop: &Scop, tree: &ScheduleTree, array: ArrayId) -> farkas_poly::Result<Cursor> {
    let uses = |stmt: &StmtId| scop.stmts()[*stmt].accesses.iter().any(|a| a.array == array);
    let sets: Vec<_> = scop
        .stmts()
        .ids()
        .filter(uses)
        .map(|stmt| scop.domain_of(stmt))
        .collect::<farkas_poly::Result<_>>()?;
    tree.lowest(&UnionSet::union_all(sets)?)
}
