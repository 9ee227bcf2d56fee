//! Making random programs: bounds of loops, affine conditions.

use super::Generator;
use crate::program::{Condition, Linear, Quasi, QuasiOp, Range, Variable};

impl Generator<'_> {
    /// Bounds whose range is not empty and not too wide.
    pub(super) fn bounds(&mut self) -> (Vec<Linear>, Vec<Linear>, Range) {
        for _ in 0..12 {
            let lower = self.lower_bounds();
            let upper = self.upper_bounds();
            let low = lower.iter().filter_map(|l| Some(l.range(&self.ranges)?.low)).max();
            let high = upper.iter().filter_map(|u| Some(u.range(&self.ranges)?.high - 1)).min();
            if let (Some(low), Some(high)) = (low, high)
                && (2..=24).contains(&(high - low + 1))
                && low >= -6
                && high <= 30
                && (high - low + 1) * self.instances <= self.shape.max_instances
            {
                return (lower, upper, Range { low, high });
            }
        }
        let high = (self.shape.max_instances / self.instances.max(1)).clamp(1, 6);
        (vec![Linear::int(0)], vec![Linear::int(high)], Range { low: 0, high: high - 1 })
    }

    /// Lower bounds.
    pub(super) fn lower_bounds(&mut self) -> Vec<Linear> {
        let mut bounds = vec![self.lower_bound()];
        if self.random.chance(self.shape.min_max) {
            bounds.push(self.lower_bound());
        }
        bounds.dedup();
        bounds
    }

    /// A lower bound: mostly a small number or an outer iterator.
    pub(super) fn lower_bound(&mut self) -> Linear {
        match self.random.weighted(&[50, 22, 22, 6]) {
            0 => Linear::int(0),
            1 => Linear::int(self.random.between(1, 2)),
            2 => self.outer(-1, 2).unwrap_or_else(|| Linear::int(1)),
            _ => self.combination(1).unwrap_or_else(|| Linear::int(0)),
        }
    }

    /// Upper bounds.
    pub(super) fn upper_bounds(&mut self) -> Vec<Linear> {
        let mut bounds = vec![self.upper_bound()];
        if self.random.chance(self.shape.min_max) {
            bounds.push(self.upper_bound());
        }
        bounds.dedup();
        bounds
    }

    /// An upper bound: mostly a parameter, a number, or an outer iterator.
    pub(super) fn upper_bound(&mut self) -> Linear {
        match self.random.weighted(&[50, 24, 20, 6]) {
            0 => self.parameter(-2, 1).unwrap_or_else(|| Linear::int(8)),
            1 => Linear::int(self.random.between(3, 12)),
            2 => self.outer(0, 4).unwrap_or_else(|| Linear::int(7)),
            _ => self.combination(2).unwrap_or_else(|| Linear::int(5)),
        }
    }

    /// An outer iterator plus a number of the given range.
    pub(super) fn outer(&mut self, low: i64, high: i64) -> Option<Linear> {
        let at = self.random.below(self.scope.len());
        let id = *self.scope.get(at)?;
        Some(Linear::variable(Variable::Iterator(id), self.random.between(low, high)))
    }

    /// A parameter plus a number of the given range.
    pub(super) fn parameter(&mut self, low: i64, high: i64) -> Option<Linear> {
        let n = self.program.params.len();
        (n > 0).then(|| {
            Linear::variable(Variable::Param(self.random.below(n)), self.random.between(low, high))
        })
    }

    /// A sum of up to `most` outer iterators or parameters with small factors.
    pub(super) fn combination(&mut self, most: usize) -> Option<Linear> {
        let mut sum = self.outer(-2, 3).or_else(|| self.parameter(-2, 2))?;
        if self.random.chance(25) {
            sum.terms[0].0 = self.random.pick(&[2, 3, -1]);
        }
        for _ in 0..self.random.below(most + 1) {
            let more = if self.random.chance(70) { self.outer(0, 0) } else { self.parameter(0, 0) };
            let Some(more) = more else { continue };
            let (_, variable) = more.terms[0];
            if sum.terms.iter().all(|(_, v)| *v != variable) {
                sum.terms.push((self.random.pick(&[1, 1, -1, 2]), variable));
            }
        }
        Some(sum)
    }

    /// An affine condition of at most `depth` levels.
    pub(super) fn condition(&mut self, depth: usize) -> Condition {
        if depth > 0 && self.random.chance(20) {
            let n = 2 + self.random.below(2);
            let parts = (0..n).map(|_| self.condition(depth - 1)).collect();
            return if self.random.chance(60) {
                Condition::And(parts)
            } else {
                Condition::Or(parts)
            };
        }
        if depth > 0 && self.random.chance(8) {
            return Condition::Not(Box::new(self.condition(depth - 1)));
        }
        let left = self.combination(1).unwrap_or_else(|| Linear::int(1));
        if self.random.chance(25) {
            let k = self.random.between(2, 4);
            let quasi = Quasi { linear: left, op: QuasiOp::Mod(k), plus: 0 };
            let op = self.random.pick(&["==", "==", "!=", "<"]);
            return Condition::Compare(quasi, op, Linear::int(self.random.between(0, k - 1)));
        }
        let left = if self.random.chance(8) {
            Quasi { linear: left, op: QuasiOp::Div(self.random.between(2, 3)), plus: 0 }
        } else {
            Quasi::linear(left)
        };
        let op = self.random.pick(&["<", "<=", ">", ">=", "<", ">=", "==", "!="]);
        let right = match self.random.weighted(&[50, 25, 25]) {
            0 => {
                let range = left.range(&self.ranges).unwrap_or(Range { low: 0, high: 8 });
                Linear::int(self.random.between(range.low, range.high))
            }
            1 => self.outer(-1, 1).unwrap_or_else(|| Linear::int(2)),
            _ => self.parameter(-3, 0).unwrap_or_else(|| Linear::int(4)),
        };
        Condition::Compare(left, op, right)
    }
}
