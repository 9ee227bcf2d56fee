//! The part of a tree that orders some instances.

use crate::{Band, Member, Node, Result, ScheduleTree};
use farkas_poly::UnionSet;

impl ScheduleTree {
    /// The part of the tree that orders `instances`: bands date no others, children without any are left out.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn restricted_to(&self, instances: &UnionSet) -> Result<Self> {
        Ok(match self.node() {
            Node::Domain { domain, child } => {
                Self::domain(domain.intersect(instances)?, child.restricted_to(instances)?)
            }
            Node::Filter { filter, child } => {
                Self::filter(filter.intersect(instances)?, child.restricted_to(instances)?)
            }
            Node::Band { band, child } => {
                Self::band(restricted_band(band, instances)?, child.restricted_to(instances)?)
            }
            Node::Sequence(children) | Node::Set(children) => {
                self.of_kept(kept(children, instances)?)
            }
            _ => {
                let children = self.children().iter().map(|child| child.restricted_to(instances));
                self.with_children(children.collect::<Result<_>>()?)
            }
        })
    }

    /// The tree without the children that none of `instances` reaches; the others stay as they are.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn pruned_to(&self, instances: &UnionSet) -> Result<Self> {
        let inside = |filter: &UnionSet| filter.intersect(instances);
        Ok(match self.node() {
            Node::Filter { filter, child } => {
                Self::filter(filter.clone(), child.pruned_to(&inside(filter)?)?)
            }
            Node::Sequence(children) | Node::Set(children) => {
                let mut kept = Vec::new();
                for child in children {
                    let Node::Filter { filter, child } = child.node() else { continue };
                    let instances = inside(filter)?;
                    if !instances.is_empty()? {
                        kept.push((filter.clone(), child.pruned_to(&instances)?));
                    }
                }
                self.of_kept(kept)
            }
            _ => {
                let children = self.children().iter().map(|child| child.pruned_to(instances));
                self.with_children(children.collect::<Result<_>>()?)
            }
        })
    }

    /// The same root node, a sequence or a set, over `children`; nothing, or the child itself, where there are not two.
    fn of_kept(&self, mut children: Vec<(UnionSet, Self)>) -> Self {
        match children.len() {
            0 => Self::leaf(),
            1 => children.remove(0).1,
            _ => {
                let filtered = |(filter, child)| Self::filter(filter, child);
                self.with_children(children.into_iter().map(filtered).collect())
            }
        }
    }
}

/// Filters and children that order some of `instances`.
fn kept(children: &[ScheduleTree], instances: &UnionSet) -> Result<Vec<(UnionSet, ScheduleTree)>> {
    let mut kept = Vec::new();
    for child in children {
        let Node::Filter { filter, child } = child.node() else { continue };
        let filter = filter.intersect(instances)?;
        if !filter.is_empty()? {
            kept.push((filter, child.restricted_to(instances)?));
        }
    }
    Ok(kept)
}

/// A band that dates `instances` alone.
fn restricted_band(band: &Band, instances: &UnionSet) -> Result<Band> {
    let mut members = Vec::with_capacity(band.members.len());
    for member in &band.members {
        let schedule = member.schedule.intersect_domain(instances)?;
        members.push(Member { schedule, ..member.clone() });
    }
    Ok(Band { members, permutable: band.permutable })
}
