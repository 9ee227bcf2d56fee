//! Expansion: a place for each value that a program keeps in one place, one after another.
//!
//! Loops that set a temporary before they use it are kept in order by nothing but the temporary's place. Here each value gets one of its
//! own, so that loops may be interchanged, tiled and cut apart that share a temporary:
//!
//! - A scalar whose value ends up in an element lives in that element from the start, where nothing else needs it meanwhile
//!   ([`homes`]): of `w = A[i][j]; w -= ...; A[i][j] = w` there remains `A[i][j] -= ...`.
//! - Everything else gets an array with a dimension for each loop that keeps values apart: `t[p]` becomes `t_i_j[i][j][p]`. What
//!   code after the region reads is copied back.
//!
//! What may be expanded is what [`webs`] finds. Legal where every read still gets its value from the same write, which
//! [`check_storage`](farkas_deps::legality::check_storage) proves.
//!
//! **Paper** P. Feautrier, *Array expansion*, ICS 1988. Ours expands by the loops that matter alone; what lives in another
//! array's elements is A. W. Appel and L. George's coalescing of copies (*Iterated register coalescing*, TOPLAS 1996) for arrays.

mod contraction;
mod homes;
mod limits;
mod places;

pub use contraction::Contract;
pub use limits::limits;

use crate::register::names_of;
use crate::{Error, Remark, Result};
use farkas_base::NameGenerator;
use farkas_deps::{Dependences, Web, webs};
use farkas_scop::{
    Access, ArrayScope, AssignOp, BodyStmt, Expr, Scop, ScopBuilder, Statement, StmtId,
};

/// The scop with places of their own for values of temporaries, by the scop's dependences; `None` where nothing changes. An
/// expanded array has no more dimensions than the largest array of the scop.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn expand_storage(
    scop: &Scop,
    deps: &Dependences,
    remarks: &mut Vec<Remark>,
) -> Result<Option<Scop>> {
    let mut changed = scop.clone();
    let mut names = NameGenerator::new(names_of(scop));
    for web in webs(scop, deps)?.iter().filter(|web| has_single_assignments(scop, web)) {
        let (new, what) = match homes::coalesced(&changed, web)? {
            Some(coalesced) => coalesced,
            None => match places::expanded(&changed, web, &mut names)? {
                Some(expanded) => expanded,
                None => continue,
            },
        };
        changed = new;
        let stmts = web.stmts.iter().map(|stmt| scop.stmts()[*stmt].name.clone()).collect();
        remarks.push(Remark { pass: "expand", stmts, text: what });
    }
    if changed.is_same(scop) {
        return Ok(None);
    }
    without_copies_to_themselves(scop, &changed).map(Some)
}

/// The statements of a scop that copy back what expanded arrays hold: nothing uses what they write.
pub fn copies_back(scop: &Scop) -> Vec<StmtId> {
    let scope = |access: &Access| scop.arrays()[access.array].scope;
    let copies = |stmt: &Statement| {
        let [BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }] =
            stmt.body.as_slice()
        else {
            return false;
        };
        let reads = matches!(value, Expr::Access(read) if scope(&stmt.accesses[*read]) == ArrayScope::Expanded);
        // The user's own statements have places in the source.
        let is_own = |scope| matches!(scope, ArrayScope::Expanded | ArrayScope::Buffer);
        stmt.span.is_none() && reads && !is_own(scope(&stmt.accesses[*target]))
    };
    scop.stmts().iter_enumerated().filter(|(_, stmt)| copies(stmt)).map(|(id, _)| id).collect()
}

/// Whether each statement of a web is one assignment.
fn has_single_assignments(scop: &Scop, web: &Web) -> bool {
    let is_single =
        |stmt: &StmtId| matches!(scop.stmts()[*stmt].body.as_slice(), [BodyStmt::Assign { .. }]);
    web.stmts.iter().all(is_single)
}

/// The scop without statements that copy an element to itself and did something else in `original`.
fn without_copies_to_themselves(original: &Scop, scop: &Scop) -> Result<Scop> {
    let mut builder = scop.to_builder();
    builder.stmts = farkas_base::IdVec::new();
    for stmt in scop.stmts() {
        let old = original.stmt_by_name(&stmt.name).map(|id| &original.stmts()[id]);
        let was_other = old.is_some_and(|old| old.accesses != stmt.accesses);
        if !(was_other && copies_to_itself(stmt)?) {
            builder.stmts.push(stmt.clone());
        }
    }
    built(builder)
}

/// Whether a statement copies an element to itself.
fn copies_to_itself(stmt: &Statement) -> Result<bool> {
    let [BodyStmt::Assign { target, op: AssignOp::Set, read: None, value: Expr::Access(read) }] =
        stmt.body.as_slice()
    else {
        return Ok(false);
    };
    let (to, from) = (&stmt.accesses[*target], &stmt.accesses[*read]);
    Ok(to.array == from.array && to.relation.is_equal(&from.relation)?)
}

/// The scop of these parts.
fn built(builder: ScopBuilder) -> Result<Scop> {
    builder.build().map_err(Error::Scop)
}
