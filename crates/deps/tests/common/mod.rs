//! Scops from a few lines of text, and a naive interpreter of orders to compare with.
#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod adjacent;
pub(crate) mod brute;
pub(crate) mod kernels;
pub(crate) mod random;

use farkas_base::IdVec;
use farkas_poly::PwAff;
use farkas_scop::{
    Access, AccessId, AccessKind, Array, ArrayScope, AssignOp, BinaryOp, BodyStmt, ElementKind,
    ElementType, Expr, Iterator, Parameter, Scop, ScopBuilder, Statement,
};

/// The scop of `text`:
///
/// ```text
/// params n, m : n >= 1
/// S[i, j] : 0 <= i < n and 0 <= j < m @ 0, i, j : w A[i, j], r A[i - 1, j], m B[], k C[i]
/// ```
///
/// `r` reads, `w` writes, `m` may write, `k` kills. The first line may be left out. Arrays are live-in and live-out, apart
/// from those of a line `local t, u[10]`, which nothing outside of the region touches, and those of lines `buffer t[4]` and
/// `expanded x[10]`, which are a program's own. Each statement with one write adds up what it reads.
pub(crate) fn scop(text: &str) -> Scop {
    let mut builder = ScopBuilder::new("test").unwrap();
    let mut head = String::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        if let Some(rest) = line.strip_prefix("params ") {
            let (names, context) = rest.split_once(':').unwrap_or((rest, "true"));
            head = format!("[{}] -> ", names.trim());
            for name in names.split(',') {
                let name = name.trim().to_owned();
                builder.params.push(Parameter::new(name, "int"));
            }
            builder.context = format!("{head}{{ : {context} }}").parse().unwrap();
        } else if let Some((scope, names)) = declared(line) {
            for name in names.split(", ") {
                builder.arrays.push(Array { scope, ..local_array(name) });
            }
        } else {
            statement(&mut builder, &head, line);
        }
    }
    builder.build().unwrap()
}

/// Where the arrays of a line are declared, and what they are.
fn declared(line: &str) -> Option<(ArrayScope, &str)> {
    let (word, names) = line.split_once(' ')?;
    let scope = match word {
        "local" => ArrayScope::Local,
        "buffer" => ArrayScope::Buffer,
        "expanded" => ArrayScope::Expanded,
        _ => return None,
    };
    Some((scope, names))
}

/// The assignment of all that is read, added up, to the one element that is written.
fn sum(accesses: &IdVec<AccessId, Access>) -> Vec<BodyStmt> {
    let of =
        |is_write| accesses.iter_enumerated().filter(move |(_, a)| a.kind.is_write() == is_write);
    let [target] = of(true).map(|(id, _)| id).collect::<Vec<_>>()[..] else { return Vec::new() };
    let reads = of(false).map(|(id, _)| Expr::Access(id));
    let add = |a, b| Expr::Binary(BinaryOp::Add, Box::new(a), Box::new(b));
    let value = reads.reduce(add).unwrap_or(Expr::int(0));
    vec![BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }]
}

/// Adds the statement of one line.
fn statement(builder: &mut ScopBuilder, head: &str, line: &str) {
    let (tuple, rest) = line.split_once(" : ").unwrap();
    let (domain, rest) = rest.split_once('@').unwrap();
    let (date, accesses) = rest.split_once(" : ").unwrap();
    let (name, iterators) = tuple.trim_end_matches(']').split_once('[').unwrap();
    let iterators: Vec<&str> =
        iterators.split(',').map(str::trim).filter(|i| !i.is_empty()).collect();
    let mut table = IdVec::new();
    for access in accesses.split("],") {
        let access = access.trim().trim_end_matches(']');
        let (kind, element) = access.split_once(' ').unwrap();
        let (array, index) = element.split_once('[').unwrap();
        let kind = match kind {
            "r" => AccessKind::Read,
            "w" => AccessKind::MustWrite,
            "m" => AccessKind::MayWrite,
            "k" => AccessKind::Kill,
            other => panic!("access kind {other}"),
        };
        let rank = if index.trim().is_empty() { 0 } else { index.split(',').count() };
        let found = builder.arrays.iter_enumerated().find(|(_, a)| a.name == array).map(|f| f.0);
        let array_id = found.unwrap_or_else(|| builder.arrays.push(new_array(array, rank)));
        let relation = format!("{head}{{ {tuple} -> {array}[{index}] }}").parse().unwrap();
        let subscripts = Vec::new();
        table.push(Access { array: array_id, kind, relation, subscripts, span: None });
    }
    let iterators = iterators
        .into_iter()
        .map(|i| Iterator {
            name: i.to_owned(),
            ty: "int".into(),
            value: format!("{head}{{ {tuple} -> [{i}] }}").parse::<PwAff>().unwrap(),
        })
        .collect();
    builder.stmts.push(Statement {
        name: name.trim().to_owned(),
        label: None,
        domain: format!("{head}{{ {tuple} : {domain} }}").parse().unwrap(),
        iterators,
        date: format!("{head}{{ {tuple} -> [{date}] }}").parse().unwrap(),
        body: sum(&table),
        accesses: table,
        span: None,
    });
}

/// The array of doubles `u[10][10]`, a local variable of the function.
fn local_array(text: &str) -> Array {
    let mut parts = text.split('[');
    let name = parts.next().unwrap_or_default();
    let extent = |text: &str| format!("{{ [] -> [({})] }}", text.trim_end_matches(']')).parse();
    let extents = parts.map(|text| Some(extent(text).unwrap())).collect();
    let scope = ArrayScope::Local;
    Array { extents, scope, is_live_in: false, is_live_out: false, ..new_array(name, 0) }
}

/// An array of doubles that lives outside the region.
fn new_array(name: &str, rank: usize) -> Array {
    Array {
        name: name.to_owned(),
        source_name: name.to_owned(),
        element: ElementType { text: "double".into(), kind: ElementKind::Double },
        extents: vec![None; rank],
        scope: ArrayScope::Global,
        is_live_in: true,
        is_live_out: true,
        declaration: None,
        reduction: None,
        span: None,
    }
}
