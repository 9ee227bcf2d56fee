//! The tree itself.

use crate::coefficient::Coefficient;
use crate::config::UserVariable;
use crate::fallback::Fallback;
use farkas_scop::StmtId;
use farkas_solve::RowKind;

/// A term of an influence constraint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InfluenceTerm {
    /// A coefficient of a statement in the row of this depth or of one further out.
    Coefficient {
        /// The statement.
        stmt: StmtId,
        /// The depth of the row, at most that of the node; 0 is the outermost.
        depth: usize,
        /// Which coefficient.
        which: Coefficient,
    },
    /// A variable of the node's, by its position in [`InfluenceNode::variables`].
    Variable(usize),
}

/// `sum of factor * term + constant`, zero or not negative.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InfluenceConstraint {
    /// Zero, or not negative.
    pub kind: RowKind,
    /// The terms with their factors.
    pub terms: Vec<(InfluenceTerm, i64)>,
    /// The constant.
    pub constant: i64,
    /// The constraint as its author wrote it, for traces.
    pub text: String,
}

/// What is asked of one row, and alternatives for the next.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct InfluenceNode {
    /// The constraints on the coefficients of this row and the rows further out.
    pub constraints: Vec<InfluenceConstraint>,
    /// Whether the row must be coincident.
    pub requires_parallel: bool,
    /// Whether the row must belong to the band of the row before it.
    pub requires_permutable: bool,
    /// Statements that must not share the loop of this row with others.
    pub unfused: Vec<StmtId>,
    /// Variables of this row, for constraints and objectives.
    pub variables: Vec<UserVariable>,
    /// Variables to minimise before the costs of the strategy, by their position, in this order.
    pub objectives: Vec<usize>,
    /// Alternatives for the next row, the best first.
    pub children: Vec<InfluenceNode>,
}

/// An ordered tree of scenarios: a path from the root's children to a leaf is one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InfluenceTree {
    /// Alternatives for the outermost row, the best first.
    pub children: Vec<InfluenceNode>,
    /// What to do where a row has no solution, in this order.
    pub fallbacks: Vec<Fallback>,
}

impl InfluenceTree {
    /// A tree with the fallback order of constraint injection, Algorithm 1.
    pub fn new(children: Vec<InfluenceNode>) -> Self {
        Self {
            children,
            fallbacks: vec![
                Fallback::DropProgression,
                Fallback::NextSibling,
                Fallback::NewBand,
                Fallback::AncestorSibling,
                Fallback::SeparateComponents,
            ],
        }
    }
}
