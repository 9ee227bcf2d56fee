//! How much work loops have, as a function of sizes that are known when the program runs.

use crate::expr::Expr;
use crate::print::{Binding, Dialect, Plain};
use std::collections::BTreeSet;
use std::fmt;

/// That some loops have enough work: a sum of products of sizes is above a number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Work {
    /// The products, at least one.
    pub products: Vec<Product>,
    /// The number.
    pub above: i64,
}

/// A number times sizes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Product {
    /// The number, positive.
    pub factor: i64,
    /// Sums of parameters and iterators with factors; each may be the least of several. There are none where the work is a number.
    pub sizes: Vec<Expr>,
}

impl Work {
    /// The sum, as it is computed in floating point; `None` where `value` does not know a name.
    pub fn sum(&self, value: &impl Fn(&str) -> Option<i64>) -> Option<f64> {
        self.products.iter().try_fold(0.0, |sum, product| {
            let of = |so_far, size: &Expr| Some(so_far * size.eval(value)? as f64);
            Some(sum + product.sizes.iter().try_fold(product.factor as f64, of)?)
        })
    }

    /// Whether there is enough; `None` where `value` does not know a name.
    pub fn holds(&self, value: &impl Fn(&str) -> Option<i64>) -> Option<bool> {
        Some(self.sum(value)? > self.above as f64)
    }

    /// The number that it is; none where sizes are in it.
    pub fn number(&self) -> Option<i64> {
        let number = |product: &Product| product.sizes.is_empty().then_some(product.factor);
        self.products.iter().map(number).sum()
    }

    /// Whether each of its products is one of another's, which may have more sizes.
    pub fn is_part_of(&self, other: &Self) -> bool {
        self.products
            .iter()
            .all(|own| other.products.iter().any(|o| is_among(&own.sizes, &o.sizes)))
    }

    /// Calls `visit` on every iterator and parameter, with whether it is an iterator.
    pub fn for_each_name<'a>(&'a self, visit: &mut impl FnMut(&'a str, bool)) {
        let sizes = self.products.iter().flat_map(|product| &product.sizes);
        sizes.for_each(|size| size.for_each_name(visit));
    }

    /// The same with iterators replaced where `by` gives something.
    #[must_use]
    pub(crate) fn substitute(&self, by: &impl Fn(&str) -> Option<Expr>) -> Self {
        let substituted = |product: &Product| Product {
            factor: product.factor,
            sizes: product.sizes.iter().map(|size| size.substitute(by)).collect(),
        };
        Self { products: self.products.iter().map(substituted).collect(), above: self.above }
    }
}

impl Product {
    /// Whether it has as many sizes as another, of parameters alone, where that shrinks as outer loops go on.
    pub(crate) fn outlasts(&self, other: &Self) -> bool {
        let names = |product: &Self, iterators: bool| {
            let mut found = BTreeSet::new();
            let mut note = |name: &str, is_iterator| {
                if is_iterator == iterators {
                    found.insert(name.to_owned());
                }
            };
            product.sizes.iter().for_each(|size| size.for_each_name(&mut note));
            found
        };
        self.sizes.len() >= other.sizes.len()
            && names(self, true).is_empty()
            && !names(other, true).is_empty()
            && names(other, false).is_subset(&names(self, false))
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let products = self.products.iter().map(|product| {
            let factor = (product.factor != 1).then(|| product.factor.to_string());
            let least = match product.sizes.as_slice() {
                [_] if factor.is_none() => Binding::Sum,
                _ => Binding::Product,
            };
            let sizes = product.sizes.iter().map(|size| Plain.expr(size).within(least));
            factor.into_iter().chain(sizes).collect::<Vec<_>>().join(" * ")
        });
        write!(f, "{} > {}", products.collect::<Vec<_>>().join(" + "), self.above)
    }
}

/// Whether some sizes are among others, each as often.
pub(crate) fn is_among(sizes: &[Expr], others: &[Expr]) -> bool {
    let mut left = others.to_vec();
    sizes.iter().all(|size| {
        let at = left.iter().position(|other| other == size);
        at.map(|at| left.remove(at)).is_some()
    })
}
