//! Statements as sums of products.

use crate::{
    AccessId, Array, ArrayId, AssignOp, BinaryOp, BodyStmt, ElementKind, Expr, Statement, UnaryOp,
};
use farkas_base::IdVec;

/// What becomes of an element before products are added to it.
#[derive(Clone, PartialEq, Debug)]
pub enum Start<'a> {
    /// Nothing.
    Kept,
    /// It is forgotten.
    Zero,
    /// It is multiplied by factors, and negated where that is said.
    Scaled(Vec<&'a Expr>, bool),
    /// It is divided.
    Divided(&'a Expr),
}

/// A product that is added.
#[derive(Clone, PartialEq, Debug)]
pub struct Summand<'a> {
    /// Whether it is taken away.
    pub negative: bool,
    /// Its factors.
    pub factors: Vec<&'a Expr>,
}

/// A statement that sets one element to a sum of products, one of which may have the element itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading<'a> {
    /// The element.
    pub target: AccessId,
    /// What becomes of its old value.
    pub start: Start<'a>,
    /// What is added.
    pub summands: Vec<Summand<'a>>,
}

impl<'a> Reading<'a> {
    /// A statement as such a sum; none where it is no assignment, or computes something else. Numbers are of the element's type, or
    /// become of it before anything is computed with them.
    pub fn of(arrays: &IdVec<ArrayId, Array>, stmt: &'a Statement) -> Option<Self> {
        let [BodyStmt::Assign { target, op, value, .. }] = stmt.body.as_slice() else {
            return None;
        };
        let kind = arrays[stmt.accesses[*target].array].element.kind;
        if !matches!(kind, ElementKind::Float | ElementKind::Double) {
            return None;
        }
        let reader = Reader { arrays, stmt, target: *target, kind };
        match op {
            AssignOp::Set => reader.set(value),
            AssignOp::Compound(op) => reader.compound(*op, value),
        }
    }
}

/// Reads one statement.
struct Reader<'a, 'b> {
    arrays: &'b IdVec<ArrayId, Array>,
    stmt: &'a Statement,
    target: AccessId,
    kind: ElementKind,
}

impl<'a> Reader<'a, '_> {
    /// `x op= value`.
    fn compound(&self, op: BinaryOp, value: &'a Expr) -> Option<Reading<'a>> {
        let negative = op == BinaryOp::Sub;
        let (start, summands) = match op {
            BinaryOp::Add | BinaryOp::Sub => {
                let mut summands = Vec::new();
                self.sum(value, negative, &mut summands)?;
                (Start::Kept, summands)
            }
            BinaryOp::Mul => {
                let one = self.product(value, false)?;
                (Start::Scaled(one.factors, one.negative), Vec::new())
            }
            BinaryOp::Div => (Start::Divided(self.divisor(value)?), Vec::new()),
            _ => return None,
        };
        let reading = Reading { target: self.target, start, summands };
        let has_itself = |one: &Summand<'a>| one.factors.iter().any(|factor| self.is_it(factor));
        let scales_itself = match &reading.start {
            Start::Scaled(factors, _) => factors.iter().any(|factor| self.is_it(factor)),
            Start::Divided(divisor) => self.is_it(divisor),
            Start::Kept | Start::Zero => false,
        };
        (!scales_itself && !reading.summands.iter().any(has_itself)).then_some(reading)
    }

    /// `x = value`.
    fn set(&self, value: &'a Expr) -> Option<Reading<'a>> {
        if let Expr::Binary(BinaryOp::Div, dividend, divisor) = value
            && self.is_it(dividend)
        {
            let start = Start::Divided(self.divisor(divisor)?);
            return Some(Reading { target: self.target, start, summands: Vec::new() });
        }
        let mut summands = Vec::new();
        self.sum(value, false, &mut summands)?;
        let n_own = |one: &Summand<'a>| one.factors.iter().filter(|f| self.is_it(f)).count();
        let own: Vec<usize> = (0..summands.len()).filter(|at| n_own(&summands[*at]) > 0).collect();
        let start = match own.as_slice() {
            [] => Start::Zero,
            [at] if n_own(&summands[*at]) == 1 => {
                let mut own = summands.remove(*at);
                own.factors.retain(|factor| !self.is_it(factor));
                match own.factors.is_empty() && !own.negative {
                    true => Start::Kept,
                    false => Start::Scaled(own.factors, own.negative),
                }
            }
            _ => return None,
        };
        Some(Reading { target: self.target, start, summands })
    }

    /// Whether an expression is the element that is set.
    fn is_it(&self, expr: &Expr) -> bool {
        let Expr::Access(access) = expr else { return false };
        *access != self.target && self.stmt.is_same_place(self.target, *access)
    }

    /// The summands of an expression.
    fn sum(&self, expr: &'a Expr, negative: bool, found: &mut Vec<Summand<'a>>) -> Option<()> {
        match expr {
            Expr::Binary(BinaryOp::Add, a, b) => {
                self.sum(a, negative, found)?;
                self.sum(b, negative, found)
            }
            Expr::Binary(BinaryOp::Sub, a, b) => {
                self.sum(a, negative, found)?;
                self.sum(b, !negative, found)
            }
            Expr::Unary(UnaryOp::Plus, inner) => self.sum(inner, negative, found),
            Expr::Unary(UnaryOp::Minus, inner) => self.sum(inner, !negative, found),
            zero if is_zero(zero) => Some(()),
            other => {
                found.push(self.product(other, negative)?);
                Some(())
            }
        }
    }

    /// The factors of an expression: at most one is an integer, so that none are multiplied as such, and none is of a wider type than the
    /// element.
    fn product(&self, expr: &'a Expr, negative: bool) -> Option<Summand<'a>> {
        let mut product = Summand { negative, factors: Vec::new() };
        self.factors(expr, &mut product)?;
        let kinds: Option<Vec<ElementKind>> =
            product.factors.iter().map(|f| self.stmt.kind_of(self.arrays, f)).collect();
        let kinds = kinds?;
        let n_integers = kinds.iter().filter(|kind| kind.is_integer()).count();
        let fits = kinds.iter().all(|kind| kind.common(self.kind) == self.kind);
        (fits && n_integers <= 1).then_some(product)
    }

    /// Adds the factors of an expression to a product; numbers that are one are left out.
    fn factors(&self, expr: &'a Expr, product: &mut Summand<'a>) -> Option<()> {
        match expr {
            Expr::Binary(BinaryOp::Mul, a, b) => {
                self.factors(a, product)?;
                self.factors(b, product)
            }
            Expr::Unary(UnaryOp::Plus, inner) => self.factors(inner, product),
            Expr::Unary(UnaryOp::Minus, inner) => {
                product.negative = !product.negative;
                self.factors(inner, product)
            }
            Expr::Int { value: 1, .. } => Some(()),
            Expr::Float(text) if is_number(text, 1.0) && !text.contains(['l', 'L']) => Some(()),
            Expr::Access(_) | Expr::Int { .. } | Expr::Float(_) | Expr::Param(_) => {
                product.factors.push(expr);
                Some(())
            }
            _ => None,
        }
    }

    /// A divisor: an element of the target's type.
    fn divisor(&self, expr: &'a Expr) -> Option<&'a Expr> {
        let Expr::Access(access) = expr else { return None };
        let kind = self.arrays[self.stmt.accesses[*access].array].element.kind;
        (kind == self.kind && !self.is_it(expr)).then_some(expr)
    }
}

/// Whether an expression is a zero.
fn is_zero(expr: &Expr) -> bool {
    match expr {
        Expr::Int { value, .. } => *value == 0,
        Expr::Float(text) => is_number(text, 0.0),
        _ => false,
    }
}

/// Whether the text of a floating-point number says this one.
fn is_number(text: &str, number: f64) -> bool {
    let digits = text.trim_end_matches(['f', 'F', 'l', 'L']);
    digits.parse::<f64>().is_ok_and(|value| value == number)
}
