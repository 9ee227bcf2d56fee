//! Subscripts as polynomials: sums of products of sizes and at most one value of iterators each.

use super::affine::Frame;
use super::expr::binary;
use super::hir::{Expr, ExprKind};
use super::monomial::{Factor, Stride};
use farkas_base::Span;
use farkas_scop::{BinaryOp, ElementKind, UnaryOp};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Parameter expressions that occur in strides, with their printed form; a [`Factor`] is a position among them.
pub(super) type Factors = Vec<(String, Expr)>;

/// A sum of terms: per stride and value, its coefficient; the value is a position in a list, or 1.
pub(super) type Polynomial = BTreeMap<(Stride, Option<usize>), i64>;

/// The expansion of one subscript.
pub(super) struct Expansion<'l, 'e, 'f, 'a> {
    /// What reads values.
    pub(super) frame: &'f Frame<'a>,
    /// The factors so far.
    pub(super) factors: &'l mut Factors,
    /// The values of iterators so far.
    pub(super) values: Vec<Cow<'e, Expr>>,
}

impl<'e> Expansion<'_, 'e, '_, '_> {
    /// The polynomial of `expr`; nothing where a product of two values of iterators remains, or a number is too large.
    pub(super) fn expand(&mut self, expr: &'e Expr) -> Option<Polynomial> {
        if let Some(value) = expr.constant() {
            return Some(Polynomial::from([((Stride::new(), None), value)]));
        }
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Add, a, b) => sum(self.expand(a)?, self.expand(b)?, 1),
            ExprKind::Binary(BinaryOp::Sub, a, b) => sum(self.expand(a)?, self.expand(b)?, -1),
            ExprKind::Unary(UnaryOp::Minus, a) => sum(Polynomial::new(), self.expand(a)?, -1),
            ExprKind::Unary(UnaryOp::Plus, a) => self.expand(a),
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = (self.factor_or_sum(a)?, self.factor_or_sum(b)?);
                product(&a, &b)
            }
            ExprKind::Cast(_, a) if self.frame.value(expr).is_err() => self.expand(a),
            _ if self.is_parameter_expression(expr) => self.factor(expr),
            ExprKind::Ternary(condition, a, b) if self.frame.value(expr).is_err() => {
                let (a, b) = (self.expand(a)?, self.expand(b)?);
                self.chosen(condition, &a, &b)
            }
            _ => {
                let value = self.value(Cow::Borrowed(expr))?;
                Some(Polynomial::from([((Stride::new(), Some(value)), 1)]))
            }
        }
    }

    /// The place of a value of iterators among those known.
    fn value(&mut self, expr: Cow<'e, Expr>) -> Option<usize> {
        self.frame.value(&expr).ok()?;
        let known = self.values.iter().position(|v| v.kind == expr.kind);
        Some(known.unwrap_or_else(|| {
            self.values.push(expr);
            self.values.len() - 1
        }))
    }

    /// The polynomial that is the first where a condition holds, else the second: what differs at a stride becomes one value there.
    /// `y == 0 ? y * n + x : y * n + x - n` is `(y == 0 ? y : y - 1) * n + x`.
    fn chosen(&mut self, condition: &Expr, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        let strides: BTreeSet<&Stride> =
            a.keys().chain(b.keys()).map(|(stride, _)| stride).collect();
        let mut chosen = Polynomial::new();
        for stride in strides {
            let (own, other) = (at_stride(a, stride), at_stride(b, stride));
            if own == other {
                chosen
                    .extend(own.into_iter().map(|(value, times)| ((stride.clone(), value), times)));
                continue;
            }
            let [then, otherwise] = [own, other].map(|terms| self.sum_of(&terms, condition.span));
            let kind =
                ExprKind::Ternary(Box::new(condition.clone()), Box::new(then), Box::new(otherwise));
            let expr = Expr { kind, ty: VALUES, span: condition.span };
            let value = self.value(Cow::Owned(expr))?;
            chosen.insert((stride.clone(), Some(value)), 1);
        }
        Some(chosen)
    }

    /// The sum of values, or ones, so many times each.
    fn sum_of(&self, terms: &[(Option<usize>, i64)], span: Span) -> Expr {
        let int = |value| Expr { ty: VALUES, ..Expr::int(value, span) };
        let mut sum = int(0);
        for &(value, times) in terms {
            let term = match value {
                Some(value) => {
                    binary(BinaryOp::Mul, int(times), self.values[value].clone().into_owned(), span)
                }
                None => int(times),
            };
            sum = binary(BinaryOp::Add, sum, term, span);
        }
        sum
    }

    /// A factor of a product: a parameter expression as a whole, anything else expanded.
    fn factor_or_sum(&mut self, expr: &'e Expr) -> Option<Polynomial> {
        let sum = matches!(expr.kind, ExprKind::Binary(..) | ExprKind::Unary(..));
        if sum && expr.constant().is_none() && self.is_parameter_expression(expr) {
            return self.factor(expr);
        }
        self.expand(expr)
    }

    /// Whether `expr` is an affine expression of parameters alone.
    fn is_parameter_expression(&self, expr: &Expr) -> bool {
        let mut only = true;
        expr.walk(&mut |e| {
            only &= match &e.kind {
                ExprKind::Scalar(var) => self.frame.params.contains(var),
                ExprKind::Element(..)
                | ExprKind::Call { .. }
                | ExprKind::Float(_)
                | ExprKind::Verbatim(_) => false,
                _ => true,
            };
        });
        only && self.frame.value(expr).is_ok()
    }

    /// The polynomial that is a parameter expression.
    fn factor(&mut self, expr: &'e Expr) -> Option<Polynomial> {
        let factor = factor_of(self.factors, self.frame, expr)?;
        Some(Polynomial::from([((vec![factor], None), 1)]))
    }
}

/// The type in which values are added up: it holds what an object may have of elements.
const VALUES: ElementKind = ElementKind::Signed(64);

/// The values at a stride, or ones, and how often each is taken.
fn at_stride(of: &Polynomial, stride: &Stride) -> Vec<(Option<usize>, i64)> {
    let terms = of.iter().filter(|((own, _), _)| own == stride);
    terms.map(|((_, value), times)| (*value, *times)).collect()
}

/// `a + sign * b`.
fn sum(mut a: Polynomial, b: Polynomial, sign: i64) -> Option<Polynomial> {
    for (term, coefficient) in b {
        let entry = a.entry(term).or_insert(0);
        *entry = entry.checked_add(coefficient.checked_mul(sign)?)?;
    }
    a.retain(|_, coefficient| *coefficient != 0);
    Some(a)
}

/// `a * b`, where no two values of iterators meet.
fn product(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    const MAX_TERMS: usize = 64;
    if a.len() * b.len() > MAX_TERMS {
        return None;
    }
    let mut out = Polynomial::new();
    for ((stride_a, value_a), x) in a {
        for ((stride_b, value_b), y) in b {
            let value = match (value_a, value_b) {
                (Some(_), Some(_)) => return None,
                (value, None) | (None, value) => *value,
            };
            let mut stride: Stride = stride_a.iter().chain(stride_b).copied().collect();
            stride.sort_unstable();
            out = sum(out, Polynomial::from([((stride, value), x.checked_mul(*y)?)]), 1)?;
        }
    }
    Some(out)
}

/// The position of a parameter expression among the factors.
pub(super) fn factor_of(factors: &mut Factors, frame: &Frame<'_>, expr: &Expr) -> Option<Factor> {
    let key = frame.outside().ok()?.value(expr).ok()?.to_string();
    Some(factors.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
        factors.push((key, expr.clone()));
        factors.len() - 1
    }))
}
