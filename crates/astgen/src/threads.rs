//! When loops start threads: what loops carry of their work.

use crate::ast::{Ast, For, Node};
use crate::boxes::{Ratio, plain, work};
use crate::work::{Product, Work};

impl Ast {
    /// The same with the conditions that `choose` makes of the work of each outermost parallel loop, which comes with the loop's number
    /// in the text and asks for more than nothing. Loops whose work is a number, or is not known, run on threads always.
    #[must_use]
    pub fn with_threads(&self, mut choose: impl FnMut(usize, Work) -> Option<Work>) -> Self {
        let mut ast = self.clone();
        let mut n_loops = 0;
        choose_in(&mut ast.body, false, &mut n_loops, &mut choose);
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
        let mut found = Vec::new();
        widest_in(&self.body, &mut Vec::new(), &mut found);
        found
    }
}

/// The condition of a loop.
fn threads_of(node: &For) -> Option<&Work> {
    node.info.threads.as_ref()
}

/// Sets the conditions of the outermost parallel loops among `nodes`.
fn choose_in(
    nodes: &mut [Node],
    in_parallel: bool,
    n_loops: &mut usize,
    choose: &mut impl FnMut(usize, Work) -> Option<Work>,
) {
    for node in nodes {
        match node {
            Node::For(node) => {
                let number = *n_loops;
                *n_loops += 1;
                let is_parallel = node.info.kind.is_parallel();
                if is_parallel && !in_parallel {
                    node.info.threads = work(node).and_then(|work| choose(number, work));
                }
                choose_in(&mut node.body, in_parallel || is_parallel, n_loops, choose);
            }
            Node::If(node) => {
                choose_in(&mut node.then, in_parallel, n_loops, choose);
                choose_in(&mut node.otherwise, in_parallel, n_loops, choose);
            }
            Node::User(_) => {}
        }
    }
}

/// Collects what holds whenever one of the outermost parallel loops among `nodes` starts threads.
fn widest_in<'a>(nodes: &'a [Node], around: &mut Vec<&'a For>, found: &mut Vec<Option<Work>>) {
    for node in nodes {
        match node {
            Node::For(node) if node.info.kind.is_parallel() => {
                found.push(node.info.threads.as_ref().and_then(|work| at_most(work, around)));
            }
            Node::For(node) => {
                around.push(node);
                widest_in(&node.body, around, found);
                around.pop();
            }
            Node::If(node) => {
                widest_in(&node.then, around, found);
                widest_in(&node.otherwise, around, found);
            }
            Node::User(_) => {}
        }
    }
}

/// What holds wherever it holds in one of the iterations of some loops, outer ones first; nothing where that is a number.
fn at_most(work: &Work, around: &[&For]) -> Option<Work> {
    let widest = |product: &Product| {
        let (mut factor, mut sizes) = (product.factor, Vec::new());
        for size in &product.sizes {
            let ratio = Ratio::of(size)?;
            let is_fixed = ratio.is_of_parameters();
            let greatest = if is_fixed { size.clone() } else { ratio.greatest(around)?.expr };
            // What is a number in the widest iteration makes the others more.
            match greatest.as_int() {
                Some(number) => factor = factor.checked_mul(number.max(1))?,
                None => sizes.push(plain(&greatest)),
            }
        }
        sizes.sort();
        (!sizes.is_empty()).then_some(Product { factor, sizes })
    };
    let products = work.products.iter().map(widest).collect::<Option<Vec<_>>>()?;
    Some(Work { products, above: work.above })
}
