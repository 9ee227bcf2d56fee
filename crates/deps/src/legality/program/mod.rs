//! Programs with buffers: does a program compute what the scop computes that it was made from?
//!
//! Two things are shown. The instances of the statements that stand for the original's are the original's, each once, and their
//! order, without what fills and empties buffers, is legal for its own accesses ([`unbuffered`]). And each buffer is a faithful copy while it is used ([`buffers`]), so that reading
//! it in the place of the array makes no difference: bodies are compared with the original ones, with buffers looked through
//! ([`bodies`]). Where the program was made from a scop with other storage, that is judged first, against the original
//! ([`storage`](super::storage)); where iterations of loops have buffers in the place of its new arrays, that is judged last
//! ([`contraction`]), for the parameters that the program's context has, which may be fewer. Buffers that are no copies stand for scalars, a cell for each iteration of a loop ([`expanded`]).

mod bodies;
mod buffers;
mod contraction;
mod expanded;
mod unbuffered;

use super::counterexample::{Counterexample, Fault};
use super::{DEFAULT_BUDGET, Verdict, check_storage, judge, plan};
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
    let original = match &program.storage {
        None => original,
        Some(changed) => match check_storage(original, changed)? {
            Verdict::Legal => changed,
            fault @ Verdict::Illegal(_) => return Ok(fault),
        },
    };
    if let Some(before) = &program.before_contraction {
        let (scop, before_contraction) = (before.clone(), None);
        let whole = Program { scop, before_contraction, storage: None, ..program.clone() };
        let Some(original) = narrowed(original, before)? else {
            let found = fault(original.name(), "its parameters are others");
            return Ok(Verdict::Illegal(Box::new(found)));
        };
        let verdict = judge_program(&original, &whole)?;
        if !verdict.is_legal() {
            return Ok(verdict);
        }
        return Ok(match contraction::first_fault(before, program)? {
            None => Verdict::Legal,
            Some(found) => Verdict::Illegal(Box::new(found)),
        });
    }
    if program.scop == *original {
        return judge(original, &program.tree, DEFAULT_BUDGET);
    }
    match fault_of(original, program)? {
        Ok(verdict) => Ok(verdict),
        Err(found) => Ok(Verdict::Illegal(Box::new(found))),
    }
}

/// The original for the parameters in the context of another scop, of which it has all; those alone are judged then.
fn narrowed(original: &Scop, scop: &Scop) -> Result<Option<Scop>> {
    if !scop.context().is_subset(original.context())? {
        return Ok(None);
    }
    let mut builder = original.to_builder();
    builder.context = scop.context().clone();
    Ok(builder.build().ok())
}

/// The verdict on a program with another scop than the original's, or what is wrong with its statements.
fn fault_of(
    original: &Scop,
    program: &Program,
) -> Result<std::result::Result<Verdict, Counterexample>> {
    let origins = match unbuffered::Origins::of(original, program)? {
        Err(found) => return Ok(Err(found)),
        Ok(origins) => origins,
    };
    let unbuffered = match origins.scop(original, &program.scop)? {
        Err(found) => return Ok(Err(found)),
        Ok(scop) => scop,
    };
    let expansions = match expanded::Expansions::of(original, &program.scop, &origins)? {
        Err(found) => return Ok(Err(found)),
        Ok(expansions) => expansions,
    };
    let prepared = Prepared::of(&program.scop)?;
    let plan = match plan::plan(&program.scop, &prepared, &program.tree)? {
        Err(found) => return Ok(Err(found)),
        Ok(plan) => plan,
    };
    let buffers = buffers::Judge {
        original,
        scop: &program.scop,
        prepared: &prepared,
        plan: &plan,
        origins: &origins,
        expansions: &expansions,
    };
    let judged = match expansions.is_empty() {
        true => unbuffered,
        false => {
            match expansions.scop(original, &unbuffered, &program.scop, &buffers.sessions()?)? {
                Err(found) => return Ok(Err(found)),
                Ok(expanded) => expanded,
            }
        }
    };
    let verdict = judge(&judged, &origins.tree(&program.tree)?, DEFAULT_BUDGET)?;
    if !verdict.is_legal() {
        return Ok(Ok(verdict));
    }
    Ok(match buffers.first_fault()? {
        None => Ok(Verdict::Legal),
        Some(found) => Err(found),
    })
}

/// The counterexample that something about a statement or a buffer is not as it must be.
fn fault(name: &str, reason: &'static str) -> Counterexample {
    let fault = Fault::Program { name: name.to_owned(), reason };
    Counterexample { params: Vec::new(), fault }
}
