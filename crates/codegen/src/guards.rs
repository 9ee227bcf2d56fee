//! Conditions in front of a region, in C.
//!
//! Arithmetic that may leave `int` is done in `long`, that of `long` in `__int128`. Addresses are compared as numbers: C does
//! not order pointers into different objects.

use crate::dialect::C;
use farkas_astgen::{Binding, Cond, Dialect, Expr, Guard, Term, Text, Touched};
use farkas_scop::element_text;

/// Guards as conditions, all of which have to hold. Those of pairs that are touched under the same condition stand together.
pub(crate) fn guard_texts(c: &C<'_>, guards: &[Guard]) -> Vec<Text> {
    let mut texts = Vec::new();
    let together = |a: &Guard, b: &Guard| a.untouched().is_some() && a.untouched() == b.untouched();
    for group in guards.chunk_by(together) {
        match group {
            [Guard::Parameters(cond)] => {
                texts.push(cond_text(c, cond));
            }
            [Guard::Product(whole, times, factors)] => {
                texts.push(c.widely(true, || product(c, whole, *times, factors)));
            }
            pairs => texts.push(apart(c, pairs)),
        }
    }
    texts
}

/// A condition on the parameters in front of a region.
pub(crate) fn cond_text(c: &C<'_>, cond: &Cond) -> Text {
    c.widely(!is_plain_cond(cond), || c.cond(cond))
}

/// The condition that a number is the product of positive ones. Two at most are multiplied, so that nothing overflows; by the
/// others it is divided.
fn product(c: &C<'_>, whole: &Expr, times: i64, factors: &[Expr]) -> Text {
    let factors: Vec<Text> = factors.iter().map(|factor| c.expr(factor)).collect();
    let mut conditions: Vec<String> =
        factors.iter().map(|factor| format!("{} > 0", factor.within(Binding::Relation))).collect();
    let mut whole = c.expr(whole).within(Binding::Product);
    let number = (times != 1).then(|| times.to_string());
    let factors = factors.iter().map(|factor| factor.within(Binding::Product));
    let mut factors: Vec<String> = number.into_iter().chain(factors).collect();
    for factor in factors.drain(..factors.len().saturating_sub(2)) {
        conditions.push(format!("{whole} % {factor} == 0"));
        whole = format!("{whole} / {factor}");
    }
    conditions.push(format!("{whole} == {}", factors.join(" * ")));
    Text::new(conditions.join(" && "), Binding::And)
}

/// The condition that pairs share no memory, which are touched under the same condition.
fn apart(c: &C<'_>, pairs: &[Guard]) -> Text {
    let pair = |guard: &Guard| match guard {
        Guard::Parameters(_) | Guard::Product(..) => Text::new("1", Binding::Primary),
        Guard::Rows { touched, .. } => Text::new(rows(c, touched), Binding::Primary),
        Guard::RowsApart { rows, other, .. } => {
            let ends = [&other.first, &other.last].map(|at| element(c, other, at));
            Text::new(c.rows_apart(&rows.name, &ends_of(c, rows), &ends), Binding::Primary)
        }
        Guard::Apart { touched: [a, b], or_same, .. } => {
            let ends = [(a, &a.first), (a, &a.last), (b, &b.first), (b, &b.last)];
            let apart = c.apart(&ends.map(|(touched, at)| element(c, touched, at)));
            match or_same {
                true => {
                    let same = format!("(void *){} == (void *){}", a.name, b.name);
                    Text::new(format!("{same} || {apart}"), Binding::Or)
                }
                false => Text::new(apart, Binding::Primary),
            }
        }
    };
    let all: Vec<Text> = pairs.iter().map(pair).collect();
    let all = match all.as_slice() {
        [one] => one.clone(),
        several => {
            let several: Vec<String> = several.iter().map(|t| t.within(Binding::And)).collect();
            Text::new(several.join(" && "), Binding::And)
        }
    };
    match pairs.first().and_then(Guard::untouched) {
        Some(cond) if cond.as_bool() != Some(false) => {
            let untouched = cond_text(c, cond);
            let [untouched, all] = [untouched, all].map(|text| beside_or(&text));
            Text::new(format!("{untouched} || {all}"), Binding::Or)
        }
        _ => all,
    }
}

/// A text beside `||`; compilers warn of `&&` there without parentheses.
fn beside_or(text: &Text) -> String {
    if text.binding == Binding::Or { text.text.clone() } else { text.within(Binding::Equality) }
}

/// The condition that the rows of an array of pointers lie one after another.
fn rows(c: &C<'_>, touched: &Touched) -> String {
    c.rows(&touched.name, &ends_of(c, touched))
}

/// The least and the greatest subscript in each dimension.
fn ends_of(c: &C<'_>, touched: &Touched) -> Vec<String> {
    let ends = touched.first.iter().zip(&touched.last).flat_map(|(first, last)| [first, last]);
    ends.map(|e| c.widely(!is_plain(e), || c.expr(e)).text).collect()
}

/// The address of the element with these subscripts.
fn element(c: &C<'_>, touched: &Touched, at: &[Expr]) -> String {
    let name = &touched.name;
    let Some((first, rest)) = at.split_first() else { return format!("&{name}") };
    if touched.linear.is_empty() {
        let subscripts = at.iter().map(|e| c.widely(!is_plain(e), || c.expr(e)).text);
        return format!("&{}", element_text(name, &subscripts.collect::<Vec<String>>()));
    }
    let subscript = c.widely(true, || {
        let steps = touched.linear.iter().zip(rest);
        steps.fold(c.expr(first), |sum, (extent, next)| {
            let row = sum.within(Binding::Product);
            let extent = c.expr(extent).within(Binding::Unary);
            let next = c.expr(next).within(Binding::Product);
            Text::new(format!("{row} * {extent} + {next}"), Binding::Sum)
        })
    });
    format!("&{}", element_text(name, &[subscript.text]))
}

/// Whether an expression is a number, or a parameter and a number, so that it is what the source computes, too.
pub(crate) fn is_plain(e: &Expr) -> bool {
    matches!(e.terms(), [] | [(Term::Param(_), 1)])
}

/// Whether a condition compares parameters with numbers alone.
pub(crate) fn is_plain_cond(cond: &Cond) -> bool {
    match cond {
        Cond::Zero(e) | Cond::NonNegative(e) => {
            matches!(e.terms(), [] | [(Term::Param(_), 1 | -1)])
        }
        Cond::All(parts) | Cond::Any(parts) => parts.iter().all(is_plain_cond),
    }
}
