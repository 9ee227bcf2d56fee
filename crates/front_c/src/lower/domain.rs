//! Loops: from their headers to the sets of their iterations.

use super::affine::{ActiveLoop, Frame, LoopValue, Obstacle};
use super::assume::{fits, range};
use super::build::{Builder, Refused, Step, flatten_and};
use super::final_values::{mentions, mirrored};
use super::hir::{Expr, ExprKind, Loop, VarId};
use farkas_base::{DiagnosticId, Span};
use farkas_poly::{DimType, Map, Set, Val};
use farkas_scop::{AssumptionKind, BinaryOp, ElementKind};
use std::fmt::Write;

impl<'a> Builder<'a> {
    /// Adds a loop to the present ones and returns the domain inside it.
    pub(super) fn enter(&mut self, l: &Loop, domain: &Set) -> Step<Set> {
        let name = self.vars[l.var].name.clone();
        let ty = self.vars[l.var].element.kind;
        let first = || -> Result<Frame<'a>, Obstacle> {
            let frame = self.frame("")?;
            frame.in_type(&l.init, frame.widened(&l.init, ty)?, ty)?;
            Ok(frame)
        };
        let frame = first().map_err(|o| {
            self.refuse(
                DiagnosticId::NonAffineBound,
                &format!("the first value of `{name}`"),
                l.span,
                o,
            )
        })?;
        self.require_or_refuse(&frame, domain)?;
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
        let mut domain = self.until_end(l, name, &frame, &started)?;
        let reached = evaluated_at(l, &frame, &started, &domain);
        let reached = reached.map_err(|o| self.refuse_bound(l, name, o))?;
        if self.require(&frame, &reached)?.is_err() {
            frame.wraps.set(true);
            domain = self.until_end(l, name, &frame, &started)?;
            domain = self.possible(&domain, l.span)?;
            let reached = evaluated_at(l, &frame, &started, &domain);
            let reached = reached.map_err(|o| self.refuse_bound(l, name, o))?;
            self.require_or_refuse(&frame, &reached)?;
        }
        if !frame.wraps.get() {
            self.runs(l, &frame, &started, &domain);
        }
        self.stays_in_type(l, name, &frame, &domain)?;
        Ok(domain)
    }

    /// The iterations before the condition fails.
    fn until_end(&mut self, l: &Loop, name: &str, frame: &Frame<'_>, started: &Set) -> Step<Set> {
        let condition = frame.condition(&l.condition).map_err(|o| self.refuse_bound(l, name, o))?;
        let depth = u32::try_from(self.loops.len()).unwrap_or(u32::MAX);
        let ends_at_first_failure = fails_for_good(&l.condition, l.var, l.step);
        let domain = if ends_at_first_failure {
            started.intersect(&condition)
        } else {
            until_first_failure(started, &condition, depth)
        };
        let mut domain = self.check(domain, Some(l.span))?;
        let bounded = |set: &Set| set.dim_has_upper_bound(DimType::SET, depth - 1);
        if !self.check(bounded(&domain), Some(l.span))? {
            self.ends(l, name, frame, &domain)?;
            let known = domain.intersect_params(&self.context).and_then(|d| d.coalesce());
            domain = self.check(known, Some(l.span))?;
            let empty = self.check(domain.is_empty(), Some(l.span))?;
            if !empty && !self.check(bounded(&domain), Some(l.span))? {
                return Err(self.refuse_endless(l, name, ends_at_first_failure));
            }
            let simple = domain.gist_params(&self.context);
            domain = self.check(simple, Some(l.span))?;
        }
        Ok(domain)
    }

    /// A loop over a signed iterator ends before the iterator leaves its type: C leaves it undefined what happens else. So the
    /// parameters for which it would not are out.
    fn ends(&mut self, l: &Loop, name: &str, frame: &Frame<'_>, domain: &Set) -> Step<()> {
        let ty = self.vars[l.var].element.kind;
        let (ElementKind::Signed(32..), Some((least, Some(most)))) = (ty, range(ty)) else {
            return Ok(());
        };
        let overflows = || -> Result<Set, Obstacle> {
            let (_, iterator) = &frame.iterators[frame.iterators.len() - 1];
            let last = match l.step > 0 {
                true => iterator.ge_set(&frame.constant(most)?)?,
                false => iterator.le_set(&frame.constant(least)?)?,
            };
            Ok(domain.intersect(&last)?.params()?.intersect(&self.ranges)?)
        };
        let bad = overflows().map_err(|o| self.refuse_bound(l, name, o))?;
        let is_never = bad.is_empty();
        let rest = self.ranges.subtract(&bad);
        let is_always = rest.and_then(|rest| domain.intersect_params(&rest)?.is_empty());
        if !self.check(is_never, Some(l.span))? && !self.check(is_always, Some(l.span))? {
            let text = format!("`{name}` does not overflow");
            let proof = "it is signed".to_owned();
            let done = self.exclude_parameters(AssumptionKind::NoWrap, &bad, text, l.span, proof);
            self.check(done, Some(l.span))?;
        }
        Ok(())
    }

    /// A set without its convex parts that no values of the parameters' types reach.
    pub(super) fn possible(&mut self, set: &Set, span: Span) -> Step<Set> {
        let possible = || -> Result<Set, farkas_poly::Error> {
            let mut kept = set.subtract(set)?;
            for part in set.basic_sets()? {
                let part = part.to_set()?;
                if !part.intersect_params(&self.ranges)?.is_empty()? {
                    kept = kept.union(&part)?;
                }
            }
            kept.coalesce()
        };
        let possible = possible();
        self.check(possible, Some(span))
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

    /// The iterator does not leave the range of its type, where C would go on elsewhere. Signed types of 32 bits and more
    /// never do: C leaves it undefined.
    fn stays_in_type(&mut self, l: &Loop, name: &str, frame: &Frame<'_>, domain: &Set) -> Step<()> {
        let ty = self.vars[l.var].element.kind;
        if matches!(ty, ElementKind::Signed(32..)) {
            return Ok(());
        }
        let stays = || -> Result<Set, Obstacle> {
            let (_, iterator) = &frame.iterators[frame.iterators.len() - 1];
            Ok(fits(frame, &iterator.add(&frame.constant(l.step)?)?, ty)?)
        };
        let holds = stays().map_err(|o| self.refuse_bound(l, name, o))?;
        let fails = domain.intersect_params(&self.ranges).and_then(|d| d.subtract(&holds));
        let fails = self.check(fails, Some(l.span))?;
        if self.check(fails.is_empty(), Some(l.span))? {
            return Ok(());
        }
        let bad = fails.params().and_then(|bad| bad.coalesce());
        let bad = self.check(bad, Some(l.span))?;
        let rest = self.ranges.subtract(&bad);
        let left = rest.and_then(|rest| domain.intersect_params(&rest)?.is_empty());
        if self.check(left, Some(l.span))? {
            return Err(self.refuse_leaving(l, name));
        }
        let text = format!("`{name}` stays in the range of its type");
        let done = self.take_parameters(AssumptionKind::NoWrap, &bad, text, l.span);
        self.check(done, Some(l.span))
    }

    /// Reports an iterator that always leaves its type.
    fn refuse_leaving(&mut self, l: &Loop, name: &str) -> Refused {
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
        Refused
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

/// The points where the condition of the innermost loop is evaluated: its first, and those after an iteration.
fn evaluated_at(l: &Loop, frame: &Frame<'_>, started: &Set, domain: &Set) -> Result<Set, Obstacle> {
    if frame.required.borrow().is_empty() {
        return Ok(domain.clone());
    }
    let depth = u32::try_from(frame.iterators.len()).unwrap_or(u32::MAX);
    let first = match l.step {
        1 | -1 => {
            let (_, iterator) = &frame.iterators[frame.iterators.len() - 1];
            started.intersect(&iterator.eq_set(&frame.value(&l.init)?)?)?
        }
        _ => started.upper_bound_val(DimType::SET, depth - 1, &Val::int(0)?)?,
    };
    let outer: Vec<String> = (1..depth).map(|i| format!("d{i}")).collect();
    let with =
        |last: &str| outer.iter().map(String::as_str).chain([last]).collect::<Vec<_>>().join(", ");
    let next: Map = format!("{{ [{}] -> [{}] }}", with("x"), with("x + 1")).parse()?;
    Ok(domain.union(&domain.apply(&next)?)?.union(&first)?)
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
