//! The original order of some statements: the last fallback.

use crate::Result;
use farkas_poly::UnionSet;
use farkas_scop::Scop;
use farkas_tree::{Band, Member, Node, ScheduleTree, original_tree};

/// The original order of a scop.
pub(crate) struct OriginalOrder(ScheduleTree);

impl OriginalOrder {
    /// The original order of `scop`.
    pub(crate) fn of(scop: &Scop) -> Result<Self> {
        Ok(Self(original_tree(scop)?))
    }

    /// The part that orders `instances`, without the domain node.
    pub(crate) fn restricted_to(&self, instances: &UnionSet) -> Result<ScheduleTree> {
        match self.0.node() {
            Node::Domain { child, .. } => restrict(child, instances),
            _ => restrict(&self.0, instances),
        }
    }
}

/// The part of `tree` that orders `instances`. The tree has bands, sequences, filters and leaves.
fn restrict(tree: &ScheduleTree, instances: &UnionSet) -> Result<ScheduleTree> {
    match tree.node() {
        Node::Band { band, child } => {
            let mut members = Vec::with_capacity(band.members.len());
            for member in &band.members {
                let schedule = member.schedule.intersect_domain(instances)?;
                members.push(Member { schedule, ..member.clone() });
            }
            let band = Band { members, permutable: band.permutable };
            Ok(ScheduleTree::band(band, restrict(child, instances)?))
        }
        Node::Sequence(children) => {
            let mut kept = Vec::new();
            for child in children {
                let Node::Filter { filter, child } = child.node() else { continue };
                let filter = filter.intersect(instances)?;
                if !filter.is_empty()? {
                    kept.push((filter, restrict(child, instances)?));
                }
            }
            Ok(ScheduleTree::sequence(kept))
        }
        _ => Ok(tree.clone()),
    }
}
