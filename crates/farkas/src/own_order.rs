//! The order of the original program, as something to shape.

use crate::Error;
use farkas_deps::carried::coincidence;
use farkas_deps::{DepId, DependenceKind, Dependences};
use farkas_scop::Scop;
use farkas_tree::{Cursor, Node, ScheduleTree, original_tree};

/// The order of the original program in two ways.
#[derive(Clone, Debug)]
pub(crate) struct OwnOrder {
    /// With its loops called coincident where they carry nothing.
    pub(crate) as_it_is: ScheduleTree,
    /// The same where they carry nothing but what copies of temporaries would keep apart.
    pub(crate) with_copies: ScheduleTree,
    /// Whether loops carry nothing but updates whose order is free, or what selections keep, and what copies of temporaries would keep apart: some of both.
    has_updates_beside_copies: bool,
}

impl OwnOrder {
    /// That of a scop, by its dependences.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn of(scop: &Scop, deps: &Dependences) -> Result<Self, Error> {
        Self::of_tree(scop, deps, original_tree(scop)?)
    }

    /// Another order that keeps all dependences, in the same two ways.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn of_tree(
        scop: &Scop,
        deps: &Dependences,
        tree: ScheduleTree,
    ) -> Result<Self, Error> {
        // A value that goes from one iteration to another does so with copies, too.
        let is_temporary = |id: &DepId| {
            let dep = &deps[*id];
            let array = scop.stmts()[dep.source].accesses[dep.source_access].array;
            dep.kind != DependenceKind::Flow && scop.arrays()[array].may_be_private()
        };
        let mut order = Self {
            as_it_is: tree.clone(),
            with_copies: tree.clone(),
            has_updates_beside_copies: false,
        };
        for report in coincidence(deps, &tree)? {
            let may_have_copies = report.blocked_in_band.iter().all(is_temporary);
            let is_free = |id: &&DepId| {
                let dep = &deps[**id];
                let stmt = &scop.stmts()[dep.source];
                let selects = dep.source == dep.sink && stmt.selection(scop.arrays()).is_some();
                dep.relaxed.is_some() || selects
            };
            let (free, others): (Vec<_>, Vec<_>) = report.blocked_in_band.iter().partition(is_free);
            order.has_updates_beside_copies |=
                !free.is_empty() && !others.is_empty() && others.into_iter().all(is_temporary);
            let at = (&report.cursor, report.member);
            order.as_it_is = with_member(&order.as_it_is, at, report.is_coincident())?;
            order.with_copies = with_member(&order.with_copies, at, may_have_copies)?;
        }
        Ok(order)
    }

    /// Whether copies of temporaries make more loops coincident.
    pub(crate) fn wants_copies(&self) -> bool {
        self.with_copies != self.as_it_is
    }

    /// The same where loops that update elements in a free order may have partial results.
    pub(crate) fn wants_copies_in_parts(&self) -> bool {
        self.wants_copies() || self.has_updates_beside_copies
    }
}

/// The tree with a member of the band at a cursor that is called coincident, or not.
fn with_member(
    tree: &ScheduleTree,
    (cursor, member): (&Cursor, usize),
    coincident: bool,
) -> Result<ScheduleTree, Error> {
    let Node::Band { band, child } = tree.at(cursor)?.node() else { return Ok(tree.clone()) };
    let mut band = band.clone();
    if let Some(member) = band.members.get_mut(member) {
        member.coincident = coincident;
    }
    Ok(tree.replace(cursor, ScheduleTree::band(band, child.clone()))?)
}
