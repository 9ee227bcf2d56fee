//! Which bodies need braces.

use farkas_astgen::{Node, User};
use farkas_scop::{AccessId, BodyStmt, Expr, Scop, TextPiece};

/// Whether nodes need braces to be one statement of C.
pub(crate) fn needs_braces(scop: &Scop, nodes: &[Node]) -> bool {
    match nodes {
        [Node::For(_) | Node::If(_)] => false,
        [Node::User(user)] => match scop.stmts()[user.stmt].body.as_slice() {
            [BodyStmt::Assign { target, value, .. }] => is_selection(scop, user, *target, value),
            [BodyStmt::AssignLocal { .. }] => false,
            [BodyStmt::Text(pieces)] => !is_one_expression(pieces),
            _ => true,
        },
        _ => true,
    }
}

/// Whether an assignment may be printed as an `if`, since it leaves its target what it is where a condition does not hold.
fn is_selection(scop: &Scop, user: &User, target: AccessId, value: &Expr) -> bool {
    let accesses = &scop.stmts()[user.stmt].accesses;
    match value {
        Expr::Ternary(_, _, old) => {
            matches!(**old, Expr::Access(old) if accesses[old].array == accesses[target].array)
        }
        _ => false,
    }
}

/// Whether a body that came as text is plainly one expression with its semicolon.
fn is_one_expression(pieces: &[TextPiece]) -> bool {
    let texts: Vec<&str> = pieces
        .iter()
        .filter_map(|piece| match piece {
            TextPiece::Text(text) => Some(text.as_str()),
            TextPiece::Iterator(_) => None,
        })
        .collect();
    let (first, last) = (texts.first().copied().unwrap_or(""), texts.last().copied().unwrap_or(""));
    let n_ends: usize = texts.iter().map(|text| text.matches([';', '{']).count()).sum();
    let keywords = ["if", "for", "while", "do", "switch"];
    let word = first.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    n_ends == 1 && last.trim_end().ends_with(';') && !keywords.contains(&word)
}

/// Whether nodes without braces end in the `else` of a guard, which compilers then doubt belongs to it.
pub(crate) fn ends_in_else(scop: &Scop, nodes: &[Node]) -> bool {
    if needs_braces(scop, nodes) {
        return false;
    }
    match nodes {
        [Node::For(inner)] => ends_in_else(scop, &inner.body),
        [Node::If(inner)] => !inner.otherwise.is_empty() || ends_in_else(scop, &inner.then),
        _ => false,
    }
}
