//! What a row does to the dependences: which are zero, which it carries, what it leaves of the others.

use super::growing::Progress;
use super::{FoundBand, FoundRow, Growing};
use crate::Result;
use crate::affine::PairForm;
use crate::driver::Driver;
use crate::group::{ActiveDep, Effect, Group, GroupRow};
use crate::relations::Reused;
use crate::report::RowReport;
use farkas_deps::{DepId, Reuse};
use std::collections::BTreeSet;
use std::rc::Rc;

impl Driver<'_> {
    /// Makes a solution the next row of the band.
    pub(crate) fn accept(
        &mut self,
        band: &mut Growing,
        (solution, fallback): FoundRow,
    ) -> Result<()> {
        band.remember();
        let row = GroupRow { stmts: &band.group.stmts, rows: &solution.rows };
        let (mut coincident, mut carrier) = (true, None);
        let mut carried: Vec<DepId> = Vec::new();
        let (mut gave_up, mut walks_lines) = (false, false);
        for (at, (dep, progress)) in band.group.deps.iter().zip(&mut band.progress).enumerate() {
            let distance = dep.distance(&row);
            let effect = dep.effect(&distance);
            let is_lost =
                |r: &Reused| effect != Effect::Zero || solution.given_up.contains(&(at, r.reuse));
            walks_lines |=
                effect != Effect::Zero && progress.reused.iter().any(|r| r.reuse == Reuse::Spatial);
            if progress.reused.iter().any(is_lost) {
                Rc::make_mut(progress).reused.retain(|r| !is_lost(r));
                gave_up = true;
            }
            if dep.is_coincidence() && coincident && !self.is_zero(dep, &distance, effect)? {
                coincident = false;
                carrier = dep.ids.first().copied();
            }
            if effect != Effect::Zero && !progress.is_carried {
                self.advance(dep, Rc::make_mut(progress), distance, effect)?;
                if progress.is_carried && (dep.is_validity() || !dep.is_conditional()) {
                    carried.extend(&dep.ids);
                }
            }
        }
        let private = if coincident && band.given.is_some() {
            self.private_in(band, &row)?
        } else {
            BTreeSet::new()
        };
        if gave_up {
            band.forget_stale_ilp();
        }
        for ((span, rows), row) in
            band.spans.iter_mut().zip(&mut band.stmt_rows).zip(&solution.rows)
        {
            span.insert(&row.iterators);
            rows.push(row.clone());
        }
        for (span, row) in band.node_spans.iter_mut().zip(&solution.node_rows) {
            span.insert(row);
        }
        carried.sort_unstable();
        band.rows.push(RowReport {
            dimension: band.dimension + band.rows.len(),
            member: band.rows.len(),
            stmts: band.group.stmts.clone(),
            rows: solution.rows,
            cost: solution.cost,
            carried,
            coincident,
            private,
            walks_lines,
            carrier,
            fallback,
            unmarked: band.ilp.as_ref().is_some_and(|(plan, _)| plan.unmarked),
            ilp_size: band.ilp.as_ref().map_or((0, 0), |(_, ilp)| ilp.size()),
        });
        Ok(())
    }

    /// What a row that is not zero everywhere leaves of a dependence.
    fn advance(
        &mut self,
        dep: &ActiveDep,
        progress: &mut Progress,
        distance: PairForm,
        effect: Effect,
    ) -> Result<()> {
        let sum = match &progress.sum {
            None => distance.clone(),
            Some(sum) => sum.clone().plus(&distance),
        };
        let is_positive = effect == Effect::Carried
            || dep.is_mere_reuse()
            || (dep.is_validity() && progress.sum.is_some() && dep.cone.is_positive(&sum));
        progress.sum = Some(sum);
        if is_positive {
            progress.is_carried = true;
            return Ok(());
        }
        if let Some(left) = self.remains.left_at_zero(&progress.left, distance, self.options)? {
            progress.is_carried = left.is_empty;
            progress.is_narrowed = true;
            progress.left = left.pairs;
        }
        Ok(())
    }

    /// Whether all dependences of a group have distance zero in a row.
    pub(crate) fn is_coincident(&self, group: &Group, row: &RowReport) -> Result<bool> {
        let private = &row.private;
        let row = GroupRow { stmts: &row.stmts, rows: &row.rows };
        for dep in group.deps.iter().filter(|dep| dep.is_coincidence()) {
            if dep.is_conditional() && dep.ranges.apart.is_subset(private) {
                continue;
            }
            let distance = dep.distance(&row);
            if !self.is_zero(dep, &distance, dep.effect(&distance))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a distance of `dep` is zero on all its pairs.
    pub(crate) fn has_distance_zero(&self, dep: &ActiveDep, distance: &PairForm) -> Result<bool> {
        self.is_zero(dep, distance, dep.effect(distance))
    }

    /// Whether the distance is zero; on the exact relation, where the cone does not say so.
    fn is_zero(&self, dep: &ActiveDep, distance: &PairForm, effect: Effect) -> Result<bool> {
        if effect != Effect::Mixed {
            return Ok(effect == Effect::Zero);
        }
        if dep.cone.values_at_pairs(distance).any(|value| value != 0) {
            return Ok(false);
        }
        let answer = self.within_isl_budget(|| {
            let zero = ActiveDep::at_zero(&dep.relation, distance)?;
            Ok(dep.relation.is_subset(&zero)?)
        })?;
        Ok(answer.unwrap_or(false))
    }

    /// The band, with the dependences that it leaves.
    pub(crate) fn finish(&mut self, band: Growing) -> Result<FoundBand> {
        let mut left = Vec::new();
        for (at, progress) in band.progress.iter().enumerate() {
            let dep = band.given(at);
            if progress.is_carried {
                continue;
            }
            if dep.is_mere_reuse() && progress.reused.is_empty() {
                continue;
            }
            let mut dep = dep.clone();
            dep.reused.clone_from(&progress.reused);
            if progress.is_narrowed {
                dep.relation = self.remains.simplified(&progress.left, self.options)?;
                dep.cone = self.cones.cone(&dep.relation)?;
            }
            left.push(dep);
        }
        let mut left = Group { stmts: Vec::new(), deps: left };
        left.keep_apart(&band.torn());
        Ok(FoundBand {
            rows: band.rows,
            left: left.deps,
            spans: band.spans,
            warnings: band.warnings,
        })
    }
}
