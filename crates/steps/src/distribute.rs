//! Loops of their own for what shares one.

use crate::flags::decided;
use crate::tree::{chain, part, refuse_marked};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_poly::UnionSet;
use farkas_tree::{Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop, with those between it and its bodies, once for each of the bodies, which then run one after another.
///
/// Bands right inside the loop's own go with it.
///
/// **Rewrite**: `band [f]; sequence [A: a, B: b]` becomes `sequence [A: band [f]; a, B: band [f]; b]`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distribute {
    /// The outermost of the loops to distribute.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
}

impl Reorder for Distribute {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.at)?;
        refuse_marked(tree, &at)?;
        let (band, _) = at.band_in(tree)?;
        let outer = &band.members[..at.member];
        let (chain, child) = chain(tree, &at)?;
        let bodies = match child.node() {
            Node::Sequence(bodies) | Node::Set(bodies) => bodies,
            _ => return Err(NotApplicable::OneBody.into()),
        };
        let mut children = Vec::new();
        for body in bodies {
            let Node::Filter { filter, child } = body.node() else {
                return Err(farkas_tree::Error::NoNode(at.band.clone()).into());
            };
            let mut own = child.clone();
            for band in chain.iter().rev() {
                own = part(&within(&band.members, filter)?, band.permutable, own);
            }
            children.push((filter.clone(), own));
        }
        let apart = match child.node() {
            Node::Set(_) => ScheduleTree::set(children),
            _ => ScheduleTree::sequence(children),
        };
        let new = tree.replace(&at.band, part(outer, band.permutable, apart))?;
        decided(&new, subject.deps, &at.band)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }
}

/// The loops of some of the instances.
fn within(members: &[Member], instances: &UnionSet) -> farkas_poly::Result<Vec<Member>> {
    let own = |member: &Member| {
        let schedule = member.schedule.intersect_domain(instances)?;
        Ok(Member { schedule, ..member.clone() })
    };
    members.iter().map(own).collect()
}
