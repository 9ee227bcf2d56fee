//! Scalars that live in the elements where their values end up.

use super::built;
use crate::Result;
use farkas_deps::Web;
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{Access, AccessKind, Expr, Scop, Statement, StmtId};

/// The written accesses that a scalar's value may end up in, with their statements: of its type, at subscripts of the loops around the
/// web alone.
pub(super) fn homes(scop: &Scop, web: &Web) -> Result<Vec<(StmtId, Access)>> {
    let mut found = Vec::new();
    for &stmt in &web.stmts {
        let statement = &scop.stmts()[stmt];
        let reads = |a: &Access| a.array == web.array && a.kind == AccessKind::Read;
        if !statement.accesses.iter().any(reads) {
            continue;
        }
        for write in statement.accesses.iter().filter(|a| a.kind == AccessKind::MustWrite) {
            let types = [web.array, write.array].map(|array| scop.arrays()[array].element.kind);
            let fits = write.array != web.array && types[0] == types[1];
            if fits && !write.subscripts.is_empty() && is_of_loops(write, web.n_common)? {
                found.push((stmt, write.clone()));
            }
        }
    }
    Ok(found)
}

/// Whether a single element is accessed, at subscripts of the first `n` iterators.
fn is_of_loops(access: &Access, n: u32) -> Result<bool> {
    let mut known = true;
    for subscript in &access.subscripts {
        subscript.walk(&mut |e| known &= !matches!(e, Expr::Iterator(at) if *at >= n));
    }
    let depth = access.relation.dim(DimType::In)?;
    let is_free = !access.relation.domain()?.involves_dims(DimType::SET, 0, depth)?;
    Ok(known && is_free && access.relation.is_single_valued()?)
}

/// The scop with the scalar's accesses going to `home`.
pub(super) fn moved(scop: &Scop, web: &Web, home: &Access) -> Result<Scop> {
    let mut builder = scop.to_builder();
    for &stmt in &web.stmts {
        let statement = &mut builder.stmts[stmt];
        let relation = for_statement(home, statement, web.n_common)?;
        for access in statement.accesses.iter_mut().filter(|a| a.array == web.array) {
            access.array = home.array;
            access.relation = relation.clone();
            access.subscripts.clone_from(&home.subscripts);
        }
    }
    built(builder)
}

/// The relation of an access at subscripts of the first `n` iterators, for another statement in the same loops.
fn for_statement(home: &Access, stmt: &Statement, n: u32) -> Result<Map> {
    let depth = home.relation.dim(DimType::In)?;
    let of_loops = home.relation.project_out(DimType::In, n, depth - n)?;
    let own = Set::universe(&stmt.domain.space()?)?.identity()?;
    let n_own = own.dim(DimType::Out)?;
    let to_loops = own.project_out(DimType::Out, n, n_own - n)?;
    Ok(to_loops.apply_range(&of_loops)?)
}
