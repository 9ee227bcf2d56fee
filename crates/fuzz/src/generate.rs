//! Making random programs.
//!
//! Every subscript stays inside its array by construction: the ranges of iterators are known, a subscript that may be
//! negative is shifted, and the extents follow from the subscripts. Integers stay far from overflow, divisors are never
//! zero, and floating-point values mostly stay near one.

use crate::Random;
use crate::program::{
    Array, Comparison, Condition, Expr, Join, Linear, Loop, LoopStyle, Node, Param, Place, Program,
    Quasi, QuasiOp, Range, Ranges, Scalar, Stmt, Storage, Type, Variable,
};

/// What programs look like. Percentages are of the choices where the feature is possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Loops around a statement, at most.
    pub max_depth: usize,
    /// Statements of a program, at most.
    pub max_stmts: usize,
    /// Arrays, at most.
    pub max_arrays: usize,
    /// Instances of one statement, at most (estimated from the ranges).
    pub max_instances: i64,
    /// Values of parameters, at most.
    pub max_param: i64,
    /// Percentage of affine guards among nodes.
    pub guards: usize,
    /// Percentage of conditions on data among statements.
    pub data_conditions: usize,
    /// Percentage of subscripts with `/` or `%`.
    pub quasi: usize,
    /// Percentage of loops with steps.
    pub strides: usize,
    /// Percentage of loops that count down.
    pub down: usize,
    /// Percentage of bounds with `min` or `max`.
    pub min_max: usize,
    /// Percentage of local declarations among statements.
    pub locals: usize,
    /// Percentage of blocks that begin with a temporary, where the program has some.
    pub temporaries: usize,
    /// Percentage of programs with two regions.
    pub regions: usize,
    /// Percentage of sums of products among nests.
    pub products: usize,
}

impl Default for Shape {
    /// A bit of everything.
    fn default() -> Self {
        Self {
            max_depth: 4,
            max_stmts: 6,
            max_arrays: 4,
            max_instances: 6000,
            max_param: 13,
            guards: 14,
            data_conditions: 8,
            quasi: 6,
            strides: 12,
            down: 12,
            min_max: 12,
            locals: 8,
            temporaries: 45,
            regions: 6,
            products: 40,
        }
    }
}

impl Shape {
    /// Programs that are analysed in a moment: for tests that everyone waits for.
    pub fn small() -> Self {
        Self { max_depth: 3, max_stmts: 4, max_arrays: 3, quasi: 3, ..Self::default() }
    }
}

/// The program of `seed`; the same on every machine.
///
/// ```
/// use farkas_fuzz::{Shape, generate};
/// let program = generate(7, &Shape::default());
/// assert_eq!(program, generate(7, &Shape::default()));
/// assert!(program.text().is_some_and(|text| text.contains("#pragma scop")));
/// ```
pub fn generate(seed: u64, shape: &Shape) -> Program {
    let mut attempt = seed;
    loop {
        let mut generator = Generator::new(attempt, shape);
        generator.fill();
        let program = Program { seed, ..generator.program };
        // Products of extents stay small and the program has a meaning almost always; else another one is made.
        let small = |extents: &Vec<i64>| extents.iter().product::<i64>() <= 60_000;
        if program.n_stmts() > 0 && program.extents().is_some_and(|e| e.iter().all(small)) {
            return program;
        }
        attempt = attempt.wrapping_add(0x5851_f42d_4c95_7f2d);
    }
}

/// Names for arrays.
const ARRAYS: [&str; 7] = ["A", "B", "C", "D", "E", "F", "G"];

/// Where a loop goes.
struct Walk {
    lower: Vec<Linear>,
    upper: Vec<Linear>,
    range: Range,
    step: i64,
    down: bool,
}

/// Names for iterators, by depth.
const NAMES: [&[&str]; 4] = [&["i", "t", "c"], &["j", "i2", "k"], &["k2", "l"], &["m2", "j3"]];

/// The state of making one program.
struct Generator<'a> {
    random: Random,
    shape: &'a Shape,
    program: Program,
    ranges: Ranges,
    /// The loops around the current place, outermost first, by id.
    scope: Vec<usize>,
    /// The local variables in scope.
    locals: Vec<(usize, Type)>,
    /// The temporaries that blocks around the current place have set.
    recent: Vec<(Place, Type)>,
    next_id: usize,
    stmts_left: usize,
    /// Instances of a statement at the current place, at most.
    instances: i64,
    /// The type that most arrays have.
    main_type: Type,
}

impl<'a> Generator<'a> {
    /// Chooses parameters, arrays and scalars.
    fn new(seed: u64, shape: &'a Shape) -> Self {
        let mut random = Random::new(seed);
        let names = ["n", "m", "p"];
        let n_params = random.weighted(&[20, 45, 30, 5]);
        let params: Vec<Param> = names[..n_params]
            .iter()
            .map(|name| Param { name: (*name).into(), value: random.between(4, shape.max_param) })
            .collect();
        let main_type = random.pick(&[
            Type::Double,
            Type::Double,
            Type::Double,
            Type::Double,
            Type::Float,
            Type::Int,
            Type::Unsigned,
        ]);
        let all_types = [Type::Double, Type::Float, Type::Int, Type::Unsigned];
        let storage = if random.chance(60) { Storage::Argument } else { Storage::Global };
        let n_arrays = 1 + random.below(shape.max_arrays);
        let mut arrays = Vec::new();
        for at in 0..n_arrays {
            let rank = 1 + random.weighted(&[35, 50, 15]);
            let storage = match random.weighted(&[78, 10, 12]) {
                2 if at > 0 => Storage::Local,
                1 => Storage::Global,
                _ => storage,
            };
            let extent_params = (0..rank)
                .map(|_| (n_params > 0 && random.chance(70)).then(|| random.below(n_params)))
                .collect();
            arrays.push(Array {
                name: ARRAYS.get(at).unwrap_or(&"G").to_string(),
                ty: if random.chance(85) { main_type } else { random.pick(&all_types) },
                rank,
                storage,
                extent_params,
            });
        }
        arrays.truncate(7);
        let n_scalars = random.weighted(&[55, 30, 15]);
        let scalars = (0..n_scalars)
            .map(|at| Scalar {
                name: format!("s{at}"),
                ty: if random.chance(85) { main_type } else { random.pick(&all_types) },
                is_printed: random.chance(40),
            })
            .collect();
        let program = Program { seed, params, arrays, scalars, regions: Vec::new() };
        let stmts_left = 1 + random.below(shape.max_stmts);
        Self {
            ranges: program.ranges(),
            random,
            shape,
            program,
            scope: Vec::new(),
            locals: Vec::new(),
            recent: Vec::new(),
            next_id: 0,
            stmts_left,
            instances: 1,
            main_type,
        }
    }

    /// Makes the regions.
    fn fill(&mut self) {
        let n_regions = 1 + usize::from(self.random.chance(self.shape.regions));
        for region in 0..n_regions {
            if region > 0 {
                self.stmts_left += 1 + self.random.below(2);
            }
            let mut nodes = Vec::new();
            while self.stmts_left > 0 && nodes.len() < 5 {
                nodes.push(self.node(0));
            }
            self.program.regions.push(nodes);
            self.stmts_left = 0;
        }
    }

    /// A node under `depth` loops.
    fn node(&mut self, depth: usize) -> Node {
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
    fn block(&mut self, depth: usize, most: usize) -> Vec<Node> {
        let (outer, before) = (self.locals.len(), self.recent.len());
        let mut nodes = Vec::from_iter(self.temporary());
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
    fn temporary(&mut self) -> Option<Node> {
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
    fn guard(&mut self, depth: usize) -> Node {
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
    fn for_loop(&mut self, depth: usize) -> Node {
        self.looped(depth, |inside| inside.block(depth + 1, 3))
    }

    /// Three loops around a sum of products, with other statements beside the inner ones at times.
    fn product(&mut self, depth: usize) -> Node {
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
    fn product_loop(&mut self, depth: usize, body: impl FnOnce(&mut Self) -> Vec<Node>) -> Node {
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
    fn beside(&mut self, node: impl FnOnce(&mut Self) -> Node) -> Vec<Node> {
        let before = self.random.chance(20).then(|| self.assigned());
        let node = node(self);
        let after = self.random.chance(20).then(|| self.assigned());
        before.into_iter().chain([node]).chain(after).collect()
    }

    /// An assignment as a node.
    fn assigned(&mut self) -> Node {
        Node::Stmt(self.assignment())
    }

    /// A sum of products over the three innermost loops, one of which moves each two of target and factors; any assignment
    /// where no array is fit for it.
    fn sum(&mut self) -> Node {
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
    fn matrices(&mut self) -> Vec<usize> {
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
    fn add_matrix(&mut self) {
        let at = self.program.arrays.len();
        let Some(name) = ARRAYS.get(at) else { return };
        let n_params = self.program.params.len();
        let extent_params =
            (0..2).map(|_| (n_params > 0).then(|| self.random.below(n_params))).collect();
        let storage = self.program.arrays.first().map_or(Storage::Global, |a| a.storage);
        let ty = self.main_type;
        let array = Array { name: (*name).into(), ty, rank: 2, storage, extent_params };
        self.program.arrays.push(array);
    }

    /// An element of an array that two loops move along its last dimensions, in this order or the other.
    fn walking(&mut self, array: usize, mut loops: [usize; 2]) -> Place {
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
    fn looped(&mut self, depth: usize, body: impl FnOnce(&mut Self) -> Vec<Node>) -> Node {
        let step =
            if self.random.chance(self.shape.strides) { self.random.between(2, 3) } else { 1 };
        let down = self.random.chance(self.shape.down);
        let (lower, upper, range) = self.bounds();
        self.loop_of(depth, Walk { lower, upper, range, step, down }, body)
    }

    /// A loop that goes this way around what `body` makes.
    fn loop_of(
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

    /// Bounds whose range is not empty and not too wide.
    fn bounds(&mut self) -> (Vec<Linear>, Vec<Linear>, Range) {
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
    fn lower_bounds(&mut self) -> Vec<Linear> {
        let mut bounds = vec![self.lower_bound()];
        if self.random.chance(self.shape.min_max) {
            bounds.push(self.lower_bound());
        }
        bounds.dedup();
        bounds
    }

    /// A lower bound: mostly a small number or an outer iterator.
    fn lower_bound(&mut self) -> Linear {
        match self.random.weighted(&[50, 22, 22, 6]) {
            0 => Linear::int(0),
            1 => Linear::int(self.random.between(1, 2)),
            2 => self.outer(-1, 2).unwrap_or_else(|| Linear::int(1)),
            _ => self.combination(1).unwrap_or_else(|| Linear::int(0)),
        }
    }

    /// Upper bounds.
    fn upper_bounds(&mut self) -> Vec<Linear> {
        let mut bounds = vec![self.upper_bound()];
        if self.random.chance(self.shape.min_max) {
            bounds.push(self.upper_bound());
        }
        bounds.dedup();
        bounds
    }

    /// An upper bound: mostly a parameter, a number, or an outer iterator.
    fn upper_bound(&mut self) -> Linear {
        match self.random.weighted(&[50, 24, 20, 6]) {
            0 => self.parameter(-2, 1).unwrap_or_else(|| Linear::int(8)),
            1 => Linear::int(self.random.between(3, 12)),
            2 => self.outer(0, 4).unwrap_or_else(|| Linear::int(7)),
            _ => self.combination(2).unwrap_or_else(|| Linear::int(5)),
        }
    }

    /// An outer iterator plus a number of the given range.
    fn outer(&mut self, low: i64, high: i64) -> Option<Linear> {
        let at = self.random.below(self.scope.len());
        let id = *self.scope.get(at)?;
        Some(Linear::variable(Variable::Iterator(id), self.random.between(low, high)))
    }

    /// A parameter plus a number of the given range.
    fn parameter(&mut self, low: i64, high: i64) -> Option<Linear> {
        let n = self.program.params.len();
        (n > 0).then(|| {
            Linear::variable(Variable::Param(self.random.below(n)), self.random.between(low, high))
        })
    }

    /// A sum of up to `most` outer iterators or parameters with small factors.
    fn combination(&mut self, most: usize) -> Option<Linear> {
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
    fn condition(&mut self, depth: usize) -> Condition {
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

    /// A statement.
    fn stmt(&mut self) -> Node {
        self.stmts_left = self.stmts_left.saturating_sub(1);
        if !self.scope.is_empty() && self.random.chance(self.shape.locals) {
            let id = self.next_id;
            self.next_id += 1;
            let ty = self.main_type;
            let value = self.value(ty, 2);
            self.locals.push((id, ty));
            return Node::Stmt(Stmt::Local { id, ty, value });
        }
        if self.random.chance(self.shape.data_conditions) {
            let condition = self.data_condition();
            let then = (0..=self.random.below(2)).map(|_| self.assignment()).collect();
            let otherwise =
                if self.random.chance(35) { vec![self.assignment()] } else { Vec::new() };
            return Node::Stmt(Stmt::If { condition, then, otherwise });
        }
        Node::Stmt(self.assignment())
    }

    /// An assignment to an array, a scalar, or a local variable.
    fn assignment(&mut self) -> Stmt {
        let (target, ty) = match self.random.weighted(&[80, 14, 6]) {
            1 if !self.program.scalars.is_empty() => {
                let at = self.random.below(self.program.scalars.len());
                (Place::Scalar(at), self.program.scalars[at].ty)
            }
            2 if !self.locals.is_empty() => {
                let (id, ty) = self.locals[self.random.below(self.locals.len())];
                (Place::Local(id), ty)
            }
            _ => {
                let at = self.random.below(self.program.arrays.len());
                (self.element(at), self.program.arrays[at].ty)
            }
        };
        let depth = 1 + self.random.below(3);
        let (op, value) = match ty {
            Type::Double | Type::Float => self.floating_update(ty, depth),
            Type::Int => {
                let op = self.random.pick(&["=", "=", "+=", "-="]);
                let value = self.value(Type::Int, depth);
                (op, binary("%", value, literal("101")))
            }
            Type::Unsigned => {
                let op = self.random.pick(&["=", "=", "+=", "-=", "*=", "^=", "|=", "&="]);
                (op, self.value(Type::Unsigned, depth))
            }
        };
        Stmt::Assign { target, op, value }
    }

    /// An operator and a right-hand side that keep values near one: sums are of small terms.
    fn floating_update(&mut self, ty: Type, depth: usize) -> (&'static str, Expr) {
        let value = self.value(ty, depth);
        match self.random.weighted(&[55, 30, 7, 4, 4]) {
            0 => ("=", value),
            1 => {
                let small = self.constant(ty, &["0.03125", "0.0625", "0.1", "0.02"]);
                ("+=", binary("*", small, value))
            }
            2 => ("-=", binary("*", self.constant(ty, &["0.0625", "0.05"]), value)),
            3 => ("*=", self.constant(ty, &["0.5", "0.75", "-0.9"])),
            _ => ("/=", self.constant(ty, &["2.0", "1.5", "-1.25"])),
        }
    }

    /// A floating-point constant of the type.
    fn constant(&mut self, ty: Type, choices: &[&str]) -> Expr {
        let text = self.random.pick(choices);
        literal(&if ty == Type::Float { format!("{text}f") } else { text.to_owned() })
    }

    /// An expression of the type.
    fn value(&mut self, ty: Type, depth: usize) -> Expr {
        match ty {
            Type::Double | Type::Float => self.floating(ty, depth),
            Type::Int => self.integer(depth),
            Type::Unsigned => self.unsigned(depth),
        }
    }

    /// A floating-point expression whose magnitude is at most about that of the values it reads.
    fn floating(&mut self, ty: Type, depth: usize) -> Expr {
        if depth == 0 {
            return self.floating_leaf(ty);
        }
        let a = self.floating(ty, depth - 1);
        match self.random.weighted(&[30, 22, 14, 10, 8, 6, 5, 5]) {
            0 => {
                let (p, q) = (
                    self.constant(ty, &["0.5", "0.3", "0.25"]),
                    self.constant(ty, &["0.5", "0.7", "0.4"]),
                );
                let b = self.floating(ty, depth - 1);
                binary(self.random.pick(&["+", "-"]), binary("*", p, a), binary("*", q, b))
            }
            1 => binary("*", a, self.floating_leaf(ty)),
            2 => {
                let third = self.constant(ty, &["0.33", "0.3"]);
                let sum = binary("+", a, self.floating_leaf(ty));
                binary("*", third, binary("+", sum, self.floating_leaf(ty)))
            }
            3 => a,
            4 => {
                let b = self.floating_leaf(ty);
                let one = self.constant(ty, &["2.0", "1.5"]);
                binary("/", a, binary("+", one, binary("*", b.clone(), b)))
            }
            5 => Expr::Prefix("-", Box::new(a)),
            6 => {
                let condition = self.data_condition();
                let b = self.floating(ty, depth - 1);
                Expr::Ternary(Box::new(condition), Box::new(a), Box::new(b))
            }
            _ => match (ty, self.random.below(3)) {
                (Type::Float, 0) => Expr::Call("fabsf", vec![a]),
                (Type::Float, 1) => Expr::Call("fmaxf", vec![a, self.floating_leaf(ty)]),
                (_, 0) => Expr::Call("fabs", vec![a]),
                (_, 1) => Expr::Call("fmin", vec![a, self.floating_leaf(ty)]),
                (_, _) => Expr::Call("sqrt", vec![Expr::Call("fabs", vec![a])]),
            },
        }
    }

    /// A floating-point value.
    fn floating_leaf(&mut self, ty: Type) -> Expr {
        if self.random.chance(8) {
            return self.constant(ty, &["0.5", "0.125", "-0.7", "0.9", "0.2"]);
        }
        if self.random.chance(6)
            && let Some(index) = self.combination(1)
        {
            let small = self.constant(ty, &["0.01", "0.015625"]);
            return binary("*", small, Expr::Index(index));
        }
        let (place, found) = self.readable(ty.is_floating());
        match found {
            Type::Double | Type::Float => Expr::Read(place),
            Type::Int => binary("*", self.constant(ty, &["0.01"]), Expr::Read(place)),
            Type::Unsigned => {
                let small = binary("%", Expr::Read(place), literal("64u"));
                binary("*", self.constant(ty, &["0.015625"]), small)
            }
        }
    }

    /// An `int` expression; arrays of `int` hold a few thousand at most per update.
    fn integer(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.integer_leaf();
        }
        let a = self.integer(depth - 1);
        match self.random.weighted(&[40, 20, 12, 10, 8, 10]) {
            0 => binary(self.random.pick(&["+", "-"]), a, self.integer_leaf()),
            1 => {
                let b = binary("%", self.integer_leaf(), literal("13"));
                binary("*", binary("%", a, literal("97")), b)
            }
            2 => binary("/", a, literal(self.random.pick(&["2", "3", "-3", "5"]))),
            3 => binary("%", a, literal(self.random.pick(&["7", "4", "10"]))),
            4 => Expr::Prefix("-", Box::new(a)),
            _ => {
                let condition = self.data_condition();
                let b = self.integer_leaf();
                Expr::Ternary(Box::new(condition), Box::new(a), Box::new(b))
            }
        }
    }

    /// An `int` value.
    fn integer_leaf(&mut self) -> Expr {
        if self.random.chance(15) {
            return Expr::Literal(self.random.between(0, 20).to_string());
        }
        if self.random.chance(20)
            && let Some(index) = self.combination(1)
        {
            return Expr::Index(index);
        }
        match self.readable(false) {
            (place, Type::Int) => binary("%", Expr::Read(place), literal("1009")),
            (place, Type::Unsigned) => {
                let small = binary("%", Expr::Read(place), literal("32u"));
                Expr::Prefix("(int)", Box::new(small))
            }
            _ => literal("3"),
        }
    }

    /// An `unsigned` expression; everything wraps.
    fn unsigned(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return match self.random.below(8) {
                0 => literal(self.random.pick(&["3u", "17u", "0xffu", "1u"])),
                1 => match self.combination(1) {
                    Some(index) => Expr::Prefix("(unsigned)", Box::new(Expr::Index(index))),
                    None => literal("5u"),
                },
                _ => match self.readable(false) {
                    (place, Type::Unsigned) => Expr::Read(place),
                    (place, Type::Int) => Expr::Prefix("(unsigned)", Box::new(Expr::Read(place))),
                    _ => literal("9u"),
                },
            };
        }
        let a = self.unsigned(depth - 1);
        if self.random.chance(12) {
            let op = self.random.pick(&[">>", "%", "/"]);
            return binary(op, a, literal(self.random.pick(&["3u", "7u", "2u"])));
        }
        let op = self.random.pick(&["+", "+", "-", "*", "^", "&", "|"]);
        binary(op, a, self.unsigned(0))
    }

    /// A condition on data.
    fn data_condition(&mut self) -> Expr {
        let (place, ty) = self.readable(true);
        let op = self.random.pick(&["<", ">", "<=", ">="]);
        let right = match ty {
            Type::Double | Type::Float if self.random.chance(40) => self.floating_leaf(ty),
            Type::Double | Type::Float => self.constant(ty, &["0.0", "0.1", "-0.2"]),
            Type::Int => literal(self.random.pick(&["0", "5", "-7"])),
            Type::Unsigned => literal("2147483647u"),
        };
        binary(op, Expr::Read(place), right)
    }

    /// Something to read, of a floating-point or integer type where there is one.
    fn readable(&mut self, floating: bool) -> (Place, Type) {
        if !self.recent.is_empty() && self.random.chance(40) {
            let (place, ty) = self.recent[self.random.below(self.recent.len())].clone();
            if ty.is_floating() == floating {
                return (place, ty);
            }
        }
        for _ in 0..4 {
            let (place, ty) = match self.random.weighted(&[78, 12, 10]) {
                1 if !self.program.scalars.is_empty() => {
                    let at = self.random.below(self.program.scalars.len());
                    (Place::Scalar(at), self.program.scalars[at].ty)
                }
                2 if !self.locals.is_empty() => {
                    let (id, ty) = self.locals[self.random.below(self.locals.len())];
                    (Place::Local(id), ty)
                }
                _ => {
                    let at = self.random.below(self.program.arrays.len());
                    (self.element(at), self.program.arrays[at].ty)
                }
            };
            if ty.is_floating() == floating {
                return (place, ty);
            }
        }
        let at = self.random.below(self.program.arrays.len());
        (self.element(at), self.program.arrays[at].ty)
    }

    /// An element of the array at a position.
    fn element(&mut self, array: usize) -> Place {
        let rank = self.program.arrays[array].rank;
        let most = if rank == 3 { 20 } else { 40 };
        let subscripts = (0..rank).map(|dim| self.subscript(dim, most)).collect();
        Place::Element(array, subscripts)
    }

    /// A subscript between 0 and `most`: mostly the iterator of the dimension's depth and a small number.
    fn subscript(&mut self, dim: usize, most: i64) -> Quasi {
        for _ in 0..8 {
            let mut quasi = self.any_subscript(dim);
            let Some(range) = quasi.range(&self.ranges) else { continue };
            if range.low < 0 {
                quasi.plus -= range.low;
            }
            if range.high - range.low.min(0) <= most {
                return quasi;
            }
        }
        Quasi::linear(Linear::int(self.random.between(0, 3)))
    }

    /// A subscript, of any range.
    fn any_subscript(&mut self, dim: usize) -> Quasi {
        let near = self.scope.get(dim).or(self.scope.last()).copied();
        let simple = match near {
            Some(id) if self.random.chance(65) => {
                Linear::variable(Variable::Iterator(id), self.random.pick(&[0, 0, 0, 1, -1, 2]))
            }
            _ => self.outer(-1, 1).unwrap_or_else(|| Linear::int(self.random.between(0, 4))),
        };
        if self.random.chance(self.shape.quasi) {
            let k = self.random.between(2, 3);
            let op = if self.random.chance(50) { QuasiOp::Div(k) } else { QuasiOp::Mod(k) };
            return Quasi { linear: simple, op, plus: 0 };
        }
        Quasi::linear(match self.random.weighted(&[74, 6, 10, 10]) {
            0 => simple,
            1 => Linear::int(self.random.between(0, 5)),
            2 => self.combination(1).unwrap_or(simple),
            _ => self.reversed().unwrap_or(simple),
        })
    }

    /// A parameter minus an iterator minus one.
    fn reversed(&mut self) -> Option<Linear> {
        let mut linear = self.parameter(-1, -1)?;
        let (_, iterator) = self.outer(0, 0)?.terms[0];
        linear.terms.push((-1, iterator));
        Some(linear)
    }
}

/// A constant as written.
fn literal(text: &str) -> Expr {
    Expr::Literal(text.to_owned())
}

/// A binary operation.
fn binary(op: &'static str, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}
