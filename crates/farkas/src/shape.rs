//! Orders shaped for the machine: planners and steps, one after another.

use crate::recipe::Recipe;
use crate::setting::setting;
use crate::{Error, Options, Session, vector_loops};
use farkas_deps::Dependences;
use farkas_poly::with_budget;
use farkas_scop::Scop;
use farkas_transform::{Followed, Planner, Remark, Setting, Shaping};
use farkas_tree::{Mark, Node, Program, ScheduleTree};

/// isl operations that planners and steps of one schedule may take.
const MAX_OPERATIONS: u64 = 2_000_000;

/// The program after all planners or steps; where live ranges may be in another order, which `reorders` says, with private copies.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn shape(
    scop: &Scop,
    deps: &Dependences,
    reorders: bool,
    tree: &ScheduleTree,
    options: &Options,
    session: &mut Session,
) -> Result<(Program, Vec<Remark>), Error> {
    shape_again(scop, deps, reorders, tree, options, &mut Followed::default(), session)
}

/// [`shape`], which takes over what is known of other orders of the same scop.
pub(crate) fn shape_again(
    scop: &Scop,
    deps: &Dependences,
    reorders: bool,
    tree: &ScheduleTree,
    options: &Options,
    known: &mut Followed,
    session: &mut Session,
) -> Result<(Program, Vec<Remark>), Error> {
    if options.keeps_order() {
        let no_threads = options.without_threads();
        return Ok((Program { no_threads, ..Program::new(scop, tree.clone()) }, Vec::new()));
    }
    let setting = setting(scop, deps, reorders, options);
    let shaped = match &options.recipe {
        Some(file) => Recipe { file, setting, options }.followed(tree, session)?,
        None => by_template(setting, Shaping::new(scop, tree), options, known, session)?,
    };
    let (mut program, remarks, _) = shaped.done();
    program.no_threads = options.without_threads();
    Ok((program, remarks))
}

/// An order, which `begun` has, after all planners of the options' template.
pub(crate) fn by_template(
    setting: Setting<'_>,
    begun: Shaping,
    options: &Options,
    known: &mut Followed,
    session: &mut Session,
) -> Result<Shaping, Error> {
    let wanted = vector_loops::wanted_loops(setting.scop, options)?;
    let template = match wanted {
        Some(wanted) => options.template.clone().with(wanted),
        None => options.template.clone(),
    };
    let mut planners = template.planners().to_vec();
    let (shaping, is_serial) = followed(setting, begun.clone(), &planners, known, session)?;
    let n_planners = planners.len();
    planners.retain(|planner| !matches!(planner, Planner::Wavefronts(_)));
    if !is_serial || planners.len() == n_planners {
        return Ok(shaping);
    }
    // A wavefront whose tiles share a temporary that has no copies is no use: its tiles run in order all the same.
    Ok(followed(setting, begun, &planners, known, session)?.0)
}

/// An order after some planners; and whether a loop that one of them wanted on threads or in lanes runs in order, for there are no copies of its
/// temporaries.
fn followed(
    setting: Setting<'_>,
    mut shaping: Shaping,
    planners: &[Planner],
    known: &mut Followed,
    session: &mut Session,
) -> Result<(Shaping, bool), Error> {
    let mut is_serial = false;
    with_budget(MAX_OPERATIONS, || {
        for planner in planners {
            let before = n_concurrent(&shaping.program().tree);
            session.run(planner.word(), || shaping.follow_again(planner, setting, known))?;
            is_serial |= n_concurrent(&shaping.program().tree) < before;
        }
        Ok::<(), farkas_transform::Error>(())
    })?;
    Ok((shaping, is_serial))
}

/// The number of loops that are marked for threads or vector lanes.
fn n_concurrent(tree: &ScheduleTree) -> usize {
    let is_marked = matches!(tree.node(), Node::Mark { mark: Mark::Parallel | Mark::Vector, .. });
    usize::from(is_marked) + tree.children().iter().map(n_concurrent).sum::<usize>()
}
