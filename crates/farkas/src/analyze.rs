//! What is known of a scop before its order is decided: dependences, and what may be used again.

use crate::{Error, Options, Session};
use farkas_deps::{DependenceOptions, Dependences, FlowBy, Locality, LocalityOptions};
use farkas_poly::with_budget;
use farkas_scop::Scop;

/// isl operations that dependences may take; flow by value can take very many where subscripts and guards divide.
const MAX_FLOW_OPERATIONS: u64 = 2_000_000;

/// isl operations that dependences by memory may take: there are as many as pairs of accesses, and nothing takes their place.
const MAX_PAIR_OPERATIONS: u64 = 10_000_000;

/// The dependences of a scop. When flow by value takes too much work, flow by memory, which holds more pairs, takes its
/// place, and a warning says so.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn analyze(
    scop: &Scop,
    options: &Options,
    session: &mut Session,
) -> Result<Dependences, Error> {
    let find = |flow| {
        let choice = DependenceOptions { flow, input: options.strategy.needs_input() };
        let most = match flow {
            FlowBy::Value => MAX_FLOW_OPERATIONS,
            FlowBy::Memory => MAX_PAIR_OPERATIONS,
        };
        with_budget(most, || farkas_deps::dependences(scop, choice))
    };
    match session.run("dependences", || find(options.flow)) {
        Err(farkas_deps::Error::OutOfBudget) if options.flow == FlowBy::Value => {
            session.warn("flow by value takes too much work; flow by memory takes its place");
            Ok(session.run("dependences", || find(FlowBy::Memory))?)
        }
        result => Ok(result?),
    }
}

/// What a schedule of a scop with these dependences may use again. What takes too much work to find is left out, and a
/// warning says so.
///
/// # Errors
/// When isl refuses.
pub fn reuse(scop: &Scop, deps: &Dependences, session: &mut Session) -> Result<Locality, Error> {
    let options = LocalityOptions::default();
    let found = session.run("locality", || farkas_deps::locality(scop, deps, &options))?;
    if found.n_skipped > 0 {
        let n = found.n_skipped;
        session
            .warn(format!("reuse of {n} groups of references takes too much work; it is left out"));
    }
    Ok(found)
}
