//! The strategy `pluto`.

use crate::cost::{CoefficientSums, CostFunction, Proximity};
use crate::fallback::Fallback;
use crate::fusion::{Fusion, FusionHeuristic};
use crate::plan::{Plan, State, Strategy};
use farkas_deps::DependenceKind;
use std::rc::Rc;

/// The largest coefficient that the rows of a band may have, where the band can do without larger ones. Loops of constant
/// length can be made permutable by skews as long as they are, in tiles that have a handful of points each; but a chain
/// of stencils needs a skew of the number of statements times their radius.
fn max_coefficient(n_stmts: usize) -> i64 {
    const LEAST: i64 = 16;
    const RADIUS: i64 = 4;
    LEAST.max(i64::try_from(n_stmts).unwrap_or(i64::MAX).saturating_mul(RADIUS))
}

/// Outer parallelism and locality: the smallest bound on dependence distances, row by row, in permutable bands.
///
/// **Paper** U. Bondhugula et al., *A Practical Automatic Polyhedral Parallelizer and Locality Optimizer*, PLDI 2008.
/// Ours differs: the bound on flow dependences comes before that on anti and output dependences, which are those of
/// memory and so long that they would hide it; sums of coefficients come before the coefficients, so that results do not
/// depend on the order of statements; and [`FusionHeuristic::Smart`] does not fuse at the cost of parallelism or
/// permutability. Skews have a limit.
pub struct Pluto {
    costs: Vec<Rc<dyn CostFunction>>,
    fusion: Rc<dyn Fusion>,
    proximity: Vec<DependenceKind>,
    defers_shallow: bool,
}

impl Pluto {
    /// The strategy with this fusion heuristic.
    pub fn new(fusion: FusionHeuristic) -> Self {
        let costs: Vec<Rc<dyn CostFunction>> = vec![
            Rc::new(Proximity::of_flow()),
            Rc::new(Proximity::of_memory()),
            Rc::new(CoefficientSums),
        ];
        Self {
            costs,
            fusion: Rc::new(fusion),
            proximity: vec![DependenceKind::Flow],
            defers_shallow: false,
        }
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

    /// The strategy whose statements in fewer loops than others get theirs as late as possible: until then they share the loops of
    /// the others, at one iteration each, so that bands are deeper. The rule is isl's (`needs_row` in its scheduler).
    #[must_use]
    pub fn with_deep_bands(self) -> Self {
        Self { defers_shallow: true, ..self }
    }
}

impl Default for Pluto {
    fn default() -> Self {
        Self::new(FusionHeuristic::default())
    }
}

impl Strategy for Pluto {
    fn name(&self) -> &str {
        if self.defers_shallow { "pluto-deep" } else { "pluto" }
    }

    fn plan(&mut self, state: &State<'_>) -> Plan {
        let is_bounded = state.attempt == 0;
        let again = (is_bounded && state.n_members == 0).then_some(Fallback::Replan);
        Plan {
            fusion: Rc::clone(&self.fusion),
            proximity_kinds: self.proximity.clone(),
            max_coefficient: is_bounded.then(|| max_coefficient(state.group.stmts.len())),
            bounded_by_sizes: is_bounded,
            defers_shallow: self.defers_shallow,
            fallbacks: again.into_iter().chain(Fallback::USUAL).collect(),
            ..Plan::new(self.costs.clone(), FusionHeuristic::default())
        }
    }
}
