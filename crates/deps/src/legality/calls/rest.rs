//! What a call does not touch, and what it does.

use super::parts::{Begun, Part, Parts};
use super::{Judged, fault};
use crate::Result;
use crate::legality::Clause;
use farkas_poly::{DimType, Map};
use farkas_scop::blas::{Call, Contract};
use farkas_scop::{AccessKind, ArrayId, Scop, Statement, StmtId};

/// What is wrong with the other statements, or with the date of the call; its statement where nothing is.
pub(super) fn first_fault(original: &Scop, changed: &Scop, call: &Call) -> Judged<StmtId> {
    let wrong = |name: &str, clause| Ok(Err(fault(name, clause)));
    let is_same = original.params() == changed.params()
        && original.context() == changed.context()
        && original.arrays() == changed.arrays();
    if !is_same {
        return wrong(changed.name(), Clause::Parameters);
    }
    let is_member = |id: StmtId| call.members.iter().any(|member| member.stmt == id);
    let kept: Vec<&Statement> = original
        .stmts()
        .iter_enumerated()
        .filter(|(id, _)| !is_member(*id))
        .map(|(_, s)| s)
        .collect();
    for stmt in &kept {
        let now = changed.stmt_by_name(&stmt.name).map(|id| &changed.stmts()[id]);
        let is_kept =
            now.is_some_and(|now| Statement { date: stmt.date.clone(), ..now.clone() } == **stmt);
        if !is_kept {
            return wrong(&stmt.name, Clause::Body);
        }
    }
    let made = changed.stmt_by_name(&call.stmt);
    let Some(made) = made.filter(|_| changed.stmts().len() == kept.len() + 1) else {
        return wrong(&call.stmt, Clause::Statements);
    };
    let stmt = &changed.stmts()[made];
    let instances = changed.domain_of(made)?;
    if !stmt.is_call() || !instances.is_equal(&call.instances)? {
        return wrong(&call.stmt, Clause::CallInstances);
    }
    let date = stmt.date.intersect_domain(&instances)?;
    let mut is_apart = date.is_injective()?;
    for (id, other) in changed.stmts().iter_enumerated().filter(|(id, _)| *id != made) {
        let others = other.date.intersect_domain(&changed.domain_of(id)?)?.range()?;
        is_apart &= others.is_disjoint(&date.range()?)?;
    }
    if !is_apart {
        return wrong(&call.stmt, Clause::Dates);
    }
    Ok(Ok(made))
}

/// What is wrong with the accesses of the call: it is to write just what it updates, and to read all that it takes.
pub(super) fn first_wrong_access(
    parts: &Parts<'_>,
    (call, contract): (&Call, &Contract),
    (changed, made): (&Scop, StmtId),
) -> Judged<()> {
    let stmt = &changed.stmts()[made];
    let wrong = || Ok(Err(fault(&call.stmt, Clause::CallAccesses)));
    let is_known = stmt
        .accesses
        .iter()
        .all(|access| matches!(access.kind, AccessKind::Read | AccessKind::MustWrite));
    let Some(written) = all(stmt, call, AccessKind::MustWrite, parts.target)? else {
        return wrong();
    };
    let writes_others = stmt
        .accesses
        .iter()
        .any(|access| access.kind == AccessKind::MustWrite && access.array != parts.target);
    if !is_known || writes_others || !written.is_equal(&contract.updated)? {
        return wrong();
    }
    for part in &parts.all {
        if !part.target.apply_domain(part.calls)?.is_subset(&written)? {
            return wrong();
        }
    }
    let mut taken = parts.same.clone();
    for part in &parts.all {
        taken.extend(read(part)?);
    }
    if call.beta.is_some() || contract.in_place.is_some() {
        taken.push((parts.target, contract.updated.clone()));
    }
    for (array, elements) in taken {
        let Some(reads) = all(stmt, call, AccessKind::Read, array)? else { return wrong() };
        if !elements.is_subset(&reads)? {
            return wrong();
        }
    }
    Ok(Ok(()))
}

/// From the call's instances to what a statement reads of operands. The contract's products and diagonal are no others.
fn read(part: &Part<'_>) -> Result<Vec<(ArrayId, Map)>> {
    let mut found = Vec::new();
    let products = part.products.iter().flat_map(|product| &product.elements);
    let mut elements: Vec<(ArrayId, &Map)> = products.map(|(array, map)| (*array, map)).collect();
    if let Begun::Divided(array, map) | Begun::ByElement(array, map) = &part.begun {
        elements.push((*array, map));
    }
    for (array, map) in elements {
        found.push((array, map.apply_domain(part.calls)?));
    }
    Ok(found)
}

/// From the call's instances to all elements of an array that its statement touches in a way; none where there are none.
fn all(stmt: &Statement, call: &Call, kind: AccessKind, array: ArrayId) -> Result<Option<Map>> {
    let mut found: Option<Map> = None;
    for access in stmt.accesses.iter().filter(|a| a.kind == kind && a.array == array) {
        debug_assert_eq!(access.relation.tuple_name(DimType::In).as_deref(), Some(&*call.stmt));
        let one = access.relation.intersect_domain(&call.instances)?;
        found = Some(match found {
            Some(found) => found.union(&one)?,
            None => one,
        });
    }
    Ok(found)
}
