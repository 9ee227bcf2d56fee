//! What is known of the values of an array.

use crate::Result;
use farkas_deps::{Dependence, DependenceKind, Dependences};
use farkas_scop::{AccessKind, ArrayId, Scop};

/// Whether each read of an array finds a value that the region has set.
pub(crate) fn finds_all_values(scop: &Scop, deps: &Dependences, array: ArrayId) -> Result<bool> {
    for (stmt, statement) in scop.stmts().iter_enumerated() {
        for (at, access) in statement.accesses.iter_enumerated() {
            if access.array != array
                || matches!(access.kind, AccessKind::MustWrite | AccessKind::Kill)
            {
                continue;
            }
            if access.kind != AccessKind::Read {
                return Ok(false);
            }
            let into = |dep: &&Dependence| {
                dep.kind == DependenceKind::Flow && (dep.sink, dep.sink_access) == (stmt, at)
            };
            let mut left = scop.domain_of(stmt)?;
            for dep in deps.deps.iter().filter(into) {
                left = left.subtract(&dep.relation.range()?)?;
            }
            if !left.is_empty()? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
