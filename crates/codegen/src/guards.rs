//! Conditions in front of a region, in C.
//!
//! Arithmetic that may leave `int` is done in `long`, that of `long` in `__int128`. Addresses are compared as numbers: C does
//! not order pointers into different objects.

use crate::dialect::C;
use farkas_astgen::{Binding, Cond, Dialect, Expr, Guard, Term, Text, Touched};

/// A guard as a condition.
pub(crate) fn guard_text(c: &C<'_>, guard: &Guard) -> Text {
    match guard {
        Guard::Parameters(cond) => c.widely(!is_plain_cond(cond), || c.cond(cond)),
        Guard::Apart { untouched, touched: [a, b], or_same } => {
            let mut options = Vec::new();
            if untouched.as_bool() != Some(false) {
                let wide = !is_plain_cond(untouched);
                options.push(c.widely(wide, || c.cond(untouched)).within(Binding::Equality));
            }
            if *or_same {
                options.push(format!("(void *){} == (void *){}", a.name, b.name));
            }
            let ends = [(a, &a.first), (a, &a.last), (b, &b.first), (b, &b.last)];
            let ends = ends.map(|(touched, at)| element(c, touched, at));
            options.push(c.apart(&ends));
            let binding = if options.len() > 1 { Binding::Or } else { Binding::Primary };
            Text::new(options.join(" || "), binding)
        }
    }
}

/// The address of the element with these subscripts.
fn element(c: &C<'_>, touched: &Touched, at: &[Expr]) -> String {
    let name = &touched.name;
    let Some((first, rest)) = at.split_first() else { return format!("&{name}") };
    if touched.linear.is_empty() {
        let subscripts = at.iter().map(|e| c.widely(!is_plain(e), || c.expr(e)).text);
        let subscripts: Vec<String> = subscripts.map(|text| format!("[{text}]")).collect();
        return format!("&{name}{}", subscripts.concat());
    }
    let subscript = c.widely(true, || {
        let steps = touched.linear.iter().zip(rest);
        steps.fold(c.expr(first), |sum, (extent, next)| {
            let row = sum.within(Binding::Product);
            let extent = c.expr(extent).within(Binding::Unary);
            let next = c.expr(next).within(Binding::Product);
            Text::new(format!("{row} * {extent} + {next}"), Binding::Sum)
        })
    });
    format!("&{name}[{}]", subscript.text)
}

/// Whether an expression is a number, or a parameter and a number, so that it is what the source computes, too.
fn is_plain(e: &Expr) -> bool {
    matches!(e.terms(), [] | [(Term::Param(_), 1)])
}

/// Whether a condition compares parameters with numbers alone.
fn is_plain_cond(cond: &Cond) -> bool {
    match cond {
        Cond::Zero(e) | Cond::NonNegative(e) => matches!(e.terms(), [] | [(Term::Param(_), 1 | -1)]),
        Cond::All(parts) | Cond::Any(parts) => parts.iter().all(is_plain_cond),
    }
}
