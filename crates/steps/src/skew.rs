//! Skewed loops.

use crate::flags::decided;
use crate::tree::{Loop, marks_above, part, refuse_marked};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_deps::carried;
use farkas_poly::{UnionPwAff, Val};
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop whose dates grow with those of another one around the same statements.
///
/// **Rewrite**: the member `f` becomes `f + factor g`. Where `g` is a loop outside of it, the order stays. Loops over tiles count
/// tiles: `f / s + factor g / t`, and `g / t`. With the sum of the first two loops over tiles as the first, tiles run in wavefronts:
/// inside one permutable band every dependence has non-negative components on all members, so it stays ordered by the sum, and
/// tiles of equal sum do not depend on one another (Pluto, section 3.6 of Bondhugula et al., PLDI 2008). Updates whose order is free are
/// the exception: where a program has some, the dependences are looked at.
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

impl Reorder for Skew {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let (at, by) = (subject.find(&self.at)?, subject.find(&self.by)?);
        if self.factor == 0 {
            return Err(NotApplicable::BadNumber("the factor is not zero").into());
        }
        if at.is_same(&by) {
            return Err(NotApplicable::Twice(self.by.clone()).into());
        }
        refuse_marked(tree, &at)?;
        refuse_marked(tree, &by)?;
        let (mut band, child) = at.band_in(tree)?;
        if at.band == by.band
            && let Some(Mark::Tile(sizes)) = marks_above(tree, &at.band).first().copied()
        {
            let size = |place: &Loop| sizes.get(place.member).copied().unwrap_or(1);
            let (own, other) = (size(&at), size(&by));
            let member = &band.members;
            let first = counted(&member[at.member], own)?;
            let second = counted(&member[by.member], other)?;
            return self.wavefront(subject, (&at, first), (&by, second));
        }
        let is_related =
            at.band == by.band || at.band.is_above(&by.band) || by.band.is_above(&at.band);
        let apart = || NotApplicable::NotNested { outer: self.by.clone(), inner: self.at.clone() };
        if !is_related {
            return Err(apart().into());
        }
        for place in [&at, &by] {
            let marks = marks_above(tree, &place.band);
            if let Some(mark) = marks.into_iter().find(|mark| matches!(mark, Mark::Tile(_))) {
                return Err(NotApplicable::Marked(mark.clone()).into());
            }
        }
        let added = by.member_in(tree)?.schedule.scale_val(&Val::int(self.factor)?)?;
        let member = &mut band.members[at.member];
        if !member.schedule.domain()?.is_subset(&added.domain()?)? {
            return Err(apart().into());
        }
        *member = Member { schedule: member.schedule.add(&added)?, ..member.clone() };
        let new = tree.replace(&at.band, part(&band.members, band.permutable, child))?;
        decided(&new, subject.deps, &at.band)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at, &mut self.by]
    }
}

impl Skew {
    /// The tree in which a loop over tiles runs over the sum of two of them, both as they count tiles.
    fn wavefront(
        &self,
        subject: &Subject<'_>,
        (at, first): (&Loop, UnionPwAff),
        (by, second): (&Loop, UnionPwAff),
    ) -> Result<ScheduleTree> {
        let (mut band, child) = at.band_in(subject.tree())?;
        let added = match self.factor {
            1 => second.clone(),
            factor => second.scale_val(&Val::int(factor)?)?,
        };
        let is_ordered = band.permutable && self.factor > 0;
        band.members[at.member] = Member::new(first.add(&added)?, false);
        band.members[by.member] = Member::new(second, is_ordered);
        let waves = ScheduleTree::band(Band { permutable: is_ordered, ..band }, child);
        let waves = match (at.member, by.member) {
            (0, 1) => ScheduleTree::mark(Mark::Wavefront, waves),
            _ => waves,
        };
        let is_marked = matches!(waves.node(), Node::Mark { .. });
        let new = subject.tree().replace(&at.band, waves)?;
        let band = if is_marked { at.band.child(0) } else { at.band.clone() };
        match subject.deps {
            _ if !is_ordered => decided(&new, subject.deps, &at.band),
            // Updates whose order is free are dated backward in permutable bands, too: tiles of equal sum may update one element.
            Some(deps)
                if deps.deps.iter().any(|dep| dep.relaxed.is_some())
                    && !carried::is_parallel(deps, &new, &band, by.member)? =>
            {
                decided(&new, subject.deps, &at.band)
            }
            _ => Ok(new),
        }
    }
}

/// The dates of a loop over tiles of a size, counted in tiles.
fn counted(member: &Member, size: i64) -> Result<UnionPwAff> {
    Ok(member.schedule.scale_down_val(&Val::int(size)?)?)
}
