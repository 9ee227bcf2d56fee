//! Diagnostics of expressions that are not affine, and one message for what is wrong in several places.

use super::affine::Why;
use super::build::Builder;
use super::hir::VarId;
use farkas_base::{Diagnostic, DiagnosticId, Span};
use farkas_scop::Grant;

/// How many places beside the first a message shows.
const MAX_PLACES: usize = 3;

/// Why `what` is not affine, in terms of the source; `id` is the kind of error that the place calls for.
pub(super) fn explain(
    builder: &Builder<'_>,
    id: DiagnosticId,
    what: &str,
    why: &Why,
    span: Span,
) -> Diagnostic {
    let plain = |label: &str| builder.at(id, format!("{what} is not affine"), span, label);
    match why {
        Why::Product { of_parameters: true } => plain("a product of two parameters")
            .note("affine are sums of iterators and parameters with constant factors")
            .help("compute the product before the region, in a variable of its own"),
        Why::Product { .. } => plain("a product of two variables")
            .note("affine are sums of iterators and parameters with constant factors")
            .help("where one factor is a constant, write it as a literal or `#define` it"),
        Why::Divisor => plain("only a division by a constant other than 0 is affine")
            .help("where the divisor is a constant, write it as a literal or `#define` it"),
        Why::Element(var) => from_data(builder, id, what, *var, span),
        Why::Written(var) => written(builder, id, what, *var, span),
        Why::NotInteger => plain("not an integer").help("compute with integers"),
        Why::Call(function) => plain(&format!("what `{function}` returns is not known to the tool"))
            .help("write the value out, or make the function one `return` of an integer expression"),
        Why::Bits => plain("bit arithmetic").help("write it with `+`, `-`, `*`, `/` and `%`"),
        Why::Conversion => plain("this conversion may change the value")
            .help("compute with `int` or a larger type"),
        Why::Iterator(var) => iterator_value(builder, *var, span),
        Why::RowUnknown => plain("may leave its row")
            .note("several dimensions in one are told apart only where each index provably stays inside its own")
            .help("declare the array with all its dimensions"),
    }
}

/// Something is read from an array.
fn from_data(
    builder: &Builder<'_>,
    id: DiagnosticId,
    what: &str,
    var: VarId,
    span: Span,
) -> Diagnostic {
    let name = &builder.vars[var].name;
    let (id, message, help) = match id {
        DiagnosticId::NonAffineSubscript => (
            DiagnosticId::IndirectSubscript,
            format!("{what} is read from the array `{name}`"),
            "end the region before this statement, or move it out of the loops that matter",
        ),
        DiagnosticId::NonAffineBound => (
            DiagnosticId::DataDependentBound,
            format!("{what} is read from the array `{name}`"),
            "end the region before this loop",
        ),
        other => (
            other,
            format!("{what} depends on data: the array `{name}`"),
            "move the condition into the loop, around its statements, or end the region before it",
        ),
    };
    builder
        .at(id, message, span, "")
        .note("what is read at run time is not known to the tool")
        .help(help)
}

/// A scalar that the region changes, or that is no integer.
fn written(
    builder: &Builder<'_>,
    id: DiagnosticId,
    what: &str,
    var: VarId,
    span: Span,
) -> Diagnostic {
    let v = &builder.vars[var];
    let Some(write) = v.writes.first() else {
        return builder
            .at(id, format!("{what} depends on `{}`, which is no parameter", v.name), span, "")
            .also(v.span, "declared here");
    };
    builder
        .at(
            DiagnosticId::ModifiedParameter,
            format!("{what} uses `{}`, which the region changes", v.name),
            span,
            "",
        )
        .also(*write, "changed here")
        .note("only what stays the same throughout the region is a parameter")
        .help(format!(
            "write the value of `{}` out in terms of iterators and parameters, or compute it before the region",
            v.name
        ))
}

/// An iterator outside its loop.
pub(super) fn iterator_value(builder: &Builder<'_>, var: VarId, span: Span) -> Diagnostic {
    let name = &builder.vars[var].name;
    builder
        .at(DiagnosticId::IteratorValue, format!("the iterator `{name}` is used outside its loop"), span, "")
        .note("the value that a loop leaves in its iterator is known only where its bounds are simple")
        .help("write the value out in terms of the bounds")
}

/// The same diagnostics in the order of the file, with one message for each cause: the first place where it shows, some others, and how
/// many more there are.
pub(super) fn by_cause(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|d| d.primary.as_ref().map(|label| label.span.start));
    let mut causes: Vec<(Diagnostic, Vec<Span>)> = Vec::new();
    for diagnostic in diagnostics {
        let span = diagnostic.primary.as_ref().map(|label| label.span);
        match causes.iter_mut().find(|(first, _)| is_same_cause(first, &diagnostic)) {
            Some((first, others)) => {
                others.extend(span);
                if first.message != diagnostic.message {
                    first.message = of_wholes(first);
                }
            }
            None => causes.push((diagnostic, Vec::new())),
        }
    }
    causes.into_iter().map(|(first, others)| with_places(first, others)).collect()
}

/// Whether two diagnostics say the same of different places, or of members of the same structs.
fn is_same_cause(one: &Diagnostic, other: &Diagnostic) -> bool {
    let label = |d: &Diagnostic| d.primary.as_ref().map(|label| label.message.clone());
    (one.id, label(one), &one.notes, &one.help)
        == (other.id, label(other), &other.notes, &other.help)
        && (one.message == other.message || of_wholes(one) == of_wholes(other))
}

/// The message; where it is about the memory of members, about that of what they are members of.
fn of_wholes(diagnostic: &Diagnostic) -> String {
    let message = &diagnostic.message;
    if !matches!(diagnostic.id, DiagnosticId::OverlappingArrays | DiagnosticId::UntestedAssumption)
    {
        return message.clone();
    }
    let whole = |(at, part): (usize, &str)| match at % 2 {
        0 => part.to_owned(),
        _ => Grant::whole(part).to_owned(),
    };
    message.split('`').enumerate().map(whole).collect::<Vec<_>>().join("`")
}

/// A diagnostic with other places of which it is true.
fn with_places(mut first: Diagnostic, mut others: Vec<Span>) -> Diagnostic {
    let own = first.primary.as_ref().map(|label| label.span);
    others.retain(|span| Some(*span) != own);
    others.dedup();
    for span in others.iter().take(MAX_PLACES) {
        first = first.also(*span, "and here");
    }
    match others.len().saturating_sub(MAX_PLACES) {
        0 => first,
        1 => first.note("and 1 more place like this"),
        more => first.note(format!("and {more} more places like this")),
    }
}
