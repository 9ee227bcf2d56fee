//! Loops dealt out to parts.

use crate::flags::decided;
use crate::tree::{beneath, marks_above, part, with_marks};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject, tile_member};
use farkas_poly::{UnionPwAff, Val};
use farkas_tree::{Mark, Member, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop whose iterations are dealt out in blocks to a known number of parts, one after another and round again: the block-cyclic distribution
/// of High Performance Fortran.
///
/// **Rewrite**: `band [f]` becomes `band [floor(f / block) mod parts]; mark tile; band [s floor(f / s)]; mark point; band [f]`, in which `s` is
/// `block parts`, a round; with blocks of one, `band [f mod parts]; band [f]`. Tiles are dealt out whole, in blocks of one tile, to which the
/// number of iterations in a block has to be equal: `mark tile; band [8 floor(f / 8)]` becomes
/// `band [floor(f / 8) mod parts]; mark tile; band [8 floor(f / 8)]`. Parts are equal however many iterations there are, but for a
/// block, and what has a place for each part needs memory for so many places whatever the sizes: partial results, by
/// [`Privatise`](crate::Privatise).
///
/// The order changes: a part runs before blocks that lie in front of some of its own. Legal where no iteration waits for another one but by an
/// update whose order is free.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cyclic {
    /// The loop.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// How many parts there are, two at least.
    pub parts: i64,
    /// How many iterations a block has.
    pub block: i64,
}

impl Reorder for Cyclic {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.at)?;
        let round = self.parts.checked_mul(self.block);
        let Some(round) = round.filter(|_| self.parts > 1 && self.block > 0) else {
            let why = "there are at least two parts, and a block has at least one iteration";
            return Err(NotApplicable::BadNumber(why).into());
        };
        let marks = marks_above(tree, &at.band);
        let mut tile = 1;
        for mark in &marks {
            match mark {
                Mark::Tile(sizes) => tile = sizes.get(at.member).copied().unwrap_or(1),
                Mark::SeparateFullTiles => {}
                other => return Err(NotApplicable::Marked((*other).clone()).into()),
            }
        }
        if !marks.is_empty() && tile != self.block {
            let why = "a loop over tiles is dealt out a tile at a time";
            return Err(NotApplicable::BadNumber(why).into());
        }
        let (band, child) = at.band_in(tree)?;
        let inner = &band.members[at.member..];
        let Some(dealt) = inner.first() else { return Ok(tree.clone()) };
        let mut new = with_marks(&marks, at.member.., part(inner, band.permutable, child));
        if self.block > tile {
            let rounds =
                part(&[tile_member(dealt, round)?], false, ScheduleTree::mark(Mark::Point, new));
            new = ScheduleTree::mark(Mark::Tile(vec![round]), rounds);
        }
        let parts = Member::new(self.part_of(dealt)?, false);
        let tree = beneath(tree, &at, &marks, part(&[parts], false, new))?;
        decided(&tree, subject.deps, &at.band)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }
}

impl Cyclic {
    /// The part that each iteration of a loop is dealt to.
    fn part_of(&self, member: &Member) -> Result<UnionPwAff> {
        let parts = Val::int(self.parts)?;
        let block = member.schedule.scale_down_val(&Val::int(self.block)?)?.floor()?;
        let rounds = block.scale_down_val(&parts)?.floor()?;
        Ok(block.sub(&rounds.scale_val(&parts)?)?)
    }
}
