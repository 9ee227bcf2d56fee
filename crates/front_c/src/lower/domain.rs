//! Loops: from their headers to the sets of their iterations.

use super::affine::{ActiveLoop, Frame, LoopValue, Obstacle};
use super::build::{Builder, Refused, Step, flatten_and};
use super::expr::binary;
use super::hir::{Expr, ExprKind, Loop, VarId};
use farkas_base::{DiagnosticId, Span};
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{BinaryOp, ElementKind};
use std::fmt::Write;

impl<'a> Builder<'a> {
    /// Adds a loop to the present ones and returns the domain inside it.
    pub(super) fn enter(&mut self, l: &Loop, domain: &Set) -> Step<Set> {
        let name = self.vars[l.var].name.clone();
        let first = self.frame("").and_then(|f| f.value(&l.init).map(|value| (f, value)));
        let (frame, value) = first.map_err(|o| {
            self.refuse(
                DiagnosticId::NonAffineBound,
                &format!("the first value of `{name}`"),
                l.span,
                o,
            )
        })?;
        if let ElementKind::Unsigned(_) = self.vars[l.var].element.kind {
            frame.must_not_be_negative(&l.init, &value);
        }
        self.no_wrap(&frame, domain)?;
        self.evaluates(&frame, &l.init, domain);
        let (value, wanted) = match l.step {
            1 => (LoopValue::Up, name.clone()),
            -1 => (LoopValue::Down, format!("{name}_neg")),
            step => (LoopValue::Strided { init: l.init.clone(), step }, format!("{name}_count")),
        };
        let dim_name = self.dim_names.fresh(&wanted);
        self.loops.push(ActiveLoop { var: l.var, dim_name, value });
        let inner = self.iterations(l, domain, &name);
        inner.inspect_err(|_| self.leave())
    }

    /// Removes the innermost of the present loops.
    pub(super) fn leave(&mut self) {
        if let Some(active) = self.loops.pop() {
            self.dim_names.release(&active.dim_name);
        }
    }

    /// The domain inside the innermost of the present loops, which is `l`.
    fn iterations(&mut self, l: &Loop, outer: &Set, name: &str) -> Step<Set> {
        let started = self.started(l, outer);
        let (frame, started) = started.map_err(|o| self.refuse_bound(l, name, o))?;
        let condition = frame.condition(&l.condition).map_err(|o| self.refuse_bound(l, name, o))?;
        let depth = u32::try_from(self.loops.len()).unwrap_or(u32::MAX);
        let ends_at_first_failure = fails_for_good(&l.condition, l.var, l.step);
        let domain = if ends_at_first_failure {
            started.intersect(&condition)
        } else {
            until_first_failure(&started, &condition, depth)
        };
        let mut domain = self.check(domain, Some(l.span))?;
        let bounded = |set: &Set| set.dim_has_upper_bound(DimType::SET, depth - 1);
        if !self.check(bounded(&domain), Some(l.span))? {
            let known = domain.intersect_params(&self.context).and_then(|d| d.coalesce());
            domain = self.check(known, Some(l.span))?;
            let empty = self.check(domain.is_empty(), Some(l.span))?;
            if !empty && !self.check(bounded(&domain), Some(l.span))? {
                return Err(self.refuse_endless(l, name, ends_at_first_failure));
            }
            let simple = domain.gist_params(&self.context);
            domain = self.check(simple, Some(l.span))?;
        }
        self.no_wrap(&frame, &started)?;
        self.runs(l, &frame, &started, &domain);
        self.stays_in_type(l, name, &frame, &domain)?;
        Ok(domain)
    }

    /// The frame inside the loop, and the points from its first value on, however far.
    fn started(&self, l: &Loop, outer: &Set) -> Result<(Frame<'a>, Set), Obstacle> {
        let frame = self.frame("")?;
        let depth = u32::try_from(self.loops.len()).unwrap_or(u32::MAX);
        let mut points = outer.add_dims(DimType::SET, 1)?;
        for (position, active) in (0u32..).zip(&self.loops) {
            points = points.with_dim_name(DimType::SET, position, &active.dim_name)?;
        }
        let started = match l.step {
            1 | -1 => from_first_value(&frame, l)?,
            _ => Set::universe(&frame.space)?.lower_bound_si(DimType::SET, depth - 1, 0)?,
        };
        let points = points.intersect(&started)?;
        Ok((frame, points))
    }

    fn refuse_bound(&mut self, l: &Loop, name: &str, obstacle: Obstacle) -> Refused {
        let what = format!("the bound of the loop over `{name}`");
        self.refuse(DiagnosticId::NonAffineBound, &what, l.span, obstacle)
    }

    /// Reports a loop that may not end.
    fn refuse_endless(&mut self, l: &Loop, name: &str, plain: bool) -> Refused {
        let span = l.condition.span;
        let error = if plain {
            self.at(
                DiagnosticId::EndlessLoop,
                format!("the loop over `{name}` never ends"),
                span,
                "never fails",
            )
            .help(format!("compare `{name}` with the value where it should stop"))
        } else {
            let message = format!("this condition may miss the end of the loop over `{name}`");
            let less = if l.step > 0 { "<" } else { ">" };
            self.at(DiagnosticId::InexactCondition, message, span, "")
                .note(format!("nothing shows that `{name}` reaches the value where the condition fails"))
                .help(format!("write `{less}`, or say what is known of the parameters, as in `--context 'n >= 0'`"))
        };
        self.report(error);
        Refused
    }

    /// The iterator does not leave the range of its type, where C would go on elsewhere.
    fn stays_in_type(&mut self, l: &Loop, name: &str, frame: &Frame<'_>, domain: &Set) -> Step<()> {
        let (least, greatest) = match self.vars[l.var].element.kind {
            ElementKind::Unsigned(bits @ ..=16) => (0, Some((1i64 << bits) - 1)),
            ElementKind::Signed(bits @ ..=16) => {
                (-(1i64 << (bits - 1)), Some((1i64 << (bits - 1)) - 1))
            }
            ElementKind::Unsigned(_) => (0, None),
            _ => return Ok(()),
        };
        let leaves = || -> Result<bool, Obstacle> {
            let (_, iterator) = &frame.iterators[frame.iterators.len() - 1];
            let next = iterator.add(&frame.constant(l.step)?)?;
            let mut outside = Set::empty(&frame.space)?;
            if l.step < 0 {
                outside = next.lt_set(&frame.constant(least)?)?;
            } else if let Some(greatest) = greatest {
                outside = next.gt_set(&frame.constant(greatest)?)?;
            }
            Ok(!domain.intersect(&outside)?.intersect_params(&self.context)?.is_empty()?)
        };
        let leaves = leaves().map_err(|o| self.refuse_bound(l, name, o))?;
        if !leaves {
            return Ok(());
        }
        let ty = self.vars[l.var].element.text.clone();
        let error = self
            .at(
                DiagnosticId::EndlessLoop,
                format!("`{name}` leaves the range of its type `{ty}` before the loop ends"),
                l.condition.span,
                "",
            )
            .note("the value wraps around, and the loop goes on from there")
            .help("use an iterator of a signed type that is large enough");
        self.report(error);
        Err(Refused)
    }

    /// Takes for granted that the unsigned values which `frame` met are not negative on `domain`, where that is not
    /// certain already: C would compute something else there.
    pub(super) fn no_wrap(&mut self, frame: &Frame<'_>, domain: &Set) -> Step<()> {
        for span in frame.narrowed.take() {
            let text = self.source_text(span);
            self.assume(format!("the conversion `{text}` keeps the value"), Some(span));
        }
        for (value, span) in frame.unsigned.take() {
            let wraps = frame.constant(0).and_then(|zero| {
                Ok(domain.intersect(&value.lt_set(&zero)?)?.intersect_params(&self.context)?)
            });
            let wraps =
                wraps.map_err(|o| self.refuse(DiagnosticId::UnsignedWrap, "this", span, o))?;
            if self.check(wraps.is_empty(), Some(span))? {
                continue;
            }
            let rest = wraps
                .params()
                .and_then(|bad| self.context.subtract(&bad))
                .and_then(|c| c.coalesce());
            let rest = self.check(rest, Some(span))?;
            let useful = domain.intersect_params(&rest).and_then(|d| d.is_empty());
            if self.check(useful, Some(span))? {
                return Err(self.refuse_wrap(span));
            }
            let text = self.source_text(span);
            self.assume(
                format!("the unsigned value `{text}` does not wrap around below zero"),
                Some(span),
            );
            self.context = rest;
        }
        Ok(())
    }

    /// What the source says at `span`, on one line.
    fn source_text(&self, span: Span) -> String {
        self.source.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn refuse_wrap(&mut self, span: Span) -> Refused {
        let error = self
            .at(
                DiagnosticId::UnsignedWrap,
                "this value is negative, but its type is unsigned",
                span,
                "wraps around",
            )
            .note("C computes modulo a power of two here, which is not affine")
            .help("use signed types for iterators and bounds");
        self.report(error);
        Refused
    }

    /// The value of the iterator after the loop, where it is simple.
    pub(super) fn value_after(&self, l: &Loop, domain: &Set) -> Option<Expr> {
        let ExprKind::Binary(op, a, b) = &l.condition.kind else { return None };
        let (op, bound) = match (a.scalar() == Some(l.var), b.scalar() == Some(l.var)) {
            (true, false) => (*op, b),
            (false, true) => (mirrored(*op)?, a),
            _ => return None,
        };
        if l.step.abs() != 1 || mentions(bound, l.var) {
            return None;
        }
        let span = l.span;
        let one = || Expr::int(1, span);
        let end = match (op, l.step) {
            (BinaryOp::Lt, 1) | (BinaryOp::Gt, -1) | (BinaryOp::Ne, _) => (**bound).clone(),
            (BinaryOp::Le, 1) => binary(BinaryOp::Add, (**bound).clone(), one(), span),
            (BinaryOp::Ge, -1) => binary(BinaryOp::Sub, (**bound).clone(), one(), span),
            _ => return None,
        };
        let runs = if l.step > 0 { BinaryOp::Lt } else { BinaryOp::Gt };
        let skipped = binary(
            if l.step > 0 { BinaryOp::Gt } else { BinaryOp::Lt },
            l.init.clone(),
            end.clone(),
            span,
        );
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
        let condition = binary(runs, l.init.clone(), end.clone(), span);
        let ty = super::hir::common_type(end.ty, l.init.ty);
        let kind = ExprKind::Ternary(Box::new(condition), Box::new(end), Box::new(l.init.clone()));
        Some(Expr { kind, ty, span })
    }
}

/// The points where the iterator of the innermost loop, which steps by one, has its first value or a later one.
fn from_first_value(frame: &Frame<'_>, l: &Loop) -> Result<Set, Obstacle> {
    let op = if l.step > 0 { BinaryOp::Ge } else { BinaryOp::Le };
    let iterator = frame.forms.last().and_then(|(_, form)| form.as_ref());
    if let (Some(init), Some(iterator)) = (frame.form(&l.init), iterator)
        && let Some(set) = frame.compare_forms(op, iterator, &init)
    {
        return Ok(set?);
    }
    let (init, (_, iterator)) =
        (frame.value(&l.init)?, &frame.iterators[frame.iterators.len() - 1]);
    Ok(if l.step > 0 { iterator.ge_set(&init)? } else { iterator.le_set(&init)? })
}

/// Whether a condition that failed once fails for all later values of the iterator: the iterator is compared with
/// something that the loop does not change, in the direction in which it runs.
fn fails_for_good(condition: &Expr, var: VarId, step: i64) -> bool {
    let mut parts = Vec::new();
    flatten_and(condition, &mut parts);
    parts.into_iter().all(|part| {
        if !mentions(part, var) {
            return true;
        }
        let ExprKind::Binary(op, a, b) = &part.kind else { return false };
        let (op, bound) = match (a.scalar() == Some(var), b.scalar() == Some(var)) {
            (true, false) => (Some(*op), b),
            (false, true) => (mirrored(*op), a),
            _ => return false,
        };
        let towards = match op {
            Some(BinaryOp::Lt | BinaryOp::Le) => step > 0,
            Some(BinaryOp::Gt | BinaryOp::Ge) => step < 0,
            _ => false,
        };
        towards && !mentions(bound, var)
    })
}

/// Whether `expr` mentions `var`.
pub(super) fn mentions(expr: &Expr, var: VarId) -> bool {
    let mut found = false;
    expr.walk(&mut |e| found |= e.scalar() == Some(var));
    found
}

/// The comparison with its sides exchanged.
fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Le,
        BinaryOp::Eq => BinaryOp::Eq,
        BinaryOp::Ne => BinaryOp::Ne,
        _ => return None,
    })
}

/// The points of `started` before the first, in the direction of the last dimension, that is not in `condition`.
fn until_first_failure(
    started: &Set,
    condition: &Set,
    depth: u32,
) -> Result<Set, farkas_poly::Error> {
    let failed = started.subtract(condition)?;
    let (mut from, mut to) = (String::new(), String::new());
    for i in 0..depth - 1 {
        let _ = write!(from, "d{i}, ");
        let _ = write!(to, "d{i}, ");
    }
    let later: Map = format!("{{ [{from}x] -> [{to}y] : y >= x }}").parse()?;
    started.subtract(&failed.apply(&later)?)?.coalesce()
}
