//! Making random programs: nests of loops, guards, sums of products.

use super::{ARRAYS, Generator, NAMES, Walk, binary, literal};
use crate::program::{
    Array, Comparison, Expr, Fill, Join, Linear, Loop, LoopStyle, Node, Place, Quasi, Range, Stmt,
    Storage, Type, Variable,
};

impl Generator<'_> {
    /// A node under `depth` loops.
    pub(super) fn node(&mut self, depth: usize) -> Node {
        let can_nest =
            depth < self.shape.max_depth && self.instances * 4 <= self.shape.max_instances;
        let nest = match depth {
            0 => 95,
            1 => 55,
            2 => 35,
            _ => 20,
        };
        if self.random.chance(self.shape.guards) && depth > 0 {
            return self.guard(depth);
        }
        if !(can_nest && self.random.chance(nest)) {
            return self.stmt();
        }
        if depth <= 1 && self.random.chance(self.shape.products) {
            return self.product(depth);
        }
        self.for_loop(depth)
    }

    /// A few nodes in a block of their own.
    pub(super) fn block(&mut self, depth: usize, most: usize) -> Vec<Node> {
        let (outer, before) = (self.locals.len(), self.recent.len());
        let mut nodes = self.body().unwrap_or_default();
        nodes.extend(self.temporary());
        let n = nodes.len() + 1 + self.random.below(most);
        nodes.push(self.node(depth));
        while nodes.len() < n && self.stmts_left > 0 {
            nodes.push(self.node(depth));
        }
        self.locals.truncate(outer);
        self.recent.truncate(before);
        nodes
    }

    /// Sometimes a statement that gives a temporary a value, for what comes after it in the block.
    pub(super) fn temporary(&mut self) -> Option<Node> {
        if self.scope.is_empty() || !self.random.chance(self.shape.temporaries) {
            return None;
        }
        let scalars = self.program.scalars.iter().enumerate();
        let scalars = scalars.filter(|(_, scalar)| !scalar.is_printed);
        let mut all: Vec<(Place, Type)> =
            scalars.map(|(at, scalar)| (Place::Scalar(at), scalar.ty)).collect();
        for at in 0..self.program.arrays.len() {
            if self.program.arrays[at].storage == Storage::Local {
                all.push((self.element(at), self.program.arrays[at].ty));
            }
        }
        let (target, ty) = all.get(self.random.below(all.len().max(1))).cloned()?;
        let value = self.value(ty, 1);
        let value = if ty == Type::Int { binary("%", value, literal("101")) } else { value };
        self.recent.push((target.clone(), ty));
        Some(Node::Stmt(Stmt::Assign { target, op: "=", value }))
    }

    /// An affine guard.
    pub(super) fn guard(&mut self, depth: usize) -> Node {
        let condition = self.condition(2);
        let then = self.block(depth, 2);
        let otherwise = if self.stmts_left > 0 && self.random.chance(40) {
            self.block(depth, 2)
        } else {
            Vec::new()
        };
        Node::If { condition, then, otherwise }
    }

    /// A loop.
    pub(super) fn for_loop(&mut self, depth: usize) -> Node {
        self.looped(depth, |inside| inside.block(depth + 1, 3))
    }

    /// Three loops around a sum of products, with other statements beside the inner ones at times.
    pub(super) fn product(&mut self, depth: usize) -> Node {
        self.product_loop(depth, |rows| {
            rows.beside(|rows| {
                rows.product_loop(depth + 1, |columns| {
                    columns
                        .beside(|columns| columns.product_loop(depth + 2, |sums| vec![sums.sum()]))
                })
            })
        })
    }

    /// A loop of a sum of products: mostly a plain one that is long enough for register tiles, else any.
    pub(super) fn product_loop(
        &mut self,
        depth: usize,
        body: impl FnOnce(&mut Self) -> Vec<Node>,
    ) -> Node {
        if !self.random.chance(85) {
            return self.looped(depth, body);
        }
        let lower = Linear::int(self.random.pick(&[0, 0, 0, 1]));
        let upper = self.parameter(0, 1).filter(|_| self.random.chance(60));
        let upper = upper.unwrap_or_else(|| Linear::int(self.random.between(8, 14)));
        let low = lower.range(&self.ranges).map_or(0, |range| range.low);
        match upper.range(&self.ranges) {
            Some(Range { high, .. })
                if (high - low) * self.instances <= self.shape.max_instances =>
            {
                let range = Range { low, high: high - 1 };
                let walk =
                    Walk { lower: vec![lower], upper: vec![upper], range, step: 1, down: false };
                self.loop_of(depth, walk, body)
            }
            _ => self.looped(depth, body),
        }
    }

    /// A node, at times with a statement before or after it.
    pub(super) fn beside(&mut self, node: impl FnOnce(&mut Self) -> Node) -> Vec<Node> {
        let before = self.random.chance(20).then(|| self.assigned());
        let node = node(self);
        let after = self.random.chance(20).then(|| self.assigned());
        before.into_iter().chain([node]).chain(after).collect()
    }

    /// An assignment as a node.
    pub(super) fn assigned(&mut self) -> Node {
        Node::Stmt(self.assignment())
    }

    /// A sum of products over the three innermost loops, one of which moves each two of target and factors; any assignment
    /// where no array is fit for it.
    pub(super) fn sum(&mut self) -> Node {
        self.stmts_left = self.stmts_left.saturating_sub(1);
        let fit = self.matrices();
        let (Some(loops), false) = (self.scope.last_chunk::<3>().copied(), fit.is_empty()) else {
            return self.assigned();
        };
        let roles = self.random.pick(&[[0, 1, 2], [0, 2, 1], [1, 2, 0], [1, 0, 2], [2, 0, 1]]);
        let [row, column, depth] = roles.map(|at| loops[at]);
        let first = self.random.below(fit.len());
        let any = self.random.chance(15);
        let [target, left, right] = [0, 1, 2].map(|at| {
            let at = if any { self.random.below(fit.len()) } else { first + at };
            fit[at % fit.len()]
        });
        let ty = self.program.arrays[target].ty;
        let target = self.walking(target, [row, column]);
        let left = self.walking(left, [row, depth]);
        let right = self.walking(right, [depth, column]);
        let small = self.constant(ty, &["0.03125", "0.0625", "0.02"]);
        let left = binary("*", small, Expr::Read(left));
        let value = binary("*", left, Expr::Read(right));
        let op = if self.random.chance(75) { "+=" } else { "-=" };
        Node::Stmt(Stmt::Assign { target, op, value })
    }

    /// The arrays that are fit for sums of products; where they are few, mostly some more are made.
    pub(super) fn matrices(&mut self) -> Vec<usize> {
        let is_fit = |a: &Array| a.rank >= 2 && matches!(a.ty, Type::Double | Type::Float);
        let n_fit = self.program.arrays.iter().filter(|a| is_fit(a)).count();
        if matches!(self.main_type, Type::Double | Type::Float) && self.random.chance(80) {
            for _ in n_fit..3 {
                self.add_matrix();
            }
        }
        let arrays = self.program.arrays.iter().enumerate();
        arrays.filter(|(_, a)| is_fit(a)).map(|(at, _)| at).collect()
    }

    /// One more array of two dimensions, where there are names for more.
    pub(super) fn add_matrix(&mut self) {
        let at = self.program.arrays.len();
        let Some(name) = ARRAYS.get(at) else { return };
        let n_params = self.program.params.len();
        let extent_params =
            (0..2).map(|_| (n_params > 0).then(|| self.random.below(n_params))).collect();
        let storage = self.program.arrays.first().map_or(Storage::Global, |a| a.storage);
        let ty = self.main_type;
        let array =
            Array { name: (*name).into(), ty, rank: 2, storage, extent_params, fill: Fill::Any };
        self.program.arrays.push(array);
    }

    /// An element of an array that two loops move along its last dimensions, in this order or the other.
    pub(super) fn walking(&mut self, array: usize, mut loops: [usize; 2]) -> Place {
        if self.random.chance(25) {
            loops.reverse();
        }
        let rank = self.program.arrays[array].rank;
        let most = if rank == 3 { 20 } else { 40 };
        let subscript = |dim: usize| {
            let Some(at) = (dim + 2).checked_sub(rank) else {
                return Quasi::linear(Linear::int(self.random.between(0, 2)));
            };
            let offset = self.random.pick(&[0, 0, 0, 0, 1, -1]);
            let mut walked = Quasi::linear(Linear::variable(Variable::Iterator(loops[at]), offset));
            match walked.range(&self.ranges) {
                Some(range) if range.high - range.low.min(0) <= most => {
                    walked.plus -= range.low.min(0);
                    walked
                }
                _ => Quasi::linear(Linear::int(1)),
            }
        };
        Place::Element(array, (0..rank).map(subscript).collect())
    }

    /// A loop around what `body` makes.
    pub(super) fn looped(
        &mut self,
        depth: usize,
        body: impl FnOnce(&mut Self) -> Vec<Node>,
    ) -> Node {
        let step =
            if self.random.chance(self.shape.strides) { self.random.between(2, 3) } else { 1 };
        let down = self.random.chance(self.shape.down);
        let (lower, upper, range) = self.bounds();
        self.loop_of(depth, Walk { lower, upper, range, step, down }, body)
    }

    /// A loop that goes this way around what `body` makes.
    pub(super) fn loop_of(
        &mut self,
        depth: usize,
        walk: Walk,
        body: impl FnOnce(&mut Self) -> Vec<Node>,
    ) -> Node {
        let Walk { lower, upper, range, step, down } = walk;
        let id = self.next_id;
        self.next_id += 1;
        let width = range.high - range.low + 1;
        let join = self.random.pick(&[Join::Macro, Join::Ternary, Join::Conjunction]);
        let comparison =
            self.random.pick(&[Comparison::Usual, Comparison::Usual, Comparison::Other]);
        let declares = self.random.chance(60);
        let names = NAMES.get(depth).copied().unwrap_or(&["z"]);
        let name = self.random.pick(names).to_owned();
        let mut node = Loop {
            id,
            name,
            lower,
            upper,
            step,
            down,
            style: LoopStyle { declares, comparison, join },
            body: Vec::new(),
        };
        if self.random.chance(1) && node.ends_exactly(&self.ranges) == Some(true) {
            node.style.comparison = Comparison::Unequal;
        }
        let outer = self.instances;
        self.instances = outer * (width / step).max(1);
        self.ranges.iterators.insert(id, range);
        self.scope.push(id);
        node.body = body(self);
        self.scope.pop();
        self.ranges.iterators.remove(&id);
        self.instances = outer;
        Node::Loop(node)
    }
}
