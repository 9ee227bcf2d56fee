//! Calls of BLAS routines in the place of statements that compute the same, found by what these read, write and add.
//!
//! What is looked at are relations, never how loops are written: for a statement that adds products of two elements ([`group`]), the boxes
//! that its accesses run through are taken for matrices and vectors ([`shape`]), and each form of each routine that has such operands is
//! tried ([`forms`]). The legality check decides ([`farkas_deps::legality::check_call`]).

mod dates;
mod forms;
mod group;
mod shape;
mod statement;
mod text;

use crate::{Remark, Result};
use farkas_deps::Verdict;
use farkas_deps::legality::{self, Clause, Fault};
use farkas_scop::blas::{Call, Routine};
use farkas_scop::{Scop, StmtId};
use group::Group;

pub use dates::in_order_of;
pub use statement::sizes_that_fit;

/// The name of the pass in remarks.
const PASS: &str = "blas";

/// A scop with one more call.
#[derive(Clone, Debug)]
pub struct Called {
    /// The scop.
    pub scop: Scop,
    /// The call.
    pub call: Call,
    /// The names of the statements that it takes the place of.
    pub stmts: Vec<String>,
}

impl Called {
    /// What was done, for people.
    pub fn remark(&self) -> Remark {
        let text = format!("a call of {} computes it", text::function(&self.scop, &self.call));
        Remark { pass: PASS, stmts: self.stmts.clone(), text }
    }
}

/// The first call, in the order of the scop's statements, that can take the place of some of them, proved; why others cannot, where a
/// statement nearly is one, is added to `remarks`.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn find_call(scop: &Scop, remarks: &mut Vec<Remark>) -> Result<Option<Called>> {
    remarks.clear();
    for stmt in scop.stmts().ids() {
        let mut refusal: Option<Refusal> = None;
        let groups = group::groups(scop, stmt)?;
        if let Some(found) = first(scop, &groups, &mut refusal)? {
            return Ok(Some(found));
        }
        remarks.extend(refusal.map(|refusal| refusal.remark(scop, stmt)));
    }
    Ok(None)
}

/// The first call in the place of one of some groups.
fn first(scop: &Scop, groups: &[Group], refusal: &mut Option<Refusal>) -> Result<Option<Called>> {
    for group in groups {
        for call in forms::calls(scop, group)? {
            let changed = match statement::with_call(scop, group, &call)? {
                Ok(changed) => changed,
                Err(why) => {
                    Refusal::note(refusal, call.form.routine, 1, why);
                    continue;
                }
            };
            match legality::check_call(scop, &changed, &call)? {
                Verdict::Legal => {
                    let name = |stmt: StmtId| scop.stmts()[stmt].name.clone();
                    let stmts = call.members.iter().map(|member| name(member.stmt)).collect();
                    return Ok(Some(Called { scop: changed, call, stmts }));
                }
                Verdict::Illegal(found) => {
                    let rank = rank(&found.fault);
                    Refusal::note(refusal, call.form.routine, rank, found.to_string());
                }
            }
        }
    }
    Ok(None)
}

/// How near a call is to what a routine does that is refused for this reason; nothing like it at zero.
fn rank(fault: &Fault) -> u32 {
    match fault {
        Fault::Program { clause: Clause::CallProducts | Clause::CallFactors, .. } => 0,
        Fault::Program { clause: Clause::CallScaled, .. } => 2,
        Fault::Program { .. } => 3,
        _ => 4,
    }
}

/// Why a statement that is nearly a call is none: of what was tried, what came nearest, first.
struct Refusal {
    routine: Routine,
    rank: u32,
    why: String,
}

impl Refusal {
    /// Keeps the reason of what is nearest.
    fn note(known: &mut Option<Self>, routine: Routine, rank: u32, why: String) {
        if rank > known.as_ref().map_or(0, |known| known.rank) {
            *known = Some(Self { routine, rank, why });
        }
    }

    /// For people.
    fn remark(self, scop: &Scop, stmt: StmtId) -> Remark {
        let text = format!("no call of {}: {}", self.routine, self.why);
        Remark { pass: PASS, stmts: vec![scop.stmts()[stmt].name.clone()], text }
    }
}
