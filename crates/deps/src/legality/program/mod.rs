//! Programs with buffers: does a program compute what the scop computes that it was made from?
//!
//! Two things are shown. The order of the original instances, without what fills and empties buffers, is legal for the original
//! scop with its own accesses ([`unbuffered`]). And each buffer is a faithful copy while it is used ([`buffers`]), so that reading
//! it in the place of the array makes no difference: bodies are compared with the original ones, with buffers looked through
//! ([`bodies`]).

mod bodies;
mod buffers;
mod unbuffered;

use super::counterexample::{Counterexample, Fault};
use super::{DEFAULT_BUDGET, Verdict, judge, plan};
use crate::Result;
use crate::analysis::Prepared;
use farkas_scop::Scop;
use farkas_tree::Program;

/// Judges `program` against the scop that it was made from, within [`DEFAULT_BUDGET`].
///
/// # Errors
/// As for [`check`](super::check).
pub fn check_program(original: &Scop, program: &Program) -> Result<Verdict> {
    farkas_poly::with_budget(DEFAULT_BUDGET, || judge_program(original, program))
}

/// Judges without a budget of its own.
fn judge_program(original: &Scop, program: &Program) -> Result<Verdict> {
    if program.scop == *original {
        return judge(original, &program.tree, DEFAULT_BUDGET);
    }
    let found = match unbuffered::Origins::of(original, program)? {
        Err(found) => found,
        Ok(origins) => {
            let tree = origins.tree(&program.tree)?;
            let verdict = judge(original, &tree, DEFAULT_BUDGET)?;
            if !verdict.is_legal() {
                return Ok(verdict);
            }
            let prepared = Prepared::of(&program.scop)?;
            match plan::plan(&program.scop, &prepared, &program.tree)? {
                Err(found) => found,
                Ok(plan) => {
                    let judge = buffers::Judge {
                        original,
                        scop: &program.scop,
                        prepared: &prepared,
                        plan: &plan,
                        origins: &origins,
                    };
                    match judge.first_fault()? {
                        None => return Ok(Verdict::Legal),
                        Some(found) => found,
                    }
                }
            }
        }
    };
    Ok(Verdict::Illegal(Box::new(found)))
}

/// The counterexample that something about a statement or a buffer is not as it must be.
fn fault(name: &str, reason: &'static str) -> Counterexample {
    let fault = Fault::Program { name: name.to_owned(), reason };
    Counterexample { params: Vec::new(), fault }
}
