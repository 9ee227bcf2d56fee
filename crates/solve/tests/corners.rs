//! Systems at the edge: empty, degenerate, infeasible for integers only, with numbers that outgrow machine words.

use farkas_base::{Budget, Id};
use farkas_solve::{Lexmin, Outcome, Row, RowKind, SolveError, Solver, VarIdx};

use RowKind::{Equality, Inequality};

/// The variable `x` of index `index`.
fn var(index: usize) -> VarIdx {
    VarIdx::from_index(index)
}

/// The solver with rows given as kind, dense coefficients and constant.
fn system(n_vars: usize, rows: &[(RowKind, &[i64], i64)]) -> Lexmin {
    let mut lexmin = Lexmin::new(n_vars);
    for (kind, coefficients, constant) in rows {
        let terms = coefficients.iter().enumerate().map(|(i, &c)| (var(i), c));
        lexmin.add_row(*kind, Row::from_terms(terms, *constant)).expect("the variables exist");
    }
    lexmin
}

/// Solves and compares with `expect`, where `None` stands for infeasible.
fn check(n_vars: usize, rows: &[(RowKind, &[i64], i64)], expect: Option<&[i64]>) -> Lexmin {
    let mut lexmin = system(n_vars, rows);
    let outcome = lexmin.minimize(&Budget::new(1_000_000)).expect("the back end does not fail");
    let expect = expect
        .map_or(Outcome::Infeasible, |point| Outcome::Solution(point.iter().copied().collect()));
    assert_eq!(outcome, expect, "{}", lexmin.problem());
    lexmin
}

#[test]
fn no_rows_give_the_origin() {
    check(0, &[], Some(&[]));
    check(3, &[], Some(&[0, 0, 0]));
}

#[test]
fn rows_without_variables() {
    check(0, &[(Inequality, &[], 0), (Inequality, &[], 5), (Equality, &[], 0)], Some(&[]));
    check(0, &[(Inequality, &[], -1)], None);
    check(2, &[(Equality, &[0, 0], 3)], None);
}

#[test]
fn degenerate_rows_do_not_cycle() {
    let rows: &[(RowKind, &[i64], i64)] = &[
        (Inequality, &[1, -1, 0], 0),
        (Inequality, &[0, 1, -1], 0),
        (Inequality, &[-1, 0, 1], 0),
        (Inequality, &[1, 1, 1], -1),
        (Equality, &[1, -2, 1], 0),
    ];
    check(3, rows, Some(&[1, 1, 1]));
}

#[test]
fn infeasible_by_parity() {
    check(1, &[(Equality, &[2], -1)], None);
    check(2, &[(Equality, &[2, -4], -1)], None);
    check(2, &[(Inequality, &[2, -2], -1), (Inequality, &[-2, 2], 1)], None);
    check(3, &[(Equality, &[1, 1, 0], -3), (Equality, &[1, -1, -2], 0)], None);
}

#[test]
fn fractions_are_cut_away() {
    check(2, &[(Inequality, &[2, 2], -3)], Some(&[0, 2]));
    check(2, &[(Inequality, &[3, -1], -1), (Inequality, &[-1, 3], -1)], Some(&[1, 1]));
    check(3, &[(Equality, &[3, -5, 7], -1), (Inequality, &[0, 0, -1], 2)], Some(&[2, 1, 0]));
}

#[test]
fn unbounded_sets_have_a_minimum() {
    check(2, &[(Inequality, &[1, -1], -5)], Some(&[5, 0]));
    check(2, &[(Inequality, &[-1, 1], -5)], Some(&[0, 5]));
    check(2, &[(Inequality, &[-1, -1], -5)], None);
}

#[test]
fn equalities_alone() {
    check(3, &[(Equality, &[1, -1, -1], 0), (Equality, &[0, 1, -1], 2)], Some(&[2, 0, 2]));
    check(2, &[(Equality, &[1, -1], 0), (Equality, &[1, -1], 0), (Equality, &[1, -1], 1)], None);
}

#[test]
fn many_redundant_rows() {
    let mut lexmin = Lexmin::new(3);
    for k in 0..2_000 {
        let row =
            Row::new().with(var(k % 3), 1).with(var((k + 1) % 3), 2).with_constant(-(k as i64 % 7));
        lexmin.add_inequality(row).expect("the variables exist");
    }
    let outcome = lexmin.minimize(&Budget::new(1_000_000)).expect("the back end does not fail");
    assert_eq!(outcome, Outcome::Solution([0, 3, 6].into_iter().collect()));
}

#[test]
fn numbers_at_the_limit() {
    let max = i64::MAX;
    check(1, &[(Inequality, &[1], -max)], Some(&[max]));
    check(2, &[(Inequality, &[max, max - 1], i64::MIN)], Some(&[0, 2]));
    check(2, &[(Inequality, &[i64::MIN, max], -1)], Some(&[0, 1]));
    check(1, &[(Inequality, &[i64::MIN], i64::MIN)], None);
    check(1, &[(Equality, &[i64::MIN], i64::MIN)], None);
    check(2, &[(Equality, &[i64::MIN, max], 1)], Some(&[1, 1]));
}

#[test]
fn widening_to_any_size() {
    let big = 3_037_000_499;
    let rows: &[(RowKind, &[i64], i64)] = &[
        (Inequality, &[big, -(big - 2), 0, 0], -1),
        (Inequality, &[0, big, -(big - 4), 0], -1),
        (Inequality, &[0, 0, big, -(big - 6)], -1),
        (Inequality, &[-1, 0, 0, big], -5),
        (Inequality, &[-(big - 8), 3, 5, big - 2], -7),
    ];
    check(4, rows, Some(&[1, 1, 1, 1]));
    let max = i64::MAX;
    let mut lexmin = system(6, &[(Inequality, &[-max, -max, -max, -max, -max, max - 1], 0)]);
    for index in 0..5 {
        lexmin
            .add_inequality(Row::new().with(var(index), 1).with_constant(-(1 << 62)))
            .expect("the variable exists");
    }
    let outcome = lexmin.minimize(&Budget::unlimited());
    assert_eq!(outcome, Err(SolveError::ValueTooLarge { var: var(5) }));
    assert_eq!(lexmin.stats().n_widenings, 2);
}

#[test]
fn a_value_beyond_64_bits_is_an_error() {
    let mut lexmin = system(2, &[(Inequality, &[1, 0], -i64::MAX), (Inequality, &[-2, 1], 0)]);
    let outcome = lexmin.minimize(&Budget::unlimited());
    assert_eq!(outcome, Err(SolveError::ValueTooLarge { var: var(1) }));
}

#[test]
fn misuse_is_refused() {
    let mut lexmin = Lexmin::new(1);
    assert_eq!(lexmin.pop(), Err(SolveError::NothingPushed));
    let unknown = lexmin.add_inequality(Row::new().with(var(1), 1));
    assert_eq!(unknown, Err(SolveError::UnknownVar { var: var(1), n_vars: 1 }));
    let overflowed = Row::new().with(var(0), i64::MAX).with(var(0), 1);
    assert_eq!(lexmin.add_inequality(overflowed), Err(SolveError::CoefficientOverflow));
    let product = Row::from_products([(var(0), i64::MAX, 2)]);
    assert_eq!(lexmin.add_inequality(product), Err(SolveError::CoefficientOverflow));
    let mut product = Row::from_products([(var(0), 3, 2), (var(0), -6, 1)]);
    assert_eq!(product, Row::new());
    product.add_product(var(0), i64::MIN, -1);
    assert_eq!(lexmin.add_inequality(product), Err(SolveError::CoefficientOverflow));
    assert_eq!(lexmin.problem().n_rows(), 0);
}

#[test]
fn the_budget_ends_a_search_without_end() {
    let rows: &[(RowKind, &[i64], i64)] = &[
        (Inequality, &[0, 3, -3, 1], -1),
        (Inequality, &[0, -3, 3, -1], 2),
        (Equality, &[0, 0, 0, 1], 0),
    ];
    let mut lexmin = system(4, rows);
    let outcome = lexmin.minimize(&Budget::new(10_000)).expect("the back end does not fail");
    assert!(outcome.solution().is_none());
}

#[test]
fn snapshots_nest_and_survive_widening() {
    let budget = Budget::unlimited();
    let mut lexmin = system(2, &[(Inequality, &[1, 1], -3)]);
    let first = lexmin.minimize(&budget).expect("the back end does not fail");
    lexmin.push();
    lexmin
        .add_inequality(Row::new().with(var(0), 1).with_constant(-1))
        .expect("the variable exists");
    let second = lexmin.minimize(&budget).expect("the back end does not fail");
    lexmin.push();
    let big = Row::new().with(var(0), i64::MAX - 2).with(var(1), -i64::MAX).with_constant(-1);
    lexmin.add_inequality(big).expect("the variables exist");
    lexmin
        .add_inequality(Row::new().with(var(0), -i64::MAX).with(var(1), i64::MAX - 4))
        .expect("the variables exist");
    assert_eq!(lexmin.minimize(&budget), Ok(Outcome::Infeasible));
    lexmin.pop().expect("pushed above");
    assert_eq!(lexmin.minimize(&budget), Ok(second));
    lexmin.pop().expect("pushed above");
    assert_eq!(lexmin.minimize(&budget), Ok(first));
}

#[test]
fn a_solver_can_go_to_another_thread() {
    let mut lexmin = system(1, &[(Inequality, &[1], -2)]);
    let outcome = std::thread::spawn(move || lexmin.minimize(&Budget::unlimited())).join();
    assert_eq!(outcome.ok(), Some(Ok(Outcome::Solution([2].into_iter().collect()))));
}

#[test]
fn the_lp_text_names_everything() {
    let lexmin = system(2, &[(Equality, &[1, -3], 2), (Inequality, &[], -1)]);
    let text =
        lexmin.problem().to_lp(|var| if var.index() == 0 { "w".into() } else { "c_S_i".into() });
    let expect = "\\ lexicographic minimum, in the order of the variables under General
Minimize
 obj: w
Subject To
 r0: w - 3 c_S_i = -2
 r1: 0 w >= 1
General
 w c_S_i
End
";
    assert_eq!(text, expect);
}
