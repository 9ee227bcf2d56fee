//! A loop moved inside of the loops in it.

use crate::Result;
use farkas_poly::UnionSet;
use farkas_tree::{Band, Mark, Member, Node, OneThread, ScheduleTree};

/// How far inside a loop goes.
#[derive(Clone, Copy)]
pub(crate) enum Depth<'a> {
    /// Inside of sequential loops, where it gets this mark; around loops whose iterations run in vector lanes.
    OfSequential(Option<&'a Mark>),
    /// Inside of all loops.
    Innermost,
}

/// The tree with the loop `lane` inside of its loops, as far as `depth` says; around it where there are none.
/// `instances` are those that reach the tree.
///
/// # Errors
/// When isl refuses.
pub(crate) fn sunk(
    tree: &ScheduleTree,
    lane: &Member,
    instances: &UnionSet,
    depth: Depth<'_>,
) -> Result<ScheduleTree> {
    match tree.node() {
        Node::Sequence(children) | Node::Set(children) => {
            in_sequence(children, lane, instances, depth)
        }
        Node::Band { band, child } if child.contains_band() || depth.goes_inside(band) => {
            let inner = sunk(child, lane, instances, depth)?;
            let inner = match (depth, inner.node()) {
                (Depth::OfSequential(Some(mark)), Node::Band { .. }) if !child.contains_band() => {
                    ScheduleTree::mark(mark.clone(), inner)
                }
                _ => inner,
            };
            // Nothing is to be tiled or interchanged in it any more.
            let band = Band { members: depth.outside(&band.members), permutable: false };
            Ok(ScheduleTree::band(band, inner))
        }
        _ => around(tree, lane, instances),
    }
}

impl Depth<'_> {
    /// Whether the loop goes inside of an innermost band.
    fn goes_inside(self, band: &Band) -> bool {
        let is_independent = band.members.last().is_some_and(|member| member.coincident);
        matches!(self, Self::Innermost) || !is_independent
    }

    /// The loops that it went inside of. Threads that share these would take parts of what the loop walks through from
    /// each other, so that they are not called coincident where that is known to be walked through again.
    fn outside(self, members: &[Member]) -> Vec<Member> {
        let is_alone = matches!(self, Self::Innermost);
        let kept = |member: &Member| Member {
            coincident: member.coincident && !is_alone,
            one_thread: (member.coincident && is_alone).then_some(OneThread::Streams),
            ..member.clone()
        };
        members.iter().map(kept).collect()
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
    depth: Depth<'_>,
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
        let inside = sunk(child, lane, &instances.intersect(filter)?, depth)?;
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
        let done =
            sunk(child, &lane, domain, Depth::OfSequential(Some(&Mark::Unroll))).expect("a tree");
        // Below the first sweep, which is sequential, and around the second one, which is not.
        let kinds: Vec<Vec<&str>> = done.children().iter().map(chain).collect();
        assert_eq!(
            kinds,
            [
                vec!["filter", "band", "leaf"],
                vec!["filter", "band", "mark", "band", "leaf"],
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
