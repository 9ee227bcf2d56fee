//! Disjoint sets of components that can be run one after another, while some of them become one.

use farkas_deps::Components;
use std::collections::BTreeSet;

/// The clusters of some components, each named by its first component, in an order that dependences allow.
pub(super) struct Clusters {
    /// For each component those that a dependence makes come after it, and before it.
    after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    /// For each component the name of its cluster.
    cluster_of: Vec<usize>,
    /// The components of each cluster, ascending; none where no cluster has the name.
    members: Vec<Vec<usize>>,
    /// Where each cluster is in `order`.
    position: Vec<usize>,
    /// The clusters in an order that dependences allow; clusters that became one leave gaps.
    order: Vec<Option<usize>>,
}

impl Clusters {
    /// One cluster for each of the `given` sets of components, which can be ordered, and one for each other component.
    pub(super) fn new(components: &Components, given: &[Vec<usize>]) -> Self {
        let n = components.len();
        let (mut after, mut before) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for (a, b) in components.edges() {
            after[a].push(b);
            before[b].push(a);
        }
        let mut cluster_of: Vec<usize> = (0..n).collect();
        for group in given {
            let first = group.iter().copied().min().unwrap_or_default();
            group.iter().for_each(|&component| cluster_of[component] = first);
        }
        let mut members = vec![Vec::new(); n];
        (0..n).for_each(|component| members[cluster_of[component]].push(component));
        let names: Vec<usize> = (0..n).filter(|&c| cluster_of[c] == c).collect();
        let parts: Vec<Vec<usize>> = names.iter().map(|&name| members[name].clone()).collect();
        let sorted = components.order(&parts).unwrap_or_else(|| (0..names.len()).collect());
        let order: Vec<Option<usize>> = sorted.into_iter().map(|at| Some(names[at])).collect();
        let mut position = vec![0; n];
        for (at, name) in order.iter().flatten().enumerate() {
            position[*name] = at;
        }
        Self { after, before, cluster_of, members, position, order }
    }

    /// The cluster of a component.
    pub(super) fn of(&self, component: usize) -> usize {
        self.cluster_of[component]
    }

    /// The names of all clusters, ascending.
    pub(super) fn names(&self) -> impl Iterator<Item = usize> {
        (0..self.members.len()).filter(|&name| !self.members[name].is_empty())
    }

    /// The components of a cluster, ascending.
    pub(super) fn members(&self, name: usize) -> &[usize] {
        &self.members[name]
    }

    /// Two clusters and all that must run between them, ascending.
    pub(super) fn between(&self, a: usize, b: usize) -> BTreeSet<usize> {
        let (first, last) = if self.position[a] < self.position[b] { (a, b) } else { (b, a) };
        let window = self.position[first]..=self.position[last];
        let is_in = |cluster: usize| window.contains(&self.position[cluster]);
        let behind = self.reached(&self.after, [first], is_in);
        let ahead = self.reached(&self.before, [last], is_in);
        behind.intersection(&ahead).copied().chain([a, b]).collect()
    }

    /// Makes one of some clusters, which are all that must run between them.
    pub(super) fn combine(&mut self, clusters: &BTreeSet<usize>) {
        let (Some(&name), Some(window)) = (clusters.first(), self.window(clusters)) else { return };
        let is_in = |cluster: usize| window.contains(&self.position[cluster]);
        let ahead = self.reached(&self.before, clusters.iter().copied(), is_in);
        let here = self.order[window.clone()].iter().flatten().copied();
        let others = here.filter(|cluster| !clusters.contains(cluster));
        let (first, last): (Vec<usize>, Vec<usize>) = others.partition(|c| ahead.contains(c));
        let sorted: Vec<usize> = first.into_iter().chain([name]).chain(last).collect();
        let start = *window.start();
        self.order[window].fill(None);
        for (at, cluster) in sorted.into_iter().enumerate() {
            self.order[start + at] = Some(cluster);
            self.position[cluster] = start + at;
        }
        let members = clusters.iter().flat_map(|&c| std::mem::take(&mut self.members[c]));
        let mut members: Vec<usize> = members.collect();
        members.sort_unstable();
        members.iter().for_each(|&component| self.cluster_of[component] = name);
        self.members[name] = members;
    }

    /// The part of the order that has all of `clusters`.
    fn window(&self, clusters: &BTreeSet<usize>) -> Option<std::ops::RangeInclusive<usize>> {
        let positions = || clusters.iter().map(|&cluster| self.position[cluster]);
        Some(positions().min()?..=positions().max()?)
    }

    /// The clusters that `next` leads to from `start` by way of clusters that are in reach.
    fn reached(
        &self,
        next: &[Vec<usize>],
        start: impl IntoIterator<Item = usize>,
        is_in_reach: impl Fn(usize) -> bool,
    ) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut stack: Vec<usize> = start.into_iter().collect();
        while let Some(cluster) = stack.pop() {
            for &component in self.members[cluster].iter().flat_map(|&member| &next[member]) {
                let other = self.cluster_of[component];
                if other != cluster && is_in_reach(other) && found.insert(other) {
                    stack.push(other);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Clusters;
    use farkas_deps::Components;
    use std::collections::BTreeSet;

    fn clusters(n: usize, edges: &[(usize, usize)], given: &[&[usize]]) -> Clusters {
        let given: Vec<Vec<usize>> = given.iter().map(|group| group.to_vec()).collect();
        Clusters::new(&Components::of_edges(n, edges), &given)
    }

    /// All clusters in their order, each with its components.
    fn ordered(clusters: &Clusters) -> Vec<&[usize]> {
        clusters.order.iter().flatten().map(|&name| clusters.members(name)).collect()
    }

    fn between(clusters: &Clusters, a: usize, b: usize) -> Vec<usize> {
        clusters.between(a, b).into_iter().collect()
    }

    #[test]
    fn what_runs_between_is_on_a_path() {
        let found = clusters(6, &[(0, 1), (1, 3), (0, 2), (3, 4), (2, 5)], &[]);
        assert_eq!(between(&found, 0, 3), [0, 1, 3]);
        assert_eq!(between(&found, 3, 0), [0, 1, 3]);
        assert_eq!(between(&found, 2, 4), [2, 4]);
        assert_eq!(between(&found, 0, 5), [0, 2, 5]);
    }

    #[test]
    fn paths_lead_through_clusters() {
        // 0 -> 1, {1, 2}, 2 -> 3 only by the cluster.
        let found = clusters(4, &[(0, 1), (2, 3)], &[&[1, 2]]);
        assert_eq!(between(&found, 0, 3), [0, 1, 3]);
        assert_eq!(found.names().collect::<Vec<_>>(), [0, 1, 3]);
    }

    #[test]
    fn combining_keeps_an_order() {
        // 2 comes before 3, 1 after 0: with 0 and 3 as one, 2 moves ahead and 1 behind.
        let mut found = clusters(4, &[(0, 1), (2, 3)], &[]);
        found.combine(&BTreeSet::from([0, 3]));
        assert_eq!(ordered(&found), [&[2][..], &[0, 3], &[1]]);
        assert_eq!(between(&found, 2, 1), [0, 1, 2]);
        found.combine(&BTreeSet::from([0, 1, 2]));
        assert_eq!(ordered(&found), [[0, 1, 2, 3]]);
        assert_eq!(found.of(3), 0);
    }
}
