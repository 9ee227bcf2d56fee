//! How much memory a program's arrays take.

use crate::Result;
use crate::expr::{Cond, Expr};
use crate::guards::{Object, Part};
use farkas_scop::{AccessKind, ArrayScope, Scop};

/// Bytes of an element whose type the source does not reveal: an estimate.
const UNKNOWN_ELEMENT_BYTES: u32 = 8;

/// The part of an array that a program touches, from its first subscript to its last in each dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// Bytes of an element.
    pub element_bytes: u32,
    /// When nothing is touched; else the extents are positive.
    pub untouched: Cond,
    /// How many subscripts there are in each dimension.
    pub extents: Vec<Expr>,
}

/// What the statements of a scop touch of its own arrays. Where subscripts are data, that may have no end: such arrays are left
/// out.
///
/// # Errors
/// When isl refuses, or a range has no bound.
pub fn spans(scop: &Scop) -> Result<Vec<Span>> {
    let mut spans = Vec::new();
    for (id, array) in scop.arrays().iter_enumerated() {
        let is_own = !matches!(array.scope, ArrayScope::Expanded | ArrayScope::Buffer);
        let mut accesses = scop.stmts().iter().flat_map(|stmt| &stmt.accesses);
        let is_touched = accesses.any(|a| a.array == id && a.kind != AccessKind::Kill);
        if array.rank() == 0 || !is_own || !is_touched {
            continue;
        }
        let object = Object::Array(id);
        let Some(part) = Part::of(scop, &[object])? else { continue };
        if !part.has_ends(scop, object)? {
            continue;
        }
        let touched = part.touched(scop, object)?;
        let ends = touched.first.iter().zip(&touched.last);
        spans.push(Span {
            element_bytes: array.element.kind.size_bytes().unwrap_or(UNKNOWN_ELEMENT_BYTES),
            extents: ends.map(|(first, last)| last.minus(first).offset(1)).collect(),
            untouched: part.untouched,
        });
    }
    Ok(spans)
}
