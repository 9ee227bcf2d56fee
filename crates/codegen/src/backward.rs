//! References that run backward.

use farkas_astgen::{Expr, For, Node};
use farkas_scop::{Scop, linear_subscripts, step};

/// Whether an access in a loop goes to elements before those of the iteration before, as `x[n - i]` does.
pub(crate) fn runs_backward(scop: &Scop, node: &For) -> bool {
    node.body.iter().any(|inner| is_backward(scop, inner, &node.iterator))
}

/// Whether an access below a node moves backward along the loop with this iterator.
fn is_backward(scop: &Scop, node: &Node, along: &str) -> bool {
    match node {
        Node::For(inner) => inner.body.iter().any(|node| is_backward(scop, node, along)),
        Node::Block(inner) => inner.body.iter().any(|node| is_backward(scop, node, along)),
        Node::If(arms) => {
            arms.then.iter().chain(&arms.otherwise).any(|node| is_backward(scop, node, along))
        }
        Node::User(user) => {
            let factor = |value: &Expr| value.split(along).map_or(0, |(factor, _)| factor);
            let direction: Vec<i64> = user.args.iter().map(factor).collect();
            scop.stmts()[user.stmt].accesses.iter().any(|access| {
                let rows = linear_subscripts(&access.relation).ok().flatten();
                rows.and_then(|rows| step(&rows, &direction)).is_some_and(|step| step < 0)
            })
        }
    }
}
