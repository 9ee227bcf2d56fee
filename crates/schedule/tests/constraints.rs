//! Constraints of the user's keep their word: a row keeps them, or an error or a warning names them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::kernels;
use farkas_base::Id;
use farkas_deps::{DependenceOptions, dependences};
use farkas_schedule::{
    Coefficient, Config, ConfigConstraint, ConfigTerm, Configured, CostChoice, Dimension, Error,
    Fallback, FusionHeuristic, FusionRule, Origin, ScheduleOptions, Scheduled, UserVariable,
    Warning, schedule,
};
use farkas_scop::StmtId;
use farkas_solve::RowKind;
use support::check;

/// Two nests without anything in common.
const APART: &str = "
    params n : n >= 1
    S0[i, j] : 0 <= i < n and 0 <= j < n @ 0, i, j : w A[i, j]
    S1[i, j] : 0 <= i < n and 0 <= j < n @ 1, i, j : w B[i, j]";

/// What one nest makes, the next one sums up.
const CHAIN: &str = "
    params n : n >= 1
    S0[i, j] : 0 <= i < n and 0 <= j < n @ 0, i, j : w A[i, j]
    S1[i, j] : 0 <= i < n and 1 <= j < n @ 1, i, j : r A[i, j], r B[i, j - 1], w B[i, j]";

/// The last iteration of each loop is needed by the first of the other nest: nothing can be shared.
const UNFUSIBLE: &str = "
    params n : n >= 1
    S0[i, j] : 0 <= i < n and 0 <= j < n @ 0, i, j : w A[i, j]
    S1[i, j] : 0 <= i < n and 0 <= j < n @ 1, i, j : r A[n - 1 - i, n - 1 - j], w B[i, j]";

fn stmt(number: usize) -> StmtId {
    StmtId::from_index(number)
}

fn it(number: usize, iterator: usize) -> ConfigTerm {
    ConfigTerm::Coefficient(stmt(number), Coefficient::Iterator(iterator))
}

fn cst(number: usize) -> ConfigTerm {
    ConfigTerm::Coefficient(stmt(number), Coefficient::Constant)
}

fn constraint(
    dimension: Dimension,
    kind: RowKind,
    terms: &[(ConfigTerm, i64)],
    constant: i64,
    origin: usize,
) -> ConfigConstraint {
    ConfigConstraint { dimension, kind, terms: terms.to_vec(), constant, origin }
}

/// The sum of all iterators of both statements is at most one.
fn at_most_one(dimension: Dimension) -> ConfigConstraint {
    let terms = [(it(0, 0), -1), (it(0, 1), -1), (it(1, 0), -1), (it(1, 1), -1)];
    constraint(dimension, RowKind::Inequality, &terms, 1, 0)
}

fn with(constraints: Vec<ConfigConstraint>) -> Config {
    Config { constraints, ..Config::default() }
}

/// The checked schedule.
fn kept(text: &str, config: Config) -> Scheduled {
    let scop = common::scop(text);
    let mut strategy = Configured::new(config, &scop).unwrap();
    check(&scop, &mut strategy, &ScheduleOptions::default())
}

/// The error.
fn refused(text: &str, config: Config) -> Error {
    let scop = common::scop(text);
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let mut strategy = Configured::new(config, &scop).unwrap();
    schedule(&scop, &deps, &mut strategy, &ScheduleOptions::default()).unwrap_err()
}

/// The constraints that a conflict names, ascending.
fn named(error: Error) -> Vec<usize> {
    let Error::Conflict { origins, .. } = error else { panic!("{error}") };
    let numbers = origins.into_iter().map(|origin| match origin {
        Origin::Constraint(number) => number,
        Origin::Directive(number) => panic!("directive {number}"),
    });
    numbers.collect()
}

#[test]
fn a_distance_between_nests_is_a_reason_to_fuse_them() {
    let apart = |distance: i64| {
        let terms = [(cst(1), 1), (cst(0), -1)];
        with(vec![constraint(Dimension::At(0), RowKind::Equality, &terms, -distance, 0)])
    };
    for text in [APART, CHAIN] {
        let scheduled = kept(text, apart(3));
        let first = &scheduled.report.rows[0];
        assert_eq!((first.dimension, first.stmts.len()), (0, 2), "{}", scheduled.report);
        assert_eq!(first.rows[1].constant - first.rows[0].constant, 3);
        // One nest after the other has the distance one.
        assert_eq!(kept(text, apart(1)).report.sequences[0].dimension, 0);
    }
}

#[test]
fn a_coefficient_in_the_outermost_row_is_a_reason_to_fuse() {
    let three = constraint(Dimension::At(0), RowKind::Equality, &[(it(1, 0), 1)], -3, 0);
    let scheduled = kept(kernels::GEMM, with(vec![three]));
    let first = &scheduled.report.rows[0];
    assert_eq!((first.dimension, first.stmts.len()), (0, 2), "{}", scheduled.report);
    assert_eq!(first.rows[1].iterators[0], 3);
}

#[test]
fn what_no_common_row_keeps_is_an_error_with_its_dependences() {
    let three = constraint(Dimension::At(0), RowKind::Equality, &[(it(1, 0), 1)], -3, 0);
    let error = refused(UNFUSIBLE, with(vec![three.clone()]));
    assert!(matches!(&error, Error::Conflict { dimension: 0, deps, .. } if !deps.is_empty()));
    assert_eq!(named(error), [0]);
    // With the fallback that drops constraints it is a warning.
    let fallbacks = Fallback::USUAL.into_iter().chain([Fallback::DropConstraints]).collect();
    let scheduled = kept(UNFUSIBLE, Config { fallbacks, ..with(vec![three]) });
    let dropped = |warning: &&Warning| matches!(warning, Warning::ConstraintsDropped { dimension: 0, origins, .. } if origins == &[0]);
    assert_eq!(scheduled.report.warnings.iter().filter(dropped).count(), 1);
}

#[test]
fn the_users_own_distribution_does_not_give_way() {
    let terms = [(cst(1), 1), (cst(0), -1)];
    let far = constraint(Dimension::At(0), RowKind::Equality, &terms, -3, 0);
    let rule = |dimension| FusionRule { dimension, total_distribution: true, groups: vec![] };
    for dimension in [Dimension::At(0), Dimension::Default] {
        let config = Config { fusion: vec![rule(dimension)], ..with(vec![far.clone()]) };
        assert_eq!(named(refused(APART, config)), [0]);
    }
}

#[test]
fn a_sequence_may_be_what_is_asked_for() {
    // No iterator in the outermost row: it puts one nest behind the other.
    let none = |at: usize| {
        let terms = [(it(at, 0), 1), (it(at, 1), 1)];
        constraint(Dimension::At(0), RowKind::Equality, &terms, 0, at)
    };
    let max = Config { heuristic: FusionHeuristic::Max, ..with(vec![none(0), none(1)]) };
    let scheduled = kept(CHAIN, max);
    assert_eq!(scheduled.report.sequences[0].dimension, 0);
    assert!(scheduled.report.rows.iter().all(|row| row.dimension > 0), "{}", scheduled.report);
}

#[test]
fn conflicts_across_components_are_irreducible() {
    let harmless = constraint(Dimension::Default, RowKind::Inequality, &[(it(0, 0), -1)], 7, 1);
    for text in [APART, CHAIN, UNFUSIBLE] {
        for heuristic in [FusionHeuristic::Smart, FusionHeuristic::Max, FusionHeuristic::No] {
            let constraints = vec![at_most_one(Dimension::Default), harmless.clone()];
            let error = refused(text, Config { heuristic, ..with(constraints) });
            assert_eq!(named(error), [0], "{heuristic:?}: {text}");
        }
    }
}

#[test]
fn a_variable_ties_components_together() {
    let x = ConfigTerm::Variable(0);
    let sum = [(x, 1), (it(0, 0), -1), (it(0, 1), -1), (it(1, 0), -1), (it(1, 1), -1)];
    let config = |most| Config {
        variables: vec![UserVariable { name: "x".into(), is_signed: false }],
        costs: vec![(Dimension::Default, vec![CostChoice::Proximity, CostChoice::Variable(0)])],
        ..with(vec![
            constraint(Dimension::Default, RowKind::Inequality, &[(x, -1)], most, 0),
            constraint(Dimension::Default, RowKind::Inequality, &sum, 0, 1),
        ])
    };
    for text in [APART, CHAIN] {
        assert_eq!(named(refused(text, config(1))), [0, 1]);
        assert!(kept(text, config(2)).report.warnings.is_empty());
    }
}

#[test]
fn a_row_that_is_not_there_keeps_nothing_but_zeros() {
    let on = |at, constant| {
        with(vec![constraint(Dimension::At(at), RowKind::Equality, &[(it(1, 0), 1)], constant, 0)])
    };
    let error = refused(CHAIN, on(7, -3));
    let expected = Origin::Constraint(0);
    assert!(
        matches!(error, Error::Unkept { dimension: 7, is_missing: true, origin, .. } if origin == expected)
    );
    assert!(kept(CHAIN, on(7, 0)).report.warnings.is_empty());
}

/// However early the work ends, a constraint that the original order may break is named.
#[test]
fn the_original_order_names_the_constraints_that_it_may_break() {
    let scop = common::scop(CHAIN);
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let skewed = constraint(Dimension::Default, RowKind::Inequality, &[(it(1, 0), 1)], -2, 0);
    for max_solver_work in [0, 1, 20, 50] {
        let mut strategy = Configured::new(with(vec![skewed.clone()]), &scop).unwrap();
        let options = ScheduleOptions { max_solver_work, ..ScheduleOptions::default() };
        match schedule(&scop, &deps, &mut strategy, &options) {
            Ok(scheduled) => {
                let is_named = |warning: &Warning| matches!(warning, Warning::ConstraintsDropped { origins, .. } if origins == &[0]);
                assert!(scheduled.report.warnings.iter().any(is_named), "{}", scheduled.report);
            }
            Err(error) => assert_eq!(named(error), [0]),
        }
    }
}
