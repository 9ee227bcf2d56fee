//! Does a call of a routine compute what the statements do that it takes the place of?
//!
//! A scop in which a statement calls a routine is judged against the one with the statements. Nothing that the call says of them is believed:
//!
//! 1. **The rest** ([`rest`]): all other statements are as they were, and the call's accesses are those of its definition.
//! 2. **Instances** ([`parts`]): each instance of the statements belongs to one of the call's.
//! 3. **Sums** ([`sums`]): the products that the statements add are those of the routine's definition
//!    ([`farkas_scop::blas::Contract`]), each as many times, by the same factor; what is multiplied or set before them, too.
//! 4. **Time** ([`times`]): in the original's order among the statements themselves, what is set is set before anything is added to it, operands are
//!    not written meanwhile, and those of triangular matrices are read when the routine reads them.
//! 5. **Order**: with the instances of a call one right after another, in the original's order, where the call is, the program computes what
//!    it did. That is [`judge`]'s own rule.
//!
//! In which order the routine adds, and whether it reads what it multiplies by zero, is its own affair: who asks for calls grants that.

mod parts;
mod rest;
mod sums;
mod times;

use super::refinement::{Judged, fault, sound, verdict};
use super::{Clause, DEFAULT_BUDGET, Verdict, judge};
use crate::Result;
use farkas_poly::{DimType, Map, PwAff, UnionPwAff};
use farkas_scop::blas::Call;
use farkas_scop::{Scop, Statement};
use farkas_tree::{Band, Member, ScheduleTree};
use parts::Parts;

/// Judges whether `changed`, in which `call` takes the place of statements of `original`, computes in its own order what that does, within
/// [`DEFAULT_BUDGET`].
///
/// # Errors
/// When isl refuses or the budget is used up.
pub fn check_call(original: &Scop, changed: &Scop, call: &Call) -> Result<Verdict> {
    farkas_poly::with_budget(DEFAULT_BUDGET, || verdict(judged(original, changed, call)))
}

/// The same without a budget of its own.
fn judged(original: &Scop, changed: &Scop, call: &Call) -> Judged<Verdict> {
    let parts = sound!(Parts::of(original, call));
    let contract = call.contract(original)?;
    let made = sound!(rest::first_fault(original, changed, call));
    sound!(sums::first_fault(&parts, call, &contract));
    sound!(times::first_fault(&parts, call, &contract));
    sound!(rest::first_wrong_access(&parts, (call, &contract), (changed, made)));
    let tree = sound!(contracted(original, changed, call));
    Ok(Ok(judge(original, &tree, DEFAULT_BUDGET)?))
}

/// The original's instances in the order of the changed scop, those of one call one right after another.
fn contracted(original: &Scop, changed: &Scop, call: &Call) -> Judged<ScheduleTree> {
    let mut members: Vec<Vec<PwAff>> = Vec::new();
    for (id, stmt) in original.stmts().iter_enumerated() {
        let member = call.members.iter().find(|member| member.stmt == id);
        let name = member.map_or(&stmt.name, |_| &call.stmt);
        let Some(now) = changed.stmt_by_name(name) else {
            return Ok(Err(fault(name, Clause::Missing)));
        };
        let place = &changed.stmts()[now].date;
        let place = match member {
            Some(member) => member.instances.apply_range(place)?,
            None => place.clone(),
        };
        for (at, date) in dates(&place)?.into_iter().chain(dates(&stmt.date)?).enumerate() {
            match members.get_mut(at) {
                Some(known) => known.push(date),
                None => members.push(vec![date]),
            }
        }
    }
    let member = |dates: Vec<PwAff>| Ok(Member::new(UnionPwAff::union_all(dates)?, false));
    let members = members.into_iter().map(member).collect::<Result<_>>()?;
    let band = Band { members, permutable: false };
    let tree = ScheduleTree::band(band, ScheduleTree::leaf());
    Ok(Ok(ScheduleTree::domain(original.domain()?, tree)))
}

/// The dimensions of dates as functions of the instances.
fn dates(date: &Map) -> Result<Vec<PwAff>> {
    let function = date.to_pw_multi_aff()?;
    let n = i32::try_from(date.dim(DimType::Out)?).unwrap_or(i32::MAX);
    Ok((0..n).map(|at| function.at(at)).collect::<farkas_poly::Result<_>>()?)
}

/// Pairs of instances of two statements of which the first runs before the second.
fn before(first: &Statement, second: &Statement) -> Result<Map> {
    let dates = first.date.range()?.space()?;
    let later = first.date.apply_range(&Map::lex_lt(&dates)?)?;
    Ok(later.apply_range(&second.date.reverse()?)?)
}
