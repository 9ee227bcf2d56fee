//! The strategy `locality-gpu`: a parallel row along which accesses coalesce, then isl's rule.

use crate::Result;
use crate::cost::{CarrySpatial, CoefficientSums, CostFunction, ZeroDistance};
use crate::fallback::Fallback;
use crate::fusion::{FusionControl, FusionHeuristic, KeptParallelism};
use crate::group::ActiveDep;
use crate::isl::{Costs, is_carrying};
use crate::plan::{Plan, State, Strategy};
use crate::report::RowReport;
use farkas_deps::{DependenceKind, LocalityOptions, Reuse};
use farkas_scop::Scop;
use std::num::NonZeroU32;
use std::rc::Rc;

/// What a row is looked for under.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Parallel, and along lines.
    Lines,
    /// Parallel, with least distance.
    Parallel,
    /// Least distance.
    Free,
    /// Feautrier's cost within statements; the row is a band of its own.
    CarryingWithin,
    /// The same for all dependences.
    Carrying,
}

/// For GPUs: the first parallel row walks along as many lines as it can, so that it runs over the threads `x`; where it walks
/// along none, and for all rows after it, the distance of dependences is what counts. Where a band cannot begin with a
/// parallel row, the row carries as much as possible, for the sake of several parallel rows inside it.
///
/// **Paper** the locality model, section 4.8.
pub struct LocalityGpu {
    lines: Vec<Rc<dyn CostFunction>>,
    costs: Costs,
    fusion: FusionHeuristic,
    line_elems: NonZeroU32,
}

impl LocalityGpu {
    /// The strategy for `scop` with lines of `line_elems` elements.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn new(scop: &Scop, fusion: FusionHeuristic, line_elems: NonZeroU32) -> Result<Self> {
        let lines: Vec<Rc<dyn CostFunction>> = vec![
            Rc::new(CarrySpatial::new(scop)?),
            Rc::new(CoefficientSums),
            Rc::new(ZeroDistance),
        ];
        Ok(Self { lines, costs: Costs::new(&[DependenceKind::Flow]), fusion, line_elems })
    }

    /// The stages for the row, in the order in which they are tried.
    fn stages(&self, state: &State<'_>) -> Vec<Stage> {
        let is_first = state.n_members == 0;
        let has_lines = |dep: &ActiveDep| dep.reused.iter().any(|r| r.reuse == Reuse::Spatial);
        let mut stages = Vec::new();
        if is_first || state.last.is_some_and(|row| row.coincident) {
            // The first parallel row decides of lines.
            let is_open = !state.has_parallel.contains(&true) && !state.was_recomputed;
            if is_open && state.group.deps.iter().any(has_lines) {
                stages.push(Stage::Lines);
            }
            stages.push(Stage::Parallel);
        }
        if !is_first {
            stages.push(Stage::Free);
            return stages;
        }
        let is_within = |dep: &ActiveDep| dep.is_validity() && dep.source == dep.sink;
        stages.extend(state.group.deps.iter().any(is_within).then_some(Stage::CarryingWithin));
        stages.push(Stage::Carrying);
        stages
    }
}

/// Whether a row was looked for along lines and walks along none.
fn is_in_vain(row: &RowReport) -> bool {
    !row.walks_lines && row.cost.iter().any(|(name, _)| name == "uncarried_lines")
}

impl Strategy for LocalityGpu {
    fn name(&self) -> &str {
        "locality-gpu"
    }

    fn plan(&mut self, state: &State<'_>) -> Plan {
        let recompute_last = state.n_members > 0 && state.last.is_some_and(is_in_vain);
        let stages = self.stages(state);
        let last = stages.last().copied().unwrap_or(Stage::Free);
        let stage = stages.get(state.attempt).copied().unwrap_or(last);
        let costs = match stage {
            Stage::Lines => &self.lines,
            Stage::Parallel => &self.costs.coincident,
            Stage::Free => &self.costs.proximity,
            Stage::CarryingWithin => &self.costs.within,
            Stage::Carrying => &self.costs.feautrier,
        };
        let mut fallbacks =
            vec![Fallback::NewBand, Fallback::SeparateComponents, Fallback::DeferShallow];
        match stages.get(state.attempt + 1) {
            Some(Stage::CarryingWithin | Stage::Carrying) => fallbacks.insert(2, Fallback::Replan),
            Some(_) => fallbacks.insert(0, Fallback::Replan),
            None => {}
        }
        let carries = matches!(stage, Stage::CarryingWithin | Stage::Carrying);
        let fusion = FusionControl {
            kept_parallelism: KeptParallelism::All,
            keeps_depth: true,
            ..FusionControl::from(self.fusion)
        };
        Plan {
            fallbacks,
            negative_coefficients: true,
            parametric_shift: true,
            bounded_by_sizes: true,
            defers_shallow: true,
            recompute_last,
            ends_band: state.n_members > 0 && (carries || is_carrying(state)),
            proximity_kinds: vec![DependenceKind::Flow, DependenceKind::Input],
            ..Plan::new(costs.clone(), fusion)
        }
    }

    fn reorders_live_ranges(&self) -> bool {
        true
    }

    fn locality(&self) -> Option<LocalityOptions> {
        Some(LocalityOptions {
            line_elems: self.line_elems,
            is_order_free: true,
            ..LocalityOptions::default()
        })
    }
}
