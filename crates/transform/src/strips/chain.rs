//! Innermost loops whose iterations wait for one another.

use super::Context;
use crate::Result;
use crate::row_tiles::residual::{left_over, same_date};
use farkas_analysis::{Operations, chain_cycles, is_long};
use farkas_deps::DependenceKind;
use farkas_poly::UnionSet;
use farkas_scop::{AccessId, StmtId};
use farkas_tree::{Member, Node, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};

/// Recurrences of fewer cycles an instance, one or two additions for instance, are no reason for strips: other loops do not
/// gain what jumps in memory and loops of unequal lengths side by side cost.
const NOT_FAST_CYCLES: f64 = 12.0;

/// Cycles from a store to the load of what was stored.
const FORWARD_CYCLES: f64 = 8.0;

/// Scalar operations that begin in a cycle.
const SCALARS_A_CYCLE: f64 = 2.0;

/// Cycles from one division to the next.
const DIVISION_CYCLES: f64 = 5.0;

/// A recurrence of fewer steps is over before it matters.
const LONG: i64 = 8;

/// The fewest and the most recurrences side by side.
const LANES: (u64, u64) = (4, 8);

/// A recurrence: an innermost loop of which each iteration needs what the one before computed.
pub(super) struct Chain {
    /// The loop, after those around it.
    pub(super) loops: Vec<Member>,
    /// Cycles from an iteration's result to that of the next one.
    wait_cycles: f64,
    /// Cycles of an iteration for which the processor has work.
    busy_cycles: f64,
}

impl Chain {
    /// The recurrence in `tree`, inside of `loops`, of which an iteration takes longest; `None` where there is none for which
    /// the processor waits, or where the tree is more than loops in sequences.
    ///
    /// # Errors
    /// When isl refuses.
    pub(super) fn slowest(
        context: &Context<'_>,
        tree: &ScheduleTree,
        instances: &UnionSet,
        loops: &mut Vec<Member>,
    ) -> Result<Option<Self>> {
        if !is_plain(tree) {
            return Ok(None);
        }
        let mut found = Vec::new();
        collect(context, tree, instances, loops, &mut found)?;
        let slowest = found.into_iter().max_by(|a, b| a.wait_cycles.total_cmp(&b.wait_cycles));
        Ok(slowest.filter(|chain| {
            chain.wait_cycles >= NOT_FAST_CYCLES && chain.wait_cycles > chain.busy_cycles
        }))
    }

    /// How many recurrences side by side keep the processor busy.
    pub(super) fn n_lanes(&self) -> i64 {
        let waiting = (self.wait_cycles + FORWARD_CYCLES) / self.busy_cycles.max(1.0);
        let (least, most) = LANES;
        // Between two small numbers.
        (waiting.ceil() as u64).clamp(least, most).next_power_of_two() as i64
    }
}

/// Whether a tree is loops in sequences.
fn is_plain(tree: &ScheduleTree) -> bool {
    let is_known = matches!(
        tree.node(),
        Node::Band { .. } | Node::Filter { .. } | Node::Sequence(_) | Node::Leaf
    );
    is_known && tree.children().iter().all(is_plain)
}

/// The recurrences in the innermost loops of `tree`.
fn collect(
    context: &Context<'_>,
    tree: &ScheduleTree,
    instances: &UnionSet,
    loops: &mut Vec<Member>,
    found: &mut Vec<Chain>,
) -> Result<()> {
    let depth = loops.len();
    let inside = match tree.node() {
        Node::Filter { filter, .. } => instances.intersect(filter)?,
        _ => instances.clone(),
    };
    if let Node::Band { band, child } = tree.node() {
        loops.extend(band.members.iter().cloned());
        if !child.contains_band() && band.members.last().is_some_and(|m| !m.coincident) {
            found.extend(chain(context, &inside, loops)?);
        }
    }
    for child in tree.children() {
        collect(context, child, &inside, loops, found)?;
    }
    loops.truncate(depth);
    Ok(())
}

/// The recurrence that the last of `loops` is, if it is one.
fn chain(context: &Context<'_>, instances: &UnionSet, loops: &[Member]) -> Result<Option<Chain>> {
    let Some(last) = loops.last() else { return Ok(None) };
    if !is_long(last, instances, LONG)? {
        return Ok(None);
    }
    let stmts = context.strides.rows_of(std::slice::from_ref(last))?.unwrap_or_default();
    let stmts: BTreeSet<StmtId> = stmts.into_iter().map(|(stmt, _)| stmt).collect();
    let flows = flows(context, &stmts, instances, loops)?;
    let reached: BTreeMap<StmtId, BTreeSet<StmtId>> =
        stmts.iter().map(|stmt| (*stmt, reached_from(*stmt, &flows))).collect();
    // What leads nowhere else, as in a pipeline of stages, waits for nothing.
    let is_cycle = |flow: &&Flow| reached[&flow.sink].contains(&flow.source);
    let cycle_of = |flow: &Flow| -> f64 {
        let within = flows.iter().filter(is_cycle);
        let within = within.filter(|other| reached[&flow.sink].contains(&other.sink));
        let mut reads: BTreeMap<StmtId, BTreeSet<AccessId>> = BTreeMap::new();
        for other in within.filter(|other| reached[&other.sink].contains(&flow.sink)) {
            reads.entry(other.sink).or_default().insert(other.read);
        }
        let cycles = |(stmt, reads): (&StmtId, &BTreeSet<AccessId>)| {
            f64::from(chain_cycles(&context.scop.stmts()[*stmt], reads))
        };
        reads.iter().map(cycles).sum()
    };
    let carried = flows.iter().filter(|flow| flow.is_carried).filter(is_cycle);
    let Some(wait_cycles) = carried.map(cycle_of).max_by(f64::total_cmp) else {
        return Ok(None);
    };
    let mut busy_cycles = 0.0;
    for stmt in &stmts {
        let found = Operations::of(&context.scop.stmts()[*stmt]);
        busy_cycles += found.fused() / SCALARS_A_CYCLE + found.divisions * DIVISION_CYCLES;
    }
    Ok(Some(Chain { loops: loops.to_vec(), wait_cycles, busy_cycles }))
}

/// Where a value of an innermost loop goes in it.
struct Flow {
    source: StmtId,
    sink: StmtId,
    read: AccessId,
    /// Whether it goes from one iteration of the loop to another.
    is_carried: bool,
}

/// Where values go among `stmts` while the loops around the last of `loops` stand still.
fn flows(
    context: &Context<'_>,
    stmts: &BTreeSet<StmtId>,
    instances: &UnionSet,
    loops: &[Member],
) -> Result<Vec<Flow>> {
    let Some((last, fixed)) = loops.split_last() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (_, dep) in context.deps.validity().filter(|(_, dep)| dep.kind == DependenceKind::Flow) {
        if stmts.contains(&dep.source) && stmts.contains(&dep.sink) {
            let left = left_over(&dep.relation, instances, fixed)?;
            if !left.is_empty()? {
                let is_carried = !left.is_subset(&same_date(&left, last)?)?;
                let (source, sink, read) = (dep.source, dep.sink, dep.sink_access);
                found.push(Flow { source, sink, read, is_carried });
            }
        }
    }
    Ok(found)
}

/// The statement and all that its values go to, in one step or several.
fn reached_from(stmt: StmtId, flows: &[Flow]) -> BTreeSet<StmtId> {
    let (mut reached, mut todo) = (BTreeSet::from([stmt]), vec![stmt]);
    while let Some(here) = todo.pop() {
        let next = flows.iter().filter(|flow| flow.source == here).map(|flow| flow.sink);
        todo.extend(next.filter(|stmt| reached.insert(*stmt)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many as have work for the processor while one waits.
    #[test]
    fn lanes_fill_the_wait() {
        let n_lanes = |wait_cycles, busy_cycles| {
            Chain { loops: Vec::new(), wait_cycles, busy_cycles }.n_lanes()
        };
        // Two divisions, one of which waits for the one before; a multiplication and an addition; something slow.
        assert_eq!(n_lanes(21.0, 12.0), 4);
        assert_eq!(n_lanes(8.0, 1.0), 8);
        assert_eq!(n_lanes(40.0, 1.0), 8);
    }
}
