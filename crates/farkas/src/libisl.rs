//! The strategy `libisl`: isl's own scheduler, to compare ours with. As under PPCG and under our `isl`, it fuses nothing at the
//! cost of coincident outer loops (`schedule-maximize-coincidence`).

use crate::{Error, Options};
use farkas_deps::{DependenceKind, Dependences};
use farkas_poly::{ScheduleConstraints, SchedulerOptions, UnionMap, UnionSet, with_budget};
use farkas_schedule::{FusionHeuristic, Relation, Roles};
use farkas_scop::Scop;
use farkas_tree::ScheduleTree;

/// isl operations that its scheduler may take on a few statements.
const MAX_OPERATIONS: u64 = 20_000_000;

/// Up to so many statements, an operation of its scheduler takes about as long as any.
const USUAL_STATEMENTS: u64 = 16;

/// isl operations that its scheduler may take on a scop: its integer program has unknowns for each statement, so that what is
/// copied in an operation grows as their square.
fn operations(scop: &Scop) -> u64 {
    let n = scop.stmts().len() as u64;
    let weight = n.saturating_mul(n) / (USUAL_STATEMENTS * USUAL_STATEMENTS);
    MAX_OPERATIONS / weight.max(1)
}

/// isl's schedule of a scop: all dependences but those between reads are kept and are to be coincident, flow is to be
/// close.
///
/// # Errors
/// When isl finds no schedule or takes too long.
pub(crate) fn schedule(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
) -> Result<ScheduleTree, Error> {
    let validity = UnionMap::union_all(deps.validity().map(|(_, dep)| dep.relation.clone()))?;
    let atomicity = UnionMap::union_all(deps.atomicity().map(|(_, dep)| dep.relation.clone()))?;
    let flow = deps.deps.iter().filter(|dep| dep.kind == DependenceKind::Flow);
    let flow = UnionMap::union_all(flow.map(|dep| dep.relation.clone()))?;
    let constraints = ScheduleConstraints::on_domain(&scop.domain()?)?
        .set_validity(&validity)?
        .set_coincidence(&atomicity)?
        .set_proximity(&flow)?;
    compute(scop, &constraints, options)
}

/// isl's schedule under relations that somebody else computed.
///
/// # Errors
/// When isl finds no schedule or takes too long.
pub(crate) fn order(
    scop: &Scop,
    relations: &[Relation],
    options: &Options,
) -> Result<ScheduleTree, Error> {
    let of = |has: fn(&Roles) -> bool| {
        let some = relations.iter().filter(|relation| has(&relation.roles));
        UnionMap::union_all(some.map(|relation| relation.pairs.clone()))
    };
    let domain = UnionSet::union_all(scop.stmts().iter().map(|stmt| stmt.domain.clone()))?;
    let constraints = ScheduleConstraints::on_domain(&domain)?
        .set_validity(&of(|roles| roles.validity)?)?
        .set_coincidence(&of(|roles| roles.coincidence)?)?
        .set_proximity(&of(|roles| roles.proximity)?)?;
    compute(scop, &constraints, options)
}

/// Runs isl's scheduler.
fn compute(
    scop: &Scop,
    constraints: &ScheduleConstraints,
    options: &Options,
) -> Result<ScheduleTree, Error> {
    let constraints = constraints.set_context(scop.context())?;
    let choice = SchedulerOptions {
        serialize_sccs: options.fusion == Some(FusionHeuristic::No),
        whole_component: options.fusion == Some(FusionHeuristic::Max),
        maximize_coincidence: true,
        ..SchedulerOptions::default()
    };
    match with_budget(operations(scop), || constraints.compute_schedule(choice)) {
        Ok(schedule) => Ok(ScheduleTree::from_isl(&schedule)?),
        Err(farkas_poly::Error::Isl { message, .. }) => {
            let reason = format!("isl's own scheduler finds no schedule: {message}");
            let name = options.strategy.name().to_owned();
            Err(farkas_schedule::Error::Strategy { name, reason }.into())
        }
        Err(error) => Err(error.into()),
    }
}
