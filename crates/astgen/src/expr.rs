//! Integer expressions and conditions in a canonical form: an affine simplifier by construction.
//!
//! An [`Expr`] is a sum of terms with integer coefficients and a constant. The functions that build expressions merge
//! equal terms, fold constants, divide out common factors, drop dominated arguments of `min` and `max` and move what is
//! added to a `min` or `max` into it, so that expressions that are equal for simple reasons are equal structurally.

use crate::print::{Dialect, Plain};
use farkas_base::gcd;
use std::fmt;

/// What a coefficient becomes that does not fit; every operation on it keeps it, and generation refuses it at the end.
pub(crate) const OVERFLOW: i64 = i64::MAX;

/// An integer: the sum of terms, each with a factor that is not zero, and a constant. Terms are sorted and distinct.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Expr {
    terms: Vec<(Term, i64)>,
    constant: i64,
}

/// What is not a number in a sum.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A parameter of the scop.
    Param(String),
    /// The iterator of a surrounding loop.
    Iterator(String),
    /// The numerator divided by a positive number, rounded down.
    Div(Box<Expr>, i64, Division),
    /// The remainder of that division, `0 <= r < divisor`.
    Mod(Box<Expr>, i64, Division),
    /// The least of at least two.
    Min(Vec<Expr>),
    /// The greatest of at least two.
    Max(Vec<Expr>),
    /// The second where the condition holds, else the third.
    Select(Box<Cond>, Box<Expr>, Box<Expr>),
}

/// What is known of a division, which decides how a language without floor division writes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Division {
    /// There is no remainder.
    Exact,
    /// The numerator is not negative; of a remainder also: it is only compared with zero.
    Truncating,
    /// Nothing: rounding down matters.
    Floor,
}

/// A condition in a canonical form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cond {
    /// The expression is zero.
    Zero(Expr),
    /// The expression is zero or greater.
    NonNegative(Expr),
    /// All hold; true when there are none.
    All(Vec<Cond>),
    /// One holds; false when there are none.
    Any(Vec<Cond>),
}

/// Sum that keeps [`OVERFLOW`].
fn add(a: i64, b: i64) -> i64 {
    if a == OVERFLOW || b == OVERFLOW { OVERFLOW } else { a.checked_add(b).unwrap_or(OVERFLOW) }
}

/// Product that keeps [`OVERFLOW`].
fn mul(a: i64, b: i64) -> i64 {
    if a == OVERFLOW || b == OVERFLOW { OVERFLOW } else { a.checked_mul(b).unwrap_or(OVERFLOW) }
}

/// Quotient rounded down, for a positive divisor.
fn floor_quotient(a: i64, d: i64) -> i64 {
    if a == OVERFLOW { OVERFLOW } else { a.div_euclid(d) }
}

impl Expr {
    /// A number.
    pub fn int(value: i64) -> Self {
        Self { terms: Vec::new(), constant: value }
    }

    /// A parameter.
    pub fn param(name: impl Into<String>) -> Self {
        Self::term(Term::Param(name.into()), 1)
    }

    /// An iterator.
    pub fn iterator(name: impl Into<String>) -> Self {
        Self::term(Term::Iterator(name.into()), 1)
    }

    /// A term alone.
    pub fn from_term(term: Term) -> Self {
        Self::term(term, 1)
    }

    /// `factor` times a term.
    fn term(term: Term, factor: i64) -> Self {
        Self { terms: vec![(term, factor)], constant: 0 }
    }

    /// The terms with their factors, sorted.
    pub fn terms(&self) -> &[(Term, i64)] {
        &self.terms
    }

    /// The arguments of a lone `max` (or where not `greatest`, `min`), or the expression itself.
    pub fn options(&self, greatest: bool) -> &[Self] {
        match self.terms() {
            [(Term::Max(options), 1)] if greatest && self.constant() == 0 => options,
            [(Term::Min(options), 1)] if !greatest && self.constant() == 0 => options,
            _ => std::slice::from_ref(self),
        }
    }

    /// The constant part.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// The value, if the expression is a number.
    pub fn as_int(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The name, if the expression is just an iterator.
    pub fn as_iterator(&self) -> Option<&str> {
        match self.terms.as_slice() {
            [(Term::Iterator(name), 1)] if self.constant == 0 => Some(name),
            _ => None,
        }
    }

    /// Sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let one = if order.is_le() { left.next() } else { None };
            let two = if order.is_ge() { right.next() } else { None };
            let factor = add(one.map_or(0, |t| t.1), two.map_or(0, |t| t.1));
            if let (Some((term, _)), true) = (one.or(two), factor != 0) {
                terms.push((term.clone(), factor));
            }
        }
        Self { terms, constant: add(self.constant, other.constant) }.settle()
    }

    /// Difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.times(-1))
    }

    /// Sum with a number.
    #[must_use]
    pub fn offset(&self, by: i64) -> Self {
        self.plus(&Self::int(by))
    }

    /// Product with a number.
    #[must_use]
    pub fn times(&self, factor: i64) -> Self {
        if factor == 0 {
            return Self::int(0);
        }
        let terms = self.terms.iter().map(|(term, f)| (term.clone(), mul(*f, factor))).collect();
        Self { terms, constant: mul(self.constant, factor) }.settle()
    }

    /// The canonical form of a sum whose factors have changed: multiples of exact quotients lose the division, differences of quotients are
    /// remainders, and choices take in what is added to them.
    fn settle(self) -> Self {
        if let Some((kept, removed, modulus)) = self.remainder_among() {
            return self.with_remainder(kept, removed, modulus);
        }
        let reducible = |(term, f): &(Term, i64)| matches!(term, Term::Div(_, d, Division::Exact) if gcd(*f, *d) > 1);
        if !self.terms.iter().any(reducible) {
            return self.distribute();
        }
        let (exact, terms): (Vec<_>, Vec<_>) = self.terms.into_iter().partition(reducible);
        let rest = Self { terms, constant: self.constant };
        exact.into_iter().fold(rest, |sum, (term, f)| match term {
            Term::Div(numerator, d, division) => {
                let common = gcd(f, d);
                sum.plus(&numerator.quotient(d / common, division).times(f / common))
            }
            other => sum.plus(&Self::term(other, f)),
        })
    }

    /// The positions of two quotients `f floor(e / d) - f m floor(e / (d m))`, and `m`: together they are `f (floor(e / d) mod m)`.
    fn remainder_among(&self) -> Option<(usize, usize, i64)> {
        let quotient = |at: usize| match &self.terms[at] {
            (Term::Div(e, d, division), f) if *division != Division::Exact => Some((e, *d, *f)),
            _ => None,
        };
        for kept in 0..self.terms.len() {
            let Some((e, d, f)) = quotient(kept) else { continue };
            for removed in 0..self.terms.len() {
                let Some((other, larger, g)) = quotient(removed) else { continue };
                let modulus = larger / d;
                let is_multiple = modulus > 1 && larger % d == 0 && other == e;
                if is_multiple && f.checked_mul(modulus).and_then(i64::checked_neg) == Some(g) {
                    return Some((kept, removed, modulus));
                }
            }
        }
        None
    }

    /// The sum with a remainder in the place of two quotients.
    fn with_remainder(self, kept: usize, removed: usize, modulus: i64) -> Self {
        let (mut rest, mut remainder) = (Vec::new(), Self::int(0));
        for (at, (term, factor)) in self.terms.into_iter().enumerate() {
            match term {
                Term::Div(_, _, division) if at == kept => {
                    let quotient = Self::term(term, 1);
                    remainder = quotient.remainder(modulus, division).times(factor);
                }
                _ if at == removed => {}
                _ => rest.push((term, factor)),
            }
        }
        Self { terms: rest, constant: self.constant }.plus(&remainder)
    }

    /// Sum, without work for zero.
    fn plus_if_any(self, other: &Self) -> Self {
        if other.as_int() == Some(0) { self } else { self.plus(other) }
    }

    /// The same with everything that is added to a lone `min` or `max` moved into it.
    fn distribute(self) -> Self {
        let is_choice = |(term, _): &&(Term, i64)| matches!(term, Term::Min(_) | Term::Max(_));
        if self.terms.iter().filter(is_choice).count() != 1
            || (self.terms.len() == 1 && self.constant == 0 && self.terms[0].1 == 1)
        {
            return self;
        }
        let mut rest = self;
        let Some(at) = rest.terms.iter().position(|t| is_choice(&t)) else { return rest };
        let (choice, factor) = rest.terms.remove(at);
        let moved =
            |options: &[Self]| options.iter().map(|e| e.times(factor).plus(&rest)).collect();
        match (&choice, factor > 0) {
            (Term::Min(options), true) | (Term::Max(options), false) => Self::min(moved(options)),
            (Term::Max(options), true) | (Term::Min(options), false) => Self::max(moved(options)),
            _ => Self::term(choice, factor).plus_if_any(&rest),
        }
    }

    /// The divisor of an exact quotient among the terms.
    fn exact_divisor(&self) -> Option<i64> {
        self.terms.iter().find_map(|(term, _)| match term {
            Term::Div(_, d, Division::Exact) => Some(*d),
            _ => None,
        })
    }

    /// Whether a quotient occurs that is exact only where its place is reached.
    pub(crate) fn has_exact_quotient(&self) -> bool {
        self.terms.iter().any(|(term, _)| match term {
            Term::Param(_) | Term::Iterator(_) => false,
            Term::Div(e, _, division) => *division == Division::Exact || e.has_exact_quotient(),
            Term::Mod(e, ..) => e.has_exact_quotient(),
            Term::Min(es) | Term::Max(es) => es.iter().any(Self::has_exact_quotient),
            Term::Select(_, a, b) => a.has_exact_quotient() || b.has_exact_quotient(),
        })
    }

    /// A positive multiple without exact quotients: what is compared with zero need not be divided.
    fn without_exact(self) -> Self {
        match self.exact_divisor() {
            Some(d) if !self.is_overflow() => self.times(d).without_exact(),
            _ => self,
        }
    }

    /// The quotient by a positive number, rounded down.
    #[must_use]
    pub fn quotient(&self, divisor: i64, division: Division) -> Self {
        if divisor <= 0 || divisor == OVERFLOW || self.is_overflow() {
            return Self::int(OVERFLOW);
        }
        if let Some(inner) = self.exact_divisor() {
            return self.times(inner).quotient(mul(divisor, inner), division);
        }
        if division == Division::Exact && self.terms.first().is_some_and(|(_, f)| *f < 0) {
            return self.times(-1).quotient(divisor, division).times(-1);
        }
        let content = self.terms.iter().fold(divisor, |g, (_, f)| gcd(g, *f));
        let reduced = Self {
            terms: self.terms.iter().map(|(t, f)| (t.clone(), f / content)).collect(),
            constant: floor_quotient(self.constant, content),
        };
        let divisor = divisor / content;
        if divisor == 1 {
            return reduced.distribute();
        }
        if let Some(value) = reduced.as_int() {
            return Self::int(floor_quotient(value, divisor));
        }
        // Whole multiples leave a rounded-down division; of a truncating one nobody knows the sign of the rest.
        let mut whole = Self::int(0);
        let mut rest = reduced;
        if division != Division::Truncating {
            let (multiples, others): (Vec<_>, Vec<_>) =
                rest.terms.into_iter().partition(|(_, f)| f % divisor == 0);
            whole.terms = multiples.into_iter().map(|(t, f)| (t, f / divisor)).collect();
            whole.constant = floor_quotient(rest.constant, divisor);
            rest = Self { terms: others, constant: rest.constant - whole.constant * divisor };
        }
        if rest.terms.is_empty() {
            // Whole terms were divided; the constant rest is less than the divisor.
            return whole.distribute();
        }
        // `floor((d - 1) (t + 1) / d)` is `t - floor(t / d)`: isl writes so what it takes away from `t`.
        if let [(term, factor)] = rest.terms.as_slice()
            && division != Division::Exact
            && (divisor > 2 && *factor == divisor - 1 && rest.constant == *factor)
        {
            let all = Self::term(term.clone(), 1);
            return all.minus(&all.quotient(divisor, division)).plus_if_any(&whole);
        }
        Self::term(Term::Div(Box::new(rest), divisor, division), 1).plus_if_any(&whole)
    }

    /// The remainder of the division by a positive number.
    #[must_use]
    pub fn remainder(&self, divisor: i64, division: Division) -> Self {
        if divisor <= 0 || self.is_overflow() {
            return Self::int(OVERFLOW);
        }
        if division == Division::Exact || divisor == 1 {
            return Self::int(0);
        }
        if self.terms.iter().all(|(_, f)| f % divisor == 0) {
            return Self::int(self.constant.rem_euclid(divisor));
        }
        // `(d - 1 - t) mod d` is `d - 1 - t mod d`: isl counts down where it knows the greatest value alone.
        if let [(term, -1)] = self.terms.as_slice()
            && self.constant.rem_euclid(divisor) == divisor - 1
        {
            let counted = Self::term(term.clone(), 1).remainder(divisor, division);
            return Self::int(divisor - 1).minus(&counted);
        }
        Self::term(Term::Mod(Box::new(self.clone()), divisor, division), 1)
    }

    /// The least of `options`, which must not be empty.
    #[must_use]
    pub fn min(options: Vec<Self>) -> Self {
        Self::choose(options, true)
    }

    /// The greatest of `options`, which must not be empty.
    #[must_use]
    pub fn max(options: Vec<Self>) -> Self {
        Self::choose(options, false)
    }

    /// The least or greatest of `options`.
    fn choose(options: Vec<Self>, least: bool) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for option in options {
            match option.terms.as_slice() {
                [(Term::Min(inner), 1)] if least && option.constant == 0 => {
                    flat.extend_from_slice(inner)
                }
                [(Term::Max(inner), 1)] if !least && option.constant == 0 => {
                    flat.extend_from_slice(inner)
                }
                _ => flat.push(option),
            }
        }
        // Equal terms: the constant decides. Sorting puts the least constant first.
        flat.sort();
        if !least {
            flat.reverse();
        }
        flat.dedup_by(|next, kept| next.terms == kept.terms);
        flat.sort();
        match flat.len() {
            0 => Self::int(OVERFLOW),
            1 => flat.swap_remove(0),
            _ => Self::term(if least { Term::Min(flat) } else { Term::Max(flat) }, 1),
        }
    }

    /// `then` where `condition` holds, else `otherwise`.
    #[must_use]
    pub fn select(condition: Cond, then: Self, otherwise: Self) -> Self {
        match condition.as_bool() {
            Some(true) => then,
            Some(false) => otherwise,
            None if then == otherwise => then,
            None => Self::term(
                Term::Select(Box::new(condition), Box::new(then), Box::new(otherwise)),
                1,
            ),
        }
    }

    /// Calls `visit` on every iterator and parameter, with whether it is an iterator.
    pub fn for_each_name<'a>(&'a self, visit: &mut impl FnMut(&'a str, bool)) {
        for (term, _) in &self.terms {
            match term {
                Term::Param(name) => visit(name, false),
                Term::Iterator(name) => visit(name, true),
                Term::Div(e, ..) | Term::Mod(e, ..) => e.for_each_name(visit),
                Term::Min(es) | Term::Max(es) => es.iter().for_each(|e| e.for_each_name(visit)),
                Term::Select(c, a, b) => {
                    c.for_each_name(visit);
                    a.for_each_name(visit);
                    b.for_each_name(visit);
                }
            }
        }
    }

    /// Whether the iterator `name` occurs.
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.for_each_name(&mut |n, is_iterator| found |= is_iterator && n == name);
        found
    }

    /// The factor of the iterator `name` and the rest, if the rest does not mention it.
    pub fn split(&self, name: &str) -> Option<(i64, Self)> {
        let mut rest = self.clone();
        let at = rest.terms.iter().position(|(t, _)| matches!(t, Term::Iterator(n) if n == name));
        let factor = at.map_or(0, |at| rest.terms.remove(at).1);
        (!rest.mentions(name)).then_some((factor, rest))
    }

    /// The expression with iterators replaced where `by` gives something.
    #[must_use]
    pub fn substitute(&self, by: &impl Fn(&str) -> Option<Self>) -> Self {
        let mut concerned = false;
        self.for_each_name(&mut |n, is_iterator| concerned |= is_iterator && by(n).is_some());
        if !concerned {
            return self.clone();
        }
        let all = |es: &[Self]| es.iter().map(|e| e.substitute(by)).collect();
        self.terms.iter().fold(Self::int(self.constant), |sum, (term, factor)| {
            let value = match term {
                Term::Param(_) => Self::term(term.clone(), 1),
                Term::Iterator(name) => by(name).unwrap_or_else(|| Self::term(term.clone(), 1)),
                Term::Div(e, d, division) => e.substitute(by).quotient(*d, *division),
                Term::Mod(e, d, division) => e.substitute(by).remainder(*d, *division),
                Term::Min(es) => Self::min(all(es)),
                Term::Max(es) => Self::max(all(es)),
                Term::Select(c, a, b) => {
                    Self::select(c.substitute(by), a.substitute(by), b.substitute(by))
                }
            };
            sum.plus(&value.times(*factor))
        })
    }

    /// The value, where `value` knows all names; `None` on overflow or an unknown name.
    pub fn eval(&self, value: &impl Fn(&str) -> Option<i64>) -> Option<i64> {
        self.terms.iter().try_fold(self.constant, |sum, (term, factor)| {
            let x = match term {
                Term::Param(name) | Term::Iterator(name) => value(name)?,
                Term::Div(e, d, _) => e.eval(value)?.div_euclid(*d),
                Term::Mod(e, d, _) => e.eval(value)?.rem_euclid(*d),
                Term::Min(es) => extreme(es, value, i64::min)?,
                Term::Max(es) => extreme(es, value, i64::max)?,
                Term::Select(c, a, b) => {
                    if c.eval(value)? {
                        a.eval(value)?
                    } else {
                        b.eval(value)?
                    }
                }
            };
            sum.checked_add(x.checked_mul(*factor)?)
        })
    }

    /// Whether a number in it did not fit.
    pub(crate) fn is_overflow(&self) -> bool {
        self.constant == OVERFLOW
            || self.terms.iter().any(|(term, factor)| {
                *factor == OVERFLOW
                    || match term {
                        Term::Param(_) | Term::Iterator(_) => false,
                        Term::Div(e, ..) | Term::Mod(e, ..) => e.is_overflow(),
                        Term::Min(es) | Term::Max(es) => es.iter().any(Self::is_overflow),
                        Term::Select(c, a, b) => {
                            c.is_overflow() || a.is_overflow() || b.is_overflow()
                        }
                    }
            })
    }
}

/// The least or greatest value.
fn extreme(
    es: &[Expr],
    value: &impl Fn(&str) -> Option<i64>,
    pick: fn(i64, i64) -> i64,
) -> Option<i64> {
    let mut values = es.iter().map(|e| e.eval(value));
    let first = values.next()??;
    values.try_fold(first, |best, v| Some(pick(best, v?)))
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Plain.expr(self).text)
    }
}

impl Cond {
    /// The condition that always or never holds.
    pub fn constant(value: bool) -> Self {
        if value { Self::All(Vec::new()) } else { Self::Any(Vec::new()) }
    }

    /// The value, if it is obvious.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::All(parts) if parts.is_empty() => Some(true),
            Self::Any(parts) if parts.is_empty() => Some(false),
            _ => None,
        }
    }

    /// `left == right`.
    pub fn equal(left: &Expr, right: &Expr) -> Self {
        let mut expr = left.minus(right).without_exact();
        if let Some(value) = expr.as_int() {
            return Self::constant(value == 0);
        }
        let content = expr.terms.iter().fold(0, |g, (_, f)| gcd(g, *f));
        let sign = if expr.terms.first().is_some_and(|(_, f)| *f < 0) { -1 } else { 1 };
        if expr.constant % content != 0 {
            return Self::constant(false);
        }
        expr.terms.iter_mut().for_each(|(_, f)| *f = *f / content * sign);
        expr.constant = expr.constant / content * sign;
        Self::Zero(expr.settle())
    }

    /// `left >= right`.
    pub fn at_least(left: &Expr, right: &Expr) -> Self {
        let expr = left.minus(right).without_exact();
        if let Some(value) = expr.as_int() {
            return Self::constant(value >= 0);
        }
        if let [(Term::Min(options), 1)] = expr.terms.as_slice()
            && expr.constant == 0
        {
            return Self::all(options.iter().map(|e| Self::at_least(e, &Expr::int(0))).collect());
        }
        if let [(Term::Max(options), 1)] = expr.terms.as_slice()
            && expr.constant == 0
        {
            return Self::any(options.iter().map(|e| Self::at_least(e, &Expr::int(0))).collect());
        }
        let content = expr.terms.iter().fold(0, |g, (_, f)| gcd(g, *f));
        Self::NonNegative(expr.quotient(content, Division::Floor))
    }

    /// `left <= right`.
    pub fn at_most(left: &Expr, right: &Expr) -> Self {
        Self::at_least(right, left)
    }

    /// All of `parts`.
    pub fn all(parts: Vec<Self>) -> Self {
        Self::join(parts, true)
    }

    /// One of `parts`.
    pub fn any(parts: Vec<Self>) -> Self {
        Self::join(parts, false)
    }

    /// Conjunction or disjunction, flattened, without constants and repetitions.
    fn join(parts: Vec<Self>, conjunction: bool) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for part in parts {
            let inner = match part {
                Self::All(inner) if conjunction => inner,
                Self::Any(inner) if !conjunction => inner,
                other => vec![other],
            };
            for part in inner {
                if part.as_bool() == Some(!conjunction) {
                    return Self::constant(!conjunction);
                }
                if part.as_bool().is_none() && !flat.contains(&part) {
                    flat.push(part);
                }
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ if conjunction => Self::All(flat),
            _ => Self::Any(flat),
        }
    }

    /// Calls `visit` on every iterator and parameter, with whether it is an iterator.
    pub fn for_each_name<'a>(&'a self, visit: &mut impl FnMut(&'a str, bool)) {
        match self {
            Self::Zero(e) | Self::NonNegative(e) => e.for_each_name(visit),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|p| p.for_each_name(visit))
            }
        }
    }

    /// The condition with iterators replaced where `by` gives something.
    #[must_use]
    pub fn substitute(&self, by: &impl Fn(&str) -> Option<Expr>) -> Self {
        let zero = Expr::int(0);
        match self {
            Self::Zero(e) => Self::equal(&e.substitute(by), &zero),
            Self::NonNegative(e) => Self::at_least(&e.substitute(by), &zero),
            Self::All(parts) => Self::all(parts.iter().map(|p| p.substitute(by)).collect()),
            Self::Any(parts) => Self::any(parts.iter().map(|p| p.substitute(by)).collect()),
        }
    }

    /// Whether it holds, where `value` knows all names.
    pub fn eval(&self, value: &impl Fn(&str) -> Option<i64>) -> Option<bool> {
        match self {
            Self::Zero(e) => Some(e.eval(value)? == 0),
            Self::NonNegative(e) => Some(e.eval(value)? >= 0),
            Self::All(parts) => parts.iter().try_fold(true, |all, p| Some(all && p.eval(value)?)),
            Self::Any(parts) => parts.iter().try_fold(false, |any, p| Some(any || p.eval(value)?)),
        }
    }

    /// Whether a number in it did not fit.
    pub(crate) fn is_overflow(&self) -> bool {
        match self {
            Self::Zero(e) | Self::NonNegative(e) => e.is_overflow(),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::is_overflow),
        }
    }
}

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Plain.cond(self).text)
    }
}
