//! Writing expressions and conditions in a language of C's family.

use crate::{Cond, Division, Expr, Term};

/// How tightly a text binds; larger binds tighter. C's levels, spaced for the operators that occur.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Binding {
    /// `?:`
    Ternary,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equality,
    /// `<`
    Relation,
    /// `+`
    Sum,
    /// `*`
    Product,
    /// `-x`, casts
    Unary,
    /// Names, numbers, calls.
    Primary,
}

/// A text that knows how tightly its outermost operator binds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Its outermost operator.
    pub binding: Binding,
}

impl Text {
    /// A text with this outermost operator.
    pub fn new(text: impl Into<String>, binding: Binding) -> Self {
        Self { text: text.into(), binding }
    }

    /// The text where only something that binds at least as tightly as `least` may stand.
    pub fn within(&self, least: Binding) -> String {
        if self.binding < least { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// The parts of expressions that languages write differently.
pub trait Dialect {
    /// A parameter in arithmetic on iterators.
    fn param(&self, name: &str) -> Text {
        Text::new(name, Binding::Primary)
    }

    /// An iterator.
    fn iterator(&self, name: &str) -> Text {
        Text::new(name, Binding::Primary)
    }

    /// `function(a, b)` of two arguments where the language has no operator: `min`, `max`, `floord`, `mod`.
    fn call(&self, function: &str, left: &str, right: &str) -> Text {
        Text::new(format!("{function}({left}, {right})"), Binding::Primary)
    }

    /// An expression.
    fn expr(&self, expr: &Expr) -> Text {
        let positive = expr.terms().iter().filter(|(_, f)| *f > 0);
        let negative = expr.terms().iter().filter(|(_, f)| *f < 0);
        let mut sum = Sum::default();
        positive.for_each(|(term, factor)| sum.add(false, self.product(term, *factor)));
        if expr.constant() > 0 && sum.n_parts == 0 {
            sum.add(false, Text::new(expr.constant().to_string(), Binding::Primary));
        }
        let constant_is_left = expr.constant() != 0
            && (expr.constant() < 0 || expr.terms().iter().any(|(_, f)| *f > 0));
        negative
            .for_each(|(term, factor)| sum.add(true, self.product(term, factor.saturating_neg())));
        if constant_is_left || expr.terms().is_empty() && expr.constant() <= 0 {
            let size = expr.constant().unsigned_abs().to_string();
            sum.add(expr.constant() < 0, Text::new(size, Binding::Primary));
        }
        sum.finish()
    }

    /// A term with a positive factor.
    fn product(&self, term: &Term, factor: i64) -> Text {
        let text = self.term(term);
        if factor == 1 {
            return text;
        }
        Text::new(format!("{factor} * {}", text.within(Binding::Unary)), Binding::Product)
    }

    /// A term.
    fn term(&self, term: &Term) -> Text {
        match term {
            Term::Param(name) => self.param(name),
            Term::Iterator(name) => self.iterator(name),
            Term::Div(e, d, Division::Floor) => {
                self.call("floord", &self.expr(e).text, &d.to_string())
            }
            Term::Div(e, d, _) => Text::new(
                format!("{} / {d}", self.expr(e).within(Binding::Product)),
                Binding::Product,
            ),
            Term::Mod(e, d, Division::Floor) => {
                self.call("mod", &self.expr(e).text, &d.to_string())
            }
            Term::Mod(e, d, _) => Text::new(
                format!("{} % {d}", self.expr(e).within(Binding::Product)),
                Binding::Product,
            ),
            Term::Min(es) => self.choice("min", es),
            Term::Max(es) => self.choice("max", es),
            Term::Select(c, a, b) => Text::new(
                format!(
                    "{} ? {} : {}",
                    self.cond(c).within(Binding::Or),
                    self.expr(a).text,
                    self.expr(b).text
                ),
                Binding::Ternary,
            ),
        }
    }

    /// `min` or `max` of all options. Macros of C write their arguments out twice: of `n` options the last would occur `2^n` times
    /// if calls were nested one by one; halves are nested instead.
    fn choice(&self, function: &str, options: &[Expr]) -> Text {
        match options {
            [] => Text::new("0", Binding::Primary),
            [only] => self.expr(only),
            _ => {
                let (some, others) = options.split_at(options.len() / 2);
                let [some, others] = [some, others].map(|part| self.choice(function, part).text);
                self.call(function, &some, &others)
            }
        }
    }

    /// A condition.
    fn cond(&self, cond: &Cond) -> Text {
        match cond {
            Cond::Zero(e) => self.comparison(e, "==", "==", Binding::Equality),
            Cond::NonNegative(e) => self.comparison(e, ">=", "<=", Binding::Relation),
            Cond::All(parts) if parts.is_empty() => Text::new("1", Binding::Primary),
            Cond::Any(parts) if parts.is_empty() => Text::new("0", Binding::Primary),
            // Compilers warn of `&&` inside `||` without parentheses.
            Cond::All(parts) => self.junction(parts, " && ", Binding::And, Binding::And),
            Cond::Any(parts) => self.junction(parts, " || ", Binding::Or, Binding::Equality),
        }
    }

    /// Conditions joined by an operator.
    fn junction(&self, parts: &[Cond], operator: &str, binding: Binding, least: Binding) -> Text {
        let parts: Vec<String> = parts.iter().map(|p| self.cond(p).within(least)).collect();
        Text::new(parts.join(operator), binding)
    }

    /// `e` compared with zero, written as `left op right` without minus signs where that can be. What mentions
    /// iterators comes first: `i < n`, not `n > i`; then `mirrored` is the operator.
    fn comparison(&self, e: &Expr, operator: &str, mirrored: &str, binding: Binding) -> Text {
        let sign = |keep: fn(i64) -> bool, factor: i64| {
            e.terms().iter().filter(move |(_, f)| keep(*f)).fold(Expr::int(0), |sum, (term, f)| {
                sum.plus(&Expr::from_term(term.clone()).times(f.saturating_mul(factor)))
            })
        };
        let (left, right) = (sign(|f| f > 0, 1), sign(|f| f < 0, -1));
        let has_iterator = |side: &Expr| {
            let mut found = false;
            side.for_each_name(&mut |_, is_iterator| found |= is_iterator);
            found
        };
        let swap = has_iterator(&right) && !has_iterator(&left) || left.terms().is_empty();
        let (first, second, operator, constant) = if swap {
            (right, left, mirrored, e.constant())
        } else {
            (left, right, operator, e.constant().saturating_neg())
        };
        // first op second + constant; a constant of one makes the comparison strict instead.
        let strict = match (operator, constant) {
            (">=", 1) => Some(">"),
            ("<=", -1) => Some("<"),
            _ => None,
        };
        let (operator, second) = match strict {
            Some(strict) if !second.terms().is_empty() => (strict, second),
            _ => (operator, second.offset(constant)),
        };
        let above = if binding == Binding::Equality { Binding::Relation } else { Binding::Sum };
        let text = format!(
            "{} {operator} {}",
            self.expr(&first).within(above),
            self.expr(&second).within(above)
        );
        Text::new(text, binding)
    }
}

/// The dialect of `Display`.
pub(crate) struct Plain;

impl Dialect for Plain {}

/// A sum being written.
#[derive(Default)]
struct Sum {
    text: String,
    n_parts: usize,
    single: Option<Binding>,
}

impl Sum {
    /// Adds or subtracts a part.
    fn add(&mut self, minus: bool, part: Text) {
        let (sign, least, binding) = match (self.n_parts, minus) {
            (0, false) => ("", part.binding, part.binding),
            (0, true) => ("-", Binding::Unary, Binding::Unary),
            (_, false) => (" + ", Binding::Sum, Binding::Sum),
            (_, true) => (" - ", Binding::Product, Binding::Sum),
        };
        if self.n_parts == 1 && self.single < Some(Binding::Sum) {
            self.text = format!("({})", self.text);
        }
        // `-2 * i` reads as it is meant: the product of a negative number.
        let least = if (self.n_parts, minus) == (0, true) { Binding::Product } else { least };
        let binding =
            if (self.n_parts, minus) == (0, true) { part.binding.min(binding) } else { binding };
        let part = part.within(least);
        // `--x` is another operator.
        let part = if minus && part.starts_with('-') { format!("({part})") } else { part };
        self.text.push_str(sign);
        self.text.push_str(&part);
        self.single = (self.n_parts == 0).then_some(binding);
        self.n_parts += 1;
    }

    /// The whole.
    fn finish(self) -> Text {
        Text::new(self.text, self.single.unwrap_or(Binding::Sum))
    }
}
