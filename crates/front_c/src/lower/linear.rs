//! One-dimensional arrays that hold several dimensions: `A[i * n + j]`.
//!
//! **Paper**: T. Grosser, J. Ramanujam, L.-N. Pouchet, P. Sadayappan, S. Pop, "Optimistic delinearization of
//! parametrically sized arrays", ICS 2015. As there, that every index of an inner dimension stays inside of it is taken for
//! granted where it is not provable: then a test in front of the region asks it of the parameters.
//!
//! A subscript is expanded into a polynomial; each term is a product of parameter expressions (its *stride*) and at most
//! one value of iterators. The strides of all subscripts of an array must form a chain in which each is the next one times a
//! number and at most one factor: `3 * n * m`, `m`, `1`. What a stride is of the next one is the extent of that dimension.
//!
//! Where a subscript is chosen by a condition, so is the value at each stride ([`polynomial`](super::polynomial)).
//!
//! A term that is a stride itself may belong to the index at that stride or fill up that of the dimension inside: `A[i * n + n - 1]`
//! is the last of row `i`, not what is before row `i + 1`. An index that is below its row everywhere takes one row of elements from
//! the index outside.
//!
//! Sizes may be products of others that the strides do not show: `A[t * width + h * size + i]`. What `width` is taken to be then
//! says its declaration or that of `size` (`int size = width / heads;`), or the loop in which `h` counts `heads` parts of `size`
//! elements each; by a test in front of the region, too.

use super::affine::{Affine, Frame, Obstacle, Why};
use super::assume::Required;
use super::body::Draft;
use super::build::Builder;
use super::definitions::Definition;
use super::expr::binary;
use super::hir::{Expr, ExprKind, VarId};
use super::monomial::{Factor, Monomial, Product, Stride, chain, without};
use super::polynomial::{Expansion, Factors, factor_of};
use farkas_poly::{DimType, PwAff, Val};
use farkas_scop::{AssumptionKind, BinaryOp};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is known of arrays with linearised subscripts.
#[derive(Default)]
pub(super) struct Linear {
    /// What parameters are said to be.
    definitions: Vec<Definition>,
    /// Parameter expressions that occur in strides.
    factors: Factors,
    /// What factors are said to be.
    defined: Vec<Product>,
    /// The strides of each array whose subscripts are not affine, each with the numbers of values that it is multiplied by, where
    /// these are parameters: 0 to `n - 1`.
    strides: BTreeMap<VarId, BTreeMap<Stride, BTreeSet<Factor>>>,
    /// Which of them occur in one subscript.
    together: BTreeSet<(VarId, Stride, Stride)>,
    /// The recovered arrays.
    shapes: BTreeMap<VarId, Shape>,
}

/// The dimensions of a recovered array.
#[derive(Default)]
struct Shape {
    /// The strides, longest first; none where they make no dimensions.
    chain: Vec<Monomial>,
    /// What factors are taken to be.
    products: Vec<Product>,
}

/// A size that is taken to be a product: the number and the sizes.
pub(super) struct TakenProduct {
    /// The size.
    pub(super) whole: Expr,
    /// The number.
    pub(super) times: i64,
    /// The sizes.
    pub(super) parts: Vec<Expr>,
}

impl Linear {
    /// With what parameters are said to be.
    pub(super) fn with(definitions: Vec<Definition>) -> Self {
        Self { definitions, ..Self::default() }
    }

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
        self.define(draft.frame);
        let mut expansion =
            Expansion { frame: draft.frame, factors: &mut self.factors, values: Vec::new() };
        let Some(polynomial) = expansion.expand(subscript) else { return false };
        let values = expansion.values;
        let of_values: Vec<&Stride> = polynomial
            .keys()
            .filter(|(_, value)| value.is_some())
            .map(|(stride, _)| stride)
            .collect();
        for (a, b) in of_values.iter().flat_map(|a| of_values.iter().map(move |b| (*a, *b))) {
            self.together.insert((var, a.clone(), b.clone()));
        }
        let strides = self.strides.entry(var).or_default();
        for (stride, value) in polynomial.into_keys() {
            let Some(value) = value else { continue };
            let count = counted(draft, &values[value]).ok().flatten();
            let count = count.and_then(|count| factor_of(&mut self.factors, draft.frame, &count));
            strides.entry(stride).or_default().extend(count);
        }
        true
    }

    /// Makes factors of what parameters are said to be.
    fn define(&mut self, frame: &Frame<'_>) {
        for Definition { whole, times, parts } in std::mem::take(&mut self.definitions) {
            let mut factor = |var: VarId| {
                let (ty, span) = (frame.vars[var].element.kind, frame.vars[var].span);
                let expr = Expr { kind: ExprKind::Scalar(var), ty, span };
                factor_of(&mut self.factors, frame, &expr)
            };
            let whole = factor(whole);
            let parts: Option<Stride> = parts.into_iter().map(factor).collect();
            if let (Some(whole), Some(mut factors)) = (whole, parts) {
                factors.sort_unstable();
                self.defined.push(Product { whole, is: Monomial { factors, times } });
            }
        }
    }

    /// Gives each collected array a shape where its strides allow it; whether there is one to walk again for.
    pub(super) fn decide(&mut self) -> bool {
        let strides = std::mem::take(&mut self.strides);
        let together = std::mem::take(&mut self.together);
        let found = !strides.is_empty();
        for (var, strides) in strides {
            let defined = relevant(&self.defined, strides.keys());
            let is_in_one =
                |a: &Stride, b: &Stride| together.contains(&(var, a.clone(), b.clone()));
            let counted = counted_products(&strides, is_in_one).into_iter();
            let counted = counted.map(|product| vec![product]);
            let mut choices = [Vec::new(), defined].into_iter().chain(counted);
            let shape = choices.find_map(|products| {
                Some(Shape { chain: chain(strides.keys(), &products)?, products })
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

    /// What is taken to be a product so that arrays have dimensions.
    pub(super) fn products(&self) -> Vec<TakenProduct> {
        let expr = |factor: &Factor| self.factors[*factor].1.clone();
        let taken = |Product { whole, is }: &Product| TakenProduct {
            whole: expr(whole),
            times: is.times,
            parts: is.factors.iter().map(expr).collect(),
        };
        let shapes = self.shapes.values().filter(|shape| !shape.chain.is_empty());
        shapes.flat_map(|shape| &shape.products).map(taken).collect()
    }

    /// Sizes that are taken to be others of their type, with these. The region may say one for the other: then compilers see
    /// which accesses move together.
    pub(super) fn same_sizes(&self) -> BTreeMap<VarId, Expr> {
        let same = |TakenProduct { whole, times, parts }: TakenProduct| match parts.as_slice() {
            [part] if times == 1 && part.scalar().is_some() && part.ty == whole.ty => {
                Some((whole.scalar()?, part.clone()))
            }
            _ => None,
        };
        self.products().into_iter().filter_map(same).collect()
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
        Shape { chain, products }: &Shape,
        draft: &Draft<'_, '_>,
        subscript: &Expr,
    ) -> Affine<Vec<PwAff>> {
        let frame = draft.frame;
        let refuse = || Obstacle::At { why: Why::RowUnknown, span: subscript.span };
        let mut factors = self.factors.clone();
        let mut expansion = Expansion { frame, factors: &mut factors, values: Vec::new() };
        let Some(polynomial) = expansion.expand(subscript) else {
            return Err(frame.value(subscript).err().unwrap_or_else(refuse));
        };
        let values = expansion.values;
        let mut indices: Vec<PwAff> = Vec::new();
        for _ in chain {
            indices.push(frame.constant(0)?);
        }
        for ((stride, value), coefficient) in polynomial {
            let mut term = Monomial::written_out(&stride, products).ok_or_else(refuse)?;
            let parts = match value {
                Some(value) => {
                    let level = chain.iter().position(|s| *s == term).ok_or_else(refuse)?;
                    let value = frame.value(&values[value])?;
                    vec![(level, value.scale_val(&Val::int(coefficient)?)?)]
                }
                None => {
                    term.times = term.times.checked_mul(coefficient).ok_or_else(refuse)?;
                    let parts = term.along(chain).ok_or_else(refuse)?;
                    let value = |(level, part): (usize, Monomial)| {
                        Ok((level, size(frame, &factors, &part)?))
                    };
                    parts.into_iter().map(value).collect::<Affine<_>>()?
                }
            };
            for (level, part) in parts {
                indices[level] = indices[level].add(&part)?;
            }
        }
        for level in (1..chain.len()).rev() {
            let extent = chain[level - 1].extent_over(&chain[level]).ok_or_else(refuse)?;
            let extent = size(frame, &factors, &extent)?;
            let mut behind_start = indices[level].ge_set(&frame.constant(0)?)?;
            if !draft.domain.is_empty()? && draft.domain.is_disjoint(&behind_start)? {
                indices[level] = indices[level].add(&extent)?;
                indices[level - 1] = indices[level - 1].sub(&frame.constant(1)?)?;
                behind_start = indices[level].ge_set(&frame.constant(0)?)?;
            }
            let inside = behind_start.intersect(&indices[level].lt_set(&extent)?)?;
            let (kind, span) = (AssumptionKind::InRow, subscript.span);
            frame.required.borrow_mut().push(Required { holds: inside, kind, span });
        }
        Ok(indices)
    }

    /// The extents of the recovered dimensions of `var`, the first unknown.
    pub(super) fn extents(&self, var: VarId) -> Option<Vec<Option<Expr>>> {
        let chain = &self.shape(var)?.chain;
        let extent = |w: &[Monomial]| expr(&self.factors, &w[0].extent_over(&w[1])?);
        Some(std::iter::once(None).chain(chain.windows(2).map(extent)).collect())
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
        let Shape { chain, products } = self.shape(var)?;
        let space = builder.param_space.clone();
        let frame = Frame::new(space, builder.vars, builder.params, &[], Rc::default()).ok()?;
        let mut factors = self.factors.clone();
        let mut expansion = Expansion { frame: &frame, factors: &mut factors, values: Vec::new() };
        let polynomial = expansion.expand(extent)?;
        let (((stride, None), times), 1) =
            (polynomial.first_key_value().map(|(k, v)| (k.clone(), *v))?, polynomial.len())
        else {
            return None;
        };
        let mut whole = Monomial::written_out(&stride, products)?;
        whole.times = whole.times.checked_mul(times)?;
        expr(&factors, &whole.extent_over(chain.first()?)?)
    }
}

/// What sizes are said to be, as far as it says something of the factors of strides.
fn relevant<'s>(defined: &[Product], strides: impl Iterator<Item = &'s Stride>) -> Vec<Product> {
    let mut factors: BTreeSet<Factor> = strides.flatten().copied().collect();
    let mut relevant: Vec<Product> = Vec::new();
    while let Some(product) =
        defined.iter().find(|one| factors.contains(&one.whole) && !relevant.contains(one))
    {
        factors.extend(&product.is.factors);
        relevant.push(product.clone());
    }
    relevant
}

/// What one stride may be, so that it is a multiple of another: `width` is `heads * size` where `width` and `size` are strides in one
/// subscript, `size` is multiplied by `heads` values, and what is inside of `size` has so many.
fn counted_products(
    strides: &BTreeMap<Stride, BTreeSet<Factor>>,
    is_in_one: impl Fn(&Stride, &Stride) -> bool,
) -> Vec<Product> {
    let mut found = Vec::new();
    for outer in strides.keys() {
        let may_be_inner = |(inner, _): &(&Stride, _)| is_in_one(outer, inner);
        for (inner, counts) in strides.iter().filter(may_be_inner) {
            let ([whole], [part]) = (&*without(outer, inner), &*without(inner, outer)) else {
                continue;
            };
            let within = strides.get(&without(inner, &[*part]));
            if within.is_some_and(|counts| counts.contains(part)) {
                let product = |count: &Factor| {
                    let mut factors = vec![*count, *part];
                    factors.sort_unstable();
                    Product { whole: *whole, is: Monomial { factors, times: 1 } }
                };
                found.extend(counts.iter().filter(|count| *count != whole).map(product));
            }
        }
    }
    found
}

/// The value of a number times at most one factor.
fn size(frame: &Frame<'_>, factors: &Factors, size: &Monomial) -> Affine<PwAff> {
    match size.factors.first() {
        Some(factor) => {
            let value = frame.value(&factors[*factor].1)?;
            Ok(value.scale_val(&Val::int(size.times)?)?)
        }
        None => frame.constant(size.times),
    }
}

/// The same as an expression.
fn expr(factors: &Factors, size: &Monomial) -> Option<Expr> {
    let factor = size.factors.first().map(|factor| &factors[*factor].1);
    Some(match (factor, size.times) {
        (Some(factor), 1) => factor.clone(),
        (Some(factor), times) => {
            binary(BinaryOp::Mul, Expr::int(times, factor.span), factor.clone(), factor.span)
        }
        (None, times) => Expr::int(times, factors.first()?.1.span),
    })
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
