//! Proximity: Pluto's bound on dependence distances.

use super::{CostContext, CostFunction, RowSink};
use crate::distance::distance_row;
use crate::group::ActiveDep;
use crate::layout::{CostVariables, IlpLayout};
use farkas_deps::DependenceKind;
use farkas_solve::{Row, RowKind, VarIdx};

/// The bound `u.n + w` on the distance of every dependence of some kinds.
///
/// **Paper** U. Bondhugula et al., *A Practical Automatic Polyhedral Parallelizer and Locality Optimizer*, PLDI 2008,
/// section 3.2; PolyTOPS eq. (4). The sum of the `u` leads, as in the locality model's eq. (3).
///
/// **Formulation** for each dependence, on all its pairs `i -> j`: `u.n + w - (phi_T(j) - phi_S(i)) >= 0`, and for a
/// dependence that is no validity constraint also `u.n + w + (phi_T(j) - phi_S(i)) >= 0`; lexmin
/// `sum of (u+ + u-), w`, at last `u-, u+` of each parameter. `u-` exists only for parameters that may be negative. Sizes
/// that are known count as parameters.
///
/// **Shapes** leading `sum_u` (only where there is more than one `u`) and `w`; trailing the `u`, where `sum_u` leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proximity {
    name: String,
    kinds: Vec<DependenceKind>,
}

/// The variables of the bound by what they stand for.
struct Bound {
    sum: Option<VarIdx>,
    w: VarIdx,
    /// `u-` and `u+` of each parameter, then of each known size.
    u: Vec<(Option<VarIdx>, VarIdx)>,
}

impl Proximity {
    /// The bound on dependences of these kinds. The variables of the cost function called `proximity` are `u` and `w`;
    /// those of another have its name in front.
    pub fn new(name: &str, kinds: &[DependenceKind]) -> Self {
        Self { name: name.to_owned(), kinds: kinds.to_vec() }
    }

    /// The bound on the distance between a value's making and its use.
    pub fn of_flow() -> Self {
        Self::new("proximity", &[DependenceKind::Flow])
    }

    /// The bound on what else keeps a loop from being parallel.
    pub fn of_memory() -> Self {
        Self::new("memory", &[DependenceKind::Anti, DependenceKind::Output])
    }

    /// The name of a variable.
    fn variable(&self, name: &str) -> String {
        if self.name == "proximity" { name.to_owned() } else { format!("{}.{name}", self.name) }
    }

    /// The names of the `u`: `u-` (where it exists) and `u+` of each parameter, and `u` of each known size.
    fn u_names(&self, context: &CostContext<'_>) -> Vec<String> {
        let params = context.scop.params();
        let of = |(id, p): (farkas_scop::ParamId, &farkas_scop::Parameter)| {
            let minus =
                (!context.non_negative[id]).then(|| self.variable(&format!("u-_{}", p.name)));
            minus.into_iter().chain([self.variable(&format!("u_{}", p.name))])
        };
        let of_sizes = context.sizes.iter().map(|size| self.variable(&format!("u_{size}")));
        params.iter_enumerated().flat_map(of).chain(of_sizes).collect()
    }

    /// Whether a dependence is bounded.
    fn bounds(&self, dep: &ActiveDep) -> bool {
        dep.is_any_of(&self.kinds)
    }

    /// Whether anything is bounded.
    fn is_active(&self, context: &CostContext<'_>) -> bool {
        context.group.deps.iter().any(|dep| self.bounds(dep))
    }
}

impl CostFunction for Proximity {
    fn name(&self) -> &str {
        &self.name
    }

    fn variables(&self, context: &CostContext<'_>) -> CostVariables {
        if !self.is_active(context) {
            return CostVariables::default();
        }
        let u = self.u_names(context);
        if u.len() <= 1 {
            let leading = u.into_iter().chain([self.variable("w")]).collect();
            return CostVariables { leading, trailing: Vec::new() };
        }
        let leading = vec![self.variable("sum_u"), self.variable("w")];
        CostVariables { leading, trailing: u }
    }

    fn rows(
        &self,
        context: &CostContext<'_>,
        layout: &IlpLayout,
        own: usize,
        sink: &mut RowSink<'_>,
    ) {
        let Some(bound) = bound(context, layout.own(own)) else { return };
        if let Some(sum) = bound.sum {
            let u = bound.u.iter().flat_map(|&(minus, plus)| minus.into_iter().chain([plus]));
            sink(RowKind::Equality, Row::from_terms(u.map(|u| (u, -1)).chain([(sum, 1)]), 0));
        }
        for dep in context.group.deps.iter().filter(|dep| self.bounds(dep)) {
            let signs: &[i64] = if dep.is_validity() { &[-1] } else { &[-1, 1] };
            for &sign in signs {
                for cone_row in &dep.cone.rows {
                    let mut row = distance_row(layout, dep, cone_row, sign);
                    row.add(bound.w, cone_row.constant);
                    let factors = cone_row.params.iter().chain(&cone_row.sizes);
                    for (&(minus, plus), &factor) in bound.u.iter().zip(factors) {
                        row.add(plus, factor);
                        if let Some(minus) = minus {
                            row.add(minus, -factor);
                        }
                    }
                    sink(cone_row.kind, row);
                }
            }
        }
    }
}

/// Sorts the own variables; `None` when there are none.
fn bound(context: &CostContext<'_>, own: &[VarIdx]) -> Option<Bound> {
    let signs = || context.non_negative.iter().copied().chain(context.sizes.iter().map(|_| true));
    let n_u: usize = signs().map(|known| if known { 1 } else { 2 }).sum();
    let (sum, w, u) = match (n_u, own) {
        (0, &[w]) => (None, w, &own[..0]),
        (1, &[_, w]) => (None, w, &own[..1]),
        (_, &[sum, w, ..]) => (Some(sum), w, &own[2..]),
        _ => return None,
    };
    let mut rest = u.iter().copied();
    let mut pairs = Vec::new();
    for is_non_negative in signs() {
        let minus = if is_non_negative { None } else { rest.next() };
        pairs.push((minus, rest.next()?));
    }
    Some(Bound { sum, w, u: pairs })
}
