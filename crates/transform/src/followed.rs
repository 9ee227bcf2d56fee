//! What planners did before.

use crate::{Planner, Setting, Shaping};
use farkas_machine::Machine;
use farkas_tree::{Program, ScheduleTree};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What planners did to programs that were made from one scop. Forms of a region begin alike, or become equal on their way: register tiles
/// look the same in whatever order the nest was. What comes then is done once.
#[derive(Default, Debug)]
pub struct Followed {
    known: Vec<Known>,
}

/// A planner that was followed.
#[derive(Debug)]
struct Known {
    before: Program,
    /// What equal orders have in common, so that few are compared.
    digest: u64,
    planner: Planner,
    wishes: Wishes,
    /// The program after it, with what was told and noted of this planner alone.
    after: Shaping,
}

/// What a program is planned for, but for the scop that it was made from.
#[derive(PartialEq, Debug)]
struct Wishes {
    machine: Machine,
    keeps_all: bool,
    has_threads: bool,
    has_lanes: bool,
}

impl Wishes {
    fn of(setting: Setting<'_>) -> Self {
        let Setting { machine, keeps_all, has_threads, has_lanes, .. } = setting;
        Self { machine: machine.clone(), keeps_all, has_threads, has_lanes }
    }
}

impl Followed {
    /// What a planner did to an equal program.
    pub(crate) fn find(
        &self,
        before: &Program,
        planner: &Planner,
        setting: Setting<'_>,
    ) -> Option<&Shaping> {
        let wishes = Wishes::of(setting);
        let asked = self.known.iter();
        let mut asked =
            asked.filter(|known| known.planner == *planner && known.wishes == wishes).peekable();
        asked.peek()?;
        let digest = digest(&before.tree);
        let known = asked.find(|known| known.digest == digest && known.before == *before);
        known.map(|known| &known.after)
    }

    /// Remembers what a planner did to a program.
    pub(crate) fn remember(
        &mut self,
        before: Program,
        planner: &Planner,
        setting: Setting<'_>,
        after: Shaping,
    ) {
        let (planner, wishes) = (planner.clone(), Wishes::of(setting));
        let digest = digest(&before.tree);
        self.known.push(Known { before, digest, planner, wishes, after });
    }
}

/// A number that equal orders share.
fn digest(tree: &ScheduleTree) -> u64 {
    let mut hasher = DefaultHasher::new();
    tree.hash(&mut hasher);
    hasher.finish()
}
