//! The strategies `isl-listing-2` and `isl`: proximity, and Feautrier's cost where it finds no parallelism.

use crate::cost::{CoefficientSums, CostFunction, Feautrier, Proximity, ZeroDistance};
use crate::fusion::FusionHeuristic;
use crate::plan::{Fallback, Plan, State, Strategy};
use farkas_deps::DependenceKind;
use std::rc::Rc;

/// The cost lists that both strategies choose from.
struct Costs {
    proximity: Vec<Rc<dyn CostFunction>>,
    coincident: Vec<Rc<dyn CostFunction>>,
    feautrier: Vec<Rc<dyn CostFunction>>,
}

impl Costs {
    /// The lists with a bound on dependences of these kinds.
    fn new(kinds: &[DependenceKind]) -> Self {
        let sums: Rc<dyn CostFunction> = Rc::new(CoefficientSums);
        let proximity: Vec<Rc<dyn CostFunction>> =
            vec![Rc::new(Proximity::new("proximity", kinds)), Rc::clone(&sums)];
        let zero: Rc<dyn CostFunction> = Rc::new(ZeroDistance);
        let coincident = proximity.iter().cloned().chain([zero]).collect();
        Self { proximity, coincident, feautrier: vec![Rc::new(Feautrier), sums] }
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
            recompute_last: recompute,
            ends_band: state.was_recomputed,
            ..Plan::new(costs.clone(), self.fusion)
        }
    }
}

/// isl's options that change its schedules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IslOptions {
    /// Feautrier's cost for every row.
    pub feautrier: bool,
    /// The first row of a band must be coincident; else Feautrier's cost finds it.
    pub outer_coincidence: bool,
    /// A row of a band that could have more coincident rows ends the band.
    pub maximize_coincidence: bool,
    /// The largest magnitude of a coefficient.
    pub max_coefficient: Option<i64>,
    /// What shares loops: `No` for isl's `serialize-sccs`, `Max` for its `whole-component`.
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
            fusion: FusionHeuristic::Smart,
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
    /// Feautrier's cost; the row is a band of its own.
    Carry,
}

/// isl's own rule: coincident rows while there are any, then rows of least distance; a band that would have no row gets
/// one that carries as much as possible. Coefficients may be negative, rows may be shifted by parameters.
///
/// **Paper** the locality model, sections 3.2 and 3.3. Ours differs: fusion is decided by [`FusionHeuristic::Smart`]
/// instead of clustering, which composes schedules of components.
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
        if self.options.feautrier {
            return vec![Stage::Carry];
        }
        let is_first = state.n_members == 0;
        let mut stages = Vec::new();
        if is_first || state.last.is_some_and(|row| row.coincident) {
            stages.push(Stage::Coincident);
        }
        let insists = if is_first {
            self.options.outer_coincidence
        } else {
            self.options.maximize_coincidence && !stages.is_empty()
        };
        if !insists {
            stages.push(Stage::Free);
        }
        if is_first {
            stages.push(Stage::Carry);
        }
        stages
    }
}

impl Default for Isl {
    fn default() -> Self {
        Self::new(IslOptions::default())
    }
}

/// Whether the last row was found under Feautrier's cost.
fn is_carrying(state: &State<'_>) -> bool {
    state.last.is_some_and(|row| row.cost.iter().any(|(name, _)| name == "uncarried"))
}

impl Strategy for Isl {
    fn name(&self) -> &str {
        "isl"
    }

    fn plan(&mut self, state: &State<'_>) -> Plan {
        let stages = self.stages(state);
        let stage = stages.get(state.attempt).copied().unwrap_or(Stage::Carry);
        let has_next = state.attempt + 1 < stages.len();
        let is_next_carry = stages.get(state.attempt + 1) == Some(&Stage::Carry);
        let costs = match stage {
            Stage::Coincident => &self.costs.coincident,
            Stage::Free => &self.costs.proximity,
            Stage::Carry => &self.costs.feautrier,
        };
        let mut fallbacks = vec![Fallback::NewBand, Fallback::SeparateComponents];
        if has_next && is_next_carry {
            fallbacks.push(Fallback::Replan);
        } else if has_next {
            fallbacks.insert(0, Fallback::Replan);
        }
        fallbacks.push(Fallback::DeferShallow);
        Plan {
            fallbacks,
            negative_coefficients: true,
            parametric_shift: true,
            max_coefficient: self.options.max_coefficient,
            ends_band: state.n_members > 0 && (stage == Stage::Carry || is_carrying(state)),
            proximity_kinds: self.options.proximity_kinds.clone(),
            ..Plan::new(costs.clone(), self.options.fusion)
        }
    }
}
