//! The strategies `isl-listing-2` and `isl`: proximity, and Feautrier's cost where it finds no parallelism.

use crate::arrange::PartOrder;
use crate::cost::{CoefficientSums, CostFunction, Feautrier, Proximity, ZeroDistance};
use crate::fallback::Fallback;
use crate::fusion::{Fusion, FusionControl, FusionHeuristic, KeptParallelism, Whole};
use crate::group::ActiveDep;
use crate::plan::{Plan, State, Strategy};
use farkas_deps::DependenceKind;
use std::rc::Rc;

/// The cost lists that both strategies choose from.
pub(crate) struct Costs {
    pub(crate) proximity: Vec<Rc<dyn CostFunction>>,
    pub(crate) coincident: Vec<Rc<dyn CostFunction>>,
    pub(crate) feautrier: Vec<Rc<dyn CostFunction>>,
    pub(crate) within: Vec<Rc<dyn CostFunction>>,
}

impl Costs {
    /// The lists with a bound on dependences of these kinds.
    pub(crate) fn new(kinds: &[DependenceKind]) -> Self {
        let sums: Rc<dyn CostFunction> = Rc::new(CoefficientSums);
        let proximity: Vec<Rc<dyn CostFunction>> =
            vec![Rc::new(Proximity::new("proximity", kinds)), Rc::clone(&sums)];
        let zero: Rc<dyn CostFunction> = Rc::new(ZeroDistance);
        let coincident = proximity.iter().cloned().chain([zero]).collect();
        let feautrier: Vec<Rc<dyn CostFunction>> = vec![Rc::new(Feautrier::All), Rc::clone(&sums)];
        Self { proximity, coincident, feautrier, within: vec![Rc::new(Feautrier::Within), sums] }
    }
}

/// PolyTOPS' Listing 2: proximity; a row that is not parallel is found again under Feautrier's cost, and ends its band, so
/// that what it carries does not keep the rows inside from being parallel.
///
/// **Paper** PolyTOPS, Listing 2.
pub struct IslListing2 {
    costs: Costs,
    fusion: FusionHeuristic,
}

impl IslListing2 {
    /// The strategy with this fusion heuristic.
    pub fn new(fusion: FusionHeuristic) -> Self {
        use DependenceKind::{Anti, Flow, Output};
        Self { costs: Costs::new(&[Flow, Anti, Output]), fusion }
    }
}

impl Strategy for IslListing2 {
    fn name(&self) -> &str {
        "isl-listing-2"
    }

    fn plan(&mut self, state: &State<'_>) -> Plan {
        let is_sequential = state.n_members > 0 && state.last.is_some_and(|row| !row.coincident);
        let recompute = is_sequential && !state.was_recomputed;
        let costs = if recompute { &self.costs.feautrier } else { &self.costs.proximity };
        Plan {
            bounded_by_sizes: true,
            recompute_last: recompute,
            ends_band: state.was_recomputed,
            ..Plan::new(costs.clone(), self.fusion)
        }
    }
}

/// isl's options that change its schedules; the defaults are isl's. PPCG and the strategy `isl` maximize coincidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IslOptions {
    /// Feautrier's cost while there is anything left to be carried, for all statements that dependences join.
    pub feautrier: bool,
    /// The first row of a band must be coincident; else Feautrier's cost finds it.
    pub outer_coincidence: bool,
    /// Components that would have fewer coincident outer rows together than alone are not fused.
    pub maximize_coincidence: bool,
    /// The largest magnitude of a coefficient, for rows that do not carry what they can.
    pub max_coefficient: Option<i64>,
    /// The largest constant, for the same rows.
    pub max_constant_term: Option<i64>,
    /// No row coalesces loops of constant size, nor uses an iterator that the others determine.
    pub treat_coalescing: bool,
    /// Live ranges of temporaries may change their order, as under PPCG's `live-range-reordering`.
    pub live_range_reordering: bool,
    /// What shares loops: `Cluster` as in isl, `No` for its `serialize-sccs`, `Max` for its `whole-component`.
    pub fusion: FusionHeuristic,
    /// The kinds of dependences whose distance is bounded.
    pub proximity_kinds: Vec<DependenceKind>,
}

impl Default for IslOptions {
    fn default() -> Self {
        Self {
            feautrier: false,
            outer_coincidence: false,
            maximize_coincidence: false,
            max_coefficient: None,
            max_constant_term: None,
            treat_coalescing: true,
            live_range_reordering: false,
            fusion: FusionHeuristic::Cluster,
            proximity_kinds: vec![DependenceKind::Flow],
        }
    }
}

/// What a row is looked for under.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// All pairs that matter for parallelism have distance zero.
    Coincident,
    /// Least distance.
    Free,
    /// Feautrier's cost within statements; the row is a band of its own.
    CarryWithin,
    /// The same for all dependences.
    Carry,
    /// The same, whatever loops are coalesced.
    CarryAnyhow,
}

impl Stage {
    /// Whether rows carry what they can.
    fn carries(self) -> bool {
        matches!(self, Self::CarryWithin | Self::Carry | Self::CarryAnyhow)
    }
}

/// isl's own rule: coincident rows while there are any, then rows of least distance; a band that would have no row gets
/// one that carries as much as possible. Coefficients may be negative, rows may be shifted by parameters.
///
/// **Paper** the locality model, sections 3.2 to 3.4. Ours differs: of rows and edges of equal worth, which isl takes in the
/// order of its hash tables, those of the first statements come first.
pub struct Isl {
    options: IslOptions,
    costs: Costs,
}

impl Isl {
    /// The strategy under these options.
    pub fn new(options: IslOptions) -> Self {
        Self { costs: Costs::new(&options.proximity_kinds), options }
    }

    /// The stages for the row, in the order in which they are tried.
    fn stages(&self, state: &State<'_>) -> Vec<Stage> {
        if self.needs_carrying(state) {
            return self.carrying();
        }
        let is_first = state.n_members == 0;
        let mut stages = Vec::new();
        if is_first || state.last.is_some_and(|row| row.coincident) {
            stages.push(Stage::Coincident);
        }
        if !(is_first && self.options.outer_coincidence) {
            stages.push(Stage::Free);
        }
        if is_first {
            let is_within = |dep: &ActiveDep| dep.is_validity() && dep.source == dep.sink;
            let has_within = state.group.deps.iter().any(is_within);
            stages.extend(has_within.then_some(Stage::CarryWithin));
            stages.extend(self.carrying());
        }
        stages
    }

    /// The stages that carry. isl's `non_neg_lexmin` gives coalescing leave where nothing is carried without it; ours where
    /// there is no row without it, since a row may carry a part of a dependence, which Feautrier's cost does not see.
    fn carrying(&self) -> Vec<Stage> {
        if self.options.treat_coalescing {
            vec![Stage::Carry, Stage::CarryAnyhow]
        } else {
            vec![Stage::CarryAnyhow]
        }
    }

    /// Whether Feautrier's algorithm is asked for and has something to do (isl's `need_feautrier_step`).
    fn needs_carrying(&self, state: &State<'_>) -> bool {
        self.options.feautrier && state.group.deps.iter().any(ActiveDep::is_validity)
    }

    /// Which components share their loops.
    fn fusion(&self, state: &State<'_>) -> Rc<dyn Fusion> {
        if self.needs_carrying(state) {
            return Rc::new(Whole);
        }
        let kept_parallelism = if self.options.maximize_coincidence {
            KeptParallelism::All
        } else {
            KeptParallelism::None
        };
        Rc::new(FusionControl {
            kept_parallelism,
            allows_strides: true,
            ..FusionControl::from(self.options.fusion)
        })
    }
}

impl Default for Isl {
    fn default() -> Self {
        Self::new(IslOptions::default())
    }
}

/// Whether the last row was found under Feautrier's cost.
pub(crate) fn is_carrying(state: &State<'_>) -> bool {
    state.last.is_some_and(|row| row.cost.iter().any(|(name, _)| name == "uncarried"))
}

impl Strategy for Isl {
    fn name(&self) -> &str {
        "isl"
    }

    fn avoids_coalescing(&self) -> bool {
        self.options.treat_coalescing
    }

    /// As isl, which bounds coefficients by sizes.
    fn counts_on_sizes(&self) -> bool {
        true
    }

    fn reorders_live_ranges(&self) -> bool {
        self.options.live_range_reordering
    }

    /// As isl's clustering orders clusters, and its `whole-component` statements.
    fn part_order(&self) -> PartOrder {
        match self.options.fusion {
            FusionHeuristic::No => PartOrder::Sequence,
            FusionHeuristic::Max => PartOrder::Components,
            FusionHeuristic::Smart | FusionHeuristic::Cluster => PartOrder::Decomposed,
        }
    }

    fn plan(&mut self, state: &State<'_>) -> Plan {
        let stages = self.stages(state);
        let stage = stages.get(state.attempt).copied().unwrap_or(Stage::CarryAnyhow);
        let has_next = state.attempt + 1 < stages.len();
        let is_next_carry = stages.get(state.attempt + 1).is_some_and(|stage| stage.carries());
        let costs = match stage {
            Stage::Coincident => &self.costs.coincident,
            Stage::Free => &self.costs.proximity,
            Stage::CarryWithin => &self.costs.within,
            Stage::Carry | Stage::CarryAnyhow => &self.costs.feautrier,
        };
        let mut fallbacks = vec![Fallback::NewBand, Fallback::SeparateComponents];
        if has_next && is_next_carry {
            fallbacks.push(Fallback::Replan);
        } else if has_next {
            fallbacks.insert(0, Fallback::Replan);
        }
        let carries = stage.carries();
        Plan {
            fallbacks,
            fusion: self.fusion(state),
            negative_coefficients: true,
            prefers_positive: false,
            parametric_shift: true,
            // Bounds might keep anything from being carried.
            max_coefficient: self.options.max_coefficient.filter(|_| !carries),
            max_constant: self.options.max_constant_term.filter(|_| !carries),
            bounded_by_sizes: stage != Stage::CarryAnyhow,
            defers_shallow: true,
            unmarked: carries,
            // What is left among instances that have all their rows is carried, too.
            extra_row: carries && self.needs_carrying(state),
            ends_band: state.n_members > 0 && (carries || is_carrying(state)),
            proximity_kinds: self.options.proximity_kinds.clone(),
            ..Plan::new(costs.clone(), self.options.fusion)
        }
    }
}
