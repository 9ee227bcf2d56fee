//! Loops that become one.

use crate::flags::decided;
use crate::tree::{Loop, part};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_poly::{UnionPwAff, UnionSet};
use farkas_tree::{Cursor, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The outermost loops of neighbours in a sequence as one loop, in which their bodies follow one another.
///
/// **Rewrite**: `sequence [A: band [f], B: band [g], C]` becomes `sequence [A + B: band [f + g]; sequence [A, B], C]`. Iterations
/// with the same date meet: `shift` moves them against each other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fuse {
    /// The loops in the order in which they run.
    pub loops: Vec<LoopAddress>,
}

/// One of the loops to fuse.
struct Part {
    filter: UnionSet,
    member: Member,
    inside: ScheduleTree,
}

impl Reorder for Fuse {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let found: Result<Vec<Loop>> = self.loops.iter().map(|at| subject.find(at)).collect();
        let found = found?;
        if found.len() < 2 {
            return Err(NotApplicable::TooFewLoops { wanted: 2 }.into());
        }
        let mut places = Vec::new();
        for (at, place) in found.iter().enumerate() {
            let neighbour = &self.loops[if at == 0 { 1 } else { at - 1 }];
            let apart = || NotApplicable::NotAdjacent {
                first: neighbour.clone(),
                second: self.loops[at].clone(),
            };
            let (parent, position) = position(tree, place).ok_or_else(apart)?;
            let fits = places.last().is_none_or(|(other, before): &(Cursor, usize)| {
                *other == parent && position == before + 1
            });
            if !fits {
                return Err(apart().into());
            }
            places.push((parent, position));
        }
        let (parent, first) = places[0].clone();
        let mut parts = Vec::new();
        for place in &found {
            parts.push(taken_apart(tree, place)?);
        }
        let fused = fused(&parts, matches!(tree.at(&parent)?.node(), Node::Set(_)))?;
        let mut children = tree.at(&parent)?.children().to_vec();
        children.splice(first..first + parts.len(), [fused.clone()]);
        let new = match (children.as_slice(), fused.node()) {
            ([_], Node::Filter { child, .. }) => tree.replace(&parent, child.clone())?,
            _ => {
                let node = match tree.at(&parent)?.node() {
                    Node::Set(_) => Node::Set(children),
                    _ => Node::Sequence(children),
                };
                tree.replace(&parent, node.into())?
            }
        };
        decided(&new, subject.deps, &parent)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        self.loops.iter_mut().collect()
    }
}

/// The sequence or set node of which a loop is the outermost of a child, and the child's position.
fn position(tree: &ScheduleTree, at: &Loop) -> Option<(Cursor, usize)> {
    let filter = at.band.parent()?;
    let parent = filter.parent()?;
    let is_fit = at.member == 0
        && matches!(tree.at(&filter).ok()?.node(), Node::Filter { .. })
        && matches!(tree.at(&parent).ok()?.node(), Node::Sequence(_) | Node::Set(_));
    is_fit.then(|| (parent, *filter.steps().last().unwrap_or(&0)))
}

/// A child of a sequence as its outermost loop and what is inside.
fn taken_apart(tree: &ScheduleTree, at: &Loop) -> Result<Part> {
    let (band, child) = at.band_in(tree)?;
    let filter = at.band.parent().map(|cursor| tree.at(&cursor)).transpose()?;
    let Some(Node::Filter { filter, .. }) = filter.map(ScheduleTree::node) else {
        return Err(farkas_tree::Error::NoNode(at.band.clone()).into());
    };
    let schedule = band.members[0].schedule.intersect_domain(filter)?;
    let member = Member::new(schedule, false);
    let inside = part(&band.members[1..], band.permutable, child);
    Ok(Part { filter: filter.clone(), member, inside })
}

/// All parts under one loop, beneath the filter of all.
fn fused(parts: &[Part], any_order: bool) -> Result<ScheduleTree> {
    let mut filter = UnionSet::none()?;
    let mut schedule = UnionPwAff::none()?;
    let mut children = Vec::new();
    for part in parts {
        filter = filter.union(&part.filter)?;
        schedule = schedule.union_add(&part.member.schedule)?;
        children.push((part.filter.clone(), part.inside.clone()));
    }
    let inside = match any_order {
        true => ScheduleTree::set(children),
        false => ScheduleTree::sequence(children),
    };
    let band = part(&[Member::new(schedule, false)], false, inside);
    Ok(ScheduleTree::filter(filter, band))
}
