//! Cutting the core out of loops whose statements run in different ranges.
//!
//! `for x in a..b { if (x >= l) S; if (x < u) T; }` becomes a loop with both conditions up to the core, the core
//! `for x in max(a, l)..min(b, u) { S; T; }`, and a loop with both conditions after it. Unlike separation, which has a
//! piece for each combination of statements, this repeats a statement at most twice more a loop.

use crate::ast::{Block, For, If, Node};
use crate::expr::{Cond, Division, Expr, Term};
use std::collections::BTreeSet;

/// The nodes with the cores of their point loops apart.
pub(crate) fn cores(nodes: Vec<Node>) -> Vec<Node> {
    nodes.into_iter().flat_map(core).collect()
}

/// One node.
fn core(node: Node) -> Vec<Node> {
    match node {
        Node::User(user) => vec![Node::User(user)],
        Node::Block(node) => vec![Node::Block(Block { body: cores(node.body), ..node })],
        Node::If(If { condition, then, otherwise }) => {
            vec![Node::If(If { condition, then: cores(then), otherwise: cores(otherwise) })]
        }
        Node::For(node)
            if node.step == 1
                && node.info.tile.is_none()
                && !node.info.kind.is_parallel()
                && node.info.divided.is_none()
                && !node.info.wavefront =>
        {
            cut(node)
        }
        Node::For(node) => vec![Node::For(For { body: cores(node.body), ..node })],
    }
}

/// The pieces of one loop.
fn cut(node: For) -> Vec<Node> {
    let guards = Guards::of(&node);
    let mut known = Known::default();
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for condition in guards.found {
        match range(&condition, &node) {
            Some(Range::From(start) | Range::After(start)) => starts.push(start),
            Some(Range::Until(end) | Range::Before(end)) => ends.push(end),
            None => continue,
        }
        let fails = matches!(condition, Cond::Zero(_));
        let set = if fails { &mut known.failing } else { &mut known.holding };
        set.insert(condition);
    }
    if starts.is_empty() && ends.is_empty() {
        return vec![Node::For(For { body: cores(node.body), ..node })];
    }
    let piece = |first: Expr, end: Expr| {
        let mut info = node.info.clone();
        info.kind = info.kind.without_lanes();
        let (iterator, body) = (node.iterator.clone(), node.body.clone());
        Node::For(For { iterator, first, end, step: 1, body, info })
    };
    let mut pieces = Vec::new();
    let mut start = node.first.clone();
    if !starts.is_empty() {
        let latest = Expr::max(starts);
        pieces.push(piece(start.clone(), Expr::min(vec![latest.clone(), node.end.clone()])));
        start = Expr::max(vec![start, latest]);
    }
    let earliest = (!ends.is_empty()).then(|| Expr::min(ends));
    let end = Expr::min(earliest.iter().chain([&node.end]).cloned().collect());
    let body = cores(node.body.iter().flat_map(|n| known.assume(n)).collect());
    pieces.push(Node::For(For { first: start.clone(), end, body, ..node.clone() }));
    if let Some(earliest) = earliest {
        // Where the core is empty, what comes after starts where it would have started.
        pieces.push(piece(Expr::max(vec![start, earliest]), node.end.clone()));
    }
    pieces
}

/// The part of a loop in which a condition is known.
enum Range {
    /// It holds from this value on.
    From(Expr),
    /// It holds up to, not including this value.
    Until(Expr),
    /// It does not hold from this value on.
    After(Expr),
    /// It does not hold up to, not including this value.
    Before(Expr),
}

/// The range in which the condition is known, if it is one inequality on the iterator, or an equality with the first or
/// last value.
fn range(condition: &Cond, node: &For) -> Option<Range> {
    let iterator = node.iterator.as_str();
    match condition {
        Cond::NonNegative(expr) => {
            // factor * x + rest >= 0
            let (factor, rest) = expr.split(iterator)?;
            match factor {
                0 => None,
                f if f > 0 => Some(Range::From(rest.quotient(f, Division::Floor).times(-1))),
                f => Some(Range::Until(rest.quotient(f.checked_neg()?, Division::Floor).offset(1))),
            }
        }
        Cond::Zero(expr) => {
            let (factor, rest) = expr.split(iterator)?;
            let value = rest.times(match factor {
                1 => -1,
                -1 => 1,
                _ => return None,
            });
            if node.first == value
                || matches!(node.first.terms(), [(Term::Max(options), 1)] if options.contains(&value))
            {
                return Some(Range::After(value.offset(1)));
            }
            let next = value.offset(1);
            if node.end == next
                || matches!(node.end.terms(), [(Term::Min(options), 1)] if options.contains(&next))
            {
                return Some(Range::Before(value));
            }
            None
        }
        Cond::All(_) | Cond::Any(_) => None,
    }
}

/// The conditions of guards in a loop that restrict its iterator and no inner one. Guards around whole inner loops cost
/// little and do not count.
struct Guards<'a> {
    iterator: &'a str,
    inner: Vec<&'a str>,
    found: BTreeSet<Cond>,
}

impl<'a> Guards<'a> {
    /// Those of a loop.
    fn of(node: &'a For) -> Self {
        let mut guards =
            Guards { iterator: &node.iterator, inner: Vec::new(), found: BTreeSet::new() };
        node.body.iter().for_each(|n| guards.collect(n));
        guards
    }

    /// Collects from a node.
    fn collect(&mut self, node: &'a Node) {
        match node {
            // What is around a kernel's barriers stays in one piece.
            Node::User(_) | Node::Block(_) => {}
            Node::For(node) => {
                self.inner.push(&node.iterator);
                node.body.iter().for_each(|n| self.collect(n));
                self.inner.pop();
            }
            Node::If(node) => {
                let mut contains_loop = false;
                node.then.iter().for_each(|n| n.for_each_loop(&mut |_| contains_loop = true));
                if node.otherwise.is_empty() && !contains_loop {
                    for part in conjuncts(&node.condition) {
                        let (mut restricts, mut restricts_inner) = (false, false);
                        part.for_each_name(&mut |n, is_iterator| {
                            restricts |= is_iterator && n == self.iterator;
                            restricts_inner |= is_iterator && self.inner.contains(&n);
                        });
                        if restricts && !restricts_inner {
                            self.found.insert(part.clone());
                        }
                    }
                }
                node.then.iter().chain(&node.otherwise).for_each(|n| self.collect(n));
            }
        }
    }
}

/// The parts of a conjunction.
fn conjuncts(condition: &Cond) -> &[Cond] {
    match condition {
        Cond::All(parts) => parts,
        single => std::slice::from_ref(single),
    }
}

/// What is known in the core.
#[derive(Default)]
struct Known {
    holding: BTreeSet<Cond>,
    failing: BTreeSet<Cond>,
}

impl Known {
    /// The node in the core.
    fn assume(&self, node: &Node) -> Vec<Node> {
        let all = |nodes: &[Node]| nodes.iter().flat_map(|n| self.assume(n)).collect();
        match node {
            Node::User(user) => vec![Node::User(user.clone())],
            Node::Block(node) => {
                vec![Node::Block(Block { body: all(&node.body), ..node.clone() })]
            }
            Node::For(node) => {
                let body: Vec<Node> = all(&node.body);
                if body.is_empty() {
                    Vec::new()
                } else {
                    vec![Node::For(For { body, ..node.clone() })]
                }
            }
            Node::If(node) if node.otherwise.is_empty() => {
                let parts = conjuncts(&node.condition);
                if parts.iter().any(|c| self.failing.contains(c)) {
                    return Vec::new();
                }
                let open = parts.iter().filter(|c| !self.holding.contains(c)).cloned().collect();
                let condition = Cond::all(open);
                let then: Vec<Node> = all(&node.then);
                if condition.as_bool() == Some(true) || then.is_empty() {
                    return then;
                }
                vec![Node::If(If { condition, then, otherwise: Vec::new() })]
            }
            Node::If(node) => vec![Node::If(If {
                condition: node.condition.clone(),
                then: all(&node.then),
                otherwise: all(&node.otherwise),
            })],
        }
    }
}
