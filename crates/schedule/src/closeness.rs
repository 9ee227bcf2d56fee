//! How close the statements of two components are, and could be: what clustering asks of proximity relations.

use crate::Result;
use crate::affine::{PairForm, StmtRow};
use crate::driver::Driver;
use crate::fusion::{ProximityEdge, Reach};
use crate::group::{ActiveDep, Group};
use crate::plan::Plan;
use crate::report::RowReport;
use crate::span::Span;
use farkas_deps::Components;
use farkas_poly::{Map, Set, Space};
use farkas_scop::StmtId;
use std::collections::BTreeMap;

/// The largest distance that is small, as in isl's `distance_is_bounded`.
const SMALL: i128 = 2;

/// All pairs of two statements of different components that should be close.
pub(crate) struct Closeness {
    source: StmtId,
    sink: StmtId,
    /// The positions in the group of the relations.
    deps: Vec<usize>,
    pairs: Map,
    pub(crate) edge: ProximityEdge,
}

impl Closeness {
    /// The proximity relations between components of `group` under `plan`, by source and sink.
    pub(crate) fn between(
        driver: &Driver<'_>,
        group: &Group,
        components: &Components,
        plan: &Plan,
    ) -> Result<Vec<Self>> {
        let component_of = components.of_stmts();
        let mut by_ends: BTreeMap<(StmtId, StmtId), Vec<usize>> = BTreeMap::new();
        for (at, dep) in group.deps.iter().enumerate() {
            if plan.brings_close(dep) && component_of[&dep.source] != component_of[&dep.sink] {
                by_ends.entry((dep.source, dep.sink)).or_default().push(at);
            }
        }
        let of = |((source, sink), deps): ((StmtId, StmtId), Vec<usize>)| {
            let mut pairs = group.deps[deps[0]].relation.clone();
            for &at in &deps[1..] {
                pairs = pairs.union(&group.deps[at].relation)?;
            }
            let spans = [source, sink].map(|stmt| &driver.stmts[stmt].span);
            let weight = driver.within_isl_budget(|| n_alignable(&pairs, spans))?.unwrap_or(0);
            let (from, to) = (component_of[&source], component_of[&sink]);
            let edge = ProximityEdge { source: from, sink: to, weight };
            Ok(Self { source, sink, deps, pairs, edge })
        };
        by_ends.into_iter().map(of).collect()
    }

    /// How far the relation reaches in the members of a band of its two statements and others.
    pub(crate) fn reach(
        &self,
        driver: &Driver<'_>,
        group: &Group,
        rows: &[RowReport],
    ) -> Result<Reach> {
        let mut reach = Reach { n_members: rows.len(), n_far: 0, is_pinned: true };
        for row in rows {
            let (Some(source), Some(sink)) = (row.row_of(self.source), row.row_of(self.sink))
            else {
                continue;
            };
            if self.is_small(driver, group, &PairForm::distance(source, sink))? {
                continue;
            }
            reach.n_far += 1;
            let pinned = driver.within_isl_budget(|| {
                Ok(has_one_date(&self.pairs.domain()?, source)?
                    || has_one_date(&self.pairs.range()?, sink)?)
            })?;
            reach.is_pinned &= pinned.unwrap_or(false);
        }
        Ok(reach)
    }

    /// Whether the distance is at most [`SMALL`] either way; exactly so, where the cones do not say it.
    fn is_small(&self, driver: &Driver<'_>, group: &Group, distance: &PairForm) -> Result<bool> {
        let to_bound = |form: PairForm| PairForm { constant: form.constant + SMALL, ..form };
        let bounds = [to_bound(distance.clone()), to_bound(distance.negated())];
        let holds = |dep: &ActiveDep| bounds.iter().all(|form| dep.cone.contains(form));
        if self.deps.iter().all(|&at| holds(&group.deps[at])) {
            return Ok(true);
        }
        let is_far = |value: i128| value.abs() > SMALL;
        let cones = self.deps.iter().map(|&at| &group.deps[at].cone);
        if cones.flat_map(|cone| cone.values_at_pairs(distance)).any(is_far) {
            return Ok(false);
        }
        let answer = driver.within_isl_budget(|| {
            let pairs = self.pairs.wrap()?;
            for form in [distance.clone(), distance.negated()] {
                let beyond = PairForm { constant: form.constant - SMALL - 1, ..form };
                let beyond = beyond.to_aff(&pairs.space()?)?.to_pw_aff()?.nonneg_set()?;
                if !pairs.intersect(&beyond)?.is_empty()? {
                    return Ok(false);
                }
            }
            Ok(true)
        })?;
        Ok(answer.unwrap_or(false))
    }
}

/// Whether all `instances` have one date under `row`, for each value of the parameters.
fn has_one_date(instances: &Set, row: &StmtRow) -> Result<bool> {
    if row.iterators.iter().all(|&c| c == 0) {
        return Ok(true);
    }
    let space: Space = instances.space()?;
    Ok(instances.apply(&row.to_pw_aff(&space)?.to_map()?)?.is_singleton()?)
}

/// How many dimensions of two statements that `spans` do not have are equal, up to affine functions, in all `pairs`: the
/// equalities between source and sink, less those in one of them alone.
///
/// **Paper** none; isl's `compute_weights`.
///
/// **Formulation** With the equalities of the affine hull as rows over the iterators of source and sink modulo the spans,
/// the rank of the part of the source and that of the sink, less the rank of the whole.
fn n_alignable(pairs: &Map, spans: [&Span; 2]) -> Result<usize> {
    let equalities = pairs.affine_hull()?.equalities()?;
    let (mut sources, mut sinks) = (spans[0].clone(), spans[1].clone());
    let mut both = sources.direct_sum(&sinks);
    let (mut n_separate, mut n_together) = (0, 0);
    for row in equalities.iter().filter(|row| row.divs.iter().all(|&c| c == 0)) {
        let (source, sink) = row.dims.split_at(sources.n_dims());
        n_separate += usize::from(sources.insert(source)) + usize::from(sinks.insert(sink));
        n_together += usize::from(both.insert(&row.dims));
    }
    Ok(n_separate - n_together)
}

#[cfg(test)]
mod tests {
    use super::n_alignable;
    use crate::span::Span;
    use farkas_poly::Map;

    /// The number for `pairs` after outer rows of source and sink.
    fn weight(pairs: &str, outer: [&[&[i64]]; 2]) -> usize {
        let pairs: Map = pairs.parse().unwrap();
        let n_dims = |kind| pairs.dim(kind).unwrap() as usize;
        let n_dims = [n_dims(farkas_poly::DimType::In), n_dims(farkas_poly::DimType::Out)];
        let spans = [0, 1].map(|end| {
            let mut span = Span::new(n_dims[end]);
            outer[end].iter().for_each(|row| {
                span.insert(row);
            });
            span
        });
        n_alignable(&pairs, [&spans[0], &spans[1]]).unwrap()
    }

    #[test]
    fn equalities_between_both_ends_align() {
        let none: [&[&[i64]]; 2] = [&[], &[]];
        assert_eq!(weight("{ S[i, j] -> T[i, j] }", none), 2);
        assert_eq!(weight("{ S[i, j] -> T[j, i + 3, k] }", none), 2);
        assert_eq!(weight("[n] -> { S[i] -> T[n - i] }", none), 1);
        assert_eq!(weight("{ S[i] -> T[j] : i <= j <= i + 2 }", none), 0);
        // Two values of two iterators: one equality.
        assert_eq!(weight("{ S[i, j] -> T[k, l] : i + j = k + l and 0 <= i, j, k, l }", none), 1);
        assert_eq!(weight("{ S[] -> T[i] }", none), 0);
    }

    #[test]
    fn equalities_within_one_end_do_not() {
        let none: [&[&[i64]]; 2] = [&[], &[]];
        assert_eq!(weight("[n] -> { S[n - 1, j] -> T[0, j] }", none), 1);
        assert_eq!(weight("{ S[i, i] -> T[i, i] }", none), 1);
    }

    #[test]
    fn dimensions_of_outer_rows_do_not_count() {
        assert_eq!(weight("{ S[t, i] -> T[t, i] }", [&[&[1, 0]], &[&[1, 0]]]), 1);
        assert_eq!(weight("{ S[t, i] -> T[t, i] }", [&[&[1, 1]], &[&[1, 1]]]), 1);
        assert_eq!(weight("{ S[t, i] -> T[t, i] }", [&[&[1, 0], &[0, 1]], &[&[1, 0], &[0, 1]]]), 0);
    }
}
