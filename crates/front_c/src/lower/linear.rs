//! One-dimensional arrays that hold several dimensions: `A[i * n + j]`.
//!
//! **Paper**: T. Grosser, J. Ramanujam, L.-N. Pouchet, P. Sadayappan, S. Pop, "Optimistic delinearization of
//! parametrically sized arrays", ICS 2015. As there, that every index of an inner dimension stays inside of it is taken for
//! granted where it is not provable: then a test in front of the region asks it of the parameters.
//!
//! A subscript is expanded into a polynomial; each term is a product of parameter expressions (its *stride*) and at most
//! one value of iterators. The strides of all subscripts of an array must form a chain in which each has one factor less
//! than the one before: `n * m`, `m`, `1`. The factor that a stride has more than the next is the extent of that
//! dimension.

use super::affine::{Affine, Frame, Obstacle, Why};
use super::assume::Required;
use super::body::Draft;
use super::build::Builder;
use super::hir::{Expr, ExprKind, VarId};
use farkas_poly::{PwAff, Val};
use farkas_scop::{AssumptionKind, BinaryOp, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The position of a parameter expression in [`Linear::factors`].
type Factor = usize;

/// A product of parameter expressions, sorted.
type Stride = Vec<Factor>;

/// What is known of arrays with linearised subscripts.
#[derive(Default)]
pub(super) struct Linear {
    /// Parameter expressions that occur in strides, with their printed form.
    factors: Vec<(String, Expr)>,
    /// The strides of each array whose subscripts are not affine.
    strides: BTreeMap<VarId, BTreeSet<Stride>>,
    /// The strides of each recovered array, longest first.
    shapes: BTreeMap<VarId, Vec<Stride>>,
}

/// A sum of terms: per stride and value, its coefficient; the value is a position in a list, or 1.
type Polynomial = BTreeMap<(Stride, Option<usize>), i64>;

/// The expansion of one subscript.
struct Expansion<'l, 'e, 'f, 'a> {
    frame: &'f Frame<'a>,
    factors: &'l mut Vec<(String, Expr)>,
    values: Vec<&'e Expr>,
}

impl Linear {
    /// Notes the strides of a subscript that is not affine; whether that was possible.
    pub(super) fn collect(
        &mut self,
        draft: &Draft<'_, '_>,
        var: VarId,
        subscripts: &[Expr],
        obstacle: &Obstacle,
    ) -> bool {
        let ([subscript], Obstacle::At { why: Why::Product { .. }, .. }) = (subscripts, obstacle)
        else {
            return false;
        };
        if self.shapes.contains_key(&var) {
            return false;
        }
        let mut expansion =
            Expansion { frame: draft.frame, factors: &mut self.factors, values: Vec::new() };
        let Some(polynomial) = expansion.expand(subscript) else { return false };
        let of_iterators = polynomial.into_keys().filter(|(_, value)| value.is_some());
        self.strides.entry(var).or_default().extend(of_iterators.map(|(stride, _)| stride));
        true
    }

    /// Gives each collected array a shape where its strides allow it; whether there is one to walk again for.
    pub(super) fn decide(&mut self) -> bool {
        let strides = std::mem::take(&mut self.strides);
        let found = !strides.is_empty();
        for (var, strides) in strides {
            let mut chain: Vec<Stride> = strides.into_iter().collect();
            chain.push(Stride::new());
            chain.sort_by_key(|s| std::cmp::Reverse(s.len()));
            chain.dedup();
            let fits = chain.windows(2).all(|w| extent_factor(&w[0], &w[1]).is_some());
            self.shapes.insert(var, if fits { chain } else { Vec::new() });
        }
        found
    }

    /// The number of recovered dimensions of `var`, if it has any.
    pub(super) fn rank(&self, var: VarId) -> Option<usize> {
        self.shapes.get(&var).map(Vec::len).filter(|rank| *rank > 0)
    }

    /// The subscripts of `var` in its recovered dimensions, if it has any.
    pub(super) fn split(
        &self,
        draft: &Draft<'_, '_>,
        var: VarId,
        subscripts: &[Expr],
    ) -> Option<Affine<Vec<PwAff>>> {
        let chain = self.shapes.get(&var).filter(|chain| !chain.is_empty())?;
        let [subscript] = subscripts else { return None };
        Some(self.split_along(chain, draft, subscript))
    }

    fn split_along(
        &self,
        chain: &[Stride],
        draft: &Draft<'_, '_>,
        subscript: &Expr,
    ) -> Affine<Vec<PwAff>> {
        let refuse = || Obstacle::At { why: Why::RowUnknown, span: subscript.span };
        let mut factors = self.factors.clone();
        let mut expansion =
            Expansion { frame: draft.frame, factors: &mut factors, values: Vec::new() };
        let Some(polynomial) = expansion.expand(subscript) else {
            return Err(draft.frame.value(subscript).err().unwrap_or_else(refuse));
        };
        let values = expansion.values;
        let mut indices: Vec<PwAff> = Vec::new();
        for _ in chain {
            indices.push(draft.frame.constant(0)?);
        }
        for ((stride, value), coefficient) in polynomial {
            let (level, factor) = match value {
                Some(_) => (chain.iter().position(|s| *s == stride), None),
                None => {
                    level_of_constant(chain, &stride).map_or((None, None), |(l, f)| (Some(l), f))
                }
            };
            let level = level.ok_or_else(refuse)?;
            let term = match (value, factor) {
                (Some(value), _) => draft.frame.value(values[value])?,
                (None, Some(factor)) => draft.frame.value(&factors[factor].1)?,
                (None, None) => draft.frame.constant(1)?,
            };
            indices[level] = indices[level].add(&term.scale_val(&Val::int(coefficient)?)?)?;
        }
        for (pair, index) in chain.windows(2).zip(&indices[1..]) {
            let factor = extent_factor(&pair[0], &pair[1]).ok_or_else(refuse)?;
            let extent = draft.frame.value(&self.factors[factor].1)?;
            let inside =
                index.ge_set(&draft.frame.constant(0)?)?.intersect(&index.lt_set(&extent)?)?;
            let (kind, span) = (AssumptionKind::InRow, subscript.span);
            draft.frame.required.borrow_mut().push(Required { holds: inside, kind, span });
        }
        Ok(indices)
    }

    /// The extents of the recovered dimensions of `var`, the first unknown.
    pub(super) fn extents(&self, var: VarId) -> Option<Vec<Option<&Expr>>> {
        let chain = self.shapes.get(&var).filter(|chain| !chain.is_empty())?;
        let inner =
            chain.windows(2).map(|w| extent_factor(&w[0], &w[1]).map(|f| &self.factors[f].1));
        Some(std::iter::once(None).chain(inner).collect())
    }
}

impl Linear {
    /// The extent of the first recovered dimension of `var`, where `extent`, that of the whole, is a product with those of
    /// the others.
    pub(super) fn first_extent(
        &self,
        builder: &Builder<'_>,
        var: VarId,
        extent: &Expr,
    ) -> Option<Expr> {
        let chain = self.shapes.get(&var)?;
        let space = builder.param_space.clone();
        let frame = Frame::new(space, builder.vars, builder.params, &[], Rc::default()).ok()?;
        let mut factors = self.factors.clone();
        let mut expansion = Expansion { frame: &frame, factors: &mut factors, values: Vec::new() };
        let polynomial = expansion.expand(extent)?;
        let (((stride, None), 1), 1) =
            (polynomial.first_key_value().map(|(k, v)| (k.clone(), *v))?, polynomial.len())
        else {
            return None;
        };
        extent_factor(&stride, chain.first()?).map(|f| factors[f].1.clone())
    }
}

/// The dimension to which a product of parameter expressions belongs, and what is left of it there.
fn level_of_constant(chain: &[Stride], product: &[Factor]) -> Option<(usize, Option<Factor>)> {
    let exact = chain.iter().position(|s| s == product).map(|level| (level, None));
    exact.or_else(|| {
        let mut levels = chain.iter().enumerate();
        levels.find_map(|(level, s)| extent_factor(product, s).map(|f| (level, Some(f))))
    })
}

/// The one factor that `longer` has and `shorter` has not.
fn extent_factor(longer: &[Factor], shorter: &[Factor]) -> Option<Factor> {
    if longer.len() != shorter.len() + 1 {
        return None;
    }
    let mut rest = longer.to_vec();
    for factor in shorter {
        rest.remove(rest.iter().position(|f| f == factor)?);
    }
    rest.first().copied()
}

impl<'e> Expansion<'_, 'e, '_, '_> {
    /// The polynomial of `expr`; nothing where a product of two values of iterators remains, or a number is too large.
    fn expand(&mut self, expr: &'e Expr) -> Option<Polynomial> {
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
            _ => {
                self.frame.value(expr).ok()?;
                let known = self.values.iter().position(|v| v.kind == expr.kind);
                let value = known.unwrap_or_else(|| {
                    self.values.push(expr);
                    self.values.len() - 1
                });
                Some(Polynomial::from([((Stride::new(), Some(value)), 1)]))
            }
        }
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
        let key = self.frame.outside().ok()?.value(expr).ok()?.to_string();
        let factor = self.factors.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
            self.factors.push((key, expr.clone()));
            self.factors.len() - 1
        });
        Some(Polynomial::from([((vec![factor], None), 1)]))
    }
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
