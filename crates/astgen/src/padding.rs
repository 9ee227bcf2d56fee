//! Tiles whose sums are to stay in registers, also where they are partial.
//!
//! A partial tile is right with loops that end where the tile does, but compilers keep no sums in registers over loops of
//! unknown length. What a partial tile computes in buffers alone may run over the whole tile: the elements beyond are
//! read by nothing but what writes them, and hold zeros where their buffers are filled.

use crate::ast::{Ast, For, If, Node, User, UserKind};
use crate::expr::Expr;
use farkas_scop::{Access, ArrayId, ArrayScope, BinaryOp, BodyStmt, Expr as Body, Scop, StmtId};
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of a node of a partial tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// It stays.
    Partial,
    /// It is as in the full tile.
    Full,
    /// It stays, after the full tile's elements are set to zero.
    Cleared,
}

impl Ast {
    /// The code of `scop` in which partial tiles compute whole tiles of buffers, as it is to be printed and run. What it costs is
    /// what its instances do, which the code before says.
    #[must_use]
    pub fn padded(mut self, scop: &Scop) -> Self {
        let mut counts = BTreeMap::new();
        let mut count = |user: &User| *counts.entry(user.stmt).or_default() += 1;
        self.body.iter().for_each(|node| node.for_each_user(&mut count));
        let padded = BTreeSet::new();
        Tiles { scop, counts, padded, tiles: Vec::new() }.in_nodes(&mut self.body);
        self
    }
}

/// The partial tiles of a region.
struct Tiles<'a> {
    scop: &'a Scop,
    /// How often statements stand in the code.
    counts: BTreeMap<StmtId, usize>,
    /// The statements that are padded at this place.
    padded: BTreeSet<StmtId>,
    /// The loops over tiles around it whose full tiles are apart, with their tiles' sizes.
    tiles: Vec<(String, i64)>,
}

impl Tiles<'_> {
    /// Pads the tiles among some nodes.
    fn in_nodes(&mut self, nodes: &mut [Node]) {
        for node in nodes {
            match node {
                Node::For(node) => {
                    let around = (self.padded.clone(), self.tiles.len());
                    self.enter(node);
                    match node.body.as_mut_slice() {
                        // Each arm has buffers of its own.
                        [Node::If(arms)] => self.in_arms(arms, &node.info.buffers),
                        body => self.in_nodes(body),
                    }
                    self.padded = around.0;
                    self.tiles.truncate(around.1);
                }
                Node::If(arms) => self.in_arms(arms, &[]),
                Node::User(_) => {}
                Node::Block(node) => self.in_nodes(&mut node.body),
            }
        }
    }

    /// Notes what a loop is for.
    fn enter(&mut self, node: &For) {
        let padded = node.info.padded.iter().filter_map(|name| self.scop.stmt_by_name(name));
        self.padded.extend(padded);
        if let Some(size) = node.info.tile.filter(|_| node.info.separate) {
            self.tiles.push((node.iterator.clone(), size));
        }
    }

    /// Whether a loop runs through a whole tile.
    fn is_whole(&self, node: &For) -> bool {
        let n = node.end.minus(&node.first).as_int();
        let mut tiles = self.tiles.iter();
        tiles.any(|(tile, size)| node.first == Expr::iterator(tile) && n == Some(*size))
    }

    /// Pads the tiles in the arms of a guard, and the partial tile that these tell from a full one; `local` are the buffers that each
    /// arm has for itself.
    fn in_arms(&mut self, arms: &mut If, local: &[ArrayId]) {
        self.in_nodes(&mut arms.then);
        if let [Node::If(inner)] = arms.otherwise.as_mut_slice() {
            return self.in_arms(inner, local);
        }
        self.in_nodes(&mut arms.otherwise);
        let mut nodes = Vec::new();
        let forms = self.forms(arms, local);
        for (form, (partial, full)) in forms.iter().zip(arms.otherwise.iter().zip(&arms.then)) {
            match form {
                Form::Partial => nodes.push(partial.clone()),
                Form::Full => nodes.push(with_kind(full, UserKind::Padded)),
                Form::Cleared => {
                    nodes.extend([with_kind(full, UserKind::Cleared), partial.clone()]);
                }
            }
        }
        if !forms.is_empty() {
            arms.otherwise = nodes;
        }
    }

    /// The forms of the nodes of the partial tile that `arms` tell from a full one. Empty where these are no such arms.
    fn forms(&self, arms: &If, local: &[ArrayId]) -> Vec<Form> {
        if arms.then.len() != arms.otherwise.len() {
            return Vec::new();
        }
        let mut pairs = Vec::new();
        for (full, partial) in arms.then.iter().zip(&arms.otherwise) {
            let mut pair = Pair::default();
            if !pair.is_within(partial, full) {
                return Vec::new();
            }
            pairs.push(pair);
        }
        let wider = |pair: &Pair<'_>| -> Vec<(String, Expr, Expr)> {
            let of = |l: &&For| (l.iterator.clone(), l.first.clone(), l.end.clone());
            pair.wider.iter().map(of).collect()
        };
        // Otherwise instances beyond those of one node may be instances of another.
        let are_alike = pairs.windows(2).all(|two| wider(&two[0]) == wider(&two[1]));
        let form = |(at, pair): (usize, &Pair<'_>)| match pair.written(self.scop) {
            Some((user, written))
                if self.padded.contains(&user.stmt)
                    && are_alike
                    && pair.whole.iter().all(|node| self.is_whole(node))
                    && pair.is_apart(self.scop, user, written) =>
            {
                let touches = |pair: &Pair<'_>| pair.touches(self.scop, written.array);
                let is_first = !pairs[..at].iter().any(touches);
                let is_only = self.counts.get(&user.stmt) == Some(&2)
                    && self.is_only(user.stmt, written.array);
                match (pair.kind(self.scop, user), local.contains(&written.array)) {
                    (Some(Form::Full), true) => Form::Full,
                    (Some(Form::Cleared), true) if is_first => Form::Cleared,
                    (Some(Form::Cleared), false) if is_only => Form::Cleared,
                    _ => Form::Partial,
                }
            }
            _ => Form::Partial,
        };
        pairs.iter().enumerate().map(form).collect()
    }

    /// Whether no other statement writes `array`.
    fn is_only(&self, stmt: StmtId, array: ArrayId) -> bool {
        self.scop.stmts().iter_enumerated().all(|(other, s)| {
            other == stmt || !s.accesses.iter().any(|a| a.array == array && a.kind.is_write())
        })
    }
}

/// A node of a full tile as it is in a partial one.
fn with_kind(node: &Node, kind: UserKind) -> Node {
    match node {
        Node::For(node) => {
            let body = node.body.iter().map(|inner| with_kind(inner, kind)).collect();
            Node::For(For { body, ..node.clone() })
        }
        Node::User(user) => Node::User(User { kind, ..user.clone() }),
        Node::If(_) | Node::Block(_) => node.clone(),
    }
}

/// A node of a partial tile, looked at beside the same in the full tile.
#[derive(Default)]
struct Pair<'a> {
    /// The loops that are longer in the full tile.
    wider: Vec<&'a For>,
    /// What they are in the full tile.
    whole: Vec<&'a For>,
    /// The iterators of the others.
    same: Vec<&'a str>,
    users: Vec<&'a User>,
}

impl<'a> Pair<'a> {
    /// Whether the nodes are the same but for loops that are longer in the full tile; notes what is in them.
    fn is_within(&mut self, partial: &'a Node, full: &'a Node) -> bool {
        match (partial, full) {
            (Node::User(partial), Node::User(full)) => {
                self.users.push(partial);
                partial == full
            }
            (Node::For(partial), Node::For(full)) => {
                let is_same = (&partial.first, &partial.end) == (&full.first, &full.end);
                if is_same {
                    self.same.push(&partial.iterator);
                } else {
                    self.wider.push(partial);
                    self.whole.push(full);
                }
                let is_cut = partial.first.options(true).contains(&full.first)
                    && partial.end.options(false).contains(&full.end);
                partial.iterator == full.iterator
                    && (partial.step, full.step) == (1, 1)
                    && (is_same || is_cut)
                    && partial.body.len() == full.body.len()
                    && partial.body.iter().zip(&full.body).all(|(p, f)| self.is_within(p, f))
            }
            _ => false,
        }
    }

    /// The only statement, where it is one assignment to a buffer, and what it writes.
    fn written<'s>(&self, scop: &'s Scop) -> Option<(&'a User, &'s Access)> {
        let &[user] = self.users.as_slice() else { return None };
        let stmt = &scop.stmts()[user.stmt];
        let [BodyStmt::Assign { target, .. }] = stmt.body.as_slice() else { return None };
        let written = &stmt.accesses[*target];
        (scop.arrays()[written.array].scope == ArrayScope::Buffer).then_some((user, written))
    }

    /// Whether the statement fills a buffer from elsewhere, or stays among buffers.
    fn kind(&self, scop: &Scop, user: &User) -> Option<Form> {
        let mut reads = scop.stmts()[user.stmt].accesses.iter().filter(|a| !a.kind.is_write());
        let is_buffer = |a: &Access| scop.arrays()[a.array].scope == ArrayScope::Buffer;
        if reads.clone().all(is_buffer) {
            Some(Form::Full)
        } else {
            (!reads.any(is_buffer)).then_some(Form::Cleared)
        }
    }

    /// Whether the node touches `array`.
    fn touches(&self, scop: &Scop, array: ArrayId) -> bool {
        let mut users = self.users.iter();
        users.any(|user| scop.stmts()[user.stmt].accesses.iter().any(|a| a.array == array))
    }

    /// Whether instances beyond the partial tile write no element that those in it touch: which they are does not depend on
    /// the other loops, each longer loop has a subscript of its own in what is `written`, and an instance reads nothing else
    /// of that buffer.
    fn is_apart(&self, scop: &Scop, user: &User, written: &Access) -> bool {
        let depends = |e: &Expr| self.same.iter().any(|name| e.mentions(name));
        let is_own = |of: &For| {
            written.subscripts.iter().any(|subscript| {
                let mut mentioned = BTreeSet::new();
                subscript.walk(&mut |e| {
                    if let Body::Iterator(at) = e
                        && let Some(value) = user.values.get(*at as usize)
                    {
                        mentioned.extend(self.iterators().filter(|name| value.mentions(name)));
                    }
                });
                mentioned.iter().eq([&of.iterator.as_str()]) && is_sum(subscript)
            })
        };
        let mut same_array =
            scop.stmts()[user.stmt].accesses.iter().filter(|a| a.array == written.array);
        !self.wider.is_empty()
            && same_array.all(|other| other.subscripts == written.subscripts)
            && self.wider.iter().all(|l| !depends(&l.first) && !depends(&l.end) && is_own(l))
    }

    /// The iterators of all loops.
    fn iterators(&self) -> impl Iterator<Item = &str> {
        self.wider.iter().map(|l| l.iterator.as_str()).chain(self.same.iter().copied())
    }
}

/// Whether a subscript has sums and differences alone, each iterator once.
fn is_sum(subscript: &Body) -> bool {
    let (mut is_sum, mut seen) = (true, Vec::new());
    subscript.walk(&mut |e| match e {
        Body::Iterator(at) => {
            is_sum &= !seen.contains(at);
            seen.push(*at);
        }
        Body::Binary(op, ..) => is_sum &= matches!(op, BinaryOp::Add | BinaryOp::Sub),
        Body::Int { .. } | Body::Param(_) => {}
        _ => is_sum = false,
    });
    is_sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::LoopInfo;

    /// A loop by one.
    fn loop_(iterator: &str, first: Expr, end: Expr, body: Vec<Node>) -> For {
        let info = Box::new(LoopInfo::default());
        For { iterator: iterator.to_owned(), first, end, step: 1, body, info }
    }

    #[test]
    fn a_partial_tile_lies_in_the_full_one() {
        let (it, n) = (Expr::iterator("it"), Expr::param("n"));
        let end = Expr::min(vec![n.clone(), it.offset(8)]);
        let partial = Node::For(loop_("i", it.clone(), end, Vec::new()));
        let full = Node::For(loop_("i", it.clone(), it.offset(8), Vec::new()));
        let mut pair = Pair::default();
        assert!(pair.is_within(&partial, &full));
        assert_eq!((pair.wider.len(), pair.same.len()), (1, 0));
        assert!(Pair::default().is_within(&full, &full));
        // The other way round, and where the ends have nothing to do with one another.
        assert!(!Pair::default().is_within(&full, &partial));
        let other = Node::For(loop_("i", it.clone(), n, Vec::new()));
        assert!(!Pair::default().is_within(&other, &full));
    }
}
