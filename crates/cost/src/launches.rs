//! How often the host starts kernels.

use crate::Result;
use farkas_astgen::{Ast, Block, BlockKind, Cond, Expr, Node};
use farkas_interp::{Error, Params};
use std::collections::BTreeMap;

/// What is known of the launches of one kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Launches {
    /// How many there are.
    pub n: u64,
    /// The most blocks along x, y and z that one of them has.
    pub most_blocks: [i64; 3],
    /// The blocks of all of them.
    pub n_blocks: u64,
}

/// Iterations of the host's loops that are gone through at most.
const MOST_STEPS: u64 = 20_000_000;

/// For each kernel of `ast`, in the order of its text, its launches where parameters have these values: the host's loops and conditions are gone
/// through, one iteration after another. None where they have more than 20 million iterations.
///
/// # Errors
/// When a bound has no value.
pub fn launches(ast: &Ast, params: &Params) -> Result<Option<Vec<Launches>>> {
    let values = params.iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let mut found = Vec::new();
    ast.body.iter().for_each(|node| kernels(node, &mut found));
    let found = found.into_iter().map(|block| (block, Launches::default())).collect();
    let mut walk = Walk { values, found, steps_left: MOST_STEPS };
    let is_whole = walk.nodes(&ast.body)?;
    Ok(is_whole.then(|| walk.found.into_iter().map(|(_, launches)| launches).collect()))
}

/// The kernels of a node, in the order of the text.
fn kernels<'a>(node: &'a Node, found: &mut Vec<&'a Block>) {
    match node {
        Node::For(node) => node.body.iter().for_each(|inner| kernels(inner, found)),
        Node::If(node) => {
            node.then.iter().chain(&node.otherwise).for_each(|inner| kernels(inner, found));
        }
        Node::Block(block) if matches!(block.kind, BlockKind::Kernel(_)) => found.push(block),
        Node::Block(block) => block.body.iter().for_each(|inner| kernels(inner, found)),
        Node::User(_) => {}
    }
}

/// The host's code at a moment.
struct Walk<'a> {
    /// Parameters and iterators.
    values: BTreeMap<String, i64>,
    found: Vec<(&'a Block, Launches)>,
    steps_left: u64,
}

impl Walk<'_> {
    /// What some nodes start; false where there are too many steps.
    fn nodes(&mut self, nodes: &[Node]) -> Result<bool> {
        for node in nodes {
            let is_whole = match node {
                Node::For(node) => self.repeat(node)?,
                Node::If(node) => {
                    let is_met = self.holds(&node.condition)?;
                    self.nodes(if is_met { &node.then } else { &node.otherwise })?
                }
                Node::Block(block) if matches!(block.kind, BlockKind::Kernel(_)) => {
                    self.launch(block)?;
                    true
                }
                Node::Block(block) => self.nodes(&block.body)?,
                Node::User(_) => true,
            };
            if !is_whole {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a loop starts.
    fn repeat(&mut self, node: &farkas_astgen::For) -> Result<bool> {
        let (mut at, end) = (self.value(&node.first)?, self.value(&node.end)?);
        let is_left = |at: i64| if node.step > 0 { at < end } else { at > end };
        while node.step != 0 && is_left(at) {
            let Some(left) = self.steps_left.checked_sub(1) else { return Ok(false) };
            self.steps_left = left;
            self.values.insert(node.iterator.clone(), at);
            if !self.nodes(&node.body)? {
                return Ok(false);
            }
            at = at.saturating_add(node.step);
        }
        Ok(true)
    }

    /// One launch of a kernel.
    fn launch(&mut self, block: &Block) -> Result<()> {
        let mut blocks = [1; 3];
        for (n, expr) in blocks.iter_mut().zip(block.grid()) {
            *n = self.value(&expr)?.max(1);
        }
        let is_it = |(known, _): &&mut (&Block, Launches)| std::ptr::eq(*known, block);
        if let Some((_, launches)) = self.found.iter_mut().find(is_it) {
            launches.n += 1;
            let n = blocks.iter().map(|n| n.unsigned_abs()).product::<u64>();
            launches.n_blocks = launches.n_blocks.saturating_add(n);
            for (most, n) in launches.most_blocks.iter_mut().zip(blocks) {
                *most = (*most).max(n);
            }
        }
        Ok(())
    }

    /// The value of an expression.
    fn value(&self, expr: &Expr) -> Result<i64> {
        let value = expr.eval(&|name| self.values.get(name).copied());
        value.ok_or_else(|| Error::Ast(format!("`{expr}` has no value")).into())
    }

    /// Whether a condition holds.
    fn holds(&self, condition: &Cond) -> Result<bool> {
        let value = condition.eval(&|name| self.values.get(name).copied());
        value.ok_or_else(|| Error::Ast(format!("`{condition}` has no value")).into())
    }
}
