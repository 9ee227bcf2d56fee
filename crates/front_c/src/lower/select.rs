//! Variables that only a condition sets: `if (x > m) m = x;` is `m = x > m ? x : m;`.
//!
//! Said in this way the variable is set whenever the statement runs, so it is known where its value comes from: a loop that
//! gives it a first value has it to itself, and may run in parallel. That is done for scalars to which no pointer leads:
//! nobody sees that they are set to what they are. The code generator writes such a selection as the `if` that it was.

use super::affine::is_affine_shaped;
use super::hir::{Assign, Declare, Expr, ExprKind, If, Node, VarId};
use super::inner::changes_what_is_read;
use super::parse::Parser;
use super::pure::converted;
use farkas_base::Span;
use farkas_scop::{ArrayScope, AssignOp, ElementKind, UnaryOp};
use std::collections::BTreeSet;

impl Parser<'_, '_> {
    /// The nodes with selections in the place of assignments under conditions.
    pub(super) fn selected(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        nodes.into_iter().map(|node| self.selected_node(node)).collect()
    }

    fn selected_node(&mut self, node: Node) -> Node {
        match node {
            Node::Loop(mut l) => {
                l.body = self.selected(l.body);
                Node::Loop(l)
            }
            Node::Block(nodes) => Node::Block(self.selected(nodes)),
            Node::If(mut i) => {
                i.then = self.selected(i.then);
                i.otherwise = self.selected(i.otherwise);
                match self.selects(&i) {
                    true => self.selection(*i),
                    false => Node::If(i),
                }
            }
            leaf => leaf,
        }
    }

    /// Whether a condition on data decides if some variable of the function's own is set, in statements that can stand alone. For which iterations
    /// a statement runs under other conditions is known.
    fn selects(&self, branch: &If) -> bool {
        let all = || branch.then.iter().chain(&branch.otherwise);
        let mut stand_alone = true;
        for node in all() {
            node.walk(&mut |n| stand_alone &= !matches!(n, Node::Declare(_) | Node::Loop(_)));
        }
        let own = |nodes: &[Node]| -> BTreeSet<VarId> {
            flat(nodes).filter_map(|node| self.own_target(node)).collect()
        };
        let is_known = is_affine_shaped(&branch.condition, &self.vars);
        stand_alone && !is_known && own(&branch.then) != own(&branch.otherwise)
    }

    /// The scalar that a node sets, if no pointer leads to it.
    fn own_target(&self, node: &Node) -> Option<VarId> {
        let Node::Assign(assign) = node else { return None };
        let var = &self.vars[assign.target.scalar()?];
        let is_own = match var.scope {
            ArrayScope::Region => true,
            ArrayScope::Local | ArrayScope::Parameter => {
                !self.table.is_address_taken(&var.name)
                    && var.symbol.as_ref().is_some_and(|s| !s.outlives_function())
            }
            _ => false,
        };
        (is_own && !var.name.contains('.')).then(|| assign.target.scalar()).flatten()
    }

    /// The statements of a condition, each with the condition in it.
    fn selection(&mut self, branch: If) -> Node {
        let mut out = Vec::new();
        let (span, n_parts) =
            (branch.span, flat(&branch.then).chain(flat(&branch.otherwise)).count());
        let mut holds = branch.condition.clone();
        if n_parts > 1 && changes_what_is_read(&branch) {
            let var = self.kept_condition(span);
            out.push(Node::Declare(Declare { var, value: Some(holds), span }));
            let (kind, ty) = (ExprKind::Scalar(var), ElementKind::Signed(32));
            holds = Expr { kind, ty, span };
        }
        let kind = ExprKind::Unary(UnaryOp::Not, Box::new(holds.clone()));
        let fails = Expr { kind, ty: ElementKind::Signed(32), span: holds.span };
        for (nodes, condition) in [(&branch.then, &holds), (&branch.otherwise, &fails)] {
            out.extend(flat(nodes).map(|node| self.under(node, condition, span)));
        }
        match <[Node; 1]>::try_from(out) {
            Ok([single]) => single,
            Err(nodes) => Node::Block(nodes),
        }
    }

    /// A statement under a condition: a selection where it sets a variable of the function's own.
    fn under(&self, node: &Node, condition: &Expr, span: Span) -> Node {
        let (Node::Assign(assign), Some(own)) = (node, self.own_target(node)) else {
            let (condition, then) = (condition.clone(), vec![node.clone()]);
            return Node::If(Box::new(If {
                condition,
                then,
                otherwise: Vec::new(),
                span,
                label: None,
            }));
        };
        let Assign { target, op, value, .. } = &**assign;
        let element = &self.vars[own].element;
        let value = match op {
            AssignOp::Set => value.clone(),
            AssignOp::Compound(op) => {
                super::expr::binary(*op, target.clone(), value.clone(), value.span)
            }
        };
        let parts = [condition.clone(), converted(value, element), target.clone()].map(Box::new);
        let [condition, value, old] = parts;
        let value = Expr { kind: ExprKind::Ternary(condition, value, old), ty: target.ty, span };
        Node::Assign(Box::new(Assign { op: AssignOp::Set, value, ..(**assign).clone() }))
    }
}

/// Nodes with those of blocks in their places.
fn flat(nodes: &[Node]) -> Box<dyn Iterator<Item = &Node> + '_> {
    Box::new(nodes.iter().flat_map(|node| match node {
        Node::Block(inner) => flat(inner),
        node => Box::new(std::iter::once(node)),
    }))
}
