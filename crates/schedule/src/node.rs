//! What gets a row of its own in an integer program: a statement, or a cluster of statements that moves as a whole.

use crate::affine::StmtRow;
use crate::coalescing::LoopSizes;
use crate::span::Span;
use farkas_scop::StmtId;

farkas_base::define_id!(
    /// A node of an integer program, in the program's order.
    pub struct NodeIdx("N")
);

/// What gets a row of its own: some statements, each with rows that are the basis of its rows.
///
/// A statement alone has the unit rows: its row is any combination of its iterators. A cluster has the members of the band
/// that schedules its statements relative to one another, so that a row of the cluster leaves their order to it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The statements, ascending; there is at least one.
    pub(crate) members: Vec<NodeMember>,
    /// What rows outside the band span in the node's space: a row progresses that is not in it.
    pub(crate) span: Span,
    /// What is known of the sizes of the node's dimensions.
    pub(crate) sizes: LoopSizes,
}

/// A statement of a node.
///
/// **Formulation** For a row of the node with coefficients `c_k`, `d_p` and `c_0`, that of a statement with the basis `b_k`
/// is `sum of c_k b_k + d.n + c_0`.
#[derive(Clone, Debug)]
pub(crate) struct NodeMember {
    pub(crate) stmt: StmtId,
    /// How many iterators it has.
    pub(crate) n_iterators: usize,
    /// One row for each dimension of the node's space.
    pub(crate) basis: Vec<StmtRow>,
}

impl Node {
    /// A statement whose rows so far span `span`.
    pub(crate) fn of_stmt(stmt: StmtId, span: Span, n_params: usize, sizes: &LoopSizes) -> Self {
        let n_iterators = span.n_dims();
        let unit = |dim: usize| StmtRow {
            iterators: (0..n_iterators).map(|i| i64::from(i == dim)).collect(),
            params: vec![0; n_params],
            constant: 0,
        };
        let basis = (0..n_iterators).map(unit).collect();
        let members = vec![NodeMember { stmt, n_iterators, basis }];
        Self { members, span, sizes: sizes.clone() }
    }

    /// Number of dimensions of its space.
    pub(crate) fn n_dims(&self) -> usize {
        self.span.n_dims()
    }
}
