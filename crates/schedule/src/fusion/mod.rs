//! Fusion: which strongly connected components share their loops.

mod control;
mod greedy;
mod whole;

pub use control::{FusionControl, FusionHeuristic};
pub(crate) use whole::Whole;

use crate::components::Components;
use crate::{Error, Result};
use farkas_scop::StmtId;
use std::fmt;

/// What a band found for some components would be worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BandWorth {
    /// Members of the band; zero when none was found.
    pub n_members: usize,
    /// How many of its outer members are coincident.
    pub n_coincident: usize,
    /// Whether its first member is coincident.
    pub is_outer_coincident: bool,
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

    /// Whether, in the first band of these components together, no statement skips iterations in which another one runs,
    /// bounds aside.
    ///
    /// # Errors
    /// When the solver or isl fail.
    fn runs_in_step(&mut self, components: &[usize]) -> Result<bool>;

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
    /// Apart: fewer loops would be permutable.
    NarrowsBand,
    /// Apart: some would run only in each k-th iteration of the common loops.
    OutOfStep,
    /// Apart: nothing is left to be shared.
    NoLoopsLeft,
    /// Apart: one of them is to have a loop of its own.
    KeptApart,
    /// Together: the strategy says so.
    Demanded,
}

impl FusionReason {
    /// Whether it is a reason to fuse.
    pub fn is_fused(self) -> bool {
        matches!(self, Self::AsGoodTogether | Self::RowExists | Self::Demanded)
    }
}

impl fmt::Display for FusionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsGoodTogether => "their common band is as wide and as parallel as their own",
            Self::RowExists => "they have a legal row in common",
            Self::NeverFused => "the heuristic fuses nothing",
            Self::DifferentDimensionality => "they need different numbers of loops",
            Self::Unrelated => "no dependence joins them",
            Self::OrderedApart => "another component must run between them",
            Self::NoCommonRow => "they have no legal row in common",
            Self::LosesParallelism => "the outermost loop would no longer be parallel",
            Self::FewerParallel => "fewer outer loops would be parallel",
            Self::NarrowsBand => "fewer loops would be permutable",
            Self::OutOfStep => "some would run only in each k-th iteration of the common loops",
            Self::NoLoopsLeft => "no loop is left to be shared",
            Self::KeptApart => "one of them is to have a loop of its own",
            Self::Demanded => "the strategy demands it",
        })
    }
}

/// A decision about one component, named by statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FusionDecision {
    /// The statements that were there already.
    pub with: Vec<StmtId>,
    /// The statements of the component that was to join them.
    pub stmts: Vec<StmtId>,
    /// Whether it did.
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
