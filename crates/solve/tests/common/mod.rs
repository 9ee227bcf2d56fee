//! Random systems of the shapes that matter, from a generator of our own so that a seed always means the same.

use farkas_base::Id;
use farkas_solve::{Problem, Row, RowKind, VarIdx};

/// The SplitMix64 generator.
pub(crate) struct Random(u64);

impl Random {
    /// The sequence of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of `low ..= high`.
    pub(crate) fn within(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low) + 1;
        low + i64::try_from(self.bits() % span).unwrap_or(0)
    }

    /// A position below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.bits() % (n.max(1) as u64)).unwrap_or(0)
    }

    /// True `percent` times in a hundred.
    pub(crate) fn chance(&mut self, percent: i64) -> bool {
        self.within(1, 100) <= percent
    }
}

/// A system of one of the shapes, bounded by a box in two cases of three so that searches end.
pub(crate) fn system(random: &mut Random) -> Problem {
    let mut problem = match random.below(6) {
        0 => dense(random, 3),
        1 => dense(random, 9),
        2 => with_equalities(random),
        3 => farkas_like(random),
        4 => cyclic(random),
        _ => thin(random),
    };
    if random.chance(50) {
        problem = planted(random, &problem);
    }
    if random.chance(67) {
        for var in problem.vars() {
            let bound = random.within(3, 12);
            add(&mut problem, RowKind::Inequality, Row::new().with(var, -1).with_constant(bound));
        }
    }
    problem
}

/// The system with constants moved so that some small point solves it.
fn planted(random: &mut Random, problem: &Problem) -> Problem {
    let point: Vec<i64> = problem.vars().map(|_| random.within(0, 3)).collect();
    let mut moved = Problem::new(problem.n_vars());
    for (_, kind, row) in problem.rows() {
        let value: i64 =
            row.terms().iter().map(|t| t.1 * point[t.0.index()]).sum::<i64>() + row.constant();
        let shift = match kind {
            RowKind::Equality => -value,
            RowKind::Inequality if value < 0 => random.within(0, 1) - value,
            RowKind::Inequality => 0,
        };
        add(&mut moved, kind, row.clone().with_constant(shift));
    }
    moved
}

/// Adds a row over variables that exist.
fn add(problem: &mut Problem, kind: RowKind, row: Row) {
    problem.add_row(kind, row).expect("the variables exist");
}

/// A row with every coefficient up to `size`.
fn dense_row(random: &mut Random, n_vars: usize, size: i64) -> Row {
    let terms: Vec<_> =
        (0..n_vars).map(|i| (VarIdx::from_index(i), random.within(-size, size))).collect();
    Row::from_terms(terms, random.within(-2 * size, size))
}

/// A row of a few terms.
fn sparse_row(random: &mut Random, n_vars: usize, n_terms: usize, size: i64) -> Row {
    let terms: Vec<_> = (0..n_terms)
        .map(|_| (VarIdx::from_index(random.below(n_vars)), random.within(-size, size)))
        .collect();
    Row::from_terms(terms, random.within(-2, 1))
}

/// Few variables, dense inequalities.
fn dense(random: &mut Random, size: i64) -> Problem {
    let mut problem = Problem::new(1 + random.below(5));
    for _ in 0..1 + random.below(6) {
        let row = dense_row(random, problem.n_vars(), size);
        add(&mut problem, RowKind::Inequality, row);
    }
    problem
}

/// Equalities and inequalities mixed.
fn with_equalities(random: &mut Random) -> Problem {
    let mut problem = Problem::new(2 + random.below(5));
    for _ in 0..1 + random.below(6) {
        let kind = if random.chance(40) { RowKind::Equality } else { RowKind::Inequality };
        let row = dense_row(random, problem.n_vars(), 4);
        add(&mut problem, kind, row);
    }
    problem
}

/// The scheduler's shape: leading sums defined by equalities, many sparse rows of ones, a few that ask for progress.
fn farkas_like(random: &mut Random) -> Problem {
    let n = 4 + random.below(9);
    let mut problem = Problem::new(n);
    let sum = (2..n).map(|i| (VarIdx::from_index(i), -1)).chain([(VarIdx::from_index(0), 1)]);
    add(&mut problem, RowKind::Equality, Row::from_terms(sum, 0));
    for _ in 0..10 + random.below(30) {
        let size = if random.chance(20) { 3 } else { 1 };
        let n_terms = 2 + random.below(4);
        let row = sparse_row(random, n, n_terms, size);
        let row = if random.chance(70) { row.clone().with_constant(-row.constant()) } else { row };
        add(&mut problem, RowKind::Inequality, row);
    }
    for _ in 0..1 + random.below(3) {
        let start = random.below(n - 1);
        let row =
            Row::from_terms((start..n.min(start + 3)).map(|i| (VarIdx::from_index(i), 1)), -1);
        add(&mut problem, RowKind::Inequality, row);
    }
    problem
}

/// Differences around cycles, in blocks of a few unknowns for each node, so that many unknowns turn out equal or zero.
fn cyclic(random: &mut Random) -> Problem {
    let (n_nodes, n_own) = (2 + random.below(4), 1 + random.below(3));
    let mut problem = Problem::new(1 + n_nodes * n_own);
    let own = |node: usize, index: usize| VarIdx::from_index(1 + node * n_own + index);
    for _ in 0..n_nodes + random.below(2 * n_nodes) {
        let (source, target) = (random.below(n_nodes), random.below(n_nodes));
        let mut row = Row::new();
        for index in 0..=random.below(n_own) {
            row.add(own(target, index), 1);
            row.add(own(source, index), if random.chance(10) { -2 } else { -1 });
        }
        if random.chance(30) {
            row.add(VarIdx::from_index(0), random.within(-1, 2));
        }
        let kind = if random.chance(10) { RowKind::Equality } else { RowKind::Inequality };
        let constant = if random.chance(20) { random.within(-1, 2) } else { 0 };
        add(&mut problem, kind, row.with_constant(constant));
    }
    for node in 0..n_nodes {
        let least =
            Row::from_terms((0..n_own).map(|index| (own(node, index), 1)), -random.within(0, 1));
        add(&mut problem, RowKind::Inequality, least);
    }
    problem
}

/// Thin slabs `b <= a.x <= b + w`, often without an integer point.
fn thin(random: &mut Random) -> Problem {
    let mut problem = Problem::new(2 + random.below(3));
    for _ in 0..1 + random.below(3) {
        let row = dense_row(random, problem.n_vars(), 7);
        let mut other = Row::new().with_constant(random.within(0, 2));
        other.add_scaled(-1, &row);
        add(&mut problem, RowKind::Inequality, row);
        add(&mut problem, RowKind::Inequality, other);
    }
    problem
}
