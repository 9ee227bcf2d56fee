//! For which parameters the region is defined: signed arithmetic that overflows is not.

use super::affine::{Affine, Frame};
use super::build::Builder;
use super::final_values::mentions;
use super::hir::{Expr, ExprKind, Loop};
use farkas_poly::{PwAff, Set};
use farkas_scop::{BinaryOp, ElementKind, UnaryOp};

/// The most pieces of what is known: what would make more is left out.
const MAX_PIECES: u32 = 8;

impl Builder<'_> {
    /// Notes that the region evaluates `expr` at all `points`: of `&&` and `||` the second operand where the first does not decide.
    pub(super) fn evaluates(&mut self, frame: &Frame<'_>, expr: &Expr, points: &Set) {
        if let ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) = &expr.kind {
            self.evaluates(frame, a, points);
            let left = frame.condition(a).and_then(|holds| match op {
                BinaryOp::And => Ok(points.intersect(&holds)?),
                _ => Ok(points.subtract(&holds)?),
            });
            if let Ok(left) = left {
                self.evaluates(frame, b, &left);
            }
            return;
        }
        for part in evaluated(expr) {
            self.evaluates_part(frame, part, points);
        }
    }

    /// Notes that the region runs a loop: it evaluates the condition at the first point that is `started`, and at all points of
    /// its `domain`, where it goes on to the next value.
    pub(super) fn runs(&mut self, l: &Loop, frame: &Frame<'_>, started: &Set, domain: &Set) {
        for part in evaluated(&l.condition) {
            let points = if mentions(part, l.var) { domain } else { started };
            self.evaluates_part(frame, part, points);
        }
        let next = || -> Affine<Option<PwAff>> {
            let Some((_, value)) = frame.iterators.last() else { return Ok(None) };
            Ok(Some(value.add(&frame.constant(l.step)?)?))
        };
        if let Ok(Some(next)) = next() {
            self.holds(frame, self.vars[l.var].element.kind, &next, domain);
        }
    }

    /// Notes that an operation is evaluated at all `points`.
    fn evaluates_part(&mut self, frame: &Frame<'_>, part: &Expr, points: &Set) {
        let value = frame.value(part);
        // What is required of values was noted where the whole was read; where it does not hold, this is not the value.
        if let (Ok(value), true) = (value, frame.required.take().is_empty()) {
            self.holds(frame, part.ty, &value, points);
        }
    }

    /// Notes that a value of a signed type is in its range at all `points`; where isl refuses, nothing.
    fn holds(&mut self, frame: &Frame<'_>, ty: ElementKind, value: &PwAff, points: &Set) {
        let ElementKind::Signed(bits @ (32 | 64)) = ty else { return };
        let most = if bits == 32 { i64::from(i32::MAX) } else { i64::MAX };
        let defined = || -> Affine<Set> {
            let above = value.gt_set(&frame.constant(most)?)?;
            let below = value.lt_set(&frame.constant(-most - 1)?)?;
            let beyond = points.intersect(&above.union(&below)?)?;
            let beyond = beyond.intersect_params(&self.context)?.params()?;
            // What types hold anyway is not said: numbers as large as a `long` is hide what is said beside them.
            if beyond.intersect(&self.type_ranges()?)?.is_empty()? {
                return Ok(self.defined.clone());
            }
            Ok(self.defined.subtract(&beyond)?.coalesce()?)
        };
        if let Ok(defined) = defined()
            && defined.n_basic_set().is_ok_and(|n| n <= MAX_PIECES)
        {
            self.defined = defined;
        }
    }
}

/// The operations in `expr` that are evaluated whenever it is.
fn evaluated(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, _) | ExprKind::Ternary(a, _, _) => {
            evaluated(a)
        }
        ExprKind::Binary(op, a, b) => {
            let mut parts = evaluated(a);
            parts.extend(evaluated(b));
            parts.extend(
                matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul).then_some(expr),
            );
            parts
        }
        ExprKind::Unary(op, a) => {
            let mut parts = evaluated(a);
            parts.extend((*op == UnaryOp::Minus).then_some(expr));
            parts
        }
        ExprKind::Cast(_, a) => evaluated(a),
        _ => Vec::new(),
    }
}
