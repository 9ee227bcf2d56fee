//! The strategy `pluto`.

use crate::cost::{CoefficientSums, CostFunction, Proximity};
use crate::fusion::{Fusion, FusionHeuristic};
use crate::plan::{Fallback, Plan, State, Strategy};
use farkas_deps::DependenceKind;
use std::rc::Rc;

/// Outer parallelism and locality: the smallest bound on dependence distances, row by row, in permutable bands.
///
/// **Paper** U. Bondhugula et al., *A Practical Automatic Polyhedral Parallelizer and Locality Optimizer*, PLDI 2008.
/// Ours differs: the bound on flow dependences comes before that on anti and output dependences, which are those of
/// memory and so long that they would hide it; sums of coefficients come before the coefficients, so that results do not
/// depend on the order of statements; and [`FusionHeuristic::Smart`] does not fuse at the cost of parallelism or
/// permutability.
pub struct Pluto {
    costs: Vec<Rc<dyn CostFunction>>,
    fusion: Rc<dyn Fusion>,
    proximity: Vec<DependenceKind>,
}

impl Pluto {
    /// The strategy with this fusion heuristic.
    pub fn new(fusion: FusionHeuristic) -> Self {
        let costs: Vec<Rc<dyn CostFunction>> = vec![
            Rc::new(Proximity::of_flow()),
            Rc::new(Proximity::of_memory()),
            Rc::new(CoefficientSums),
        ];
        Self { costs, fusion: Rc::new(fusion), proximity: vec![DependenceKind::Flow] }
    }

    /// The strategy that also brings together reads of the same element; the dependences must have been computed with
    /// those of kind input.
    #[must_use]
    pub fn with_input(mut self) -> Self {
        use DependenceKind::{Flow, Input};
        self.costs[0] = Rc::new(Proximity::new("proximity", &[Flow, Input]));
        self.proximity.push(Input);
        self
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
                Fallback::DeferShallow,
                Fallback::ParametricShift,
            ],
            ends_band: false,
            extra_row: false,
            recompute_last: false,
        }
    }
}
