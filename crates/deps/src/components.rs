//! Strongly connected components of statements, in an order that dependences allow.

use farkas_base::Id;
use farkas_scop::StmtId;
use petgraph::graph::DiGraph;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// The strongly connected components of some statements, dependences between them pointing forward; where dependences leave a
/// choice, the textually first statement comes first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Components {
    /// The statements of each component, ascending.
    pub members: Vec<Vec<StmtId>>,
    /// Pairs of different components with a dependence from the first to the second.
    edges: BTreeSet<(usize, usize)>,
}

impl Components {
    /// The components of `stmts`, ascending, where `edges` lead from statements to those that depend on them.
    pub fn new(stmts: &[StmtId], edges: impl IntoIterator<Item = (StmtId, StmtId)>) -> Self {
        let position = |stmt: &StmtId| stmts.binary_search(stmt).unwrap_or_default();
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<_> = stmts.iter().map(|_| graph.add_node(())).collect();
        for (source, sink) in edges {
            graph.update_edge(nodes[position(&source)], nodes[position(&sink)], ());
        }
        let mut members: Vec<Vec<StmtId>> = petgraph::algo::tarjan_scc(&graph)
            .into_iter()
            .map(|nodes| nodes.into_iter().map(|node| stmts[node.index()]).collect())
            .collect();
        members.iter_mut().for_each(|stmts| stmts.sort_unstable());
        members.sort_unstable();
        let mut component_of = vec![0; stmts.len()];
        for (component, stmts) in members.iter().enumerate() {
            stmts.iter().for_each(|stmt| component_of[position(stmt)] = component);
        }
        let edges: BTreeSet<(usize, usize)> = graph
            .edge_indices()
            .filter_map(|edge| graph.edge_endpoints(edge))
            .map(|(a, b)| (component_of[a.index()], component_of[b.index()]))
            .filter(|(a, b)| a != b)
            .collect();
        let order = topological(members.len(), &edges);
        let mut rank = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &component)| rank[component] = at);
        Self {
            members: order.into_iter().map(|component| members[component].clone()).collect(),
            edges: edges.into_iter().map(|(a, b)| (rank[a], rank[b])).collect(),
        }
    }

    /// The component of each statement.
    pub fn of_stmts(&self) -> BTreeMap<StmtId, usize> {
        let of = |(component, stmts): (usize, &Vec<StmtId>)| {
            stmts.iter().map(move |&stmt| (stmt, component)).collect::<Vec<_>>()
        };
        self.members.iter().enumerate().flat_map(of).collect()
    }

    /// Pairs of different components with a dependence from the first to the second.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.edges.iter().copied()
    }

    /// Components of one statement each, with these dependences between them, which point forward.
    pub fn of_edges(n: usize, edges: &[(usize, usize)]) -> Self {
        let members = (0..n).map(|at| vec![StmtId::from_index(at)]).collect();
        Self { members, edges: edges.iter().copied().collect() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The statements of some components, ascending.
    pub fn stmts(&self, components: &[usize]) -> Vec<StmtId> {
        let mut stmts: Vec<StmtId> =
            components.iter().flat_map(|&c| self.members[c].iter().copied()).collect();
        stmts.sort_unstable();
        stmts
    }

    /// `parts` in an order that dependences allow; `None` when two parts depend on one another.
    pub fn order(&self, parts: &[Vec<usize>]) -> Option<Vec<usize>> {
        let mut part_of = vec![0; self.len()];
        for (part, components) in parts.iter().enumerate() {
            components.iter().for_each(|&component| part_of[component] = part);
        }
        // Parts are numbered by their first statement so that ties fall to the text.
        let mut by_text: Vec<usize> = (0..parts.len()).collect();
        by_text.sort_by_key(|&part| self.stmts(&parts[part]).first().map(|stmt| stmt.index()));
        let mut number = vec![0; parts.len()];
        by_text.iter().enumerate().for_each(|(at, &part)| number[part] = at);
        let edges: BTreeSet<(usize, usize)> = self
            .edges
            .iter()
            .map(|&(a, b)| (number[part_of[a]], number[part_of[b]]))
            .filter(|(a, b)| a != b)
            .collect();
        let order = topological(parts.len(), &edges);
        (order.len() == parts.len()).then(|| order.into_iter().map(|n| by_text[n]).collect())
    }
}

/// The numbers below `n` in an order that `edges` allow, the smallest first where there is a choice. Those on or behind
/// a cycle are left out.
fn topological(n: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<usize> {
    let mut n_before = vec![0_usize; n];
    edges.iter().for_each(|&(_, b)| n_before[b] += 1);
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..n).filter(|&node| n_before[node] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(n);
    while let Some(Reverse(node)) = ready.pop() {
        order.push(node);
        for &(_, after) in edges.range((node, 0)..(node + 1, 0)) {
            n_before[after] -= 1;
            if n_before[after] == 0 {
                ready.push(Reverse(after));
            }
        }
    }
    order
}
