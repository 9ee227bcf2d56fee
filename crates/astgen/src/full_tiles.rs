//! Full tiles apart from partial ones.
//!
//! Inside a marked tile, `for i in max(l, it)..min(u, it + 32)` becomes a condition that no tile bound is the tighter
//! one, with loops `for i in it..it + 32` where it holds and the loops as they were where it does not. The loops of full
//! tiles have constant trip counts. The text is at most twice as long.

use crate::ast::{Block, For, If, Node};
use crate::expr::{Cond, Expr};

/// The nodes with the full tiles of marked loops apart.
pub(crate) fn separate(nodes: Vec<Node>) -> Vec<Node> {
    separate_inside(nodes, &mut Vec::new())
}

/// The same; `tiles` holds the iterators of the marked loops around them.
fn separate_inside(nodes: Vec<Node>, tiles: &mut Vec<String>) -> Vec<Node> {
    nodes
        .into_iter()
        .map(|node| match node {
            Node::For(node) => Node::For(in_loop(node, tiles)),
            Node::If(If { condition, then, otherwise }) => {
                let then = separate_inside(then, tiles);
                let otherwise = separate_inside(otherwise, tiles);
                Node::If(If { condition, then, otherwise })
            }
            Node::User(user) => Node::User(user),
            Node::Block(node) => {
                let body = separate_inside(node.body, tiles);
                Node::Block(Block { body, ..node })
            }
        })
        .collect()
}

/// A loop, separated in its body or further inside.
fn in_loop(node: For, tiles: &mut Vec<String>) -> For {
    let n_tiles = tiles.len();
    tiles.extend(node.info.separate.then(|| node.iterator.clone()));
    let mut has_tiles = false;
    node.body.iter().for_each(|n| n.for_each_loop(&mut |l| has_tiles |= l.info.tile.is_some()));
    if !node.info.separate || has_tiles {
        let body = separate_inside(node.body, tiles);
        tiles.truncate(n_tiles);
        return For { body, ..node };
    }
    let mut full = Full { tiles: tiles.clone(), ..Full::default() };
    tiles.truncate(n_tiles);
    let body = match full.nodes(&node.body) {
        Some(then) if !full.conditions.is_empty() => {
            let condition = Cond::all(std::mem::take(&mut full.conditions));
            vec![Node::If(If { condition, then, otherwise: node.body })]
        }
        _ => node.body,
    };
    For { body, ..node }
}

/// The least and the greatest value of a point loop in a full tile.
struct Range {
    iterator: String,
    least: Expr,
    greatest: Expr,
}

/// The code of a full tile in the making.
#[derive(Default)]
struct Full {
    /// The iterators of the tile loops.
    tiles: Vec<String>,
    /// The point loops around the place.
    ranges: Vec<Range>,
    /// What makes the tile full.
    conditions: Vec<Cond>,
}

impl Full {
    /// Nodes as they are in full tiles; `None` where that cannot be told.
    fn nodes(&mut self, nodes: &[Node]) -> Option<Vec<Node>> {
        nodes.iter().map(|n| self.node(n)).collect()
    }

    /// A node as it is in full tiles.
    fn node(&mut self, node: &Node) -> Option<Node> {
        match node {
            Node::User(user) => Some(Node::User(user.clone())),
            // Kernels have no full tiles of their own.
            Node::Block(_) => None,
            Node::If(If { condition, then, otherwise }) => {
                let mut is_fixed = true;
                let ranges: Vec<&String> = self.ranges.iter().map(|r| &r.iterator).collect();
                condition.for_each_name(&mut |name, _| {
                    let is_own = |known: &String| known == name;
                    is_fixed &=
                        !self.tiles.iter().any(is_own) && !ranges.iter().any(|known| is_own(known));
                });
                let [then, otherwise] = [self.nodes(then), self.nodes(otherwise)];
                let (then, otherwise) = (then?, otherwise?);
                let condition = condition.clone();
                is_fixed.then_some(Node::If(If { condition, then, otherwise }))
            }
            Node::For(node) => {
                let (first, end) = self.bounds(node)?;
                let (least, greatest) = match node.step > 0 {
                    true => (first.clone(), end.offset(-1)),
                    false => (end.offset(1), first.clone()),
                };
                self.ranges.push(Range { iterator: node.iterator.clone(), least, greatest });
                let body = self.nodes(&node.body);
                self.ranges.pop();
                Some(Node::For(For { first, end, body: body?, ..node.clone() }))
            }
        }
    }

    /// The bounds in full tiles: the two that are a constant apart. That no other one is tighter becomes a condition. Loops that
    /// have nothing to do with the tile stay as they are.
    fn bounds(&mut self, node: &For) -> Option<(Expr, Expr)> {
        let is_of_tile = |e: &Expr| self.tiles.iter().any(|tile| e.mentions(tile));
        if node.info.point && !is_of_tile(&node.first) && !is_of_tile(&node.end) {
            return Some((node.first.clone(), node.end.clone()));
        }
        if node.step != 1 || !node.info.point {
            return None;
        }
        let (starts, ends) = (node.first.options(true), node.end.options(false));
        let pairs = starts.iter().flat_map(|s| ends.iter().map(move |e| (s, e)));
        let mut fixed = pairs.filter(|(s, e)| e.minus(s).as_int().is_some_and(|n| n > 0));
        let (start, end) = fixed.find(|(start, _)| is_of_tile(start))?;
        for other in starts.iter().filter(|s| *s != start) {
            let slack = self.least(&start.minus(other))?;
            self.conditions.push(Cond::at_least(&slack, &Expr::int(0)));
        }
        for other in ends.iter().filter(|e| *e != end) {
            let slack = self.least(&other.minus(end))?;
            self.conditions.push(Cond::at_least(&slack, &Expr::int(0)));
        }
        Some((start.clone(), end.clone()))
    }

    /// The least value of a sum over the point loops around it.
    fn least(&self, expr: &Expr) -> Option<Expr> {
        let mut value = expr.clone();
        for range in self.ranges.iter().rev() {
            let (factor, rest) = value.split(&range.iterator)?;
            let end = if factor > 0 { &range.least } else { &range.greatest };
            value = rest.plus(&end.times(factor));
        }
        Some(value)
    }
}
