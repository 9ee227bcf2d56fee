//! The order of a scop: our scheduler's, isl's, or the program's own.

use crate::own_order::OwnOrder;
use crate::refusal::{refusal, wants_reasons};
use crate::scheduling::scheduling;
use crate::{Error, Options, Session, Strategy, libisl};
use farkas_deps::Dependences;
use farkas_schedule::{ScheduleOptions, Scheduled};
use farkas_scop::Scop;
use farkas_steps::copies_back;
use farkas_tree::{ScheduleTree, original_tree};

/// An order that a strategy decided on.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The order.
    pub tree: ScheduleTree,
    /// What our scheduler returned, where it was asked.
    pub scheduled: Option<Scheduled>,
    /// Whether live ranges may be in another order, or are to be.
    pub reorders: bool,
}

/// The tree of our scheduler or isl's, or the original order.
///
/// # Errors
/// When isl refuses; [`Error::Refused`] when the strategy does not fit the scop or leaves no schedule.
pub fn decide(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Decided, Error> {
    let Some(mut strategy) = scheduling(scop, options)? else {
        let (tree, reorders) = match options.strategy {
            Strategy::Libisl => {
                (session.run("schedule", || libisl::schedule(scop, deps, options))?, false)
            }
            _ if options.keeps_order() => (session.run("order", || original_tree(scop))?, false),
            _ => {
                let own = session.run("order", || OwnOrder::of(scop, deps))?;
                (own.with_copies.clone(), own.wants_copies())
            }
        };
        return Ok(Decided { tree, scheduled: None, reorders });
    };
    let choice = ScheduleOptions {
        solver: options.solver,
        explains_influence: options.explains_influence,
        last: copies_back(scop),
        ..ScheduleOptions::default()
    };
    let mut run = |strategy: &mut dyn farkas_schedule::Strategy, choice: &ScheduleOptions| {
        session
            .run("schedule", || farkas_schedule::schedule(scop, deps, strategy, choice))
            .map_err(|error| refusal(error, scop, deps, options))
    };
    let mut scheduled = run(strategy.as_mut(), &choice)?;
    if !choice.explains_influence
        && wants_reasons(&scheduled)
        && let Some(mut again) = scheduling(scop, options)?
    {
        // The same, with the reasons, which take work of their own.
        let choice = ScheduleOptions { explains_influence: true, ..choice };
        scheduled = run(again.as_mut(), &choice)?;
    }
    let (tree, reorders) = (scheduled.tree.clone(), scheduled.report.reorders_live_ranges);
    Ok(Decided { tree, scheduled: Some(scheduled), reorders })
}
