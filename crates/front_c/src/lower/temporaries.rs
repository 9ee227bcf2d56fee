//! Scalars that each run of a block sets before it reads them, wherever they are declared: `t = x[i] - y[i]; a[i] = t * t;`
//! with a `t` of the function's is `double t = x[i] - y[i]; a[i] = t * t;`, one statement with a variable of its own.
//!
//! The statements that such a scalar ties together run one after another in every order, unless its values get places of their
//! own: nothing is lost by making one of them, and twenty statements with ten scalars are dependences and sets by the hundred.
//! Sums stay apart, for what is done to sums looks for them, and so does what a condition on iterators splits.

use super::affine::is_affine_shaped;
use super::hir::{Assign, Declare, Expr, ExprKind, If, Node, VarId};
use super::parse::Parser;
use farkas_base::Span;
use farkas_scop::{ArrayScope, AssignOp};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

impl Parser<'_, '_> {
    /// The nodes with declarations of the temporaries that their blocks may have to themselves.
    pub(super) fn with_temporaries(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        let all = self.vars.iter_enumerated().map(|(id, _)| id);
        let mut own: BTreeSet<VarId> = all.filter(|var| self.may_be_temporary(*var)).collect();
        keep_set_first(&nodes, &mut own);
        if own.is_empty() { nodes } else { self.declared_in(nodes, &own, None) }
    }

    /// Whether a variable is a scalar of the function's that nothing but the function sees, and whose value nobody reads later.
    fn may_be_temporary(&self, id: VarId) -> bool {
        let var = &self.vars[id];
        let is_own = matches!(var.scope, ArrayScope::Local | ArrayScope::Parameter);
        is_own
            && var.rank() == 0
            && !(var.is_pointer || var.is_iterator || var.is_taken || var.writes.is_empty())
            && var.whole() == var.name
            && !self.table.is_address_taken(&var.name)
            && !self.table.may_change_unseen(&var.name)
            && !self.table.is_live_after(&var.name)
    }

    /// Nodes inside of the loop over `innermost`, with declarations of `own`.
    fn declared_in(
        &mut self,
        nodes: Vec<Node>,
        own: &BTreeSet<VarId>,
        innermost: Option<VarId>,
    ) -> Vec<Node> {
        let mut out = Vec::new();
        let mut straight = Vec::new();
        for node in nodes {
            if !node.has_loop() {
                straight.push(node);
                continue;
            }
            out.extend(self.tied(std::mem::take(&mut straight), own, innermost));
            out.push(match node {
                Node::Loop(mut l) => {
                    l.body = self.declared_in(l.body, own, Some(l.var));
                    Node::Loop(l)
                }
                Node::If(mut i) => {
                    i.then = self.declared_in(i.then, own, innermost);
                    i.otherwise = self.declared_in(i.otherwise, own, innermost);
                    Node::If(i)
                }
                Node::Block(nodes) => Node::Block(self.declared_in(nodes, own, innermost)),
                leaf => leaf,
            });
        }
        out.extend(self.tied(straight, own, innermost));
        out
    }

    /// Nodes without loops, those that scalars of `own` tie together as blocks.
    fn tied(
        &mut self,
        nodes: Vec<Node>,
        own: &BTreeSet<VarId>,
        innermost: Option<VarId>,
    ) -> Vec<Node> {
        let mut out = Vec::new();
        let mut next = 0;
        for (range, vars) in ties(&nodes, own) {
            let together = &nodes[range.clone()];
            let is_alone = matches!(together, [Node::Assign(_)]);
            let mut inside = own.clone();
            together.iter().for_each(|node| inside.extend(declared(node)));
            if is_alone || !together.iter().all(|node| self.may_be_tied(node, &inside, innermost)) {
                continue;
            }
            out.extend_from_slice(&nodes[next..range.start]);
            next = range.end;
            let block = self.with_declarations(together, &vars);
            out.push(Node::Block(block));
        }
        out.extend_from_slice(&nodes[next..]);
        out
    }

    /// Whether a node may become a part of a statement, to which `own` belong: it has no name, is no sum, and no condition on
    /// iterators splits it.
    fn may_be_tied(&self, node: &Node, own: &BTreeSet<VarId>, innermost: Option<VarId>) -> bool {
        let mut may = true;
        node.walk(&mut |n| match n {
            Node::Assign(a) => may &= a.label.is_none() && !is_sum(a, own, innermost),
            Node::If(i) => {
                may &= i.label.is_none() && !is_affine_shaped(&i.condition, &self.vars);
            }
            Node::Declare(d) => may &= self.vars[d.var].rank() == 0,
            _ => {}
        });
        may
    }

    /// Nodes with variables of their own in the place of `vars`.
    fn with_declarations(&mut self, nodes: &[Node], vars: &BTreeSet<VarId>) -> Vec<Node> {
        let mut by = BTreeMap::new();
        for &var in vars {
            let old = self.vars[var].clone();
            let (span, ty) = (old.span, old.element.kind);
            let own =
                self.vars.push(super::vars::Var { scope: ArrayScope::Region, symbol: None, ..old });
            by.insert(var, Expr { kind: ExprKind::Scalar(own), ty, span });
        }
        let mut out = Vec::new();
        let mut undeclared: BTreeMap<VarId, Span> =
            by.values().filter_map(|e| Some((e.scalar()?, e.span))).collect();
        for node in nodes {
            let node = node.substituted(&by);
            let first: Vec<VarId> =
                undeclared.keys().copied().filter(|var| mentions(&node, *var)).collect();
            let node = match node {
                Node::Assign(a) if sets(&a).is_some_and(|var| first == [var]) => {
                    let Some(var) = sets(&a) else { continue };
                    Node::Declare(Declare { var, value: Some(a.value), span: a.span })
                }
                node => {
                    let declare = |var: &VarId| {
                        let span = *undeclared.get(var)?;
                        Some(Node::Declare(Declare { var: *var, value: None, span }))
                    };
                    out.extend(first.iter().filter_map(declare));
                    node
                }
            };
            undeclared.retain(|var, _| !first.contains(var));
            out.push(node);
        }
        out
    }
}

/// Runs of nodes that scalars of `own` tie together, each from where one is set to where it is read last, with these scalars.
fn ties(nodes: &[Node], own: &BTreeSet<VarId>) -> Vec<(Range<usize>, BTreeSet<VarId>)> {
    let mut found: Vec<(Range<usize>, BTreeSet<VarId>)> = Vec::new();
    let extents = own.iter().filter_map(|&var| {
        let first = nodes.iter().position(|node| mentions(node, var))?;
        let last = nodes.iter().rposition(|node| mentions(node, var))?;
        Some((first..last + 1, var))
    });
    let mut extents: Vec<(Range<usize>, VarId)> = extents.collect();
    extents.sort_by_key(|(range, _)| range.start);
    for (range, var) in extents {
        match found.last_mut() {
            Some((before, vars)) if range.start < before.end => {
                before.end = before.end.max(range.end);
                vars.insert(var);
            }
            _ => found.push((range, BTreeSet::from([var]))),
        }
    }
    found
}

/// Keeps those of `own` that the nodes without loops that stand one after another set before they read them, wherever they
/// mention them, and that no header of a loop mentions.
fn keep_set_first(nodes: &[Node], own: &mut BTreeSet<VarId>) {
    for run in nodes.split(Node::has_loop) {
        own.retain(|var| first_use(run, *var) != Some(Use::Read));
        own.retain(|var| first_use(run, *var) != Some(Use::Unsure));
    }
    for node in nodes.iter().filter(|node| node.has_loop()) {
        match node {
            Node::Loop(l) => {
                let header = [&l.init, &l.condition];
                own.retain(|var| *var != l.var && !header.iter().any(|e| reads(e, *var)));
                keep_set_first(&l.body, own);
            }
            Node::If(i) => {
                own.retain(|var| !reads(&i.condition, *var));
                keep_set_first(&i.then, own);
                keep_set_first(&i.otherwise, own);
            }
            Node::Block(nodes) => keep_set_first(nodes, own),
            _ => {}
        }
    }
}

/// What happens to a variable first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It is set, whatever is done.
    Set,
    /// It may be read.
    Read,
    /// It may be set, or not.
    Unsure,
}

/// What nodes do to a variable first; nothing where they do not mention it.
fn first_use(nodes: &[Node], var: VarId) -> Option<Use> {
    nodes.iter().find_map(|node| match node {
        Node::Assign(a) if sets(a) == Some(var) && !reads(&a.value, var) => Some(Use::Set),
        Node::Block(nodes) => first_use(nodes, var),
        Node::If(i) => first_use_of_branch(i, var),
        node => mentions(node, var).then_some(Use::Read),
    })
}

/// What an `if` does to a variable first.
fn first_use_of_branch(branch: &If, var: VarId) -> Option<Use> {
    if reads(&branch.condition, var) {
        return Some(Use::Read);
    }
    match (first_use(&branch.then, var), first_use(&branch.otherwise, var)) {
        (None, None) => None,
        (Some(Use::Read), _) | (_, Some(Use::Read)) => Some(Use::Read),
        (Some(Use::Set), Some(Use::Set)) => Some(Use::Set),
        _ => Some(Use::Unsure),
    }
}

/// The variables that a node declares.
fn declared(node: &Node) -> Vec<VarId> {
    let mut found = Vec::new();
    node.walk(&mut |n| {
        if let Node::Declare(d) = n {
            found.push(d.var);
        }
    });
    found
}

/// The scalar that an assignment sets, whatever it was.
fn sets(assign: &Assign) -> Option<VarId> {
    assign.target.scalar().filter(|_| assign.op == AssignOp::Set)
}

/// Whether an assignment to something else than `own` may add to the same place in each iteration of the innermost loop.
fn is_sum(assign: &Assign, own: &BTreeSet<VarId>, innermost: Option<VarId>) -> bool {
    let (var, subscripts) = match &assign.target.kind {
        ExprKind::Scalar(var) => (*var, &[][..]),
        ExprKind::Element(var, subscripts) => (*var, subscripts.as_slice()),
        _ => return false,
    };
    let reads_itself = assign.op != AssignOp::Set || mentions_in(&assign.value, var);
    let Some(innermost) = innermost.filter(|_| !own.contains(&var) && reads_itself) else {
        return false;
    };
    !subscripts.iter().any(|s| reads(s, innermost))
}

/// Whether an expression reads a scalar.
fn reads(expr: &Expr, var: VarId) -> bool {
    let mut found = false;
    expr.walk(&mut |e| found |= e.scalar() == Some(var));
    found
}

/// Whether an expression reads a scalar or an element of an array.
fn mentions_in(expr: &Expr, var: VarId) -> bool {
    let mut found = false;
    expr.walk(&mut |e| match &e.kind {
        ExprKind::Scalar(v) | ExprKind::Element(v, _) => found |= *v == var,
        _ => {}
    });
    found
}

/// Whether a scalar stands in a node.
fn mentions(node: &Node, var: VarId) -> bool {
    let mut found = false;
    node.walk(&mut |n| {
        found |= match n {
            Node::Loop(l) => l.var == var || reads(&l.init, var) || reads(&l.condition, var),
            Node::If(i) => reads(&i.condition, var),
            Node::Assign(a) => reads(&a.target, var) || reads(&a.value, var),
            Node::Declare(d) => d.value.as_ref().is_some_and(|v| reads(v, var)) || d.var == var,
            Node::Inner(i) => i.condition.as_ref().is_some_and(|c| reads(c, var)),
            Node::Block(_) | Node::Break(_) | Node::Continue(_) => false,
        };
    });
    found
}
