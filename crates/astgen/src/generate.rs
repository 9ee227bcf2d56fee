//! Generation, with the ways of cutting loops that are tried in turn.

use crate::ast::{Ast, Node};
use crate::convert::{Converter, Inside};
use crate::cutting::Cutting;
use crate::limits::Context;
use crate::lower::{Place, lower};
use crate::memory::{Memory, PREFIX};
use crate::sites::{Calls, Split};
use crate::values::Values;
use crate::{Error, Result, buffers, full_tiles, names, restore, sites, split, values};
use farkas_poly::{AstOptions, Set, with_budget};
use farkas_scop::{ArrayScope, BinaryOp, Expr, Scop, StmtId};
use farkas_tree::{Cursor, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};

/// Options of AST generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Names that no loop may have, beyond those that occur in the scop. The user's iterators are not concerned.
    pub reserved: BTreeSet<String>,
    /// Ways of cutting loops, in the order in which they are tried; when there are none, the numbers of statements in
    /// bands decide.
    pub cuttings: Vec<Cutting>,
    /// isl operations for each way, and a twentieth of them more for each statement; the last way has twice as many.
    pub max_operations: u64,
    /// How many times the text may repeat each statement, on average, before the next way is tried.
    pub max_copies: usize,
    /// Whether loops that the user wrote in strides count their iterations.
    pub counts: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reserved: BTreeSet::new(),
            cuttings: Vec::new(),
            max_operations: 500_000,
            max_copies: 32,
            counts: false,
        }
    }
}

/// The code of `scop` in the order of `tree`.
///
/// Each loop knows the band member that it runs through and what is marked on it. A loop that is one of the user's (for
/// every statement inside that depends on it, a user's iterator is the loop's plus a constant) keeps the user's name and
/// form, counting down or in strides included.
///
/// Each instance runs once; [`Ast::padded`] lets partial tiles do more.
///
/// # Errors
/// When isl refuses or its budget is used up for every way of cutting loops; when the tree does not fit the scop.
pub fn generate(scop: &Scop, tree: &ScheduleTree, options: &Options) -> Result<Ast> {
    generate_again(scop, tree, options, &mut Memory::default())
}

/// [`generate`] where trees before had some of the same nests, whose loops are in `memory` then.
///
/// # Errors
/// As [`generate`].
pub fn generate_again(
    scop: &Scop,
    tree: &ScheduleTree,
    options: &Options,
    memory: &mut Memory,
) -> Result<Ast> {
    let limit = options.max_copies.saturating_mul(scop.stmts().len()).max(64);
    let n_stmts = scop.stmts().len() as u64;
    let most = options.max_operations.saturating_add(options.max_operations / 20 * n_stmts);
    let mut failure = Error::Poly(farkas_poly::Error::OutOfBudget);
    let cuttings = match options.cuttings.as_slice() {
        [] => Cutting::worthwhile(tree)?,
        chosen => chosen,
    };
    for (i, cutting) in cuttings.iter().enumerate() {
        let is_last = i + 1 == cuttings.len();
        let operations = most.saturating_mul(if is_last { 2 } else { 1 });
        match with_budget(operations, || generate_with(scop, tree, *cutting, memory)) {
            Ok(body) => {
                let ast = Ast::new(scop, body);
                if is_last || ast.n_users() <= limit {
                    return finish(scop, tree, ast, options);
                }
            }
            // isl's generator fails on some trees, for no reason that lies in them (ARCHITECTURE.md, what isl gets wrong).
            Err(error @ (Error::Poly(_) | Error::Unexpected(_))) => failure = error,
            Err(error) => return Err(error),
        }
    }
    Err(failure)
}

/// One attempt: the inside of the tiles, then what is around it.
fn generate_with(
    scop: &Scop,
    tree: &ScheduleTree,
    cutting: Cutting,
    memory: &mut Memory,
) -> Result<Vec<Node>> {
    let known = Context::of(scop.context())?;
    let Split { outer, calls, sites } = sites::split(tree, &known)?;
    let mut insides = Vec::new();
    for (number, site) in sites.into_iter().enumerate() {
        let part = Part {
            tree: &site.tree,
            calls: &site.calls,
            cursor: &site.cursor,
            n_fixed: site.n_fixed,
            is_in_piece: site.is_in_piece,
            prefix: format!("{PREFIX}{number}."),
            context: known.told.intersect(&site.context)?,
        };
        let code = part.code(scop, cutting, &insides, memory)?;
        insides.push(Inside { coordinates: site.coordinates, code });
    }
    let cursor = Cursor::root().child(0);
    let context = known.told;
    let (tree, prefix) = (&outer, PREFIX.to_owned());
    let (calls, cursor) = (&calls, &cursor);
    let part = Part { tree, calls, cursor, n_fixed: 0, is_in_piece: false, prefix, context };
    let nodes = part.code(scop, cutting, &insides, memory)?;
    Ok(if cutting == Cutting::Core { split::cores(nodes) } else { nodes })
}

/// A whole tree whose code is part of the code of another.
struct Part<'a> {
    tree: &'a ScheduleTree,
    /// The codes that its statements stand for.
    calls: &'a Calls,
    /// Where the child of its domain node stands in the other.
    cursor: &'a Cursor,
    /// The number of its outermost loops that have a single iteration.
    n_fixed: usize,
    /// A loop around it has pieces because the tree asks for them.
    is_in_piece: bool,
    /// What the loops are called at first.
    prefix: String,
    /// What is known of the parameters.
    context: Set,
}

impl Part<'_> {
    /// The code; `insides` takes the place of the statements that stand for it.
    fn code(
        &self,
        scop: &Scop,
        cutting: Cutting,
        insides: &[Inside],
        memory: &mut Memory,
    ) -> Result<Vec<Node>> {
        let place = Place::of_tree(self.n_fixed, self.is_in_piece);
        let lowered = lower(self.tree, self.cursor, place, cutting)?;
        let options = AstOptions {
            allow_else: cutting == Cutting::Separate,
            // The copies and buffers that an iteration has are gone behind its loop: statements of one iteration stay in one loop.
            group_coscheduled: lowered.bands.iter().any(|band| !band.private.is_empty())
                || scop.arrays().iter().any(|array| array.scope == ArrayScope::Buffer),
            ..AstOptions::default()
        };
        let node = memory.node(&lowered.schedule, &self.context, options)?;
        let mut values = Values::default();
        let mut converter = Converter {
            scop,
            bands: &lowered.bands,
            insides,
            calls: self.calls,
            prefix: &self.prefix,
            values: &mut values,
            degenerate: BTreeMap::new(),
            around: Vec::new(),
        };
        converter.nodes(&node, None)
    }
}

/// Restores, names and annotates.
fn finish(scop: &Scop, tree: &ScheduleTree, ast: Ast, options: &Options) -> Result<Ast> {
    let counting = match options.counts {
        true => scop.stmts().ids().collect(),
        false => dividing(scop),
    };
    let body = full_tiles::separate(restore::restore(ast.body, &counting));
    let mut body = names::name_loops(scop, body, &options.reserved);
    for node in &mut body {
        list_stmts(node);
    }
    if body.iter().any(overflows) {
        return Err(Error::Overflow(scop.name().to_owned()));
    }
    let mut ast = Ast { body, ..ast };
    buffers::declare(scop, tree, &mut ast)?;
    ast.expanded = values::expanded(scop)?;
    Ok(ast)
}

/// The statements with a division or a remainder in a subscript.
fn dividing(scop: &Scop) -> BTreeSet<StmtId> {
    let divides = |expr: &Expr| {
        let mut found = false;
        expr.walk(&mut |e| {
            found |= matches!(e, Expr::Binary(BinaryOp::Div | BinaryOp::Rem, ..));
        });
        found
    };
    let stmts = scop.stmts().iter_enumerated().filter(|(_, stmt)| {
        stmt.accesses.iter().any(|access| access.subscripts.iter().any(divides))
    });
    stmts.map(|(id, _)| id).collect()
}

/// Fills in the statements of each loop and returns those of `node`.
fn list_stmts(node: &mut Node) -> BTreeSet<StmtId> {
    match node {
        Node::For(node) => {
            let inside: BTreeSet<StmtId> = node.body.iter_mut().flat_map(list_stmts).collect();
            node.info.stmts = inside.iter().copied().collect();
            inside
        }
        Node::If(node) => {
            node.then.iter_mut().chain(&mut node.otherwise).flat_map(list_stmts).collect()
        }
        Node::User(user) => BTreeSet::from([user.stmt]),
        Node::Block(node) => node.body.iter_mut().flat_map(list_stmts).collect(),
    }
}

/// Whether a number in the code did not fit.
fn overflows(node: &Node) -> bool {
    match node {
        Node::For(node) => {
            node.first.is_overflow() || node.end.is_overflow() || node.body.iter().any(overflows)
        }
        Node::If(node) => {
            node.condition.is_overflow() || node.then.iter().chain(&node.otherwise).any(overflows)
        }
        Node::User(user) => user.args.iter().chain(&user.values).any(crate::Expr::is_overflow),
        Node::Block(node) => node.body.iter().any(overflows),
    }
}
