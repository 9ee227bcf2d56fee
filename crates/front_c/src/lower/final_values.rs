//! What iterators are when their loops are over.

use super::build::{Builder, flatten_and};
use super::expr::binary;
use super::hir::{Expr, ExprKind, Loop, Node, VarId};
use farkas_poly::Set;
use farkas_scop::BinaryOp;
use std::collections::{BTreeMap, BTreeSet};

impl Builder<'_> {
    /// The value of the iterator after the loop, where it is simple.
    pub(super) fn value_after(&self, l: &Loop, domain: &Set) -> Option<Expr> {
        let (op, end) = end(l)?;
        let span = l.span;
        let compared = |op, a: &Expr, b: &Expr| binary(op, a.clone(), b.clone(), span);
        let (before, after) = match l.step > 0 {
            true => (BinaryOp::Lt, BinaryOp::Gt),
            false => (BinaryOp::Gt, BinaryOp::Lt),
        };
        let skipped = compared(after, &l.init, &end);
        let frame = self.frame("").ok()?;
        let skipped = frame
            .condition(&skipped)
            .ok()?
            .intersect(domain)
            .ok()?
            .intersect_params(&self.context)
            .ok()?;
        if op == BinaryOp::Ne || skipped.is_empty().ok()? {
            return Some(end);
        }
        let condition = compared(before, &l.init, &end);
        let ty = end.ty.common(l.init.ty);
        let kind = ExprKind::Ternary(Box::new(condition), Box::new(end), Box::new(l.init.clone()));
        Some(Expr { kind, ty, span })
    }

    /// When the iterators of loops inside of `l` were set, and to what at last: what they are after the last
    /// iteration of `l`, if it has one. `domain` is that inside of `l`, the innermost of the present loops.
    pub(super) fn finals_after(&self, l: &Loop, domain: &Set) -> Vec<(VarId, (Expr, Expr))> {
        let Some((runs, last)) = last_iteration(l) else { return Vec::new() };
        let by = BTreeMap::from([(l.var, last)]);
        let mut inner = BTreeSet::new();
        l.body.iter().for_each(|node| {
            node.walk(&mut |n| {
                if let Node::Loop(l) = n {
                    inner.insert(l.var);
                }
            });
        });
        let after = |var: VarId| {
            if let Some(value) = self.known.get(&var) {
                return Some((runs.clone(), value.substituted(&by)));
            }
            let (set, value) = self.finals.get(&var)?;
            let value = value.substituted(&by);
            if self.always(set, domain) {
                return Some((runs.clone(), value));
            }
            // Where it is not always set, an earlier iteration may have set it.
            let both = || binary(BinaryOp::And, runs.clone(), set.clone(), l.span);
            (!mentions(set, l.var)).then(|| (both(), value))
        };
        inner.into_iter().filter_map(|var| Some((var, after(var)?))).collect()
    }
}

impl Builder<'_> {
    /// Whether a condition holds everywhere in `domain`.
    fn always(&self, condition: &Expr, domain: &Set) -> bool {
        let holds = || -> Option<bool> {
            let holds = self.frame("").ok()?.condition(condition).ok()?;
            domain.intersect_params(&self.context).ok()?.is_subset(&holds).ok()
        };
        holds().unwrap_or(false)
    }
}

/// Whether a loop has iterations, and the value of its iterator in the last, where steps are of one and the end is simple.
pub(super) fn last_iteration(l: &Loop) -> Option<(Expr, Expr)> {
    let (_, end) = end(l)?;
    let runs = runs(l)?;
    let back = if l.step > 0 { BinaryOp::Sub } else { BinaryOp::Add };
    Some((runs, binary(back, end, Expr::int(1, l.span), l.span)))
}

/// Whether a loop has iterations.
pub(super) fn runs(l: &Loop) -> Option<Expr> {
    let (_, limit) = limit(l)?;
    let (least, most) = if l.step > 0 { (l.init.clone(), limit) } else { (limit, l.init.clone()) };
    Some(binary(BinaryOp::Lt, least, most, l.span))
}

/// The comparison that ends a loop, and the first value that its iterator does not reach, where steps are of one.
fn end(l: &Loop) -> Option<(BinaryOp, Expr)> {
    limit(l).filter(|_| l.step.abs() == 1)
}

/// The comparison that ends a loop, and the first value that its iterator would not reach if steps were of one.
pub(super) fn limit(l: &Loop) -> Option<(BinaryOp, Expr)> {
    let mut parts = Vec::new();
    flatten_and(&l.condition, &mut parts);
    let [part] = parts.as_slice() else { return None };
    let ExprKind::Binary(op, a, b) = &part.kind else { return None };
    let (op, bound) = match (a.scalar() == Some(l.var), b.scalar() == Some(l.var)) {
        (true, false) => (*op, b),
        (false, true) => (mirrored(*op)?, a),
        _ => return None,
    };
    if mentions(bound, l.var) {
        return None;
    }
    let one = || Expr::int(1, l.span);
    let end = match (op, l.step) {
        (BinaryOp::Lt, 1..) | (BinaryOp::Gt, ..=-1) | (BinaryOp::Ne, -1 | 1) => (**bound).clone(),
        (BinaryOp::Le, 1..) => binary(BinaryOp::Add, (**bound).clone(), one(), l.span),
        (BinaryOp::Ge, ..=-1) => binary(BinaryOp::Sub, (**bound).clone(), one(), l.span),
        _ => return None,
    };
    Some((op, end))
}

/// Whether `expr` mentions `var`.
pub(super) fn mentions(expr: &Expr, var: VarId) -> bool {
    let mut found = false;
    expr.walk(&mut |e| found |= e.scalar() == Some(var));
    found
}

/// The comparison with its sides exchanged.
pub(super) fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        BinaryOp::Eq => BinaryOp::Eq,
        BinaryOp::Ne => BinaryOp::Ne,
        _ => return None,
    })
}
