//! What shares a loop over a strip, and whether that keeps what is computed.

use super::nest::{Looking, Part, Placed};
use crate::Result;
use crate::strips::is_even;
use crate::values::finds_all_values;
use farkas_deps::{DepId, DependenceKind, carried};
use farkas_scop::{ArrayId, StmtId};
use farkas_tree::Node;
use std::collections::BTreeSet;

/// Statements that share a loop over a strip.
pub(super) struct Run<'p> {
    pub(super) placed: Vec<&'p Placed>,
    /// Whether that goes inside of all loops.
    pub(super) is_inside: bool,
}

impl Run<'_> {
    /// The statements.
    pub(super) fn stmts(&self) -> impl Iterator<Item = StmtId> {
        self.placed.iter().map(|placed| placed.id)
    }
}

/// Parts one after another: each that goes inside of its loops is a run of its own, and others share one where nothing is between them.
pub(super) fn in_runs(parts: &[Part]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for part in parts {
        let is_inside = part.copies.is_some();
        match runs.last_mut() {
            Some(last) if !last.is_inside && !is_inside => last.placed.extend(&part.stmts),
            _ => runs.push(Run { placed: part.stmts.iter().collect(), is_inside }),
        }
    }
    runs
}

impl Looking<'_> {
    /// The variables that iterations have cells of: those that each sets before it uses them, and nothing else uses. None where one cannot have cells
    /// that is used by what goes inside of loops, or by several runs.
    pub(super) fn variables(
        self,
        carried: &[DepId],
        runs: &[Run<'_>],
    ) -> Result<Option<BTreeSet<ArrayId>>> {
        let (mut found, mut with_values) = (BTreeSet::new(), BTreeSet::new());
        for id in carried {
            let dep = &self.deps[*id];
            let array = self.scop.stmts()[dep.source].accesses[dep.source_access].array;
            let of = &self.scop.arrays()[array];
            match dep.kind {
                DependenceKind::Flow => with_values.insert(array),
                _ => of.may_be_private() && found.insert(array),
            };
        }
        let uses = |stmt: StmtId, array| {
            self.scop.stmts()[stmt].accesses.iter().any(|access| access.array == array)
        };
        let inside: BTreeSet<StmtId> = runs.iter().flat_map(Run::stmts).collect();
        let mut variables = BTreeSet::new();
        for array in &found - &with_values {
            let mut all = self.scop.stmts().ids().filter(|stmt| uses(*stmt, array));
            let is_own = !self.scop.arrays()[array].is_live_in
                || finds_all_values(self.scop, self.deps, array)?;
            if is_own && all.all(|stmt| inside.contains(&stmt)) {
                variables.insert(array);
                continue;
            }
            let users: Vec<&Run<'_>> =
                runs.iter().filter(|run| run.stmts().any(|stmt| uses(stmt, array))).collect();
            if users.len() > 1 || users.iter().any(|run| run.is_inside) {
                return Ok(None);
            }
        }
        Ok(Some(variables))
    }

    /// Whether strips keep what a loop carries in order: from one run to a later one, or within one that stays in the loop's order.
    pub(super) fn keeps_order(
        self,
        carried: &[DepId],
        variables: &BTreeSet<ArrayId>,
        runs: &[Run<'_>],
    ) -> bool {
        let run_of = |stmt: StmtId| runs.iter().position(|run| run.stmts().any(|of| of == stmt));
        carried.iter().all(|id| {
            let dep = &self.deps[*id];
            let array = self.scop.stmts()[dep.source].accesses[dep.source_access].array;
            if variables.contains(&array) {
                return true;
            }
            match (run_of(dep.source), run_of(dep.sink)) {
                (Some(source), Some(sink)) if source == sink => !runs[source].is_inside,
                (Some(source), Some(sink)) => source < sink,
                _ => false,
            }
        })
    }

    /// Whether values go from one iteration to the next of some innermost loop that goes around lanes: it has none itself.
    pub(super) fn gains(self, runs: &[Run<'_>]) -> Result<bool> {
        for placed in runs.iter().filter(|run| run.is_inside).flat_map(|run| run.placed.iter()) {
            let Some(innermost) = &placed.innermost else { continue };
            let Node::Band { band, .. } = self.tree.at(innermost)?.node() else { continue };
            let last = band.members.len().saturating_sub(1);
            let report = carried::report(self.deps, self.tree, innermost, last)?;
            let is_value = |id: &DepId| self.deps[*id].kind == DependenceKind::Flow;
            if report.blocked_by.iter().any(is_value) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether all lanes have the same iterations of the loops that go around them.
    pub(super) fn are_even(self, runs: &[Run<'_>], lane: usize) -> Result<bool> {
        for placed in runs.iter().filter(|run| run.is_inside).flat_map(|run| run.placed.iter()) {
            let instances = self.scop.domain_of(placed.id)?.to_union_set()?;
            if !is_even(&placed.loops, lane, &instances)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Bytes of the largest element that lanes write.
    pub(super) fn element_bytes(self, runs: &[Run<'_>]) -> i64 {
        let inside = runs.iter().filter(|run| run.is_inside).flat_map(Run::stmts);
        let accesses = inside.flat_map(|stmt| &self.scop.stmts()[stmt].accesses);
        let written = accesses.filter(|access| access.kind.is_write());
        let bytes = written.filter_map(|access| {
            self.scop.arrays()[access.array].element.kind.size_bytes().map(i64::from)
        });
        bytes.max().unwrap_or(1)
    }
}
