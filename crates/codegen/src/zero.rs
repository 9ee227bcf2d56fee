//! Loops of known length, counted from zero.

use farkas_astgen::{Expr, For, Node};

/// The loop, and those of known length inside it, from zero: clang keeps the test of `i < it + 8` where it unrolls.
pub(crate) fn from_zero(node: &For) -> For {
    let inside = |node: &Node| match node {
        Node::For(node) => Node::For(from_zero(node)),
        other => other.clone(),
    };
    let body: Vec<Node> = node.body.iter().map(inside).collect();
    let n = node.end.minus(&node.first);
    if n.as_int().is_none() || node.step != 1 {
        return For { body, ..node.clone() };
    }
    let name = node.iterator.as_str();
    let value = node.first.plus(&Expr::iterator(name));
    let by = |other: &str| (other == name).then(|| value.clone());
    let body = body.iter().map(|n| n.substitute(&by)).collect();
    For { first: Expr::int(0), end: n, body, ..node.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farkas_astgen::LoopInfo;

    /// A loop by one.
    fn loop_(iterator: &str, first: Expr, end: Expr, body: Vec<Node>) -> For {
        let info = Box::new(LoopInfo::default());
        For { iterator: iterator.to_owned(), first, end, step: 1, body, info }
    }

    #[test]
    fn loops_of_known_length_start_at_zero() {
        let (it, i) = (Expr::iterator("it"), Expr::iterator("i"));
        let inner = loop_("j", i.clone(), Expr::param("n"), Vec::new());
        let tile = loop_("i", it.clone(), it.offset(8), vec![Node::For(inner)]);
        let zero = from_zero(&tile);
        assert_eq!((zero.first.as_int(), zero.end.as_int()), (Some(0), Some(8)));
        let [Node::For(inner)] = zero.body.as_slice() else { panic!("{zero:?}") };
        assert_eq!((&inner.first, &inner.end), (&it.plus(&i), &Expr::param("n")));
    }
}
