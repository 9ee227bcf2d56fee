//! Outermost loops that update elements whose order is free, in parts with partial results.

use crate::plan::Draft;
use crate::threads::has_threads;
use crate::updates::{Updates, addresses};
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result, stmt_names};
use farkas_machine::Machine;
use farkas_scop::{ArrayId, Reassociation, Scop};
use farkas_steps::{
    ArrayAddress, Cyclic, LoopAddress, LoopKind, Mark as MarkStep, Privatise, Step, Tile, reaching,
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
    /// How many iterations go to a part at once, and how many selections keep results of; without it, so many that it takes little to begin anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<i64>,
}

impl Plans for Partials {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let deps = view.all_deps()?;
        let reassociation = view.program.scop.reassociation();
        let usual = || usual_parts(reassociation, view.setting.machine);
        let parts = self.parts.unwrap_or_else(usual);
        let scop = &view.program.scop;
        let selects = scop.stmts().iter().any(|stmt| stmt.selection(scop.arrays()).is_some());
        let has_updates = deps.deps.iter().any(|dep| dep.relaxed.is_some());
        if !view.setting.has_threads
            || parts < 2
            || self.block.is_some_and(|block| block < 1)
            || !selects && !has_updates
        {
            return Ok(Proposal::Nothing);
        }
        let mut outermost = Vec::new();
        find_outermost(view.tree(), &Cursor::root(), &mut outermost);
        let updates = Updates::of_view(view)?;
        let draft = Draft::new(view.program, Some(deps));
        let mut planning = Planning { view, updates, parts, block: self.block, draft, remarks };
        // Steps on a loop leave the places of those before it.
        for band in outermost.iter().rev() {
            if has_updates {
                planning.deal(band)?;
            }
            if selects {
                planning.select(band)?;
            }
        }
        Ok(Proposal::Steps(planning.draft.plan(view.tree())))
    }
}

/// What is planned for each loop.
struct Planning<'a, 'r> {
    view: &'a View<'a>,
    updates: Updates<'a>,
    parts: i64,
    block: Option<i64>,
    draft: Draft<'a>,
    remarks: &'r mut Vec<Remark>,
}

impl Planning<'_, '_> {
    /// Deals a loop out that carries nothing but updates whose order is free.
    fn deal(&mut self, band: &Cursor) -> Result<()> {
        let updates = &self.updates;
        let Some(dealt) = Dealt::of(updates, self.view.setting.scop, band, self.parts)? else {
            return Ok(());
        };
        let block = self.block(band)?;
        let at = LoopAddress::member(band.clone(), 0);
        if self.draft.attempt(|draft| dealt.apply(draft, at, block))? {
            let text = format!("its iterations {}", dealt.told());
            self.remarks.push(remark(updates, band, text)?);
        }
        Ok(())
    }

    /// Cuts a loop into blocks that carries nothing but what selections keep: of the results of blocks, they select in the order of these.
    fn select(&mut self, band: &Cursor) -> Result<()> {
        let updates = &self.updates;
        let selecting = updates.selecting(band, 0)?;
        let stmts: Vec<String> =
            selecting.iter().map(|stmt| updates.scop.stmts()[*stmt].name.clone()).collect();
        let block = self.block(band)?;
        let first = LoopAddress::member(band.clone(), 0);
        let tile = Step::Tile(Tile { first, sizes: vec![block] });
        let copied = addresses(updates.scop, &updates.temporaries(band, 0)?);
        let done = |draft: &mut Draft<'_>| in_parts(draft, &stmts, tile, copied);
        if !stmts.is_empty() && self.draft.attempt(done)? {
            let text = format!("it selects in blocks of {block} iterations, on threads");
            self.remarks.push(remark(updates, band, text)?);
        }
        Ok(())
    }

    /// How many iterations of a loop make a block.
    fn block(&self, band: &Cursor) -> Result<i64> {
        let usual = || block(self.parts, self.view.setting.machine, &self.updates, band);
        self.block.map_or_else(usual, Ok)
    }
}

/// A loop dealt out to parts that run on threads, each with partial results of its own.
#[derive(Clone)]
pub(crate) struct Dealt {
    /// The statements that update what the loop carries.
    stmts: Vec<String>,
    /// The names of what they update, as the source has them.
    names: String,
    parts: i64,
    /// The temporaries of which iterations have copies.
    copied: Vec<ArrayAddress>,
}

impl Dealt {
    /// A loop of a program that carries nothing but updates whose order is free; `None` where it carries something else, or threads combine
    /// what they gather as they end.
    pub(crate) fn of(
        updates: &Updates<'_>,
        original: &Scop,
        band: &Cursor,
        parts: i64,
    ) -> Result<Option<Self>> {
        let Some(arrays) = updates.of(band, 0)? else { return Ok(None) };
        if arrays.iter().any(|array| updates.is_copied(*array, original)) {
            return Ok(None);
        }
        let reassociation = updates.scop.reassociation();
        let freedom = updates.freedom(band, &arrays)?;
        match (reassociation, reassociation.permits_on_threads(freedom)) {
            (Reassociation::Fixed, true) | (Reassociation::Lanes, false) => return Ok(None),
            _ => {}
        }
        let stmts = updating(updates, band, &arrays)?;
        let copied = addresses(updates.scop, &updates.temporaries(band, 0)?);
        Ok(Some(Self { stmts, names: names(updates, &arrays), parts, copied }))
    }

    /// Deals it out, so many iterations at a time.
    pub(crate) fn apply(&self, draft: &mut Draft<'_>, at: LoopAddress, block: i64) -> Result<()> {
        let cyclic = Step::Cyclic(Cyclic { at, parts: self.parts, block });
        in_parts(draft, &self.stmts, cyclic, self.copied.clone())
    }

    /// What is told of its iterations.
    pub(crate) fn told(&self) -> String {
        format!("update {} in {} parts, on threads", self.names, self.parts)
    }
}

/// How many parts loops are dealt out to where nobody says it.
pub(crate) fn usual_parts(reassociation: Reassociation, machine: &Machine) -> i64 {
    match reassociation {
        Reassociation::Fixed => FIXED,
        _ => hardware_threads(machine),
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

/// How many cache lines of what iterations write a part fills at once, where it writes an element in each: with each turn of a part, data comes from
/// elsewhere, for which it waits.
const LINES: i64 = 4;

/// How many iterations all parts take at most in one turn each, unless they would share cache lines: with few iterations, parts stay equal.
const ROUND: i64 = 512;

/// How many iterations go to one of some parts at once: of an innermost loop, as many as threads take ([`Updates::turn`]); of one over tiles,
/// a tile; of others, as many as elements of what statements in the loop write fill some cache lines, so that threads that write one element
/// an iteration share none.
fn block(parts: i64, machine: &Machine, updates: &Updates<'_>, band: &Cursor) -> Result<i64> {
    if let Some(tile) = tile_size(updates.tree, band)? {
        return Ok(tile);
    }
    if let Node::Band { band: loops, child } = updates.tree.at(band)?.node()
        && loops.members.len() == 1
        && !child.contains_band()
    {
        return updates.turn(band);
    }
    let line_bytes = machine.caches.first().map_or(1, |cache| cache.line_bytes);
    let written = updates.least_bytes(band, |access| access.kind.is_write())?;
    let block = (i64::from(line_bytes) / written.unwrap_or(8)).max(1);
    Ok(block.max((ROUND / parts.max(1)).min(LINES * block)))
}

/// How many iterations each iteration of a band's first loop stands for, where it runs over tiles.
fn tile_size(tree: &ScheduleTree, band: &Cursor) -> Result<Option<i64>> {
    let mut above = band.parent();
    while let Some(here) = above {
        match tree.at(&here)?.node() {
            Node::Mark { mark: Mark::Tile(sizes), .. } => return Ok(sizes.first().copied()),
            Node::Mark { .. } => above = here.parent(),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Cuts a loop into parts, gives the statements partial results in each, and puts the parts on threads, with copies of some arrays.
fn in_parts(
    draft: &mut Draft<'_>,
    stmts: &[String],
    cut: Step,
    private: Vec<ArrayAddress>,
) -> Result<()> {
    draft.apply(cut)?;
    for stmt in stmts {
        let at = LoopAddress::new(stmt, 1);
        let step = Privatise { at, stmt: stmt.clone(), begin: None, combine: None };
        draft.apply(Step::Privatise(step))?;
    }
    let Some(stmt) = stmts.first() else { return Ok(()) };
    let at = LoopAddress::new(stmt, 1);
    draft.apply(Step::Mark(MarkStep { private, ..MarkStep::new(at, LoopKind::Parallel) }))
}

/// The names of arrays, as the source has them.
fn names(updates: &Updates<'_>, arrays: &BTreeSet<ArrayId>) -> String {
    let name = |array: &ArrayId| updates.scop.arrays()[*array].source_name.as_str();
    arrays.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// What is told of a loop.
fn remark(updates: &Updates<'_>, band: &Cursor, text: String) -> Result<Remark> {
    let domain = updates.tree.member(band, 0).map(|member| member.schedule.domain()).transpose()?;
    let stmts = domain.map(|domain| stmt_names(&domain)).transpose()?.unwrap_or_default();
    Ok(Remark { pass: "partials", stmts, text })
}
