//! Proximity: Pluto's bound on dependence distances.

use super::{CostContext, CostFunction, CostVariables, RowSink};
use crate::group::ActiveDep;
use crate::ilp::distance_row;
use crate::layout::IlpLayout;
use farkas_base::Id;
use farkas_deps::DependenceKind;
use farkas_solve::{Row, RowKind, VarIdx};

/// The bound `u.n + w` on the distance of every dependence of some kinds.
///
/// **Paper** U. Bondhugula et al., *A Practical Automatic Polyhedral Parallelizer and Locality Optimizer*, PLDI 2008,
/// section 3.2; PolyTOPS eq. (4). The sum of the `u` leads, as in the locality model's eq. (3).
///
/// **Formulation** for each dependence, on all its pairs `i -> j`: `u.n + w - (phi_T(j) - phi_S(i)) >= 0`, and for a
/// dependence that is no validity constraint also `u.n + w + (phi_T(j) - phi_S(i)) >= 0`; lexmin
/// `sum of (u+ + u-), w`, at last `u-, u+` of each parameter. `u-` exists only for parameters that may be negative.
///
/// **Shapes** leading `sum_u` (only where there is more than one `u`) and `w`; trailing the `u`, where `sum_u` leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proximity {
    /// The kinds of dependences whose distance is bounded.
    pub kinds: Vec<DependenceKind>,
}

impl Default for Proximity {
    /// Every kind that is a validity constraint: a loop is parallel only if none of them has a distance.
    fn default() -> Self {
        use DependenceKind::{Anti, Flow, Output};
        Self { kinds: vec![Flow, Anti, Output] }
    }
}

/// The variables of the bound by what they stand for.
struct Bound {
    sum: Option<VarIdx>,
    w: VarIdx,
    /// `u-` and `u+` of each parameter.
    u: Vec<(Option<VarIdx>, VarIdx)>,
}

impl Proximity {
    /// The names of the `u`: `u-` (where it exists) and `u+` of each parameter.
    fn u_names(context: &CostContext<'_>) -> Vec<String> {
        let params = context.scop.params();
        let of = |(id, p): (farkas_scop::ParamId, &farkas_scop::Parameter)| {
            let minus = (!context.non_negative[id]).then(|| format!("u-_{}", p.name));
            minus.into_iter().chain([format!("u_{}", p.name)])
        };
        params.iter_enumerated().flat_map(of).collect()
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
        "proximity"
    }

    fn variables(&self, context: &CostContext<'_>) -> CostVariables {
        if !self.is_active(context) {
            return CostVariables::default();
        }
        let u = Self::u_names(context);
        if u.len() <= 1 {
            let leading = u.into_iter().chain(["w".to_owned()]).collect();
            return CostVariables { leading, trailing: Vec::new() };
        }
        CostVariables { leading: vec!["sum_u".to_owned(), "w".to_owned()], trailing: u }
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
                    for (&(minus, plus), &factor) in bound.u.iter().zip(&cone_row.params) {
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
    let n_u: usize = context.non_negative.iter().map(|&known| if known { 1 } else { 2 }).sum();
    let (sum, w, u) = match (n_u, own) {
        (0, &[w]) => (None, w, &own[..0]),
        (1, &[_, w]) => (None, w, &own[..1]),
        (_, &[sum, w, ..]) => (Some(sum), w, &own[2..]),
        _ => return None,
    };
    let mut rest = u.iter().copied();
    let mut pairs = Vec::new();
    for id in (0..context.non_negative.len()).map(farkas_scop::ParamId::from_index) {
        let minus = if context.non_negative[id] { None } else { rest.next() };
        pairs.push((minus, rest.next()?));
    }
    Some(Bound { sum, w, u: pairs })
}
