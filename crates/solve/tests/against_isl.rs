//! Our solver and isl's give the same answer on random systems.

mod common;

use farkas_base::{Budget, Id};
use farkas_solve::{IslLexmin, Lexmin, Outcome, Problem, Row, RowKind, Solver, VarIdx};

/// What isl may spend on a random system.
const ISL_WORK: u64 = 20_000_000;

#[test]
fn agrees_with_isl_on_random_systems() {
    let mut random = common::Random::new(20_240_229);
    let (mut n_compared, mut n_infeasible) = (0, 0);
    for _ in 0..3_000 {
        let problem = common::system(&mut random);
        let ours = Lexmin::from(problem.clone())
            .minimize(&Budget::new(200_000))
            .expect("ours does not fail");
        let isl = IslLexmin::from(problem.clone())
            .minimize(&Budget::new(ISL_WORK))
            .expect("isl does not fail");
        if ours == Outcome::OutOfBudget || isl == Outcome::OutOfBudget {
            continue;
        }
        assert_eq!(ours, isl, "\n{problem}");
        n_compared += 1;
        n_infeasible += usize::from(ours == Outcome::Infeasible);
    }
    assert!(n_compared > 2_900, "only {n_compared} compared");
    assert!(
        (300..2_000).contains(&n_infeasible),
        "{n_infeasible} infeasible: the mix has lost its variety"
    );
}

/// A system far beyond 64 bits at the pivots, and one at their limit.
fn large(random: &mut common::Random) -> Problem {
    let mut problem = Problem::new(3);
    for _ in 0..3 {
        let terms: Vec<_> =
            problem.vars().map(|var| (var, random.within(-(1 << 60), 1 << 60))).collect();
        let row = Row::from_terms(terms, random.within(-(1 << 60), 1 << 20));
        problem.add_row(RowKind::Inequality, row).expect("the variables exist");
    }
    problem
}

#[test]
fn agrees_with_isl_on_large_coefficients() {
    let mut random = common::Random::new(7);
    let (mut n_compared, mut n_widenings) = (0, 0);
    for _ in 0..200 {
        let problem = large(&mut random);
        let mut lexmin = Lexmin::from(problem.clone());
        let ours = lexmin.minimize(&Budget::new(20_000));
        let isl = IslLexmin::from(problem.clone()).minimize(&Budget::new(ISL_WORK));
        if ours == Ok(Outcome::OutOfBudget) || isl == Ok(Outcome::OutOfBudget) {
            continue;
        }
        assert_eq!(ours, isl, "\n{problem}");
        n_compared += 1;
        n_widenings += lexmin.stats().n_widenings;
    }
    assert!(n_compared > 150 && n_widenings > 10, "{n_compared} compared, {n_widenings} widenings");
}

#[test]
fn back_ends_are_interchangeable() {
    let x = VarIdx::from_index(0);
    let solvers: [Box<dyn Solver>; 2] = [Box::new(Lexmin::new(1)), Box::new(IslLexmin::new(1))];
    for mut solver in solvers {
        let budget = Budget::new(100_000);
        solver
            .add_inequality(Row::new().with(x, 3).with_constant(-4))
            .expect("the variable exists");
        solver.push();
        let y = solver.add_var();
        solver.add_equality(Row::new().with(y, 2).with(x, -1)).expect("the variables exist");
        assert_eq!(solver.minimize(&budget), Ok(Outcome::Solution([2, 1].into_iter().collect())));
        solver
            .add_inequality(Row::new().with(x, -1).with_constant(1))
            .expect("the variable exists");
        assert_eq!(solver.minimize(&budget), Ok(Outcome::Infeasible));
        solver.pop().expect("pushed above");
        assert_eq!(solver.minimize(&budget), Ok(Outcome::Solution([2].into_iter().collect())));
        assert!(solver.pop().is_err());
    }
}

/// Which of some things, each of which may be taken once, make half of the sum of all in two measures.
fn halves(n_vars: usize) -> Problem {
    let mut random = common::Random::new(1);
    let mut problem = Problem::new(n_vars);
    for _ in 0..2 {
        let sizes: Vec<i64> = (0..n_vars).map(|_| random.within(1, 100)).collect();
        let row = Row::from_terms(problem.vars().zip(sizes.iter().copied()), 0);
        let half = sizes.iter().sum::<i64>() / 2;
        problem.add_row(RowKind::Equality, row.with_constant(-half)).expect("the variables exist");
    }
    for var in problem.vars() {
        let at_most_once = Row::new().with(var, -1).with_constant(1);
        problem.add_row(RowKind::Inequality, at_most_once).expect("the variable exists");
    }
    problem
}

#[test]
fn isl_stops_where_its_budget_ends() {
    let problem = halves(24);
    for work in [0, 1, 1_000, 100_000, 2_000_000] {
        let budget = Budget::new(work);
        let outcome = IslLexmin::from(problem.clone()).minimize(&budget);
        assert_eq!((outcome, budget.spent()), (Ok(Outcome::OutOfBudget), work));
    }
    // One budget serves several calls: the work of those that end counts, too.
    let (problem, budget) = (halves(4), Budget::new(100_000));
    let mut n_answers = 0;
    while IslLexmin::from(problem.clone()).minimize(&budget) != Ok(Outcome::OutOfBudget) {
        n_answers += 1;
    }
    assert!((2..100).contains(&n_answers), "{n_answers} answers");
    assert_eq!(budget.spent(), 100_000);
}
