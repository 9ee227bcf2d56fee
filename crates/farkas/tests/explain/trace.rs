//! What the iterations of each printed loop do to one another, found by running the loops at small sizes.
//!
//! Nothing here asks the dependence analysis, the schedule tree or isl's order: loops run as their bounds and steps say, and two
//! iterations conflict where both touch an element, in memory that they share, and one writes it.

use farkas_astgen::{Ast, Expr, For, Node};
use farkas_deps::DependenceKind;
use farkas_interp::{Function, Params};
use farkas_poly::DimType;
use farkas_scop::{AccessId, AccessKind, ArrayId, Scop, StmtId};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// One way in which iterations of a loop conflict.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Conflict {
    pub(crate) kind: DependenceKind,
    /// What runs first, and by which access.
    pub(crate) source: (StmtId, AccessId),
    pub(crate) sink: (StmtId, AccessId),
    /// Whether the value read is the one written, where something is read that was written.
    pub(crate) is_by_value: bool,
    /// How far apart both instances are, in as many dimensions as both statements have.
    pub(crate) distance: Vec<i64>,
}

/// What was seen of one loop.
#[derive(Clone, Default, Debug)]
pub(crate) struct Seen {
    /// The most iterations that one of its executions had.
    pub(crate) iterations: usize,
    pub(crate) conflicts: BTreeSet<Conflict>,
}

/// What the loops of `ast` do at these parameters, in the order in which they are printed; `None` where more than `limit` instances
/// run.
pub(crate) fn traced(scop: &Scop, ast: &Ast, params: &Params, limit: usize) -> Option<Vec<Seen>> {
    let mut numbers = HashMap::new();
    let mut number = |node: &For| {
        let next = numbers.len();
        numbers.insert(address(node), next);
    };
    ast.body.iter().for_each(|node| node.for_each_loop(&mut number));
    let mut run = Run {
        scop,
        places: places(scop, params),
        values: params.iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        seen: vec![Seen::default(); numbers.len()],
        numbers,
        n_instances: 0,
        limit,
        writers: HashMap::new(),
    };
    run.nodes(&ast.body)?;
    Some(run.seen)
}

/// What tells one loop from another.
fn address(node: &For) -> usize {
    std::ptr::from_ref(node).addr()
}

/// An element of an array.
type Cell = (ArrayId, Vec<i64>);

/// An access of one instance.
struct Touch {
    cell: Cell,
    kind: AccessKind,
    by: (StmtId, AccessId),
    at: Rc<[i64]>,
    /// The number of the instance.
    time: usize,
    /// The instances whose values it may read.
    reads_from: Vec<usize>,
}

/// What an access touches: a subscript a dimension.
type Place = (AccessKind, ArrayId, Vec<Function>);

/// The accesses of each statement; kernels touch one element an access.
fn places(scop: &Scop, params: &Params) -> Vec<Vec<(AccessId, Place)>> {
    let mut places = Vec::new();
    for stmt in scop.stmts() {
        let mut of_stmt = Vec::new();
        for (id, access) in stmt.accesses.iter_enumerated() {
            let relation = match access.relation.is_single_valued().expect("an answer") {
                true => access.relation.clone(),
                false => access.relation.intersect_domain(&stmt.domain).expect("a relation"),
            };
            assert!(relation.is_single_valued().expect("an answer"), "{relation}");
            let function = relation.to_pw_multi_aff().expect("a function");
            let n = i32::try_from(relation.dim(DimType::Out).expect("a rank")).expect("a rank");
            let subscripts = (0..n).map(|at| {
                let subscript = function.at(at).expect("a subscript");
                Function::new(&subscript, params).expect("a subscript")
            });
            of_stmt.push((id, (access.kind, access.array, subscripts.collect())));
        }
        // An instance reads before it writes.
        of_stmt.sort_by_key(|(_, (kind, _, _))| *kind != AccessKind::Read);
        places.push(of_stmt);
    }
    places
}

/// A run of the loops.
struct Run<'a> {
    scop: &'a Scop,
    places: Vec<Vec<(AccessId, Place)>>,
    /// Parameters and iterators.
    values: HashMap<String, i64>,
    seen: Vec<Seen>,
    numbers: HashMap<usize, usize>,
    n_instances: usize,
    limit: usize,
    /// The instances that may have written what is in an element.
    writers: HashMap<Cell, Vec<usize>>,
}

impl Run<'_> {
    /// What runs in nodes one after another.
    fn nodes(&mut self, nodes: &[Node]) -> Option<Vec<Touch>> {
        let mut touches = Vec::new();
        for node in nodes {
            match node {
                Node::For(node) => touches.extend(self.repeat(node)?),
                Node::If(node) => {
                    let value = |name: &str| self.values.get(name).copied();
                    let holds = node.condition.eval(&value).expect("a condition");
                    touches.extend(self.nodes(if holds { &node.then } else { &node.otherwise })?);
                }
                Node::Block(node) => touches.extend(self.nodes(&node.body)?),
                Node::User(user) => {
                    let at = user.args.iter().map(|arg| self.value(arg)).collect();
                    touches.extend(self.instance(user.stmt, at)?);
                }
            }
        }
        Some(touches)
    }

    /// The iterations of a loop: what each does to those before it, and all that they touch outside of memory of their own.
    fn repeat(&mut self, node: &For) -> Option<Vec<Touch>> {
        let number = self.numbers[&address(node)];
        let (mut at, end) = (self.value(&node.first), self.value(&node.end));
        let outer = self.values.get(&node.iterator).copied();
        let (mut earlier, mut by_cell): (Vec<Touch>, HashMap<Cell, Vec<usize>>) =
            Default::default();
        let (mut found, mut n_iterations) = (HashSet::new(), 0);
        while if node.step > 0 { at < end } else { at > end } {
            self.values.insert(node.iterator.clone(), at);
            let mut touches = self.nodes(&node.body)?;
            touches.retain(|touch| !self.is_own(node, touch.cell.0));
            for touch in &touches {
                for &before in by_cell.get(&touch.cell).into_iter().flatten() {
                    found.extend(conflict(&earlier[before], touch));
                }
            }
            for touch in touches {
                by_cell.entry(touch.cell.clone()).or_default().push(earlier.len());
                earlier.push(touch);
            }
            at += node.step;
            n_iterations += 1;
        }
        match outer {
            Some(value) => self.values.insert(node.iterator.clone(), value),
            None => self.values.remove(&node.iterator),
        };
        let seen = &mut self.seen[number];
        seen.iterations = seen.iterations.max(n_iterations);
        seen.conflicts.extend(found);
        Some(earlier)
    }

    /// Whether each iteration of a loop has an array of its own.
    fn is_own(&self, node: &For, array: ArrayId) -> bool {
        node.info.buffers.contains(&array)
            || node.info.private.contains(&self.scop.arrays()[array].name)
    }

    /// What an instance touches.
    fn instance(&mut self, stmt: StmtId, at: Rc<[i64]>) -> Option<Vec<Touch>> {
        let time = self.n_instances;
        self.n_instances += 1;
        if self.n_instances > self.limit {
            return None;
        }
        let index = farkas_base::Id::index(stmt);
        let mut touches = Vec::new();
        for (access, (kind, array, subscripts)) in &self.places[index] {
            let subscripts: Option<_> =
                subscripts.iter().map(|f| f.value(&at).expect("isl")).collect();
            // A condition on the iteration may keep an instance from an access.
            let Some(subscripts) = subscripts else { continue };
            let cell: Cell = (*array, subscripts);
            let writers = self.writers.entry(cell.clone()).or_default();
            let reads_from = writers.clone();
            match kind {
                AccessKind::Read => {}
                AccessKind::MayWrite => writers.push(time),
                AccessKind::MustWrite => *writers = vec![time],
                AccessKind::Kill => {
                    writers.clear();
                    continue;
                }
            }
            let (kind, by, at) = (*kind, (stmt, *access), Rc::clone(&at));
            touches.push(Touch { cell, kind, by, at, time, reads_from });
        }
        Some(touches)
    }

    /// The value of an expression.
    fn value(&self, expr: &Expr) -> i64 {
        expr.eval(&|name| self.values.get(name).copied()).expect("a value")
    }
}

/// What two touches of one element, the first of which comes first, are to one another.
fn conflict(first: &Touch, second: &Touch) -> Option<Conflict> {
    let kind = match (first.kind == AccessKind::Read, second.kind == AccessKind::Read) {
        (true, true) => return None,
        (true, false) => DependenceKind::Anti,
        (false, true) => DependenceKind::Flow,
        (false, false) => DependenceKind::Output,
    };
    Some(Conflict {
        kind,
        source: first.by,
        sink: second.by,
        is_by_value: second.reads_from.contains(&first.time),
        distance: second.at.iter().zip(first.at.iter()).map(|(a, b)| a - b).collect(),
    })
}
