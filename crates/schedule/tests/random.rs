//! Random scops: every heuristic gives a legal schedule, both solvers the same.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::random::{Random, scop_text};
use farkas_schedule::{
    Config, Configured, CostChoice, Dimension, FusionHeuristic, Isl, IslListing2, IslOptions,
    Pluto, ScheduleOptions, SolverChoice, Strategy, Warning,
};
use farkas_scop::Scop;
use support::check;

/// Random scops without kills: a read whose value was killed depends on nothing, which the legality check, being
/// sufficient only, does not accept.
fn scops(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (String, Scop)> {
    let texts = seeds.map(|seed| scop_text(&mut Random::new(seed)));
    texts.filter(|text| !text.contains(" k ")).map(|text| (text.clone(), common::scop(&text)))
}

#[test]
fn random_scops_get_legal_schedules() {
    for (text, scop) in scops(0..400) {
        use FusionHeuristic::{Cluster, Max, No, Smart};
        for fusion in [Smart, Max, No, Cluster] {
            let run = |solver| {
                let options = ScheduleOptions { solver, ..ScheduleOptions::default() };
                check(&scop, &mut Pluto::new(fusion), &options)
            };
            let ours = run(SolverChoice::Ours);
            let isl = run(SolverChoice::Isl);
            assert_eq!(ours.tree, isl.tree, "{fusion:?}:\n{text}");
            assert_eq!(ours.report, isl.report, "{fusion:?}:\n{text}");
        }
    }
}

/// A strategy that is made anew for each scop.
type Make = fn(&Scop) -> Box<dyn Strategy>;

/// A strategy from data.
fn configured(scop: &Scop, config: Config) -> Box<dyn Strategy> {
    Box::new(Configured::new(config, scop).unwrap())
}

/// The costs of all dimensions.
fn costs(choices: &[CostChoice]) -> Vec<(Dimension, Vec<CostChoice>)> {
    vec![(Dimension::Default, choices.to_vec())]
}

#[test]
#[ignore = "long"]
fn random_scops_under_other_strategies() {
    let strategies: [Make; 11] = [
        |_| Box::new(Isl::default()),
        |_| Box::new(Isl::new(IslOptions { maximize_coincidence: true, ..IslOptions::default() })),
        |_| Box::new(IslListing2::new(FusionHeuristic::Cluster)),
        |scop| {
            let config = Config {
                negative_coefficients: true,
                parametric_shift: true,
                heuristic: FusionHeuristic::Cluster,
                auto_vectorization: true,
                ..Config::default()
            };
            configured(scop, config)
        },
        |_| Box::new(Isl::new(IslOptions { feautrier: true, ..IslOptions::default() })),
        |_| {
            Box::new(Isl::new(IslOptions {
                fusion: FusionHeuristic::Max,
                outer_coincidence: true,
                max_coefficient: Some(2),
                max_constant_term: Some(5),
                ..IslOptions::default()
            }))
        },
        |_| Box::new(IslListing2::new(FusionHeuristic::Smart)),
        |scop| {
            let config = Config {
                negative_coefficients: true,
                parametric_shift: true,
                heuristic: FusionHeuristic::Max,
                ..Config::default()
            };
            configured(scop, config)
        },
        |scop| configured(scop, Config { auto_vectorization: true, ..Config::default() }),
        |scop| {
            let costs = costs(&[CostChoice::Feautrier]);
            configured(scop, Config { costs, ..Config::default() })
        },
        |scop| {
            let costs = costs(&[CostChoice::Contiguity, CostChoice::BigLoopsFirst]);
            configured(scop, Config { costs, ..Config::default() })
        },
    ];
    for (text, scop) in scops(0..150) {
        for (number, make) in strategies.iter().enumerate() {
            let run = |solver| {
                let options = ScheduleOptions { solver, ..ScheduleOptions::default() };
                check(&scop, make(&scop).as_mut(), &options)
            };
            let (ours, isl) = (run(SolverChoice::Ours), run(SolverChoice::Isl));
            let is_cut = |w: &Warning| matches!(w, Warning::OutOfBudget { .. });
            if ![&ours, &isl].iter().any(|s| s.report.warnings.iter().any(is_cut)) {
                assert_eq!(ours.tree, isl.tree, "strategy {number}:\n{text}");
            }
        }
    }
}

#[test]
fn a_tiny_budget_still_gives_a_legal_schedule() {
    for (_, scop) in scops(0..40) {
        for max_solver_work in [0, 1, 20, 100] {
            let options = ScheduleOptions {
                max_solver_work,
                max_isl_operations: 5,
                ..ScheduleOptions::default()
            };
            check(&scop, &mut Pluto::default(), &options);
        }
    }
}
