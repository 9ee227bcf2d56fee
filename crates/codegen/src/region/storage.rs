//! The variables and memory that generated code has of its own.

use super::{Printer, THREADS};
use crate::body::bare;
use crate::limit::extent_text;
use crate::memory::Sized;
use crate::options::Target;
use farkas_astgen::{Ast, Expr, Node, User};
use farkas_scop::{Array, ArrayId, ArrayScope, AssignOp, BodyStmt, ElementKind, Scop};
use std::collections::BTreeSet;

/// Memory that is allocated before the loops.
pub(super) struct Allocation {
    /// What points to it; the block has the same name with an underscore.
    pub(super) name: String,
    /// How many bytes, in C.
    pub(super) bytes: String,
    /// The type of what is pointed to, and the pointer in its declaration.
    pub(super) element: String,
    pub(super) pointer: String,
    /// Whether each thread has a part of it, which it points to itself.
    pub(super) is_own: bool,
}

impl Allocation {
    /// That of an array with some extents, in C.
    pub(super) fn of(array: &Array, extents: &[String]) -> Self {
        let bracketed: Vec<String> = extents.iter().map(|e| format!("[{e}]")).collect();
        let (element, name) = (bare(&array.element.text), array.printed_name().to_owned());
        let bytes = format!("sizeof({element}{})", bracketed.concat());
        let pointer = pointer(&name, &bracketed.get(1..).unwrap_or_default().concat());
        Self { name, bytes, element: element.to_owned(), pointer, is_own: false }
    }
}

/// The memory of all threads, and the type of what each has.
pub(super) const OWN: &str = "farkas_own";

/// The number of the thread that runs an iteration of a parallel loop.
const THREAD: &str = "farkas_thread";

/// The memory of one thread.
pub(super) const MINE: &str = "farkas_mine";

/// What makes variables begin where lines of caches do.
pub(super) const ALIGNED: &str = "__attribute__((aligned(64)))";

/// The most elements of a buffer that is used by its name. Larger ones are used through a pointer that says that nothing else
/// points to them: gcc does not look through local arrays for it, and reads sums from memory again after each use of one.
pub(super) const MAX_DIRECT: i64 = 1024;

impl Printer<'_> {
    /// Declarations of the region's own variables that are used, with whether code after the region may read them.
    pub(super) fn declarations(&self, ast: &Ast) -> Vec<(String, bool)> {
        let mut used: BTreeSet<ArrayId> = BTreeSet::new();
        ast.body.iter().for_each(|n| {
            n.for_each_user(&mut |user| {
                used.extend(self.scop.stmts()[user.stmt].accesses.iter().map(|a| a.array));
            });
        });
        let arrays = used.iter().map(|a| &self.scop.arrays()[*a]);
        arrays
            .filter(|a| a.scope == ArrayScope::Region)
            .filter_map(|a| Some((initialized(a)?, a.is_live_out)))
            .collect()
    }

    /// What is allocated before the loops.
    pub(super) fn allocations(&self, ast: &Ast) -> Vec<Allocation> {
        let mut found = Vec::new();
        for id in &self.memory.shared {
            let array = &self.scop.arrays()[*id];
            let mut extents: Vec<String> =
                array.constant_extents().unwrap_or_default().iter().map(i64::to_string).collect();
            if let (Some(first), Some(rows)) = (extents.first_mut(), ast.rows.get(id)) {
                *first = extent_text(self.c, rows);
            }
            found.push(Allocation::of(array, &extents));
        }
        for (id, extents) in &ast.expanded {
            let one = self.sized(*id, extents);
            let is_own = self.has_own_sized(*id);
            found.push(match is_own {
                true => Allocation { bytes: format!("{THREADS} * {}", one.bytes), is_own, ..one },
                false => one,
            });
        }
        if !self.memory.own.is_empty() {
            let ty = format!("struct {OWN}");
            let number = match self.options.target {
                Target::OpenMp => format!("{THREADS} * "),
                Target::C | Target::Device(_) => String::new(),
            };
            found.push(Allocation {
                name: OWN.to_owned(),
                bytes: format!("{number}sizeof({ty})"),
                pointer: format!("*{OWN}"),
                element: ty,
                is_own: false,
            });
        }
        found
    }

    /// Whether each thread has a buffer of its own whose size the run knows.
    pub(super) fn has_own_sized(&self, id: ArrayId) -> bool {
        let is_own = self.memory.sized.get(&id).is_some_and(|sized| sized.is_own);
        is_own && self.options.target == Target::OpenMp
    }

    /// An array with these extents; of those of which each thread has one, each begins where a line of caches does, as the first.
    pub(super) fn sized(&self, id: ArrayId, extents: &[Expr]) -> Allocation {
        let extents: Vec<String> = extents.iter().map(|e| extent_text(self.c, e)).collect();
        let one = Allocation::of(&self.scop.arrays()[id], &extents);
        match self.has_own_sized(id) {
            true => Allocation { bytes: format!("(({} + 63) & -64)", one.bytes), ..one },
            false => one,
        }
    }

    /// The memory of the thread that runs an iteration of a parallel loop.
    pub(super) fn own_memory(&mut self, depth: usize) {
        let mut of_thread = Vec::new();
        if !self.memory.own.is_empty() {
            self.line(depth, &format!("struct {OWN} *{MINE} = {OWN};"));
            of_thread.push(format!("{MINE} += omp_get_thread_num();"));
        }
        if self.memory.has_sized_own() {
            self.line(depth, &format!("int {THREAD} = 0;"));
            of_thread.push(format!("{THREAD} = omp_get_thread_num();"));
        }
        self.text.push_str("#ifdef _OPENMP\n");
        of_thread.iter().for_each(|line| self.line(depth, line));
        self.text.push_str("#endif\n");
    }

    /// The declaration of a buffer whose size the run knows, where it is one of a thread's own.
    fn sized_own(&mut self, id: ArrayId, extents: &[Expr], depth: usize, in_parallel: bool) {
        let Allocation { name, bytes, element, pointer, .. } = self.sized(id, extents);
        let first = aligned(&name);
        let own = if in_parallel { format!("({first}) + {bytes} * {THREAD}") } else { first };
        self.line(depth, &format!("{element} {pointer} = (void *)({own});"));
    }

    /// The declarations of buffers around `nodes` that are on the stack or one of a thread's own. They begin where lines of caches and vectors
    /// do. Variables are declared where they are set, if that stands right among `nodes`. What `nodes` do not use, as one arm of
    /// two may not, is not declared.
    pub(super) fn buffers(
        &mut self,
        buffers: &[ArrayId],
        nodes: &[Node],
        depth: usize,
        in_parallel: bool,
    ) {
        for id in buffers.iter().filter(|id| n_uses(self.scop, nodes, **id) > 0) {
            let array = &self.scop.arrays()[*id];
            let extents = array.constant_extents().unwrap_or_default();
            let (ty, name) = (bare(&array.element.text), array.printed_name());
            let inner = bracketed(extents.get(1..).unwrap_or_default());
            let pointer = pointer(name, &inner);
            if array.rank() == 0 {
                match is_set_among(self.scop, nodes, *id) {
                    true => drop(self.fresh.insert(*id)),
                    false => self.line(depth, &format!("{ty} {name};")),
                }
                continue;
            }
            if self.memory.shared.contains(id) {
                continue;
            }
            if let Some(Sized { extents, .. }) = self.memory.sized.get(id).cloned() {
                if self.has_own_sized(*id) {
                    self.sized_own(*id, &extents, depth, in_parallel);
                }
                continue;
            }
            if self.memory.own.contains(id) {
                // What is outside of parallel loops runs on one thread, whatever its number is.
                let is_numbered = in_parallel && self.options.target == Target::OpenMp;
                let own = if is_numbered { MINE } else { OWN };
                self.line(depth, &format!("{ty} {pointer} = {own}->{name};"));
                continue;
            }
            if extents.iter().product::<i64>() <= MAX_DIRECT {
                self.line(depth, &format!("{ty} {name}{} {ALIGNED};", bracketed(&extents)));
                continue;
            }
            self.line(depth, &format!("{ty} {name}_{} {ALIGNED};", bracketed(&extents)));
            self.line(depth, &format!("{ty} {pointer} = {name}_;"));
        }
    }
}

/// Where a block of memory begins, as an integer, from the first line of caches on, like the buffers on the stack.
pub(super) fn aligned(name: &str) -> String {
    format!("((__UINTPTR_TYPE__){name}_ + 63) & -64")
}

/// A pointer to rows with these extents, to what nothing else points to, in its declaration.
pub(super) fn pointer(name: &str, inner: &str) -> String {
    if inner.is_empty() {
        format!("*restrict {name}")
    } else {
        format!("(*restrict {name}){inner}")
    }
}

/// Extents of an array in its declaration.
pub(super) fn bracketed(extents: &[i64]) -> String {
    extents.iter().map(|e| format!("[{e}]")).collect()
}

/// The declaration of a variable of the region. Scalars start at zero: in the new order compilers may not see that
/// they are always set before they are read, and would say so.
pub(super) fn initialized(array: &Array) -> Option<String> {
    let declaration = array.declaration.clone()?;
    let is_number = array.element.kind != ElementKind::Other;
    match declaration.strip_suffix(';') {
        Some(declared) if array.rank() == 0 && is_number => Some(format!("{declared} = 0;")),
        _ => Some(declaration),
    }
}

/// The array that a statement sets an element of, where it does nothing else.
pub(super) fn set_by(scop: &Scop, user: &User) -> Option<ArrayId> {
    let stmt = &scop.stmts()[user.stmt];
    match stmt.body.as_slice() {
        [BodyStmt::Assign { target, op: AssignOp::Set, .. }] => Some(stmt.accesses[*target].array),
        _ => None,
    }
}

/// Whether the first of some nodes that uses a variable is a statement that sets it.
pub(super) fn is_set_among(scop: &Scop, nodes: &[Node], variable: ArrayId) -> bool {
    let uses = |node: &Node| n_uses(scop, std::slice::from_ref(node), variable);
    match nodes.iter().find(|node| uses(node) > 0) {
        Some(node @ Node::User(user)) => set_by(scop, user) == Some(variable) && uses(node) == 1,
        _ => false,
    }
}

/// How many accesses of the statements below some nodes are to an array.
pub(super) fn n_uses(scop: &Scop, nodes: &[Node], array: ArrayId) -> usize {
    let mut n = 0;
    let mut look = |user: &User| {
        n += scop.stmts()[user.stmt].accesses.iter().filter(|access| access.array == array).count();
    };
    nodes.iter().for_each(|node| node.for_each_user(&mut look));
    n
}
