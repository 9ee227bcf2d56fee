//! Loops that build a sum from several partial sums.

use farkas_astgen::{For, LoopKind, Node, User};
use farkas_scop::{ArrayScope, Expr, Scop, Statement};

/// The variable that holds a sum while its loop runs.
pub(crate) const SUM: &str = "farkas_sum";

/// The statement of a loop that is marked so, with its instance; `None` where the generated code is not just that, or where it
/// does not show that the element is the same in all iterations.
pub(crate) fn summand<'a>(scop: &'a Scop, node: &'a For) -> Option<(&'a Statement, &'a User)> {
    let [Node::User(user)] = node.body.as_slice() else { return None };
    let stmt = &scop.stmts()[user.stmt];
    let target = &stmt.accesses[stmt.sum()?.target];
    // What compilers keep in a register anyway needs no other variable, but a clause has to name one.
    let is_plain = scop.arrays()[target.array].scope != ArrayScope::Buffer;
    let mut is_fixed = true;
    for subscript in &target.subscripts {
        subscript.walk(&mut |e| {
            if let Expr::Iterator(at) = e {
                let value = user.values.get(*at as usize);
                is_fixed &= value.is_some_and(|value| !value.mentions(&node.iterator));
            }
        });
    }
    (node.info.kind == LoopKind::PartialSums && is_plain && is_fixed).then_some((stmt, user))
}
