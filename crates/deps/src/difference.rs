//! Differences of dates over pairs of instances, bounded without isl.

use crate::form::{Floor, Form};
use crate::rows::{Row, System};
use farkas_poly::LinearRow;
use std::rc::Rc;

/// The columns of the rows over a pair of instances: others, source, sink, parameters, constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub(crate) source: usize,
    pub(crate) sink: usize,
    pub(crate) params: usize,
    n: usize,
}

/// The difference of two dates, sink minus source.
pub(crate) struct Difference {
    linear: Row,
    floors: Vec<FloorPair>,
}

/// Rounded terms of source and sink with the same denominator, both times the factor.
#[derive(Clone, Debug)]
struct FloorPair {
    factor: i64,
    source: Rc<Floor>,
    sink: Rc<Floor>,
}

impl FloorPair {
    /// Whether both pairs hold the same terms, whatever the factors.
    fn is_like(&self, other: &Self) -> bool {
        let same =
            |a: &Floor, b: &Floor| a.denominator == b.denominator && a.numerator == b.numerator;
        same(&self.source, &other.source) && same(&self.sink, &other.sink)
    }
}

/// Pairs of instances, or more than there are.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    system: System,
    /// Rounded terms that are equal on all of them.
    equal: Vec<FloorPair>,
}

/// What is seen of a difference on all pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// It is zero.
    Zero,
    /// It is not less than this.
    AtLeast(i64),
    /// Nothing.
    Unknown,
}

impl Columns {
    /// So many others, dimensions of source and sink, and parameters.
    pub(crate) fn new(others: usize, source: usize, sink: usize, params: usize) -> Self {
        let (first, second) = (others + source, others + source + sink);
        Self { source: others, sink: first, params: second, n: second + params + 1 }
    }

    /// An isl row, its dimensions at the columns `dims`; `None` where they do not fit.
    pub(crate) fn place(self, row: &LinearRow, dims: &[usize]) -> Option<Row> {
        if row.dims.len() != dims.len() || self.params + row.params.len() + 1 != self.n {
            return None;
        }
        let mut placed = vec![0; self.n];
        dims.iter().zip(&row.dims).for_each(|(&column, &value)| placed[column] = value);
        placed[self.params..self.n - 1].copy_from_slice(&row.params);
        placed[self.n - 1] = row.constant;
        Some(Row(placed))
    }

    /// The difference of two dates; `None` where their rounded terms do not match.
    pub(crate) fn difference(self, source: &Form, sink: &Form) -> Option<Difference> {
        let linear = self.minus(&sink.linear, &source.linear)?;
        let mut open: Vec<(&Rc<Floor>, i64)> =
            source.floors.iter().map(|f| (f, f.factor)).collect();
        let mut floors = Vec::new();
        for sink in &sink.floors {
            let mut left = sink.factor;
            while left != 0 {
                let (source, other) = open.iter_mut().find(|(source, other)| {
                    source.denominator == sink.denominator && other.signum() == left.signum()
                })?;
                let factor = if left.abs() < other.abs() { left } else { *other };
                floors.push(FloorPair { factor, source: Rc::clone(source), sink: Rc::clone(sink) });
                left -= factor;
                *other -= factor;
            }
        }
        open.iter().all(|(_, left)| *left == 0).then_some(Difference { linear, floors })
    }

    /// The difference of two dates without rounded terms.
    pub(crate) fn linear_difference(self, source: &Form, sink: &Form) -> Option<Row> {
        let is_linear = source.floors.is_empty() && sink.floors.is_empty();
        if is_linear { self.minus(&sink.linear, &source.linear) } else { None }
    }

    /// The difference of a row over the sink and a row over the source; `None` where they do not fit or on overflow.
    fn minus(self, sink: &[i64], source: &[i64]) -> Option<Row> {
        let trailing = self.n - self.params;
        let (there, here) =
            (sink.len().checked_sub(trailing)?, source.len().checked_sub(trailing)?);
        let mut row = vec![0; self.n];
        row[self.sink..self.sink + there].copy_from_slice(&sink[..there]);
        row[self.params..].copy_from_slice(&sink[there..]);
        let columns = (self.source..self.source + here).chain(self.params..self.n);
        for (column, value) in columns.zip(source) {
            row[column] = row[column].checked_sub(*value)?;
        }
        Some(Row(row))
    }
}

impl Left {
    /// The pairs of `system`.
    pub(crate) fn new(system: System) -> Self {
        Self { system, equal: Vec::new() }
    }

    /// Whether there are obviously no pairs.
    pub(crate) fn plain_is_empty(&self) -> bool {
        self.system.plain_is_empty()
    }

    /// What is seen of `difference`.
    pub(crate) fn bound(&self, columns: Columns, difference: &Difference) -> Bound {
        let Some(mut lower) = self.system.lower_bound(&difference.linear) else {
            return Bound::Unknown;
        };
        let mut is_zero = self.system.value(&difference.linear) == Some(0);
        for pair in &difference.floors {
            match self.rounded(columns, pair) {
                Bound::Zero => {}
                Bound::AtLeast(bound) if pair.factor > 0 => {
                    is_zero = false;
                    let more = bound.checked_mul(pair.factor);
                    let Some(sum) = more.and_then(|more| lower.checked_add(more)) else {
                        return Bound::Unknown;
                    };
                    lower = sum;
                }
                Bound::AtLeast(_) | Bound::Unknown => return Bound::Unknown,
            }
        }
        if is_zero { Bound::Zero } else { Bound::AtLeast(lower) }
    }

    /// Keeps those pairs on which `difference` is zero, and perhaps others.
    pub(crate) fn assume_zero(&mut self, columns: Columns, difference: &Difference) {
        let linear = self.system.lower_bound(&difference.linear);
        let rounded: Vec<Bound> =
            difference.floors.iter().map(|pair| self.rounded(columns, pair)).collect();
        let is_never_negative = |(pair, bound): (&FloorPair, &Bound)| match bound {
            Bound::Zero => true,
            Bound::AtLeast(bound) => *bound >= 0 && pair.factor > 0,
            Bound::Unknown => false,
        };
        let is_linear = rounded.iter().all(|bound| *bound == Bound::Zero);
        let is_sum = linear.is_some_and(|bound| bound >= 0)
            && difference.floors.iter().zip(&rounded).all(is_never_negative);
        // A sum of terms of which none is negative is zero only where each of them is.
        if is_linear || is_sum {
            self.system.add_equality(difference.linear.clone());
        }
        if is_sum {
            self.equal.extend(difference.floors.iter().cloned());
        } else if let ([pair], Some(0)) =
            (&difference.floors[..], self.system.value(&difference.linear))
        {
            self.equal.push(pair.clone());
        }
    }

    /// What is seen of the difference of two rounded terms, without their factor.
    fn rounded(&self, columns: Columns, pair: &FloorPair) -> Bound {
        if self.equal.iter().any(|known| known.is_like(pair)) {
            return Bound::Zero;
        }
        let Some(difference) = columns.minus(&pair.sink.numerator, &pair.source.numerator) else {
            return Bound::Unknown;
        };
        if self.system.value(&difference) == Some(0) {
            return Bound::Zero;
        }
        match self.system.lower_bound(&difference) {
            Some(bound) => Bound::AtLeast(bound.div_euclid(pair.sink.denominator)),
            None => Bound::Unknown,
        }
    }
}
