//! The strategy `pluto`.

use crate::cost::{CoefficientSums, CostFunction, Proximity};
use crate::fusion::{Fusion, FusionHeuristic};
use crate::plan::{Fallback, Plan, State, Strategy};
use farkas_deps::DependenceKind;
use std::rc::Rc;

/// Outer parallelism and locality: the smallest bound on dependence distances, row by row, in permutable bands.
///
/// **Paper** U. Bondhugula et al., *A Practical Automatic Polyhedral Parallelizer and Locality Optimizer*, PLDI 2008.
/// Ours differs: sums of coefficients come before the coefficients, so that results do not depend on the order of
/// statements; and [`FusionHeuristic::Smart`] does not fuse at the cost of parallelism or permutability.
pub struct Pluto {
    costs: Vec<Rc<dyn CostFunction>>,
    fusion: Rc<dyn Fusion>,
    proximity: Vec<DependenceKind>,
}

impl Pluto {
    /// The strategy with this fusion heuristic; distances of all validity dependences are bounded.
    pub fn new(fusion: FusionHeuristic) -> Self {
        Self::with_proximity(fusion, Proximity::default())
    }

    /// The strategy with a choice of the dependences whose distances are bounded.
    pub fn with_proximity(fusion: FusionHeuristic, proximity: Proximity) -> Self {
        let kinds = proximity.kinds.clone();
        let costs: Vec<Rc<dyn CostFunction>> = vec![Rc::new(proximity), Rc::new(CoefficientSums)];
        Self { costs, fusion: Rc::new(fusion), proximity: kinds }
    }
}

impl Default for Pluto {
    fn default() -> Self {
        Self::new(FusionHeuristic::default())
    }
}

impl Strategy for Pluto {
    fn name(&self) -> &str {
        "pluto"
    }

    fn plan(&mut self, _state: &State<'_>) -> Plan {
        Plan {
            costs: self.costs.clone(),
            constraints: Vec::new(),
            fusion: Rc::clone(&self.fusion),
            proximity_kinds: self.proximity.clone(),
            parametric_shift: false,
            max_coefficient: None,
            fallbacks: vec![
                Fallback::OtherSigns,
                Fallback::NewBand,
                Fallback::SeparateComponents,
                Fallback::ParametricShift,
            ],
            recompute_last: false,
        }
    }
}
