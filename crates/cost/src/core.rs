//! Cycles of straight code: arithmetic, loads, stores, and results that wait for one another.

use crate::counted::{Leaf, Loop, Motion, Moves, Part};
use crate::restarts::{Outer, apart};
use crate::waits::Values;
use farkas_analysis::{Operations, chain_cycles};
use farkas_machine::Machine;
use farkas_scop::{
    AccessKind, ArrayScope, BodyStmt, Freedom, Operator, Scop, Statement, UpdateForm,
};
use std::collections::BTreeSet;

/// Loads that begin in a cycle.
const LOADS_A_CYCLE: f64 = 2.0;
/// Scalar operations that begin in a cycle.
const SCALARS_A_CYCLE: f64 = 2.0;
/// Cycles from one scalar division to the next.
const DIVISION_CYCLES: f64 = 5.0;
/// The same for each element of a vector.
const VECTOR_DIVISION_CYCLES: f64 = 1.6;
/// Registers of so many bytes or more are stored with masks (AVX, wide SVE; not SSE, not NEON).
const MASKED_BYTES: u32 = 32;
/// Cycles from one call of a function of the mathematics library to the next, where neither waits for the other.
const CALL_CYCLES: f64 = 15.0;
/// Instructions that such a call runs.
const CALL_INSTRUCTIONS: f64 = 40.0;
/// Instructions of a loop in each of its iterations: step, and test with jump.
const LOOP_INSTRUCTIONS: f64 = 2.0;
/// Cycles of a condition in an innermost loop.
const GUARD_CYCLES: f64 = 1.0;
/// Cycles until what was stored can be loaded again, beyond those of a register.
const FORWARD_CYCLES: f64 = 8.0;
/// The same of vectors wider than what allocators align, which mostly lie across the bounds of what stores are kept in.
const FORWARD_ACROSS_CYCLES: f64 = 36.0;
/// Bytes that allocators align.
const ALIGNED_BYTES: u32 = 16;
/// Iterations of a loop that are written out, at most.
const MOST_UNROLLED: u64 = 64;

/// The statements of straight code: those of an innermost loop, with the loops inside it that are written out.
pub(crate) struct Straight<'a> {
    leaves: Vec<(&'a Leaf, f64, Vec<&'a Loop>)>,
}

/// What one iteration of straight code costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Iteration {
    /// Iterations that run at once, in vector lanes.
    pub(crate) lanes: f64,
    /// Cycles of these.
    pub(crate) cycles: f64,
    /// Cycles of one that runs alone.
    pub(crate) alone: f64,
    /// Cycles that the arithmetic of one would take if all lanes of all cores were busy.
    pub(crate) peak: f64,
}

/// The loop whose iterations are straight code.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) around: &'a Loop,
    /// What stands around it, if anything does.
    pub(crate) outer: Option<Outer<'a>>,
    /// Its iterations, on average.
    pub(crate) trips: f64,
}

/// Where straight code stands.
#[derive(Clone, Copy)]
struct Code<'a> {
    around: Option<&'a Loop>,
    /// Whether iterations of the loop around run in vector lanes, with what is written out in each.
    is_across: bool,
}

/// Cycles by unit.
#[derive(Clone, Copy, Debug, Default)]
struct Units {
    arithmetic: f64,
    loads: f64,
    stores: f64,
    divisions: f64,
    /// Instructions, which no unit has alone.
    instructions: f64,
}

impl Units {
    /// The cycles of the busiest unit.
    fn busiest(&self) -> f64 {
        [self.arithmetic, self.loads, self.stores, self.divisions].into_iter().fold(0.0, f64::max)
    }

    /// Adds so many times those of another.
    fn add(&mut self, other: &Self, rate: f64) {
        self.arithmetic += rate * other.arithmetic;
        self.loads += rate * other.loads;
        self.stores += rate * other.stores;
        self.divisions += rate * other.divisions;
        self.instructions += rate * other.instructions;
    }
}

impl<'a> Straight<'a> {
    /// The code of `parts` where no loop in it is left as a loop.
    pub(crate) fn of(parts: &'a [Part], is_unrolled: bool) -> Option<Self> {
        let mut leaves = Vec::new();
        collect(parts, 1.0, is_unrolled, &mut Vec::new(), &mut leaves)?;
        Some(Self { leaves })
    }

    /// The cost of an iteration of a loop, or of code in no loop, which `is_original` where compilers see it as it was written.
    pub(crate) fn cost(
        &self,
        scop: &Scop,
        machine: &Machine,
        is_original: bool,
        at: Option<At<'_>>,
    ) -> Iteration {
        let around = at.map(|at| at.around);
        let bytes = self.references().map(|r| r.element_bytes).max().unwrap_or(8);
        let lanes = f64::from(machine.lanes(bytes));
        let is_rare = around.is_some_and(|l| l.is_rare);
        let is_free = self.is_free(scop);
        // Whether compilers make vectors with masks nobody knows: a form must be faster than the original with them, and without them itself.
        let has_masks = is_original && machine.vector.width_bytes >= MASKED_BYTES;
        let fits = |leaf, along: Option<&Loop>| {
            along.is_some_and(|l| match is_rare {
                true => asks_in_lanes(scop, leaf, l),
                false => fits_lanes(scop, leaf, l, (is_free, has_masks)),
            })
        };
        let is_across = around.is_some_and(|l| l.is_vector)
            && self.leaves.iter().all(|(leaf, ..)| fits(leaf, around));
        let is_vector = is_across
            || self
                .leaves
                .iter()
                .all(|(leaf, _, inside)| fits(leaf, inside.last().copied().or(around)));
        let lanes = if is_vector { lanes } else { 1.0 };
        let is_around =
            is_across || is_vector && self.leaves.iter().all(|(_, _, inside)| inside.is_empty());
        let chained = at.filter(|at| !at.around.is_independent && !is_free);
        let chain = chained.map_or(0.0, |at| self.chain(scop, at.around));
        let restarts = chained.filter(|at| self.restarts(at));
        let code = Code { around, is_across };
        let wait = around.map_or(0.0, |_| self.wait(scop));
        let cycles = |lanes, chain: f64| {
            let units = self.units(scop, machine, code, lanes);
            let part = restarts.map_or(1.0, |at| {
                let instructions = units.instructions + LOOP_INSTRUCTIONS;
                apart(at.trips, f64::from(machine.in_flight) / instructions)
            });
            units.busiest().max(part * chain).max(shown(wait, &units, machine))
        };
        Iteration {
            lanes: if is_around { lanes } else { 1.0 },
            cycles: cycles(lanes, if is_rare { 0.0 } else { chain }),
            alone: cycles(1.0, chain),
            peak: self.peak(scop, machine, machine.lanes(bytes)),
        }
    }

    /// Whether all that is done is updates of integer variables, whose order is free in C, by what does not depend on them: compilers
    /// bring those into lanes by themselves.
    fn is_free(&self, scop: &Scop) -> bool {
        let is_written = |array| self.references().any(|r| r.is_write && r.array == array);
        self.leaves.iter().all(|(leaf, ..)| {
            let stmt = &scop.stmts()[leaf.stmt];
            stmt.update(scop.arrays()).is_some_and(|update| {
                let target = &scop.arrays()[stmt.accesses[update.target].array];
                let others = leaf.references.iter().filter(|r| !update.has(r.access));
                update.freedom < Freedom::Granted
                    && update.condition.is_none()
                    && target.rank() == 0
                    && target.element.kind.is_integer()
                    && !matches!(update.operator, Operator::Function(_))
                    && others.into_iter().all(|r| !is_written(r.array))
            })
        })
    }

    /// Cycles that the arithmetic of one iteration would take if all `lanes` of all cores were busy.
    fn peak(&self, scop: &Scop, machine: &Machine, lanes: u32) -> f64 {
        let operations = self.leaves.iter().map(|(leaf, rate, inside)| {
            rate * times(inside, |_| true) * Operations::of(&scop.stmts()[leaf.stmt]).fused()
        });
        let at_once = lanes * machine.vector.fma_per_cycle.max(1) * machine.cores;
        operations.sum::<f64>() / f64::from(at_once.max(1))
    }

    /// All references.
    fn references(&self) -> impl Iterator<Item = &'a Moves> {
        self.leaves.iter().flat_map(|(leaf, ..)| &leaf.references)
    }

    /// The units' cycles for one iteration of the loop around, or for as many as there are `lanes`.
    fn units(&self, scop: &Scop, machine: &Machine, code: Code<'_>, lanes: f64) -> Units {
        let Code { around, is_across } = code;
        let guards = around.map_or(0.0, |l| l.n_guards as f64);
        let mut units = Units { arithmetic: guards * GUARD_CYCLES, ..Units::default() };
        for (leaf, rate, inside) in &self.leaves {
            let stmt = &scop.stmts()[leaf.stmt];
            let mut own = operations(stmt, machine, inside, lanes, is_across);
            for reference in &leaf.references {
                let wide = if is_across { 1.0 } else { lanes };
                let n = accesses(reference, around, inside, wide);
                own.instructions += n;
                match reference.is_write {
                    true => own.stores += n,
                    false => own.loads += n / LOADS_A_CYCLE,
                }
            }
            units.add(&own, *rate);
        }
        units
    }

    /// Cycles from the start of an iteration to its last result, if nothing of another iteration is in its way.
    fn wait(&self, scop: &Scop) -> f64 {
        let mut values = Values::default();
        for (leaf, ..) in &self.leaves {
            values.run(&scop.stmts()[leaf.stmt], &leaf.references);
        }
        f64::from(values.last())
    }

    /// Whether compilers load what was just stored again, because a store to another array, or to a moving place of the same one, may have changed it.
    fn is_reloaded(&self, scop: &Scop, read: &Moves) -> bool {
        let is_pointer = |array| scop.arrays()[array].scope == ArrayScope::Parameter;
        let may_change = |w: &Moves| match w.array == read.array {
            true => w.steps != read.steps,
            false => is_pointer(read.array) && is_pointer(w.array) && !w.at.is_empty(),
        };
        !read.at.is_empty() && self.references().any(|w| w.is_write && may_change(w))
    }

    /// Whether the next start of a loop needs nothing of what this one's iterations hand on to one another.
    fn restarts(&self, at: &At<'_>) -> bool {
        let Some(outer) = at.outer else { return false };
        let is_handed_on = |read: &Moves| {
            let mut writes = self.references().filter(|r| r.is_write);
            writes.any(|w| read.meets(w, at.around.id, outer.around.id))
        };
        let mut reads = self.references().filter(|r| !r.is_write);
        reads.all(|read| !is_handed_on(read) || outer.sets(read))
    }

    /// Cycles from one start of a loop in vector lanes to the next at least, where that loads what this one stores.
    pub(crate) fn between_starts(&self, machine: &Machine, at: &At<'_>) -> f64 {
        let Some(outer) = at.outer else { return 0.0 };
        if machine.vector.width_bytes <= ALIGNED_BYTES {
            return 0.0;
        }
        let is_loaded = |read: &Moves| {
            let mut writes = self.references().filter(|w| w.is_write && w.steps == read.steps);
            let moves = read.along(at.around.id) != Motion::Still;
            moves && writes.any(|w| read.meets(w, at.around.id, outer.around.id))
        };
        let mut reads = self.references().filter(|r| !r.is_write && r.steps.is_some());
        match reads.any(|read| is_loaded(read) && !outer.sets(read)) {
            true => FORWARD_ACROSS_CYCLES,
            false => 0.0,
        }
    }

    /// Cycles from the result of one iteration of a loop to the next that needs it.
    fn chain(&self, scop: &Scop, around: &Loop) -> f64 {
        let mut most: f64 = 0.0;
        for (number, (leaf, ..)) in self.leaves.iter().enumerate() {
            for read in leaf.references.iter().filter(|r| !r.is_write) {
                let writes = self.references().filter(|r| r.is_write);
                let Some(after) = writes.filter_map(|w| read.reaches(w, around.id)).min() else {
                    continue;
                };
                if after == 0 && self.is_set_before(scop, number, read, around) {
                    continue;
                }
                let stmt = &scop.stmts()[leaf.stmt];
                let cycles = f64::from(chain_cycles(stmt, &BTreeSet::from([read.access])));
                let forwarded = if self.is_reloaded(scop, read) { FORWARD_CYCLES } else { 0.0 };
                most = most.max((cycles + forwarded) / after.max(1) as f64);
            }
        }
        most
    }

    /// Whether a statement before the one with this number, which reads, writes the same place in each iteration: the read needs nothing of the last one.
    fn is_set_before(&self, scop: &Scop, number: usize, read: &Moves, around: &Loop) -> bool {
        let rate = self.leaves[number].1;
        self.leaves[..number].iter().filter(|(_, before, _)| *before >= rate).any(|(leaf, ..)| {
            let accesses = &scop.stmts()[leaf.stmt].accesses;
            leaf.references.iter().any(|w| {
                accesses[w.access].kind == AccessKind::MustWrite
                    && read.reaches(w, around.id) == Some(0)
            })
        })
    }
}

/// Collects the statements of straight code; `None` where a loop is left.
fn collect<'a>(
    parts: &'a [Part],
    rate: f64,
    is_unrolled: bool,
    inside: &mut Vec<&'a Loop>,
    leaves: &mut Vec<(&'a Leaf, f64, Vec<&'a Loop>)>,
) -> Option<()> {
    for part in parts {
        match part {
            Part::Leaf(leaf) => leaves.push((leaf, rate * leaf.rate, inside.clone())),
            Part::Loop(inner) => {
                let is_short = inner.constant_trips.is_some_and(|n| n <= MOST_UNROLLED);
                if !is_short || !(is_unrolled || inner.is_unrolled) {
                    return None;
                }
                inside.push(inner);
                collect(&inner.body, rate * inner.rate, true, inside, leaves)?;
                inside.pop();
            }
        }
    }
    Some(())
}

/// Whether iterations of `along` may run in vector lanes, as compilers see it; all that they do is free where `is_free`, and there may be stores
/// with masks where it `has_masks`.
fn fits_lanes(scop: &Scop, leaf: &Leaf, along: &Loop, (is_free, has_masks): (bool, bool)) -> bool {
    let moves = |r: &Moves| match r.along(along.id) {
        Motion::Contiguous => true,
        Motion::Still => !r.is_write || r.at.is_empty() || along.is_sum,
        Motion::Far => false,
    };
    let stmt = &scop.stmts()[leaf.stmt];
    let is_sum = along.is_sum || is_free;
    let has_masks = has_masks && may_be_masked(scop, leaf);
    (along.is_independent || is_free)
        && !along.is_guarded
        && (stmt.body.iter().all(|part| is_straight(part, has_masks))
            || is_sum && is_selection(scop, stmt))
        && leaf.references.iter().all(moves)
        && leaf.references.iter().all(|r| scop.arrays()[r.array].element.kind.has_vectors())
        && Operations::of(stmt).calls == 0.0
}

/// Whether lanes may find out whether iterations of `along` change anything.
fn asks_in_lanes(scop: &Scop, leaf: &Leaf, along: &Loop) -> bool {
    !along.is_guarded
        && leaf.references.iter().all(|r| r.along(along.id) != Motion::Far)
        && leaf.references.iter().all(|r| scop.arrays()[r.array].element.kind.has_vectors())
        && Operations::of(&scop.stmts()[leaf.stmt]).calls == 0.0
}

/// Whether a statement updates an element by a comparison alone: in lanes, its copies are assigned always.
fn is_selection(scop: &Scop, stmt: &Statement) -> bool {
    stmt.update(scop.arrays()).is_some_and(|update| {
        matches!(update.form, UpdateForm::Selected { .. }) && update.condition.is_none()
    })
}

/// Whether compilers may make vectors of a statement that stores on conditions: there are such stores of words of four or eight bytes.
fn may_be_masked(scop: &Scop, leaf: &Leaf) -> bool {
    leaf.references.iter().filter(|r| r.is_write).all(|r| matches!(r.element_bytes, 4 | 8))
        && scop.stmts()[leaf.stmt].update(scop.arrays()).is_none()
}

/// Whether a part of a body stores the same elements whatever the data are, or may store with masks.
fn is_straight(part: &BodyStmt, has_masks: bool) -> bool {
    match part {
        BodyStmt::If { then, otherwise, .. } => {
            let fits = |inner: &BodyStmt| match inner {
                BodyStmt::Local { .. } | BodyStmt::AssignLocal { .. } => true,
                _ => has_masks && is_straight(inner, has_masks),
            };
            then.iter().chain(otherwise).all(fits)
        }
        BodyStmt::Block(inner) => inner.iter().all(|part| is_straight(part, has_masks)),
        BodyStmt::Loop(_) | BodyStmt::Break | BodyStmt::Continue => false,
        BodyStmt::Assign { .. }
        | BodyStmt::Local { .. }
        | BodyStmt::AssignLocal { .. }
        | BodyStmt::Text(_) => true,
    }
}

/// Cycles of the operations of a statement in the loops `inside`, that many lanes at once: of the loop around these, or of the
/// innermost.
fn operations(
    stmt: &Statement,
    machine: &Machine,
    inside: &[&Loop],
    lanes: f64,
    is_across: bool,
) -> Units {
    let found = Operations::of(stmt);
    let times = times(inside, |_| true);
    let (width, rate) = match lanes > 1.0 {
        true => (
            if is_across || inside.is_empty() { 1.0 } else { lanes },
            f64::from(machine.vector.fma_per_cycle),
        ),
        false => (1.0, SCALARS_A_CYCLE),
    };
    let division = if lanes > 1.0 { VECTOR_DIVISION_CYCLES * lanes } else { DIVISION_CYCLES };
    let once = times / width;
    let instructions = found.fused() + found.divisions + found.calls * CALL_INSTRUCTIONS;
    Units {
        arithmetic: once * (found.fused() / rate.max(1.0) + found.calls * CALL_CYCLES),
        divisions: once * found.divisions * division,
        instructions: once * instructions,
        ..Units::default()
    }
}

/// What shows of the `wait` of an iteration: a core works on as many iterations at once as it has instructions in flight (Little's
/// law), and on one at a time at least. So calls that are alone in a loop overlap, and those in the middle of a long body do not.
fn shown(wait: f64, units: &Units, machine: &Machine) -> f64 {
    wait * (units.instructions / f64::from(machine.in_flight.max(1))).min(1.0)
}

/// How often a reference is loaded or stored in the loops `inside`: what stays along `around` is in a register.
fn accesses(reference: &Moves, around: Option<&Loop>, inside: &[&Loop], lanes: f64) -> f64 {
    if around.is_some_and(|l| reference.along(l.id) == Motion::Still) {
        return 0.0;
    }
    let moving = times(inside, |l| reference.along(l.id) != Motion::Still);
    let is_wide = inside.last().is_some_and(|l| reference.along(l.id) == Motion::Contiguous);
    if is_wide { moving / lanes } else { moving }
}

/// The iterations of those of some loops that are written out.
fn times(inside: &[&Loop], of: impl Fn(&Loop) -> bool) -> f64 {
    let counted = inside.iter().filter(|l| of(l));
    counted.map(|l| l.constant_trips.unwrap_or(1) as f64).product()
}
