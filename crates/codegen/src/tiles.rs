//! Tiles whose sums are to stay in registers, also where they are partial.
//!
//! A partial tile is right with loops that end where the tile does, but compilers keep no sums in registers over loops of
//! unknown length. What a partial tile computes in buffers alone may run over the whole tile: the elements beyond are
//! read by nothing but what writes them, and hold zeros where their buffers are filled.

use farkas_astgen::{Ast, Expr, For, If, Node, Term, User};
use farkas_scop::{Access, ArrayId, ArrayScope, BinaryOp, BodyStmt, Expr as Body, Scop, StmtId};
use std::collections::{BTreeMap, BTreeSet};

/// How a node of a partial tile is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// As it is.
    Partial,
    /// As in the full tile.
    Full,
    /// As it is, after the full tile's elements are set to zero.
    Cleared,
}

/// The partial tiles of a region.
pub(crate) struct Tiles<'a> {
    scop: &'a Scop,
    /// How often statements stand in the code.
    counts: BTreeMap<StmtId, usize>,
}

impl<'a> Tiles<'a> {
    /// Those of `ast`, the code of `scop`.
    pub(crate) fn of(scop: &'a Scop, ast: &Ast) -> Self {
        let mut counts = BTreeMap::new();
        let mut count = |user: &User| *counts.entry(user.stmt).or_default() += 1;
        ast.body.iter().for_each(|node| node.for_each_user(&mut count));
        Self { scop, counts }
    }

    /// The nodes of the partial tile that `arms` tell from a full one, each with its form and itself as it is in the full
    /// tile; `local` are the buffers that each arm has for itself. Empty where these are no such arms.
    pub(crate) fn padded<'n>(
        &self,
        arms: &'n If,
        local: &[ArrayId],
    ) -> Vec<(Form, &'n Node, &'n Node)> {
        if arms.then.len() != arms.otherwise.len() {
            return Vec::new();
        }
        let mut pairs = Vec::new();
        for (full, partial) in arms.then.iter().zip(&arms.otherwise) {
            let mut pair = Pair::default();
            if !pair.is_within(partial, full) {
                return Vec::new();
            }
            pairs.push((pair, partial, full));
        }
        let wider = |pair: &Pair<'n>| -> Vec<_> {
            pair.wider.iter().map(|l| (&l.iterator, &l.first, &l.end)).collect()
        };
        // Otherwise instances beyond those of one node may be instances of another.
        let are_alike = pairs.windows(2).all(|two| wider(&two[0].0) == wider(&two[1].0));
        let mut forms = Vec::new();
        for (at, (pair, partial, full)) in pairs.iter().enumerate() {
            let form = match pair.written(self.scop) {
                Some((user, written)) if are_alike && pair.is_apart(self.scop, user, written) => {
                    let touches = |pair: &Pair<'_>| pair.touches(self.scop, written.array);
                    let is_first = !pairs[..at].iter().any(|(pair, ..)| touches(pair));
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
            forms.push((form, *partial, *full));
        }
        forms
    }

    /// Whether no other statement writes `array`.
    fn is_only(&self, stmt: StmtId, array: ArrayId) -> bool {
        self.scop.stmts().iter_enumerated().all(|(other, s)| {
            other == stmt || !s.accesses.iter().any(|a| a.array == array && a.kind.is_write())
        })
    }
}

/// A node of a partial tile, looked at beside the same in the full tile.
#[derive(Default)]
struct Pair<'a> {
    /// The loops that are longer in the full tile.
    wider: Vec<&'a For>,
    /// The iterators of the others.
    same: Vec<&'a str>,
    users: Vec<&'a User>,
}

impl<'a> Pair<'a> {
    /// Whether the nodes are the same but for loops that are longer in the full tile; notes what is in them.
    fn is_within(&mut self, partial: &'a Node, full: &Node) -> bool {
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
                }
                let is_cut = options(&partial.first, true).contains(&full.first)
                    && options(&partial.end, false).contains(&full.end);
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

/// The arguments of a lone `max` (or `min`), or the expression itself.
pub(crate) fn options(expr: &Expr, greatest: bool) -> &[Expr] {
    match expr.terms() {
        [(Term::Max(options), 1)] if greatest && expr.constant() == 0 => options,
        [(Term::Min(options), 1)] if !greatest && expr.constant() == 0 => options,
        _ => std::slice::from_ref(expr),
    }
}

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
        let info = LoopInfo::default();
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
