//! Where buffers lie: small ones on the stack, the others in memory that is allocated once in front of a region.
//!
//! Threads may have stacks of a few hundred KiB and nobody asks before they overflow, so that what may lie there has a bound
//! ([`Options::stack_bytes`](crate::Options::stack_bytes)), for all buffers that are there at the same time. Register tiles are the
//! smallest buffers and have to be on the stack to become registers, so that the smallest go there first. Allocations can fail and
//! the original then runs, which is too late in a parallel loop: memory for all threads is allocated before it.

use crate::Target;
use farkas_astgen::{Ast, Expr, For, Node};
use farkas_scop::{ArrayId, Scop};
use std::collections::{BTreeMap, BTreeSet};

/// The buffers of a region that are allocated.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Memory {
    /// Those of which one is enough.
    pub(crate) shared: BTreeSet<ArrayId>,
    /// Those of which each thread has its own.
    pub(crate) own: BTreeSet<ArrayId>,
    /// Those whose extents depend on parameters.
    pub(crate) sized: BTreeMap<ArrayId, Sized>,
}

/// A buffer whose size the run knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sized {
    pub(crate) extents: Vec<Expr>,
    /// Whether each thread has its own.
    pub(crate) is_own: bool,
}

/// Bytes of an element of unknown size, such as a complex number's: an estimate, on which nothing but the place depends.
const UNKNOWN_ELEMENT_BYTES: u64 = 16;

impl Memory {
    /// The buffers of `ast` that do not fit into `stack_bytes`. Variables are no part of this.
    pub(crate) fn of(scop: &Scop, ast: &Ast, target: Target, stack_bytes: u32) -> Self {
        let mut declared = BTreeMap::new();
        declared.extend(ast.buffers.iter().map(|array| (*array, false)));
        declared_in(&ast.body, target, false, &mut declared);
        let mut on_stack = BTreeMap::new();
        let mut memory = Self::default();
        let mut smallest_first: Vec<(u64, ArrayId)> = Vec::new();
        for (array, in_parallel) in &declared {
            match bytes(scop, *array) {
                Some(bytes) if scop.arrays()[*array].rank() > 0 => {
                    smallest_first.push((bytes, *array));
                }
                Some(_) => {}
                None => {
                    let (extents, is_own) = (extents_of(ast, *array), *in_parallel);
                    memory.sized.insert(*array, Sized { extents, is_own });
                }
            }
        }
        smallest_first.sort_unstable();
        for (bytes, array) in smallest_first {
            on_stack.insert(array, bytes);
            if most(&ast.buffers, &ast.body, &on_stack) <= u64::from(stack_bytes) {
                continue;
            }
            on_stack.remove(&array);
            let in_parallel = declared.get(&array).copied().unwrap_or(false);
            let place = if in_parallel { &mut memory.own } else { &mut memory.shared };
            place.insert(array);
        }
        memory
    }

    /// Whether each thread has a buffer of its own in memory.
    pub(crate) fn is_of_threads(&self, array: ArrayId) -> bool {
        self.own.contains(&array) || self.sized.get(&array).is_some_and(|sized| sized.is_own)
    }

    /// Whether threads have such buffers.
    pub(crate) fn has_own(&self) -> bool {
        !self.own.is_empty() || self.has_sized_own()
    }

    /// Whether they have some whose sizes the run knows.
    pub(crate) fn has_sized_own(&self) -> bool {
        self.sized.values().any(|sized| sized.is_own)
    }

    /// Whether threads need their own memory in a loop.
    pub(crate) fn has_own_in(&self, node: &For) -> bool {
        let has_own = |buffers: &[ArrayId]| buffers.iter().any(|of| self.is_of_threads(*of));
        has_own(&node.info.buffers) || any_loop(&node.body, &|inner| has_own(&inner.info.buffers))
    }
}

/// The extents of a buffer that depend on parameters.
fn extents_of(ast: &Ast, array: ArrayId) -> Vec<Expr> {
    let found = ast.expanded.iter().find(|(of, _)| *of == array);
    found.map(|(_, extents)| extents.clone()).unwrap_or_default()
}

/// The bytes of a buffer, where its extents are numbers.
fn bytes(scop: &Scop, array: ArrayId) -> Option<u64> {
    let array = &scop.arrays()[array];
    let size = array.element.kind.size_bytes().map_or(UNKNOWN_ELEMENT_BYTES, u64::from);
    let extents = array.constant_extents()?;
    let extents = extents.iter().map(|extent| u64::try_from(*extent).unwrap_or(0));
    Some(extents.fold(size, u64::saturating_mul))
}

/// Adds the buffers that loops among `nodes` declare, with whether iterations that run at the same time do.
fn declared_in(
    nodes: &[Node],
    target: Target,
    in_parallel: bool,
    declared: &mut BTreeMap<ArrayId, bool>,
) {
    for node in nodes {
        match node {
            Node::For(node) => {
                let in_parallel =
                    in_parallel || node.info.kind.is_parallel() && target == Target::OpenMp;
                for array in &node.info.buffers {
                    *declared.entry(*array).or_default() |= in_parallel;
                }
                declared_in(&node.body, target, in_parallel, declared);
            }
            Node::If(node) => {
                declared_in(&node.then, target, in_parallel, declared);
                declared_in(&node.otherwise, target, in_parallel, declared);
            }
            Node::Block(node) => declared_in(&node.body, target, in_parallel, declared),
            Node::User(_) => {}
        }
    }
}

/// The most bytes of some buffers that are there at the same time, where `buffers` are declared around `nodes`. Compilers that
/// optimise let buffers of different blocks share their place.
fn most(buffers: &[ArrayId], nodes: &[Node], sizes: &BTreeMap<ArrayId, u64>) -> u64 {
    let sizes_here = buffers.iter().filter_map(|array| sizes.get(array));
    let here = sizes_here.fold(0, |sum: u64, size| sum.saturating_add(*size));
    let inside = nodes.iter().map(|node| match node {
        Node::For(node) => most(&node.info.buffers, &node.body, sizes),
        Node::If(node) => most(&[], &node.then, sizes).max(most(&[], &node.otherwise, sizes)),
        Node::Block(node) => most(&[], &node.body, sizes),
        Node::User(_) => 0,
    });
    here.saturating_add(inside.max().unwrap_or(0))
}

/// Whether some loop among `nodes`, or inside of one, is such.
fn any_loop(nodes: &[Node], is_such: &impl Fn(&For) -> bool) -> bool {
    nodes.iter().any(|node| match node {
        Node::For(node) => is_such(node) || any_loop(&node.body, is_such),
        Node::If(node) => any_loop(&node.then, is_such) || any_loop(&node.otherwise, is_such),
        Node::Block(node) => any_loop(&node.body, is_such),
        Node::User(_) => false,
    })
}
