//! Which accesses of a scop with other storage go where.

use crate::Result;
use farkas_base::IdVec;
use farkas_scop::{
    Access, AccessId, AccessKind, ArrayId, AssignOp, BodyStmt, Expr, Scop, Statement, StmtId,
};
use std::collections::BTreeSet;

/// The accesses that were moved.
pub(super) struct Moved {
    /// The changed scop with the statements that are missing in it, which copy elements to themselves there: those of the
    /// original by their ids, then the new ones, which copy.
    pub(super) scop: Scop,
    /// The accesses that go elsewhere.
    pub(super) accesses: BTreeSet<(StmtId, AccessId)>,
}

/// The moved accesses, or the statement or array where something is wrong, and what.
type Judged<T> = std::result::Result<T, (String, &'static str)>;

impl Moved {
    /// Those of `changed`.
    pub(super) fn of(original: &Scop, changed: &Scop) -> Result<Judged<Self>> {
        let name = || original.name().to_owned();
        let is_same_frame = original.params() == changed.params()
            && changed.context().is_subset(original.context())?
            && original.arrays().iter().eq(changed.arrays().iter().take(original.arrays().len()));
        if !is_same_frame {
            return Ok(Err((name(), "its parameters or arrays are others")));
        }
        let mut accesses = BTreeSet::new();
        for (id, old) in original.stmts().iter_enumerated() {
            let Some(now) = changed.stmt_by_name(&old.name) else { continue };
            let new = &changed.stmts()[now];
            if !is_same_statement(old, new)? {
                return Ok(Err((old.name.clone(), "it is not the original with other places")));
            }
            match moved_of(original, changed, old, new)? {
                Ok(moved) => accesses.extend(moved.into_iter().map(|access| (id, access))),
                Err(reason) => return Ok(Err((old.name.clone(), reason))),
            }
        }
        let homes = accesses.iter().map(|(stmt, access): &(StmtId, AccessId)| {
            original.stmts()[*stmt].accesses[*access].array
        });
        let from: BTreeSet<ArrayId> = homes.collect();
        let mut builder = changed.to_builder();
        builder.stmts = IdVec::new();
        for (id, old) in original.stmts().iter_enumerated() {
            let stmt = match changed.stmt_by_name(&old.name) {
                Some(now) => changed.stmts()[now].clone(),
                None => {
                    let Some((moved, stmt)) = copied_to_itself(old, &from) else {
                        return Ok(Err((old.name.clone(), "it is missing")));
                    };
                    accesses.insert((id, moved));
                    stmt
                }
            };
            builder.stmts.push(stmt);
        }
        for new in changed.stmts().iter().filter(|s| original.stmt_by_name(&s.name).is_none()) {
            if copy(new).is_none() {
                return Ok(Err((new.name.clone(), "the original has no such statement")));
            }
            builder.stmts.push(new.clone());
        }
        Ok(match builder.build() {
            Ok(scop) => Ok(Self { scop, accesses }),
            Err(_) => Err((name(), "its statements contradict one another")),
        })
    }

    /// The arrays that values leave, and those that they go to.
    pub(super) fn arrays(&self, original: &Scop) -> BTreeSet<ArrayId> {
        let mut found = BTreeSet::new();
        for &(stmt, access) in &self.accesses {
            found.insert(original.stmts()[stmt].accesses[access].array);
            found.insert(self.scop.stmts()[stmt].accesses[access].array);
        }
        for copies in self.scop.stmts().iter().skip(original.stmts().len()) {
            found.extend(copies.accesses.iter().map(|access| access.array));
        }
        found
    }
}

/// Whether two statements differ in places alone.
fn is_same_statement(old: &Statement, new: &Statement) -> Result<bool> {
    let kinds = |stmt: &Statement| stmt.accesses.iter().map(|a| a.kind).collect::<Vec<_>>();
    Ok(old.body == new.body
        && old.iterators == new.iterators
        && kinds(old) == kinds(new)
        && old.domain.is_equal(&new.domain)?
        && old.date.is_equal(&new.date)?)
}

/// The accesses of a statement that go elsewhere, or why they may not.
fn moved_of(
    original: &Scop,
    changed: &Scop,
    old: &Statement,
    new: &Statement,
) -> Result<std::result::Result<Vec<AccessId>, &'static str>> {
    let mut moved = Vec::new();
    for (id, from) in old.accesses.iter_enumerated() {
        let to = &new.accesses[id];
        if from.array == to.array && from.relation.is_equal(&to.relation)? {
            if from.subscripts != to.subscripts {
                return Ok(Err("it is not the original with other places"));
            }
            continue;
        }
        let types = [&original.arrays()[from.array].element, &changed.arrays()[to.array].element];
        if types[0].kind != types[1].kind || types[0].kind.size_bytes().is_none() {
            return Ok(Err("it has elements of another type"));
        }
        moved.push(id);
    }
    // Within one assignment all reads come before the write; what several do to one another is not looked at.
    let is_single = matches!(new.body.as_slice(), [BodyStmt::Assign { .. }]);
    if !moved.is_empty() && !is_single {
        return Ok(Err("it is not one assignment"));
    }
    Ok(Ok(moved))
}

/// A statement that copies an element of one of the arrays `from`, or to one, with the same element on both sides; and the
/// access that was moved to that end.
fn copied_to_itself(stmt: &Statement, from: &BTreeSet<ArrayId>) -> Option<(AccessId, Statement)> {
    let (target, read) = copy(stmt)?;
    let is_from = |access: AccessId| from.contains(&stmt.accesses[access].array);
    let (moved, stays) = match (is_from(target), is_from(read)) {
        (true, false) => (target, read),
        (false, true) => (read, target),
        _ => return None,
    };
    let place = stmt.accesses[stays].clone();
    let mut stmt = stmt.clone();
    let kind = stmt.accesses[moved].kind;
    stmt.accesses[moved] = Access { kind, ..place };
    Some((moved, stmt))
}

/// The written and the read access of a statement that copies an element.
fn copy(stmt: &Statement) -> Option<(AccessId, AccessId)> {
    let [BodyStmt::Assign { target, op: AssignOp::Set, read: None, value: Expr::Access(read) }] =
        stmt.body.as_slice()
    else {
        return None;
    };
    let is_sure = stmt.accesses.get(*target)?.kind == AccessKind::MustWrite;
    let is_whole = stmt.accesses.len() == 2 && stmt.accesses.get(*read)?.kind == AccessKind::Read;
    (is_sure && is_whole).then_some((*target, *read))
}
