//! Integer variables of the region that only name an affine value.
//!
//! `int m = n / 2; for (i = 0; i < m; i++)`: a variable that is declared in the region with an affine value, never changed,
//! and used in bounds, conditions or subscripts is replaced by its value, and its declaration disappears.

use super::affine::is_affine_shaped;
use super::hir::{Declare, Expr, ExprKind, Node, VarId};
use super::pure::{Substitution, converted};
use super::vars::Vars;
use farkas_scop::ArrayScope;
use std::collections::BTreeSet;

/// Larger values stay in their variables.
const MAX_SIZE: usize = 200;

/// Replaces such variables in `nodes`.
pub(super) fn inline(nodes: Vec<Node>, vars: &Vars<'_>) -> Vec<Node> {
    let mut used = BTreeSet::new();
    for node in &nodes {
        node.walk(&mut |n| used_as_index(n, &mut used));
    }
    used.retain(|v| {
        let var = &vars[*v];
        var.scope == ArrayScope::Region
            && var.rank() == 0
            && !var.is_iterator
            && var.writes.len() == 1
    });
    if used.is_empty() {
        return nodes;
    }
    let mut inliner = Inliner { vars, used, values: Substitution::new(), active: Vec::new() };
    inliner.nodes(nodes)
}

/// The scalars in bounds, conditions and subscripts of `node` itself, those in what such scalars are set to included.
fn used_as_index(node: &Node, used: &mut BTreeSet<VarId>) {
    let mut all = |e: &Expr| e.walk(&mut |e| used.extend(e.scalar()));
    match node {
        Node::Loop(l) => {
            all(&l.init);
            all(&l.condition);
        }
        Node::If(i) => all(&i.condition),
        Node::Assign(a) => {
            in_subscripts(&a.target, used);
            in_subscripts(&a.value, used);
        }
        Node::Declare(d) => {
            if let Some(value) = &d.value {
                all(value);
            }
        }
        Node::Inner(inner) => inner.condition.iter().for_each(all),
        Node::Block(_) | Node::Break(_) | Node::Continue(_) => {}
    }
}

fn in_subscripts(expr: &Expr, used: &mut BTreeSet<VarId>) {
    expr.walk(&mut |e| {
        if let ExprKind::Element(_, subscripts) = &e.kind {
            for subscript in subscripts {
                subscript.walk(&mut |s| used.extend(s.scalar()));
            }
        }
    });
}

struct Inliner<'a> {
    vars: &'a Vars<'a>,
    /// The variables that are worth it.
    used: BTreeSet<VarId>,
    values: Substitution,
    /// Iterators of the loops around.
    active: Vec<VarId>,
}

impl Inliner<'_> {
    fn nodes(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        nodes.into_iter().filter_map(|n| self.node(n)).collect()
    }

    fn node(&mut self, node: Node) -> Option<Node> {
        Some(match node {
            Node::Loop(mut l) => {
                l.init = l.init.substituted(&self.values);
                l.condition = l.condition.substituted(&self.values);
                self.active.push(l.var);
                l.body = self.nodes(l.body);
                self.active.pop();
                Node::Loop(l)
            }
            Node::If(mut i) => {
                i.condition = i.condition.substituted(&self.values);
                i.then = self.nodes(i.then);
                i.otherwise = self.nodes(i.otherwise);
                Node::If(i)
            }
            Node::Assign(mut a) => {
                a.target = a.target.substituted(&self.values);
                a.value = a.value.substituted(&self.values);
                Node::Assign(a)
            }
            Node::Declare(Declare { var, value, span }) => {
                let value = value.map(|v| v.substituted(&self.values));
                if let Some(value) = value.as_ref().filter(|v| self.is_fixed(var, v)) {
                    self.values.insert(var, converted(value.clone(), &self.vars[var].element));
                    return None;
                }
                Node::Declare(Declare { var, value, span })
            }
            Node::Block(nodes) => Node::Block(self.nodes(nodes)),
            Node::Inner(mut inner) => {
                inner.first = self.nodes(inner.first);
                inner.condition = inner.condition.map(|c| c.substituted(&self.values));
                inner.step = self.nodes(inner.step);
                inner.body = self.nodes(inner.body);
                Node::Inner(inner)
            }
            jump @ (Node::Break(_) | Node::Continue(_)) => jump,
        })
    }

    /// Whether `value`, which the declaration of `var` gives it, stays the same wherever `var` is visible.
    fn is_fixed(&self, var: VarId, value: &Expr) -> bool {
        let small = value.size(MAX_SIZE) <= MAX_SIZE;
        let mut fixed = small && self.used.contains(&var) && is_affine_shaped(value, self.vars);
        value.walk(&mut |e| {
            if let Some(v) = e.scalar() {
                fixed &= !self.vars[v].is_iterator || self.active.contains(&v);
            }
        });
        fixed
    }
}
