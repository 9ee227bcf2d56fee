//! Clustering by a judge that tells a story.

use super::{Clustering, ProximityEdge, Reach};
use crate::fusion::{BandWorth, FusionControl, Judge, KeptParallelism};
use crate::{Error, Result};
use farkas_deps::Components;
use farkas_scop::StmtId;
use std::collections::{BTreeMap, BTreeSet};

/// Components with bands of one coincident member, and what their common bands would be: as good, where nothing else
/// is said.
#[derive(Default)]
struct Story {
    n: usize,
    order: Vec<(usize, usize)>,
    /// Source, sink and weight.
    edges: Vec<(usize, usize, usize)>,
    /// How far each edge reaches; small where nothing is said.
    reaches: BTreeMap<usize, Reach>,
    /// The number of coincident members, of two, of the common bands of these components.
    coincident: BTreeMap<Vec<usize>, usize>,
    /// Components without a band that can be shared.
    unshared: Vec<usize>,
    apart: Vec<usize>,
    demanded: Vec<Vec<usize>>,
    /// Whether what is together does not run in step.
    is_strided: bool,
    /// Whether outermost loops run over different data.
    is_misaligned: bool,
    /// How many members common bands lack.
    n_lost: usize,
    control: FusionControl,
    /// What was tried, in this order.
    tried: Vec<Vec<usize>>,
}

fn worth(n_coincident: usize, can_be_shared: bool) -> BandWorth {
    BandWorth { n_members: 2, n_coincident, can_be_shared }
}

impl Judge for Story {
    fn loops_left(&self, _: usize) -> usize {
        2
    }

    fn are_related(&self, _: usize, _: usize) -> bool {
        unreachable!("clustering asks for edges")
    }

    fn can_be_parallel(&mut self, _: &[usize]) -> Result<bool> {
        unreachable!("clustering asks for bands")
    }

    fn band(&mut self, components: &[usize]) -> Result<BandWorth> {
        let n_coincident = self.coincident.get(components).copied().unwrap_or(1);
        Ok(worth(n_coincident, !self.unshared.contains(&components[0])))
    }

    fn proximity_edges(&mut self) -> Result<Vec<ProximityEdge>> {
        let edge = |&(source, sink, weight)| ProximityEdge { source, sink, weight };
        Ok(self.edges.iter().map(edge).collect())
    }

    fn are_aligned(&mut self, _: &[Vec<usize>]) -> Result<bool> {
        Ok(!self.is_misaligned)
    }

    fn combined(&mut self, clusters: &[Vec<usize>], n: usize) -> Result<Option<BandWorth>> {
        let mut all = clusters.concat();
        all.sort_unstable();
        let n_coincident = self.coincident.get(&all).copied().unwrap_or(1);
        self.tried.push(all);
        let together = worth(n_coincident, true);
        let n_members = together.n_members - self.n_lost;
        Ok((n_coincident >= n).then_some(BandWorth { n_members, ..together }))
    }

    fn reach(&mut self, edge: usize, _: &[usize]) -> Result<Reach> {
        let small = Reach { n_members: 2, n_far: 0, is_pinned: true };
        Ok(self.reaches.get(&edge).copied().unwrap_or(small))
    }

    fn runs_in_step(&mut self, _: &[usize]) -> Result<bool> {
        Ok(!self.is_strided)
    }

    fn impossible(&mut self, _: Vec<StmtId>, _: bool) -> Result<Error> {
        unreachable!("clustering refuses nothing")
    }
}

/// The parts, what was tried, and the decisions.
fn run(mut story: Story) -> (Vec<Vec<usize>>, Vec<Vec<usize>>, Vec<String>) {
    let components = Components::of_edges(story.n, &story.order);
    let apart: BTreeSet<usize> = story.apart.iter().copied().collect();
    let (control, demanded) = (story.control.clone(), story.demanded.clone());
    let clustering = Clustering::new(&components, &control, &apart, &demanded, &mut story);
    let found = clustering.unwrap().run(&mut story).unwrap();
    let decisions = found.decisions.iter().map(ToString::to_string).collect();
    (found.parts, story.tried, decisions)
}

const FAR: Reach = Reach { n_members: 2, n_far: 1, is_pinned: false };
const PINNED: Reach = Reach { n_members: 2, n_far: 1, is_pinned: true };

#[test]
fn a_short_edge_is_reason_enough() {
    let edges = vec![(0, 1, 2), (0, 1, 1), (1, 2, 1)];
    let reaches = BTreeMap::from([(0, FAR), (2, FAR)]);
    let (parts, _, decisions) = run(Story { n: 3, edges, reaches, ..Story::default() });
    assert_eq!(parts, [&[0, 1][..], &[2]]);
    let closer = "fused: S0 and S1: a relation between them becomes short";
    let far = "apart: S0, S1 and S2: no relation between them becomes short";
    assert_eq!(decisions, [closer, far]);
}

#[test]
fn edges_that_align_more_come_first_then_near_ones() {
    let edges = vec![(0, 3, 1), (0, 1, 1), (2, 3, 1), (4, 5, 2)];
    let (parts, tried, _) = run(Story { n: 6, edges, ..Story::default() });
    assert_eq!(tried, [&[4, 5][..], &[2, 3], &[0, 1], &[0, 1, 2, 3]]);
    assert_eq!(parts, [&[0, 1, 2, 3][..], &[4, 5]]);
}

#[test]
fn what_must_run_between_comes_along() {
    let (order, edges) = (vec![(0, 1), (1, 2), (1, 3)], vec![(0, 2, 1)]);
    let (parts, tried, decisions) = run(Story { n: 4, order, edges, ..Story::default() });
    assert_eq!((parts, tried), (vec![vec![0, 1, 2], vec![3]], vec![vec![0, 1, 2]]));
    assert_eq!(decisions, ["fused: S0 and S1, S2: a relation between them becomes short"]);
}

#[test]
fn what_is_apart_by_itself_stays_apart_with_more() {
    let (order, edges) = (vec![(0, 1), (1, 2)], vec![(0, 1, 2), (0, 2, 1)]);
    let reaches = BTreeMap::from([(0, FAR)]);
    let (parts, tried, decisions) = run(Story { n: 3, order, edges, reaches, ..Story::default() });
    assert_eq!((parts.len(), tried), (3, vec![vec![0, 1]]));
    assert_eq!(decisions[1], "apart: S0 and S1, S2: some of them are better apart");
}

#[test]
fn pinned_edges_wait_for_all_others() {
    let edges = vec![(0, 1, 1), (1, 2, 1), (2, 3, 1)];
    let reaches = BTreeMap::from([(2, PINNED)]);
    let (parts, tried, decisions) = run(Story { n: 4, edges, reaches, ..Story::default() });
    assert_eq!(parts, [[0, 1, 2, 3]]);
    assert_eq!(tried, [&[2, 3][..], &[1, 2], &[0, 1, 2], &[0, 1, 2, 3]]);
    let pinned =
        "a relation between them becomes short but where it begins or ends at one iteration";
    assert_eq!(decisions[2], format!("fused: S0, S1, S2 and S3: {pinned}"));
}

#[test]
fn pinned_members_are_not_more_than_those_that_cannot_be_aligned() {
    let reaches = BTreeMap::from([(0, PINNED)]);
    let edges = vec![(0, 1, 2)];
    let (parts, tried, _) = run(Story { n: 2, edges, reaches, ..Story::default() });
    assert_eq!((parts.len(), tried.len()), (2, 1));
}

#[test]
fn parallelism_is_kept_as_far_as_asked() {
    let story = |kept, both| Story {
        n: 2,
        edges: vec![(0, 1, 1)],
        coincident: BTreeMap::from([(vec![0], 2), (vec![1], 0), (vec![0, 1], both)]),
        control: FusionControl { kept_parallelism: kept, ..FusionControl::default() },
        ..Story::default()
    };
    for (kept, both, decision) in [
        (KeptParallelism::All, 2, "fused: S0 and S1: a relation between them becomes short"),
        (KeptParallelism::All, 1, "apart: S0 and S1: fewer outer loops would be parallel"),
        (KeptParallelism::Outermost, 1, "fused: S0 and S1: a relation between them becomes short"),
        (
            KeptParallelism::Outermost,
            0,
            "apart: S0 and S1: the outermost loop would no longer be parallel",
        ),
        (KeptParallelism::None, 0, "fused: S0 and S1: a relation between them becomes short"),
    ] {
        assert_eq!(run(story(kept, both)).2, [decision]);
    }
}

#[test]
fn what_runs_out_of_step_comes_together_only_if_that_is_allowed() {
    let story = |allows_strides| Story {
        n: 2,
        edges: vec![(0, 1, 1)],
        is_strided: true,
        control: FusionControl { allows_strides, ..FusionControl::default() },
        ..Story::default()
    };
    let apart = "apart: S0 and S1: some would run only in each k-th iteration of the common loops";
    assert_eq!(run(story(false)).2, [apart]);
    assert_eq!(run(story(true)).0, [[0, 1]]);
}

#[test]
fn depth_may_be_lost_or_kept() {
    let story = |n_lost, keeps_depth| Story {
        n: 2,
        edges: vec![(0, 1, 1)],
        n_lost,
        control: FusionControl { keeps_depth, ..FusionControl::default() },
        ..Story::default()
    };
    let verdict = |story| run(story).2[0].rsplit(": ").next().unwrap().to_owned();
    assert_eq!(verdict(story(1, false)), "a relation between them becomes short");
    assert_eq!(verdict(story(1, true)), "fewer loops would be permutable");
    assert_eq!(verdict(story(2, false)), "they have no legal row in common");
}

#[test]
fn outermost_loops_may_have_to_be_aligned() {
    let story = |is_typed| Story {
        n: 2,
        edges: vec![(0, 1, 1)],
        is_misaligned: true,
        control: FusionControl { is_typed, ..FusionControl::default() },
        ..Story::default()
    };
    let apart = "apart: S0 and S1: their outermost loops are not parallel over the same data";
    assert_eq!(run(story(true)).2, [apart]);
    assert_eq!(run(story(false)).0, [[0, 1]]);
}

#[test]
fn nothing_joins_a_component_without_a_band_or_one_kept_apart() {
    let edges = vec![(0, 1, 1), (1, 2, 1)];
    let story = Story { n: 3, edges, unshared: vec![0], apart: vec![2], ..Story::default() };
    let (parts, tried, decisions) = run(story);
    assert_eq!((parts.len(), tried.len()), (3, 0));
    let unshared = "apart: S0 and S1: one of them has no permutable band to share";
    let alone = "apart: S1 and S2: one of them is to have a loop of its own";
    assert_eq!(decisions, [alone, unshared]);
}

#[test]
fn demanded_groups_take_others_in_but_not_one_another() {
    let edges = vec![(1, 2, 2), (2, 3, 1)];
    let demanded = vec![vec![0, 1], vec![3, 4]];
    let (parts, _, decisions) = run(Story { n: 5, edges, demanded, ..Story::default() });
    assert_eq!(parts, [&[0, 1, 2][..], &[3, 4]]);
    let apart = "apart: S0, S1, S2 and S3, S4: one of them is to have a loop of its own";
    assert_eq!(decisions[1], apart);
}
