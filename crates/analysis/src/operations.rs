//! The operations of a statement.

use farkas_scop::{AssignOp, BinaryOp, BodyStmt, Expr, Statement};

/// How often a loop within an instance is taken to run: nothing is known of it before.
const INNER_ITERATIONS: f64 = 16.0;

/// How many operations of each kind one instance has.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Operations {
    /// Additions and whatever is like them.
    pub additions: f64,
    /// Multiplications.
    pub multiplications: f64,
    /// Divisions and square roots.
    pub divisions: f64,
    /// Calls of other functions.
    pub calls: f64,
}

/// What a function of the mathematics library becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    /// An instruction as slow as a division.
    Root,
    /// An instruction or two.
    Simple,
    /// A call.
    Library,
}

impl Function {
    /// The one with a name.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "sqrt" | "sqrtf" => Self::Root,
            "fabs" | "fabsf" | "fmax" | "fmaxf" | "fmin" | "fminf" => Self::Simple,
            _ => Self::Library,
        }
    }
}

impl Operations {
    /// Those of a statement; conditions on data count as if both sides ran, as they do in vector registers.
    pub fn of(stmt: &Statement) -> Self {
        let mut found = Self::default();
        found.body(&stmt.body);
        found
    }

    /// Operations that take a place each in the units for arithmetic, multiplications fused with additions.
    pub fn fused(&self) -> f64 {
        self.additions.max(self.multiplications)
    }

    /// Adds those of a body.
    fn body(&mut self, body: &[BodyStmt]) {
        for stmt in body {
            match stmt {
                BodyStmt::Assign { op, value, .. } | BodyStmt::AssignLocal { op, value, .. } => {
                    if let AssignOp::Compound(op) = op {
                        self.operator(*op);
                    }
                    self.expr(value);
                }
                BodyStmt::If { condition, then, otherwise } => {
                    self.expr(condition);
                    self.additions += 1.0;
                    self.body(then);
                    self.body(otherwise);
                }
                BodyStmt::Local { value, .. } => {
                    if let Some(value) = value {
                        self.expr(value);
                    }
                }
                BodyStmt::Block(inner) => self.body(inner),
                BodyStmt::Loop(inner) => {
                    self.body(&inner.first);
                    let mut each = Self::default();
                    inner.condition.iter().for_each(|c| each.expr(c));
                    each.body(&inner.body);
                    each.body(&inner.step);
                    self.add(&each, INNER_ITERATIONS);
                }
                BodyStmt::Break | BodyStmt::Continue => {}
                BodyStmt::Text(_) => self.additions += 1.0,
            }
        }
    }

    /// Adds so many times those of `other`.
    fn add(&mut self, other: &Self, times: f64) {
        self.additions += times * other.additions;
        self.multiplications += times * other.multiplications;
        self.divisions += times * other.divisions;
        self.calls += times * other.calls;
    }

    /// Adds those of an expression.
    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Unary(_, a) | Expr::Cast(_, a) => self.expr(a),
            Expr::Binary(op, a, b) => {
                self.operator(*op);
                self.expr(a);
                self.expr(b);
            }
            Expr::Ternary(a, b, c) => {
                self.additions += 1.0;
                for part in [a, b, c] {
                    self.expr(part);
                }
            }
            Expr::Call(name, arguments) => {
                match Function::named(name) {
                    Function::Root => self.divisions += 1.0,
                    Function::Simple => self.additions += 1.0,
                    Function::Library => self.calls += 1.0,
                }
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            Expr::Int { .. }
            | Expr::Float(_)
            | Expr::Iterator(_)
            | Expr::Param(_)
            | Expr::Access(_)
            | Expr::Local(_)
            | Expr::Verbatim(_) => {}
        }
    }

    /// Adds an operator.
    fn operator(&mut self, op: BinaryOp) {
        match op {
            BinaryOp::Mul => self.multiplications += 1.0,
            BinaryOp::Div | BinaryOp::Rem => self.divisions += 1.0,
            _ => self.additions += 1.0,
        }
    }
}
