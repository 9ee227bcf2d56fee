//! Carrying spatial proximity: the innermost loop, or the one over a GPU's threads.

use super::{CostContext, CostFunction, RowSink};
use crate::Result;
use crate::coefficient::Coefficient;
use crate::distance::distance_row;
use crate::layout::{CostVariables, IlpLayout};
use crate::references::ReferenceGroups;
use crate::relations::Reused;
use farkas_deps::Reuse;
use farkas_scop::Scop;
use farkas_solve::{Row, RowKind};
use std::collections::BTreeSet;

/// Small coefficients, then as many groups of references as possible whose lines the row walks along.
///
/// **Paper** the locality model, section 4.6, eq. (5). Ours differs: relations between two statements do not count, since a
/// shift of one against the other carries them and wins nothing.
///
/// **Formulation** lexmin `sum over S, i of |c_S,i|`, then the number of groups `k` that are not carried: a variable `f_k`, at
/// most 1, with `phi_T(j) - phi_S(i) - 1 + f_k >= 0` on all pairs of the spatial relations of the group (`f_k` is the paper's
/// `1 - e_k`). No distance may be negative. A relation between two groups belongs to both.
///
/// **Shapes** leading `sum_it_lines` and `uncarried_lines`; trailing the `f_k`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarrySpatial {
    references: ReferenceGroups,
}

impl CarrySpatial {
    /// The cost for `scop`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn new(scop: &Scop) -> Result<Self> {
        Ok(Self { references: ReferenceGroups::of(scop)? })
    }

    /// The groups with spatial relations, ascending.
    fn groups(&self, context: &CostContext<'_>) -> BTreeSet<usize> {
        context.reused.iter().flat_map(|reused| self.groups_of(reused)).collect()
    }

    /// The groups whose lines a relation is about.
    fn groups_of<'a>(&'a self, reused: &'a [Reused]) -> impl Iterator<Item = usize> + 'a {
        let is_counted = |r: &&Reused| r.reuse == Reuse::Spatial && r.source.0 == r.sink.0;
        let spatial = reused.iter().filter(is_counted);
        let ends = spatial.flat_map(|r| [r.source, r.sink]);
        ends.filter_map(|end| self.references.group_of(end))
    }
}

impl CostFunction for CarrySpatial {
    fn name(&self) -> &str {
        "carry-spatial"
    }

    fn follows_reuse(&self) -> bool {
        true
    }

    fn variables(&self, context: &CostContext<'_>) -> CostVariables {
        let groups = self.groups(context);
        if groups.is_empty() {
            return CostVariables::default();
        }
        let name = |group: &usize| format!("f_{}", self.references.groups[*group].name);
        let leading = ["sum_it_lines", "uncarried_lines"].map(str::to_owned).to_vec();
        CostVariables { leading, trailing: groups.iter().map(name).collect() }
    }

    fn rows(
        &self,
        context: &CostContext<'_>,
        layout: &IlpLayout,
        own: usize,
        sink: &mut RowSink<'_>,
    ) {
        let [iterators, uncarried, flags @ ..] = layout.own(own) else { return };
        let mut sum = Row::new().with(*iterators, 1);
        for stmt in layout.stmts() {
            for i in 0..layout.n_iterators(stmt) {
                layout.add_magnitude(&mut sum, stmt, Coefficient::Iterator(i), -1);
            }
        }
        sink(RowKind::Equality, sum);
        let negative = flags.iter().map(|&flag| (flag, -1));
        sink(RowKind::Equality, Row::from_terms(negative.chain([(*uncarried, 1)]), 0));
        let groups: Vec<usize> = self.groups(context).into_iter().collect();
        for (&flag, &group) in flags.iter().zip(&groups) {
            sink(RowKind::Inequality, Row::new().with(flag, -1).with_constant(1));
            let deps = context.group.deps.iter().zip(context.reused);
            for (dep, _) in deps.filter(|(_, r)| self.groups_of(r).any(|of| of == group)) {
                for cone_row in &dep.cone.rows {
                    let mut row = distance_row(layout, dep, cone_row, 1);
                    row.add(flag, cone_row.constant);
                    sink(cone_row.kind, row.with_constant(-cone_row.constant));
                }
            }
        }
    }
}
