//! Sums of coefficients: small rows, whatever the order of statements.

use super::{CostContext, CostFunction, RowSink};
use crate::coefficient::Coefficient;
use crate::layout::CostVariables;
use crate::layout::{Column, IlpLayout};
use farkas_solve::{Row, RowKind, VarIdx};

/// The sum of all parameter coefficients, then that of the magnitudes of all iterator coefficients.
///
/// **Paper** O. Zinenko et al., *Modeling the Conflicting Demands of Parallelism and Temporal/Spatial Locality in Affine
/// Scheduling*, CC 2018, eq. (3), third and fourth term.
///
/// **Formulation** lexmin `sum over S, p of d_S,p`, then `sum over S, i of |c_S,i|`, where `S` are the nodes of the integer
/// program: statements, or clusters with the dimensions of their bands as iterators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CoefficientSums;

impl CostFunction for CoefficientSums {
    fn name(&self) -> &str {
        "coefficient-sums"
    }

    fn decides(&self) -> bool {
        false
    }

    fn variables(&self, context: &CostContext<'_>) -> CostVariables {
        let params = context.has_params && !context.scop.params().is_empty();
        let names = params.then_some("sum_par").into_iter().chain(["sum_it"]);
        CostVariables { leading: names.map(str::to_owned).collect(), trailing: Vec::new() }
    }

    fn rows(
        &self,
        _context: &CostContext<'_>,
        layout: &IlpLayout,
        own: usize,
        sink: &mut RowSink<'_>,
    ) {
        let [params @ .., iterators] = layout.own(own) else { return };
        sink(RowKind::Equality, sum(layout, *iterators, |c| matches!(c, Coefficient::Iterator(_))));
        if let Some(params) = params.first() {
            sink(RowKind::Equality, sum(layout, *params, |c| matches!(c, Coefficient::Param(_))));
        }
    }
}

/// That `total` is the sum of all columns for these coefficients.
fn sum(layout: &IlpLayout, total: VarIdx, is_counted: fn(&Coefficient) -> bool) -> Row {
    let is_counted = |column: &Column| match column {
        Column::Coefficient { which, .. } => is_counted(which),
        Column::Cost { .. } => false,
    };
    let counted = layout.columns().iter_enumerated().filter(|(_, column)| is_counted(column));
    Row::from_terms(counted.map(|(column, _)| (column, -1)).chain([(total, 1)]), 0)
}
