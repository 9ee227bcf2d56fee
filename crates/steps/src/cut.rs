//! Loops in two parts.

use crate::affine::halves;
use crate::flags::decided;
use crate::tree::{part, refuse_marked};
use crate::{LoopAddress, Reorder, Result, Subject};
use farkas_poly::MultiUnionPwAff;
use farkas_tree::ScheduleTree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop as two: its iterations before a date, then the others. The order stays.
///
/// **Rewrite**: `band [f]` becomes `sequence [{ f < at }: band [f], { f >= at }: band [f]]`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// The loop.
    #[serde(rename = "loop")]
    pub place: LoopAddress,
    /// The first date of the second part, as an affine function of the parameters: `32`, `n - 1`.
    pub at: String,
}

impl Reorder for Cut {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.place)?;
        refuse_marked(tree, &at)?;
        let (band, child) = at.band_in(tree)?;
        let (outer, inner) = band.members.split_at(at.member);
        let (before, after) = halves(subject.scop(), &self.at)?;
        let date = MultiUnionPwAff::from_members(&[at.member_in(tree)?.schedule.clone()])?;
        let date = date.to_union_map()?;
        let mut children = Vec::new();
        for dates in [before, after] {
            let instances = date.intersect_range(&dates.to_union_set()?)?.domain()?;
            children.push((instances, part(inner, band.permutable, child.clone())));
        }
        let parts = ScheduleTree::sequence(children);
        let new = tree.replace(&at.band, part(outer, band.permutable, parts))?;
        decided(&new, subject.deps, &at.band)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.place]
    }
}
