//! How large a grid is for a kernel.

use crate::ast::{Block, Divided, For, Node};
use crate::boxes::trips;
use crate::expr::{Division, Expr};
use farkas_tree::GpuAxis;

impl Block {
    /// The blocks along x, y and z that have an iteration each of the loops that are divided among them, about: as many as there are in the
    /// widest iteration of those around. Fewer blocks do more each. One where no loop is divided.
    pub fn grid(&self) -> [Expr; 3] {
        let loops = block_loops(&self.body);
        GpuAxis::ALL.map(|axis| {
            let own = loops.iter().filter(|(of, ..)| *of == axis);
            let counts: Vec<Expr> =
                own.filter_map(|(_, node, inside)| n_blocks(node, inside)).collect();
            match counts.is_empty() {
                true => Expr::int(1),
                false => Expr::max(counts),
            }
        })
    }
}

/// A loop that is divided among blocks along an axis, with the loops of the kernel around it.
pub type BlockLoop<'a> = (GpuAxis, &'a For, Vec<&'a For>);

/// The loops in the body of a kernel that are divided among blocks, in its order.
pub fn block_loops(body: &[Node]) -> Vec<BlockLoop<'_>> {
    let mut found = Vec::new();
    collect(body, &mut Vec::new(), &mut found);
    found
}

/// Adds those of some nodes to `found`.
fn collect<'a>(nodes: &'a [Node], around: &mut Vec<&'a For>, found: &mut Vec<BlockLoop<'a>>) {
    for node in nodes {
        match node {
            Node::For(node) => {
                if let Some(Divided::Blocks(axis)) = node.info.divided {
                    found.push((axis, node, around.clone()));
                }
                around.push(node);
                collect(&node.body, around, found);
                around.pop();
            }
            Node::If(node) => {
                collect(&node.then, around, found);
                collect(&node.otherwise, around, found);
            }
            Node::Block(node) => collect(&node.body, around, found),
            Node::User(_) => {}
        }
    }
}

/// The iterations of a loop in the widest iteration of those around it; `None` where that is not known.
fn n_blocks(node: &For, around: &[&For]) -> Option<Expr> {
    let (expr, divisor) = trips(node, around)?.parts();
    let mut is_known = true;
    expr.for_each_name(&mut |name, _| is_known &= !around.iter().any(|n| n.iterator == name));
    // Where the loop begins at a tile that parameters decide, the estimate takes the tile's point for its origin, and may miss one block.
    let missed = i64::from(node.first.as_int().is_none());
    let count = expr.offset(divisor - 1).quotient(divisor, Division::Floor).offset(missed);
    is_known.then_some(count)
}
