//! How many instances one start of a nest runs, about.
//!
//! A nest is taken to be a box: each loop in it has as many iterations as it ever has for the iterators around the nest, and guards
//! always hold. Tiles and the loops in them multiply to what both run through. Small numbers beside sizes are left out, for
//! whoever asks wants to know whether there are thousands of iterations, and reads `n * m` more easily than `(n - 2) * (m - 2)`.

use crate::ast::{For, Node};
use crate::expr::{Division, Expr, Term};
use crate::work::{Product, Work, is_among};
use farkas_base::gcd;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Numbers that are left out beside sizes are no larger.
const SMALL: i64 = 64;

/// Divisors of sizes are smaller.
const MAX_DIVISOR: i64 = 1 << 20;

/// A number of iterations is the least of so many sizes at most.
const MAX_LIMITS: usize = 2;

/// The most products of a sum.
const MAX_PRODUCTS: usize = 3;

/// That one start of a loop has more than no work; `None` where that is not known.
pub(crate) fn work(node: &For) -> Option<Work> {
    let mut runs = Vec::new();
    runs_in(&[node], &[], &Runs::once(), &mut runs)?;
    // What is left of tiles at edges makes boxes with more sizes than a statement has loops, of which hardly anything runs.
    if runs.iter().any(|runs| !runs.is_beyond) {
        runs.retain(|runs| !runs.is_beyond);
    }
    let is_most = |own: &&Runs| !runs.iter().any(|other| other.exceeds(own));
    let mut factors: BTreeMap<&[Expr], f64> = BTreeMap::new();
    for most in runs.iter().filter(is_most).filter(|runs| !runs.sizes.is_empty()) {
        let factor = factors.entry(&most.sizes).or_insert(0.0);
        *factor = factor.max(most.factor());
    }
    let Some(least) = factors.values().copied().reduce(f64::min) else {
        let most = runs.iter().map(Runs::factor).reduce(f64::max)?;
        let number = Product { factor: most.ceil() as i64, sizes: Vec::new() };
        return Some(Work { products: vec![number], above: 0 });
    };
    let product = |(sizes, factor): (&[Expr], f64)| {
        let factor = ((factor / least).round() as i64).max(1);
        Product { factor, sizes: sizes.to_vec() }
    };
    let mut products: Vec<Product> = factors.into_iter().map(product).collect();
    let all = products.clone();
    products.retain(|own| !all.iter().any(|other| other.outlasts(own)));
    if let [only] = products.as_mut_slice() {
        only.factor = 1;
    }
    products.sort_by_key(|product| Reverse(product.sizes.len()));
    products.truncate(MAX_PRODUCTS);
    Some(Work { products, above: 0 })
}

/// Collects how often the statements in some loops run, which run `around` times and are in the loops `inside` of which all sizes are to be
/// taken as the greatest that they have; `None` where that is not known.
fn runs_in(loops: &[&For], inside: &[&For], around: &Runs, found: &mut Vec<Runs>) -> Option<()> {
    for node in loops {
        let here = around.times(&trips(node, inside)?)?;
        let inside: Vec<&For> = inside.iter().copied().chain([*node]).collect();
        let (mut inner, mut depth) = (Vec::new(), None);
        parts(&node.body, &mut inner, &mut depth);
        if let Some(depth) = depth {
            found.push(Runs { is_beyond: here.sizes.len() > depth, ..here.clone() });
        }
        runs_in(&inner, &inside, &here, found)?;
    }
    Some(())
}

/// The loops among some nodes, whatever guards are around them, and how many loops the statements there have in the source at most,
/// if there are some.
fn parts<'a>(nodes: &'a [Node], loops: &mut Vec<&'a For>, depth: &mut Option<usize>) {
    for node in nodes {
        match node {
            Node::For(node) => loops.push(node),
            Node::If(node) => {
                parts(&node.then, loops, depth);
                parts(&node.otherwise, loops, depth);
            }
            Node::User(user) => *depth = Some(user.args.len()).max(*depth),
            Node::Block(node) => parts(&node.body, loops, depth),
        }
    }
}

/// How many iterations a loop has at most, whatever those of the loops `inside` of which it is.
pub(crate) fn trips(node: &For, inside: &[&For]) -> Option<Ratio> {
    let is_up = node.step > 0;
    let (low, high) = if is_up { (&node.first, &node.end) } else { (&node.end, &node.first) };
    let mut found = Vec::new();
    for low in low.options(true) {
        // A number limits the points of a tile that is one of those inside; of a lone tile sizes tell more. Between
        // two numbers it is exact.
        let is_point = inside.iter().any(|node| low.mentions(&node.iterator));
        for high in high.options(false) {
            let distance = Ratio::of(&high.minus(low)).and_then(|d| d.greatest(inside));
            let distance = distance.filter(|d| d.expr.as_int().is_none_or(|n| n > 0));
            let is_between_numbers = low.as_int().is_some() && high.as_int().is_some();
            let is_telling =
                |d: &Ratio| d.expr.as_int().is_none() || is_point || is_between_numbers;
            found.extend(distance.map(|d| (!is_telling(&d), d)));
        }
    }
    found.sort_by_key(|(is_worse, distance)| (*is_worse, distance.rank()));
    let mut found = found.into_iter().map(|(_, distance)| distance);
    let best = found.next()?;
    let Ratio { expr, divisor } = match best.is_of_parameters() {
        true => found.filter(Ratio::is_of_parameters).fold(best, |best, other| best.or(other)),
        false => best,
    };
    let divisor = divisor.checked_mul(i64::try_from(node.step.unsigned_abs()).ok()?)?;
    Some(Ratio { expr, divisor })
}

/// How often something runs: a positive rational number times sizes.
#[derive(Clone, Debug)]
struct Runs {
    factor: (i64, i64),
    sizes: Vec<Expr>,
    /// Whether there are more sizes than a statement has loops.
    is_beyond: bool,
}

impl Runs {
    /// Once.
    fn once() -> Self {
        Self { factor: (1, 1), sizes: Vec::new(), is_beyond: false }
    }

    /// The number.
    fn factor(&self) -> f64 {
        self.factor.0 as f64 / self.factor.1 as f64
    }

    /// Whether all sizes of another are among its own, which are more.
    fn exceeds(&self, other: &Self) -> bool {
        is_among(&other.sizes, &self.sizes) && self.sizes.len() > other.sizes.len()
    }

    /// So many times as often.
    fn times(&self, Ratio { expr, divisor }: &Ratio) -> Option<Self> {
        let (number, mut sizes) = (content(expr), self.sizes.clone());
        if !expr.terms().is_empty() {
            sizes.push(plain(expr));
            sizes.sort();
        }
        let (above, below) =
            (self.factor.0.checked_mul(number)?, self.factor.1.checked_mul(*divisor)?);
        let common = gcd(above, below).max(1);
        Some(Self { factor: (above / common, below / common), sizes, is_beyond: false })
    }
}

/// What a size is a multiple of but for a small number beside it; a number is that of itself.
pub(crate) fn content(expr: &Expr) -> i64 {
    let limits = expr.options(false).iter();
    let terms = limits.flat_map(Expr::terms);
    let of_terms = terms.fold(0, |common, (_, factor)| gcd(common, *factor));
    match expr.as_int() {
        Some(number) => number,
        None if is_small(expr.constant(), of_terms) => of_terms.max(1),
        None => gcd(of_terms, expr.constant()).max(1),
    }
}

/// Whether a multiple of a size is less than another, as sizes are positive.
fn is_less(one: &Expr, other: &Expr) -> bool {
    match (one.terms(), other.terms()) {
        ([(size, factor)], [(same, larger)]) => size == same && factor < larger,
        _ => false,
    }
}

/// Whether a number does not matter beside multiples of another.
fn is_small(number: i64, of: i64) -> bool {
    number.saturating_abs() <= of.saturating_mul(SMALL)
}

/// A size divided by its content, without a small number beside it.
pub(crate) fn plain(expr: &Expr) -> Expr {
    let content = content(expr);
    if let limits @ [_, _, ..] = expr.options(false) {
        let divided = limits.iter().map(|limit| limit.quotient(content, Division::Exact));
        return Expr::min(divided.collect());
    }
    let terms = expr.terms().iter().fold(Expr::int(0), |sum, (term, factor)| {
        sum.plus(&Expr::from_term(term.clone()).times(factor / content))
    });
    // What shrinks as iterators go on is what is left of the number.
    let shrinks = !expr.terms().is_empty() && expr.terms().iter().all(|(_, factor)| *factor < 0);
    match is_small(expr.constant(), content) && !shrinks {
        true => terms,
        false => terms.offset(expr.constant() / content),
    }
}

/// A sum of parameters and iterators with factors, divided by a positive number.
#[derive(Clone, Debug)]
pub(crate) struct Ratio {
    pub(crate) expr: Expr,
    divisor: i64,
}

impl Ratio {
    /// What is divided, and by what.
    pub(crate) fn parts(self) -> (Expr, i64) {
        (self.expr, self.divisor)
    }

    /// About the value of an expression: divisions have no remainder, and of choices the first is taken. `None` where numbers are
    /// too large.
    pub(crate) fn of(expr: &Expr) -> Option<Self> {
        let number = Self { expr: Expr::int(expr.constant()), divisor: 1 };
        expr.terms().iter().try_fold(number, |sum, (term, factor)| {
            let part = match term {
                Term::Param(_) | Term::Iterator(_) => {
                    Self { expr: Expr::from_term(term.clone()), divisor: 1 }
                }
                Term::Div(numerator, divisor, _) => {
                    let Self { expr, divisor: inner } = Self::of(numerator)?;
                    Self { expr, divisor: inner.checked_mul(*divisor)? }
                }
                Term::Mod(..) => return Some(sum),
                Term::Min(choices) | Term::Max(choices) => Self::of(choices.first()?)?,
                Term::Select(_, then, _) => Self::of(then)?,
            };
            sum.plus(&part, *factor)
        })
    }

    /// Itself and a number of times another.
    fn plus(&self, other: &Self, times: i64) -> Option<Self> {
        let common = gcd(self.divisor, other.divisor).max(1);
        let own = other.divisor / common;
        let divisor = self.divisor.checked_mul(own).filter(|divisor| *divisor < MAX_DIVISOR)?;
        let others = times.checked_mul(self.divisor / common)?;
        let expr = self.expr.times(own).plus(&other.expr.times(others));
        (!expr.is_overflow()).then_some(Self { expr, divisor })
    }

    /// The greatest value in any iteration of some loops, outer ones first.
    pub(crate) fn greatest(&self, loops: &[&For]) -> Option<Self> {
        loops.iter().rev().try_fold(self.clone(), |value, node| {
            let (factor, rest) = value.expr.split(&node.iterator)?;
            if factor == 0 {
                return Some(value);
            }
            let to_end = (factor > 0) == (node.step > 0);
            let last = node.end.offset(-node.step.signum());
            let bound = if to_end { &last } else { &node.first };
            // The least of several ends is the last that the iterator reaches, the greatest of several starts the first.
            let is_high = factor > 0;
            let bounds = bound.options(!is_high).iter().filter_map(Self::of);
            let bound = bounds.min_by_key(Self::rank)?;
            let bound = Self { divisor: bound.divisor.checked_mul(value.divisor)?, ..bound };
            Self { expr: rest, divisor: value.divisor }.plus(&bound, factor)
        })
    }

    /// Whether there are parameters in it, and no iterators.
    pub(crate) fn is_of_parameters(&self) -> bool {
        let mut is_of_parameters = !self.expr.terms().is_empty();
        self.expr.for_each_name(&mut |_, is_iterator| is_of_parameters &= !is_iterator);
        is_of_parameters
    }

    /// The least of itself and another, of which only the sizes matter; itself where numbers are too large, and where it is the least
    /// of [`MAX_LIMITS`] already.
    fn or(self, other: Self) -> Self {
        let common = gcd(self.divisor, other.divisor).max(1);
        let divisor = self.divisor.checked_mul(other.divisor / common);
        let Some(divisor) = divisor.filter(|divisor| *divisor < MAX_DIVISOR) else { return self };
        let sizes = |ratio: &Self| {
            let limits = ratio.expr.options(false).iter();
            limits
                .map(|limit| limit.offset(-limit.constant()).times(divisor / ratio.divisor))
                .collect()
        };
        let mut limits: Vec<Expr> = sizes(&self);
        limits.extend(sizes(&other));
        let is_least = |own: &Expr| !limits.iter().any(|limit| is_less(limit, own));
        let mut limits: Vec<Expr> =
            limits.iter().filter(|limit| is_least(limit)).cloned().collect();
        limits.sort();
        limits.dedup();
        let common =
            limits.iter().flat_map(Expr::terms).fold(divisor, |c, (_, f)| gcd(c, *f)).max(1);
        let limits: Vec<Expr> =
            limits.iter().map(|limit| limit.quotient(common, Division::Exact)).collect();
        let expr = Expr::min(limits);
        if expr.is_overflow() || expr.options(false).len() > MAX_LIMITS || expr.terms().len() > 1 {
            return self;
        }
        Self { expr, divisor: divisor / common }
    }

    /// How well a bound reads, the best first.
    fn rank(&self) -> (usize, usize, i64) {
        let mut n_iterators = 0;
        self.expr.for_each_name(&mut |_, is_iterator| n_iterators += usize::from(is_iterator));
        (n_iterators, self.expr.terms().len(), self.expr.constant().saturating_abs())
    }
}
