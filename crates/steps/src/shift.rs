//! Statements that run earlier or later in a loop.

use crate::affine::constant;
use crate::flags::decided;
use crate::tree::{part, refuse_marked};
use crate::{LoopAddress, Reorder, Result, Subject};
use farkas_poly::UnionPwAff;
use farkas_tree::{Member, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One statement some iterations later in a loop than it was, against the others there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shift {
    /// The statement with the loop: of others in the loop nothing changes.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// By how many iterations, as an affine function of the parameters: `1`, `-n`, `2*n + 1`.
    pub by: String,
}

impl Reorder for Shift {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.at)?;
        refuse_marked(tree, &at)?;
        let named = self.at.named(subject.scop(), tree)?;
        let added = constant(subject.scop(), named.stmt().unwrap_or_default(), &self.by)?;
        let moved = added.domain()?;
        let (mut band, child) = at.band_in(tree)?;
        let member = &mut band.members[at.member];
        let all = member.schedule.domain()?;
        let others = member.schedule.intersect_domain(&all.subtract(&moved)?)?;
        let schedule: UnionPwAff = member.schedule.add(&added)?.union_add(&others)?;
        *member = Member { schedule, ..member.clone() };
        let new = tree.replace(&at.band, part(&band.members, band.permutable, child))?;
        decided(&new, subject.deps, &at.band)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }
}
