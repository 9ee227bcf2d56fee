//! Sums of coefficients: small rows, whatever the order of statements.

use super::{CostContext, CostFunction, CostVariables, RowSink};
use crate::layout::{Coefficient, IlpLayout};
use farkas_base::Id;
use farkas_scop::ParamId;
use farkas_solve::{Row, RowKind};

/// The sum of all parameter coefficients, then that of the magnitudes of all iterator coefficients.
///
/// **Paper** O. Zinenko et al., *Modeling the Conflicting Demands of Parallelism and Temporal/Spatial Locality in Affine
/// Scheduling*, CC 2018, eq. (3), third and fourth term.
///
/// **Formulation** lexmin `sum over S, p of d_S,p`, then `sum over S, i of c_S,i`.
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
        let mut row = Row::new().with(*iterators, 1);
        for stmt in layout.stmts() {
            for i in 0..layout.n_iterators(stmt) {
                layout.add_magnitude(&mut row, stmt, Coefficient::Iterator(i), -1);
            }
        }
        sink(RowKind::Equality, row);
        if let Some(params) = params.first() {
            let mut row = Row::new().with(*params, 1);
            for stmt in layout.stmts() {
                for p in (0..layout.n_params()).map(ParamId::from_index) {
                    layout.add(&mut row, stmt, Coefficient::Param(p), -1);
                }
            }
            sink(RowKind::Equality, row);
        }
    }
}
