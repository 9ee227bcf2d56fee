//! Making random programs: statements, values, subscripts.

use super::{Generator, binary, literal};
use crate::program::{Expr, Linear, Node, Place, Quasi, QuasiOp, Range, Stmt, Type, Variable};

impl Generator<'_> {
    /// A statement.
    pub(super) fn stmt(&mut self) -> Node {
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

    /// An element of an array, a scalar or a local variable, with these weights, and its type.
    fn place(&mut self, weights: [usize; 3]) -> (Place, Type) {
        match self.random.weighted(&weights) {
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
        }
    }

    /// An assignment to an array, a scalar, or a local variable.
    pub(super) fn assignment(&mut self) -> Stmt {
        let (target, ty) = self.place([80, 14, 6]);
        let depth = 1 + self.random.below(3);
        let (op, value) = match ty {
            Type::Double | Type::Float | Type::Half | Type::Bf16 => self.floating_update(ty, depth),
            Type::Int | Type::Long | Type::Short | Type::Byte | Type::Truth => {
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
    pub(super) fn floating_update(&mut self, ty: Type, depth: usize) -> (&'static str, Expr) {
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
    pub(super) fn constant(&mut self, ty: Type, choices: &[&str]) -> Expr {
        let text = self.random.pick(choices);
        literal(&if ty == Type::Float { format!("{text}f") } else { text.to_owned() })
    }

    /// An expression of the type.
    pub(super) fn value(&mut self, ty: Type, depth: usize) -> Expr {
        match ty {
            Type::Double | Type::Float | Type::Half | Type::Bf16 => self.floating(ty, depth),
            Type::Unsigned => self.unsigned(depth),
            Type::Int | Type::Long | Type::Short | Type::Byte | Type::Truth => self.integer(depth),
        }
    }

    /// A floating-point expression whose magnitude is at most about that of the values it reads.
    pub(super) fn floating(&mut self, ty: Type, depth: usize) -> Expr {
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
                let condition = self.choice();
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
    pub(super) fn floating_leaf(&mut self, ty: Type) -> Expr {
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
            Type::Double | Type::Float | Type::Half | Type::Bf16 => Expr::Read(place),
            Type::Int | Type::Long | Type::Short | Type::Byte | Type::Truth => {
                binary("*", self.constant(ty, &["0.01"]), Expr::Read(place))
            }
            Type::Unsigned => {
                let small = binary("%", Expr::Read(place), literal("64u"));
                binary("*", self.constant(ty, &["0.015625"]), small)
            }
        }
    }

    /// An `int` expression; arrays of `int` hold a few thousand at most per update.
    pub(super) fn integer(&mut self, depth: usize) -> Expr {
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
                let condition = self.choice();
                let b = self.integer_leaf();
                Expr::Ternary(Box::new(condition), Box::new(a), Box::new(b))
            }
        }
    }

    /// An `int` value.
    pub(super) fn integer_leaf(&mut self) -> Expr {
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
    pub(super) fn unsigned(&mut self, depth: usize) -> Expr {
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

    /// A condition between two values: on data, on the iteration, or on both.
    fn choice(&mut self) -> Expr {
        let of_data = self.data_condition();
        let Some(left) = self.combination(1).filter(|_| self.random.chance(50)) else {
            return of_data;
        };
        let range = left.range(&self.ranges).unwrap_or(Range { low: 0, high: 8 });
        let bound = literal(&self.random.between(range.low, range.high).to_string());
        let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let of_iteration = binary(op, Expr::Index(left), bound);
        match self.random.below(4) {
            0 => binary(self.random.pick(&["&&", "||"]), of_iteration, of_data),
            _ => of_iteration,
        }
    }

    /// A condition on data.
    pub(super) fn data_condition(&mut self) -> Expr {
        let (place, ty) = self.readable(true);
        let op = self.random.pick(&["<", ">", "<=", ">="]);
        let right = match ty {
            Type::Double | Type::Float | Type::Half | Type::Bf16 if self.random.chance(40) => {
                self.floating_leaf(ty)
            }
            Type::Double | Type::Float | Type::Half | Type::Bf16 => {
                self.constant(ty, &["0.0", "0.1", "-0.2"])
            }
            Type::Unsigned => literal("2147483647u"),
            _ => literal(self.random.pick(&["0", "5", "-7"])),
        };
        binary(op, Expr::Read(place), right)
    }

    /// Something to read, of a floating-point or integer type where there is one.
    pub(super) fn readable(&mut self, floating: bool) -> (Place, Type) {
        if !self.recent.is_empty() && self.random.chance(40) {
            let (place, ty) = self.recent[self.random.below(self.recent.len())].clone();
            if ty.is_floating() == floating {
                return (place, ty);
            }
        }
        for _ in 0..4 {
            let (place, ty) = self.place([78, 12, 10]);
            if ty.is_floating() == floating {
                return (place, ty);
            }
        }
        let at = self.random.below(self.program.arrays.len());
        (self.element(at), self.program.arrays[at].ty)
    }

    /// An element of the array at a position.
    pub(super) fn element(&mut self, array: usize) -> Place {
        let rank = self.program.arrays[array].rank;
        let most = if rank == 3 { 20 } else { self.widest };
        let subscripts = (0..rank).map(|dim| self.subscript(dim, most)).collect();
        Place::Element(array, subscripts)
    }

    /// A subscript between 0 and `most`: mostly the iterator of the dimension's depth and a small number.
    pub(super) fn subscript(&mut self, dim: usize, most: i64) -> Quasi {
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
    pub(super) fn any_subscript(&mut self, dim: usize) -> Quasi {
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
    pub(super) fn reversed(&mut self) -> Option<Linear> {
        let mut linear = self.parameter(-1, -1)?;
        let (_, iterator) = self.outer(0, 0)?.terms[0];
        linear.terms.push((-1, iterator));
        Some(linear)
    }
}
