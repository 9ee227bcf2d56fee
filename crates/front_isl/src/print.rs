//! Scops and constraints as isl's text.

use crate::constraints::{Constraint, ConstraintKind};
use farkas_poly::{Result, Set, Space};
use farkas_scop::Scop;
use std::fmt::{Display, Write};

/// The domain, context and constraints as isl's schedule constraints, in the order of the statements: [`read_constraints`]
/// reads the same again. Pairs stand there as they were written.
///
/// [`read_constraints`]: crate::read_constraints
///
/// # Errors
/// When isl refuses.
///
/// # Example
/// ```text
/// domain: "[n] -> { S[i] : 0 <= i < n }"
/// validity: "[n] -> { S[i] -> S[o0] : o0 = 1 + i }"
/// ```
pub fn print_constraints(scop: &Scop, constraints: &[Constraint]) -> Result<String> {
    let mut text = String::new();
    write_domain(&mut text, scop)?;
    for kind in ConstraintKind::ALL {
        let of_kind = constraints.iter().filter(|constraint| constraint.kind == kind);
        let model = params(scop)?;
        let pairs: Vec<_> =
            of_kind.map(|c| c.written.align_params(&model)).collect::<Result<_>>()?;
        write_union(&mut text, kind.name(), &pairs);
    }
    Ok(text)
}

/// The parameters of a scop, in its order.
pub(crate) fn params(scop: &Scop) -> Result<Space> {
    let names: Vec<&str> = scop.params().iter().map(|param| param.name.as_str()).collect();
    Space::params_named(&names)
}

/// The keys `domain` and, where it says something, `context`.
pub(crate) fn write_domain(text: &mut String, scop: &Scop) -> Result<()> {
    let model = params(scop)?;
    let domains: Vec<Set> =
        scop.stmts().iter().map(|stmt| stmt.domain.align_params(&model)).collect::<Result<_>>()?;
    if domains.is_empty() {
        text.push_str("domain: \"{ }\"\n");
    }
    write_union(text, "domain", &domains);
    if !scop.context().plain_is_universe()? {
        write_union(text, "context", std::slice::from_ref(scop.context()));
    }
    Ok(())
}

/// A key with the union of `parts`, which have the same parameters, in their order; nothing where there are none.
pub(crate) fn write_union<T: Display>(text: &mut String, key: &str, parts: &[T]) {
    let parts: Vec<String> = parts.iter().map(T::to_string).collect();
    let Some(head) = parts.first().and_then(|first| first.split_once('{')) else { return };
    let inside = |part: &String| {
        let body = part.split_once('{').map_or("", |(_, body)| body);
        body.trim_end().strip_suffix('}').unwrap_or(body).trim().to_owned()
    };
    let bodies: Vec<String> = parts.iter().map(inside).collect();
    let _ = writeln!(text, "{key}: \"{}{{ {} }}\"", head.0, bodies.join("; "));
}
