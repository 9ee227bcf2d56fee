//! Temporal and spatial proximity: carry as few groups of references as possible.

use super::{CostContext, CostFunction, RowSink, Wish, WishPart};
use crate::Result;
use crate::distance::distance_row;
use crate::layout::{CostVariables, IlpLayout};
use crate::references::ReferenceGroups;
use crate::relations::Reused;
use farkas_deps::Reuse;
use farkas_scop::{AccessId, Scop, StmtId};
use farkas_solve::RowKind;

/// Distance zero for what groups of references use again, group by group: first the same elements, then the same lines.
///
/// **Paper** the locality model, sections 4.4 and 4.5, eq. (4). Ours differs: the paper minimises a bound on each group and
/// drops the first group whose bound is not zero, again and again until all that are left are zero. What comes out is that
/// each group in turn is made zero where the groups before it allow that, which is what is asked for here, without bounds.
/// And spatial relations between two statements are left out: adjacent are the last instance of one that touches a line and
/// the first of the other, several iterations apart.
///
/// **Formulation** for each group in turn, `phi_T(j) - phi_S(i) = 0` on all pairs `i -> j` of its temporal relations; then the
/// same for its spatial relations. A relation between two groups belongs to both.
///
/// **Shapes** no variables; a wish a group and kind of reuse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemporalSpatial {
    references: ReferenceGroups,
}

impl TemporalSpatial {
    /// The cost for `scop`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn new(scop: &Scop) -> Result<Self> {
        Ok(Self { references: ReferenceGroups::of(scop)? })
    }

    /// The wish that all relations of a group have distance zero; none where there are none.
    fn wish(
        &self,
        context: &CostContext<'_>,
        layout: &IlpLayout,
        group: usize,
        reuse: Reuse,
    ) -> Option<Wish> {
        let is_end = |end: (StmtId, AccessId)| self.references.group_of(end) == Some(group);
        // What two statements have of one line is no reason to shift one of them to its end.
        let is_meant = |r: &Reused| match reuse {
            Reuse::Temporal => true,
            Reuse::Spatial => r.source.0 == r.sink.0,
        };
        let is_of =
            |r: &Reused| r.reuse == reuse && is_meant(r) && (is_end(r.source) || is_end(r.sink));
        let mut parts = Vec::new();
        let deps = context.group.deps.iter().zip(context.reused).enumerate();
        for (dep, (relation, _)) in deps.filter(|(_, (_, reused))| reused.iter().any(is_of)) {
            let rows = relation.cone.rows.iter();
            let zero = |row| (RowKind::Equality, distance_row(layout, relation, row, 1));
            parts.push(WishPart { dep, reuse, rows: rows.map(zero).collect() });
        }
        let name = format!("{}.{}", reuse.name(), self.references.groups[group].name);
        (!parts.is_empty()).then_some(Wish { name, parts })
    }
}

impl CostFunction for TemporalSpatial {
    fn name(&self) -> &str {
        "temporal-spatial"
    }

    fn variables(&self, _context: &CostContext<'_>) -> CostVariables {
        CostVariables::default()
    }

    fn rows(
        &self,
        _context: &CostContext<'_>,
        _layout: &IlpLayout,
        _own: usize,
        _sink: &mut RowSink<'_>,
    ) {
    }

    fn wishes(&self, context: &CostContext<'_>, layout: &IlpLayout) -> Vec<Wish> {
        let ordered = self.references.ordered(&context.group.stmts, context.spans);
        let both = |group| [(group, Reuse::Temporal), (group, Reuse::Spatial)];
        let wishes = ordered.into_iter().flat_map(both);
        wishes.filter_map(|(group, reuse)| self.wish(context, layout, group, reuse)).collect()
    }
}
