//! How threads share the iterations of loops that have more work in some of them than in others.
//!
//! Each thread runs one block of a loop's iterations: what neighbours have in common stays in one core's caches. The rows of a triangle
//! differ in length, and of the tiles that a loop runs over some may be empty; the thread with the fullest block works
//! longest then, on many cores twice as long as all of them would together. There, threads take turns. A turn is so long that no two threads have
//! lines of memory in common all the time.

use crate::Result;
use crate::counted::{Along, Counted, Leaf, Loop, Moves, N_PARTS, Part};
use crate::sample::{N_RUNS, count, mentions};
use farkas_astgen::{Ast, For, Node};
use farkas_interp::Params;
use farkas_machine::Machine;
use farkas_scop::{ArrayScope, Scop};
use std::collections::{BTreeMap, BTreeSet};

/// The fullest block of iterations may have so many times its part of all instances. Blocks that are equal have up to 1.06 times their
/// part where random runs count them.
const EVEN: f64 = 1.1;

/// Blocks, at most: in too few runs through the code it is chance which one is fullest.
const MOST_BLOCKS: u32 = 8;

/// Turns of a thread, at least, if there are as many iterations.
const LEAST_TURNS: f64 = 4.0;

/// `ast` with threads taking turns where iterations differ, in sizes like `params`.
pub(crate) fn with_turns(
    scop: &Scop,
    ast: &Ast,
    machine: &Machine,
    params: &Params,
) -> Result<Ast> {
    let (mut n_loops, mut differing) = (0, BTreeSet::new());
    let mut look = |node: &For| {
        if node.info.kind.is_parallel() && differs(node) {
            differing.insert(n_loops);
        }
        n_loops += 1;
    };
    ast.body.iter().for_each(|node| node.for_each_loop(&mut look));
    if differing.is_empty() {
        return Ok(ast.clone());
    }
    let counted = count(scop, ast, params, 4 * N_RUNS)?;
    let found = Loops { scop, counted: &counted, machine, differing };
    let mut turns = BTreeMap::new();
    counted.body.iter().for_each(|part| found.collect(part, &mut turns));
    Ok(ast.with_turns(|number| turns.get(&number).copied()))
}

/// Whether bounds or conditions inside depend on a loop's iteration, or on that of a loop inside that threads share with it.
fn differs(node: &For) -> bool {
    let shared = node.shared_inside();
    let all = std::iter::once(node).chain(shared).map(|around| around.iterator.as_str());
    all.into_iter().any(|name| node.body.iter().any(|inner| depends(inner, name)))
}

/// Whether a bound or a condition in a piece of code mentions a name.
fn depends(node: &Node, name: &str) -> bool {
    match node {
        Node::For(node) => {
            node.first.mentions(name)
                || node.end.mentions(name)
                || node.body.iter().any(|inner| depends(inner, name))
        }
        Node::If(node) => {
            mentions(&node.condition, name)
                || node.then.iter().chain(&node.otherwise).any(|inner| depends(inner, name))
        }
        Node::Block(node) => node.body.iter().any(|inner| depends(inner, name)),
        Node::User(_) => false,
    }
}

/// Counted loops on a machine.
struct Loops<'a> {
    scop: &'a Scop,
    counted: &'a Counted,
    machine: &'a Machine,
    /// The loops on threads, by number, inside of which bounds or conditions depend on the iteration: others are even, whatever is counted.
    differing: BTreeSet<usize>,
}

impl Loops<'_> {
    /// The iterations of a turn, by number, of the loops on threads in which these differ.
    fn collect(&self, part: &Part, turns: &mut BTreeMap<usize, u64>) {
        let Part::Loop(around) = part else { return };
        if around.on_threads == 0.0 && !around.asks_for_threads {
            return around.body.iter().for_each(|inner| self.collect(inner, turns));
        }
        let shared = around.shared();
        let mut along = shared.iter().map(|inner| &self.counted.along[inner.id]);
        let of_thread = self.counted.shared_trips(around) / f64::from(self.machine.cores);
        // One iteration for each thread is a block, and lanes want several in a row.
        if of_thread >= 2.0
            && !around.is_vector
            && self.differing.contains(&around.id)
            && along.any(|along| self.fullest(along) > EVEN)
        {
            let innermost = shared.last().map_or(around, |inner| inner);
            let most = (of_thread / LEAST_TURNS) as u64;
            turns.insert(around.id, self.turn(innermost).min(most).max(1));
        }
    }

    /// How many times its part of all instances the fullest of as many equal blocks of iterations has as there are threads.
    fn fullest(&self, along: &Along) -> f64 {
        let n_threads = self.machine.cores.clamp(1, MOST_BLOCKS);
        let until = |block: u32| {
            let end = N_PARTS as f64 * f64::from(block) / f64::from(n_threads);
            let whole = end as usize;
            let rest = along.get(whole).map_or(0.0, |part| part * (end - whole as f64));
            along.iter().take(whole).sum::<f64>() + rest
        };
        let blocks = (0..n_threads).map(|block| until(block + 1) - until(block));
        blocks.fold(0.0, f64::max) * f64::from(n_threads) / until(n_threads).max(f64::MIN_POSITIVE)
    }

    /// Iterations that reach from a line of memory to the next, for all references to what threads have in common.
    fn turn(&self, around: &Loop) -> u64 {
        let mut turn = 1;
        let mut look = |leaf: &Leaf| {
            for moves in &leaf.references {
                if self.scop.arrays()[moves.array].scope != ArrayScope::Buffer {
                    turn = turn.max(self.to_next_line(moves, around.id));
                }
            }
        };
        around.body.iter().for_each(|part| for_each_leaf(part, &mut look));
        turn
    }

    /// Iterations of a loop in which a reference goes from a line to the next; one where it goes further or stays.
    fn to_next_line(&self, moves: &Moves, id: usize) -> u64 {
        let line = u64::from(self.machine.line_bytes());
        let step = moves.steps.iter().flatten().find(|(at, _)| *at == id).map(|(_, step)| step);
        match step.and_then(|step| step.split_last()) {
            Some((last, outer)) if *last != 0 && outer.iter().all(|&s| s == 0) => {
                let bytes = last.unsigned_abs().saturating_mul(moves.element_bytes.into());
                line.div_ceil(bytes.max(1))
            }
            _ => 1,
        }
    }
}

/// Calls `visit` on every statement in a part.
fn for_each_leaf<'a>(part: &'a Part, visit: &mut impl FnMut(&'a Leaf)) {
    match part {
        Part::Loop(inner) => inner.body.iter().for_each(|part| for_each_leaf(part, visit)),
        Part::Leaf(leaf) => visit(leaf),
    }
}
