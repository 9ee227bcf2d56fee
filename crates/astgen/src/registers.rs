//! Elements that stay in variables while the rows of a strip run.
//!
//! A compiler loads an element again after each store to another array, unless it can tell that they do not overlap. Where rows
//! are written out in a vector lane, what does not move with the rows is loaded once before them and stored once after them.

use crate::ast::{For, Node, Register, User};
use crate::expr::Expr;
use crate::subscripts::affine;
use farkas_scop::{Access, AccessKind, ArrayId, ArrayScope, BodyStmt, Expr as Body, Scop};
use std::collections::BTreeMap;

/// The elements of arrays; `None` for arrays with elements that move from row to row, or of which that is not known.
type Elements = BTreeMap<ArrayId, Option<Vec<Register>>>;

/// Gives the vector loops among `nodes` the registers that their rows use.
pub(crate) fn keep(scop: &Scop, nodes: &mut [Node]) {
    for node in nodes {
        match node {
            Node::For(node) => {
                if node.info.kind.is_vector()
                    && let [Node::For(rows)] = node.body.as_slice()
                {
                    node.info.registers = registers(scop, rows);
                }
                keep(scop, &mut node.body);
            }
            Node::If(node) => {
                keep(scop, &mut node.then);
                keep(scop, &mut node.otherwise);
            }
            Node::User(_) => {}
        }
    }
}

/// The elements to keep while a loop over rows runs. There are none where all that is stored could be kept: nothing else can hide
/// it from compilers.
fn registers(scop: &Scop, rows: &For) -> Vec<Register> {
    match elements(scop, rows) {
        Some((elements, true)) if rows.n_written_out().is_some() => {
            let arrays = elements.into_values().flatten();
            arrays.filter(|all| are_distinct(all)).flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// The elements that the rows use, and whether some that move with the rows are written; `None` where statements do more than
/// compute and assign.
fn elements(scop: &Scop, rows: &For) -> Option<(Elements, bool)> {
    let (mut elements, mut moves) = (Elements::new(), false);
    for node in &rows.body {
        let Node::User(user) = node else { return None };
        let stmt = &scop.stmts()[user.stmt];
        if !computes(&stmt.body) {
            return None;
        }
        for access in &stmt.accesses {
            let is_known = matches!(access.kind, AccessKind::Read | AccessKind::MustWrite);
            if !is_known || scop.arrays()[access.array].scope == ArrayScope::Buffer {
                return None;
            }
            if access.subscripts.is_empty() {
                continue;
            }
            let all = elements.entry(access.array).or_insert_with(|| Some(Vec::new()));
            match element(scop, user, access).filter(|e| e.iter().all(|e| stays(e, rows))) {
                Some(element) => all.iter_mut().for_each(|all| add(all, access, &element)),
                None => {
                    moves |= access.kind.is_write();
                    *all = None;
                }
            }
        }
    }
    Some((elements, moves))
}

/// Whether a body computes and assigns, and does nothing else.
fn computes(body: &[BodyStmt]) -> bool {
    let [BodyStmt::Assign { value, .. }] = body else { return false };
    let mut computes = true;
    value.walk(&mut |e| computes &= !matches!(e, Body::Call(..) | Body::Verbatim(_)));
    computes
}

/// The element of an access where its statement runs; `None` where a subscript is not affine.
fn element(scop: &Scop, user: &User, access: &Access) -> Option<Vec<Expr>> {
    access.subscripts.iter().map(|e| affine(scop, user, e)).collect()
}

/// Whether a subscript does not move with the rows.
fn stays(subscript: &Expr, rows: &For) -> bool {
    !subscript.mentions(&rows.iterator)
}

/// Adds an access to the elements of its array.
fn add(all: &mut Vec<Register>, access: &Access, element: &[Expr]) {
    let at = all.iter().position(|register| register.element == element).unwrap_or_else(|| {
        let (array, element) = (access.array, element.to_vec());
        all.push(Register { array, element, is_read: false, is_written: false });
        all.len() - 1
    });
    all[at].is_read |= !access.kind.is_write();
    all[at].is_written |= access.kind.is_write();
}

/// Whether elements of one array are plainly different ones, as far as it matters.
fn are_distinct(all: &[Register]) -> bool {
    let differ = |a: &Expr, b: &Expr| a.minus(b).as_int().is_some_and(|n| n != 0);
    let pair =
        |a: &Register, b: &Register| a.element.iter().zip(&b.element).any(|(a, b)| differ(a, b));
    let mut pairs =
        all.iter().enumerate().flat_map(|(at, a)| all[..at].iter().map(move |b| (a, b)));
    all.iter().all(|e| !e.is_written) || pairs.all(|(a, b)| pair(a, b))
}
