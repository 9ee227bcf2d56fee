//! Arrays of a block of which each thread has a part to itself: they need not be shared.
//!
//! `sums[i / 4][j / 4][i % 4][j % 4]` of a block whose threads are numbered `i / 4` and `j / 4` is `sums[i % 4][j % 4]` of each thread, which compilers keep in
//! registers where subscripts are known.

use farkas_astgen::{Divided, Expr, For, Node, User, affine};
use farkas_scop::{ArrayId, ArrayScope, BinaryOp, Expr as Body, Scop};
use farkas_tree::GpuAxis;
use std::collections::BTreeMap;

/// For each buffer of which each thread has its own part, the dimensions that are numbers of threads.
pub(super) type Own = BTreeMap<ArrayId, Vec<usize>>;

/// Those of the kernel with this body.
pub(super) fn own_parts(scop: &Scop, threads: [i64; 3], body: &[Node]) -> Own {
    let mut search = Search { scop, threads, loops: Vec::new(), found: BTreeMap::new() };
    body.iter().for_each(|node| search.node(node));
    let several: Vec<GpuAxis> =
        GpuAxis::ALL.into_iter().filter(|axis| threads[axis.index()] > 1).collect();
    let of_all =
        |axes: &Vec<Option<GpuAxis>>| several.iter().all(|axis| axes.contains(&Some(*axis)));
    let numbered = |(array, axes): (ArrayId, Vec<Option<GpuAxis>>)| {
        let dims = axes.iter().enumerate().filter(|(_, axis)| axis.is_some());
        (array, dims.map(|(at, _)| at).collect())
    };
    search
        .found
        .into_iter()
        .filter(|(_, axes)| !several.is_empty() && of_all(axes))
        .map(numbered)
        .collect()
}

/// A walk through a kernel.
struct Search<'a> {
    scop: &'a Scop,
    threads: [i64; 3],
    /// The loops around.
    loops: Vec<&'a For>,
    /// For each dimension of a buffer, the axis along which its subscripts number threads, in all accesses so far.
    found: BTreeMap<ArrayId, Vec<Option<GpuAxis>>>,
}

impl<'a> Search<'a> {
    /// A node.
    fn node(&mut self, node: &'a Node) {
        match node {
            Node::For(node) => {
                self.loops.push(node);
                node.body.iter().for_each(|inner| self.node(inner));
                self.loops.pop();
            }
            Node::If(node) => node.then.iter().chain(&node.otherwise).for_each(|n| self.node(n)),
            Node::Block(node) => node.body.iter().for_each(|inner| self.node(inner)),
            Node::User(user) => self.user(user),
        }
    }

    /// A statement.
    fn user(&mut self, user: &User) {
        for access in self.scop.stmts()[user.stmt].accesses.iter() {
            let array = &self.scop.arrays()[access.array];
            if array.scope != ArrayScope::Buffer || array.rank() == 0 {
                continue;
            }
            let extents = array.constant_extents().unwrap_or_default();
            let axes = access.subscripts.iter().zip(extents).map(|(subscript, extent)| {
                let axis = self.numbers(user, subscript)?;
                (self.threads[axis.index()] == extent).then_some(axis)
            });
            let axes: Vec<Option<GpuAxis>> = axes.collect();
            match self.found.get_mut(&access.array) {
                None => drop(self.found.insert(access.array, axes)),
                Some(known) => known.iter_mut().zip(axes).for_each(|(known, axis)| {
                    *known = known.filter(|known| Some(*known) == axis);
                }),
            }
        }
    }

    /// The axis whose threads a subscript numbers: `i - first`, or of tiles `(i - first) / size`.
    fn numbers(&self, user: &User, subscript: &Body) -> Option<GpuAxis> {
        let (from, divisor) = match subscript {
            Body::Binary(BinaryOp::Div, from, by) => match **by {
                Body::Int { value, .. } => (&**from, value),
                _ => return None,
            },
            other => (other, 1),
        };
        let from = affine(self.scop, user, from)?;
        let multiples = multiples(&self.loops);
        self.loops.iter().find_map(|node| {
            let Some(Divided::Threads(axis)) = node.info.divided else { return None };
            let size = step_of(node).filter(|size| *size == divisor)?;
            let (factor, rest) = from.split(&node.iterator)?;
            let whole = size * self.threads[axis.index()];
            (factor == 1 && is_multiple(&rest, whole, &multiples)).then_some(axis)
        })
    }
}

/// By how much a loop that counts up goes on: by one, or by tiles; `None` for others.
pub(super) fn step_of(node: &For) -> Option<i64> {
    (node.step == 1 || node.info.tile == Some(node.step)).then_some(node.step)
}

/// The iterators of loops, each with what it runs over multiples of.
fn multiples(loops: &[&For]) -> Vec<(String, i64)> {
    loops.iter().fold(Vec::new(), |mut found, node| {
        found.extend(multiple_of(node, &found));
        found
    })
}

/// The iterator of a loop with what it runs over multiples of, where it does so and those around are multiples of others.
pub(super) fn multiple_of(node: &For, known: &[(String, i64)]) -> Option<(String, i64)> {
    let size = node.info.tile.filter(|size| *size == node.step)?;
    let is_one = node.first.options(true).iter().all(|first| is_multiple(first, size, known));
    is_one.then(|| (node.iterator.clone(), size))
}

/// Whether an expression is a multiple of a number, where some iterators are multiples of others.
pub(super) fn is_multiple(expr: &Expr, n: i64, known: &[(String, i64)]) -> bool {
    let of_tile = |name: &str| known.iter().any(|(tile, size)| tile == name && size % n == 0);
    expr.constant() % n == 0
        && expr.terms().iter().all(|(term, factor)| {
            let name = Expr::from_term(term.clone());
            factor % n == 0 || name.as_iterator().is_some_and(&of_tile)
        })
}
