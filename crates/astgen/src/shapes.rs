//! What there is of arrays: for whoever copies them elsewhere.

use crate::Result;
use crate::expr::{Cond, Expr};
use crate::guards::{Object, Part};
use farkas_scop::{AccessKind, ArrayId, Scop};

/// An array as a program lies in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The array.
    pub array: ArrayId,
    /// Its extents, those that the source says: functions of the parameters.
    pub extents: Vec<Option<Expr>>,
    /// Whether the source has one subscript for all dimensions.
    pub is_linear: bool,
    /// What the program touches of it; none where that has no ends, since subscripts are data.
    pub touched: Option<Ends>,
}

/// The elements of an array that are touched, from the first subscript to the last in each dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ends {
    /// When nothing is.
    pub untouched: Cond,
    /// When the first of them lies in front of where the array begins, or of where a pointer points.
    pub in_front: Cond,
    /// The least subscripts.
    pub first: Vec<Expr>,
    /// The greatest subscripts.
    pub last: Vec<Expr>,
}

/// The shapes of the arrays that the statements of a scop touch, scalars left out.
///
/// # Errors
/// When isl refuses.
pub fn shapes(scop: &Scop) -> Result<Vec<Shape>> {
    let mut found = Vec::new();
    for (id, array) in scop.arrays().iter_enumerated() {
        let mut accesses = scop.stmts().iter().flat_map(|stmt| &stmt.accesses);
        let is_touched = accesses.any(|a| a.array == id && a.kind != AccessKind::Kill);
        if array.rank() == 0 || !is_touched {
            continue;
        }
        let object = Object::Array(id);
        // Where nothing is ever touched, there is nothing to copy.
        let Some(part) = Part::of(scop, &[object])? else { continue };
        let extents = part.extents(scop, id)?;
        let touched = match part.has_ends(scop, object)? {
            true => {
                let touched = part.touched(scop, object)?;
                let (first, last) = (touched.first, touched.last);
                let in_front = part.in_front(scop, object)?;
                Some(Ends { untouched: part.untouched, in_front, first, last })
            }
            false => None,
        };
        let is_linear = crate::guards::is_linear(scop, id);
        found.push(Shape { array: id, extents, is_linear, touched });
    }
    Ok(found)
}
