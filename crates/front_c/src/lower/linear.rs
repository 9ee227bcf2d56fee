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
//!
//! Rows may be divided by a number that the strides do not show: `A[t * width + h * size + i]`, where `h` counts `heads` parts of
//! `size` elements each. Then `width` is taken to be `heads * size`, by a test in front of the region, too.

use super::affine::{Affine, Frame, Obstacle, Why};
use super::assume::Required;
use super::body::Draft;
use super::build::Builder;
use super::hir::{Expr, ExprKind, VarId};
use farkas_poly::{DimType, PwAff, Val};
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
    /// The strides of each array whose subscripts are not affine, each with the numbers of values that it is multiplied by, where
    /// these are parameters: 0 to `n - 1`.
    strides: BTreeMap<VarId, BTreeMap<Stride, BTreeSet<Factor>>>,
    /// The recovered arrays.
    shapes: BTreeMap<VarId, Shape>,
}

/// The dimensions of a recovered array.
#[derive(Default)]
struct Shape {
    /// The strides, longest first; none where they make no dimensions.
    chain: Vec<Stride>,
    /// What one of the factors is taken to be, if so.
    product: Option<Product>,
}

/// A factor that is the product of two others.
#[derive(Clone, Copy)]
struct Product {
    whole: Factor,
    parts: [Factor; 2],
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
        let values = expansion.values;
        let strides = self.strides.entry(var).or_default();
        for (stride, value) in polynomial.into_keys() {
            let Some(value) = value else { continue };
            let count = counted(draft, values[value]).ok().flatten();
            let count = count.and_then(|count| factor_of(&mut self.factors, draft.frame, &count));
            strides.entry(stride).or_default().extend(count);
        }
        true
    }

    /// Gives each collected array a shape where its strides allow it; whether there is one to walk again for.
    pub(super) fn decide(&mut self) -> bool {
        let strides = std::mem::take(&mut self.strides);
        let found = !strides.is_empty();
        for (var, strides) in strides {
            let without = std::iter::once(None);
            let products = without.chain(products(&strides).into_iter().map(Some));
            let shape = products.into_iter().find_map(|product| {
                let chain = chain(strides.keys(), product.as_ref())?;
                Some(Shape { chain, product })
            });
            self.shapes.insert(var, shape.unwrap_or_default());
        }
        found
    }

    /// The dimensions of `var`, if it has some that were recovered.
    fn shape(&self, var: VarId) -> Option<&Shape> {
        self.shapes.get(&var).filter(|shape| !shape.chain.is_empty())
    }

    /// The number of recovered dimensions of `var`, if it has any.
    pub(super) fn rank(&self, var: VarId) -> Option<usize> {
        self.shape(var).map(|shape| shape.chain.len())
    }

    /// What is taken to be a product so that `var` has dimensions, and its factors.
    pub(super) fn product(&self, var: VarId) -> Option<(&Expr, [&Expr; 2])> {
        let product = self.shape(var)?.product?;
        let expr = |factor: Factor| &self.factors[factor].1;
        Some((expr(product.whole), product.parts.map(expr)))
    }

    /// The subscripts of `var` in its recovered dimensions, if it has any.
    pub(super) fn split(
        &self,
        draft: &Draft<'_, '_>,
        var: VarId,
        subscripts: &[Expr],
    ) -> Option<Affine<Vec<PwAff>>> {
        let shape = self.shape(var)?;
        let [subscript] = subscripts else { return None };
        Some(self.split_along(shape, draft, subscript))
    }

    fn split_along(
        &self,
        Shape { chain, product }: &Shape,
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
            let stride = written_out(&stride, product.as_ref());
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
        let chain = &self.shape(var)?.chain;
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
        let Shape { chain, product } = self.shape(var)?;
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
        let stride = written_out(&stride, product.as_ref());
        extent_factor(&stride, chain.first()?).map(|f| factors[f].1.clone())
    }
}

/// The strides of an array with those of its single elements, longest first, if each has one factor more than the next.
fn chain<'s>(
    strides: impl Iterator<Item = &'s Stride>,
    product: Option<&Product>,
) -> Option<Vec<Stride>> {
    let mut chain: Vec<Stride> = strides.map(|stride| written_out(stride, product)).collect();
    chain.push(Stride::new());
    chain.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    chain.dedup();
    chain.windows(2).all(|w| extent_factor(&w[0], &w[1]).is_some()).then_some(chain)
}

/// What one stride may be, so that it is a multiple of another: `width` is `heads * size` where `width` and `size` are strides, `size` is
/// multiplied by `heads` values, and what is inside of `size` has so many.
fn products(strides: &BTreeMap<Stride, BTreeSet<Factor>>) -> Vec<Product> {
    let mut found = Vec::new();
    for outer in strides.keys() {
        for (inner, counts) in strides.iter().filter(|(inner, _)| inner.len() == outer.len()) {
            let ([whole], [part]) = (&*without(outer, inner), &*without(inner, outer)) else {
                continue;
            };
            let within = strides.get(&without(inner, &[*part]));
            if within.is_some_and(|counts| counts.contains(part)) {
                let product = |count: &Factor| Product { whole: *whole, parts: [*count, *part] };
                found.extend(counts.iter().filter(|count| *count != whole).map(product));
            }
        }
    }
    found
}

/// A stride with the factors of a product in its place.
fn written_out(stride: &[Factor], product: Option<&Product>) -> Stride {
    let parts = |factor: &Factor| match product {
        Some(product) if product.whole == *factor => product.parts.to_vec(),
        _ => vec![*factor],
    };
    let mut stride: Stride = stride.iter().flat_map(parts).collect();
    stride.sort_unstable();
    stride
}

/// The factors of a product that another does not have.
fn without(product: &[Factor], other: &[Factor]) -> Stride {
    let mut rest = product.to_vec();
    for factor in other {
        if let Some(at) = rest.iter().position(|f| f == factor) {
            rest.remove(at);
        }
    }
    rest
}

/// The parameter that is by one more than the greatest value of an expression in the instances of a statement, if there is one.
fn counted(draft: &Draft<'_, '_>, value: &Expr) -> Affine<Option<Expr>> {
    let frame = draft.frame;
    let values = frame.value(value)?.to_map()?.intersect_domain(draft.domain)?.range()?;
    if values.is_empty()? || !values.dim_has_upper_bound(DimType::SET, 0)? {
        return Ok(None);
    }
    let last = values.dim_max(0)?.project_domain_on_params()?;
    let outside = frame.outside()?;
    let count = last.add(&outside.constant(1)?)?;
    for param in frame.params {
        let (kind, ty) = (ExprKind::Scalar(*param), frame.vars[*param].element.kind);
        let param = Expr { kind, ty, span: value.span };
        if count.ne_set(&outside.value(&param)?)?.is_empty()? {
            return Ok(Some(param));
        }
    }
    Ok(None)
}

/// The position of a parameter expression among the factors.
fn factor_of(factors: &mut Vec<(String, Expr)>, frame: &Frame<'_>, expr: &Expr) -> Option<Factor> {
    let key = frame.outside().ok()?.value(expr).ok()?.to_string();
    Some(factors.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
        factors.push((key, expr.clone()));
        factors.len() - 1
    }))
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
    let rest = without(longer, shorter);
    let is_multiple = rest.len() + shorter.len() == longer.len();
    rest.first().copied().filter(|_| is_multiple && rest.len() == 1)
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
        let factor = factor_of(self.factors, self.frame, expr)?;
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
