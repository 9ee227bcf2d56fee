//! The polyhedral scheduler: one driver, strategies, cost functions.
//!
//! [`schedule`] turns a scop and its dependences into a [`farkas_tree::ScheduleTree`]. It works group by group: the
//! strongly connected components of what is left unordered are put together by a fusion heuristic; each group gets one
//! permutable band, row by row, by exact lexicographic integer minimisation; what the band does not carry is ordered in
//! the same way inside it.
//!
//! Everything that a strategy may decide is in the [`Plan`] that it makes for each dimension: cost functions, extra
//! constraints, fusion, the fallback order. The driver knows none of them by name.
//!
//! What this crate does not do: it does not prove its result (that is `farkas_deps::legality`, which shares no code with
//! it), tile, or compute dependences.

mod affine;
mod arrange;
mod band;
mod closeness;
mod coalescing;
mod coefficient;
mod config;
mod configured;
mod conflict;
mod constraint;
mod cost;
mod directives;
mod distance;
mod driver;
mod error;
mod fallback;
mod farkas;
mod fusion;
mod gpu;
mod group;
mod ilp;
mod influence;
mod isl;
mod judge;
mod kept;
mod known_sizes;
mod layout;
mod node;
mod options;
mod parts;
mod plan;
mod pluto;
mod pressure;
mod progression;
mod rays;
mod references;
mod relations;
mod remains;
mod report;
mod run;
mod scenario;
mod sequence;
mod signs;
mod span;
mod strides;

pub use affine::StmtRow;
pub use arrange::PartOrder;
pub use coefficient::Coefficient;
pub use config::{
    Config, ConfigConstraint, ConfigTerm, CostChoice, Degree, Dimension, Directive, DirectiveKind,
    FusionRule, Parallelism, UserVariable,
};
pub use configured::Configured;
pub use constraint::{Constraint, Demand, Origin, Term};
pub use cost::{
    CarrySpatial, CoefficientSums, CostContext, CostFunction, CostList, CostMenu, Feautrier,
    Proximity, RankedIterators, RowSink, TemporalSpatial, UserCost, Wish, WishPart, ZeroDistance,
};
pub use directives::contiguous_iterators;
pub use error::{Error, Result};
pub use fallback::Fallback;
pub use farkas::{Cone, ConeRow};
pub use farkas_deps::Components;
pub use fusion::{
    BandWorth, Fusion, FusionControl, FusionDecision, FusionHeuristic, FusionReason, Judge,
    KeptParallelism, Partition, ProximityEdge, Reach,
};
pub use gpu::LocalityGpu;
pub use group::{ActiveDep, Group};
pub use influence::Influenced;
pub use isl::{Isl, IslListing2, IslOptions};
pub use layout::{Column, CostVariables, IlpLayout};
pub use options::{ScheduleOptions, SolverChoice};
pub use plan::{Plan, State, Strategy};
pub use pluto::Pluto;
pub use relations::{RangeRoles, RangesId, Relation, Reused, Roles};
pub use report::{RowReport, ScheduleReport, ScheduleStats, SequenceReport, Warning};
pub use scenario::{
    InfluenceConstraint, InfluenceEvent, InfluenceNode, InfluenceStep, InfluenceTerm, InfluenceTree,
};
pub use span::Span;

use crate::driver::{Driver, Shared};
use crate::farkas::ConeCache;
use crate::kept::held_against_demands;
use crate::known_sizes::KnownSizes;
use crate::remains::Remains;
use farkas_base::Budget;
use farkas_deps::{Dependences, live_ranges, locality};
use farkas_poly::with_budget;
use farkas_scop::Scop;
use farkas_tree::ScheduleTree;
use std::rc::Rc;

/// A schedule and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scheduled {
    /// The schedule.
    pub tree: ScheduleTree,
    /// What was decided and why.
    pub report: ScheduleReport,
    /// Work done.
    pub stats: ScheduleStats,
}

/// Schedules `scop` by `strategy`. Every dependence of `deps` that is a validity constraint is kept.
///
/// **Paper** G. Consolaro et al., *PolyTOPS: Reconfigurable and Flexible Polyhedral Scheduler*, CGO 2024, Algorithm 1.
/// Ours differs: it recurses into what a band leaves instead of numbering scalar dimensions, so that components which
/// are not fused never share an integer program.
///
/// **Formulation** For each band, rows `phi_S` with `phi_T(j) - phi_S(i) >= 0` on every pair `i -> j` that no outer band
/// orders; each row lexicographically minimises the plan's costs.
///
/// # Example
/// ```
/// use farkas_base::IdVec;
/// use farkas_deps::{DependenceOptions, dependences};
/// use farkas_schedule::{Pluto, ScheduleOptions, schedule};
/// # use farkas_scop::*;
/// # let mut builder = ScopBuilder::new("sweep")?;
/// # builder.params.push(Parameter::new("n", "int"));
/// # let a = builder.arrays.push(Array {
/// #     name: "A".into(), source_name: "A".into(), extents: vec![None, None], scope: ArrayScope::Global,
/// #     element: ElementType { text: "double".into(), kind: ElementKind::Double },
/// #     is_live_in: true, is_live_out: true, declaration: None, reduction: None, span: None,
/// # });
/// # let access = |kind, to: &str| -> Result<Access, farkas_poly::Error> {
/// #     let relation = format!("{{ S[i, j] -> A[{to}] }}").parse()?;
/// #     Ok(Access { array: a, kind, relation, subscripts: vec![], span: None })
/// # };
/// # let accesses = [access(AccessKind::Read, "i, j - 1")?, access(AccessKind::MustWrite, "i, j")?];
/// # let iterator = |name: &str| -> Result<Iterator, farkas_poly::Error> {
/// #     let value = format!("{{ S[i, j] -> [({name})] }}").parse()?;
/// #     Ok(Iterator { name: name.into(), ty: "int".into(), value })
/// # };
/// # builder.stmts.push(Statement {
/// #     name: "S".into(), label: None, iterators: vec![iterator("j")?, iterator("i")?],
/// #     domain: "[n] -> { S[j, i] : 1 <= j < n and 0 <= i < n }".parse()?,
/// #     date: "{ S[j, i] -> [j, i] }".parse()?,
/// #     accesses: IdVec::from_iter([
/// #         Access { relation: "{ S[j, i] -> A[i, j - 1] }".parse()?, ..accesses[0].clone() },
/// #         Access { relation: "{ S[j, i] -> A[i, j] }".parse()?, ..accesses[1].clone() },
/// #     ]),
/// #     body: vec![], span: None,
/// # });
/// # let scop = builder.build()?;
/// // for (j = 1; j < n; j++) for (i = 0; i < n; i++) S: A[i][j] = f(A[i][j - 1]);
/// let deps = dependences(&scop, DependenceOptions::default())?;
/// let scheduled = schedule(&scop, &deps, &mut Pluto::default(), &ScheduleOptions::default())?;
/// // The parallel loop comes first.
/// let yaml = scheduled.tree.to_string();
/// assert!(yaml.contains("{ S[j, i] -> [(i)] }, { S[j, i] -> [(j)] }"), "{yaml}");
/// assert!(yaml.contains("coincident: [ 1, 0 ]"), "{yaml}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When isl or the solver fail, or the strategy's own demands leave no row. That no row is found without such demands, or
/// that a budget runs out, is no error: fallbacks take over, at last the original order, with a [`Warning`].
pub fn schedule(
    scop: &Scop,
    deps: &Dependences,
    strategy: &mut dyn Strategy,
    options: &ScheduleOptions,
) -> Result<Scheduled> {
    let mut relations = relations_of(scop, deps, strategy, options)?;
    let Some(choice) = strategy.locality() else {
        return run(scop, deps, &relations, strategy, options);
    };
    let found = with_budget(options.max_locality_operations, || locality(scop, deps, &choice));
    let is_known = match found {
        Ok(found) => {
            relations.extend(Relation::of_locality(&found));
            relations.sort_by_key(|relation| (relation.source, relation.sink));
            true
        }
        Err(farkas_deps::Error::OutOfBudget) => false,
        Err(error) => return Err(error.into()),
    };
    let mut scheduled = run(scop, deps, &relations, strategy, options)?;
    if !is_known {
        let stmts = scop.stmts().ids().collect();
        scheduled.report.warnings.push(Warning::LocalityUnknown { stmts });
    }
    Ok(scheduled)
}

/// The dependences as relations; where the strategy asks for it, with what some of them have to do with live ranges. Where
/// that is too much work, they always matter.
fn relations_of(
    scop: &Scop,
    deps: &Dependences,
    strategy: &dyn Strategy,
    options: &ScheduleOptions,
) -> Result<Vec<Relation>> {
    if !strategy.reorders_live_ranges() {
        return Ok(Relation::of_dependences(deps));
    }
    match with_budget(options.max_locality_operations, || live_ranges(scop, deps)) {
        Ok(ranges) => Ok(Relation::of_ranges(scop, deps, &ranges)),
        Err(farkas_deps::Error::OutOfBudget) => Ok(Relation::of_dependences(deps)),
        Err(error) => Err(error.into()),
    }
}

/// Schedules `scop` by `strategy`, keeping relations that somebody else computed instead of dependences. They come sorted
/// by source and sink. Where nothing else is found, statements keep the original order of `scop`, which these relations
/// need not allow: the result must be checked.
///
/// # Errors
/// As [`schedule`].
pub fn schedule_relations(
    scop: &Scop,
    relations: &[Relation],
    strategy: &mut dyn Strategy,
    options: &ScheduleOptions,
) -> Result<Scheduled> {
    run(scop, &Dependences::default(), relations, strategy, options)
}

/// Runs the driver, again and again where the strategy asks for it and half of the budget is left.
fn run(
    scop: &Scop,
    deps: &Dependences,
    relations: &[Relation],
    strategy: &mut dyn Strategy,
    options: &ScheduleOptions,
) -> Result<Scheduled> {
    let budget = Rc::new(Budget::new(options.max_solver_work));
    let cones = ConeCache::new(sizes_of(scop, strategy)?);
    let mut shared = Shared { cones, remains: Remains::default(), budget };
    for _ in 1..options.max_trials {
        let outcome = Driver::new(scop, deps, relations, strategy, options, &mut shared)?.run();
        if strategy.failure().is_some() || !strategy.revise(&outcome) {
            return with_warnings(outcome, strategy, options);
        }
        // The last run needs its share.
        if shared.budget.spent() > options.max_solver_work / 2 {
            break;
        }
    }
    strategy.settle();
    let outcome = Driver::new(scop, deps, relations, strategy, options, &mut shared)?.run();
    with_warnings(outcome, strategy, options)
}

/// The sizes that are known and count as parameters.
fn sizes_of(scop: &Scop, strategy: &dyn Strategy) -> Result<KnownSizes> {
    if strategy.counts_on_sizes() { Ok(KnownSizes::default()) } else { KnownSizes::of(scop) }
}

/// The schedule, held against the strategy's constraints, with what the strategy has to say.
fn with_warnings(
    outcome: Result<Scheduled>,
    strategy: &dyn Strategy,
    options: &ScheduleOptions,
) -> Result<Scheduled> {
    if let Some(reason) = strategy.failure() {
        return Err(Error::Strategy { name: strategy.name().to_owned(), reason });
    }
    let mut scheduled = held_against_demands(outcome?, strategy, options)?;
    scheduled.report.warnings.extend(strategy.warnings());
    Ok(scheduled)
}
