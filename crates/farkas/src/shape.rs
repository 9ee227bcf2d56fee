//! Orders shaped for the machine: planners and steps, one after another.

use crate::recipe::Recipe;
use crate::setting::setting;
use crate::{Error, Options, Session, vector_loops};
use farkas_deps::Dependences;
use farkas_machine::Machine;
use farkas_poly::with_budget;
use farkas_scop::Scop;
use farkas_transform::{Planner, Remark, Setting, Shaping};
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
    shape_again(scop, deps, reorders, tree, options, &mut Started::default(), session)
}

/// [`shape`], which takes over from `started`, for the same scop and dependences, what it can.
pub(crate) fn shape_again(
    scop: &Scop,
    deps: &Dependences,
    reorders: bool,
    tree: &ScheduleTree,
    options: &Options,
    started: &mut Started,
    session: &mut Session,
) -> Result<(Program, Vec<Remark>), Error> {
    if options.keeps_order() {
        let no_threads = options.without_threads();
        return Ok((Program { no_threads, ..Program::new(scop, tree.clone()) }, Vec::new()));
    }
    let setting = setting(scop, deps, reorders, options);
    let shaped = match &options.recipe {
        Some(file) => Recipe { file, setting, options }.followed(tree, session)?,
        None => by_template(setting, tree, options, started, session)?,
    };
    let (mut program, remarks, _) = shaped.done();
    program.no_threads = options.without_threads();
    Ok((program, remarks))
}

/// An order after all planners of the options' template.
pub(crate) fn by_template(
    setting: Setting<'_>,
    tree: &ScheduleTree,
    options: &Options,
    started: &mut Started,
    session: &mut Session,
) -> Result<Shaping, Error> {
    let wanted = vector_loops::wanted_loops(setting.scop, options)?;
    let template = match wanted {
        Some(wanted) => options.template.clone().with(wanted),
        None => options.template.clone(),
    };
    let mut planners = template.planners().to_vec();
    let (shaping, is_serial) = started.followed(setting, tree, &planners, session)?;
    let n_planners = planners.len();
    planners.retain(|planner| !matches!(planner, Planner::Wavefronts(_)));
    if !is_serial || planners.len() == n_planners {
        return Ok(shaping);
    }
    // A wavefront whose tiles share a temporary that has no copies is no use: its tiles run in order all the same.
    Ok(started.followed(setting, tree, &planners, session)?.0)
}

/// Orders on their way: several lists of planners that begin alike go the same way to where they part.
#[derive(Default)]
pub(crate) struct Started {
    known: Vec<Known>,
    /// Whether what is done is noted.
    is_recorded: bool,
}

/// An order after some planners, and what they were asked for.
struct Known {
    tree: ScheduleTree,
    keeps_all: bool,
    has_threads: bool,
    machine: Machine,
    planners: Vec<Planner>,
    shaping: Shaping,
    is_serial: bool,
}

impl Started {
    /// Orders on their way, with a record of what is done.
    pub(crate) fn recorded() -> Self {
        Self { is_recorded: true, ..Self::default() }
    }

    /// An order after some planners; and whether a loop that one of them wanted on threads or in lanes runs in order, for there are no copies
    /// of its temporaries.
    fn followed(
        &mut self,
        setting: Setting<'_>,
        tree: &ScheduleTree,
        planners: &[Planner],
        session: &mut Session,
    ) -> Result<(Shaping, bool), Error> {
        let (mut n_done, mut shaping, mut is_serial) = self.begun(setting, tree, planners);
        with_budget(MAX_OPERATIONS, || {
            for planner in &planners[n_done..] {
                let before = n_concurrent(&shaping.program().tree);
                session.run(planner.word(), || shaping.follow(planner, setting))?;
                is_serial |= n_concurrent(&shaping.program().tree) < before;
                n_done += 1;
                self.known.push(Known {
                    tree: tree.clone(),
                    keeps_all: setting.keeps_all,
                    has_threads: setting.has_threads,
                    machine: setting.machine.clone(),
                    planners: planners[..n_done].to_vec(),
                    shaping: shaping.clone(),
                    is_serial,
                });
            }
            Ok::<(), farkas_transform::Error>(())
        })?;
        Ok((shaping, is_serial))
    }

    /// The longest beginning that is known.
    fn begun(
        &self,
        setting: Setting<'_>,
        tree: &ScheduleTree,
        planners: &[Planner],
    ) -> (usize, Shaping, bool) {
        let is_same = |known: &&Known| {
            planners.starts_with(&known.planners)
                && known.keeps_all == setting.keeps_all
                && known.has_threads == setting.has_threads
                && known.machine == *setting.machine
                && known.tree == *tree
        };
        let longest = self.known.iter().filter(is_same).max_by_key(|known| known.planners.len());
        match longest {
            Some(known) => (known.planners.len(), known.shaping.clone(), known.is_serial),
            None => {
                let shaping = Shaping::new(setting.scop, tree);
                (0, if self.is_recorded { shaping.recorded() } else { shaping }, false)
            }
        }
    }
}

/// The number of loops that are marked for threads or vector lanes.
fn n_concurrent(tree: &ScheduleTree) -> usize {
    let is_marked = matches!(tree.node(), Node::Mark { mark: Mark::Parallel | Mark::Vector, .. });
    usize::from(is_marked) + tree.children().iter().map(n_concurrent).sum::<usize>()
}
