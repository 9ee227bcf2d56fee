//! The arrays that accesses name by number.

use super::refuse::{Lower, Place};
use crate::document::{BasicRelation, OpenScop, Relation, RowKind};
use farkas_base::{IdVec, NameGenerator};
use farkas_scop::{Array, ArrayId, ArrayScope, ElementKind, ElementType};
use std::collections::BTreeMap;

/// The arrays of a scop by their numbers.
pub(super) struct Arrays {
    /// For each number its place among the arrays and its number of subscripts, the most that any access has.
    by_number: BTreeMap<i64, (ArrayId, usize)>,
    arrays: IdVec<ArrayId, Array>,
}

impl Arrays {
    /// The arrays that the statements of `open` access.
    pub(super) fn new(open: &OpenScop, place: Place<'_>) -> Lower<Self> {
        let mut ranks: BTreeMap<i64, usize> = BTreeMap::new();
        for access in open.statements.iter().flat_map(|s| &s.accesses) {
            let Some(number) = number_of(access) else {
                let kind = access.kind.name();
                let message =
                    format!("a {kind} relation does not begin with the number of its array");
                return Err(place.refuse(message, "in this scop"));
            };
            let n_subscripts = access.parts.first().map_or(0, |p| p.n_output.saturating_sub(1));
            let rank = ranks.entry(number).or_default();
            *rank = n_subscripts.max(*rank);
        }
        let mut names = NameGenerator::default();
        let mut result = Self { by_number: BTreeMap::new(), arrays: IdVec::new() };
        for (number, rank) in ranks {
            let given = open.array_names().iter().find(|(id, _)| *id == number);
            let source_name = given.map_or_else(|| format!("A{number}"), |(_, name)| name.clone());
            let array = array(names.fresh(&identifier(&source_name)), source_name, rank);
            result.by_number.insert(number, (result.arrays.push(array), rank));
        }
        Ok(result)
    }

    /// The array that an access touches: its place, its name and its number of subscripts.
    pub(super) fn of(&self, access: &Relation) -> Option<(ArrayId, &str, usize)> {
        let (id, rank) = *self.by_number.get(&number_of(access)?)?;
        Some((id, &self.arrays.get(id)?.name, rank))
    }

    /// All of them.
    pub(super) fn arrays(&self) -> IdVec<ArrayId, Array> {
        self.arrays.clone()
    }
}

/// The number of the array: the value to which each part fixes its first output dimension.
fn number_of(access: &Relation) -> Option<i64> {
    let mut numbers = access.parts.iter().map(fixed_first);
    let first = numbers.next()??;
    numbers.all(|number| number == Some(first)).then_some(first)
}

/// The constant that a row `c * first + constant = 0` gives the first output dimension.
fn fixed_first(part: &BasicRelation) -> Option<i64> {
    if part.n_output == 0 {
        return None;
    }
    part.rows.iter().filter(|row| row.kind == RowKind::Equality).find_map(|row| {
        let (&factor, rest) = row.coefficients.split_first()?;
        let (&constant, others) = rest.split_last()?;
        let is_alone = factor != 0 && others.iter().all(|c| *c == 0);
        let is_whole = is_alone && constant.checked_rem(factor)? == 0;
        if is_whole { constant.checked_neg()?.checked_div(factor) } else { None }
    })
}

/// An array of which nothing is known but its name: it may be set before and read after the scop.
fn array(name: String, source_name: String, rank: usize) -> Array {
    Array {
        name,
        source_name,
        element: ElementType { text: "unknown".into(), kind: ElementKind::Other },
        extents: vec![None; rank],
        scope: ArrayScope::Global,
        is_live_in: true,
        is_live_out: true,
        declaration: None,
        reduction: None,
        span: None,
    }
}

/// A name of C made of any text: `p->x` becomes `p__x`.
fn identifier(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = text.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}
