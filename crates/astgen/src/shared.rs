//! Loops that threads share together with the parallel one around them.
//!
//! A parallel loop may have few iterations: a batch of one, three channels. Where the loop right inside of it may run on threads, too,
//! these share the iterations of both, which is OpenMP's `collapse`. To step from one to the next costs some more then, so that a whole row
//! must be left inside: a loop whose length is not known and that does not run in a window around the loops outside, as those of filters do.

use crate::ast::{Ast, For, LoopKind, Node};
use farkas_tree::Cursor;
use std::collections::BTreeSet;

impl Ast {
    /// The members of bands, each by its band and its position there, whose iterations threads share with those of a parallel loop around
    /// them: whoever says that all these may run in any order must say so of the members.
    pub fn shared_members(&self) -> BTreeSet<(Cursor, usize)> {
        let mut found = BTreeSet::new();
        let mut look = |node: &For| {
            found.extend(node.shared_inside().into_iter().filter_map(|l| l.info.member.clone()));
        };
        self.body.iter().for_each(|node| node.for_each_loop(&mut look));
        found
    }

    /// The same without such loops: threads share the parallel ones alone.
    #[must_use]
    pub fn shared_alone(&self) -> Self {
        let mut ast = self.clone();
        let shared = self.shared_members();
        ast.body.iter_mut().for_each(|node| share_none(node, &shared));
        ast
    }
}

/// Takes from the loops of these members that they carry no dependence.
fn share_none(node: &mut Node, members: &BTreeSet<(Cursor, usize)>) {
    match node {
        Node::For(node) => {
            if node.info.member.as_ref().is_some_and(|member| members.contains(member)) {
                node.info.coincident = false;
            }
            node.body.iter_mut().for_each(|inner| share_none(inner, members));
        }
        Node::If(node) => {
            let both = node.then.iter_mut().chain(&mut node.otherwise);
            both.for_each(|inner| share_none(inner, members));
        }
        Node::Block(node) => node.body.iter_mut().for_each(|inner| share_none(inner, members)),
        Node::User(_) => {}
    }
}

impl For {
    /// The loops whose iterations threads share with those of this one, if it is parallel, from the outside in: each is all that the one
    /// before does, which declares nothing of its own; it is a member of a band, carries no dependence, has bounds that these do not change,
    /// and has a long loop inside.
    pub fn shared_inside(&self) -> Vec<&Self> {
        let (mut around, mut shared) = (vec![self], Vec::new());
        if self.info.kind != LoopKind::Parallel {
            return shared;
        }
        while let Some(last) = around.last()
            && last.is_plain()
            && last.info.buffers.is_empty()
            && let [Node::For(inner)] = last.body.as_slice()
            && inner.info.kind == LoopKind::Sequential
            && inner.info.coincident
            && inner.info.member.is_some()
            && inner.is_plain()
            && has_long_loop(&inner.body)
            && !around.iter().any(|outer| inner.has_bounds_of(&outer.iterator))
        {
            around.push(inner);
            shared.push(inner);
        }
        shared
    }

    /// Whether iterations have no copies of anything.
    fn is_plain(&self) -> bool {
        let info = &self.info;
        info.private.is_empty() && info.reduced.is_empty() && !info.wavefront
    }

    /// Whether an iterator changes the bounds.
    fn has_bounds_of(&self, iterator: &str) -> bool {
        self.first.mentions(iterator) || self.end.mentions(iterator)
    }
}

/// Whether there is a loop of unknown length that begins at the same value always.
fn has_long_loop(nodes: &[Node]) -> bool {
    let mut found = false;
    let mut look = |node: &For| {
        let mut is_window = false;
        node.first.for_each_name(&mut |_, is_iterator| is_window |= is_iterator);
        found |= !is_window && node.end.minus(&node.first).as_int().is_none();
    };
    nodes.iter().for_each(|node| node.for_each_loop(&mut look));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::LoopInfo;
    use crate::expr::Expr;
    use farkas_base::Id;
    use farkas_scop::ArrayId;

    /// A loop from `first` to a parameter.
    fn from(iterator: &str, first: Expr, kind: LoopKind, body: Vec<Node>) -> For {
        let member = Some((Cursor::root(), 0));
        let info = Box::new(LoopInfo { kind, coincident: true, member, ..LoopInfo::default() });
        For { iterator: iterator.to_owned(), first, end: Expr::param("n"), step: 1, body, info }
    }

    /// A batch of images: `b` on threads, rows `y`, and columns from `first`.
    fn images(first: Expr) -> For {
        let columns = from("x", first, LoopKind::Sequential, Vec::new());
        let rows = from("y", Expr::int(0), LoopKind::Sequential, vec![Node::For(columns)]);
        from("b", Expr::int(0), LoopKind::Parallel, vec![Node::For(rows)])
    }

    fn names(node: &For) -> Vec<&str> {
        node.shared_inside().iter().map(|shared| shared.iterator.as_str()).collect()
    }

    #[test]
    fn rows_are_shared_and_windows_are_not() {
        assert_eq!(names(&images(Expr::int(0))), ["y"]);
        assert_eq!(names(&images(Expr::iterator("y"))), [""; 0]);
    }

    /// What is declared in front of the inner loop has no place in one loop of both.
    #[test]
    fn loops_with_buffers_of_their_own_are_shared_alone() {
        let mut batch = images(Expr::int(0));
        batch.info.buffers = vec![ArrayId::from_index(0)];
        assert_eq!(names(&batch), [""; 0]);
    }
}
