//! Other storage: places of their own for the values of temporaries, and buffers in their place where iterations use parts of their own.

mod contraction;
mod limits;

pub use contraction::Contract;
pub use limits::limits;

use crate::{Error, Remark, Result};
use farkas_deps::Dependences;
use farkas_scop::{
    Access, Array, ArrayScope, AssignOp, BodyStmt, Expr, Scop, ScopBuilder, Statement, StmtId,
};
use farkas_steps::{Expand, Expansion};

/// A scop with other storage, and the steps that lead to it.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The scop.
    pub scop: Scop,
    /// The steps, which name arrays of the scop before.
    pub steps: Vec<Expand>,
}

/// The scop with places of their own for values of temporaries, by the scop's dependences; `None` where nothing changes. Scalars live
/// in elements where their values end up, if they may; an expanded array has no more dimensions than the largest array of the scop.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn expand_storage(
    scop: &Scop,
    deps: &Dependences,
    remarks: &mut Vec<Remark>,
) -> Result<Option<Expanded>> {
    let mut expansion = Expansion::new(scop);
    let most = scop.arrays().iter().map(Array::rank).max();
    let mut steps = Vec::new();
    for web in expansion.webs(deps)? {
        let array = expansion.address(&web);
        let (text, step) = match expansion.into_elements(&web, |_| true)? {
            Some(done) => done,
            None => match expansion.into_array(&web, most)? {
                Some(text) => (text, Expand { array, into: None }),
                None => continue,
            },
        };
        let stmts = web.stmts.iter().map(|stmt| scop.stmts()[*stmt].name.clone()).collect();
        remarks.push(Remark { pass: "expand", stmts, text });
        steps.push(step);
    }
    Ok(expansion.done()?.map(|scop| Expanded { scop, steps }))
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

/// The scop of these parts.
fn built(builder: ScopBuilder) -> Result<Scop> {
    builder.build().map_err(Error::Scop)
}
