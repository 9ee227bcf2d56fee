//! The clauses of pragmas, and where a pragma helps.

use crate::options::LINE;
use farkas_astgen::{For, Node, User};
use farkas_scop::{
    ArrayId, ArrayScope, AssignOp, BodyStmt, Expr as Body, Scop, Statement, UpdateForm,
};
use std::collections::BTreeSet;

/// The clause that gives each iteration of a loop copies of its private arrays that are used in it; empty for none. Compilers
/// know the variables from their declarations outside.
pub(crate) fn private_clause(scop: &Scop, node: &For) -> String {
    let is_used = |array: ArrayId| {
        let stmts = node.info.stmts.iter().map(|stmt| &scop.stmts()[*stmt]);
        stmts.into_iter().any(|stmt| stmt.accesses.iter().any(|a| a.array == array))
    };
    let arrays = scop.arrays().iter_enumerated();
    let private = arrays.filter(|(id, a)| node.info.private.contains(&a.name) && is_used(*id));
    let names: Vec<&str> = private.map(|(_, array)| array.printed_name()).collect();
    if names.is_empty() { String::new() } else { format!(" private({})", names.join(", ")) }
}

/// The clause that gives each thread copies of those of some variables that its loop, whose text this is, mentions; empty for none.
pub(crate) fn copies_clause<'a>(names: impl Iterator<Item = &'a str>, body: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let lines = body.lines().filter(|line| !line.starts_with(LINE));
    let words: BTreeSet<&str> = lines.flat_map(|line| line.split(|c| !is_part(c))).collect();
    let names: BTreeSet<&str> = names.filter(|name| words.contains(name)).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(" firstprivate({})", Vec::from_iter(names).join(", "))
}

/// Whether a demand for vector lanes helps a compiler: the body is assignments, some of which compute. Of calls, conditions on
/// data, and of copies and fills alone (which become `memcpy` and `memset`) clang warns that it did not vectorize them. Buffers are
/// filled in lanes all the same: what a call gets the address of is not kept in registers. A comparison that updates an element of the
/// arrays `reduced` is no condition in lanes, which have copies of it.
pub(crate) fn is_for_lanes(scop: &Scop, nodes: &[Node], reduced: &[String]) -> bool {
    fits_lanes(scop, nodes, reduced) == Some(true)
}

/// Whether something computes, where all can be done in lanes.
fn fits_lanes(scop: &Scop, nodes: &[Node], reduced: &[String]) -> Option<bool> {
    let assigned = |stmt: &BodyStmt| {
        let BodyStmt::Assign { op, value, .. } = stmt else { return None };
        let plain = matches!(value, Body::Access(_) | Body::Int { .. } | Body::Float(_));
        (!has_call(value)).then_some(!plain || *op != AssignOp::Set)
    };
    let mut computes = false;
    for node in nodes {
        computes |= match node {
            Node::User(user) => {
                let stmt = &scop.stmts()[user.stmt];
                if has_buffer(scop, user, 0) || selects(scop, stmt, reduced) {
                    true
                } else {
                    let all: Vec<bool> = stmt.body.iter().map(assigned).collect::<Option<_>>()?;
                    all.contains(&true)
                }
            }
            Node::For(inner) if inner.n_written_out().is_some() => {
                fits_lanes(scop, &inner.body, reduced)?
            }
            Node::For(_) | Node::If(_) | Node::Block(_) => return None,
        };
    }
    Some(computes)
}

/// Whether a statement updates an element of these arrays by a comparison alone, of a value that it computes without calls.
fn selects(scop: &Scop, stmt: &Statement, reduced: &[String]) -> bool {
    stmt.update(scop.arrays()).is_some_and(|update| {
        matches!(update.form, UpdateForm::Selected { value, .. } if !has_call(value))
            && update.condition.is_none()
            && reduced.contains(&scop.arrays()[stmt.accesses[update.target].array].name)
    })
}

/// What compilers compute by an instruction, which vectors have, too, whatever the processor.
const INSTRUCTIONS: [&str; 4] = ["fabs", "fabsf", "copysign", "copysignf"];

/// Whether a value is computed by calls that are no instructions.
fn has_call(value: &Body) -> bool {
    let mut has_call = false;
    let is_call = |name: &String| !INSTRUCTIONS.contains(&name.as_str());
    value.walk(&mut |e| has_call |= matches!(e, Body::Call(name, _) if is_call(name)));
    has_call
}

/// Whether a statement uses a buffer of so many dimensions or more.
pub(crate) fn has_buffer(scop: &Scop, user: &User, least_rank: usize) -> bool {
    let mut arrays = scop.stmts()[user.stmt].accesses.iter().map(|a| &scop.arrays()[a.array]);
    arrays.any(|array| array.scope == ArrayScope::Buffer && array.rank() >= least_rank)
}
