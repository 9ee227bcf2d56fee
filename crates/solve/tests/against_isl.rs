//! Our solver and isl's give the same answer on random systems.

mod common;

use farkas_base::{Budget, Id};
use farkas_solve::{IslLexmin, Lexmin, Outcome, Row, Solver, VarIdx};

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
            .minimize(&Budget::new(200_000))
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
fn large(random: &mut common::Random) -> farkas_solve::Problem {
    let mut problem = farkas_solve::Problem::new(3);
    for _ in 0..3 {
        let terms: Vec<_> =
            problem.vars().map(|var| (var, random.within(-(1 << 60), 1 << 60))).collect();
        let row = Row::from_terms(terms, random.within(-(1 << 60), 1 << 20));
        problem.add_row(farkas_solve::RowKind::Inequality, row).expect("the variables exist");
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
        let isl = IslLexmin::from(problem.clone()).minimize(&Budget::new(200_000));
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
