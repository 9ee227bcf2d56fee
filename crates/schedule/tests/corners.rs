//! Scops at the edge: empty ones, enormous numbers, the report's text.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::kernels;
use farkas_deps::{DependenceOptions, dependences};
use farkas_schedule::{FusionHeuristic, Pluto, ScheduleOptions, Scheduled, schedule};
use support::check;

fn pluto(text: &str) -> Scheduled {
    check(&common::scop(text), &mut Pluto::default(), &ScheduleOptions::default())
}

#[test]
fn no_statement() {
    assert!(pluto("params n : n >= 1").report.rows.is_empty());
}

#[test]
fn an_empty_domain() {
    let scheduled = pluto(
        "params n : n >= 1
         S[i, j] : 0 <= i < n and j < 0 and j > 0 @ 0, i, j : w A[i]
         T[i, j] : 0 <= i < n and 0 <= j < n @ 1, i, j : w A[j]",
    );
    assert!(scheduled.report.warnings.is_empty());
}

#[test]
fn a_loop_of_one_iteration_needs_no_row() {
    let scheduled = pluto(
        "params n : n >= 1
         S[i, j] : 0 <= i < n and j = 0 @ i, j : w A[i]
         T[i, j] : 0 <= i < n and j = i @ i, j + n : w B[i, j]",
    );
    assert_eq!(scheduled.report.rows.len(), 2);
}

#[test]
fn enormous_numbers() {
    for big in ["4611686018427387904", "9223372036854775807"] {
        pluto(&format!(
            "params n : n >= 1
             S[i, j] : 0 <= i < {big} and {big} * j <= n @ i, j : r A[i - {big}, j], w A[i, {big} * j]"
        ));
    }
}

#[test]
fn input_dependences_fuse_readers() {
    let scop = common::scop(
        "params n : n >= 1
         S[i, j] : 0 <= i < n and 0 <= j < n @ 0, i, j : r A[i, j], w B[i, j]
         T[i, j] : 0 <= i < n and 0 <= j < n @ 1, i, j : r A[j, i], w C[i, j]",
    );
    let options = ScheduleOptions::default();
    let deps = dependences(&scop, DependenceOptions { input: true, ..Default::default() }).unwrap();
    let mut strategy = Pluto::new(FusionHeuristic::Smart).with_input();
    let scheduled = schedule(&scop, &deps, &mut strategy, &options).unwrap();
    assert_eq!(scheduled.report.rows[0].stmts.len(), 2);
    assert_eq!(scheduled.report.rows[0].rows[0].iterators, [1, 0]);
    assert_eq!(scheduled.report.rows[0].rows[1].iterators, [0, 1]);
}

#[test]
fn the_same_input_gives_the_same_output() {
    let scop = common::scop(kernels::ADI);
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let run =
        || schedule(&scop, &deps, &mut Pluto::default(), &ScheduleOptions::default()).unwrap();
    assert_eq!(run(), run());
}

#[test]
fn the_report_as_text() {
    insta::assert_snapshot!(pluto(kernels::GEMM).report);
}
