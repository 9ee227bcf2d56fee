//! The values that a frame found already: subscripts repeat the same extents, with divisions in them, over and over.

use super::affine::{Affine, Frame};
use super::hir::{Expr, ExprKind, VarId};
use farkas_poly::{PwAff, counted, spend};
use farkas_scop::{BinaryOp, ElementKind, UnaryOp};
use std::cell::RefCell;
use std::collections::HashMap;

/// Values by the expressions that have them, wherever these are written, with the isl operations that each took.
#[derive(Default)]
pub(super) struct KnownValues(RefCell<HashMap<Key, (PwAff, u64)>>);

/// What decides the value of an expression in a frame: its nodes, outermost first, and whether types wrap around.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    nodes: Vec<(Operation, ElementKind)>,
    wraps: bool,
}

/// A node of an expression, without its place in the source.
#[derive(PartialEq, Eq, Hash)]
enum Operation {
    Int(i64),
    Scalar(VarId),
    Unary(UnaryOp),
    Binary(BinaryOp),
    Ternary,
    Cast,
}

impl Frame<'_> {
    /// The value of `expr`, by `evaluate` where it was not asked for before. What asks for something of parameters is
    /// evaluated each time: the answer names the place. In budgets each time counts, so that what a region may hold is the
    /// same as if all were evaluated.
    pub(super) fn once(
        &self,
        expr: &Expr,
        evaluate: impl FnOnce() -> Affine<PwAff>,
    ) -> Affine<PwAff> {
        let Some(nodes) = nodes(expr) else { return evaluate() };
        let key = Key { nodes, wraps: self.wraps.get() };
        if let Some((value, operations)) = self.values.0.borrow().get(&key) {
            spend(*operations);
            return Ok(value.clone());
        }
        let n_required = self.required.borrow().len();
        let (value, operations) = counted(u64::MAX, evaluate);
        let value = value?;
        if self.required.borrow().len() == n_required {
            self.values.0.borrow_mut().insert(key, (value.clone(), operations));
        }
        Ok(value)
    }
}

/// The nodes of an operation on constants and scalars; nothing for other expressions.
fn nodes(expr: &Expr) -> Option<Vec<(Operation, ElementKind)>> {
    if matches!(expr.kind, ExprKind::Int { .. } | ExprKind::Scalar(_)) {
        return None;
    }
    let (mut nodes, mut of_scalars) = (Vec::new(), true);
    expr.walk(&mut |e| {
        let operation = match &e.kind {
            ExprKind::Int { value, .. } => Operation::Int(*value),
            ExprKind::Scalar(var) => Operation::Scalar(*var),
            ExprKind::Unary(op, _) => Operation::Unary(*op),
            ExprKind::Binary(op, ..) => Operation::Binary(*op),
            ExprKind::Ternary(..) => Operation::Ternary,
            ExprKind::Cast(..) => Operation::Cast,
            ExprKind::Element(..)
            | ExprKind::Call { .. }
            | ExprKind::Float(_)
            | ExprKind::Verbatim(_) => {
                of_scalars = false;
                return;
            }
        };
        nodes.push((operation, e.ty));
    });
    of_scalars.then_some(nodes)
}
