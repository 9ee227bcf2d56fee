//! Classes of references to lines: line-based accesses, pattern separation and access completion.

use super::LocalityOptions;
use super::class::{Cells, Class, Place};
use super::completion::completion;
use super::references::Function;
use crate::form::Form;
use farkas_scop::ArrayId;
use std::collections::HashMap;

/// The classes of references to the lines of arrays, in the order of their first references.
///
/// **Paper.** RR-9110 (see [`super::locality`]), 4.1: a line is what has the same outer subscripts and the same last
/// subscript after division by the number of its elements, rounded down. Lines are clipped to the elements that are
/// accessed at all: since a line is known here by its number, and that comes from an accessed element, there is nothing to
/// clip. Scalars have no lines. 4.2: references are separated by their patterns and completed. A reference that is no
/// function of the instance has no pattern, and is in no class.
pub(super) fn classes(functions: &[Function], options: &LocalityOptions) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    let mut known: HashMap<(ArrayId, Option<(usize, Place)>), usize> = HashMap::new();
    for function in functions {
        let place =
            function.forms.as_deref().and_then(|forms| place(forms, function.depth, options));
        let Some(place) = place else { continue };
        let array = function.reference.array;
        let pattern = options.separates.then(|| (function.depth, pattern(&place)));
        let class = *known.entry((array, pattern)).or_insert_with(|| {
            classes.push(Class::new(array, Cells::Lines, options.separates));
            classes.len() - 1
        });
        classes[class].add(function, place);
    }
    classes
}

/// The line that a reference with these subscripts touches; `None` for scalars, and where numbers do not fit.
///
/// Of a rounded outer subscript it is what it rounds that tells lines apart: as for loops that a reference does not depend
/// on, iterations that touch the same line again by that are no reuse that a schedule could follow.
fn place(forms: &[Form], depth: usize, options: &LocalityOptions) -> Option<Place> {
    let (last, outer) = forms.split_last()?;
    let mut outer: Vec<Vec<i64>> = outer.iter().flat_map(Form::rows).collect();
    let divided = match last.quotient() {
        Some((row, divisor)) => {
            let line = i64::from(options.line_elems.get()).checked_mul(divisor)?;
            Some((row.to_vec(), line))
        }
        None => {
            outer.extend(last.rows());
            None
        }
    };
    if options.completes {
        let rows = outer.iter().chain(divided.iter().map(|(row, _)| row));
        let linear: Vec<Vec<i64>> = rows.map(|row| row[..depth].to_vec()).collect();
        let n_others = last.linear.len() - depth;
        let mut completed = completion(&linear, depth).ok()?;
        completed.iter_mut().for_each(|row| row.extend(std::iter::repeat_n(0, n_others)));
        outer.splice(0..0, completed);
    }
    Some(Place { outer, divided })
}

/// What references must share to have the same pattern: their subscripts, less the constant of the last one.
fn pattern(place: &Place) -> Place {
    let mut pattern = place.clone();
    pattern.divided.iter_mut().filter_map(|(row, _)| row.last_mut()).for_each(|last| *last = 0);
    pattern
}
