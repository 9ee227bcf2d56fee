//! Names for loops: the user's own where a loop is the user's, else ones made from them.
//!
//! A loop over `i` is `i`; one over the tiles of `i` is `it`, and `itt` over tiles of tiles; one that runs through `i` at
//! a slant (`i + 2 * t`) is `is`; one over wavefronts is `w`.

use crate::ast::{Block, For, If, LoopInfo, Node, User};
use crate::expr::{Expr, Term};
use crate::restore::depends_on;
use farkas_scop::{BodyStmt, Expr as BodyExpr, Scop, StmtId, TextPiece};
use std::collections::BTreeSet;

/// Names all loops of `nodes`; `reserved` are names that must not be captured.
pub(crate) fn name_loops(scop: &Scop, nodes: Vec<Node>, reserved: &BTreeSet<String>) -> Vec<Node> {
    let mut taken = names_in(scop);
    let user_iterators: BTreeSet<String> =
        scop.stmts().iter().flat_map(|s| s.iterators.iter().map(|i| i.name.clone())).collect();
    let free_iterators: BTreeSet<String> = user_iterators.difference(&taken).cloned().collect();
    taken.extend(user_iterators);
    let mut naming = Naming { scop, free_iterators, taken, reserved, scope: Vec::new() };
    nodes.into_iter().map(|n| naming.node(n)).collect()
}

/// Every identifier that occurs in the scop, iterators excepted.
fn names_in(scop: &Scop) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = scop.params().iter().map(|p| p.name.clone()).collect();
    for array in scop.arrays() {
        names.extend([array.name.clone(), array.source_name.clone()]);
        identifiers(array.declaration.as_deref().unwrap_or_default(), &mut names);
    }
    for stmt in scop.stmts() {
        stmt.body.iter().for_each(|s| body_names(s, &mut names));
        for access in &stmt.accesses {
            access.subscripts.iter().for_each(|e| expr_names(e, &mut names));
        }
        stmt.iterators.iter().for_each(|i| identifiers(&i.ty, &mut names));
    }
    names
}

/// The identifiers of a body.
fn body_names(stmt: &BodyStmt, names: &mut BTreeSet<String>) {
    match stmt {
        BodyStmt::Assign { value, .. } => expr_names(value, names),
        BodyStmt::If { condition, then, otherwise } => {
            expr_names(condition, names);
            then.iter().chain(otherwise).for_each(|s| body_names(s, names));
        }
        BodyStmt::Local { name, ty, value } => {
            names.insert(name.clone());
            identifiers(&ty.text, names);
            value.iter().for_each(|v| expr_names(v, names));
        }
        BodyStmt::AssignLocal { name, value, .. } => {
            names.insert(name.clone());
            expr_names(value, names);
        }
        BodyStmt::Block(stmts) => stmts.iter().for_each(|s| body_names(s, names)),
        BodyStmt::Loop(inner) => {
            inner.condition.iter().for_each(|c| expr_names(c, names));
            let parts = inner.first.iter().chain(&inner.step).chain(&inner.body);
            parts.for_each(|s| body_names(s, names));
        }
        BodyStmt::Break | BodyStmt::Continue => {}
        BodyStmt::Text(pieces) => pieces.iter().for_each(|piece| match piece {
            TextPiece::Text(text) => identifiers(text, names),
            TextPiece::Iterator(_) => {}
        }),
    }
}

/// The identifiers of an expression.
fn expr_names(expr: &BodyExpr, names: &mut BTreeSet<String>) {
    expr.walk(&mut |e| match e {
        BodyExpr::Cast(ty, _) => identifiers(&ty.text, names),
        BodyExpr::Call(name, _) | BodyExpr::Verbatim(name) => identifiers(name, names),
        _ => {}
    });
}

/// The identifiers of a text.
fn identifiers(text: &str, names: &mut BTreeSet<String>) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    names.extend(text.split(|c| !is_part(c)).filter(|w| !w.is_empty()).map(str::to_owned));
}

/// The state of naming.
struct Naming<'a> {
    scop: &'a Scop,
    /// Names of the user's iterators that nothing else has.
    free_iterators: BTreeSet<String>,
    /// Names that no invented name may have: those of the scop,
    taken: BTreeSet<String>,
    /// and others of the file, which are many.
    reserved: &'a BTreeSet<String>,
    /// Names of the surrounding loops.
    scope: Vec<String>,
}

/// The name that a loop would like to have, and whether it is the user's.
struct Wish {
    base: String,
    is_users: bool,
}

impl Naming<'_> {
    /// A node with its loops named.
    fn node(&mut self, node: Node) -> Node {
        match node {
            Node::For(node) => Node::For(self.name(node)),
            Node::If(If { condition, then, otherwise }) => Node::If(If {
                condition,
                then: then.into_iter().map(|n| self.node(n)).collect(),
                otherwise: otherwise.into_iter().map(|n| self.node(n)).collect(),
            }),
            Node::User(user) => Node::User(user),
            Node::Block(Block { kind, buffers, body }) => {
                let body = body.into_iter().map(|n| self.node(n)).collect();
                Node::Block(Block { kind, buffers, body })
            }
        }
    }

    /// A loop and those inside, named.
    fn name(&mut self, node: For) -> For {
        let wish = self.wish(&node);
        let free = |name: &String| !self.scope.contains(name);
        let may_be_users = wish.is_users && self.free_iterators.contains(&wish.base);
        let name = if may_be_users && free(&wish.base) {
            wish.base
        } else {
            let base = if wish.is_users { format!("{}_", wish.base) } else { wish.base };
            let candidates =
                std::iter::once(base.clone()).chain((2u32..).map(|n| format!("{base}{n}")));
            let is_taken =
                |name: &String| self.taken.contains(name) || self.reserved.contains(name);
            let fit = |name: &String| free(name) && !is_taken(name);
            candidates.take(1 << 16).find(fit).unwrap_or(base)
        };
        let value = Expr::iterator(name.clone());
        let by = |n: &str| (n == node.iterator).then(|| value.clone());
        let body: Vec<Node> = node.body.iter().map(|n| n.substitute(&by)).collect();
        self.scope.push(name.clone());
        let body = body.into_iter().map(|n| self.node(n)).collect();
        self.scope.pop();
        let info = Box::new(LoopInfo { is_users: may_be_users, ..*node.info });
        For { iterator: name, body, info, ..node }
    }

    /// What a loop would like to be called.
    fn wish(&self, node: &For) -> Wish {
        if node.info.wavefront {
            return Wish { base: "w".to_owned(), is_users: false };
        }
        if node.info.tile.is_some()
            && let Some(base) = self.tiled(node)
        {
            return Wish { base, is_users: false };
        }
        let mut exact: Option<String> = None;
        let mut slanted: Option<String> = None;
        let mut agreed = true;
        node.body.iter().for_each(|n| {
            n.for_each_user(&mut |user| {
                if !depends_on(user, &node.iterator) {
                    return;
                }
                match self.iterator_like(user, &node.iterator) {
                    Some(name) => exact = exact.take().or(Some(name)),
                    None => agreed = false,
                }
                slanted = slanted.take().or_else(|| self.iterator_with(user, &node.iterator));
            });
        });
        match (exact, slanted) {
            (Some(base), _) if agreed => Wish { base, is_users: true },
            (_, Some(base)) => Wish { base: format!("{base}s"), is_users: false },
            (Some(base), None) => Wish { base, is_users: false },
            (None, None) => {
                let base = self.tiled(node).unwrap_or_else(|| "c".to_owned());
                Wish { base, is_users: false }
            }
        }
    }

    /// The user's iterator that is the loop's plus a constant.
    fn iterator_like(&self, user: &User, iterator: &str) -> Option<String> {
        let at = user.values.iter().position(|value| {
            let is_one =
                |(term, f): &(Term, i64)| *f == 1 && *term == Term::Iterator(iterator.to_owned());
            matches!(value.terms(), [term] if is_one(term))
        })?;
        self.iterator_name(user.stmt, at)
    }

    /// The user's innermost iterator that the loop's alone determines when outer loops stand still.
    fn iterator_with(&self, user: &User, iterator: &str) -> Option<String> {
        let outer = |name: &str| name == iterator || self.scope.iter().any(|s| s == name);
        let at = user.values.iter().position(|value| {
            let mut known = true;
            value.for_each_name(&mut |n, is_iterator| known &= !is_iterator || outer(n));
            known && value.mentions(iterator)
        });
        let any = || user.values.iter().position(|value| value.mentions(iterator));
        self.iterator_name(user.stmt, at.or_else(any)?)
    }

    /// The name of a statement's iterator.
    fn iterator_name(&self, stmt: StmtId, position: usize) -> Option<String> {
        Some(self.scop.stmts()[stmt].iterators.get(position)?.name.clone())
    }

    /// The name of a tile loop: of the loop inside that starts and ends with the tile, else of the first point loop whose
    /// bounds mention it, without the slant, with a `t`.
    fn tiled(&self, node: &For) -> Option<String> {
        let start = Expr::iterator(node.iterator.clone());
        let end = start.offset(node.info.tile.unwrap_or(0));
        let (mut starting, mut mentioning): (Option<&For>, Option<&For>) = (None, None);
        node.body.iter().for_each(|n| {
            n.for_each_loop(&mut |inner| {
                let starts = match inner.first.terms() {
                    [(Term::Max(options), 1)] => options.contains(&start),
                    _ => inner.first == start,
                };
                let ends = match inner.end.terms() {
                    [(Term::Min(options), 1)] => options.contains(&end),
                    _ => inner.end == end,
                };
                let mentions =
                    inner.first.mentions(&node.iterator) || inner.end.mentions(&node.iterator);
                if starts && ends {
                    starting = starting.or(Some(inner));
                }
                if mentions && !inner.info.wavefront && inner.info.tile.is_none() {
                    mentioning = mentioning.or(Some(inner));
                }
            });
        });
        let inner = starting.or(mentioning)?;
        let wish = self.wish(inner);
        let is_slanted = inner.info.tile.is_none() && !wish.is_users;
        let base = wish.base.strip_suffix('s').filter(|_| is_slanted).unwrap_or(&wish.base);
        Some(format!("{base}t"))
    }
}
