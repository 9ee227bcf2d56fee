//! Zero distance: not a cost, but the demand that there be none.

use super::{CostContext, CostFunction, RowSink};
use crate::distance::distance_row;
use crate::layout::{CostVariables, IlpLayout};
use farkas_solve::RowKind;

/// The demand that every pair that keeps loops from being parallel have distance zero: the row is coincident.
///
/// **Formulation** `phi_T(j) - phi_S(i) = 0` for each pair `i -> j` of each coincidence relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ZeroDistance;

impl CostFunction for ZeroDistance {
    fn name(&self) -> &str {
        "zero-distance"
    }

    fn variables(&self, _context: &CostContext<'_>) -> CostVariables {
        CostVariables::default()
    }

    fn rows(
        &self,
        context: &CostContext<'_>,
        layout: &IlpLayout,
        _own: usize,
        sink: &mut RowSink<'_>,
    ) {
        for dep in context.group.deps.iter().filter(|dep| dep.is_coincidence()) {
            for cone_row in &dep.cone.rows {
                sink(RowKind::Equality, distance_row(layout, dep, cone_row, 1));
            }
        }
    }
}
