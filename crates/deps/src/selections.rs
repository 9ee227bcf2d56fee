//! The selections of a scop: statements that keep the first of the greatest or least values, and what comes with it.

use crate::Result;
use crate::reductions::{ReductionForm, ReductionUpdate, loops};
use farkas_scop::{AccessId, ArrayId, BinaryOp, Reassociation, Scop};

/// A statement that selects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selected {
    /// The array of the values that it compares.
    pub array: ArrayId,
    /// The arrays of what comes with them.
    pub with: Vec<ArrayId>,
    /// Which value it keeps: the greatest, or the least, and the first or the last of equal ones.
    pub which: &'static str,
    /// Whether it may run in parts that are combined in their order.
    pub in_parts: bool,
    /// The statement, with the elements that it keeps values in.
    pub update: ReductionUpdate,
}

/// The selections of a scop that loops repeat, in its order.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn selections(scop: &Scop) -> Result<Vec<Selected>> {
    let mut found = Vec::new();
    for (stmt, statement) in scop.stmts().iter_enumerated() {
        let Some(selection) = statement.selection(scop.arrays()) else { continue };
        let target = selection.key.target;
        let is_own = |access: AccessId| selection.kept().any(|kept| kept.has(access));
        let elements = statement.accesses[target].relation.clone();
        let elements = elements.intersect_domain(&scop.domain_of(stmt)?)?;
        let update = ReductionUpdate { stmt, elements, loops: loops(statement, target, is_own)? };
        if update.form() == ReductionForm::None {
            continue;
        }
        let of = |target: AccessId| statement.accesses[target].array;
        found.push(Selected {
            array: of(target),
            with: selection.others.iter().map(|kept| of(kept.target)).collect(),
            which: which(selection.op),
            in_parts: selection.is_harmless() && scop.reassociation() != Reassociation::Kept,
            update,
        });
    }
    Ok(found)
}

/// Which value is kept where new ones compare so with it.
fn which(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Gt => "first greatest",
        BinaryOp::Ge => "last greatest",
        BinaryOp::Lt => "first least",
        _ => "last least",
    }
}
