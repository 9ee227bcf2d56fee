//! Tests of what expanded arrays take.
//!
//! Systems lend more memory than they have, so that an allocation says little. Sizes are compared as `double`s, which products of
//! extents do not overflow: sums of such products below 2^53 are exact, and what is above stays above.

use crate::body::bare;
use crate::dialect::C;
use crate::guards::{is_plain, is_plain_cond};
use farkas_astgen::{Binding, Dialect, Expr, Span, Term};
use farkas_scop::{ArrayId, MemoryLimit, Scop};

/// Whether it is known before the program runs if expanded arrays are within their limit: everything is a number.
pub fn is_limit_known(expanded: &[(ArrayId, Vec<Expr>)], limit: MemoryLimit, own: &[Span]) -> bool {
    let is_known = |span: &Span| is_number(&span.extents) && span.untouched.as_bool().is_some();
    let is_fixed = matches!(limit, MemoryLimit::Bytes(_)) || own.iter().all(is_known);
    expanded.iter().all(|(_, extents)| is_number(extents)) && is_fixed
}

/// Whether all extents are numbers.
fn is_number(extents: &[Expr]) -> bool {
    extents.iter().all(|extent| extent.as_int().is_some())
}

/// The condition, in C, under which the sizes of expanded arrays are sizes at all, so that an allocation can fail; nothing where they
/// are numbers.
pub(crate) fn size_text(
    c: &C<'_>,
    scop: &Scop,
    (expanded, threads): (&[(ArrayId, Vec<Expr>)], Threads<'_>),
) -> Option<String> {
    let is_known = expanded.iter().all(|(_, extents)| is_number(extents));
    let taken = || taken(c, scop, (expanded, threads));
    (!is_known).then(|| format!("{} <= (double)(__PTRDIFF_MAX__ / 2)", taken()))
}

/// How many threads have an array of their own, in C; none of those that all share.
pub(crate) type Threads<'a> = &'a dyn Fn(ArrayId) -> Option<&'static str>;

/// The condition, in C, under which expanded arrays are within their limit.
pub(crate) fn limit_text(
    c: &C<'_>,
    scop: &Scop,
    (expanded, threads): (&[(ArrayId, Vec<Expr>)], Threads<'_>),
    limit: MemoryLimit,
    own: &[Span],
) -> String {
    let taken = taken(c, scop, (expanded, threads));
    match limit {
        MemoryLimit::Bytes(most) => format!("{taken} <= {most}.0"),
        MemoryLimit::Times(times) => format!("{taken} <= {times} * ({})", touched(c, own)),
    }
}

/// The bytes of expanded arrays.
fn taken(
    c: &C<'_>,
    scop: &Scop,
    (expanded, threads): (&[(ArrayId, Vec<Expr>)], Threads<'_>),
) -> String {
    let sizes = expanded.iter().map(|(array, extents)| {
        let element = &scop.arrays()[*array].element;
        let size = match element.kind.size_bytes() {
            Some(bytes) => format!("{bytes}.0"),
            None => format!("(double)sizeof({})", bare(&element.text)),
        };
        let size = match threads(*array) {
            Some(threads) => format!("{size} * {threads}"),
            None => size,
        };
        product(c, &size, extents)
    });
    sizes.collect::<Vec<_>>().join(" + ")
}

/// Whether an extent fits the type of the parameters in it. The least extent is one.
fn is_narrow(extent: &Expr) -> bool {
    match extent.terms() {
        [(Term::Max(choices) | Term::Min(choices), 1)] if extent.constant() == 0 => {
            choices.iter().all(is_plain)
        }
        _ => is_plain(extent),
    }
}

/// An extent in a type that it fits.
pub(crate) fn extent_text(c: &C<'_>, extent: &Expr) -> String {
    if is_narrow(extent) {
        return c.widely(false, || c.expr(extent)).text;
    }
    format!("(__SIZE_TYPE__)({})", c.widely(true, || c.expr(extent)).text)
}

/// The bytes of what is touched of arrays.
fn touched(c: &C<'_>, own: &[Span]) -> String {
    let mut texts = Vec::new();
    for span in own {
        let size = product(c, &format!("{}.0", span.element_bytes), &span.extents);
        match span.untouched.as_bool() {
            Some(false) => texts.push(size),
            Some(true) => {}
            None => {
                let cond = c.widely(!is_plain_cond(&span.untouched), || c.cond(&span.untouched));
                texts.push(format!("({} ? 0.0 : {size})", cond.within(Binding::Or)));
            }
        }
    }
    if texts.is_empty() { "0.0".to_owned() } else { texts.join(" + ") }
}

/// A number of bytes times extents.
fn product(c: &C<'_>, size: &str, extents: &[Expr]) -> String {
    let mut text = size.to_owned();
    for extent in extents {
        let factor = c.widely(!is_narrow(extent), || c.expr(extent));
        text.push_str(&format!(" * {}", factor.within(Binding::Unary)));
    }
    text
}
