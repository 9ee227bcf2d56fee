//! Where buffers are declared.
//!
//! All uses of a buffer stand below one node of the tree. It is declared at the start of the innermost loop around that node, so
//! that iterations that run at the same time have buffers of their own; where that is around a kernel that has all uses, in the kernel. What is used
//! in a kernel alone is declared in each of its launches.

use crate::ast::{Ast, BlockKind, For, Node, User};
use crate::{Error, Result};
use farkas_scop::{ArrayId, Scop, Statement, StmtId};
use farkas_tree::{Cursor, Mark, Node as TreeNode, Program, ScheduleTree};
use std::collections::BTreeSet;

/// Declares each buffer of `scop` that `ast` uses, the code of `tree`.
pub(crate) fn declare(scop: &Scop, tree: &ScheduleTree, ast: &mut Ast) -> Result<()> {
    for (array, home) in Program::homes(scop, tree)? {
        let of = |is_write: bool| -> BTreeSet<StmtId> {
            let stmts = scop.stmts().iter_enumerated();
            let uses = |stmt: &Statement| {
                stmt.accesses.iter().any(|a| a.array == array && (a.kind.is_write() || !is_write))
            };
            stmts.filter(|(_, stmt)| uses(stmt)).map(|(id, _)| id).collect()
        };
        let in_kernel = is_in_kernel(tree, &home)?;
        let name = scop.arrays()[array].name.clone();
        let home = Home { array, name, home, uses: of(false), writes: of(true) };
        match in_kernel {
            true => home.declare_in_kernels(&mut ast.body)?,
            false => home.declare_among(&mut ast.body, &mut ast.buffers)?,
        }
    }
    Ok(())
}

/// Whether a node is in a kernel.
fn is_in_kernel(tree: &ScheduleTree, at: &Cursor) -> Result<bool> {
    let mut here = Some(at.clone());
    while let Some(node) = here {
        if matches!(tree.at(&node)?.node(), TreeNode::Mark { mark: Mark::Kernel(_), .. }) {
            return Ok(true);
        }
        here = node.parent();
    }
    Ok(false)
}

/// A buffer and the node that its uses stand below.
struct Home {
    array: ArrayId,
    name: String,
    home: Cursor,
    uses: BTreeSet<StmtId>,
    /// Those of the uses that write it.
    writes: BTreeSet<StmtId>,
}

impl Home {
    /// Whether a loop has the node inside.
    fn is_around(&self, node: &For) -> bool {
        let Some((band, _)) = &node.info.member else { return false };
        band.is_above(&self.home)
    }

    /// Whether all uses among `nodes` stand in loops that have the node inside.
    fn is_inside(&self, nodes: &[Node]) -> bool {
        nodes.iter().all(|node| match node {
            Node::For(node) => self.is_around(node) || self.is_inside(&node.body),
            Node::If(node) => self.is_inside(&node.then) && self.is_inside(&node.otherwise),
            Node::User(user) => !self.uses.contains(&user.stmt),
            Node::Block(node) => self.is_inside(&node.body),
        })
    }

    /// Whether some use stands in a loop that has the node inside.
    fn is_around_some(&self, nodes: &[Node]) -> bool {
        nodes.iter().any(|node| match node {
            Node::For(node) if self.is_around(node) => self.is_used(&node.body),
            Node::For(node) => self.is_around_some(&node.body),
            Node::If(node) => {
                self.is_around_some(&node.then) || self.is_around_some(&node.otherwise)
            }
            Node::User(_) => false,
            Node::Block(node) => self.is_around_some(&node.body),
        })
    }

    /// Declares it in each kernel that uses it: isl may print iterations of loops around a kernel by themselves.
    fn declare_in_kernels(&self, nodes: &mut [Node]) -> Result<()> {
        nodes.iter_mut().try_for_each(|node| match node {
            Node::For(node) => self.declare_in_kernels(&mut node.body),
            Node::If(node) => {
                self.declare_in_kernels(&mut node.then)?;
                self.declare_in_kernels(&mut node.otherwise)
            }
            Node::Block(node) if matches!(node.kind, BlockKind::Kernel(_)) => {
                match self.is_used(&node.body) {
                    true if has_one_of(&self.writes, &node.body) => {
                        self.declare_among(&mut node.body, &mut node.buffers)
                    }
                    true => Err(self.alone()),
                    false => Ok(()),
                }
            }
            Node::Block(node) => self.declare_in_kernels(&mut node.body),
            Node::User(user) if self.uses.contains(&user.stmt) => Err(self.beside()),
            Node::User(_) => Ok(()),
        })
    }

    /// Declares it among `nodes`, or around them.
    fn declare_among(&self, nodes: &mut [Node], around: &mut Vec<ArrayId>) -> Result<()> {
        if self.is_inside(nodes) {
            return if self.declare(nodes) { Ok(()) } else { Err(self.alone()) };
        }
        if self.is_around_some(nodes) {
            return Err(self.beside());
        }
        self.declared_here(nodes).unwrap_or(around).push(self.array);
        Ok(())
    }

    /// What reads it has nothing that wrote it.
    fn alone(&self) -> Error {
        Error::Unexpected(format!("a loop with uses of {} alone", self.name))
    }

    /// Iterations would share it.
    fn beside(&self) -> Error {
        Error::Unexpected(format!("uses of {} beside the loop that declares it", self.name))
    }

    /// Whether some use stands among `nodes`.
    fn is_used(&self, nodes: &[Node]) -> bool {
        has_one_of(&self.uses, nodes)
    }

    /// Declares it in the innermost such loops; whether each of them writes what it reads.
    fn declare(&self, nodes: &mut [Node]) -> bool {
        nodes.iter_mut().all(|node| match node {
            Node::For(node) if self.is_used(&node.body) => {
                if self.is_around(node) && !self.is_inside(&node.body) {
                    let buffers = self.declared_here(&mut node.body);
                    buffers.unwrap_or(&mut node.info.buffers).push(self.array);
                    has_one_of(&self.writes, &node.body)
                } else {
                    self.declare(&mut node.body)
                }
            }
            Node::If(node) => self.declare(&mut node.then) && self.declare(&mut node.otherwise),
            Node::Block(node) => self.declare(&mut node.body),
            Node::For(_) | Node::User(_) => true,
        })
    }

    /// The buffers of the kernel among `nodes` that has all uses and starts once: loops of one iteration, which would declare them, are none.
    fn declared_here<'a>(&self, nodes: &'a mut [Node]) -> Option<&'a mut Vec<ArrayId>> {
        let is_used = |node: &&mut Node| self.is_used(std::slice::from_ref(&**node));
        let mut users = nodes.iter_mut().filter(is_used);
        let (Some(only), None) = (users.next(), users.next()) else { return None };
        match only {
            Node::If(node) => match (self.is_used(&node.then), self.is_used(&node.otherwise)) {
                (true, false) => self.declared_here(&mut node.then),
                (false, true) => self.declared_here(&mut node.otherwise),
                _ => None,
            },
            Node::Block(node) => match node.kind {
                BlockKind::Kernel(_) => Some(&mut node.buffers),
                BlockKind::Barrier => self.declared_here(&mut node.body),
            },
            Node::For(_) | Node::User(_) => None,
        }
    }
}

/// Whether one of some statements stands among `nodes`.
fn has_one_of(stmts: &BTreeSet<StmtId>, nodes: &[Node]) -> bool {
    let mut found = false;
    let mut visit = |user: &User| found |= stmts.contains(&user.stmt);
    nodes.iter().for_each(|node| node.for_each_user(&mut visit));
    found
}
