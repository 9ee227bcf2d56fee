//! Control that is not static, inside of loops that are: it becomes statements instead of a refusal of all.
//!
//! A loop whose bounds are data, or that something ends early, runs within one instance of a statement (an *inner* loop), if a
//! loop around it is static control. A condition on data around loops goes down to the statements in them:
//! `if (c) for (j …) A[j] = 0;` is `for (j …) if (c) A[j] = 0;`. Where the condition reads arrays, or what it holds changes what
//! it reads, its value is kept in a variable.

use super::affine::is_affine_shaped;
use super::hir::{Assign, Declare, Expr, ExprKind, If, Inner, Loop, Node, VarId};
use super::parse::Parser;
use super::vars::Var;
use crate::source::{self, for_each_node};
use farkas_base::Span;
use farkas_scop::{ArrayScope, AssignOp, BinaryOp, ElementKind, ElementType, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};

impl<'u> Parser<'u, '_> {
    /// The nodes of a region with inner loops and guards where they are needed; what variables are iterators is known then.
    pub(super) fn settled(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        let nodes = self.settled_in(nodes, 0);
        let mut iterators = BTreeSet::new();
        for node in &nodes {
            node.walk(&mut |n| {
                if let Node::Loop(l) = n {
                    iterators.insert(l.var);
                }
            });
        }
        let all: Vec<VarId> = self.vars.iter_enumerated().map(|(id, _)| id).collect();
        for var in all {
            self.vars[var].is_iterator = iterators.contains(&var);
        }
        nodes
    }

    /// The nodes inside of so many static loops.
    fn settled_in(&mut self, nodes: Vec<Node>, n_around: usize) -> Vec<Node> {
        nodes.into_iter().flat_map(|node| self.settled_node(node, n_around)).collect()
    }

    fn settled_node(&mut self, node: Node, n_around: usize) -> Vec<Node> {
        vec![match node {
            Node::Loop(l) if n_around > 0 && !self.is_static(&l) => match self.inner_loop(&l) {
                Some(inner) => Node::Inner(Box::new(inner)),
                None => Node::Loop(l),
            },
            Node::Loop(mut l) => {
                l.body = self.settled_in(l.body, n_around + 1);
                Node::Loop(l)
            }
            Node::If(mut i) => {
                i.then = self.settled_in(i.then, n_around);
                i.otherwise = self.settled_in(i.otherwise, n_around);
                let on_data = !is_affine_shaped(&i.condition, &self.vars);
                let node = Node::If(i);
                match node {
                    Node::If(i) if on_data && n_around > 0 && holds_loops(&i) => {
                        return self.sunk(*i);
                    }
                    node => node,
                }
            }
            Node::Block(nodes) => Node::Block(self.settled_in(nodes, n_around)),
            Node::Inner(inner) => Node::Inner(Box::new(self.inside(*inner))),
            leaf => leaf,
        }]
    }

    /// Whether the bounds of a loop may be affine.
    fn is_static(&self, l: &Loop) -> bool {
        is_affine_shaped(&l.init, &self.vars) && is_affine_shaped(&l.condition, &self.vars)
    }

    /// A loop with all loops in it as inner ones.
    fn inside(&mut self, inner: Inner) -> Inner {
        Inner { body: self.all_inside(inner.body), ..inner }
    }

    /// Nodes of an inner loop.
    fn all_inside(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        nodes.into_iter().map(|node| self.one_inside(node)).collect()
    }

    fn one_inside(&mut self, node: Node) -> Node {
        match node {
            Node::Loop(l) => match self.inner_loop(&l) {
                Some(inner) => Node::Inner(Box::new(inner)),
                None => Node::Loop(l),
            },
            Node::If(mut i) => {
                i.then = self.all_inside(i.then);
                i.otherwise = self.all_inside(i.otherwise);
                Node::If(i)
            }
            Node::Block(nodes) => Node::Block(self.all_inside(nodes)),
            Node::Inner(inner) => Node::Inner(Box::new(self.inside(*inner))),
            leaf => leaf,
        }
    }

    /// A `while` or `do` loop inside of a `for` loop.
    pub(super) fn inner_while(&mut self, node: source::Node<'u>, out: &mut Vec<Node>) {
        let condition = node.child_by_field_name("condition").and_then(|c| self.condition(c));
        let body = node.child_by_field_name("body").map_or_else(Vec::new, |b| self.scoped(b));
        let Some(condition) = condition else { return };
        out.push(Node::Inner(Box::new(Inner {
            first: Vec::new(),
            condition: Some(condition),
            asks_last: node.kind() == "do_statement",
            step: Vec::new(),
            body,
            span: self.unit.span(node),
        })));
    }

    /// A loop over one variable as an inner loop. An iterator from outside that nothing reads after its loops becomes a
    /// variable of the loop; nothing where another loop needs it as an iterator.
    pub(super) fn inner_loop(&mut self, l: &Loop) -> Option<Inner> {
        let mut var = l.var;
        let is_set_before = l.continues && !self.vars[var].writes.is_empty();
        if is_set_before {
            self.vars[var].is_iterator = false;
        } else if self.vars[var].scope != ArrayScope::Region {
            if !self.is_set_by_its_loops(var) {
                return None;
            }
            let own = Var {
                scope: ArrayScope::Region,
                symbol: None,
                is_iterator: false,
                ..self.vars[var].clone()
            };
            var = self.vars.push(own);
        }
        match is_set_before {
            true => self.vars[var].writes.push(l.span),
            false => self.vars[var].writes = vec![l.span],
        }
        let by = BTreeMap::from([(l.var, scalar(var, self.vars[var].element.kind, l.span))]);
        let step = Assign {
            target: scalar(var, self.vars[var].element.kind, l.span),
            op: AssignOp::Compound(if l.step < 0 { BinaryOp::Sub } else { BinaryOp::Add }),
            value: Expr::int(l.step.checked_abs()?, l.span),
            span: l.span,
            label: None,
        };
        let body = l.body.iter().map(|node| node.substituted(&by)).collect();
        let first = Declare { var, value: Some(l.init.clone()), span: l.span };
        Some(Inner {
            first: if is_set_before { Vec::new() } else { vec![Node::Declare(first)] },
            condition: Some(l.condition.substituted(&by)),
            asks_last: false,
            step: vec![Node::Assign(Box::new(step))],
            body: self.all_inside(body),
            span: l.span,
        })
    }

    /// Whether the region uses the variable inside of `for` loops that set it first, and nothing reads it afterwards.
    fn is_set_by_its_loops(&self, var: VarId) -> bool {
        let name = self.vars[var].name.as_str();
        if self.table.is_live_after(name) || self.table.may_change_unseen(name) {
            return false;
        }
        let sets = |node: crate::source::Node<'_>| {
            node.kind() == "for_statement"
                && node.child_by_field_name("initializer").is_some_and(|first| {
                    first.child_by_field_name("left").is_some_and(|l| self.unit.text(l) == name)
                })
        };
        let (start, _) = self.region_range();
        let mut all = true;
        for statement in self.region_statements() {
            for_each_node(*statement, &mut |node| {
                if node.kind() == "identifier" && self.unit.text(node) == name {
                    let around = std::iter::successors(node.parent(), |n| n.parent());
                    all &= around.take_while(|n| n.start_byte() >= start).any(sets);
                }
            });
        }
        all
    }

    /// A name such as `wanted` that nothing in the file has.
    pub(super) fn free_name(&self, wanted: &str) -> String {
        let is_free = |name: &String| {
            !self.names.contains(name) && self.vars.iter().all(|var| var.name != *name)
        };
        let numbered = (2..).map(|number: u64| format!("{wanted}{number}"));
        std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }

    /// A variable of the region for the value of a condition.
    pub(super) fn kept_condition(&mut self, span: Span) -> VarId {
        let name = self.free_name("condition");
        let element = ElementType { text: "int".to_owned(), kind: ElementKind::Signed(32) };
        self.vars.push(Var { writes: vec![span], ..Var::made(name, element, span) })
    }

    /// What is under a condition on data, with the condition at its statements.
    fn sunk(&mut self, branch: If) -> Vec<Node> {
        let mut out = Vec::new();
        let mut condition = branch.condition.clone();
        if changes_what_is_read(&branch) || reads_memory(&condition) {
            let var = self.kept_condition(branch.span);
            out.push(Node::Declare(Declare { var, value: Some(condition), span: branch.span }));
            condition = scalar(var, ElementKind::Signed(32), branch.span);
        }
        let fails = Expr {
            kind: ExprKind::Unary(UnaryOp::Not, Box::new(condition.clone())),
            ty: ElementKind::Signed(32),
            span: condition.span,
        };
        out.extend(guarded(branch.then, &condition));
        out.extend(guarded(branch.otherwise, &fails));
        out
    }
}

/// Nodes under a condition that holds no loop: it stands at the statements that have none.
fn guarded(nodes: Vec<Node>, condition: &Expr) -> Vec<Node> {
    let mut out = Vec::new();
    let mut together: Vec<Node> = Vec::new();
    for node in nodes {
        let node = match node {
            Node::Declare(Declare { var, value, span }) => {
                out.push(Node::Declare(Declare { var, value: None, span }));
                let Some(value) = value else { continue };
                let target = scalar(var, value.ty, span);
                let op = AssignOp::Set;
                Node::Assign(Box::new(Assign { target, op, value, span, label: None }))
            }
            node => node,
        };
        if !node.has_loop() {
            together.push(node);
            continue;
        }
        out.extend(under(std::mem::take(&mut together), condition));
        out.push(match node {
            Node::Loop(mut l) => {
                l.is_guarded = true;
                l.body = guarded(l.body, condition);
                Node::Loop(l)
            }
            Node::If(mut i) => {
                i.then = guarded(i.then, condition);
                i.otherwise = guarded(i.otherwise, condition);
                Node::If(i)
            }
            Node::Block(nodes) => Node::Block(guarded(nodes, condition)),
            other => other,
        });
    }
    out.extend(under(together, condition));
    out
}

/// Nodes without a loop under a condition.
fn under(nodes: Vec<Node>, condition: &Expr) -> Option<Node> {
    let span = nodes.iter().filter_map(Node::span).reduce(Span::cover)?;
    let condition = condition.clone();
    Some(Node::If(Box::new(If {
        condition,
        then: nodes,
        otherwise: Vec::new(),
        span,
        label: None,
    })))
}

/// Whether loops that may be static control stand under a condition.
fn holds_loops(branch: &If) -> bool {
    branch.then.iter().chain(&branch.otherwise).any(Node::has_loop)
}

/// Whether a condition reads elements of arrays: compilers would not know that they stay what they are.
fn reads_memory(condition: &Expr) -> bool {
    let mut reads = false;
    condition.walk(&mut |e| reads |= matches!(e.kind, ExprKind::Element(..)));
    reads
}

/// Whether what is under a condition changes what it reads.
pub(super) fn changes_what_is_read(branch: &If) -> bool {
    let mut read = BTreeSet::new();
    branch.condition.walk(&mut |e| match &e.kind {
        ExprKind::Scalar(var) | ExprKind::Element(var, _) => {
            read.insert(*var);
        }
        _ => {}
    });
    let mut changes = false;
    for node in branch.then.iter().chain(&branch.otherwise) {
        node.walk(&mut |n| match n {
            Node::Assign(a) => {
                if let ExprKind::Scalar(var) | ExprKind::Element(var, _) = &a.target.kind {
                    changes |= read.contains(var);
                }
            }
            Node::Loop(l) => changes |= read.contains(&l.var),
            _ => {}
        });
    }
    changes
}

/// The value of a scalar.
fn scalar(var: VarId, ty: ElementKind, span: Span) -> Expr {
    Expr { kind: ExprKind::Scalar(var), ty, span }
}

/// The `break` and the `continue` among nodes that mean the loop around them.
pub(super) fn jumps(nodes: &[Node]) -> (Option<Span>, Option<Span>) {
    let mut found = (None, None);
    for node in nodes {
        let (ends, goes_on) = match node {
            Node::Break(span) => (Some(*span), None),
            Node::Continue(span) => (None, Some(*span)),
            Node::If(i) => {
                let (a, b) = (jumps(&i.then), jumps(&i.otherwise));
                (a.0.or(b.0), a.1.or(b.1))
            }
            Node::Block(nodes) => jumps(nodes),
            _ => (None, None),
        };
        found = (found.0.or(ends), found.1.or(goes_on));
    }
    found
}

/// The body of a loop with what a `continue` skips under the opposite of its condition; nothing where that takes more than
/// moving statements.
pub(super) fn without_continue(nodes: &[Node]) -> Option<Vec<Node>> {
    let mut out = Vec::new();
    for (position, node) in nodes.iter().enumerate() {
        if jumps(std::slice::from_ref(node)).1.is_none() {
            out.push(node.clone());
            continue;
        }
        let rest = || nodes[position + 1..].iter().cloned();
        match node {
            Node::Continue(_) => {}
            Node::Block(inner) => {
                out.extend(without_continue(
                    &inner.iter().cloned().chain(rest()).collect::<Vec<_>>(),
                )?);
            }
            Node::If(i) => {
                let mut branch = (**i).clone();
                match (jumps(&i.then).1.is_some(), jumps(&i.otherwise).1.is_some()) {
                    (true, true) if position + 1 == nodes.len() => {}
                    (true, true) => return None,
                    (true, false) if ends_in_continue(&i.then) => branch.otherwise.extend(rest()),
                    (false, true) if ends_in_continue(&i.otherwise) => branch.then.extend(rest()),
                    _ if position + 1 == nodes.len() => {}
                    _ => return None,
                }
                branch.then = without_continue(&branch.then)?;
                branch.otherwise = without_continue(&branch.otherwise)?;
                out.push(Node::If(Box::new(turned(branch))));
            }
            _ => return None,
        }
        return Some(out);
    }
    Some(out)
}

/// Whether nodes end in the only `continue` among them.
fn ends_in_continue(nodes: &[Node]) -> bool {
    match nodes.split_last() {
        Some((Node::Continue(_), before)) => jumps(before).1.is_none(),
        Some((Node::Block(inner), before)) => jumps(before).1.is_none() && ends_in_continue(inner),
        _ => false,
    }
}

/// A condition with nothing under it and something in its `else`, the other way round.
pub(super) fn turned(branch: If) -> If {
    if !branch.then.is_empty() || branch.otherwise.is_empty() {
        return branch;
    }
    let (ty, span) = (ElementKind::Signed(32), branch.condition.span);
    let condition = match branch.condition.kind {
        ExprKind::Binary(op, a, b)
            if opposite(op).is_some() && !is_floating(a.ty) && !is_floating(b.ty) =>
        {
            Expr { kind: ExprKind::Binary(opposite(op).unwrap_or(op), a, b), ty, span }
        }
        kind => {
            let condition = Expr { kind, ..branch.condition };
            Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(condition)), ty, span }
        }
    };
    If { condition, then: branch.otherwise, otherwise: Vec::new(), ..branch }
}

/// Whether a comparison of such values may be false both ways.
fn is_floating(ty: ElementKind) -> bool {
    !ty.is_integer()
}

/// The comparison of integers that holds where `op` does not.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        _ => return None,
    })
}
