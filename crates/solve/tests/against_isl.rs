//! Our solver and isl's give the same answer on random systems.

mod common;

use farkas_base::Budget;
use farkas_solve::{IslLexmin, Lexmin, Outcome, Solver};

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
