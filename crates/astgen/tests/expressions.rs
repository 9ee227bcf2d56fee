//! The affine simplifier: what it builds has the value of what was asked for, and reads well.

#![allow(missing_docs, reason = "tests")]

use farkas_astgen::{Cond, Division, Expr};
use proptest::prelude::*;

/// What was asked for.
#[derive(Clone, Debug)]
enum Op {
    Int(i64),
    Var(usize),
    Plus(Box<Op>, Box<Op>),
    Minus(Box<Op>, Box<Op>),
    Times(Box<Op>, i64),
    Quotient(Box<Op>, i64),
    Undone(Box<Op>, i64),
    Remainder(Box<Op>, i64),
    Min(Vec<Op>),
    Max(Vec<Op>),
    Select(Box<Op>, Box<Op>, Box<Op>),
}

const NAMES: [&str; 3] = ["i", "j", "n"];

fn build(op: &Op) -> Expr {
    let all = |ops: &[Op]| ops.iter().map(build).collect();
    match op {
        Op::Int(value) => Expr::int(*value),
        Op::Var(2) => Expr::param(NAMES[2]),
        Op::Var(at) => Expr::iterator(NAMES[*at]),
        Op::Plus(a, b) => build(a).plus(&build(b)),
        Op::Minus(a, b) => build(a).minus(&build(b)),
        Op::Times(a, factor) => build(a).times(*factor),
        Op::Quotient(a, d) => build(a).quotient(*d, Division::Floor),
        Op::Undone(a, d) => build(a).times(*d).quotient(*d, Division::Exact),
        Op::Remainder(a, d) => build(a).remainder(*d, Division::Floor),
        Op::Min(ops) => Expr::min(all(ops)),
        Op::Max(ops) => Expr::max(all(ops)),
        Op::Select(c, a, b) => {
            Expr::select(Cond::at_least(&build(c), &Expr::int(0)), build(a), build(b))
        }
    }
}

fn value(op: &Op, at: &[i64; 3]) -> i64 {
    let all = |ops: &[Op]| ops.iter().map(|o| value(o, at)).collect::<Vec<_>>();
    match op {
        Op::Int(value) => *value,
        Op::Var(i) => at[*i],
        Op::Plus(a, b) => value(a, at) + value(b, at),
        Op::Minus(a, b) => value(a, at) - value(b, at),
        Op::Times(a, factor) => value(a, at) * factor,
        Op::Quotient(a, d) => value(a, at).div_euclid(*d),
        Op::Undone(a, _) => value(a, at),
        Op::Remainder(a, d) => value(a, at).rem_euclid(*d),
        Op::Min(ops) => all(ops).into_iter().min().unwrap(),
        Op::Max(ops) => all(ops).into_iter().max().unwrap(),
        Op::Select(c, a, b) => value(if value(c, at) >= 0 { a } else { b }, at),
    }
}

fn ops() -> impl Strategy<Value = Op> {
    let leaf = prop_oneof![(-9i64..10).prop_map(Op::Int), (0usize..3).prop_map(Op::Var)];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            (boxed(), boxed()).prop_map(|(a, b)| Op::Plus(a, b)),
            (boxed(), boxed()).prop_map(|(a, b)| Op::Minus(a, b)),
            (boxed(), -4i64..5).prop_map(|(a, f)| Op::Times(a, f)),
            (boxed(), 1i64..7).prop_map(|(a, d)| Op::Quotient(a, d)),
            (boxed(), 1i64..7).prop_map(|(a, d)| Op::Undone(a, d)),
            (boxed(), 1i64..7).prop_map(|(a, d)| Op::Remainder(a, d)),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Op::Min),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Op::Max),
            (boxed(), boxed(), boxed()).prop_map(|(c, a, b)| Op::Select(c, a, b)),
        ]
    })
}

fn env(at: [i64; 3]) -> impl Fn(&str) -> Option<i64> {
    move |name| NAMES.iter().position(|n| *n == name).map(|i| at[i])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn simplifying_keeps_values(op in ops(), at in prop::array::uniform3(-30i64..31)) {
        prop_assert_eq!(build(&op).eval(&env(at)), Some(value(&op, &at)));
    }

    #[test]
    fn no_text_decrements(op in ops()) {
        prop_assert!(!build(&op).to_string().contains("--"));
        prop_assert!(!build(&op).times(-1).to_string().contains("--"));
    }

    #[test]
    fn substituting_keeps_values(op in ops(), by in ops(), at in prop::array::uniform3(-30i64..31)) {
        let replaced = build(&op).substitute(&|name| (name == "i").then(|| build(&by)));
        let inner = [value(&by, &at), at[1], at[2]];
        prop_assert_eq!(replaced.eval(&env(at)), Some(value(&op, &inner)));
    }

    #[test]
    fn conditions_keep_values(a in ops(), b in ops(), at in prop::array::uniform3(-30i64..31)) {
        let (left, right) = (build(&a), build(&b));
        let (x, y) = (value(&a, &at), value(&b, &at));
        prop_assert_eq!(Cond::at_least(&left, &right).eval(&env(at)), Some(x >= y));
        prop_assert_eq!(Cond::at_most(&left, &right).eval(&env(at)), Some(x <= y));
        prop_assert_eq!(Cond::equal(&left, &right).eval(&env(at)), Some(x == y));
        let both = Cond::all(vec![Cond::at_least(&left, &right), Cond::equal(&left, &right)]);
        prop_assert_eq!(both.eval(&env(at)), Some(x == y));
        let one = Cond::any(vec![Cond::at_least(&left, &right), Cond::at_most(&left, &right)]);
        prop_assert_eq!(one.eval(&env(at)), Some(true));
    }
}

fn i() -> Expr {
    Expr::iterator("i")
}

fn n() -> Expr {
    Expr::param("n")
}

#[track_caller]
fn check(expr: &Expr, expect: &str) {
    assert_eq!(expr.to_string(), expect);
}

#[test]
fn sums_read_well() {
    check(&i().offset(-1), "i - 1");
    check(&i().minus(&Expr::iterator("t").times(2)).offset(1), "i - 2 * t + 1");
    check(&n().times(-1).plus(&i()), "i - n");
    check(&i().times(-1).offset(5), "5 - i");
    check(&i().times(-1).offset(-5), "-i - 5");
    check(&i().times(-2), "-2 * i");
    check(&i().minus(&i()), "0");
    check(&Expr::int(-3), "-3");
}

#[test]
fn divisions_shrink() {
    check(&i().times(4).offset(6).quotient(2, Division::Floor), "2 * i + 3");
    check(&i().times(4).offset(7).quotient(8, Division::Floor), "floord(i + 1, 2)");
    check(&n().plus(&i().times(32)).quotient(32, Division::Floor), "i + floord(n, 32)");
    check(&n().offset(31).quotient(32, Division::Truncating), "(n + 31) / 32");
    check(&i().quotient(32, Division::Exact).times(64).offset(1), "2 * i + 1");
    let exact = |e: &Expr, d| e.quotient(d, Division::Exact);
    check(&exact(&exact(&i(), 32).times(-1), 16).offset(-1), "-i / 512 - 1");
    check(&exact(&exact(&i(), 4).plus(&n()), 3), "(4 * n + i) / 12");
    check(&exact(&n().minus(&i().times(3)), 2).times(-1), "-(n - 3 * i) / 2");
    check(&i().times(-1).quotient(8, Division::Truncating).times(-1), "-(-i / 8)");
    check(&i().times(6).offset(7).remainder(3, Division::Floor), "1");
}

/// What isl makes of the iterators of loops that became one reads as remainders of quotients.
#[test]
fn quotients_become_remainders() {
    let rounded = |d: i64| i().times(d - 1).offset(d - 1).quotient(d, Division::Truncating);
    check(&i().minus(&rounded(20)), "i / 20");
    check(&rounded(20).times(4).minus(&i().times(3)).minus(&rounded(5)), "i / 5 % 4");
    let quotient = |d: i64| i().quotient(d, Division::Floor);
    check(&quotient(12).times(8).minus(&quotient(3).times(2)), "-2 * mod(floord(i, 3), 4)");
    check(&quotient(3).minus(&quotient(12)), "floord(i, 3) - floord(i, 12)");
    check(&i().offset(1).quotient(2, Division::Truncating), "(i + 1) / 2");
    let down = i().times(-1).offset(20).remainder(7, Division::Truncating);
    check(&Expr::int(6).minus(&down), "i % 7");
}

/// A macro writes its arguments out twice, so that each level of calls doubles the text.
#[test]
fn calls_of_choices_are_nested_in_halves() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let choice = Expr::max(names.iter().map(|name| Expr::param(*name)).collect());
    check(&choice, "max(max(max(a, b), max(c, d)), max(max(e, f), max(g, h)))");
}

#[test]
fn choices_drop_what_is_dominated() {
    let (a, b) = (n(), i().offset(32));
    check(&Expr::min(vec![a.clone(), b.clone(), a.offset(3)]), "min(n, i + 32)");
    check(&Expr::max(vec![a.clone(), a.offset(3)]), "n + 3");
    check(&Expr::min(vec![a.clone(), b.clone()]).offset(-1), "min(n - 1, i + 31)");
    check(&Expr::min(vec![a.clone(), b.clone()]).times(-1), "max(-n, -i - 32)");
    check(&Expr::min(vec![Expr::min(vec![a.clone(), b]), Expr::int(5)]), "min(5, min(n, i + 32))");
    check(&Expr::min(vec![a]), "n");
}

#[test]
fn conditions_read_well() {
    let check = |cond: Cond, expect: &str| assert_eq!(cond.to_string(), expect);
    check(Cond::at_least(&n(), &i().offset(1)), "i < n");
    check(Cond::at_least(&i(), &n()), "i >= n");
    check(Cond::at_least(&i().times(2), &Expr::int(3)), "i >= 2");
    check(Cond::at_least(&Expr::int(7), &i().times(2)), "i <= 3");
    check(Cond::equal(&i().times(2), &n().times(2)), "i == n");
    check(Cond::equal(&i().times(2), &Expr::int(3)), "0");
    check(Cond::at_least(&i().quotient(2, Division::Exact), &n()), "i >= 2 * n");
    let either = Cond::any(vec![Cond::equal(&i(), &n()), Cond::at_least(&i(), &Expr::int(9))]);
    check(either.clone(), "i == n || i >= 9");
    check(
        Cond::all(vec![either, Cond::at_least(&n(), &Expr::int(1))]),
        "(i == n || i >= 9) && n >= 1",
    );
}

#[test]
fn overflow_is_not_a_small_number() {
    let huge = Expr::int(i64::MAX - 1);
    assert_eq!(huge.offset(5).as_int(), Some(i64::MAX));
    assert_eq!(huge.offset(5).offset(-i64::MAX).as_int(), Some(i64::MAX));
}
