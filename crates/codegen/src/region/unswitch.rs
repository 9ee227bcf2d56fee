//! Conditions on data that hold for all iterations of a loop, or for none: asked once, around the loop.
//!
//! A front end that makes one statement of what stands behind `if (mask[i]) continue;` asks in each instance. Where no
//! iteration of the innermost loop changes what the condition reads, it is asked once: loop unswitching, as compilers know
//! it. They see it more rarely, since they do not know that no pointer leads to the arrays that a region has allocated. Of arrays of the program
//! nothing is assumed here: where all that is done keeps its order, they may overlap.

use super::Printer;
use crate::body::condition_of;
use farkas_astgen::{For, Node, User, UserKind};
use farkas_scop::{ArrayId, ArrayScope, Expr, Scop};
use std::collections::BTreeSet;

impl Printer<'_> {
    /// The condition around all that an innermost loop does, where it reads data that no iteration changes. It is false where there
    /// are no iterations: then what it reads may not be there.
    pub(super) fn unswitched(&self, node: &For) -> Option<String> {
        let users: Vec<&User> = node.body.iter().map(instance).collect::<Option<_>>()?;
        let written = written(self.scop, &users);
        let is_held = |array: ArrayId| self.held.iter().any(|(held, _)| *held == array);
        let mut shared = None;
        for user in users {
            let asked = condition_of(&self.scop.stmts()[user.stmt])?;
            let reads = reads(self.scop, user, asked, &node.iterator)?;
            let is_fixed = !reads.is_empty()
                && reads.iter().all(|read| {
                    is_own(self.scop, *read) && !written.contains(read) && !is_held(*read)
                });
            let text = self.printer(user).condition(asked);
            if !is_fixed || shared.as_ref().is_some_and(|shared| *shared != text) {
                return None;
            }
            shared = Some(text);
        }
        let some = self.has_more(node, 0);
        shared.map(|shared| format!("{some} && {shared}"))
    }
}

/// Whether an array is memory that the region has to itself.
fn is_own(scop: &Scop, array: ArrayId) -> bool {
    matches!(scop.arrays()[array].scope, ArrayScope::Expanded | ArrayScope::Buffer)
}

/// The instance of a statement that a node is.
fn instance(node: &Node) -> Option<&User> {
    match node {
        Node::User(user) if user.kind == UserKind::Instance => Some(user),
        _ => None,
    }
}

/// The arrays that some instances write.
fn written(scop: &Scop, users: &[&User]) -> BTreeSet<ArrayId> {
    let accesses = users.iter().flat_map(|user| &scop.stmts()[user.stmt].accesses);
    accesses.filter(|access| access.kind.is_write()).map(|access| access.array).collect()
}

/// The arrays that a condition reads; `None` where it calls something, reads a variable of the body, or changes with an iterator of the loops.
fn reads(scop: &Scop, user: &User, condition: &Expr, iterator: &str) -> Option<Vec<ArrayId>> {
    let stmt = &scop.stmts()[user.stmt];
    let (mut reads, mut is_fixed) = (Vec::new(), true);
    let mut expressions = vec![condition];
    while let Some(expression) = expressions.pop() {
        expression.walk(&mut |e| match e {
            Expr::Access(access) => {
                let access = &stmt.accesses[*access];
                reads.push(access.array);
                expressions.extend(&access.subscripts);
            }
            Expr::Iterator(at) => {
                let value = user.values.get(*at as usize);
                is_fixed &= value.is_some_and(|value| !value.mentions(iterator));
            }
            Expr::Call(..) | Expr::Local(_) | Expr::Verbatim(_) => is_fixed = false,
            _ => {}
        });
    }
    is_fixed.then_some(reads)
}
