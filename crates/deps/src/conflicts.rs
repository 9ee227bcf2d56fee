//! Pairs of instances that touch the same element, whatever their order: what loops of a transformed program may carry.
//!
//! Transformations add statements and buffers, which have no original order and so no dependences. What the loops of their
//! result carry follows from its own accesses and the tree that it runs in ([`carried::conflicting`](crate::carried::conflicting)).

use crate::analysis::{Prepared, Reference};
use crate::{Dependence, DependenceKind, Dependences, Result};
use farkas_scop::{AccessKind, Scop};

/// The conflicts of a scop: as its dependences by memory, but in neither order. Where two accesses of different kinds
/// conflict there is a flow conflict from the write to the read and an anti conflict back; a tree says which pairs are which.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflicts(Dependences);

impl Conflicts {
    /// The conflicts of `scop` through all of its arrays, buffers too.
    ///
    /// # Errors
    /// When isl refuses or its budget is used up.
    pub fn of(scop: &Scop) -> Result<Self> {
        let prepared = Prepared::of(scop)?;
        let mut found = Vec::new();
        for references in &prepared.references {
            for source in references {
                for sink in references {
                    found.extend(conflict(source, sink)?);
                }
            }
        }
        Ok(Self(found.into_iter().collect::<farkas_base::IdVec<_, _>>().into()))
    }

    /// The pairs as if their sources came first.
    pub fn as_dependences(&self) -> &Dependences {
        &self.0
    }
}

/// The pairs of two accesses that touch the same element, of which one writes; `None` where there are none.
fn conflict(source: &Reference, sink: &Reference) -> Result<Option<Dependence>> {
    let Some(kind) = kind(source.kind, sink.kind) else { return Ok(None) };
    let relation = source.elements.apply_range(&sink.elements.reverse()?)?;
    if relation.is_empty()? {
        return Ok(None);
    }
    Ok(Some(Dependence {
        kind,
        relaxed: None,
        source: source.stmt,
        sink: sink.stmt,
        source_access: source.access,
        sink_access: sink.access,
        relation,
        carried: Vec::new(),
        is_loop_independent: false,
        // There is no original order, and so no loop that both are in.
        distance: Some(Vec::new()),
    }))
}

/// What a pair is whose source comes first.
fn kind(source: AccessKind, sink: AccessKind) -> Option<DependenceKind> {
    match (source, sink) {
        (AccessKind::Read, sink) if sink.is_write() => Some(DependenceKind::Anti),
        (source, AccessKind::Read) if source.is_write() => Some(DependenceKind::Flow),
        (source, sink) if source.is_write() && sink.is_write() => Some(DependenceKind::Output),
        _ => None,
    }
}
