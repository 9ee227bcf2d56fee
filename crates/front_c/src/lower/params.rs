//! Which variables are parameters of the scop.

use super::affine::is_affine_shaped;
use super::hir::{Expr, ExprKind, Node, VarId};
use super::vars::Vars;
use std::collections::BTreeSet;

/// The integer scalars that the region does not change and that bounds, subscripts, conditions or extents use, in the
/// order of their declarations.
pub(super) fn parameters(vars: &Vars<'_>, nodes: &[Node]) -> Vec<VarId> {
    let mut found = Finder { vars, params: BTreeSet::new(), arrays: BTreeSet::new() };
    for node in nodes {
        node.walk(&mut |n| found.node(n));
    }
    for array in std::mem::take(&mut found.arrays) {
        for extent in vars[array].extents.iter().flatten().filter(|e| is_affine_shaped(e, vars)) {
            found.affine(extent);
        }
    }
    let mut params: Vec<VarId> = found.params.into_iter().collect();
    let place = |p: &VarId| vars[*p].symbol.as_ref().map_or(0, |s| s.identifier.start_byte());
    params.sort_by_key(|p| (place(p), *p));
    params
}

struct Finder<'a> {
    vars: &'a Vars<'a>,
    params: BTreeSet<VarId>,
    arrays: BTreeSet<VarId>,
}

impl Finder<'_> {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Loop(l) => {
                self.affine(&l.init);
                self.affine(&l.condition);
            }
            Node::If(i) => {
                if is_affine_shaped(&i.condition, self.vars) {
                    self.affine(&i.condition);
                }
                self.data(&i.condition);
            }
            Node::Assign(a) => {
                self.data(&a.target);
                self.data(&a.value);
            }
            Node::Declare(d) => d.value.iter().for_each(|v| self.data(v)),
            Node::Inner(inner) => inner.condition.iter().for_each(|c| self.data(c)),
            Node::Block(_) | Node::Break(_) | Node::Continue(_) => {}
        }
    }

    /// An expression that must be affine: its scalars are parameters.
    fn affine(&mut self, expr: &Expr) {
        expr.walk(&mut |e| match &e.kind {
            ExprKind::Scalar(var) if self.vars[*var].can_be_parameter() => {
                self.params.extend([*var])
            }
            ExprKind::Call { value: Some(value), .. } => {
                self.params.extend(scalars(value, self.vars))
            }
            _ => {}
        });
    }

    /// An expression whose subscripts must be affine.
    fn data(&mut self, expr: &Expr) {
        let mut subscripts = Vec::new();
        expr.walk(&mut |e| {
            if let ExprKind::Element(var, s) = &e.kind {
                self.arrays.insert(*var);
                subscripts.extend(s);
            }
        });
        for subscript in subscripts {
            self.affine(subscript);
        }
    }
}

/// The scalars of an expression that can be parameters.
fn scalars(expr: &Expr, vars: &Vars<'_>) -> Vec<VarId> {
    let mut found = Vec::new();
    expr.walk(&mut |e| {
        if let Some(var) = e.scalar().filter(|v| vars[*v].can_be_parameter()) {
            found.push(var);
        }
    });
    found
}
