//! Sums of unknowns while a constraint is read.

use super::Atom;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

/// A sum: terms, each once and with a factor that is not zero, and a constant.
#[derive(Clone, Default)]
pub(super) struct Form {
    /// The factor of each unknown, and the bytes of the text where it stands first.
    pub(super) terms: BTreeMap<Atom, (i64, Range<usize>)>,
    /// The constant.
    pub(super) constant: i64,
}

impl Form {
    /// A number.
    pub(super) fn constant(constant: i64) -> Self {
        Self { terms: BTreeMap::new(), constant }
    }

    /// One unknown.
    pub(super) fn of(atom: Atom, range: Range<usize>) -> Self {
        Self { terms: BTreeMap::from([(atom, (1, range))]), constant: 0 }
    }

    /// Whether it has no terms.
    pub(super) fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// The form plus `factor` times another; none where a number gets too large.
    pub(super) fn plus(mut self, other: Self, factor: i64) -> Option<Self> {
        self.constant = add_product(self.constant, other.constant, factor)?;
        for (atom, (value, range)) in other.terms {
            match self.terms.entry(atom) {
                Entry::Vacant(entry) => {
                    let value = add_product(0, value, factor)?;
                    if value != 0 {
                        entry.insert((value, range));
                    }
                }
                Entry::Occupied(mut entry) => {
                    entry.get_mut().0 = add_product(entry.get().0, value, factor)?;
                    if entry.get().0 == 0 {
                        entry.remove();
                    }
                }
            }
        }
        Some(self)
    }
}

/// `sum + factor * value`; none where that, or its negative, is too large.
pub(super) fn add_product(sum: i64, value: i64, factor: i64) -> Option<i64> {
    let sum = sum.checked_add(value.checked_mul(factor)?)?;
    (sum != i64::MIN).then_some(sum)
}
