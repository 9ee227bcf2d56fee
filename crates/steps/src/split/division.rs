//! The division of a strip's instances: what comes before, and which sums are far.

use super::degree::degree;
use super::order::Order;
use super::place::Place;
use super::strips::domain;
use crate::{Lifted, Result};
use farkas_poly::{Map, Set, UnionSet};

/// How often instances that are few are put before the others.
const MAX_ROUNDS: usize = 4;

/// The division of the instances of strips.
pub(super) struct Division<'a> {
    pub(super) place: &'a Place<'a>,
    pub(super) numbered: &'a [Lifted],
    /// What must stay in order within a strip.
    pub(super) order: &'a Order,
    pub(super) size: i64,
}

/// Far sums: the statement, in how many directions they extend, and which they are.
pub(super) type FarSums<'a> = Vec<(&'a Lifted, u32, Set)>;

impl<'a> Division<'a> {
    /// What comes before, and the sums that are far; `None` where most of none are.
    pub(super) fn of(&self, sums: &[String]) -> Result<Option<(UnionSet, FarSums<'a>)>> {
        let (mut sums, all) = (sums.to_vec(), domain(self.numbered)?);
        let (mut before, mut far) = loop {
            let Some(before) = self.order.before(&sums, &all)? else { return Ok(None) };
            let (far, _) = self.far(&sums, &before)?;
            if far.is_empty() {
                return Ok(None);
            }
            if far.len() == sums.len() {
                break (before, far);
            }
            sums.retain(|name| far.iter().any(|(new, ..)| new.old == *name));
        };
        // Other statements come before altogether, where no more than a few sums have to precede them.
        for new in self.numbered.iter().filter(|new| !sums.contains(&new.old)) {
            let own = new.domain.to_union_set()?;
            if own.is_subset(&before)? || own.is_disjoint(&before)? {
                continue;
            }
            if let Some(more) = self.order.closed(before.union(&own)?, &all)? {
                let (left, _) = self.far(&sums, &more)?;
                let same = left.iter().map(|f| f.1).eq(far.iter().map(|f| f.1));
                if same {
                    (before, far) = (more, left);
                }
            }
        }
        // Sums that are few come before, too.
        for _ in 0..MAX_ROUNDS {
            let (left, few) = self.far(&sums, &before)?;
            if left.len() < sums.len() {
                return Ok(None);
            }
            if few.is_empty() {
                return Ok(Some((simplified(before, &left)?, left)));
            }
            let more = before.union(&UnionSet::union_all(few)?)?;
            let Some(more) = self.order.closed(more, &all)? else { return Ok(None) };
            before = more;
        }
        Ok(None)
    }

    /// The sums that are far where these instances come before, as long as they extend in more directions than those that come
    /// before; and those among them that extend in fewer.
    fn far(&self, sums: &[String], before: &UnionSet) -> Result<(FarSums<'a>, Vec<Set>)> {
        let (mut far, mut few) = (Vec::new(), Vec::new());
        for new in self.numbered.iter().filter(|new| sums.contains(&new.old)) {
            let groups = self.place.groups(new)?;
            let near = before.extract_set(&new.domain.space()?)?;
            let left = new.domain.subtract(&near)?.coalesce()?;
            let ((most, left), less) = by_degree(&left, &groups, 2 * self.size)?;
            if most > degree(&near, &groups, 2 * self.size)? {
                far.push((new, most, left));
                few.extend(less);
            }
        }
        Ok((far, few))
    }
}

/// What comes before, in fewer pieces: all sums that are not far.
fn simplified(before: UnionSet, far: &FarSums<'_>) -> Result<UnionSet> {
    let mut before = before;
    for (new, _, instances) in far {
        let near = new.domain.subtract(instances)?.coalesce()?;
        let others = before.subtract(&Set::universe(&near.space()?)?.to_union_set()?)?;
        before = others.union(&near.to_union_set()?)?;
    }
    Ok(before)
}

/// The pieces of a set that extend in as many directions as any, with their number, and the others.
fn by_degree(set: &Set, groups: &Map, short: i64) -> Result<((u32, Set), Vec<Set>)> {
    let mut pieces = Vec::new();
    for piece in set.basic_sets()? {
        let piece = piece.to_set()?;
        if !piece.is_empty()? {
            pieces.push((degree(&piece, groups, short)?, piece));
        }
    }
    let most = pieces.iter().map(|(degree, _)| *degree).max().unwrap_or(0);
    let (large, small): (Vec<_>, Vec<_>) = pieces.into_iter().partition(|(d, _)| *d == most);
    let mut all = Set::empty(&set.space()?)?;
    for (_, piece) in large {
        all = all.union(&piece)?;
    }
    let small = small.into_iter().map(|(_, piece)| piece).collect();
    Ok(((most, all.coalesce()?), small))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_fewer_directions_are_apart() {
        let set: Set =
            "[n] -> { S[s, i, j] : 8s <= i < 8s + 8 and 0 <= j < n; S[s, i, j] : i = 8s and j = -5 }"
                .parse()
                .expect("a set");
        let groups: Map = "{ S[s, i, j] -> [s] }".parse().expect("a map");
        let ((degree, most), few) = by_degree(&set, &groups, 20).expect("pieces");
        assert_eq!(degree, 1);
        assert!(most.is_subset(&set).expect("an answer") && few.len() == 1, "{most} {few:?}");
        assert_eq!(few[0].to_string(), "[n] -> { S[s, i = 8s, j = -5] }");
    }
}
