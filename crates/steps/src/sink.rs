//! A loop moved inside of the loops in it.

use crate::flags::{decided, reaching};
use crate::tree::{part, refuse_marked};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_poly::UnionSet;
use farkas_tree::{Band, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop moved inside of the loops in it, also where these stand side by side: each gets a loop of its own then.
///
/// **Rewrite**: `band [f]; sequence [A, band [g] of B, C, D]` becomes `sequence [band [f] of A, band [g]; band [f] of B, band [f] of sequence [C, D]]`:
/// neighbours without loops share one. Legal where the loop carries nothing that the loops around it leave.
///
/// **Paper** it is the second half of unroll-and-jam: Allen and Kennedy, *Optimizing Compilers for Modern Architectures*, 2001,
/// section 8.4; ours takes it through imperfect nests by the tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sink {
    /// The loop.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// Which loops it goes inside of.
    #[serde(default, skip_serializing_if = "Past::is_all")]
    pub past: Past,
}

/// Loops that another one goes inside of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Past {
    /// All of them.
    #[default]
    All,
    /// All but innermost ones that carry nothing, around which it stays: their iterations may run in vector lanes.
    Sequential,
}

impl Past {
    /// Whether it is all of them.
    fn is_all(&self) -> bool {
        *self == Self::All
    }

    /// Whether a loop goes inside of an innermost band.
    fn goes_inside(self, band: &Band) -> bool {
        let is_independent = band.members.last().is_some_and(|member| member.coincident);
        self == Self::All || !is_independent
    }
}

impl Reorder for Sink {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.at)?;
        refuse_marked(tree, &at)?;
        let (band, child) = at.band_in(tree)?;
        let (outer, rest) = band.members.split_at(at.member);
        let Some((lane, inner)) = rest.split_first() else {
            return Err(farkas_tree::Error::NoNode(at.band.clone()).into());
        };
        let inside = part(inner, band.permutable, child);
        if !inside.contains_band() {
            return Err(NotApplicable::Innermost.into());
        }
        let instances = reaching(tree, &at.band)?;
        let inside = sunk(&inside, lane, &instances, self.past)?;
        let new = tree.replace(&at.band, part(outer, band.permutable, inside))?;
        if lane.coincident { Ok(new) } else { decided(&new, subject.deps, &at.band) }
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }
}

/// The tree with the loop `lane` inside of its loops, as far as `past` says; around it where there are none.
/// `instances` are those that reach the tree.
///
/// # Errors
/// When isl refuses.
pub fn sunk(
    tree: &ScheduleTree,
    lane: &Member,
    instances: &UnionSet,
    past: Past,
) -> Result<ScheduleTree> {
    match tree.node() {
        Node::Sequence(children) | Node::Set(children) => {
            in_sequence(children, lane, instances, past)
        }
        Node::Band { band, child } if child.contains_band() || past.goes_inside(band) => {
            let inner = sunk(child, lane, instances, past)?;
            // Nothing is to be tiled or interchanged in it any more.
            let band = Band { permutable: false, ..band.clone() };
            Ok(ScheduleTree::band(band, inner))
        }
        _ => around(tree, lane, instances),
    }
}

/// The loop over `tree`.
fn around(tree: &ScheduleTree, lane: &Member, instances: &UnionSet) -> Result<ScheduleTree> {
    let schedule = lane.schedule.intersect_domain(instances)?;
    let band = Band { members: vec![Member { schedule, ..lane.clone() }], permutable: false };
    Ok(ScheduleTree::band(band, tree.clone()))
}

/// The loop in each child of a sequence; neighbours without loops of their own share one.
fn in_sequence(
    children: &[ScheduleTree],
    lane: &Member,
    instances: &UnionSet,
    past: Past,
) -> Result<ScheduleTree> {
    let mut parts: Vec<(UnionSet, ScheduleTree)> = Vec::new();
    let mut simple: Vec<(UnionSet, ScheduleTree)> = Vec::new();
    for child in children {
        let Node::Filter { filter, child } = child.node() else { continue };
        if !child.contains_band() {
            simple.push((filter.clone(), child.clone()));
            continue;
        }
        parts.extend(shared(&mut simple, lane, instances)?);
        let inside = sunk(child, lane, &instances.intersect(filter)?, past)?;
        parts.push((filter.clone(), inside));
    }
    parts.extend(shared(&mut simple, lane, instances)?);
    Ok(ScheduleTree::sequence(parts))
}

/// One loop over all of `simple`, which is empty afterwards.
fn shared(
    simple: &mut Vec<(UnionSet, ScheduleTree)>,
    lane: &Member,
    instances: &UnionSet,
) -> Result<Option<(UnionSet, ScheduleTree)>> {
    if simple.is_empty() {
        return Ok(None);
    }
    let parts = std::mem::take(simple);
    let mut all = UnionSet::none()?;
    for (filter, _) in &parts {
        all = all.union(filter)?;
    }
    let tree = around(&ScheduleTree::sequence(parts), lane, &instances.intersect(&all)?)?;
    Ok(Some((all, tree)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop over two sweeps and what stands before, between and after them goes into each.
    #[test]
    fn a_loop_sinks_into_sweeps() {
        let text = r#"{ domain: "[n] -> { A[i] : 0 <= i < n; B[i, j] : 0 <= i, j < n; C[i] : 0 <= i < n; D[i, j] : 0 <= i, j < n }",
            child: { sequence: [ { filter: "{ A[i] }" },
              { filter: "{ B[i, j] }", child: { schedule: "[{ B[i, j] -> [(j)] }]" } },
              { filter: "{ C[i] }" },
              { filter: "{ D[i, j] }", child: { schedule: "[{ D[i, j] -> [(j)] }]", coincident: [ 1 ] } } ] } }"#;
        let tree: ScheduleTree = text.parse().expect("a tree");
        let Node::Domain { domain, child } = tree.node() else { panic!("a domain comes first") };
        let date = "[n] -> { A[i] -> [(i)]; B[i, j] -> [(i)]; C[i] -> [(i)]; D[i, j] -> [(i)] }";
        let lane = Member::new(date.parse().expect("a date"), true);
        let done = sunk(child, &lane, domain, Past::Sequential).expect("a tree");
        // Below the first sweep, which is sequential, and around the second one, which is not.
        let kinds: Vec<Vec<&str>> = done.children().iter().map(chain).collect();
        assert_eq!(
            kinds,
            [
                vec!["filter", "band", "leaf"],
                vec!["filter", "band", "band", "leaf"],
                vec!["filter", "band", "leaf"],
                vec!["filter", "band", "band", "leaf"],
            ]
        );
    }

    /// The kinds of nodes on the way down.
    fn chain(tree: &ScheduleTree) -> Vec<&'static str> {
        let below = tree.children().first().map(chain).unwrap_or_default();
        [vec![tree.kind()], below].concat()
    }
}
