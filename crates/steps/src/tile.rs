//! Tiles, and strips of one loop.

use crate::flags::decided;
use crate::tree::{Loop, beneath, chain, marks_above, part, refuse_marked};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_poly::Val;
use farkas_tree::{Mark, Member, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tiles of a loop and those right inside it, one for each size; with one size, strips of one loop.
///
/// **Rewrite**: `band [f, g]` becomes `mark tile; band [s floor(f / s), t floor(g / t)]; mark point; band [f, g]`.
/// Several loops must make one permutable band, maybe within others, where every member is non-decreasing along each dependence that outer
/// nodes leave, and so are its floors (Irigoin and Triolet, *Supernode Partitioning*, POPL 1988). Strips of one loop keep the order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tile {
    /// The outermost of the loops.
    #[serde(rename = "loop")]
    pub first: LoopAddress,
    /// How many iterations of each loop a tile has.
    pub sizes: Vec<i64>,
}

impl Reorder for Tile {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let first = subject.find(&self.first)?;
        refuse_marked(subject.tree(), &first)?;
        if self.sizes.is_empty() || self.sizes.iter().any(|size| *size < 1) {
            return Err(NotApplicable::BadNumber("tile sizes are at least 1").into());
        }
        let wanted = self.sizes.len();
        let tree = joined(subject, &first, wanted)?;
        let (tree, first) = apart(subject, tree, first, wanted)?;
        let tree = &tree;
        let (band, child) = first.band_in(tree)?;
        let inner = &band.members[first.member..];
        if wanted > 1 && !band.permutable {
            return Err(NotApplicable::NotPermutable.into());
        }
        let marks = marks_above(tree, &first.band);
        let tiled = marks.iter().find_map(|mark| match mark {
            Mark::Tile(sizes) => Some(sizes.clone()),
            _ => None,
        });
        let points = part(inner, band.permutable, child);
        let points = match &tiled {
            // Tiles of tiles.
            Some(sizes) => {
                let below = sizes.get(first.member..).unwrap_or_default().to_vec();
                ScheduleTree::mark(Mark::Tile(below), points)
            }
            None => ScheduleTree::mark(Mark::Point, points),
        };
        let tiles: farkas_poly::Result<Vec<Member>> =
            inner.iter().zip(&self.sizes).map(|(m, &size)| tile_member(m, size)).collect();
        let tiles = part(&tiles?, band.permutable, points);
        let new = ScheduleTree::mark(Mark::Tile(self.sizes.clone()), tiles);
        beneath(tree, &first, &marks, new)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.first]
    }
}

/// The tree in which the band of a loop has `wanted` loops from there on: bands right inside it become part of it, where it has fewer.
fn joined(subject: &Subject<'_>, first: &Loop, wanted: usize) -> Result<ScheduleTree> {
    let tree = subject.tree();
    let (band, _) = first.band_in(tree)?;
    let (bands, _) = chain(tree, first)?;
    let found = bands.iter().map(|band| band.members.len()).sum();
    if wanted > found {
        return Err(NotApplicable::TooManySizes { wanted, found }.into());
    }
    let (mut members, mut cursor) = (band.members, first.band.clone());
    for inner in &bands[1..] {
        if members.len() - first.member >= wanted {
            break;
        }
        members.extend(inner.members.iter().cloned());
        cursor = cursor.child(0);
    }
    if cursor == first.band {
        return Ok(tree.clone());
    }
    let [inside] = tree.at(&cursor)?.children() else {
        return Err(farkas_tree::Error::NoNode(cursor).into());
    };
    let tree = tree.replace(&first.band, part(&members, false, inside.clone()))?;
    decided(&tree, subject.deps, &first.band)
}

/// The tree in which the `wanted` loops have a band of their own, with the first of them, where they are permutable there and are not with
/// the loops of their band around them.
fn apart(
    subject: &Subject<'_>,
    tree: ScheduleTree,
    first: Loop,
    wanted: usize,
) -> Result<(ScheduleTree, Loop)> {
    let (band, child) = first.band_in(&tree)?;
    let is_alone = first.member == 0 && band.members.len() == wanted;
    if wanted < 2 || band.permutable || is_alone || !marks_above(&tree, &first.band).is_empty() {
        return Ok((tree, first));
    }
    let (outer, inner) = band.members.split_at(first.member);
    let (own, rest) = inner.split_at(wanted.min(inner.len()));
    let new = part(outer, false, part(own, false, part(rest, false, child)));
    let new = decided(&tree.replace(&first.band, new)?, subject.deps, &first.band)?;
    let at = if outer.is_empty() { first.band.clone() } else { first.band.child(0) };
    let own = Loop { band: at, member: 0, ..first.clone() };
    let is_permutable = own.band_in(&new)?.0.permutable;
    Ok(if is_permutable { (new, own) } else { (tree, first) })
}

/// The tile loop of a member: its dates rounded down to multiples of `size`.
///
/// # Errors
/// When isl refuses.
pub fn tile_member(member: &Member, size: i64) -> farkas_poly::Result<Member> {
    let size = Val::int(size)?;
    let schedule = member.schedule.scale_down_val(&size)?.floor()?.scale_val(&size)?;
    Ok(Member::new(schedule, member.coincident))
}
