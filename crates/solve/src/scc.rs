//! Strongly connected components, for merging unknowns that bound each other.

/// For each of `n` nodes, the smallest node of its strongly connected component under `edges`.
///
/// **Paper** R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM J. Computing 1(2), 1972; without
/// recursion, so that a long chain needs no stack.
pub(crate) fn components(n: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let graph = Graph::new(n, edges);
    let mut search = Search::new(n);
    for node in 0..n {
        if search.orders[node] == 0 {
            search.run(node, &graph);
        }
    }
    search.firsts
}

/// Successor lists, packed: those of `node` are `targets[starts[node] .. starts[node + 1]]`.
struct Graph {
    starts: Vec<usize>,
    targets: Vec<usize>,
}

impl Graph {
    fn new(n: usize, edges: &[(usize, usize)]) -> Self {
        let mut starts = vec![0; n + 1];
        for edge in edges {
            starts[edge.0 + 1] += 1;
        }
        for node in 0..n {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            targets[next[from]] = to;
            next[from] += 1;
        }
        Self { starts, targets }
    }
}

/// The state of the depth-first search.
struct Search {
    /// Per node, when it was found, from one; zero for not yet.
    orders: Vec<usize>,
    /// Per node, the earliest open node reached from it.
    lows: Vec<usize>,
    /// Found nodes whose component is not complete.
    open: Vec<usize>,
    is_open: Vec<bool>,
    n_found: usize,
    /// The answer.
    firsts: Vec<usize>,
}

impl Search {
    fn new(n: usize) -> Self {
        Self {
            orders: vec![0; n],
            lows: vec![0; n],
            open: Vec::new(),
            is_open: vec![false; n],
            n_found: 0,
            firsts: (0..n).collect(),
        }
    }

    /// Searches from `root`.
    fn run(&mut self, root: usize, graph: &Graph) {
        let mut path = vec![self.enter(root, graph)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if *next < graph.starts[node + 1] {
                let target = graph.targets[*next];
                *next += 1;
                if self.orders[target] == 0 {
                    path.push(self.enter(target, graph));
                } else if self.is_open[target] {
                    self.lows[node] = self.lows[node].min(self.orders[target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.lows[parent] = self.lows[parent].min(self.lows[node]);
            }
            self.close(node);
        }
    }

    /// Notes that `node` is found; gives it with its first edge.
    fn enter(&mut self, node: usize, graph: &Graph) -> (usize, usize) {
        self.n_found += 1;
        self.orders[node] = self.n_found;
        self.lows[node] = self.n_found;
        self.open.push(node);
        self.is_open[node] = true;
        (node, graph.starts[node])
    }

    /// Completes the component of `node` if `node` is where it was entered.
    fn close(&mut self, node: usize) {
        if self.lows[node] != self.orders[node] {
            return;
        }
        let start = self.open.iter().rposition(|&open| open == node).unwrap_or(0);
        let members = self.open.split_off(start);
        let first = members.iter().copied().min().unwrap_or(node);
        for member in members {
            self.is_open[member] = false;
            self.firsts[member] = first;
        }
    }
}
