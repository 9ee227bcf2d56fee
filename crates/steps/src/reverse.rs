//! Loops that run the other way.

use crate::flags::decided;
use crate::tree::{part, refuse_marked};
use crate::{LoopAddress, Reorder, Result, Subject};
use farkas_tree::{Member, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop from its last iteration to its first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// The loop.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
}

impl Reorder for Reverse {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.at)?;
        refuse_marked(tree, &at)?;
        let (mut band, child) = at.band_in(tree)?;
        let member = &mut band.members[at.member];
        *member = Member { schedule: member.schedule.neg()?, ..member.clone() };
        let new = tree.replace(&at.band, part(&band.members, band.permutable, child))?;
        decided(&new, subject.deps, &at.band)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }
}
