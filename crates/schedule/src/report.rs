//! What the scheduler did and why.

use crate::affine::StmtRow;
use crate::config::DirectiveKind;
use crate::fallback::Fallback;
use crate::fusion::FusionDecision;
use crate::relations::RangesId;
use crate::scenario::InfluenceStep;
use farkas_deps::DepId;
use farkas_scop::StmtId;
use std::collections::BTreeSet;
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
    /// What iterations need copies of for that: variables whose live ranges lie in one iteration each.
    pub private: BTreeSet<RangesId>,
    /// Whether neighbouring iterations touch neighbouring elements: some spatial relation that no outer row gave up has a
    /// distance.
    pub walks_lines: bool,
    /// The first dependence whose distance is not zero, where there is one.
    pub carrier: Option<DepId>,
    /// The fallback that found the row, if one did.
    pub fallback: Option<Fallback>,
    /// Whether the plan asked that the tree say neither that the row is coincident nor that its band is permutable.
    pub unmarked: bool,
    /// Columns and rows of the integer program.
    pub ilp_size: (usize, usize),
}

impl RowReport {
    /// The rows of those of `stmts` that have one.
    pub fn of(&self, stmts: &[StmtId]) -> impl Iterator<Item = (StmtId, &StmtRow)> {
        let pairs = self.stmts.iter().copied().zip(&self.rows);
        pairs.filter(|(stmt, _)| stmts.binary_search(stmt).is_ok())
    }

    /// The row of a statement, if it has one.
    pub(crate) fn row_of(&self, stmt: StmtId) -> Option<&StmtRow> {
        self.rows.get(self.stmts.binary_search(&stmt).ok()?)
    }

    /// Whether the row is the same constant for all instances of `stmts`, so that it orders nothing.
    pub(crate) fn is_constant(&self, stmts: &[StmtId]) -> bool {
        let mut rows = self.of(stmts).map(|(_, row)| row);
        let Some(first) = rows.next() else { return true };
        let is_free = |row: &StmtRow| row.iterators.iter().all(|&c| c == 0);
        is_free(first)
            && rows.all(|row| {
                is_free(row) && row.params == first.params && row.constant == first.constant
            })
    }
}

/// Parts that run one after another, for each of some groups whose rows are found together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SequenceReport {
    /// The position of its row, along the path from the root.
    pub dimension: usize,
    /// For each group the statements of its parts, in their order.
    pub groups: Vec<Vec<Vec<StmtId>>>,
}

impl SequenceReport {
    /// Each statement with the position of its part.
    pub fn positions(&self) -> impl Iterator<Item = (StmtId, i64)> {
        self.groups.iter().flat_map(|parts| {
            (0..).zip(parts).flat_map(|(at, stmts)| stmts.iter().map(move |&stmt| (stmt, at)))
        })
    }

    /// The position of a statement's part; zero for a statement of none.
    pub fn position(&self, stmt: StmtId) -> i64 {
        self.positions().find(|(of, _)| *of == stmt).map_or(0, |(_, at)| at)
    }
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
    /// The numbers of the problem are too large, so that the whole scop keeps its original order.
    TooLarge {
        /// The statements.
        stmts: Vec<StmtId>,
        /// What was too large.
        reason: String,
    },
    /// Finding what is used again took too much work, so that the costs that look at it saw nothing.
    LocalityUnknown {
        /// The statements.
        stmts: Vec<StmtId>,
    },
    /// A fusion heuristic put statements together that have no row in common; they were ordered one after another.
    Unfusible {
        /// The statements.
        stmts: Vec<StmtId>,
    },
    /// The strategy asked for a row again and again; the last one found stays.
    RecomputedTooOften {
        /// The statements.
        stmts: Vec<StmtId>,
    },
    /// No row was found that keeps constraints of the user's, and the strategy's fallbacks allow a row without them.
    ConstraintsDropped {
        /// The statements.
        stmts: Vec<StmtId>,
        /// The row that breaks them.
        dimension: usize,
        /// Which constraints of the user's they are: the `origin` of the strategy's data, ascending.
        origins: Vec<usize>,
    },
    /// A directive was dropped because no legal schedule follows it.
    DirectiveDropped {
        /// The statements.
        stmts: Vec<StmtId>,
        /// What it asked for.
        kind: DirectiveKind,
        /// The iterator.
        iterator: usize,
        /// Which directive of the user's it is: the `origin` of the strategy's data.
        origin: usize,
        /// A dependence that forbids it.
        dep: Option<DepId>,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stmts, what) = match self {
            Self::OriginalOrder { stmts } => {
                (stmts, "no schedule found: the original order stays".to_owned())
            }
            Self::OutOfBudget { stmts } => (stmts, "the solver's budget is used up".to_owned()),
            Self::LocalityUnknown { stmts } => (
                stmts,
                "finding what is used again takes too much work: no cost looks at it".to_owned(),
            ),
            Self::TooLarge { stmts, reason } => {
                (stmts, format!("the original order stays: {reason}"))
            }
            Self::Unfusible { stmts } => {
                (stmts, "no common row: ordered one after another".to_owned())
            }
            Self::RecomputedTooOften { stmts } => {
                (stmts, "the strategy asks for a row again without end: the row stays".to_owned())
            }
            Self::ConstraintsDropped { stmts, dimension, origins } => {
                let numbers: Vec<String> = origins.iter().map(usize::to_string).collect();
                (stmts, format!("row {dimension} breaks constraint {}", numbers.join(", ")))
            }
            Self::DirectiveDropped { stmts, kind, iterator, dep, .. } => {
                let why = dep.map_or_else(String::new, |dep| format!(": {dep} forbids it"));
                (stmts, format!("directive {} of iterator {iterator} dropped{why}", kind.name()))
            }
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
    /// The sequences, the outer before those inside.
    pub sequences: Vec<SequenceReport>,
    /// The way through the influence tree, if there is one.
    pub influence: Vec<InfluenceStep>,
    /// Which components were fused, and why or why not.
    pub fusion: Vec<FusionDecision>,
    /// Whether there were false dependences that only keep live ranges apart, so that a row may be coincident, or reverse
    /// them, in spite of them.
    pub reorders_live_ranges: bool,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// One line a row, then fusion decisions and warnings.
impl fmt::Display for ScheduleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "strategy {}", self.strategy)?;
        self.influence.iter().try_for_each(|step| writeln!(f, "{step}"))?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))?;
        self.fusion.iter().try_for_each(|decision| writeln!(f, "{decision}"))?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}

/// `row 1, member 0, coincident, u_n = 0, w = 0: S0 (1 0 | 0 | 0), S1 (1 0 | 0 | 0); carries d3, d4; by other-signs`.
impl fmt::Display for RowReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}, member {}", self.dimension, self.member)?;
        if self.coincident {
            f.write_str(", coincident")?;
        }
        for (name, value) in &self.cost {
            write!(f, ", {name} = {value}")?;
        }
        let rows: Vec<String> =
            self.stmts.iter().zip(&self.rows).map(|(stmt, row)| format!("{stmt} {row}")).collect();
        write!(f, ": {}", rows.join(", "))?;
        if !self.carried.is_empty() {
            let carried: Vec<String> = self.carried.iter().map(DepId::to_string).collect();
            write!(f, "; carries {}", carried.join(", "))?;
        }
        match self.fallback {
            Some(fallback) => write!(f, "; by {}", fallback.name()),
            None => Ok(()),
        }
    }
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
