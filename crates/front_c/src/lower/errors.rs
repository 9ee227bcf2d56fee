//! Diagnostics of expressions that are not affine.

use super::affine::{Obstacle, Why};
use super::build::Builder;
use farkas_base::{Diagnostic, DiagnosticId};

/// Why `what` is not affine, in terms of the source.
pub(super) fn explain(
    builder: &Builder<'_>,
    id: DiagnosticId,
    what: &str,
    obstacle: Obstacle,
) -> Diagnostic {
    let (why, span) = match obstacle {
        Obstacle::At { why, span } => (why, span),
        Obstacle::Isl(error) => {
            return Diagnostic::new(
                DiagnosticId::TooComplex,
                format!("{what} is too complex: {error}"),
            );
        }
    };
    let name = |var| builder.vars[var].name.as_str();
    let at = |id, label: &str| builder.at(id, format!("{what} is not affine"), span, label);
    match why {
        Why::Product => at(id, "a product of two variables")
            .help("if one of them is a constant, make it one with `#define`"),
        Why::Divisor => at(id, "only division by a constant other than 0 is affine"),
        Why::Element(var) => {
            let message = match id {
                DiagnosticId::NonAffineSubscript => {
                    format!("{what} is read from the array `{}`", name(var))
                }
                _ => format!("{what} depends on data: the array `{}`", name(var)),
            };
            let id = match id {
                DiagnosticId::NonAffineSubscript => DiagnosticId::IndirectSubscript,
                DiagnosticId::NonAffineBound => DiagnosticId::DataDependentBound,
                other => other,
            };
            builder
                .at(id, message, span, "")
                .note("what is read at run time is not known to the tool")
        }
        Why::Written(var) => {
            let v = &builder.vars[var];
            let mut diagnostic = builder.at(
                DiagnosticId::ModifiedParameter,
                format!("{what} uses `{}`, which the region changes", v.name),
                span,
                "",
            );
            if let Some(write) = v.writes.first() {
                diagnostic = diagnostic.also(*write, "changed here");
            }
            diagnostic.help(format!("write the value of `{}` out in terms of iterators and parameters, or compute it before the region", v.name))
        }
        Why::NotInteger => at(id, "not an integer expression"),
        Why::Call(function) => {
            at(id, &format!("the value of `{function}` is not known to the tool"))
        }
        Why::Bits => at(id, "bit arithmetic"),
        Why::Conversion => at(id, "this conversion may change the value"),
        Why::Iterator(var) => builder
            .at(
                DiagnosticId::IteratorValue,
                format!("the iterator `{}` is used outside its loop", name(var)),
                span,
                "",
            )
            .help("compute the value from the bounds of the loop"),
    }
}
