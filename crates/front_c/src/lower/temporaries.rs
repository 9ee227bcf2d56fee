//! Scalars that each run of a block sets before it reads them, wherever they are declared: `t = x[i] - y[i]; a[i] = t * t;`
//! with a `t` of the function's is `double t = x[i] - y[i]; a[i] = t * t;`, one statement with a variable of its own.
//!
//! The statements that such a scalar ties together run one after another in every order, unless its values get places of their
//! own, which is what is given up here: twenty statements with ten scalars are dependences and sets by the hundred. Sums stay
//! apart, for what is done to sums looks for them, and so do what a condition on iterators splits and what has a label.

use super::affine::is_affine_shaped;
use super::final_values::mentions;
use super::hir::{Assign, Declare, Expr, ExprKind, Node, VarId};
use super::parse::Parser;
use super::vars::Var;
use farkas_scop::{ArrayScope, AssignOp};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

impl Parser<'_, '_> {
    /// The nodes with declarations of the temporaries that their blocks may have to themselves.
    pub(super) fn with_temporaries(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        let all = self.vars.iter_enumerated().map(|(id, _)| id);
        let mut own: BTreeSet<VarId> = all.filter(|var| self.may_be_temporary(*var)).collect();
        keep_set_first(&nodes, &mut own);
        if own.is_empty() { nodes } else { self.declared_in(nodes, &own, &mut Vec::new()) }
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

    /// Nodes inside of the loops over the iterators `around`, with declarations of `own`.
    fn declared_in(
        &mut self,
        nodes: Vec<Node>,
        own: &BTreeSet<VarId>,
        around: &mut Vec<VarId>,
    ) -> Vec<Node> {
        let mut out = Vec::new();
        let mut straight = Vec::new();
        for node in nodes {
            if !node.has_loop() {
                straight.push(node);
                continue;
            }
            out.extend(self.tied(std::mem::take(&mut straight), own, around));
            out.push(match node {
                Node::Loop(mut l) => {
                    around.push(l.var);
                    l.body = self.declared_in(l.body, own, around);
                    around.pop();
                    Node::Loop(l)
                }
                Node::If(mut i) => {
                    i.then = self.declared_in(i.then, own, around);
                    i.otherwise = self.declared_in(i.otherwise, own, around);
                    Node::If(i)
                }
                Node::Block(nodes) => Node::Block(self.declared_in(nodes, own, around)),
                leaf => leaf,
            });
        }
        out.extend(self.tied(straight, own, around));
        out
    }

    /// Nodes without loops, those that scalars of `own` tie together as blocks.
    fn tied(&mut self, nodes: Vec<Node>, own: &BTreeSet<VarId>, around: &[VarId]) -> Vec<Node> {
        let mut out = Vec::new();
        let mut next = 0;
        for (range, vars) in ties(&nodes, own) {
            let together = &nodes[range.clone()];
            if !self.may_be_tied(together, &vars, around) {
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

    /// Whether nodes may become one statement that declares `vars`: there are several, none has a label or is a sum, no condition
    /// on iterators splits them, and none declares an array, or another variable of such a name.
    fn may_be_tied(&self, nodes: &[Node], vars: &BTreeSet<VarId>, around: &[VarId]) -> bool {
        let mut own = vars.clone();
        let mut may = !matches!(nodes, [Node::Assign(_)]);
        for node in nodes {
            node.walk(&mut |n| {
                if let Node::Declare(d) = n {
                    let declared = &self.vars[d.var];
                    let is_same = |var: &VarId| self.vars[*var].name == declared.name;
                    may &= declared.rank() == 0 && !vars.iter().any(is_same);
                    own.insert(d.var);
                }
            });
        }
        for node in nodes {
            node.walk(&mut |n| match n {
                Node::Assign(a) => may &= a.label.is_none() && !is_sum(a, &own, around),
                Node::If(i) => {
                    may &= i.label.is_none() && !is_affine_shaped(&i.condition, &self.vars);
                }
                _ => {}
            });
        }
        may
    }

    /// Nodes with variables of their own in the place of `vars`.
    fn with_declarations(&mut self, nodes: &[Node], vars: &BTreeSet<VarId>) -> Vec<Node> {
        let mut by = BTreeMap::new();
        for &var in vars {
            let old = self.vars[var].clone();
            let (span, ty) = (old.span, old.element.kind);
            let own = self.vars.push(Var { scope: ArrayScope::Region, symbol: None, ..old });
            by.insert(var, Expr { kind: ExprKind::Scalar(own), ty, span });
        }
        let mut out = Vec::new();
        let mut undeclared: BTreeSet<VarId> = by.values().filter_map(Expr::scalar).collect();
        for node in nodes {
            let node = node.substituted(&by);
            let first: Vec<VarId> =
                undeclared.iter().copied().filter(|var| uses(&node, *var)).collect();
            undeclared.retain(|var| !first.contains(var));
            match node {
                Node::Assign(a) if sets(&a).map(|var| vec![var]).as_ref() == Some(&first) => {
                    let declare = |var: &VarId| Declare {
                        var: *var,
                        value: Some(a.value.clone()),
                        span: a.span,
                    };
                    out.extend(first.iter().map(declare).map(Node::Declare));
                }
                node => {
                    let declare = |var: &VarId| Declare {
                        var: *var,
                        value: None,
                        span: self.vars[*var].span,
                    };
                    out.extend(first.iter().map(declare).map(Node::Declare));
                    out.push(node);
                }
            }
        }
        out
    }
}

/// Runs of nodes that scalars of `own` tie together, each from where one is set to where it is read last, with these scalars.
fn ties(nodes: &[Node], own: &BTreeSet<VarId>) -> Vec<(Range<usize>, BTreeSet<VarId>)> {
    let mut found: Vec<(Range<usize>, BTreeSet<VarId>)> = Vec::new();
    let extents = own.iter().filter_map(|&var| {
        let first = nodes.iter().position(|node| uses(node, var))?;
        let last = nodes.iter().rposition(|node| uses(node, var))?;
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
        own.retain(|var| sets_first(run, *var) != Some(false));
    }
    for node in nodes.iter().filter(|node| node.has_loop()) {
        match node {
            Node::Loop(l) => {
                let header = [&l.init, &l.condition];
                own.retain(|var| *var != l.var && !header.iter().any(|e| mentions(e, *var)));
                keep_set_first(&l.body, own);
            }
            Node::If(i) => {
                own.retain(|var| !mentions(&i.condition, *var));
                keep_set_first(&i.then, own);
                keep_set_first(&i.otherwise, own);
            }
            Node::Block(nodes) => keep_set_first(nodes, own),
            _ => {}
        }
    }
}

/// Whether nodes set a variable before they read it, whatever conditions hold; nothing where they do not use it.
fn sets_first(nodes: &[Node], var: VarId) -> Option<bool> {
    nodes.iter().find_map(|node| match node {
        Node::Assign(a) if sets(a) == Some(var) => Some(!mentions(&a.value, var)),
        Node::Block(nodes) => sets_first(nodes, var),
        Node::If(i) if !mentions(&i.condition, var) => {
            match (sets_first(&i.then, var), sets_first(&i.otherwise, var)) {
                (None, None) => None,
                both => Some(both == (Some(true), Some(true))),
            }
        }
        node => uses(node, var).then_some(false),
    })
}

/// The scalar that an assignment sets, whatever it was.
fn sets(assign: &Assign) -> Option<VarId> {
    assign.target.scalar().filter(|_| assign.op == AssignOp::Set)
}

/// Whether an assignment to something else than `own` may add to the same place in each iteration of one of the loops around it.
fn is_sum(assign: &Assign, own: &BTreeSet<VarId>, around: &[VarId]) -> bool {
    let (var, subscripts) = match &assign.target.kind {
        ExprKind::Scalar(var) => (*var, &[][..]),
        ExprKind::Element(var, subscripts) => (*var, subscripts.as_slice()),
        _ => return false,
    };
    let mut reads_itself = assign.op != AssignOp::Set;
    assign.value.walk(&mut |e| match &e.kind {
        ExprKind::Scalar(v) | ExprKind::Element(v, _) => reads_itself |= *v == var,
        _ => {}
    });
    let leaves_out = |iterator: &VarId| !subscripts.iter().any(|s| mentions(s, *iterator));
    !own.contains(&var) && reads_itself && around.iter().any(leaves_out)
}

/// Whether a scalar is set or read in a node.
fn uses(node: &Node, var: VarId) -> bool {
    let mut found = false;
    node.walk(&mut |n| {
        found |= match n {
            Node::Loop(l) => l.var == var || mentions(&l.init, var) || mentions(&l.condition, var),
            Node::If(i) => mentions(&i.condition, var),
            Node::Assign(a) => mentions(&a.target, var) || mentions(&a.value, var),
            Node::Declare(d) => d.value.as_ref().is_some_and(|v| mentions(v, var)) || d.var == var,
            Node::Inner(i) => i.condition.as_ref().is_some_and(|c| mentions(c, var)),
            Node::Block(_) | Node::Break(_) | Node::Continue(_) => false,
        };
    });
    found
}
