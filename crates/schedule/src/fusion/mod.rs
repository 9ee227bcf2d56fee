//! Fusion: which strongly connected components share their loops.

mod cluster;
mod clusters;
mod control;
mod greedy;
mod whole;

pub use cluster::{ProximityEdge, Reach};
pub use control::{FusionControl, FusionHeuristic, KeptParallelism};
pub(crate) use whole::Whole;

use crate::{Error, Result};
use farkas_deps::Components;
use farkas_scop::StmtId;
use std::fmt;

/// What a band found for some components would be worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BandWorth {
    /// Members of the band; zero when none was found.
    pub n_members: usize,
    /// How many of its outer members are coincident.
    pub n_coincident: usize,
    /// Whether other components may join it: not where there is none although loops are left, nor where its rows only carry
    /// what no band is found for.
    pub can_be_shared: bool,
}

/// Answers a heuristic's questions about components.
pub trait Judge {
    /// How many loops the statements of a component still need; the largest number.
    fn loops_left(&self, component: usize) -> usize;

    /// Whether a dependence that the strategy wants short joins two components, in whatever direction.
    fn are_related(&self, a: usize, b: usize) -> bool;

    /// Whether these components together may have a first row of distance zero. Cheaper than [`Judge::band`].
    ///
    /// # Errors
    /// When the solver or isl fail.
    fn can_be_parallel(&mut self, components: &[usize]) -> Result<bool>;

    /// What the first band of these components together would be worth.
    ///
    /// # Errors
    /// When the solver or isl fail.
    fn band(&mut self, components: &[usize]) -> Result<BandWorth>;

    /// The relations between different components that the strategy wants short, one for each pair of statements, in their
    /// order.
    ///
    /// # Errors
    /// When isl fails.
    fn proximity_edges(&mut self) -> Result<Vec<ProximityEdge>>;

    /// What a band would be worth that moves the bands of these clusters, each an ascending list of components whose band
    /// was asked for, as wholes. From then on it is the band of all of them together. `None` where one of its first
    /// `n_coincident` members is not coincident; no more of it is looked for.
    ///
    /// # Errors
    /// When the solver or isl fail.
    fn combined(
        &mut self,
        clusters: &[Vec<usize>],
        n_coincident: usize,
    ) -> Result<Option<BandWorth>>;

    /// How far a relation, by its position in [`Judge::proximity_edges`], reaches in the band of these components, which was
    /// asked for.
    ///
    /// # Errors
    /// When isl fails.
    fn reach(&mut self, edge: usize, components: &[usize]) -> Result<Reach>;

    /// Whether, in the first band of these components together, no statement skips iterations in which another one runs,
    /// bounds aside.
    ///
    /// # Errors
    /// When the solver or isl fail.
    fn runs_in_step(&mut self, components: &[usize]) -> Result<bool>;

    /// Whether the outermost loops of these clusters, each an ascending list of components whose band was asked for, run over
    /// the same data where they are parallel: nothing that would keep them from being so together has a distance. No where
    /// one is parallel and another, which a dependence joins to it, is not.
    ///
    /// # Errors
    /// When isl fails.
    fn are_aligned(&mut self, clusters: &[Vec<usize>]) -> Result<bool>;

    /// The error that these statements cannot be put `together`, or apart, with the dependences that forbid it.
    ///
    /// # Errors
    /// When the solver or isl fail.
    fn impossible(&mut self, stmts: Vec<StmtId>, together: bool) -> Result<Error>;
}

/// Why statements are scheduled together or apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum FusionReason {
    /// Together: their common band is as wide and as parallel as their own.
    AsGoodTogether,
    /// Together: a common row exists, and the heuristic asks for no more.
    RowExists,
    /// Together: a relation that joins them has a small distance in each loop.
    Closer,
    /// Together: a relation that joins them has a small distance in the loops where it can, and in the others one end of it is
    /// at one iteration.
    AroundPinned,
    /// Apart: the heuristic fuses nothing.
    NeverFused,
    /// Apart: they need different numbers of loops.
    DifferentDimensionality,
    /// Apart: no dependence joins them.
    Unrelated,
    /// Apart: another component must run between them.
    OrderedApart,
    /// Apart: they have no legal row in common.
    NoCommonRow,
    /// Apart: the outermost loop would no longer be parallel.
    LosesParallelism,
    /// Apart: fewer outer loops would be parallel.
    FewerParallel,
    /// Apart: their own outermost loops are not parallel over the same data.
    Misaligned,
    /// Apart: fewer loops would be permutable.
    NarrowsBand,
    /// Apart: some would run only in each k-th iteration of the common loops.
    OutOfStep,
    /// Apart: nothing is left to be shared.
    NoLoopsLeft,
    /// Apart: no relation that joins them would have a small distance.
    TooFar,
    /// Apart: one of them has no band that another could share.
    NoSharedBand,
    /// Apart: some of them were found better apart.
    PartsApart,
    /// Apart: one of them is to have a loop of its own.
    KeptApart,
    /// Together: the strategy says so.
    Demanded,
}

impl FusionReason {
    /// Whether it is a reason to fuse.
    pub fn is_fused(self) -> bool {
        matches!(
            self,
            Self::AsGoodTogether
                | Self::RowExists
                | Self::Closer
                | Self::AroundPinned
                | Self::Demanded
        )
    }
}

impl fmt::Display for FusionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsGoodTogether => "their common band is as wide and as parallel as their own",
            Self::RowExists => "they have a legal row in common",
            Self::Closer => "a relation between them becomes short",
            Self::AroundPinned => {
                "a relation between them becomes short but where it begins or ends at one iteration"
            }
            Self::NeverFused => "the heuristic fuses nothing",
            Self::DifferentDimensionality => "they need different numbers of loops",
            Self::Unrelated => "no dependence joins them",
            Self::OrderedApart => "another component must run between them",
            Self::NoCommonRow => "they have no legal row in common",
            Self::LosesParallelism => "the outermost loop would no longer be parallel",
            Self::Misaligned => "their outermost loops are not parallel over the same data",
            Self::FewerParallel => "fewer outer loops would be parallel",
            Self::NarrowsBand => "fewer loops would be permutable",
            Self::OutOfStep => "some would run only in each k-th iteration of the common loops",
            Self::NoLoopsLeft => "no loop is left to be shared",
            Self::TooFar => "no relation between them becomes short",
            Self::NoSharedBand => "one of them has no permutable band to share",
            Self::PartsApart => "some of them are better apart",
            Self::KeptApart => "one of them is to have a loop of its own",
            Self::Demanded => "the strategy demands it",
        })
    }
}

/// A decision about one component, or about clusters of them, named by statements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FusionDecision {
    /// The statements that were there already.
    pub with: Vec<StmtId>,
    /// The statements of the components that were to join them.
    pub stmts: Vec<StmtId>,
    /// Whether they did.
    pub fused: bool,
    /// Why.
    pub reason: FusionReason,
}

/// `apart: S0 and S1: they need different numbers of loops`.
impl fmt::Display for FusionDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            |stmts: &[StmtId]| stmts.iter().map(StmtId::to_string).collect::<Vec<_>>().join(", ");
        let verb = if self.fused { "fused" } else { "apart" };
        write!(f, "{verb}: {} and {}: {}", names(&self.with), names(&self.stmts), self.reason)
    }
}

/// Components put together, in the order in which the parts run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Partition {
    /// The components of each part.
    pub parts: Vec<Vec<usize>>,
    /// What was decided on the way.
    pub decisions: Vec<FusionDecision>,
}

/// A fusion heuristic.
pub trait Fusion {
    /// Its name in options and reports.
    fn name(&self) -> &str;

    /// Puts components together. Each component goes to one part; `parts` come in an order that dependences allow.
    ///
    /// # Errors
    /// Those of the judge.
    fn partition(&self, components: &Components, judge: &mut dyn Judge) -> Result<Partition>;
}
