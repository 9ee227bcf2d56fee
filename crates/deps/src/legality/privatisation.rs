//! Which arrays the iterations of a parallel loop need copies of.

use super::counterexample::Counterexample;
use super::plan::plan;
use super::private::{concurrent_bands, obstacle};
use crate::analysis::Prepared;
use crate::live_ranges::reorderable;
use crate::{DepId, Dependence, Dependences, Result, carried};
use farkas_base::IdVec;
use farkas_scop::{ArrayId, ArrayScope, Scop};
use farkas_tree::{Cursor, ScheduleTree};

/// isl operations that the needs of all loops of a tree may take.
const MAX_OPERATIONS: u64 = 2_000_000;

/// What a loop needs to be parallel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Privatisation {
    /// Its band.
    pub cursor: Cursor,
    /// The position of the loop in the band.
    pub member: usize,
    /// Whether a mark makes its iterations concurrent.
    pub is_marked: bool,
    /// The temporaries that it carries dependences of: those that [may be private](farkas_scop::Array::may_be_private) as far as
    /// they themselves go, and others whose live ranges may have changed their order; ascending, never empty.
    pub arrays: Vec<ArrayId>,
    /// Why the iterations of a marked loop cannot have copies of these arrays, if so.
    pub obstacles: Vec<Counterexample>,
}

/// What the loops of `tree` need that carry dependences of temporaries, in the order of their bands: of arrays that
/// [may be private](farkas_scop::Array::may_be_private) or whose [live ranges](crate::live_ranges()) may have changed their order.
/// Dependences of other arrays are not looked at.
///
/// # Errors
/// As for [`check`](super::check).
pub fn privatisations(
    scop: &Scop,
    deps: &Dependences,
    tree: &ScheduleTree,
) -> Result<Vec<Privatisation>> {
    farkas_poly::with_budget(MAX_OPERATIONS, || {
        let temporaries = reorderable(scop, deps)?;
        let is_temporary = |dep: &&Dependence| {
            let array = array_of(scop, dep);
            let of = &scop.arrays()[array];
            // What steps added is declared where they want it.
            let is_added = matches!(of.scope, ArrayScope::Buffer | ArrayScope::Expanded);
            !is_added && (of.may_be_private() || temporaries.contains(&array))
        };
        let deps = deps.validity().map(|(_, dep)| dep).filter(is_temporary).cloned();
        let deps = Dependences::from(deps.collect::<IdVec<DepId, Dependence>>());
        if deps.deps.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for report in carried::coincidence(&deps, tree)? {
            let mut arrays: Vec<ArrayId> =
                report.blocked_by.iter().map(|id| array_of(scop, &deps[*id])).collect();
            arrays.sort_unstable();
            arrays.dedup();
            if !arrays.is_empty() {
                let (cursor, member) = (report.cursor, report.member);
                let (is_marked, obstacles) = (false, Vec::new());
                found.push(Privatisation { cursor, member, is_marked, arrays, obstacles });
            }
        }
        if !found.is_empty() {
            look_at_marked(scop, tree, &mut found)?;
        }
        Ok(found)
    })
}

/// Finds out which of `loops` are marked, and what keeps these from having copies.
fn look_at_marked(scop: &Scop, tree: &ScheduleTree, loops: &mut [Privatisation]) -> Result<()> {
    let prepared = Prepared::of(scop)?;
    let Ok(root) = plan(scop, &prepared, tree)? else { return Ok(()) };
    for band in concurrent_bands(&root) {
        for found in loops.iter_mut().filter(|found| found.cursor == *band.0) {
            found.is_marked = true;
            for array in &found.arrays {
                found.obstacles.extend(obstacle(scop, &prepared, &root, band, *array)?);
            }
        }
    }
    Ok(())
}

/// The array that a dependence is about.
fn array_of(scop: &Scop, dep: &Dependence) -> ArrayId {
    scop.stmts()[dep.source].accesses[dep.source_access].array
}
