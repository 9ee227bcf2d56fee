//! Small arrays that kernels only read, all threads of a block the same element at a time: they go into constant memory, which
//! gives one value to all threads at once.

use super::Device;
use farkas_astgen::{Ast, BlockKind, Cond, Divided, Expr, For, Node, Shape, User};
use farkas_poly::DimType;
use farkas_scop::{
    AccessKind, ArrayId, ArrayScope, BinaryOp, BodyStmt, Expr as Body, Scop, Statement,
};
use std::collections::{BTreeMap, BTreeSet};

/// The most bytes of a region's tables: with them and much else, kernels have no more than the 4 KiB of arguments that every device takes.
const MAX_BYTES: i64 = 2 << 10;

/// The most tables of a region: so many arguments in constant memory every device of OpenCL takes.
const MAX_TABLES: usize = 8;

/// Such an array.
pub(super) struct Table {
    /// The extents of what is there.
    pub(super) extents: Vec<i64>,
    /// When nothing of it is touched, so that there may be nothing.
    pub(super) untouched: Cond,
}

/// The arrays that are such tables.
pub(super) fn tables(scop: &Scop, ast: &Ast, device: &Device<'_>) -> BTreeMap<ArrayId, Table> {
    let divided = read_apart(scop, ast);
    let (mut found, mut room) = (BTreeMap::new(), MAX_BYTES);
    for shape in device.shapes {
        let array = &scop.arrays()[shape.array];
        let accesses = || scop.stmts().iter().flat_map(|stmt| &stmt.accesses);
        let is_read_only = accesses().all(|a| a.array != shape.array || a.kind == AccessKind::Read);
        let is_own =
            matches!(array.scope, ArrayScope::Region | ArrayScope::Buffer | ArrayScope::Expanded);
        if !is_read_only || is_own || shape.is_linear || divided.contains(&shape.array) {
            continue;
        }
        let Some(table) = there(scop, shape) else { continue };
        let size = array.element.kind.size_bytes().map_or(MAX_BYTES, i64::from);
        let bytes = table.extents.iter().fold(size, |bytes, n| bytes.saturating_mul((*n).max(1)));
        if bytes <= room && found.len() < MAX_TABLES {
            room -= bytes;
            found.insert(shape.array, table);
        }
    }
    found
}

/// The name of the structure that has a table of these extents.
pub(super) fn structure(ty: &str, extents: &[i64]) -> String {
    let numbers: String = extents.iter().map(|n| format!("_{n}")).collect();
    format!("farkas_{}{numbers}", ty.replace(' ', "_"))
}

/// The definition of that structure.
pub(super) fn definition(ty: &str, extents: &[i64]) -> String {
    let sizes: String = extents.iter().map(|n| format!("[{n}]")).collect();
    format!("typedef struct {{ {ty} at{sizes}; }} {};", structure(ty, extents))
}

/// What is there of an array, where that is known as numbers.
fn there(scop: &Scop, shape: &Shape) -> Option<Table> {
    let array = &scop.arrays()[shape.array];
    if let Some(extents) = array.constant_extents().filter(|_| array.is_always_there()) {
        return Some(Table { extents, untouched: Cond::constant(false) });
    }
    // A pointer leads to no more than what is touched, and that is what no condition on data stands before.
    let mut readers = scop.stmts().iter().filter(|stmt| reads(stmt, shape.array));
    let ends = shape.touched.as_ref().filter(|_| readers.all(is_unconditional))?;
    let rows = ends.last.first()?.as_int().filter(|last| *last >= 0)? + 1;
    ends.first.first()?.as_int().filter(|first| *first >= 0)?;
    let inner = shape.extents.iter().skip(1).map(|extent| extent.as_ref()?.as_int());
    let extents = [Some(rows)].into_iter().chain(inner).collect::<Option<_>>()?;
    Some(Table { extents, untouched: ends.untouched.clone() })
}

/// Whether a statement touches an array.
fn reads(stmt: &Statement, array: ArrayId) -> bool {
    stmt.accesses.iter().any(|access| access.array == array)
}

/// Whether each instance of a statement touches all that its accesses name.
fn is_unconditional(stmt: &Statement) -> bool {
    fn is_whole(value: &Body) -> bool {
        let mut is_whole = true;
        value.walk(&mut |e| {
            let chooses = matches!(
                e,
                Body::Ternary(..)
                    | Body::Binary(BinaryOp::And | BinaryOp::Or, ..)
                    | Body::Verbatim(_)
            );
            is_whole &= !chooses;
        });
        is_whole
    }
    fn all(parts: &[BodyStmt]) -> bool {
        parts.iter().all(|part| match part {
            BodyStmt::Assign { value, .. } | BodyStmt::AssignLocal { value, .. } => is_whole(value),
            BodyStmt::Local { value, .. } => value.iter().all(is_whole),
            BodyStmt::Block(parts) => all(parts),
            _ => false,
        })
    }
    all(&stmt.body)
}

/// The arrays of which threads of a block read different elements at a time, or may do so.
fn read_apart(scop: &Scop, ast: &Ast) -> BTreeSet<ArrayId> {
    let mut reading = Reading { scop, threads: [1; 3], own: Vec::new(), found: BTreeSet::new() };
    reading.nodes(&ast.body);
    reading.found
}

/// A walk over kernels.
struct Reading<'a> {
    scop: &'a Scop,
    threads: [i64; 3],
    /// The iterators around that have another value in each thread.
    own: Vec<String>,
    found: BTreeSet<ArrayId>,
}

impl Reading<'_> {
    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::For(node) => {
                    let n_outside = self.own.len();
                    if self.is_own(node) {
                        self.own.push(node.iterator.clone());
                    }
                    self.nodes(&node.body);
                    self.own.truncate(n_outside);
                }
                Node::If(node) => {
                    self.nodes(&node.then);
                    self.nodes(&node.otherwise);
                }
                Node::Block(block) => {
                    if let BlockKind::Kernel(threads) = block.kind {
                        self.threads = threads;
                    }
                    self.nodes(&block.body);
                }
                Node::User(user) => self.user(user),
            }
        }
    }

    /// Whether threads run iterations of their own of a loop.
    fn is_own(&self, node: &For) -> bool {
        match node.info.divided {
            Some(Divided::Threads(axis)) => self.threads[axis.index()] > 1,
            _ => self.differs(&node.first),
        }
    }

    /// Whether a value is another one in each thread.
    fn differs(&self, value: &Expr) -> bool {
        self.own.iter().any(|own| value.mentions(own))
    }

    fn user(&mut self, user: &User) {
        let differs: Vec<bool> = user.args.iter().map(|arg| self.differs(arg)).collect();
        for access in &self.scop.stmts()[user.stmt].accesses {
            let involves = |at: usize| {
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                access.relation.involves_dims(DimType::In, at, 1).unwrap_or(true)
            };
            let is_chosen = !access.relation.is_single_valued().unwrap_or(false);
            if is_chosen || differs.iter().enumerate().any(|(at, differs)| *differs && involves(at))
            {
                self.found.insert(access.array);
            }
        }
    }
}
