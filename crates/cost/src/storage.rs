//! What arrays take.

use farkas_astgen::{Ast, Expr, Span};
use farkas_interp::Params;
use farkas_scop::Scop;

/// Bytes of an element whose type the source does not reveal: an estimate.
const UNKNOWN_ELEMENT_BYTES: u32 = 8;

/// The bytes that the expanded arrays of `ast` take where parameters have these values: infinite where that is no number.
pub fn expanded_bytes(scop: &Scop, ast: &Ast, params: &Params) -> f64 {
    let bytes = ast.expanded.iter().map(|(array, extents)| {
        let size = scop.arrays()[*array].element.kind.size_bytes();
        product(size.unwrap_or(UNKNOWN_ELEMENT_BYTES), extents, params).unwrap_or(f64::INFINITY)
    });
    bytes.sum()
}

/// The bytes of what is touched of arrays where parameters have these values.
pub fn touched_bytes(spans: &[Span], params: &Params) -> f64 {
    let value = |name: &str| params.value(name).ok();
    let is_touched = |span: &&Span| span.untouched.eval(&value) == Some(false);
    let bytes = |span: &Span| product(span.element_bytes, &span.extents, params);
    spans.iter().filter(is_touched).filter_map(bytes).sum()
}

/// Elements of this size, times their numbers in all dimensions.
fn product(element_bytes: u32, extents: &[Expr], params: &Params) -> Option<f64> {
    let mut bytes = f64::from(element_bytes);
    for extent in extents {
        bytes *= extent.eval(&|name| params.value(name).ok())?.max(0) as f64;
    }
    Some(bytes)
}
