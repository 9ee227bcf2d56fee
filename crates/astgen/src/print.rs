//! Writing expressions and conditions in a language of C's family.

use crate::value::Value;
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

/// A text that knows how tightly its outermost operator binds, and what it computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Its outermost operator.
    pub binding: Binding,
    /// What is known of its value.
    pub value: Value,
}

impl Text {
    /// A text with this outermost operator, of whose value nothing is known.
    pub fn new(text: impl Into<String>, binding: Binding) -> Self {
        Self { text: text.into(), binding, value: Value::UNKNOWN }
    }

    /// A whole number that is not negative.
    fn number(size: u64) -> Self {
        Self::new(size.to_string(), Binding::Primary).of(Value::number(size.into()))
    }

    /// The text of something with this value.
    #[must_use]
    pub fn of(self, value: Value) -> Self {
        Self { value, ..self }
    }

    /// The text where only something that binds at least as tightly as `least` may stand.
    pub fn within(&self, least: Binding) -> String {
        if self.binding < least { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// The parts of expressions that languages write differently.
///
/// Languages with integers of several widths say by [`computed`](Self::computed) what the narrow ones hold. Texts are put together in
/// the order in which the language computes them, so that it is asked of each value on the way.
pub trait Dialect {
    /// What comes of computing `value`, which is that of the expression `of`: the same in the narrow type of its operands where
    /// that holds it, else in the wide one.
    fn computed(&self, value: Value, _of: &dyn Fn() -> Expr) -> Value {
        value
    }

    /// An operand that makes an operation one in the wide type.
    fn widened(&self, operand: Text) -> Text {
        operand
    }

    /// Whether a numerator that is taken to be not negative is so wherever it is computed.
    fn is_not_negative(&self, _numerator: &Expr, _value: Value) -> bool {
        true
    }

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
        let mut sum = Sum::new(self);
        positive.for_each(|(term, factor)| sum.add_term(term, *factor));
        if expr.constant() > 0 && sum.n_parts == 0 {
            sum.add_constant(expr.constant());
        }
        let constant_is_left = expr.constant() != 0
            && (expr.constant() < 0 || expr.terms().iter().any(|(_, f)| *f > 0));
        negative.for_each(|(term, factor)| sum.add_term(term, *factor));
        if constant_is_left || expr.terms().is_empty() && expr.constant() <= 0 {
            sum.add_constant(expr.constant());
        }
        sum.finish()
    }

    /// `start + length`, computed in this order.
    fn sum_of(&self, start: &Expr, length: &Expr) -> Text {
        if start.as_int() == Some(0) {
            return self.expr(length);
        }
        let mut sum = Sum::new(self);
        for part in [start, length] {
            sum.partial = sum.partial.plus(part);
            sum.add(false, self.expr(part));
        }
        sum.finish()
    }

    /// A term with a positive factor.
    fn product(&self, term: &Term, factor: i64) -> Text {
        let text = self.term(term);
        if factor == 1 {
            return text;
        }
        let number = Text::number(factor.unsigned_abs());
        let is_wide = text.value.wide || number.value.wide;
        let value = Value { wide: is_wide, ..text.value.times(factor.into()) };
        let value = self.computed(value, &|| Expr::from_term(term.clone()).times(factor));
        let number = if value.wide && !is_wide { self.widened(number) } else { number };
        let product = format!("{} * {}", number.text, text.within(Binding::Unary));
        Text::new(product, Binding::Product).of(value)
    }

    /// A term.
    fn term(&self, term: &Term) -> Text {
        match term {
            Term::Param(name) => self.param(name),
            Term::Iterator(name) => self.iterator(name),
            Term::Div(e, d, division) => self.quotient(e, *d, *division),
            Term::Mod(e, d, division) => self.remainder(e, *d, *division, false),
            Term::Min(es) => self.choice("min", es),
            Term::Max(es) => self.choice("max", es),
            Term::Select(c, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                let text =
                    format!("{} ? {} : {}", self.cond(c).within(Binding::Or), a.text, b.text);
                Text::new(text, Binding::Ternary).of(a.value.or(b.value))
            }
        }
    }

    /// A division that rounds down.
    fn quotient(&self, numerator: &Expr, divisor: i64, division: Division) -> Text {
        let text = self.expr(numerator);
        let number = Text::number(divisor.unsigned_abs());
        let value = text.value.divided(divisor.into());
        let value = Value { wide: text.value.wide || number.value.wide, ..value };
        let truncates = match division {
            Division::Exact => true,
            Division::Truncating => self.is_not_negative(numerator, text.value),
            Division::Floor => false,
        };
        if !truncates {
            return self.call("floord", &text.text, &number.text).of(value);
        }
        let quotient = format!("{} / {divisor}", text.within(Binding::Product));
        Text::new(quotient, Binding::Product).of(value)
    }

    /// The remainder of a division that rounds down; where it is only compared with zero, of one that truncates.
    fn remainder(&self, of: &Expr, divisor: i64, division: Division, is_compared: bool) -> Text {
        let text = self.expr(of);
        let number = Text::number(divisor.unsigned_abs());
        let wide = text.value.wide || number.value.wide;
        let value = Value { least: 0, greatest: i128::from(divisor) - 1, wide };
        let truncates = is_compared || self.is_not_negative(of, text.value);
        if division == Division::Floor || !truncates {
            // The helper adds the divisor to what C's remainder is.
            let sum = Value { greatest: 2 * i128::from(divisor) - 1, ..value };
            let wide = self.computed(sum, &|| Expr::int(divisor.saturating_mul(2))).wide;
            let number = if wide && !value.wide { self.widened(number) } else { number };
            return self.call("mod", &text.text, &number.text).of(Value { wide, ..value });
        }
        let remainder = format!("{} % {divisor}", text.within(Binding::Product));
        Text::new(remainder, Binding::Product).of(value)
    }

    /// `min` or `max` of all options. Macros of C write their arguments out twice: of `n` options the last would occur `2^n` times
    /// if calls were nested one by one; halves are nested instead.
    fn choice(&self, function: &str, options: &[Expr]) -> Text {
        match options {
            [] => Text::number(0),
            [only] => self.expr(only),
            _ => {
                let (some, others) = options.split_at(options.len() / 2);
                let [some, others] = [some, others].map(|part| self.choice(function, part));
                let value = match function {
                    "min" => some.value.min(others.value),
                    _ => some.value.max(others.value),
                };
                self.call(function, &some.text, &others.text).of(value)
            }
        }
    }

    /// A condition.
    fn cond(&self, cond: &Cond) -> Text {
        match cond {
            Cond::Zero(e) => match e.terms() {
                [(Term::Mod(of, divisor, division), 1)] if e.constant() == 0 => {
                    let remainder = self.remainder(of, *divisor, *division, true);
                    Text::new(
                        format!("{} == 0", remainder.within(Binding::Relation)),
                        Binding::Equality,
                    )
                }
                _ => self.comparison(e, "==", "==", Binding::Equality),
            },
            Cond::NonNegative(e) => self.comparison(e, ">=", "<=", Binding::Relation),
            Cond::All(parts) if parts.is_empty() => Text::number(1),
            Cond::Any(parts) if parts.is_empty() => Text::number(0),
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
struct Sum<'a, D: Dialect + ?Sized> {
    dialect: &'a D,
    text: String,
    n_parts: usize,
    single: Option<Binding>,
    /// What is known of the sum so far,
    value: Value,
    /// and the sum with the part that is being added.
    partial: Expr,
}

impl<'a, D: Dialect + ?Sized> Sum<'a, D> {
    /// The empty sum.
    fn new(dialect: &'a D) -> Self {
        let (value, partial) = (Value::number(0), Expr::int(0));
        Self { dialect, text: String::new(), n_parts: 0, single: None, value, partial }
    }

    /// Adds a term.
    fn add_term(&mut self, term: &Term, factor: i64) {
        self.partial = self.partial.plus(&Expr::from_term(term.clone()).times(factor));
        self.add(factor < 0, self.dialect.product(term, factor.saturating_abs()));
    }

    /// Adds a number.
    fn add_constant(&mut self, constant: i64) {
        self.partial = self.partial.offset(constant);
        self.add(constant < 0, Text::number(constant.unsigned_abs()));
    }

    /// Adds or subtracts a part.
    fn add(&mut self, minus: bool, part: Text) {
        let is_wide = self.value.wide || part.value.wide;
        let value = if minus { part.value.times(-1) } else { part.value };
        let mut value = Value { wide: is_wide, ..self.value.plus(value) };
        if self.n_parts > 0 || minus {
            value = self.dialect.computed(value, &|| self.partial.clone());
        }
        let part = if value.wide && !is_wide { self.dialect.widened(part) } else { part };
        self.value = value;
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
        Text::new(self.text, self.single.unwrap_or(Binding::Sum)).of(self.value)
    }
}
