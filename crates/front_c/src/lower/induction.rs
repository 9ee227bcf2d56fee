//! What variables are worth in the iterations of a loop that changes them, and behind it.

use super::closed::{Closer, sets};
use super::expr::binary;
use super::final_values::{last_iteration, limit, mentions, runs};
use super::hir::{Expr, ExprKind, Loop, Node, VarId};
use super::pure::{Substitution, converted};
use farkas_base::Span;
use farkas_scop::{AssignOp, BinaryOp, ElementKind, ElementType};
use std::collections::BTreeMap;

/// The largest number of type `int`.
const I32_MAX: i64 = i32::MAX as i64;

/// A variable to which every iteration adds the same.
#[derive(Clone, Debug)]
pub(super) struct Step {
    var: VarId,
    /// Its value before the loop.
    first: Expr,
    /// What an iteration adds.
    step: Expr,
}

/// The variables of `set`, those that the loop sets, to which every iteration adds the same.
pub(super) fn steps(closer: &Closer<'_>, l: &Loop, set: &[VarId]) -> Vec<(VarId, Step)> {
    let mut known = closer.values.clone();
    known.retain(|var, _| !set.contains(var));
    let fixed = |expr: &Expr| {
        if !closer.is_known(expr) {
            return None;
        }
        let expr = expr.substituted(&known);
        let changes = set.iter().chain([&l.var]).any(|var| mentions(&expr, *var));
        (!changes && closer.is_fixed(&expr)).then_some(expr)
    };
    let step_of = |var: &VarId| {
        let first = closer.values.get(var)?.clone();
        let step = total(&l.body, *var, &fixed)??;
        Some((*var, Step { var: *var, first, step }))
    };
    set.iter().filter_map(step_of).collect()
}

/// What some nodes add to a variable: nothing at all, or an expression; `None` where that is not known.
fn total(
    nodes: &[Node],
    var: VarId,
    fixed: &dyn Fn(&Expr) -> Option<Expr>,
) -> Option<Option<Expr>> {
    let mut sum: Option<Expr> = None;
    for node in nodes.iter().filter(|node| sets(node, var)) {
        let more = match node {
            Node::Assign(a) => fixed(&added(a.op, &a.value, var)?)?,
            Node::Block(inner) => total(inner, var, fixed)??,
            Node::Loop(inner) if inner.var != var => {
                let once = total(&inner.body, var, fixed)??;
                let trips = fixed(&trips(inner)?)?;
                product(trips, once)
            }
            _ => return None,
        };
        sum = Some(match sum {
            Some(sum) => added_up(sum, more, node.span()?),
            None => more,
        });
    }
    Some(sum)
}

/// What an assignment adds to its target.
fn added(op: AssignOp, value: &Expr, var: VarId) -> Option<Expr> {
    let negated = |e: &Expr| match e.constant().and_then(i64::checked_neg) {
        Some(value) => Expr::int(value, e.span),
        None => binary(BinaryOp::Sub, Expr::int(0, e.span), e.clone(), e.span),
    };
    match (op, &value.kind) {
        (AssignOp::Compound(BinaryOp::Add), _) => Some(value.clone()),
        (AssignOp::Compound(BinaryOp::Sub), _) => Some(negated(value)),
        (AssignOp::Set, ExprKind::Binary(BinaryOp::Add, a, b)) if a.scalar() == Some(var) => {
            Some((**b).clone())
        }
        (AssignOp::Set, ExprKind::Binary(BinaryOp::Add, a, b)) if b.scalar() == Some(var) => {
            Some((**a).clone())
        }
        (AssignOp::Set, ExprKind::Binary(BinaryOp::Sub, a, b)) if a.scalar() == Some(var) => {
            Some(negated(b))
        }
        _ => None,
    }
    .filter(|more| !mentions(more, var))
}

impl Step {
    /// The value in an iteration of the loop, before it adds anything.
    pub(super) fn in_iteration(&self, closer: &Closer<'_>, l: &Loop) -> Option<Expr> {
        let iterator = closer.vars[l.var].element.kind;
        let at = Expr { kind: ExprKind::Scalar(l.var), ty: iterator, span: l.span };
        let n_before = match l.step > 0 {
            true => difference(at, l.init.clone()),
            false => difference(l.init.clone(), at),
        };
        let n_before = match l.step.unsigned_abs() {
            1 => n_before,
            step => {
                let step = Expr::int(i64::try_from(step).ok()?, l.span);
                binary(BinaryOp::Div, n_before, step, l.span)
            }
        };
        Some(self.plus(closer, n_before))
    }

    /// The value behind the loop.
    pub(super) fn after(&self, closer: &Closer<'_>, l: &Loop) -> Option<Expr> {
        Some(self.plus(closer, trips(l)?))
    }

    /// The value after so many iterations.
    fn plus(&self, closer: &Closer<'_>, iterations: Expr) -> Expr {
        let span = iterations.span;
        let (op, step) = match self.step.constant() {
            Some(step) if (-I32_MAX..0).contains(&step) => (BinaryOp::Sub, Expr::int(-step, span)),
            _ => (BinaryOp::Add, self.step.clone()),
        };
        let more = product(iterations, step);
        let value = match (self.first.constant(), op) {
            (Some(0), BinaryOp::Add) => more,
            _ => binary(op, self.first.clone(), more, span),
        };
        converted(value, &closer.vars[self.var].element)
    }
}

/// How many iterations a loop has.
fn trips(l: &Loop) -> Option<Expr> {
    let (_, limit) = limit(l)?;
    let runs = runs(l)?;
    let distance = match l.step > 0 {
        true => difference(limit, l.init.clone()),
        false => difference(l.init.clone(), limit),
    };
    let step = i64::try_from(l.step.unsigned_abs()).ok()?;
    if let Some(distance) = distance.constant() {
        return Some(Expr::int((distance.max(0) + step - 1) / step, l.span));
    }
    let n = match step {
        1 => distance,
        _ => {
            let rounded = added_up(distance, Expr::int(step - 1, l.span), l.span);
            binary(BinaryOp::Div, rounded, Expr::int(step, l.span), l.span)
        }
    };
    Some(selected(runs, n, Expr::int(0, l.span)))
}

/// What the iterator of a loop is behind it.
pub(super) fn iterator_after(closer: &Closer<'_>, l: &Loop) -> Option<Expr> {
    let element = &closer.vars[l.var].element;
    let (_, limit) = limit(l)?;
    let value = match l.step.abs() {
        1 => selected(runs(l)?, limit, l.init.clone()),
        _ => {
            let step = Expr::int(l.step.checked_abs()?, l.span);
            let op = if l.step > 0 { BinaryOp::Add } else { BinaryOp::Sub };
            binary(op, l.init.clone(), product(trips(l)?, step), l.span)
        }
    };
    Some(converted(value, element))
}

/// What a variable is at the begin of an iteration of a loop before which it is `first`, if each iteration leaves `last` in it.
pub(super) fn from_iteration_before(
    l: &Loop,
    iterator: &ElementType,
    first: &Expr,
    last: &Expr,
) -> Option<Expr> {
    let at = Expr { kind: ExprKind::Scalar(l.var), ty: iterator.kind, span: l.span };
    let back = difference(at.clone(), Expr::int(l.step, l.span));
    let back = converted(back, iterator);
    let is_first = binary(BinaryOp::Eq, at, l.init.clone(), l.span);
    let last = last.substituted(&BTreeMap::from([(l.var, back)]));
    Some(selected(is_first, first.clone(), last))
}

/// What a variable is behind a loop before which it is `first`, if each iteration leaves `last` in it.
pub(super) fn from_last_iteration(l: &Loop, first: &Expr, last: &Expr) -> Option<Expr> {
    let (runs, at) = last_iteration(l)?;
    let last = last.substituted(&BTreeMap::from([(l.var, at)]));
    Some(selected(runs, last, first.clone()))
}

/// In the body of a loop it is known that the loop has iterations.
pub(super) fn assume_iterations(l: &Loop, values: &mut Substitution) {
    if let Some(runs) = runs(l) {
        for value in values.values_mut() {
            *value = value.where_holds(&runs);
        }
    }
}

/// `a + b`, computed where both are numbers.
fn added_up(a: Expr, b: Expr, span: Span) -> Expr {
    let numbers = a.constant().zip(b.constant());
    match numbers.and_then(|(a, b)| a.checked_add(b)).filter(|sum| sum.abs() < I32_MAX) {
        Some(sum) => Expr::int(sum, span),
        None => binary(BinaryOp::Add, a, b, span),
    }
}

/// `condition ? then : otherwise`.
fn selected(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    if then.is_same(&otherwise) {
        return then;
    }
    let (ty, span) = (then.ty.common(otherwise.ty), condition.span);
    let kind = ExprKind::Ternary(Box::new(condition), Box::new(then), Box::new(otherwise));
    Expr { kind, ty, span }
}

/// `a * b` with signs.
fn product(a: Expr, b: Expr) -> Expr {
    match b.constant() {
        Some(1) => a,
        _ => {
            let span = a.span;
            binary(BinaryOp::Mul, a, signed(b), span)
        }
    }
}

/// `a - b` with signs.
fn difference(a: Expr, b: Expr) -> Expr {
    match b.constant() {
        Some(0) => signed(a),
        _ => {
            let span = a.span;
            binary(BinaryOp::Sub, signed(a), signed(b), span)
        }
    }
}

/// A value in a type with a sign: differences of what has none may be negative.
fn signed(expr: Expr) -> Expr {
    match expr.ty {
        ElementKind::Unsigned(32..) if expr.constant().is_none() => {
            let long = ElementType { text: "long".to_owned(), kind: ElementKind::Signed(64) };
            converted(expr, &long)
        }
        _ => expr,
    }
}
