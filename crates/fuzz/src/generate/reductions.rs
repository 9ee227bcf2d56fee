//! Making random programs of reductions: nests of loops around updates, what begins their results and what uses them.
//!
//! Every order of the updates has the same result, also for floating-point numbers, because all arithmetic is exact. What is read is small,
//! as arrays hold small integers at first, and results are made small where a term reads them. So the terms of sums are at most 40, and
//! all that a program adds stays far below 2^24. Products have elements of their own: factors are 1 and -1, and 2 where few instances run.

use super::{ARRAYS, Generator, Shape, Walk, literal};
use crate::Random;
use crate::program::{
    Array, Expr, Fill, Linear, Node, Param, Place, Program, Quasi, QuasiOp, Range, Scalar, Stmt,
    Storage, Type, Variable,
};

/// What an array or a scalar is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// To be read: small values.
    Data,
    /// To be read: one and minus one.
    Signs,
    /// To be updated, mostly by this operator.
    Result(Operator),
    /// To choose elements.
    Index,
    /// To keep what selections select.
    Kept,
}

/// How results are updated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Sum,
    Product,
    Least,
    Greatest,
    /// `&`, `|`, `^`
    Bitwise(&'static str),
    /// `&&`, `||`
    Logical(&'static str),
}

/// Something that is updated.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) place: Place,
    pub(super) ty: Type,
    pub(super) operator: Operator,
}

/// The types that most of a program has.
const MAIN_TYPES: [Type; 13] = [
    Type::Double,
    Type::Double,
    Type::Double,
    Type::Double,
    Type::Float,
    Type::Float,
    Type::Int,
    Type::Int,
    Type::Unsigned,
    Type::Long,
    Type::Short,
    Type::Byte,
    Type::Truth,
];

impl<'a> Generator<'a> {
    /// Chooses parameters, arrays and scalars of a program of reductions.
    pub(super) fn of_reductions(seed: u64, shape: &'a Shape) -> Self {
        let mut random = Random::new(seed);
        let n_params = random.weighted(&[15, 45, 35, 5]);
        let params = ["n", "m", "p"][..n_params]
            .iter()
            .map(|name| Param { name: (*name).into(), value: random.between(4, shape.max_param) })
            .collect();
        let main_type = random.pick(&MAIN_TYPES);
        let program =
            Program { seed, params, arrays: Vec::new(), scalars: Vec::new(), regions: Vec::new() };
        let mut generator = Self::of_program(random, shape, program, main_type);
        generator.add_arrays();
        generator.add_scalars();
        if shape.lanes > 0 {
            generator.sized_for_lanes();
        }
        generator
    }

    /// A type: mostly that of the program.
    fn any_type(&mut self) -> Type {
        if self.random.chance(82) { self.main_type } else { self.random.pick(&MAIN_TYPES) }
    }

    /// The operator that updates of a type mostly have.
    fn any_operator(&mut self, ty: Type) -> Operator {
        use Operator::{Bitwise, Greatest, Least, Logical, Product, Sum};
        let bitwise = Bitwise(self.random.pick(&["&", "|", "^"]));
        let logical = Logical(self.random.pick(&["&&", "||"]));
        let weights = match ty {
            Type::Truth => [5, 5, 5, 5, 40, 40],
            _ if ty.is_floating() => [50, 12, 15, 15, 0, 8],
            _ => [35, 10, 12, 12, 22, 9],
        };
        [Sum, Product, Least, Greatest, bitwise, logical][self.random.weighted(&weights)]
    }

    /// Arrays to read, arrays to update, and one of signs where there are products.
    fn add_arrays(&mut self) {
        let storage = if self.random.chance(60) { Storage::Argument } else { Storage::Global };
        for _ in 0..1 + self.random.below(2) {
            let (ty, rank) = (self.any_type(), 1 + self.random.weighted(&[30, 55, 15]));
            self.add_array(ty, rank, storage, Role::Data);
        }
        for _ in 0..1 + self.random.below(3) {
            let (ty, rank) = (self.any_type(), 1 + self.random.weighted(&[55, 40, 5]));
            let role = Role::Result(self.any_operator(ty));
            let is_local = self.random.chance(7);
            let storage = if is_local { Storage::Local } else { storage };
            self.add_array(ty, rank, storage, role);
        }
        if self.random.chance(50) {
            let rank = 1 + self.random.below(2);
            self.add_array(self.main_type, rank, storage, Role::Signs);
        }
    }

    /// An array.
    fn add_array(&mut self, ty: Type, rank: usize, storage: Storage, role: Role) {
        let Some(name) = ARRAYS.get(self.program.arrays.len()) else { return };
        let n_params = self.program.params.len();
        let extent_params = (0..rank)
            .map(|_| (n_params > 0 && self.random.chance(70)).then(|| self.random.below(n_params)))
            .collect();
        let fill = if role == Role::Signs { Fill::Signs } else { Fill::Small };
        let array = Array { name: (*name).into(), ty, rank, storage, extent_params, fill };
        self.program.arrays.push(array);
        self.array_roles.push(role);
    }

    /// Scalars to update; most are printed.
    fn add_scalars(&mut self) {
        let n = if self.shape.lanes > 0 { 4 } else { self.random.weighted(&[10, 50, 28, 12]) };
        for at in 0..n {
            let ty = self.any_type();
            let is_printed = self.random.chance(85);
            self.program.scalars.push(Scalar { name: format!("s{at}"), ty, is_printed });
            let operator = self.any_operator(ty);
            self.scalar_operators.push(Some(operator));
        }
    }

    /// Makes the regions.
    pub(super) fn fill_with_reductions(&mut self) {
        let n_regions = 1 + usize::from(self.random.chance(self.shape.regions));
        for _ in 0..n_regions {
            self.stmts_left = 3 + self.random.below(self.shape.max_stmts);
            let mut nodes = Vec::new();
            let most = if self.shape.lanes > 0 { 1 + self.random.below(2) } else { 5 };
            while self.stmts_left > 0 && nodes.len() < most {
                let is_in_lanes = self.shape.lanes > 0 && self.random.chance(self.shape.lanes);
                let is_scattered = !is_in_lanes && self.random.chance(self.shape.scattered);
                nodes.extend(match (is_in_lanes, is_scattered) {
                    (true, _) => self.lanes(),
                    (false, true) => self.scattered_nest(),
                    (false, false) => self.reduction(0),
                });
            }
            self.program.regions.push(nodes);
        }
    }

    /// A loop around updates; before it, at times, what begins their result, and after it what uses that.
    pub(super) fn reduction(&mut self, depth: usize) -> Vec<Node> {
        let n_open = self.open.len();
        let mut nodes = Vec::new();
        if depth == 0 {
            self.is_plain = self.random.chance(70);
        }
        if self.random.chance(if self.is_plain && depth > 0 { 15 } else { 45 }) {
            let cell = self.cell();
            if self.random.chance(65) {
                nodes.push(Node::Stmt(self.beginning(&cell)));
            }
            self.open.push(cell);
        }
        nodes.push(self.reduction_loop(depth));
        if self.open.len() > n_open && self.random.chance(50) {
            let cell = self.open[n_open].clone();
            nodes.push(Node::Stmt(self.consumer(&cell)));
        }
        self.open.truncate(n_open);
        nodes
    }

    /// A loop: one that goes to the end of something, or any, or one that never runs.
    pub(super) fn reduction_loop(&mut self, depth: usize) -> Node {
        match self.random.weighted(&[55, 42, 3]) {
            0 => self.product_loop(depth, |inside| inside.inside_of_loop(depth + 1)),
            1 => self.looped(depth, |inside| inside.inside_of_loop(depth + 1)),
            _ => {
                let low = self.random.between(0, 4);
                let (lower, upper) =
                    (vec![Linear::int(low)], vec![Linear::int(low - self.random.between(0, 2))]);
                let range = Range { low, high: low };
                let walk = Walk { lower, upper, range, step: 1, down: self.random.chance(20) };
                self.loop_of(depth, walk, |inside| inside.inside_of_loop(depth + 1))
            }
        }
    }

    /// What is in a loop: further loops, at times two beside each other or beside updates; or updates.
    pub(super) fn inside_of_loop(&mut self, depth: usize) -> Vec<Node> {
        let n_locals = self.locals.len();
        let percent = [100, 72, 45, 20].get(depth).copied().unwrap_or(0);
        let goes_on = depth < self.shape.max_depth
            && self.stmts_left > 0
            && self.instances * 4 <= self.shape.max_instances
            && self.random.chance(percent);
        let mut nodes = if goes_on { self.reduction(depth) } else { vec![self.updates()] };
        let more = if goes_on { 20 } else { 40 };
        while self.stmts_left > 0 && nodes.len() < 4 && self.random.chance(more) {
            if goes_on && self.random.chance(50) {
                nodes.extend(self.reduction(depth));
            } else {
                nodes.push(self.updates());
            }
        }
        self.locals.truncate(n_locals);
        nodes
    }

    /// Updates: plain ones, under an affine guard, under a condition on data, or of a local variable; or what reads results.
    pub(super) fn updates(&mut self) -> Node {
        self.stmts_left = self.stmts_left.saturating_sub(1);
        let by_kind = if self.is_plain { [86, 7, 7, 0, 0] } else { [62, 12, 12, 8, 6] };
        match self.random.weighted(&by_kind) {
            0 => Node::Stmt(self.any_update()),
            1 => {
                let condition = self.condition(2);
                let then = vec![self.updates()];
                let has_more = self.random.chance(30);
                let otherwise = if has_more { vec![self.updates()] } else { Vec::new() };
                Node::If { condition, then, otherwise }
            }
            2 => {
                let condition = self.comparison();
                let n = 1 + usize::from(self.random.chance(20));
                let then = (0..n).map(|_| self.any_update()).collect();
                let has_more = self.random.chance(25);
                let otherwise = if has_more { vec![self.any_update()] } else { Vec::new() };
                Node::Stmt(Stmt::If { condition, then, otherwise })
            }
            3 => {
                let cell = self.near_cell();
                Node::Stmt(self.consumer(&cell))
            }
            _ => {
                let (id, ty) = (self.next_id, self.main_type);
                self.next_id += 1;
                let value = self.small_term(ty);
                self.locals.push((id, ty));
                Node::Stmt(Stmt::Local { id, ty, value })
            }
        }
    }

    /// An update of a cell nearby.
    pub(super) fn any_update(&mut self) -> Stmt {
        let cell = self.near_cell();
        let update = self.update(&cell);
        self.last = Some(cell);
        update
    }

    /// A cell to update: one that is begun around here, the one that was updated last, or another.
    fn near_cell(&mut self) -> Cell {
        let open = self.open.get(self.random.below(self.open.len())).cloned();
        let last = self.last.clone().filter(|cell| self.is_in_scope(&cell.place));
        let by_kind = if self.lane.is_some() { [85, 5, 10] } else { [55, 12, 33] };
        match self.random.weighted(&by_kind) {
            0 => open.unwrap_or_else(|| self.cell()),
            1 => last.unwrap_or_else(|| self.cell()),
            _ => self.cell(),
        }
    }

    /// A cell to update: a scalar, or an element which mostly fewer loops move than there are around it.
    pub(super) fn cell(&mut self) -> Cell {
        let scalars = self.updated_scalars();
        // What a long loop has no value of its own of keeps it from running in lanes.
        let by_scalars = match (self.lane.is_some(), self.scope.is_empty()) {
            (true, _) => 4,
            (false, true) => 50,
            (false, false) => 32,
        };
        if !scalars.is_empty() && self.random.chance(by_scalars) {
            let (at, operator) = self.random.pick(&scalars);
            let ty = self.program.scalars[at].ty;
            return Cell { place: Place::Scalar(at), ty, operator };
        }
        let roles = self.array_roles.iter().enumerate();
        let results: Vec<(usize, Operator)> = roles
            .filter_map(|(at, role)| match role {
                Role::Result(operator) => Some((at, *operator)),
                Role::Data | Role::Signs | Role::Index | Role::Kept => None,
            })
            .collect();
        let (at, operator) = self.random.pick(&results);
        self.cell_of(at, operator)
    }

    /// Subscripts of some of the loops around this place.
    pub(super) fn reduced_subscripts(&mut self, rank: usize) -> Vec<Quasi> {
        if let Some(lane) = self.lane.filter(|_| self.random.chance(93)) {
            return self.lane_subscripts(rank, lane);
        }
        let mut loops = self.scope.clone();
        while !loops.is_empty()
            && (loops.len() > rank || (loops.len() == self.scope.len() && self.random.chance(70)))
        {
            loops.remove(self.random.below(loops.len()));
        }
        if self.random.chance(20) {
            loops.reverse();
        }
        (0..rank).map(|at| self.reduced_subscript(loops.get(at).copied())).collect()
    }

    /// A subscript that a loop moves, or none: mostly the iterator.
    pub(super) fn reduced_subscript(&mut self, iterator: Option<usize>) -> Quasi {
        let Some(id) = iterator else {
            return Quasi::linear(Linear::int(self.random.between(0, 2)));
        };
        let iterator = Variable::Iterator(id);
        let mut subscript = Quasi::linear(Linear::variable(iterator, 0));
        match self.random.weighted(&[66, 12, 6, 6, 6, 4]) {
            0 => {}
            1 => subscript.linear.constant = self.random.pick(&[1, -1, 2]),
            2 => subscript.linear.terms[0].0 = 2,
            3 => subscript.linear.terms[0].0 = -1,
            4 => {
                if let Some(other) = self.outer(0, 0).filter(|o| o.terms[0].1 != iterator) {
                    subscript.linear.terms.extend(other.terms);
                }
            }
            _ => subscript.op = self.random.pick(&[QuasiOp::Div(2), QuasiOp::Mod(3)]),
        }
        match subscript.range(&self.ranges) {
            Some(range) if range.high - range.low.min(0) <= self.widest => {
                subscript.plus -= range.low.min(0);
                subscript
            }
            _ => Quasi::linear(Linear::int(1)),
        }
    }

    /// What a result begins with.
    pub(super) fn beginning(&mut self, cell: &Cell) -> Stmt {
        let value = match cell.operator {
            Operator::Product => literal(self.random.pick(&["1", "1", "-1", "2"])),
            Operator::Bitwise("&") => literal("-1"),
            _ if self.random.chance(25) => self.leaf(cell.ty),
            _ => literal(self.random.pick(&["0", "0", "1", "3"])),
        };
        Stmt::Assign { target: cell.place.clone(), op: "=", value }
    }

    /// What uses a result: a copy of it, an update by it of another, or a small value in the place of data.
    pub(super) fn consumer(&mut self, cell: &Cell) -> Stmt {
        self.stmts_left = self.stmts_left.saturating_sub(1);
        let cell = &self.plain_cell(cell);
        let read = Expr::Read(cell.place.clone());
        if self.random.chance(if self.lane.is_some() { 3 } else { 12 }) {
            let data: Vec<usize> = (0..self.array_roles.len())
                .filter(|at| self.array_roles[*at] == Role::Data)
                .collect();
            let at = self.random.pick(&data);
            let value = self.converted(self.program.arrays[at].ty, cell.ty, read);
            return Stmt::Assign { target: self.element(at), op: "=", value: small(value) };
        }
        let other = self.cell();
        let other = self.plain_cell(&other);
        let is_product = |cell: &Cell| cell.operator == Operator::Product;
        if self.random.chance(50) {
            let is_alike = other.ty == cell.ty && is_product(&other) == is_product(cell);
            let value = if is_alike { read } else { self.converted(other.ty, cell.ty, read) };
            return Stmt::Assign { target: other.place, op: "=", value };
        }
        let value = self.converted(other.ty, cell.ty, read);
        self.update_by(&other, small(value))
    }
}

/// An expression, made small.
pub(super) fn small(value: Expr) -> Expr {
    match value {
        Expr::Call("small", _) | Expr::Literal(_) => value,
        value => Expr::Call("small", vec![value]),
    }
}
