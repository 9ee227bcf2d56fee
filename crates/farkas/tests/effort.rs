//! Whatever is done to a region draws on its effort.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use farkas::constraints::order;
use farkas::explain::explain;
use farkas::show::{Stage, show};
use farkas::{Input, Options, optimize, parse_isl};
use farkas_base::SourceFile;
use farkas_front_isl::read_constraints;
use std::sync::Arc;

/// A product of matrices.
fn product() -> Input {
    let text = "
domain: \"[n] -> { S[i, j, k] : 0 <= i, j, k < n }\"
schedule: \"{ S[i, j, k] -> [i, j, k] }\"
reads: \"{ S[i, j, k] -> A[i, k]; S[i, j, k] -> B[k, j]; S[i, j, k] -> C[i, j] }\"
must_writes: \"{ S[i, j, k] -> C[i, j] }\"
";
    parse_isl(&Arc::new(SourceFile::new("product.isl", text))).expect("a scop")
}

/// The options with this effort.
fn with_effort(effort: u64) -> Options {
    Options { effort, ..Options::default() }
}

#[test]
fn stages_that_are_shown_have_a_budget() {
    let input = product();
    let region = &input.regions[0];
    for stage in [Stage::Deps, Stage::Locality, Stage::Schedule, Stage::Tree] {
        assert!(show(region, stage, &Options::default()).is_ok(), "{stage:?}");
        let error = show(region, stage, &with_effort(20)).expect_err("too little");
        assert!(error.is_spent(), "{stage:?}: {error}");
    }
}

#[test]
fn explanations_have_a_budget() {
    let input = product();
    let (region, options) = (&input.regions[0], Options::default());
    let result = optimize(region, &options).expect("a result");
    assert!(explain(&input, region, &options, &result).is_ok());
    let error = explain(&input, region, &with_effort(20), &result).expect_err("too little");
    assert!(error.is_spent(), "{error}");
}

#[test]
fn orders_of_constraints_have_a_budget() {
    let text = "
domain: \"[n] -> { S[i, j] : 0 <= i, j < n; T[i, j] : 0 <= i, j < n }\"
validity: \"{ S[i, j] -> T[i, j]; T[i, j] -> S[i + 1, j + 1] }\"
";
    let source = Arc::new(SourceFile::new("constraints.sc", text));
    let lowered = read_constraints(&source, "constraints").expect("constraints");
    let order = |effort| order(&lowered.scop, &lowered.constraints, &with_effort(effort));
    assert!(order(farkas::RUN_OPERATIONS).is_ok());
    let error = order(20).expect_err("too little");
    assert!(error.is_spent(), "{error}");
}
