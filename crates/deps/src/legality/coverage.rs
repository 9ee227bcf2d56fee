//! Every instance runs exactly once.

use super::counterexample::{Counterexample, Fault, InstanceFault, smallest};
use crate::analysis::Prepared;
use crate::{Error, Result};
use farkas_poly::{Set, UnionSet};
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Band, Cursor, Node, ScheduleTree};

/// An instance that does not run exactly once under `tree`, if there is one.
pub(crate) fn check(
    scop: &Scop,
    prepared: &Prepared,
    tree: &ScheduleTree,
) -> Result<Option<Counterexample>> {
    let root = Cursor::root();
    let Node::Domain { domain, child } = tree.node() else {
        return Err(unsupported(tree, &root, "the root of a whole tree is a domain node"));
    };
    let check = Check { scop };
    if let Some(found) = check.foreign(domain)? {
        return Ok(Some(found));
    }
    for (stmt, own) in prepared.domains.iter_enumerated() {
        let held = domain.extract_set(&own.space()?)?.intersect_params(scop.context())?;
        let missing = own.subtract(&held)?;
        if let Some(found) = check.fault(stmt, &missing, &root, InstanceFault::NeverRuns)? {
            return Ok(Some(found));
        }
        let added = held.subtract(own)?;
        if let Some(found) = check.fault(stmt, &added, &root, InstanceFault::NotInScop)? {
            return Ok(Some(found));
        }
        if let Some(found) = check.descend(stmt, own, child, &root.child(0))? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The check of one scop.
struct Check<'a> {
    scop: &'a Scop,
}

impl Check<'_> {
    /// A counterexample when the tree has instances of a statement that the scop does not have.
    fn foreign(&self, domain: &UnionSet) -> Result<Option<Counterexample>> {
        for set in domain.intersect_params(self.scop.context())?.sets()? {
            let name = set.tuple_name().unwrap_or_default();
            if self.scop.stmt_by_name(&name).is_none() && !set.is_empty()? {
                let fault = Fault::UnknownStatement { name };
                return Ok(Some(Counterexample { params: Vec::new(), fault }));
            }
        }
        Ok(None)
    }

    /// The counterexample of `faulty` instances, if there are any.
    fn fault(
        &self,
        stmt: StmtId,
        faulty: &Set,
        cursor: &Cursor,
        fault: InstanceFault,
    ) -> Result<Option<Counterexample>> {
        if faulty.is_empty()? {
            return Ok(None);
        }
        smallest::instance(self.scop, stmt, faulty, cursor, fault).map(Some)
    }

    /// Follows the instances `active` of `stmt`, all of which reach `tree`.
    fn descend(
        &self,
        stmt: StmtId,
        active: &Set,
        tree: &ScheduleTree,
        here: &Cursor,
    ) -> Result<Option<Counterexample>> {
        let below = here.child(0);
        let never = InstanceFault::NeverRuns;
        let (lost, child) = match tree.node() {
            Node::Leaf => return Ok(None),
            Node::Mark { child, .. } => return self.descend(stmt, active, child, &below),
            Node::Band { band, child } => (undated(active, band)?, child),
            Node::Filter { filter, child } => {
                (outside(active, &filter.extract_set(&active.space()?)?)?, child)
            }
            Node::Context { context: condition, child }
            | Node::Guard { guard: condition, child } => {
                if !condition.space()?.is_params()? {
                    return Err(unsupported(tree, here, "it speaks of outer dates"));
                }
                (Some(active.subtract(&active.intersect_params(condition)?)?), child)
            }
            Node::Sequence(children) | Node::Set(children) => {
                return self.children(stmt, active, children, here);
            }
            Node::Domain { .. } | Node::Extension { .. } | Node::Expansion { .. } => {
                return Err(unsupported(tree, here, "it changes the instances"));
            }
        };
        if let Some(lost) = lost
            && let Some(found) = self.fault(stmt, &lost, here, never)?
        {
            return Ok(Some(found));
        }
        self.descend(stmt, active, child, &below)
    }

    /// The children of a sequence or set node take each of the instances `active` once.
    fn children(
        &self,
        stmt: StmtId,
        active: &Set,
        children: &[ScheduleTree],
        here: &Cursor,
    ) -> Result<Option<Counterexample>> {
        let mut left = active.clone();
        let space = active.space()?;
        for (i, child) in children.iter().enumerate() {
            let Node::Filter { filter, child } = child.node() else {
                return Err(unsupported(child, &here.child(i), "it must be a filter here"));
            };
            let filter = filter.extract_set(&space)?;
            let taken = active.intersect(&filter)?;
            if taken.is_empty()? {
                continue;
            }
            let again = taken.subtract(&left)?;
            let twice = InstanceFault::RunsTwice;
            if let Some(found) = self.fault(stmt, &again, &here.child(i), twice)? {
                return Ok(Some(found));
            }
            left = left.subtract(&taken)?;
            if let Some(found) = self.descend(stmt, &taken, child, &here.child(i).child(0))? {
                return Ok(Some(found));
            }
        }
        self.fault(stmt, &left, here, InstanceFault::NeverRuns)
    }
}

/// The points of `active` outside `set`; `None` where obviously none.
fn outside(active: &Set, set: &Set) -> Result<Option<Set>> {
    if set.plain_is_universe()? { Ok(None) } else { Ok(Some(active.subtract(set)?)) }
}

/// The instances of `active` that some member of `band` does not date.
fn undated(active: &Set, band: &Band) -> Result<Option<Set>> {
    let space = active.space()?;
    let mut missing: Option<Set> = None;
    for member in &band.members {
        let dated = member.schedule.extract_pw_aff(&space)?.domain()?;
        if let Some(more) = outside(active, &dated)? {
            missing = Some(match missing {
                None => more,
                Some(missing) => missing.union(&more)?,
            });
        }
    }
    Ok(missing)
}

/// The error that `tree` cannot be judged.
fn unsupported(tree: &ScheduleTree, cursor: &Cursor, reason: &'static str) -> Error {
    Error::Unsupported { kind: tree.kind(), cursor: cursor.clone(), reason }
}
