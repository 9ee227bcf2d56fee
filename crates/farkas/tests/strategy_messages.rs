//! Messages on strategies that leave no schedule or are not followed: each shows the place in the user's file.

use farkas::{Error, Options, Strategy, optimize, parse};
use farkas_base::{Diagnostic, SourceFile, render};
use farkas_config::StrategyFile;
use std::sync::Arc;

/// A sweep, and two statements that need one another.
const PROGRAM: &str = "
void kernel(int n, double a[n][n], double b[n][n])
{
#pragma scop
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++) {
            a[i][j] = b[i][j - 1];
            b[i][j] = a[i][j];
        }
#pragma endscop
}
";

/// The messages on a strategy with these keys, for the program.
fn messages(keys: &str) -> String {
    let text = format!("{{ \"scheduling_strategy\": {{\n{keys}\n}} }}\n");
    let file = StrategyFile::parse(Arc::new(SourceFile::new("mine.json", text)));
    let source = Arc::new(SourceFile::new("sweep.c", PROGRAM));
    let preprocessed = format!("# 1 \"sweep.c\"\n{PROGRAM}");
    let input = parse(Arc::clone(&source), &preprocessed, &farkas_front_c::Options::default());
    let strategy = Strategy::File(Arc::new(file.expect("a strategy")));
    let options = Options { strategy, ..Options::default() }.of_file(&source);
    let diagnostics: Vec<Diagnostic> = match optimize(&input.regions[0], &options) {
        Ok(optimized) => optimized.session.diagnostics,
        Err(Error::Refused(diagnostics)) => diagnostics,
        Err(error) => panic!("{error}"),
    };
    diagnostics.iter().map(|d| render(d, false)).collect()
}

#[test]
fn conflicts() {
    insta::assert_snapshot!(messages(
        r#"  "custom_constraints": [
    { "scheduling_dimension": 0, "constraints": ["S*_it_[j] >= 1", "S*_it_i <= 1", "S0_it_i >= S1_it_i + 1"] }
  ]"#
    ));
}

#[test]
fn dropped_constraints() {
    insta::assert_snapshot!(messages(
        r#"  "custom_constraints": [
    { "scheduling_dimension": 0, "constraints": ["S*_it_[j] >= 1", "S*_it_i <= 1", "S0_it_i >= S1_it_i + 1"] }
  ],
  "fallback_order": ["new-band", "drop-constraints"]"#
    ));
}

#[test]
fn groups() {
    insta::assert_snapshot!(messages(
        r#"  "fusion": [
    { "scheduling_dimension": 0, "stmts_fusion": [[0], [1]] }
  ]"#
    ));
}

#[test]
fn directives() {
    insta::assert_snapshot!(messages(
        r#"  "directives": [
    { "type": "parallel", "stmts": [0], "iterator": "i" },
    { "type": "vectorize", "stmts": [0, 1], "iterator": "j" }
  ]"#
    ));
}
