//! Progression: what a row must do for each node so that the schedule becomes complete.

use crate::node::NodeIdx;

/// `vector . c >= bound` over the iterator coefficients `c` of a node.
pub(crate) type Bound = (Vec<i64>, i64);

/// What a node must do for the schedule to progress: one of several conjunctions of bounds on its iterator
/// coefficients. The first is preferred.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Progression {
    pub(crate) node: NodeIdx,
    pub(crate) alternatives: Vec<Vec<Bound>>,
    /// A basis of the orthogonal complement of the rows so far: the row must not be orthogonal to all of it.
    basis: Vec<Vec<i64>>,
}

impl Progression {
    /// Linear independence of the rows whose orthogonal complement has the basis `complement`.
    ///
    /// **Paper** PolyTOPS eq. (3). Ours differs: an integer basis of the complement instead of all rows of
    /// `I - Ht(HHt)^-1 H`, which are infeasible after a skewed row; and the other signs are kept for later.
    ///
    /// **Formulation** First `h_k . c >= 0` for all `k` and `sum of h_k . c >= 1`; else `h_k . c >= 1` or
    /// `h_k . c <= -1` for one `k`. The latter together are exactly linear independence.
    pub(crate) fn new(node: NodeIdx, complement: &[Vec<i64>]) -> Self {
        let n_dims = complement.first().map_or(0, Vec::len);
        let is_signed = |h: &&Vec<i64>| h.iter().any(|&c| c < 0);
        let sum = (0..n_dims).map(|i| complement.iter().map(|h| h[i]).sum()).collect();
        let mut positive: Vec<Bound> = vec![(sum, 1)];
        if complement.len() > 1 {
            positive.extend(complement.iter().filter(is_signed).map(|h| (h.clone(), 0)));
        }
        let mut alternatives = vec![positive];
        if complement.iter().any(|h| is_signed(&h)) {
            for h in complement {
                alternatives.push(vec![(h.clone(), 1)]);
                alternatives.push(vec![(negated(h), 1)]);
            }
        }
        Self { node, alternatives, basis: complement.to_vec() }
    }

    /// The number of dimensions of the node's space.
    pub(crate) fn n_dims(&self) -> usize {
        self.basis.first().map_or(0, Vec::len)
    }

    /// Whether a row with these iterator coefficients depends on the rows so far.
    pub(crate) fn is_trivial(&self, iterators: &[i64]) -> bool {
        self.basis.iter().all(|h| dot(h, iterators) == 0)
    }

    /// The cases into which the rows that progress fall, each a conjunction.
    ///
    /// **Paper** the locality model, section 3.3 (optimistic search).
    ///
    /// **Formulation** `h_1.c > 0`; `h_1.c < 0`; `h_1.c = 0` and `h_2.c > 0`; and so on.
    pub(crate) fn cases(&self) -> Vec<Vec<Bound>> {
        let mut cases = Vec::with_capacity(2 * self.basis.len());
        for (at, h) in self.basis.iter().enumerate() {
            let zero = self.basis[..at].iter().flat_map(|h| [(h.clone(), 0), (negated(h), 0)]);
            let zero: Vec<Bound> = zero.collect();
            for vector in [h.clone(), negated(h)] {
                cases.push(zero.iter().cloned().chain([(vector, 1)]).collect());
            }
        }
        cases
    }
}

/// The opposite vector.
fn negated(vector: &[i64]) -> Vec<i64> {
    vector.iter().map(|c| -c).collect()
}

/// The scalar product, wide enough for coefficients of 64 bits.
fn dot(a: &[i64], b: &[i64]) -> i128 {
    a.iter().zip(b).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum()
}
