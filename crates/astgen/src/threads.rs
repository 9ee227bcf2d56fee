//! When loops start threads: what loops carry of their work.

use crate::ast::{Ast, For, Node};
use crate::boxes::{Ratio, content, plain, work};
use crate::work::{Product, Work};
use farkas_base::gcd;

/// When a loop starts threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// Each time.
    Always,
    /// Where there is so much work.
    If(Work),
    /// Not at all: it is no loop for threads any more.
    Never,
}

impl Ast {
    /// The same with each outermost parallel loop starting threads when `choose` says so, which is given the loop's number in the text and its
    /// work, which asks for more than nothing. Loops whose work is not known run on threads always.
    #[must_use]
    pub fn with_threads(&self, mut choose: impl FnMut(usize, Work) -> Start) -> Self {
        let mut ast = self.clone();
        let mut set = |number, node: &mut For| {
            node.info.threads = None;
            let work = work(node);
            let instances = work.as_ref().and_then(Work::number);
            match work.map_or(Start::Always, |work| choose(number, work)) {
                Start::Always => {}
                Start::If(work) => node.info.threads = Some(work),
                Start::Never => {
                    node.info.kind = node.info.kind.without_threads();
                    node.info.too_few = instances;
                }
            }
        };
        outermost_parallel(&mut ast.body, false, &mut 0, &mut set);
        ast
    }

    /// The same with threads taking turns in the outermost parallel loops for which `turns`, given the loop's number in the text, says how many
    /// iterations a turn has; in others each thread has one block of iterations.
    #[must_use]
    pub fn with_turns(&self, turns: impl Fn(usize) -> Option<u64>) -> Self {
        let mut ast = self.clone();
        let mut set = |number, node: &mut For| node.info.turns = turns(number);
        outermost_parallel(&mut ast.body, false, &mut 0, &mut set);
        ast
    }

    /// The condition under which the loop with this number in the text starts threads, if there is one.
    pub fn condition(&self, number: usize) -> Option<&Work> {
        let (mut n_loops, mut found) = (0, None);
        let mut look = |node| {
            if n_loops == number {
                found = threads_of(node);
            }
            n_loops += 1;
        };
        self.body.iter().for_each(|node| node.for_each_loop(&mut look));
        found
    }

    /// For each outermost parallel loop, what holds whenever it starts threads; nothing where it may do so always.
    pub fn threads(&self) -> Vec<Option<Work>> {
        let has_sizes = |work: &Work| work.products.iter().all(|own| !own.sizes.is_empty());
        self.widest().into_iter().map(|(_, work)| work.filter(has_sizes)).collect()
    }

    /// For each outermost parallel loop its number in the text, and the condition under which it starts threads for the iteration of the loops around
    /// it that has most work; that may be a number. Nothing where it has no condition, or it is not known which iteration that is.
    pub fn widest(&self) -> Vec<(usize, Option<Work>)> {
        let mut found = Vec::new();
        widest_in(&self.body, &mut Vec::new(), &mut 0, &mut found);
        found
    }
}

/// The condition of a loop.
fn threads_of(node: &For) -> Option<&Work> {
    node.info.threads.as_ref()
}

/// Calls `visit` on the outermost parallel loops among `nodes`, with their numbers; it may take their threads from them.
fn outermost_parallel(
    nodes: &mut [Node],
    in_parallel: bool,
    n_loops: &mut usize,
    visit: &mut impl FnMut(usize, &mut For),
) {
    for node in nodes {
        match node {
            Node::For(node) => {
                let number = *n_loops;
                *n_loops += 1;
                if node.info.kind.is_parallel() && !in_parallel {
                    visit(number, node);
                }
                let in_parallel = in_parallel || node.info.kind.is_parallel();
                outermost_parallel(&mut node.body, in_parallel, n_loops, visit);
            }
            Node::If(node) => {
                outermost_parallel(&mut node.then, in_parallel, n_loops, visit);
                outermost_parallel(&mut node.otherwise, in_parallel, n_loops, visit);
            }
            Node::User(_) => {}
            Node::Block(node) => outermost_parallel(&mut node.body, in_parallel, n_loops, visit),
        }
    }
}

/// Collects what holds whenever one of the outermost parallel loops among `nodes` starts threads, with the loop's number.
fn widest_in<'a>(
    nodes: &'a [Node],
    around: &mut Vec<&'a For>,
    n_loops: &mut usize,
    found: &mut Vec<(usize, Option<Work>)>,
) {
    for node in nodes {
        match node {
            Node::For(own) if own.info.kind.is_parallel() => {
                let widest = own.info.threads.as_ref().and_then(|work| at_most(work, around));
                found.push((*n_loops, widest));
                node.for_each_loop(&mut |_| *n_loops += 1);
            }
            Node::For(node) => {
                *n_loops += 1;
                around.push(node);
                widest_in(&node.body, around, n_loops, found);
                around.pop();
            }
            Node::If(node) => {
                widest_in(&node.then, around, n_loops, found);
                widest_in(&node.otherwise, around, n_loops, found);
            }
            Node::User(_) => {}
            Node::Block(node) => widest_in(&node.body, around, n_loops, found),
        }
    }
}

/// What holds wherever it holds in one of the iterations of some loops, outer ones first.
fn at_most(work: &Work, around: &[&For]) -> Option<Work> {
    let widest = |product: &Product| {
        let (mut factor, mut divisor, mut sizes) = (product.factor, 1_i64, Vec::new());
        for size in &product.sizes {
            let ratio = Ratio::of(size)?;
            if ratio.is_of_parameters() {
                sizes.push(plain(size));
                continue;
            }
            let (greatest, below) = ratio.greatest(around)?.parts();
            // What is a number in the widest iteration makes the others more.
            factor = factor.checked_mul(content(&greatest).max(1))?;
            divisor = divisor.checked_mul(below)?;
            if greatest.as_int().is_none() {
                sizes.push(plain(&greatest));
            }
        }
        sizes.sort();
        let common = gcd(factor, divisor).max(1);
        Some((Product { factor: factor / common, sizes }, divisor / common))
    };
    let products = work.products.iter().map(widest).collect::<Option<Vec<_>>>()?;
    if products.iter().all(|(product, _)| product.sizes.is_empty()) {
        let number = |(product, divisor): (Product, i64)| {
            let factor = product.factor.checked_add(divisor - 1)? / divisor;
            Some(Product { factor, ..product })
        };
        let products = products.into_iter().map(number).collect::<Option<Vec<_>>>()?;
        return Some(Work { products, above: work.above });
    }
    let least_common = |all: i64, of: i64| all.checked_mul(of / gcd(all, of).max(1));
    let all = products.iter().try_fold(1, |all, (_, divisor)| least_common(all, *divisor))?;
    let mut above = work.above.checked_mul(all)?;
    let scaled = |(product, divisor): (Product, i64)| {
        let factor = product.factor.checked_mul(all / divisor)?;
        Some(Product { factor, ..product })
    };
    let mut products = products.into_iter().map(scaled).collect::<Option<Vec<_>>>()?;
    if let [only] = products.as_mut_slice()
        && !only.sizes.is_empty()
    {
        above /= std::mem::replace(&mut only.factor, 1).max(1);
    }
    Some(Work { products, above })
}
