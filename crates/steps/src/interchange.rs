//! Loops in another order.

use crate::flags::decided;
use crate::tree::{Loop, marks_above, part, refuse_marked};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loops right inside each other in another order: as they are listed, outermost first. Others stay where they are.
///
/// Within a permutable band legal in any order; else it is for the legality check to say.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interchange {
    /// The loops in their new order.
    pub loops: Vec<LoopAddress>,
}

impl Reorder for Interchange {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let wanted: Result<Vec<Loop>> = self.loops.iter().map(|at| subject.find(at)).collect();
        let wanted = wanted?;
        if wanted.len() < 2 {
            return Err(NotApplicable::TooFewLoops { wanted: 2 }.into());
        }
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|&at| wanted[at].order());
        for pair in order.windows(2) {
            let (outer, inner) = (&self.loops[pair[0]], &self.loops[pair[1]]);
            if wanted[pair[0]].is_same(&wanted[pair[1]]) {
                return Err(NotApplicable::Twice(inner.clone()).into());
            }
            if !is_chain(tree, &wanted[pair[0]].band, &wanted[pair[1]].band)? {
                let (outer, inner) = (outer.clone(), inner.clone());
                return Err(NotApplicable::NotNested { outer, inner }.into());
            }
        }
        let places: Vec<&Loop> = order.iter().map(|&at| &wanted[at]).collect();
        let members: Result<Vec<Member>> =
            wanted.iter().map(|at| Ok(at.member_in(tree)?.clone())).collect();
        let members = members?;
        let top = &places[0].band;
        if places[0].member == 0 || !is_wavefront(tree, top) {
            refuse_marked(tree, places[0])?;
        }
        let (first, _) = places[0].band_in(tree)?;
        let is_one_band = places.iter().all(|place| place.band == *top);
        let mut new = tree.clone();
        for (place, member) in places.iter().zip(&members) {
            let (mut band, child) = place.band_in(&new)?;
            band.members[place.member] = member.clone();
            new = new.replace(&place.band, part(&band.members, band.permutable, child))?;
        }
        new = with_sizes(&new, top, &wanted, &places)?;
        if is_one_band && first.permutable {
            return Ok(new);
        }
        decided(&new, subject.deps, top)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        self.loops.iter_mut().collect()
    }
}

/// Whether the first loop of a band is a sum of loops over tiles.
fn is_wavefront(tree: &ScheduleTree, band: &Cursor) -> bool {
    marks_above(tree, band).first() == Some(&&Mark::Wavefront)
}

/// The tree whose tile sizes above `band` have followed their loops.
fn with_sizes(
    tree: &ScheduleTree,
    band: &Cursor,
    wanted: &[Loop],
    places: &[&Loop],
) -> Result<ScheduleTree> {
    let Some(above) = band.parent() else { return Ok(tree.clone()) };
    let Some(Mark::Tile(old)) = marks_above(tree, band).first().copied() else {
        return Ok(tree.clone());
    };
    let mut sizes = old.clone();
    for (from, to) in wanted.iter().zip(places) {
        if let (Some(size), Some(slot)) = (old.get(from.member), sizes.get_mut(to.member)) {
            *slot = *size;
        }
    }
    let below = tree.at(band)?.clone();
    Ok(tree.replace(&above, ScheduleTree::mark(Mark::Tile(sizes), below))?)
}

/// Whether only bands stand between two bands, or they are the same.
fn is_chain(tree: &ScheduleTree, outer: &Cursor, inner: &Cursor) -> Result<bool> {
    if outer == inner {
        return Ok(true);
    }
    if !outer.is_above(inner) {
        return Ok(false);
    }
    let mut here = outer.clone();
    for step in &inner.steps()[outer.steps().len()..] {
        if !matches!(tree.at(&here)?.node(), Node::Band { .. }) {
            return Ok(false);
        }
        here = here.child(*step);
    }
    Ok(true)
}
