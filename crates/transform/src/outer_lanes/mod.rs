//! Outer loops in vector lanes.
//!
//! - `nest`: which loops these are, and what it takes; `runs`: what shares a loop over a strip, and whether that keeps what is computed.

mod nest;
mod runs;

use crate::plan::Draft;
use crate::view::{Plans, Proposal, Setting, View};
use crate::{Remark, Result};
use farkas_base::NameGenerator;
use farkas_machine::Machine;
use farkas_steps::{
    ArrayAddress, Distribute, Expand, LoopAddress, LoopKind, Mark as MarkStep, Past, Sink, Stage,
    Step, Tile, decided, moved,
};
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};
use nest::{Copied, Looking, Nest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loops around sums and other recurrences, whose iterations run in vector lanes: a strip of them goes inside of all loops in it, so that each
/// lane keeps the order in which the program computes. What iterations set for themselves has a cell for each lane, and what is used again and
/// again but does not lie along the lanes is copied to where it does, once for a strip.
///
/// **Example**: `for i { s = 0; for q { d = 0; for t: d += x[i][t] * c[q][t]; if (d > s) s = d; } y[i] = s; }` computes 64 values of `i` at once,
/// with `x` transposed for them, and `c` as it is. Loops without variables of their own are left to the scheduler, which interchanges them.
///
/// **Steps**: `tile`, `expand` for each variable, `distribute`, `sink` for each part that has loops, `stage` for each array that is copied,
/// and `mark`.
///
/// **Paper**: D. Nuzman and A. Zaks, *Outer-loop vectorization - revisited for short SIMD architectures*, PACT 2008; ours takes
/// imperfect nests apart, after expansion, and lays out anew what would be gathered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OuterLanes {
    /// How many iterations a strip has; without it as many as it takes to keep the machine's arithmetic busy, in half of its registers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
}

impl Plans for OuterLanes {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let deps = view.all_deps()?;
        let (scop, tree, strides) = (&view.program.scop, view.tree(), view.strides()?);
        let mut finding =
            Finding { looking: Looking { scop, tree, deps, strides }, nests: Vec::new() };
        finding.below(tree, &Cursor::root(), &mut Vec::new())?;
        let mut draft = Draft::new(view.program, None);
        let mut names = NameGenerator::new(scop.names());
        // Steps on a loop leave the places of those before it.
        for nest in finding.nests.iter().rev() {
            let size = match self.size {
                Some(size) => i64::from(size),
                None => size(nest, view.setting.machine),
            };
            if draft.attempt(|draft| laid_out(nest, size, draft, &mut names))? {
                let text = format!("strips of {size} iterations, in lanes inside of all loops");
                let stmts = nest.groups.iter().flat_map(|group| group.stmts.clone()).collect();
                remarks.push(Remark { pass: "outer-lanes", stmts, text });
            }
        }
        if draft.n_steps() == 0 {
            return Ok(Proposal::Nothing);
        }
        let Setting { scop, deps, .. } = view.setting;
        let known = moved(deps, scop, draft.program())?;
        let known = known.as_ref().unwrap_or(deps);
        for nest in &finding.nests {
            let decided = decided(draft.tree(), Some(known), &nest.band)?;
            draft.note(decided);
        }
        Ok(Proposal::Steps(draft.plan_with_notes(tree)))
    }
}

/// The nests of a tree, the outermost that fit.
struct Finding<'a> {
    looking: Looking<'a>,
    nests: Vec<Nest>,
}

impl Finding<'_> {
    /// Those in a subtree, which has these members around it.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor, outer: &mut Vec<Member>) -> Result<()> {
        if matches!(tree.node(), Node::Mark { .. }) {
            return Ok(());
        }
        let depth = outer.len();
        if let Node::Band { band, .. } = tree.node() {
            for (at, member) in band.members.iter().enumerate() {
                if let Some(nest) = self.looking.nest(here, at, outer)? {
                    self.nests.push(nest);
                    outer.truncate(depth);
                    return Ok(());
                }
                outer.push(member.clone());
            }
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at), outer)?;
        }
        outer.truncate(depth);
        Ok(())
    }
}

/// As many iterations as vectors of what recurrences keep fill the machine's arithmetic units for as long as one operation takes, in half of its registers
/// at most: the other half is for operands.
fn size(nest: &Nest, machine: &Machine) -> i64 {
    let vector = &machine.vector;
    let busy = vector.fma_per_cycle.max(1).saturating_mul(vector.fma_latency_cycles.max(1));
    let n_vectors = i64::from(busy.min(vector.registers / 2).max(1));
    n_vectors * (i64::from(vector.width_bytes) / nest.element_bytes).max(1)
}

/// Lays a nest in strips of so many iterations.
fn laid_out(
    nest: &Nest,
    size: i64,
    draft: &mut Draft<'_>,
    names: &mut NameGenerator,
) -> Result<()> {
    let (strips, lanes) = (nest.position, nest.position + 1);
    let first = nest.groups.iter().find_map(|group| group.stmts.first()).cloned();
    let first = first.unwrap_or_default();
    draft.apply(Step::Tile(Tile { first: nest.at(), sizes: vec![size] }))?;
    let at = LoopAddress::new(&first, lanes);
    for array in &nest.variables {
        let array = ArrayAddress::Name(array.clone());
        draft.apply(Step::Expand(Expand { array, into: None, at: Some(at.clone()) }))?;
    }
    if nest.groups.len() > 1 {
        let groups = nest.groups.iter().map(|group| group.stmts.clone()).collect();
        draft.apply(Step::Distribute(Distribute { at, groups }))?;
    }
    for group in nest.groups.iter().filter(|group| group.is_inside) {
        if let Some(stmt) = group.stmts.first() {
            let at = LoopAddress::new(stmt, lanes);
            draft.apply(Step::Sink(Sink { at, past: Past::All }))?;
        }
    }
    for copy in &nest.copies {
        copied(copy, strips, draft, names)?;
    }
    let strips = LoopAddress::new(&first, strips);
    draft.apply(Step::Mark(MarkStep::new(strips, LoopKind::FullTilesApart)))
}

/// Copies what a statement reads of an array for each strip; nothing where the copy of a larger part of its expression has it already.
fn copied(
    copy: &Copied,
    strips: i64,
    draft: &mut Draft<'_>,
    names: &mut NameGenerator,
) -> Result<()> {
    let scop = draft.scop();
    let stmt = scop.stmt_by_name(&copy.stmt).map(|stmt| &scop.stmts()[stmt]);
    let reads = stmt.is_some_and(|stmt| {
        stmt.accesses.iter().any(|access| scop.arrays()[access.array].name == copy.array)
    });
    if !reads {
        return Ok(());
    }
    let along = copy.along.iter().map(|at| LoopAddress::new(&copy.stmt, strips + at));
    draft.apply(Step::Stage(Stage {
        at: LoopAddress::new(&copy.stmt, strips),
        stmt: copy.stmt.clone(),
        array: ArrayAddress::Name(copy.array.clone()),
        layout: along.chain([LoopAddress::new(&copy.stmt, -1)]).collect(),
        pad: Vec::new(),
        buffers: 1,
        others: Vec::new(),
        load: Some(names.fresh(&format!("{}_pack", copy.stmt))),
        store: None,
    }))
}

/// Whether nothing is said of the loops of a tree yet.
fn is_bare(tree: &ScheduleTree) -> bool {
    !matches!(tree.node(), Node::Mark { mark: Mark::Tile(_) | Mark::Shaped | Mark::Parallel, .. })
        && tree.children().iter().all(is_bare)
}
