//! Skewed loops.

use crate::flags::decided;
use crate::tree::{marks_above, part, refuse_marked};
use crate::{LoopAddress, NotApplicable, Result, Rewrite, Subject};
use farkas_poly::Val;
use farkas_tree::{Mark, Member, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop whose dates grow with those of another one around the same statements.
///
/// **Rewrite**: the member `f` becomes `f + factor g`. Where `g` is a loop outside of it, the order stays.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Skew {
    /// The loop that changes.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// The loop whose dates are added.
    pub by: LoopAddress,
    /// How often; not zero.
    pub factor: i64,
}

impl Rewrite for Skew {
    fn rewrite(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = &subject.program.tree;
        let (at, by) = (subject.find(&self.at)?, subject.find(&self.by)?);
        if self.factor == 0 {
            return Err(NotApplicable::BadNumber("the factor is not zero").into());
        }
        if at.is_same(&by) {
            return Err(NotApplicable::Twice(self.by.clone()).into());
        }
        let is_related =
            at.band == by.band || at.band.is_above(&by.band) || by.band.is_above(&at.band);
        if !is_related {
            let (outer, inner) = (self.by.clone(), self.at.clone());
            return Err(NotApplicable::NotNested { outer, inner }.into());
        }
        for place in [&at, &by] {
            refuse_marked(tree, place)?;
            let marks = marks_above(tree, &place.band);
            if let Some(mark) = marks.into_iter().find(|mark| matches!(mark, Mark::Tile(_))) {
                return Err(NotApplicable::Marked(mark.clone()).into());
            }
        }
        let added = by.member_in(tree)?.schedule.scale_val(&Val::int(self.factor)?)?;
        let (mut band, child) = at.band_in(tree)?;
        let member = &mut band.members[at.member];
        let (domain, whole) = (member.schedule.domain()?, added.domain()?);
        if !domain.is_subset(&whole)? {
            let (outer, inner) = (self.by.clone(), self.at.clone());
            return Err(NotApplicable::NotNested { outer, inner }.into());
        }
        *member = Member { schedule: member.schedule.add(&added)?, ..member.clone() };
        let new = tree.replace(&at.band, part(&band.members, band.permutable, child))?;
        decided(&new, subject.deps, &at.band)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at, &mut self.by]
    }
}
