//! Partial schedules: what a walk through an influence tree makes step by step.

use super::levels::{Level, Levels};
use crate::Result;
use crate::affine::StmtRow;
use crate::band::Growing;
use crate::driver::Driver;
use crate::group::Group;
use crate::scenario::InfluenceNode;
use farkas_deps::Components;
use farkas_scop::StmtId;
use std::collections::BTreeMap;

/// A partial schedule of all statements together.
#[derive(Clone)]
pub(super) struct Partial {
    pub(super) levels: Levels,
    /// Statements that run one after another; their rows are found together.
    pub(super) parts: Vec<Vec<StmtId>>,
    pub(super) band: Growing,
    /// The influenced rows so far.
    pub(super) rows: Vec<BTreeMap<StmtId, StmtRow>>,
}

impl Driver<'_> {
    /// The partial schedule with its band ended.
    pub(super) fn with_new_band(&mut self, partial: Partial) -> Result<Partial> {
        let Partial { mut levels, parts, band, rows } = partial;
        let stmt_rows = band.stmt_rows.clone();
        let dimension = band.dimension + band.rows.len();
        let group = Group { stmts: band.group.stmts.clone(), deps: Vec::new() };
        let groups = parts.iter().map(|part| band.group.restricted(part.clone())).collect();
        let found = self.finish(band)?;
        if !found.rows.is_empty() {
            levels.push(Level::Band { rows: found.rows, groups });
        }
        let group = Group { deps: found.left, ..group };
        let band = Growing::after(self, group, dimension, found.spans, stmt_rows);
        Ok(Partial { levels, parts, band, rows })
    }

    /// The partial schedule with its band ended and each part cut as `cut` says of its components; `None` where nothing
    /// is cut.
    pub(super) fn separated(
        &mut self,
        partial: Partial,
        cut: impl Fn(&Growing, &Components) -> Vec<Vec<usize>>,
    ) -> Result<Option<Partial>> {
        let mut partial = self.with_new_band(partial)?;
        let mut sequence: Vec<Vec<Vec<StmtId>>> = Vec::new();
        for part in &partial.parts {
            let components = partial.band.group.restricted(part.clone()).components();
            let cuts = cut(&partial.band, &components);
            let order = components.order(&cuts);
            let order = order.unwrap_or_else(|| (0..cuts.len()).collect());
            sequence.push(order.into_iter().map(|at| components.stmts(&cuts[at])).collect());
        }
        if sequence.iter().all(|parts| parts.len() == 1) {
            return Ok(None);
        }
        partial.parts = sequence.concat();
        let groups: Vec<Group> =
            partial.parts.iter().map(|part| partial.band.group.restricted(part.clone())).collect();
        partial.levels.push(Level::Sequence(sequence));
        let (spans, rows) = (partial.band.spans.clone(), partial.band.stmt_rows.clone());
        let dimension = partial.band.dimension + 1;
        partial.band = Growing::after(self, Group::merged(&groups), dimension, spans, rows);
        Ok(Some(partial))
    }

    /// The partial schedule with the statements that need no more loops apart from those that do, and those that the node
    /// wants apart.
    pub(super) fn finished_apart(
        &mut self,
        partial: Partial,
        node: &InfluenceNode,
    ) -> Result<Partial> {
        let is_mixed = {
            let full = |stmt: &StmtId| partial.band.is_complete(*stmt);
            let stmts = &partial.band.group.stmts;
            stmts.iter().any(full) && !stmts.iter().all(full)
        };
        if !is_mixed && node.unfused.is_empty() {
            return Ok(partial);
        }
        let unfused = node.unfused.clone();
        let separated = self.separated(partial.clone(), |band, components| {
            runs(components, |stmts| {
                let alone = stmts.iter().find(|stmt| unfused.contains(stmt)).copied();
                (alone, stmts.iter().all(|stmt| band.is_complete(*stmt)))
            })
        })?;
        Ok(separated.unwrap_or(partial))
    }

    /// The end of a walk: the levels, and what is left for the plain schedule.
    pub(super) fn complete(&mut self, partial: Partial) -> Result<(Levels, Vec<Group>)> {
        let Partial { levels, parts, band, .. } = self.with_new_band(partial)?;
        for (at, &stmt) in band.group.stmts.iter().enumerate() {
            self.stmts[stmt].span = band.spans[at].clone();
            self.stmts[stmt].rows = band.stmt_rows[at].clone();
        }
        let groups = parts.into_iter().map(|part| band.group.restricted(part)).collect();
        Ok((levels, groups))
    }
}

/// Components in their order, cut where what `class` says of them changes.
fn runs<C: PartialEq>(components: &Components, class: impl Fn(&[StmtId]) -> C) -> Vec<Vec<usize>> {
    let mut cuts: Vec<Vec<usize>> = Vec::new();
    for component in 0..components.len() {
        let same = cuts.last().and_then(|cut| cut.last()).is_some_and(|&before| {
            class(&components.members[before]) == class(&components.members[component])
        });
        match cuts.last_mut() {
            Some(cut) if same => cut.push(component),
            _ => cuts.push(vec![component]),
        }
    }
    cuts
}
