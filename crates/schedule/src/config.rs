//! A strategy as data: what the JSON interface says, resolved against one scop.
//!
//! **Paper** PolyTOPS, section III and Listing 1.

use crate::coefficient::Coefficient;
use crate::fallback::Fallback;
use crate::fusion::{FusionHeuristic, KeptParallelism};
use farkas_deps::{DependenceKind, LocalityOptions};
use farkas_scop::StmtId;
use farkas_solve::RowKind;
use std::num::NonZeroU32;

/// The rows of the schedule that something applies to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dimension {
    /// Every row for which nothing else is said.
    Default,
    /// One row, counted from 0 along the path from the root; the rows of sequences count, too.
    At(usize),
    /// Rows behind which every statement has all its loops, where nothing is said of their numbers.
    Last,
}

/// A variable of the user's, a non-negative integer unless it is signed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UserVariable {
    /// Its name.
    pub name: String,
    /// Whether it may be negative. Where it is minimised, its magnitude is; of two opposite values the positive one wins.
    pub is_signed: bool,
}

/// A cost function by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CostChoice {
    /// The bound on the distance of dependences of the kinds in [`Config::proximity_kinds`].
    Proximity,
    /// The same for flow dependences alone.
    FlowProximity,
    /// The same for anti and output dependences alone.
    MemoryProximity,
    /// As few dependences as possible that the row does not carry.
    Feautrier,
    /// Iterators outermost that move far in memory.
    Contiguity,
    /// Iterators outermost that run long.
    BigLoopsFirst,
    /// Iterators outermost along which accesses go farthest.
    LongStridesFirst,
    /// Small coefficients; minimised last where a list does not have it.
    CoefficientSums,
    /// As few groups of references as possible whose elements or lines the row tears apart.
    TemporalSpatial,
    /// As many groups of references as possible whose lines the row walks along.
    CarrySpatial,
    /// A variable of the user's, by its position in [`Config::variables`].
    Variable(usize),
}

impl CostChoice {
    /// Whether the cost looks at what is used again.
    pub fn follows_reuse(self) -> bool {
        matches!(self, Self::TemporalSpatial | Self::CarrySpatial)
    }
}

/// A term of a constraint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ConfigTerm {
    /// A coefficient of a statement's row.
    Coefficient(StmtId, Coefficient),
    /// A variable of the user's, by its position in [`Config::variables`].
    Variable(usize),
}

/// A constraint of the user's: `sum of factor * term + constant`, zero or not negative.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ConfigConstraint {
    /// The rows that it restricts.
    pub dimension: Dimension,
    /// Zero, or not negative.
    pub kind: RowKind,
    /// The terms with their factors.
    pub terms: Vec<(ConfigTerm, i64)>,
    /// The constant.
    pub constant: i64,
    /// Which constraint of the user's it came from; several may come from one.
    pub origin: usize,
}

/// What the user says of distribution at one dimension.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FusionRule {
    /// Where the components are put together or apart.
    pub dimension: Dimension,
    /// Whether every strongly connected component gets loops of its own.
    pub total_distribution: bool,
    /// Statements that share their loops, and apart from other groups. Statements that no group has stay free.
    pub groups: Vec<Vec<StmtId>>,
}

/// What a directive asks of a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DirectiveKind {
    /// The loop over the iterator alone, as far out as may be, and parallel.
    Parallel,
    /// The loop over the iterator innermost, not shared with other statements, and without dependences.
    Vectorize,
    /// The loop is not marked as parallel.
    Sequential,
}

impl DirectiveKind {
    /// The word of the JSON interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parallel => "parallel",
            Self::Vectorize => "vectorize",
            Self::Sequential => "sequential",
        }
    }
}

/// A wish of the user's for one iterator of some statements. One that legality forbids is dropped with a warning.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Directive {
    /// What it asks for.
    pub kind: DirectiveKind,
    /// The statements, ascending.
    pub stmts: Vec<StmtId>,
    /// The iterator of each of them, counted from the outermost.
    pub iterator: usize,
    /// Which directive of the user's it came from; several may come from one.
    pub origin: usize,
}

/// How many parallel loops are looked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Degree {
    /// As many as there are, from the outermost row of each band on.
    #[default]
    All,
    /// One around each statement: then rows are free to serve locality.
    Single,
}

/// What is done for parallel loops.
///
/// **Paper** the locality model, section 4.7.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Parallelism {
    /// How many are looked for.
    pub degree: Degree,
    /// Where the first row of a band cannot be parallel and the statements' references press harder on registers than this,
    /// the row carries what it can instead (Feautrier's cost), for the sake of parallel rows inside it. None: it never does.
    pub max_pressure: Option<i64>,
    /// Whether that is left where a statement has two loops or fewer to go: starting threads inside is not worth it.
    pub avoids_inner: bool,
}

/// A strategy as data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Its name.
    pub name: String,
    /// Variables for constraints and costs.
    pub variables: Vec<UserVariable>,
    /// What to minimise, in this order; at most one entry for each dimension.
    pub costs: Vec<(Dimension, Vec<CostChoice>)>,
    /// Extra constraints; those of [`Dimension::Default`] hold in every row.
    pub constraints: Vec<ConfigConstraint>,
    /// Distribution; at most one entry for each dimension.
    pub fusion: Vec<FusionRule>,
    /// What decides of fusion where no rule does.
    pub heuristic: FusionHeuristic,
    /// What [`FusionHeuristic::Smart`] and [`FusionHeuristic::Cluster`] do not give up to put components together.
    pub kept_parallelism: KeptParallelism,
    /// Whether what touches the same lines is a reason to share loops, too.
    pub spatial_fusion: bool,
    /// Whether [`FusionHeuristic::Cluster`] keeps apart what would have to change its outermost loop to be parallel together.
    pub typed_fusion: bool,
    /// Whether live ranges of temporaries may change their order.
    pub live_range_reordering: bool,
    /// Wishes for single loops, the most important first.
    pub directives: Vec<Directive>,
    /// Whether loops to vectorize are found, too.
    pub auto_vectorization: bool,
    /// Whether and how rows that are parallel come before all other costs.
    pub parallelism: Option<Parallelism>,
    /// How many neighbouring elements of an array count as one line for temporal and spatial proximity.
    pub line: NonZeroU32,
    /// Whether coefficients of iterators may be negative.
    pub negative_coefficients: bool,
    /// Whether rows may use parameters.
    pub parametric_shift: bool,
    /// An upper bound on the magnitude of the coefficients of iterators and parameters.
    pub max_coefficient: Option<i64>,
    /// What to do where there is no row, in this order.
    pub fallbacks: Vec<Fallback>,
    /// The dependences that `proximity` bounds and that make statements related for the fusion heuristic.
    pub proximity_kinds: Vec<DependenceKind>,
}

impl Config {
    /// Whether the dependences must hold those between reads of the same element.
    pub fn needs_input(&self) -> bool {
        self.proximity_kinds.contains(&DependenceKind::Input)
    }

    /// Whether a cost looks at what is used again.
    pub fn needs_locality(&self) -> bool {
        self.costs.iter().any(|(_, costs)| costs.iter().any(|cost| cost.follows_reuse()))
    }
}

impl Default for Config {
    /// PolyTOPS' `pluto-style`: proximity in every dimension.
    fn default() -> Self {
        Self {
            name: "custom".to_owned(),
            variables: Vec::new(),
            costs: vec![(Dimension::Default, vec![CostChoice::Proximity])],
            constraints: Vec::new(),
            fusion: Vec::new(),
            heuristic: FusionHeuristic::Smart,
            kept_parallelism: KeptParallelism::default(),
            spatial_fusion: false,
            typed_fusion: false,
            live_range_reordering: false,
            directives: Vec::new(),
            auto_vectorization: false,
            parallelism: None,
            line: LocalityOptions::default().line_elems,
            negative_coefficients: false,
            parametric_shift: false,
            max_coefficient: None,
            fallbacks: Fallback::USUAL.to_vec(),
            proximity_kinds: vec![
                DependenceKind::Flow,
                DependenceKind::Anti,
                DependenceKind::Output,
            ],
        }
    }
}
