//! Statements that something comes of.

use farkas_base::IdVec;
use farkas_deps::{DependenceKind, Dependences};
use farkas_scop::{Scop, Statement, StmtId};

/// Whether what a statement writes may be read after the region.
pub(crate) fn is_read_after(scop: &Scop, stmt: &Statement) -> bool {
    let mut written = stmt.accesses.iter().filter(|access| access.kind.is_write());
    written.any(|access| scop.arrays()[access.array].is_live_out)
}

/// For each statement whether what it writes may be read after the region, or by another statement of which that holds.
pub(crate) fn live(scop: &Scop, deps: &Dependences) -> IdVec<StmtId, bool> {
    let mut live = scop.stmts().map(|stmt| {
        is_read_after(scop, stmt) || !stmt.accesses.iter().any(|access| access.kind.is_write())
    });
    loop {
        let mut n_found = 0;
        for dep in deps.deps.iter().filter(|dep| dep.kind == DependenceKind::Flow) {
            if live[dep.sink] && !live[dep.source] {
                live[dep.source] = true;
                n_found += 1;
            }
        }
        if n_found == 0 {
            return live;
        }
    }
}
