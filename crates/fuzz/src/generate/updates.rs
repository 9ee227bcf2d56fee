//! Making random programs of reductions: updates in all ways of writing them, and the terms that they combine.

use super::reductions::{Cell, Operator, Role, small};
use super::{Generator, binary, literal};
use crate::program::{Expr, Place, Stmt, Type};

impl Generator<'_> {
    /// An update of a cell, mostly by its own operator.
    pub(super) fn update(&mut self, cell: &Cell) -> Stmt {
        let value = match cell.operator {
            Operator::Product => self.factor(cell.ty),
            Operator::Logical(op) => self.truth(op),
            Operator::Bitwise(op) => self.bits(cell.ty, op),
            Operator::Sum | Operator::Least | Operator::Greatest => self.term(cell.ty),
        };
        if self.is_plain || self.random.chance(88) {
            return self.update_by(cell, value);
        }
        self.other_update(cell)
    }

    /// An update by an operator that the cell does not have elsewhere. What products leave is too large for sums.
    fn other_update(&mut self, cell: &Cell) -> Stmt {
        let is_product = cell.operator == Operator::Product;
        let operator = match self.random.below(5) {
            0 => Operator::Least,
            1 => Operator::Greatest,
            2 => Operator::Logical("||"),
            3 if cell.ty.wraps() || !is_product => Operator::Sum,
            _ => Operator::Product,
        };
        let value = match operator {
            Operator::Product if !is_product && !cell.ty.wraps() => self.sign(),
            Operator::Product => self.factor(cell.ty),
            _ => self.leaf(cell.ty),
        };
        self.update_by(&Cell { operator, ..cell.clone() }, value)
    }

    /// The update of a cell by a value, by its operator; products have signs in the place of other small values.
    pub(super) fn update_by(&mut self, cell: &Cell, value: Expr) -> Stmt {
        let (target, old) = (cell.place.clone(), Expr::Read(cell.place.clone()));
        match cell.operator {
            Operator::Sum => self.sum_by(cell, value),
            Operator::Product => {
                let is_small = matches!(value, Expr::Call("small", _)) && !cell.ty.wraps();
                let value = if is_small { sign_of(value) } else { value };
                self.combined(cell, "*", "*=", value)
            }
            Operator::Bitwise("&") => self.combined(cell, "&", "&=", value),
            Operator::Bitwise("|") => self.combined(cell, "|", "|=", value),
            Operator::Bitwise(_) => self.combined(cell, "^", "^=", value),
            Operator::Logical(op) => {
                let value = if self.random.chance(50) {
                    binary(op, old, value)
                } else {
                    binary(op, value, old)
                };
                Stmt::Assign { target, op: "=", value }
            }
            Operator::Least | Operator::Greatest => self.selection(cell, value),
        }
    }

    /// `x += e`, `x -= e`, `x = x + e`, `x = a + x - b`, ..
    fn sum_by(&mut self, cell: &Cell, value: Expr) -> Stmt {
        let (target, old) = (cell.place.clone(), Expr::Read(cell.place.clone()));
        let (op, value) = match self.random.weighted(&[40, 12, 14, 14, 8, 12]) {
            0 => ("+=", value),
            1 => ("-=", value),
            2 => ("=", binary("+", old, value)),
            3 => ("=", binary("+", value, old)),
            4 => ("=", binary("-", old, value)),
            _ => ("=", binary("-", binary("+", value, old), self.leaf(cell.ty))),
        };
        Stmt::Assign { target, op, value }
    }

    /// `x op= e`, `x = x op e`, `x = e op x`.
    fn combined(
        &mut self,
        cell: &Cell,
        op: &'static str,
        compound: &'static str,
        value: Expr,
    ) -> Stmt {
        let (target, old) = (cell.place.clone(), Expr::Read(cell.place.clone()));
        match self.random.weighted(&[60, 20, 20]) {
            0 => Stmt::Assign { target, op: compound, value },
            1 => Stmt::Assign { target, op: "=", value: binary(op, old, value) },
            _ => Stmt::Assign { target, op: "=", value: binary(op, value, old) },
        }
    }

    /// The least or the greatest of the cell and a value: by `?:`, `if`, or a function.
    fn selection(&mut self, cell: &Cell, value: Expr) -> Stmt {
        let (target, old) = (cell.place.clone(), Expr::Read(cell.place.clone()));
        let is_least = cell.operator == Operator::Least;
        let (new_first, old_first) = match (is_least, self.random.chance(75)) {
            (true, true) => ("<", ">"),
            (true, false) => ("<=", ">="),
            (false, true) => (">", "<"),
            (false, false) => (">=", "<="),
        };
        let ternary = |condition: Expr, new: Expr, old: Expr| {
            Expr::Ternary(Box::new(condition), Box::new(new), Box::new(old))
        };
        let condition = if self.random.chance(50) {
            binary(new_first, value.clone(), old.clone())
        } else {
            binary(old_first, old.clone(), value.clone())
        };
        let function = match (cell.ty, is_least) {
            (Type::Float, true) => "fminf",
            (Type::Float, false) => "fmaxf",
            (_, true) => "fmin",
            (_, false) => "fmax",
        };
        match self.random.below(if cell.ty.is_floating() { 4 } else { 3 }) {
            0 => Stmt::Assign { target, op: "=", value: ternary(condition, value, old) },
            1 => {
                let kept = binary(old_first, value.clone(), old.clone());
                Stmt::Assign { target, op: "=", value: ternary(kept, old, value) }
            }
            2 => {
                let then = vec![Stmt::Assign { target, op: "=", value }];
                Stmt::If { condition, then, otherwise: Vec::new() }
            }
            _ => {
                let both = if self.random.chance(50) { vec![old, value] } else { vec![value, old] };
                Stmt::Assign { target, op: "=", value: Expr::Call(function, both) }
            }
        }
    }

    /// A term of a sum: at most 64 where its type does not wrap and has few bits.
    pub(super) fn term(&mut self, ty: Type) -> Expr {
        let first = self.term_factor(ty);
        match self.random.weighted(&[40, 34, 10, 6, 6, 4]) {
            0 => first,
            1 => binary("*", first, self.leaf(ty)),
            2 => {
                let product = binary("*", self.leaf(ty), self.leaf(ty));
                binary(self.random.pick(&["+", "-"]), first, product)
            }
            3 => Expr::Prefix("-", Box::new(first)),
            4 => {
                let (condition, other) = (self.comparison(), self.leaf(ty));
                Expr::Ternary(Box::new(condition), Box::new(first), Box::new(other))
            }
            _ => match self.combination(0) {
                Some(index) if index.range(&self.ranges).is_some_and(|r| r.high <= 30) => {
                    Expr::Index(index)
                }
                _ => first,
            },
        }
    }

    /// A leaf, or a sum or difference of two.
    fn term_factor(&mut self, ty: Type) -> Expr {
        let first = self.leaf(ty);
        if self.random.chance(75) {
            return first;
        }
        binary(self.random.pick(&["+", "-"]), first, self.leaf(ty))
    }

    /// A term that is at most four.
    pub(super) fn small_term(&mut self, ty: Type) -> Expr {
        let term = self.term(ty);
        small(if ty == Type::Unsigned { Expr::Prefix("(int)", Box::new(term)) } else { term })
    }

    /// Something that a term reads: mostly data of the type, else a constant, a local variable, or a result, made small.
    pub(super) fn leaf(&mut self, ty: Type) -> Expr {
        let by_kind = if self.is_plain { [94, 6, 0, 0] } else { [80, 8, 6, 6] };
        match self.random.weighted(&by_kind) {
            1 => return Expr::Literal(self.random.between(-4, 4).to_string()),
            2 if !self.locals.is_empty() => {
                let (id, found) = self.locals[self.random.below(self.locals.len())];
                return self.converted(ty, found, Expr::Read(Place::Local(id)));
            }
            3 => {
                let (place, found) = self.any_result();
                let read = self.converted(ty, found, Expr::Read(place));
                return small(read);
            }
            _ => {}
        }
        let at = self.data_array(ty);
        let place = self.data(at);
        self.converted(ty, self.program.arrays[at].ty, Expr::Read(place))
    }

    /// An element of data; in long loops mostly one that loops walk through.
    fn data(&mut self, array: usize) -> Place {
        let is_walked = self.lane.is_some() && self.random.chance(85);
        if is_walked { self.lane_data(array) } else { self.element(array) }
    }

    /// An array of data, of the type where there is one.
    pub(super) fn data_array(&mut self, ty: Type) -> usize {
        let data: Vec<usize> =
            (0..self.array_roles.len()).filter(|at| self.array_roles[*at] == Role::Data).collect();
        let fit: Vec<usize> =
            data.iter().copied().filter(|at| self.program.arrays[*at].ty == ty).collect();
        self.random.pick(if fit.is_empty() { &data } else { &fit })
    }

    /// An element that is updated somewhere, at any place.
    fn any_result(&mut self) -> (Place, Type) {
        let results: Vec<usize> = (0..self.array_roles.len())
            .filter(|at| matches!(self.array_roles[*at], Role::Result(_)))
            .collect();
        let at = self.random.pick(&results);
        (self.element(at), self.program.arrays[at].ty)
    }

    /// What a place of the type `found` holds, as a small value of the type `ty`.
    pub(super) fn converted(&self, ty: Type, found: Type, read: Expr) -> Expr {
        match (ty.is_floating(), found) {
            _ if found == ty || found == Type::Truth => read,
            (true, Type::Double | Type::Float) => small(read),
            (false, Type::Double | Type::Float) => Expr::Prefix("(int)", Box::new(small(read))),
            (_, Type::Unsigned) => small(Expr::Prefix("(int)", Box::new(read))),
            _ => small(read),
        }
    }

    /// A comparison of data, at times of a result, with a number.
    pub(super) fn comparison(&mut self) -> Expr {
        let place = if self.random.chance(85) {
            let at = self.data_array(self.main_type);
            self.data(at)
        } else {
            self.any_result().0
        };
        let op = self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
        binary(op, Expr::Read(place), Expr::Literal(self.random.between(-3, 3).to_string()))
    }

    /// A truth value that mostly decides nothing.
    fn truth(&mut self, op: &'static str) -> Expr {
        if self.random.chance(25) {
            return self.comparison();
        }
        let at = self.data_array(self.main_type);
        let (place, bound) = (self.data(at), self.random.pick(&["4", "-4", "3"]));
        let comparison = if op == "&&" { "!=" } else { "==" };
        binary(comparison, Expr::Read(place), literal(bound))
    }

    /// Bits to combine; `&` has some to leave.
    fn bits(&mut self, ty: Type, op: &'static str) -> Expr {
        let leaf = self.leaf(ty);
        if op == "&" && self.random.chance(70) {
            return Expr::Prefix("~", Box::new(leaf));
        }
        leaf
    }

    /// A factor of a product: one or minus one, two where few instances run; any value of a type that wraps.
    fn factor(&mut self, ty: Type) -> Expr {
        let most_instances = match ty {
            Type::Double => 30,
            Type::Float => 4,
            _ => 1,
        };
        if ty.wraps() && self.random.chance(60) {
            return self.leaf(ty);
        }
        if ty.wraps() || self.instances <= most_instances {
            return literal(self.random.pick(&["2", "-2", "2"]));
        }
        self.sign()
    }

    /// One or minus one.
    fn sign(&mut self) -> Expr {
        let arrays = self.array_roles.iter().position(|role| *role == Role::Signs);
        match arrays {
            Some(at) if self.random.chance(70) && self.has_signs(at) => {
                Expr::Read(self.element(at))
            }
            _ => {
                let condition = self.comparison();
                sign_of(condition)
            }
        }
    }

    /// Whether an array's type has minus one.
    fn has_signs(&self, array: usize) -> bool {
        let ty = self.program.arrays[array].ty;
        ty.is_floating() || matches!(ty, Type::Int | Type::Long | Type::Short)
    }
}

/// Minus one where something holds, else one.
fn sign_of(condition: Expr) -> Expr {
    Expr::Ternary(Box::new(condition), Box::new(literal("-1")), Box::new(literal("1")))
}
