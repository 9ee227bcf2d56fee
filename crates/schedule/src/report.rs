//! What the scheduler did and why.

use crate::affine::StmtRow;
use crate::fusion::FusionDecision;
use crate::plan::Fallback;
use farkas_deps::DepId;
use farkas_scop::StmtId;
use std::fmt;

/// One row: the same member of one band for each statement of a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowReport {
    /// The row's position, sequences counted, along the path from the root.
    pub dimension: usize,
    /// The member of its band.
    pub member: usize,
    /// The statements, ascending.
    pub stmts: Vec<StmtId>,
    /// The row of each.
    pub rows: Vec<StmtRow>,
    /// The leading variables of the plan's cost functions, with their values.
    pub cost: Vec<(String, i64)>,
    /// Dependences of which this row carries what outer rows left.
    pub carried: Vec<DepId>,
    /// Whether all dependences that outer bands leave have distance zero.
    pub coincident: bool,
    /// The fallback that found the row, if one did.
    pub fallback: Option<Fallback>,
    /// Columns and rows of the integer program.
    pub ilp_size: (usize, usize),
}

/// What the user should know of a schedule. The schedule is legal all the same.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Warning {
    /// No row was found for these statements, so that they keep their original order.
    OriginalOrder {
        /// The statements.
        stmts: Vec<StmtId>,
    },
    /// The budget ran out while looking for a row for these statements.
    OutOfBudget {
        /// The statements.
        stmts: Vec<StmtId>,
    },
    /// A fusion heuristic put statements together that have no row in common; they were ordered one after another.
    Unfusible {
        /// The statements.
        stmts: Vec<StmtId>,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stmts, what) = match self {
            Self::OriginalOrder { stmts } => (stmts, "no schedule found: the original order stays"),
            Self::OutOfBudget { stmts } => (stmts, "the budget of the solver is used up"),
            Self::Unfusible { stmts } => (stmts, "no common row: ordered one after another"),
        };
        let names: Vec<String> = stmts.iter().map(StmtId::to_string).collect();
        write!(f, "{}: {what}", names.join(", "))
    }
}

/// What the scheduler did and why.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScheduleReport {
    /// The strategy's name.
    pub strategy: String,
    /// The rows, in the order of the tree.
    pub rows: Vec<RowReport>,
    /// Which components were fused, and why or why not.
    pub fusion: Vec<FusionDecision>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// Work done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScheduleStats {
    /// Pivots of our solver; zero for another.
    pub n_pivots: u64,
    /// Units of work drawn from the solver's budget.
    pub solver_work: u64,
    /// Integer programs solved, those of fusions that were tried and rejected included.
    pub n_ilps: u64,
    /// Different dependence shapes.
    pub n_shapes: usize,
}
