//! The solver against enumeration of small boxes, and laws that hold for every system.

use farkas_base::{Budget, Id, IdVec};
use farkas_solve::{Lexmin, Outcome, Problem, Row, RowKind, Solver, VarIdx};
use proptest::prelude::*;

/// The largest value that the enumeration tries.
const BOX: i64 = 4;

/// Coefficients, constant, whether an equality.
type PlainRow = (Vec<i64>, i64, bool);

/// A row from its plain form.
fn row_of(plain: &PlainRow) -> (RowKind, Row) {
    let terms = plain.0.iter().enumerate().map(|(i, &c)| (VarIdx::from_index(i), c));
    let kind = if plain.2 { RowKind::Equality } else { RowKind::Inequality };
    (kind, Row::from_terms(terms, plain.1))
}

/// The solver with `rows` over `n_vars` variables, each at most [`BOX`].
fn boxed(n_vars: usize, rows: &[PlainRow]) -> Lexmin {
    let mut lexmin = Lexmin::new(n_vars);
    for var in lexmin.problem().vars() {
        lexmin
            .add_inequality(Row::new().with(var, -1).with_constant(BOX))
            .expect("the variable exists");
    }
    for plain in rows {
        let (kind, row) = row_of(plain);
        lexmin.add_row(kind, row).expect("the variables exist");
    }
    lexmin
}

/// The smallest point of the box that satisfies `problem`, by trying all in lexicographic order.
fn enumerate(problem: &Problem) -> Outcome {
    let n = problem.n_vars();
    let mut point = vec![0; n];
    loop {
        let candidate: IdVec<VarIdx, i64> = point.iter().copied().collect();
        if problem.check(&candidate).is_ok() {
            return Outcome::Solution(candidate);
        }
        let Some(last) = (0..n).rev().find(|&i| point[i] < BOX) else { return Outcome::Infeasible };
        point[last] += 1;
        point[last + 1..].fill(0);
    }
}

/// The solver's answer.
fn solve(lexmin: &mut Lexmin) -> Outcome {
    lexmin.minimize(&Budget::new(10_000_000)).expect("the back end does not fail")
}

/// Rows with coefficients up to `size` over `n_vars` variables.
fn rows(n_vars: usize, size: i64) -> impl Strategy<Value = Vec<PlainRow>> {
    let row = (
        prop::collection::vec(-size..=size, n_vars),
        -2 * size..=2 * size,
        prop::bool::weighted(0.2),
    );
    prop::collection::vec(row, 0..7)
}

/// A number of variables, and rows over them.
fn systems() -> impl Strategy<Value = (usize, Vec<PlainRow>)> {
    (0..5usize, 1..6i64).prop_flat_map(|(n, size)| rows(n, size).prop_map(move |rows| (n, rows)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equals_enumeration((n, rows) in systems()) {
        let mut lexmin = boxed(n, &rows);
        prop_assert_eq!(solve(&mut lexmin), enumerate(lexmin.problem()), "{}", lexmin.problem());
    }

    #[test]
    fn the_order_of_rows_does_not_matter((n, mut rows) in systems()) {
        let forward = solve(&mut boxed(n, &rows));
        rows.reverse();
        prop_assert_eq!(forward, solve(&mut boxed(n, &rows)));
    }

    #[test]
    fn adding_after_a_solve_equals_adding_before((n, rows) in systems(), cut in 0..7usize) {
        let (first, second) = rows.split_at(cut.min(rows.len()));
        let mut warm = boxed(n, first);
        solve(&mut warm);
        for plain in second {
            let (kind, row) = row_of(plain);
            warm.add_row(kind, row).expect("the variables exist");
            solve(&mut warm);
        }
        prop_assert_eq!(solve(&mut warm), solve(&mut boxed(n, &rows)));
    }

    #[test]
    fn pop_takes_everything_back((n, rows) in systems(), (cut, solved) in (0..7usize, any::<bool>())) {
        let (first, second) = rows.split_at(cut.min(rows.len()));
        let mut lexmin = boxed(n, first);
        if solved {
            solve(&mut lexmin);
        }
        lexmin.push();
        let extra = lexmin.add_var();
        lexmin.add_inequality(Row::new().with(extra, 1).with_constant(-1)).expect("the variable exists");
        for plain in second {
            let (kind, row) = row_of(plain);
            lexmin.add_row(kind, row).expect("the variables exist");
        }
        solve(&mut lexmin);
        lexmin.pop().expect("pushed above");
        prop_assert_eq!(solve(&mut lexmin), solve(&mut boxed(n, first)));
    }

    #[test]
    fn a_small_budget_only_delays((n, rows) in systems()) {
        let mut steps = boxed(n, &rows);
        let mut outcome = Outcome::OutOfBudget;
        for _ in 0..10_000 {
            outcome = steps.minimize(&Budget::new(20)).expect("the back end does not fail");
            if outcome != Outcome::OutOfBudget {
                break;
            }
        }
        prop_assert_eq!(outcome, solve(&mut boxed(n, &rows)));
    }

    #[test]
    fn a_redundant_row_changes_nothing((n, rows) in systems(), picks in prop::collection::vec(0..7usize, 2)) {
        let mut lexmin = boxed(n, &rows);
        let expected = solve(&mut lexmin);
        let mut sum = Row::new().with_constant(1);
        for plain in picks.iter().filter_map(|&pick| rows.get(pick)) {
            sum.add_scaled(1, &row_of(plain).1);
        }
        lexmin.add_inequality(sum).expect("the variables exist");
        prop_assert_eq!(solve(&mut lexmin), expected);
    }
}
