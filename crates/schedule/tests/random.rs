//! Random scops: every heuristic gives a legal schedule, both solvers the same.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::random::{Random, scop_text};
use farkas_schedule::{FusionHeuristic, Pluto, ScheduleOptions, SolverChoice};
use support::check;

#[test]
fn random_scops_get_legal_schedules() {
    for seed in 0..400 {
        let text = scop_text(&mut Random::new(seed));
        let scop = common::scop(&text);
        for fusion in [FusionHeuristic::Smart, FusionHeuristic::Max, FusionHeuristic::No] {
            let run = |solver| {
                let options = ScheduleOptions { solver, ..ScheduleOptions::default() };
                check(&scop, &mut Pluto::new(fusion), &options)
            };
            let ours = run(SolverChoice::Ours);
            let isl = run(SolverChoice::Isl);
            assert_eq!(ours.tree, isl.tree, "seed {seed}, {fusion:?}:\n{text}");
            assert_eq!(ours.report, isl.report, "seed {seed}, {fusion:?}:\n{text}");
        }
    }
}

#[test]
fn a_tiny_budget_still_gives_a_legal_schedule() {
    for seed in 0..40 {
        let scop = common::scop(&scop_text(&mut Random::new(seed)));
        for max_pivots in [0, 1, 5, 20] {
            let options =
                ScheduleOptions { max_pivots, max_isl_operations: 5, ..ScheduleOptions::default() };
            check(&scop, &mut Pluto::default(), &options);
        }
    }
}
