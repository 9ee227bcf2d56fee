//! Outermost loops that update elements whose order is free, in parts with partial results.

use crate::plan::Draft;
use crate::threads::has_threads;
use crate::updates::{LONG, Updates, addresses};
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result, stmt_names};
use farkas_machine::Machine;
use farkas_scop::{ArrayId, Reassociation};
use farkas_steps::{
    ArrayAddress, Cyclic, LoopAddress, LoopKind, Mark as MarkStep, Privatise, Step, reaching,
};
use farkas_tree::{Cursor, Mark, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Outermost loops that carry nothing but updates whose order is free, dealt out to parts that run on threads: each part gathers what it
/// contributes in cells of its own, and the parts are combined in their order. Results are the same for any number of threads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Partials {
    /// How many parts there are; without it, as many as the machine runs threads, or 32 where results are to be the same on all machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<i64>,
}

impl Plans for Partials {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let deps = view.all_deps()?;
        let reassociation = view.program.scop.reassociation();
        let usual = || match reassociation {
            Reassociation::Fixed => FIXED,
            _ => hardware_threads(view.setting.machine),
        };
        let parts = self.parts.unwrap_or_else(usual);
        if !view.setting.has_threads
            || parts < 2
            || deps.deps.iter().all(|dep| dep.relaxed.is_none())
        {
            return Ok(Proposal::Nothing);
        }
        let mut outermost = Vec::new();
        find_outermost(view.tree(), &Cursor::root(), &mut outermost);
        let updates = Updates::of_view(view)?;
        let mut draft = Draft::new(view.program, Some(deps));
        // Steps on a loop leave the places of those before it.
        for band in outermost.iter().rev() {
            let Some(arrays) = updates.of(band, 0)? else { continue };
            if arrays.iter().any(|array| updates.is_copied(*array, view.setting.scop)) {
                continue;
            }
            let freedom = updates.freedom(band, &arrays)?;
            match (reassociation, reassociation.permits_on_threads(freedom)) {
                // Threads may combine it as they end.
                (Reassociation::Fixed, true) => continue,
                (Reassociation::Lanes, false) => continue,
                _ => {}
            }
            let stmts = updating(&updates, band, &arrays)?;
            let block = block(view.setting.machine, &updates, band)?;
            let at = LoopAddress::member(band.clone(), 0);
            let cyclic = Cyclic { at, parts, block };
            let copied = addresses(updates.scop, &updates.temporaries(band, 0)?);
            if draft.attempt(|draft| dealt(draft, &stmts, cyclic, copied))? {
                remarks.push(remark(&updates, band, &arrays, parts)?);
            }
        }
        Ok(Proposal::Steps(draft.plan(view.tree())))
    }
}

/// How many parts there are whatever the machine: enough for the cores of most, of about equal work where there are not as many.
const FIXED: i64 = 32;

/// How many threads a machine runs at once.
fn hardware_threads(machine: &Machine) -> i64 {
    i64::from(machine.cores) * i64::from(machine.threads_per_core.max(1))
}

/// The bands that no other band is around, whose loops are for nobody yet.
fn find_outermost(tree: &ScheduleTree, here: &Cursor, found: &mut Vec<Cursor>) {
    match tree.node() {
        Node::Mark {
            mark: Mark::Shaped | Mark::Parallel | Mark::Vector | Mark::Unroll, ..
        } => {}
        Node::Band { band, child } => {
            let is_free = band.members.first().is_some_and(|first| !first.coincident);
            if is_free && !has_threads(child) {
                found.push(here.clone());
            }
        }
        _ => {
            for (at, child) in tree.children().iter().enumerate() {
                find_outermost(child, &here.child(at), found);
            }
        }
    }
}

/// The names of the statements in a loop that update elements of some arrays.
fn updating(
    updates: &Updates<'_>,
    band: &Cursor,
    arrays: &BTreeSet<ArrayId>,
) -> Result<Vec<String>> {
    let inside = reaching(updates.tree, band)?;
    let mut found = Vec::new();
    for stmt in updates.scop.stmts() {
        let Some(update) = stmt.update(updates.scop.arrays()) else { continue };
        let is_one = arrays.contains(&stmt.accesses[update.target].array);
        if is_one && !inside.extract_set(&stmt.domain.space()?)?.is_empty()? {
            found.push(stmt.name.clone());
        }
    }
    Ok(found)
}

/// How many iterations go to a part at once: as many as elements of what statements in the loop write fill a cache line, so that threads that
/// write one element an iteration share none.
fn block(machine: &Machine, updates: &Updates<'_>, band: &Cursor) -> Result<i64> {
    if let Node::Band { band, child } = updates.tree.at(band)?.node()
        && band.members.len() == 1
        && !child.contains_band()
    {
        return Ok(LONG);
    }
    let line = machine.caches.first().map_or(1, |cache| cache.line_bytes);
    let inside = reaching(updates.tree, band)?;
    let mut least = None;
    for stmt in updates.scop.stmts() {
        if inside.extract_set(&stmt.domain.space()?)?.is_empty()? {
            continue;
        }
        let written = stmt.accesses.iter().filter(|access| access.kind.is_write());
        let sizes = written
            .filter_map(|access| updates.scop.arrays()[access.array].element.kind.size_bytes());
        least = least.into_iter().chain(sizes).min();
    }
    Ok(i64::from(line / least.unwrap_or(1).max(1)).max(1))
}

/// Deals a loop out, gives the statements partial results, and puts the parts on threads, each with copies of some arrays.
fn dealt(
    draft: &mut Draft<'_>,
    stmts: &[String],
    cyclic: Cyclic,
    private: Vec<ArrayAddress>,
) -> Result<()> {
    draft.apply(Step::Cyclic(cyclic))?;
    for stmt in stmts {
        let at = LoopAddress::new(stmt, 1);
        let step = Privatise { at, stmt: stmt.clone(), begin: None, combine: None };
        draft.apply(Step::Privatise(step))?;
    }
    let Some(stmt) = stmts.first() else { return Ok(()) };
    let at = LoopAddress::new(stmt, 1);
    draft.apply(Step::Mark(MarkStep { private, ..MarkStep::new(at, LoopKind::Parallel) }))
}

/// What is told of a loop.
fn remark(
    updates: &Updates<'_>,
    band: &Cursor,
    arrays: &BTreeSet<ArrayId>,
    parts: i64,
) -> Result<Remark> {
    let names: Vec<&str> =
        arrays.iter().map(|array| updates.scop.arrays()[*array].source_name.as_str()).collect();
    let text = format!("its iterations update {} in {parts} parts, on threads", names.join(", "));
    let domain = updates.tree.member(band, 0).map(|member| member.schedule.domain()).transpose()?;
    let stmts = domain.map(|domain| stmt_names(&domain)).transpose()?.unwrap_or_default();
    Ok(Remark { pass: "partials", stmts, text })
}
