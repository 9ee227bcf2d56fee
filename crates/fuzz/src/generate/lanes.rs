//! Making random programs of long loops around recurrences: what each of many rows, points or pixels computes by short loops of its own.

use super::reductions::{Cell, Operator, Role};
use super::{Generator, Walk};
use crate::program::{Linear, Node, Place, Quasi, Range, Variable};

/// How many iterations a long loop has: more than a few strips of lanes, and some that fill none.
const LONG: (i64, i64) = (32, 39);

/// How many a short one has that depends on no parameter.
const SHORT: (i64, i64) = (0, 7);

impl Generator<'_> {
    /// A long loop, at times in a short one, at times with a nest of any other kind beside it.
    pub(super) fn lanes(&mut self) -> Vec<Node> {
        self.n_lanes += 1;
        self.is_plain = self.random.chance(50);
        let long = |inside: &mut Self, depth: usize| {
            let upper = inside.long_end();
            inside.walked(depth, upper, |inside| {
                inside.lane = inside.scope.last().copied();
                let nodes = inside.lane_body(depth + 1);
                inside.lane = None;
                nodes
            })
        };
        if self.random.chance(20) {
            let upper = Linear::int(self.random.between(1, 3));
            return vec![self.walked(0, upper, |inside| vec![long(inside, 1)])];
        }
        let mut nodes = vec![long(self, 0)];
        if self.random.chance(15) {
            nodes.extend(self.reduction(0));
        }
        nodes
    }

    /// What each iteration of a long loop does: results begin, loops update them, and what they are goes elsewhere.
    fn lane_body(&mut self, depth: usize) -> Vec<Node> {
        let n_open = self.open.len();
        let mut nodes = Vec::new();
        for _ in 0..1 + self.random.weighted(&[50, 35, 15]) {
            let cell = self.lane_cell();
            if self.random.chance(if matches!(cell.place, Place::Scalar(_)) { 97 } else { 75 }) {
                nodes.push(Node::Stmt(self.beginning(&cell)));
            }
            self.open.push(cell);
        }
        for _ in 0..1 + self.random.weighted(&[55, 35, 10]) {
            nodes.push(match self.random.weighted(&[75, 10, 15]) {
                0 => self.recurrence_loop(depth),
                1 => self.reduction_loop(depth),
                _ => self.updates(),
            });
        }
        for at in n_open..self.open.len() {
            if self.random.chance(70) {
                let cell = self.open[at].clone();
                nodes.push(Node::Stmt(self.consumer(&cell)));
            }
        }
        self.open.truncate(n_open);
        nodes
    }

    /// A loop of a recurrence, of parameters' length or a few iterations.
    fn recurrence_loop(&mut self, depth: usize) -> Node {
        let upper = self.short_end();
        self.walked(depth, upper, |inside| {
            let goes_on = depth < 3 && inside.random.chance(35);
            let mut nodes = Vec::new();
            if goes_on {
                nodes.push(inside.recurrence_loop(depth + 1));
            }
            if !goes_on || inside.random.chance(30) {
                nodes.extend(inside.inside_of_loop(depth + 1));
            }
            if inside.random.chance(50) {
                nodes.reverse();
            }
            nodes
        })
    }

    /// A result of an iteration: mostly a variable, else an element that the long loop moves.
    fn lane_cell(&mut self) -> Cell {
        // What two nests set is no variable of one of them.
        let own = self.n_lanes % 2;
        let mut scalars = self.updated_scalars();
        scalars.retain(|(at, _)| at % 2 == own);
        if !scalars.is_empty() && self.random.chance(75) {
            let (at, operator) = self.random.pick(&scalars);
            return Cell {
                place: Place::Scalar(at),
                ty: self.program.scalars[at].ty,
                operator: self.simple(operator),
            };
        }
        self.cell()
    }

    /// Subscripts of an element that an iteration of a long loop has for itself: in the same dimension in all of a program.
    pub(super) fn lane_subscripts(&mut self, rank: usize, lane: usize) -> Vec<Quasi> {
        let own = if self.program.seed.is_multiple_of(4) { 0 } else { rank - 1 };
        let shorter: Vec<usize> = self.scope.iter().copied().filter(|id| *id != lane).collect();
        let mut subscript = |at: usize| match at == own {
            true => Quasi::linear(Linear::variable(Variable::Iterator(lane), 0)),
            false => {
                let one = shorter.get(self.random.below(shorter.len().max(1))).copied();
                let one = one.filter(|_| self.random.chance(70));
                self.reduced_subscript(one)
            }
        };
        (0..rank).map(&mut subscript).collect()
    }

    /// An element of data that loops walk through, each dimension by one of them: what does not lie along the lanes, is used again and again, or stays.
    pub(super) fn lane_data(&mut self, array: usize) -> Place {
        let rank = self.program.arrays[array].rank;
        let walked = |_| match self.random.weighted(&[90, 10]) {
            0 => {
                let id = self.random.pick(&self.scope);
                let offset = self.random.pick(&[0, 0, 0, 1]);
                Quasi::linear(Linear::variable(Variable::Iterator(id), offset))
            }
            _ => Quasi::linear(Linear::int(self.random.between(0, 2))),
        };
        Place::Element(array, (0..rank).map(walked).collect())
    }

    /// An operator, or most often a sum in its place.
    fn simple(&mut self, operator: Operator) -> Operator {
        if self.random.chance(40) && operator != Operator::Product {
            return Operator::Sum;
        }
        operator
    }

    /// A loop from the beginning to an end around what `body` makes.
    fn walked(
        &mut self,
        depth: usize,
        upper: Linear,
        body: impl FnOnce(&mut Self) -> Vec<Node>,
    ) -> Node {
        let low = self.random.pick(&[0, 0, 0, 1]);
        let high = upper.range(&self.ranges).map_or(low, |range| (range.high - 1).max(low));
        let walk = Walk {
            lower: vec![Linear::int(low)],
            upper: vec![upper],
            range: Range { low, high },
            step: 1,
            down: self.random.chance(4),
        };
        self.loop_of(depth, walk, body)
    }

    /// Where a long loop ends: mostly at a parameter that is large.
    fn long_end(&mut self) -> Linear {
        let params = self.program.params.iter().enumerate();
        let large = params.filter(|(_, param)| param.value >= LONG.0).map(|(at, _)| at);
        match large.min().filter(|_| self.random.chance(80)) {
            Some(at) => Linear::variable(Variable::Param(at), self.random.pick(&[0, 0, 0, -1])),
            None => Linear::int(self.random.between(LONG.0, LONG.1)),
        }
    }

    /// Where a short loop ends: at a parameter that is small, or a number.
    fn short_end(&mut self) -> Linear {
        let params = self.program.params.iter().enumerate();
        let small: Vec<usize> =
            params.filter(|(_, param)| param.value < LONG.0).map(|(at, _)| at).collect();
        if !small.is_empty() && self.random.chance(70) {
            let at = self.random.pick(&small);
            return Linear::variable(Variable::Param(at), self.random.pick(&[0, 0, 1, -1]));
        }
        match self.random.chance(15).then(|| self.outer(-2, 2)).flatten() {
            Some(end) if end.range(&self.ranges).is_some_and(|range| range.high <= 12) => end,
            _ => Linear::int(self.random.between(SHORT.0, SHORT.1)),
        }
    }

    /// Gives the parameters lengths of long and short loops, the first one mostly that of a long one.
    pub(super) fn sized_for_lanes(&mut self) {
        for at in 0..self.program.params.len() {
            let is_long = self.random.chance(if at == 0 { 85 } else { 10 });
            let (low, high) = if is_long { LONG } else { SHORT };
            self.program.params[at].value = self.random.between(low, high);
        }
        self.ranges = self.program.ranges();
        for scalar in &mut self.program.scalars {
            scalar.is_printed &= self.random.chance(10);
        }
        // Long loops have so many factors that products would overflow, or lose their exactness.
        for (role, array) in self.array_roles.iter_mut().zip(&self.program.arrays) {
            if *role == Role::Result(Operator::Product) && !array.ty.wraps() {
                *role = Role::Result(Operator::Sum);
            }
        }
    }
}
