//! Which arrays the iterations of a parallel loop need copies of.

use super::counterexample::Counterexample;
use super::plan::plan;
use super::private::{concurrent_bands, obstacle};
use crate::analysis::Prepared;
use crate::live_ranges::reorderable;
use crate::{DepId, Dependence, Dependences, Result, carried};
use farkas_base::IdVec;
use farkas_scop::{ArrayId, ArrayScope, Scop};
use farkas_tree::{Cursor, Node, ScheduleTree};

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
    /// The temporaries that it carries dependences of, where it stands or, without a mark, wherever it may stand in its band: those that
    /// [may be private](farkas_scop::Array::may_be_private) as far as they themselves go, and others whose live ranges may have changed
    /// their order; ascending, never empty.
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
            // What interchanges the loops of a band asks whether they carry something wherever they stand.
            let anywhere = match tree.at(&report.cursor)?.node() {
                Node::Band { band, .. } if band.permutable => &report.blocked_in_band,
                _ => &report.blocked_by,
            };
            let anywhere = arrays_of(scop, &deps, anywhere);
            if !anywhere.is_empty() {
                let arrays = arrays_of(scop, &deps, &report.blocked_by);
                let (cursor, member) = (report.cursor, report.member);
                let (is_marked, obstacles) = (false, Vec::new());
                let one = Privatisation { cursor, member, is_marked, arrays, obstacles };
                found.push((one, anywhere));
            }
        }
        if found.is_empty() {
            return Ok(Vec::new());
        }
        look_at_marked(scop, tree, found.iter_mut().map(|(one, _)| one))?;
        Ok(found.into_iter().filter_map(needed).collect())
    })
}

/// The need of a loop, with the arrays that it carries dependences of wherever it may stand: a marked one stays where it is.
fn needed((mut one, anywhere): (Privatisation, Vec<ArrayId>)) -> Option<Privatisation> {
    if !one.is_marked {
        one.arrays = anywhere;
    }
    Some(one).filter(|one| !one.arrays.is_empty())
}

/// Finds out which of `loops` are marked, and what keeps these from having copies.
fn look_at_marked<'p>(
    scop: &Scop,
    tree: &ScheduleTree,
    loops: impl Iterator<Item = &'p mut Privatisation>,
) -> Result<()> {
    let prepared = Prepared::of(scop)?;
    let Ok(root) = plan(scop, &prepared, tree)? else { return Ok(()) };
    let bands = concurrent_bands(&root);
    for found in loops {
        for band in bands.iter().filter(|band| found.cursor == *band.0) {
            found.is_marked = true;
            for array in &found.arrays {
                found.obstacles.extend(obstacle(scop, &prepared, &root, *band, *array)?);
            }
        }
    }
    Ok(())
}

/// The arrays that some dependences are about, ascending.
fn arrays_of(scop: &Scop, deps: &Dependences, ids: &[DepId]) -> Vec<ArrayId> {
    let mut arrays: Vec<ArrayId> = ids.iter().map(|id| array_of(scop, &deps[*id])).collect();
    arrays.sort_unstable();
    arrays.dedup();
    arrays
}

/// The array that a dependence is about.
fn array_of(scop: &Scop, dep: &Dependence) -> ArrayId {
    scop.stmts()[dep.source].accesses[dep.source_access].array
}
