//! Statements that something comes of.

use farkas_base::IdVec;
use farkas_deps::{DependenceKind, Dependences};
use farkas_scop::{Scop, StmtId};

/// For each statement whether what it writes may be read after the region, or by another statement of which that holds.
pub(crate) fn live(scop: &Scop, deps: &Dependences) -> IdVec<StmtId, bool> {
    let mut live = scop.stmts().map(|stmt| {
        let mut written = stmt.accesses.iter().filter(|access| access.kind.is_write());
        let any_is_read = written.any(|access| scop.arrays()[access.array].is_live_out);
        any_is_read || !stmt.accesses.iter().any(|access| access.kind.is_write())
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
