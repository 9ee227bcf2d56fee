//! The original order of instances that are a known distance apart, without isl.

use crate::order::{DateDim, Dates};
use farkas_scop::StmtId;
use std::cmp::Ordering;

/// An instance as seen from another one: the statement, and how many iterations it lies before that one in each loop. A
/// distance that is not known is `None`.
pub(crate) type Seen<'a> = (StmtId, &'a [Option<i64>]);

/// How instances of two statements follow one another.
pub(crate) struct Common {
    /// The iterators that the dates compare, in this order, before constants decide.
    pub(crate) iterators: Vec<usize>,
    /// The order of instances that agree in all of them.
    pub(crate) tie: Ordering,
}

impl Dates {
    /// The order of two instances seen from the same instance, whose iterators correspond by position; `None` where the
    /// distances do not tell.
    pub(crate) fn compare(&self, first: Seen<'_>, second: Seen<'_>) -> Option<Ordering> {
        for pair in self.dims(first.0).iter().zip(self.dims(second.0)) {
            let order = match pair {
                (DateDim::Constant(a), DateDim::Constant(b)) => a.cmp(b),
                (DateDim::Iterator(a), DateDim::Iterator(b)) if a == b => {
                    let at = *a as usize;
                    (*second.1.get(at)?)?.cmp(&(*first.1.get(at)?)?)
                }
                _ => return None,
            };
            if order.is_ne() {
                return Some(order);
            }
        }
        Some(Ordering::Equal)
    }

    /// What the dates of two statements compare; `None` where they are not alike.
    pub(crate) fn common(&self, source: StmtId, sink: StmtId) -> Option<Common> {
        let mut common = Common { iterators: Vec::new(), tie: Ordering::Equal };
        for pair in self.dims(source).iter().zip(self.dims(sink)) {
            match pair {
                (DateDim::Constant(a), DateDim::Constant(b)) => common.tie = a.cmp(b),
                (DateDim::Iterator(a), DateDim::Iterator(b)) if a == b => {
                    let at = *a as usize;
                    if !common.iterators.contains(&at) {
                        common.iterators.push(at);
                    }
                }
                _ => return None,
            }
            if common.tie.is_ne() {
                break;
            }
        }
        Some(common)
    }
}
