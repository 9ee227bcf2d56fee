//! A counterexample as a diagnostic at the user's source lines.

use super::{Schedule, loop_name};
use crate::Input;
use farkas_base::{Diagnostic, DiagnosticId, Span};
use farkas_deps::legality::{Conflict, Cut, Fault, Instance, InstanceFault, Place};
use farkas_deps::{Counterexample, DependenceKind};
use farkas_poly::{DimType, PwAff, Set};
use farkas_scop::Scop;
use farkas_tree::{Cursor, Node, ScheduleTree};

/// The diagnostic of a counterexample.
pub(super) fn illegal(
    input: &Input,
    scop: &Scop,
    schedule: &Schedule,
    found: &Counterexample,
) -> Diagnostic {
    let diagnostic = match &found.fault {
        Fault::UnknownStatement { name } => Diagnostic::new(
            DiagnosticId::BadSchedule,
            format!("the schedule orders `{name}`, which the region does not have"),
        ),
        Fault::Instance { instance, fault, .. } => faulty(input, instance, *fault),
        Fault::Order(conflict) => reversed(input, scop, schedule, &found.params, conflict),
        Fault::Cut(cut) => cut_range(input, scop, schedule, &found.params, cut),
        Fault::NotPrivate(_) | Fault::Required(_) | Fault::Program { .. } => {
            return Diagnostic::new(DiagnosticId::IllegalSchedule, found.to_string());
        }
    };
    if found.params.is_empty() {
        return diagnostic;
    }
    let params: Vec<String> = found.params.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    diagnostic.note(format!("an example, with {}", params.join(", ")))
}

/// An instance that does not run once.
fn faulty(input: &Input, instance: &Instance, fault: InstanceFault) -> Diagnostic {
    let name = named(instance);
    let (message, label) = match fault {
        InstanceFault::NeverRuns => (format!("the schedule has no date for {name}"), "never runs"),
        InstanceFault::RunsTwice => {
            (format!("the schedule runs {name} at two places"), "runs twice")
        }
        InstanceFault::NotInScop => (
            format!("the schedule runs {name}, which the region does not run"),
            "does not run for these values",
        ),
    };
    let diagnostic = Diagnostic::new(DiagnosticId::IllegalSchedule, message);
    match instance.span {
        Some(span) => diagnostic.at(&input.source, span, label),
        None => diagnostic,
    }
}

/// Two instances that are not in order.
fn reversed(
    input: &Input,
    scop: &Scop,
    schedule: &Schedule,
    params: &[(String, i64)],
    conflict: &Conflict,
) -> Diagnostic {
    let (first, second) = match conflict.kind {
        DependenceKind::Flow => ("writes", "reads"),
        DependenceKind::Anti => ("reads", "writes"),
        DependenceKind::Output => ("writes", "writes"),
        DependenceKind::Input => ("reads", "reads"),
    };
    let (source, sink) = (named(&conflict.source), named(&conflict.sink));
    let array = &scop.arrays()[conflict.array].source_name;
    let message = format!(
        "the schedule does not keep a dependence ({} of `{array}`): {source} must run before {sink}",
        conflict.kind.name()
    );
    let mut diagnostic = Diagnostic::new(DiagnosticId::IllegalSchedule, message);
    let at_first = format!("first {source} {first} {}", conflict.element);
    let at_second = format!("then {sink} {second} it");
    let source_span = conflict.source_span.or(conflict.source.span);
    let sink_span = conflict.sink_span.or(conflict.sink.span);
    diagnostic = match (source_span, sink_span) {
        (Some(a), Some(b)) if a == b => {
            diagnostic.at(&input.source, a, format!("{at_first}, {at_second}"))
        }
        (Some(a), Some(b)) => diagnostic.at(&input.source, b, at_second).also(a, at_first),
        (Some(span), None) | (None, Some(span)) => {
            diagnostic.at(&input.source, span, format!("{at_first}, {at_second}"))
        }
        (None, None) => diagnostic.note(format!("{at_first}, {at_second}")),
    };
    let ends = [&conflict.source, &conflict.sink];
    diagnostic.note(place(schedule, params, ends, &conflict.place))
}

/// A live range that a write cuts.
fn cut_range(
    input: &Input,
    scop: &Scop,
    schedule: &Schedule,
    params: &[(String, i64)],
    cut: &Cut,
) -> Diagnostic {
    let [write, read, other] = [&cut.write, &cut.read, &cut.other].map(named);
    let array = &scop.arrays()[cut.array].source_name;
    let message = format!(
        "the schedule cuts a live range of `{array}`: {other} may overwrite what {write} writes for {read}"
    );
    let mut diagnostic = Diagnostic::new(DiagnosticId::IllegalSchedule, message);
    let texts = [
        (&cut.other, format!("{other} writes {}, too", cut.element)),
        (&cut.write, format!("{write} writes {}", cut.element)),
        (&cut.read, format!("{read} needs that value")),
    ];
    let mut known: Vec<Span> = Vec::new();
    for (instance, text) in texts {
        diagnostic = match instance.span {
            None => diagnostic.note(text),
            Some(span) if known.contains(&span) => diagnostic.note(text),
            Some(span) if known.is_empty() => {
                known.push(span);
                diagnostic.at(&input.source, span, text)
            }
            Some(span) => {
                known.push(span);
                diagnostic.also(span, text)
            }
        };
    }
    let (ends, order) = if cut.is_before {
        ([&cut.other, &cut.write], format!("{other} before {write}"))
    } else {
        ([&cut.read, &cut.other], format!("{read} before {other}"))
    };
    diagnostic
        .note(format!("the region runs {order}; {}", place(schedule, params, ends, &cut.place)))
}

/// What the schedule does to the two.
fn place(
    schedule: &Schedule,
    params: &[(String, i64)],
    [first, second]: [&Instance; 2],
    place: &Place,
) -> String {
    let dates = |cursor: &Cursor, member: usize| {
        let date = |instance| date(schedule, cursor, member, params, instance);
        match (date(first), date(second)) {
            (Some(source), Some(sink)) => format!(": dates {source} and {sink}"),
            _ => String::new(),
        }
    };
    match place {
        Place::Loop { cursor, member } => format!(
            "{} reverses them{}",
            loop_name(schedule, cursor, *member),
            dates(cursor, *member)
        ),
        Place::Concurrent { cursor, member, mark } => format!(
            "{} is marked {mark} and has them in different iterations{}",
            loop_name(schedule, cursor, *member),
            dates(cursor, *member)
        ),
        Place::Unordered { .. } if schedule.is_map => {
            "both have the same date, so nothing orders them".to_owned()
        }
        other => other.to_string(),
    }
}

/// `S1(i = 2, j = 0)`.
fn named(instance: &Instance) -> String {
    let values: Vec<String> =
        instance.iterators.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    format!("{}({})", instance.name, values.join(", "))
}

/// The date of an instance in one loop, where it is a small number.
fn date(
    schedule: &Schedule,
    cursor: &Cursor,
    member: usize,
    params: &[(String, i64)],
    instance: &Instance,
) -> Option<i64> {
    let Node::Band { band, .. } = schedule.tree.at(cursor).map(ScheduleTree::node).ok()? else {
        return None;
    };
    let parts = band.members.get(member)?.schedule.pw_affs().ok()?;
    let is_own = |part: &&PwAff| {
        part.domain_space().ok().and_then(|s| s.tuple_name(DimType::SET)).as_deref()
            == Some(instance.name.as_str())
    };
    value(parts.iter().find(is_own)?, params, &instance.point)
}

/// The value of a function at a point.
fn value(function: &PwAff, params: &[(String, i64)], point: &[i64]) -> Option<i64> {
    let mut map = function.to_map().ok()?;
    for (position, name) in (0..).zip(map.space().ok()?.param_names().ok()?) {
        let (_, value) = params.iter().find(|(other, _)| *other == name)?;
        map = map.fix_si(DimType::Param, position, i32::try_from(*value).ok()?).ok()?;
    }
    for (position, value) in (0..).zip(point) {
        map = map.fix_si(DimType::In, position, i32::try_from(*value).ok()?).ok()?;
    }
    let range: Set = map.range().ok()?;
    range.dim_min_val(0).ok()?.to_i64().ok()
}
