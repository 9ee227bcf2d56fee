//! Loops of their own for what shares one.

use crate::flags::decided;
use crate::tree::{chain, part, refuse_marked};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_poly::{Set, UnionSet};
use farkas_scop::Scop;
use farkas_tree::{Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop, with those between it and its bodies, once for each of the bodies, which then run one after another.
///
/// Bands right inside the loop's own go with it.
///
/// **Rewrite**: `band [f]; sequence [A: a, B: b]` becomes `sequence [A: band [f]; a, B: band [f]; b]`. With groups, those bodies that
/// run the statements of a group share a loop, and groups follow one another as they are listed; a body that runs statements of
/// several groups is divided, too, and what a group has of a loop inside stays in one loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distribute {
    /// The outermost of the loops to distribute.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// The statements that share a loop, by name, a list for each loop, in their order; without any, each body has a loop of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Vec<String>>,
}

impl Reorder for Distribute {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.at)?;
        refuse_marked(tree, &at)?;
        let (band, _) = at.band_in(tree)?;
        let outer = &band.members[..at.member];
        let (chain, child) = chain(tree, &at)?;
        let mut parts = Vec::new();
        match child.node() {
            Node::Sequence(bodies) | Node::Set(bodies) => {
                for body in bodies {
                    let Node::Filter { filter, child } = body.node() else {
                        return Err(farkas_tree::Error::NoNode(at.band.clone()).into());
                    };
                    parts.push((filter.clone(), child.clone()));
                }
            }
            _ if self.groups.is_empty() => return Err(NotApplicable::OneBody.into()),
            _ => parts.push((at.member_in(tree)?.schedule.domain()?, child.clone())),
        }
        if !self.groups.is_empty() {
            parts = self.grouped(subject.scop(), parts)?;
        }
        let mut children = Vec::new();
        for (filter, mut own) in parts {
            for band in chain.iter().rev() {
                own = part(&within(&band.members, &filter)?, band.permutable, own);
            }
            children.push((filter, own));
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

    fn stmts(&mut self) -> Vec<&mut String> {
        self.groups.iter_mut().flatten().collect()
    }
}

impl Distribute {
    /// The bodies of each group, one after another under one filter.
    fn grouped(&self, scop: &Scop, bodies: Vec<Body>) -> Result<Vec<Body>> {
        let mut left = bodies;
        let mut groups = Vec::new();
        for names in &self.groups {
            let mut instances = UnionSet::none()?;
            for name in names {
                let id = scop.stmt_by_name(name);
                let id = id.ok_or_else(|| NotApplicable::NoStatement(name.clone()))?;
                instances = instances
                    .union(&Set::universe(&scop.stmts()[id].domain.space()?)?.to_union_set()?)?;
            }
            let (mut own, mut others, mut all) = (Vec::new(), Vec::new(), UnionSet::none()?);
            for (filter, child) in divided(left, &instances)? {
                if filter.is_disjoint(&instances)? {
                    others.push((filter, child));
                } else {
                    all = all.union(&filter)?;
                    own.push((filter, child));
                }
            }
            if own.is_empty() || !all.is_subset(&instances)? {
                return Err(NotApplicable::NoGroup(names.clone()).into());
            }
            left = others;
            groups.push((all, ScheduleTree::sequence(own)));
        }
        // A body that never runs belongs nowhere.
        for (filter, _) in left {
            if !filter.is_disjoint(&scop.domain()?)? {
                return Err(NotApplicable::NoGroup(Vec::new()).into());
            }
        }
        Ok(groups)
    }
}

/// Some instances, and the order in which they run.
type Body = (UnionSet, ScheduleTree);

/// Bodies that run some of these instances and others divided by what is in them. A loop becomes two: one for these instances, and one for
/// the others.
fn divided(bodies: Vec<Body>, instances: &UnionSet) -> Result<Vec<Body>> {
    let mut parts = Vec::new();
    for (filter, child) in bodies {
        if filter.is_disjoint(instances)? || filter.is_subset(instances)? {
            parts.push((filter, child));
            continue;
        }
        let inside = divided(inner_bodies(&filter, &child)?, instances)?;
        let Node::Band { band, .. } = child.node() else {
            parts.extend(inside);
            continue;
        };
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for body in inside {
            if body.0.is_subset(instances)? { own.push(body) } else { others.push(body) }
        }
        for bodies in [own, others] {
            let mut filter = UnionSet::none()?;
            for (of_body, _) in &bodies {
                filter = filter.union(of_body)?;
            }
            let inside = match <[Body; 1]>::try_from(bodies) {
                Ok([(_, only)]) => only,
                Err(bodies) => ScheduleTree::sequence(bodies),
            };
            let tree = part(&within(&band.members, &filter)?, band.permutable, inside);
            parts.push((filter, tree));
        }
    }
    Ok(parts)
}

/// The bodies right inside one: those of its loops, of its sequence, or its statements, which a leaf runs in no order.
fn inner_bodies(filter: &UnionSet, body: &ScheduleTree) -> Result<Vec<Body>> {
    match body.node() {
        Node::Band { child, .. } => Ok(vec![(filter.clone(), child.clone())]),
        Node::Sequence(children) | Node::Set(children) => {
            let mut bodies = Vec::new();
            for child in children {
                if let Node::Filter { filter: own, child } = child.node() {
                    bodies.push((filter.intersect(own)?, child.clone()));
                }
            }
            Ok(bodies)
        }
        Node::Leaf => {
            let sets = filter.sets()?.into_iter();
            sets.map(|set| Ok((set.to_union_set()?, body.clone()))).collect()
        }
        _ => Err(NotApplicable::NoGroup(Vec::new()).into()),
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
