//! The order of parts that do not share their loops: one after another, or in any order where nothing asks for one.

use std::collections::BTreeSet;

/// How much of the freedom that dependences leave to the parts of a group the tree keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PartOrder {
    /// None: all parts run one after another.
    #[default]
    Sequence,
    /// Parts that no chain of dependences joins are the children of a set node; those that one joins run one after
    /// another.
    Components,
    /// So are parts that are joined only through parts that run before or after all of them.
    Decomposed,
}

/// An order of parts, named by their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Arrangement {
    /// One part.
    Part(usize),
    /// One after another.
    Sequence(Vec<Arrangement>),
    /// In any order.
    Set(Vec<Arrangement>),
}

impl Arrangement {
    /// The arrangement of the parts below `n`, which is not zero. Dependences between parts, `edges`, point from smaller
    /// to larger numbers.
    ///
    /// **Paper** none; isl does the first in `compute_component_schedule`, its newer versions the second in
    /// `isl_scc_graph_decompose`.
    pub(crate) fn new(n: usize, edges: &BTreeSet<(usize, usize)>, order: PartOrder) -> Self {
        let parts: Vec<usize> = (0..n).collect();
        match order {
            PartOrder::Sequence => Self::sequence(parts.into_iter().map(Self::Part).collect()),
            PartOrder::Components => set(&parts, edges, &|parts| {
                Self::sequence(parts.iter().copied().map(Self::Part).collect())
            }),
            PartOrder::Decomposed => {
                let edges = without_transitive(n, edges);
                set(&parts, &edges, &|parts| decomposed(parts, &edges))
            }
        }
    }

    /// Whether it lets each part run at any time.
    pub(crate) fn is_free(&self) -> bool {
        let is_part = |child: &Self| matches!(child, Self::Part(_));
        matches!(self, Self::Set(children) if children.iter().all(is_part))
    }

    /// The parts in the order of the arrangement.
    pub(crate) fn parts(&self) -> Vec<usize> {
        match self {
            Self::Part(part) => vec![*part],
            Self::Sequence(children) | Self::Set(children) => {
                children.iter().flat_map(Self::parts).collect()
            }
        }
    }

    /// One after another, where sequences among the children are part of the sequence.
    fn sequence(children: Vec<Self>) -> Self {
        let spliced = children.into_iter().flat_map(|child| match child {
            Self::Sequence(inner) => inner,
            other => vec![other],
        });
        let mut spliced: Vec<Self> = spliced.collect();
        if spliced.len() == 1 { spliced.remove(0) } else { Self::Sequence(spliced) }
    }
}

/// The weakly connected components of `parts` in any order, each arranged by `connected`.
fn set(
    parts: &[usize],
    edges: &BTreeSet<(usize, usize)>,
    connected: &dyn Fn(&[usize]) -> Arrangement,
) -> Arrangement {
    let mut components = weak_components(parts, edges.iter().copied());
    if components.len() == 1 {
        return connected(&components.remove(0));
    }
    Arrangement::Set(components.iter().map(|component| connected(component)).collect())
}

/// Connected `parts`, cut before and after the one with the most dependences, so that what it alone joins comes apart.
fn decomposed(parts: &[usize], edges: &BTreeSet<(usize, usize)>) -> Arrangement {
    let inside: BTreeSet<(usize, usize)> =
        edges.iter().copied().filter(|(a, b)| parts.contains(a) && parts.contains(b)).collect();
    let degrees = |part: usize| {
        (
            inside.iter().filter(|e| e.0 == part).count(),
            inside.iter().filter(|e| e.1 == part).count(),
        )
    };
    let is_fork = |&at: &usize| {
        let (n_after, n_before) = degrees(parts[at]);
        n_after > 1 || n_before > 1
    };
    // Of equals the first.
    let cut = (0..parts.len()).filter(is_fork).min_by_key(|&at| {
        let (n_after, n_before) = degrees(parts[at]);
        std::cmp::Reverse(n_after + n_before)
    });
    let Some(cut) = cut else {
        return Arrangement::sequence(parts.iter().copied().map(Arrangement::Part).collect());
    };
    let pieces = [&parts[..cut], &parts[cut..=cut], &parts[cut + 1..]];
    let pieces = pieces.into_iter().filter(|piece| !piece.is_empty());
    let arranged = pieces.map(|piece| set(piece, &inside, &|parts| decomposed(parts, &inside)));
    Arrangement::sequence(arranged.collect())
}

/// The classes of `nodes`, which ascend, that `edges` among them connect: ascending, by their first nodes.
pub(crate) fn weak_components<N: Copy + PartialEq>(
    nodes: &[N],
    edges: impl Iterator<Item = (N, N)>,
) -> Vec<Vec<N>> {
    let mut class_of: Vec<usize> = (0..nodes.len()).collect();
    let position = |node: N| nodes.iter().position(|other| *other == node);
    for (a, b) in edges {
        let (Some(a), Some(b)) = (position(a), position(b)) else { continue };
        let (keep, drop) = (class_of[a].min(class_of[b]), class_of[a].max(class_of[b]));
        class_of.iter_mut().filter(|class| **class == drop).for_each(|class| *class = keep);
    }
    let of_class = |class: usize| {
        let members = nodes.iter().zip(&class_of).filter(|(_, own)| **own == class);
        members.map(|(node, _)| *node).collect::<Vec<N>>()
    };
    (0..nodes.len()).map(of_class).filter(|members| !members.is_empty()).collect()
}

/// The edges that no longer path replaces.
fn without_transitive(n: usize, edges: &BTreeSet<(usize, usize)>) -> BTreeSet<(usize, usize)> {
    let mut reached: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
    for a in (0..n).rev() {
        let next: Vec<usize> = edges.range((a, 0)..(a + 1, 0)).map(|edge| edge.1).collect();
        let below: Vec<usize> = next.iter().flat_map(|&b| reached[b].iter().copied()).collect();
        reached[a].extend(next.into_iter().chain(below));
    }
    let is_short = |(a, b): &(usize, usize)| {
        edges.range((*a, 0)..(a + 1, 0)).all(|(_, between)| !reached[*between].contains(b))
    };
    edges.iter().copied().filter(is_short).collect()
}

#[cfg(test)]
mod tests {
    use super::{Arrangement, PartOrder};
    use std::fmt;

    /// `a` for a part, `(a b)` for a sequence, `{a b}` for a set.
    impl fmt::Display for Arrangement {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let (open, children, close) = match self {
                Self::Part(part) => return write!(f, "{part}"),
                Self::Sequence(children) => ('(', children, ')'),
                Self::Set(children) => ('{', children, '}'),
            };
            let children: Vec<String> = children.iter().map(Self::to_string).collect();
            write!(f, "{open}{}{close}", children.join(" "))
        }
    }

    fn arranged(n: usize, edges: &[(usize, usize)], order: PartOrder) -> String {
        Arrangement::new(n, &edges.iter().copied().collect(), order).to_string()
    }

    #[test]
    fn components_are_unordered() {
        let edges = [(0, 3), (1, 2), (3, 4)];
        assert_eq!(arranged(5, &edges, PartOrder::Sequence), "(0 1 2 3 4)");
        assert_eq!(arranged(5, &edges, PartOrder::Components), "{(0 3 4) (1 2)}");
        assert_eq!(arranged(1, &[], PartOrder::Components), "0");
        assert_eq!(arranged(2, &[], PartOrder::Decomposed), "{0 1}");
    }

    #[test]
    fn what_one_part_joins_comes_apart() {
        let fork = [(0, 2), (1, 2)];
        assert_eq!(arranged(3, &fork, PartOrder::Components), "(0 1 2)");
        assert_eq!(arranged(3, &fork, PartOrder::Decomposed), "({0 1} 2)");
        assert_eq!(arranged(3, &[(0, 1), (1, 2), (0, 2)], PartOrder::Decomposed), "(0 1 2)");
        let diamond = [(0, 1), (0, 2), (1, 3), (2, 3)];
        assert_eq!(arranged(4, &diamond, PartOrder::Decomposed), "(0 {1 2} 3)");
    }

    /// isl's fork3, with parts for A to G.
    #[test]
    fn nested_sets() {
        let edges = [(0, 2), (1, 2), (2, 4), (3, 4), (4, 5), (4, 6), (0, 6), (1, 4)];
        assert_eq!(arranged(7, &edges, PartOrder::Decomposed), "({({0 1} 2) 3} 4 {5 6})");
    }

    /// Cuts never lose a dependence: on all graphs of four parts, the two ends are ordered by some sequence.
    #[test]
    fn every_dependence_is_kept() {
        let all = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        for chosen in 0..64_u32 {
            let edges: Vec<(usize, usize)> =
                (0..6).filter(|bit| chosen & (1 << bit) != 0).map(|bit| all[bit]).collect();
            for order in [PartOrder::Components, PartOrder::Decomposed] {
                let found = Arrangement::new(4, &edges.iter().copied().collect(), order);
                let mut parts = found.parts();
                assert!(edges.iter().all(|&(a, b)| is_before(&found, a, b)), "{edges:?}: {found}");
                parts.sort_unstable();
                assert_eq!(parts, [0, 1, 2, 3]);
            }
        }
    }

    /// Whether a sequence has `a` in an earlier child than `b`.
    fn is_before(arrangement: &Arrangement, a: usize, b: usize) -> bool {
        let (Arrangement::Sequence(children) | Arrangement::Set(children)) = arrangement else {
            return false;
        };
        let of = |part| children.iter().position(|child| child.parts().contains(&part)).unwrap();
        match arrangement {
            _ if of(a) == of(b) => is_before(&children[of(a)], a, b),
            Arrangement::Sequence(_) => of(a) < of(b),
            _ => false,
        }
    }
}
