//! The refinement rule: does a program compute what the scop computes that it was made from?
//!
//! One rule covers whatever steps made the program: other orders, statements cut in pieces, tiles counted in front of instances, values
//! in other places, buffers that hold copies. It judges the program against the scop alone and knows of no step. The scop's
//! statements are looked for in the program, and nothing that the program says of itself is believed:
//!
//! 1. **Instances** ([`origins`]): the program's statements that stand for one of the scop's have its instances, each once, behind
//!    dimensions of their own. All others copy.
//!    Those that gather partial results ([`partials`]) go, and with them the statements that begin and combine these: what they update are
//!    the elements that these are combined with.
//! 2. **Copies** ([`copies`]): a buffer that copies fill is a faithful copy while it is used, and what is written to it goes back.
//!    Copies of copies are copies. Iterations may update copies of a buffer ([`updated`]) as they may of an array. Where cells are
//!    filled again, each use has what was filled last ([`refills`]).
//!    What pads tiles ([`ghosts`]) runs beyond instances, and touches buffers alone there, never what instances touch.
//! 3. **Bodies** ([`bodies`]): with these copies looked through, each statement computes what the scop's does from its accesses.
//!    That gives the place of each access: where the scop has it, or elsewhere. Where data chooses the element ([`chosen`]), as in
//!    `count[x[i]]`, it does so alike.
//! 4. **Values** ([`places`], [`values`]): where accesses go elsewhere, each read gets its value from the same write as in the
//!    scop, in the scop's order, through copies of single values; so does code after the region.
//! 5. **Order** ([`judge`]): with all accesses at these places, the tree keeps what there is to keep, as for any scop; what runs in
//!    parallel is unordered.
//!
//! Each clause has a name ([`Clause`]). All holds for the parameters of the program's context, which may be fewer than the
//! scop's.
//!
//! **Paper** the fourth is dataflow equivalence: P. Feautrier, *Array expansion*, ICS 1988, for what storage has to do with
//! dataflow. The copies are those of register tiles and packed operands, which he does not have.

mod bodies;
mod chosen;
mod copies;
mod ghosts;
mod origins;
mod partials;
mod places;
mod refills;
mod selections;
mod updated;
mod values;

use super::clause::Clause;
use super::counterexample::{Counterexample, Fault};
use super::races::first_race;
use super::{DEFAULT_BUDGET, Verdict, judge, judge_but, plan};
use crate::analysis::Prepared;
use crate::{Error, Result};
use copies::Copies;
use farkas_poly::{Set, UnionSet};
use farkas_scop::Scop;
use farkas_tree::{Program, ScheduleTree};
use origins::Origins;
use partials::Gathered;
use places::Places;
use std::collections::BTreeMap;

/// What was asked for, or what is wrong.
pub(super) type Judged<T> = Result<std::result::Result<T, Counterexample>>;

/// Unwraps what was judged; returns what is wrong.
macro_rules! sound {
    ($judged:expr) => {
        match $judged? {
            Ok(value) => value,
            Err(found) => return Ok(Err(found)),
        }
    };
}
pub(super) use sound;

/// Judges `program` against the scop that it was made from, within [`DEFAULT_BUDGET`].
///
/// # Errors
/// As for [`check`](super::check).
pub fn check_program(original: &Scop, program: &Program) -> Result<Verdict> {
    farkas_poly::with_budget(DEFAULT_BUDGET, || verdict(refined(original, program)))
}

/// Judges whether `changed` computes in its original order what `original` does: the rule for a program that has no other order.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn check_storage(original: &Scop, changed: &Scop) -> Result<Verdict> {
    verdict(in_own_order(original, changed))
}

/// What is judged, as a verdict. Where a budget is used up, what looks like a fault may be what could not be built any more.
pub(super) fn verdict(judged: Judged<Verdict>) -> Result<Verdict> {
    match judged? {
        Ok(verdict) => Ok(verdict),
        Err(_) if farkas_poly::left() == Some(0) => Err(Error::OutOfBudget),
        Err(found) => Ok(Verdict::Illegal(Box::new(found))),
    }
}

/// The rule for a program in the order of its tree.
fn refined(original: &Scop, program: &Program) -> Judged<Verdict> {
    let scop = &program.scop;
    if let Some(found) = first_race(scop, &program.tree)? {
        return Ok(Err(found));
    }
    if scop == original && !ghosts::has_ghosts(&program.tree) {
        return Ok(Ok(judge(original, &program.tree, DEFAULT_BUDGET)?));
    }
    let original = &sound!(narrowed(original, scop));
    let origins = sound!(Origins::of(original, scop, &program.origins));
    let prepared = Prepared::of(scop)?;
    let plan = sound!(plan::plan(scop, &prepared, &program.tree));
    let gathered = sound!(Gathered::of((original, program), &prepared, &plan, &origins));
    let Some(without) = gathered.without() else {
        let known = Known { prepared: &prepared, plan: &plan, origins: &origins };
        let (ordered, tree) = sound!(in_order(original, program, &known));
        return Ok(Ok(judge(&ordered, &tree, DEFAULT_BUDGET)?));
    };
    // The same program with fewer arrays and statements.
    let origins = sound!(Origins::of(original, &without.scop, &without.origins));
    let prepared = Prepared::of(&without.scop)?;
    let plan = sound!(plan::plan(&without.scop, &prepared, &without.tree));
    let known = Known { prepared: &prepared, plan: &plan, origins: &origins };
    let (ordered, tree) = sound!(in_order(original, without, &known));
    sound!(gathered.first_fault(&ordered));
    Ok(Ok(judge_but(&ordered, &tree, DEFAULT_BUDGET, &gathered.names())?))
}

/// What is known of a program.
struct Known<'a> {
    prepared: &'a Prepared,
    plan: &'a plan::Plan,
    origins: &'a Origins,
}

/// The original over a program's instances, with all accesses where the program has them, and the program's order of these; what is wrong
/// with everything but the order.
fn in_order(original: &Scop, program: &Program, known: &Known<'_>) -> Judged<(Scop, ScheduleTree)> {
    let copies = sound!(Copies::of(original, known.prepared, known.plan, known.origins));
    if let Some(found) = copies.first_fault()? {
        return Ok(Err(found));
    }
    if let Some(found) = updated::first_fault(&copies) {
        return Ok(Err(found));
    }
    if let Some(found) = ghosts::first_fault(&copies, &program.tree)? {
        return Ok(Err(found));
    }
    let places = sound!(Places::of(original, known.origins, &copies));
    if let Some(found) = places.first_fault()? {
        return Ok(Err(found));
    }
    let mut kept = Vec::new();
    for stmt in places.ordered() {
        kept.push(Set::universe(&stmt.domain.space()?)?);
    }
    let tree = program.tree.restricted_to(&UnionSet::union_all(kept)?)?;
    let ordered = sound!(places.scop_in_order());
    let tree = updated::at_home(&tree, &copies, &ordered);
    Ok(Ok((ordered, tree)))
}

/// The rule for a scop in its original order.
fn in_own_order(original: &Scop, changed: &Scop) -> Judged<Verdict> {
    let original = &sound!(narrowed(original, changed));
    let origins = sound!(Origins::of(original, changed, &BTreeMap::new()));
    for origin in origins.iter() {
        let (old, new) = (&original.stmts()[origin.stmt], &changed.stmts()[origin.now]);
        if origin.n_added > 0 || !old.date.is_equal(&new.date)? {
            return Ok(Err(fault(&old.name, Clause::Dates)));
        }
    }
    let prepared = Prepared::of(changed)?;
    let copies = sound!(Copies::none(original, &prepared, &origins));
    if let Some(found) = copies.first_fault()? {
        return Ok(Err(found));
    }
    let places = sound!(Places::of(original, &origins, &copies));
    Ok(match places.first_fault()? {
        None => Ok(Verdict::Legal),
        Some(found) => Err(found),
    })
}

/// The original for the parameters of another scop's context, of which it has all.
fn narrowed(original: &Scop, scop: &Scop) -> Judged<Scop> {
    let has_same = original.params() == scop.params();
    if !has_same || !scop.context().is_subset(original.context())? {
        return Ok(Err(fault(original.name(), Clause::Parameters)));
    }
    let mut builder = original.to_builder();
    builder.context = scop.context().clone();
    Ok(builder.build().map_err(|_| fault(original.name(), Clause::Parameters)))
}

/// What is wrong with a statement or an array.
pub(super) fn fault(name: &str, clause: Clause) -> Counterexample {
    Counterexample { params: Vec::new(), fault: Fault::Program { name: name.to_owned(), clause } }
}
