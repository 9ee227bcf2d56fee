//! Conditions under which threads start.
//!
//! Products of sizes are computed as `double`s, which they do not overflow; a condition is an estimate anyway.

use crate::dialect::C;
use farkas_astgen::{Binding, Dialect, Expr, Product, Term, Text, Work};

/// The condition, in C, that there is enough work.
pub(crate) fn work_text(c: &C<'_>, work: &Work) -> Text {
    let above = work.above;
    if let [Product { factor: 1, sizes }] = work.products.as_slice()
        && let [size] = sizes.as_slice()
        && let [(Term::Param(name) | Term::Iterator(name), 1)] = size.terms()
        && size.constant() == 0
        && c.ranges.param(name).is_none_or(|param| param.value.greatest > above.into())
    {
        return Text::new(format!("{name} > {above}"), Binding::Relation);
    }
    let products: Vec<String> = work.products.iter().map(|part| product(c, part)).collect();
    Text::new(format!("{} > {above}", products.join(" + ")), Binding::Relation)
}

/// A number times sizes, one after another from the left.
fn product(c: &C<'_>, product: &Product) -> String {
    let is_alone = product.factor == 1 && product.sizes.len() == 1;
    let mut factors = Vec::new();
    if product.factor != 1 {
        factors.push(format!("{}.0", product.factor));
    }
    for size in &product.sizes {
        let size = least(c, size, factors.is_empty());
        factors.push(if is_alone { size.text } else { size.within(Binding::Product) });
    }
    factors.join(" * ")
}

/// The least of several sizes.
fn least(c: &C<'_>, size: &Expr, converted: bool) -> Text {
    match size.options(false) {
        [first, second] => c.call("min", &sum(first, true).text, &sum(second, false).text),
        _ => sum(size, converted),
    }
}

/// A size; what is `converted` is no integer, as is every sum.
fn sum(size: &Expr, converted: bool) -> Text {
    if let [(Term::Param(name) | Term::Iterator(name), 1)] = size.terms()
        && size.constant() == 0
    {
        return match converted {
            true => Text::new(format!("(double){name}"), Binding::Unary),
            false => Text::new(name, Binding::Primary),
        };
    }
    let mut text = String::new();
    // What is positive comes first.
    let (positive, negative): (Vec<_>, Vec<_>) = size.terms().iter().partition(|(_, f)| *f > 0);
    for (term, factor) in positive.into_iter().chain(negative) {
        let (Term::Param(name) | Term::Iterator(name)) = term else { continue };
        let sign = match (text.is_empty(), *factor < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let number = match factor.unsigned_abs() {
            1 if text.is_empty() => "(double)".to_owned(),
            1 => String::new(),
            number => format!("{number}.0 * "),
        };
        text.push_str(&format!("{sign}{number}{name}"));
    }
    match size.constant() {
        0 => {}
        number if number < 0 => text.push_str(&format!(" - {}", number.unsigned_abs())),
        number => text.push_str(&format!(" + {number}")),
    }
    Text::new(text, Binding::Sum)
}
