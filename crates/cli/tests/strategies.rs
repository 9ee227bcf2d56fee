//! Strategies and influence trees on the command line: what is followed, and each refusal with its place.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::path::Path;
use support::{Run, farkas_in};

/// Runs the program with `args` in the repository's root.
fn farkas(args: &[&str]) -> Run {
    farkas_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), args)
}

/// Two statements in a chain, and a recurrence.
const PROGRAM: &str = "
void f(int n, double A[n][n], double B[n][n], double s[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = i + 2 * j;
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++)
            B[i][j] = B[i][j - 1] + A[i][j];
#pragma endscop
}
";

/// What `farkas opt` says of the program under a strategy.
fn opt(strategy: &str, status: i32) -> (String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), PROGRAM).expect("a file");
    fs::write(folder.path().join("mine.json"), strategy).expect("a file");
    let args = ["opt", "f.c", "--strategy", "mine.json", "-o", "out.c", "--no-tile"];
    let run = farkas_in(folder.path(), &args).expect(status);
    let out = fs::read_to_string(folder.path().join("out.c")).unwrap_or_default();
    assert_eq!(out.is_empty(), status != 0, "a refused file is not written");
    (out, run.err)
}

#[test]
fn conflicting_constraints_have_their_places() {
    let (_, err) = opt(
        r#"{
  "scheduling_strategy": {
    "custom_constraints": [
      {
        "scheduling_dimension": "default",
        "constraints": ["S1_it_i <= 1", "S1_it_0 >= 2", "S0_it_1 >= 0"]
      }
    ]
  }
}
"#,
        1,
    );
    insta::assert_snapshot!(err);
}

#[test]
fn a_constraint_against_a_dependence_names_it() {
    let (_, err) = opt(
        r#"{
  "scheduling_strategy": {
    "custom_constraints": [
      {
        "scheduling_dimension": "default",
        "constraints": ["S1_it_[j] <= -1"]
      }
    ],
    "negative_coefficients": true
  }
}
"#,
        1,
    );
    insta::assert_snapshot!(err);
}

#[test]
fn groups_that_cannot_be_are_refused() {
    let (_, err) = opt(
        r#"{
  "scheduling_strategy": {
    "fusion": [{ "scheduling_dimension": 0, "stmts_fusion": [["0", "1"]] }],
    "custom_constraints": [
      { "scheduling_dimension": "default", "constraints": ["S0_it_i + S1_it_i <= 1"] }
    ]
  }
}
"#,
        1,
    );
    insta::assert_snapshot!(err);
}

#[test]
fn dropped_directives_are_told() {
    let (out, err) = opt(
        r#"{
  "scheduling_strategy": {
    "directives": [{ "type": "vectorize", "stmts": "1", "iterator": "j" }]
  }
}
"#,
        0,
    );
    assert!(out.contains("B[i][j - 1]"), "{out}");
    insta::assert_snapshot!(err);
}

#[test]
fn unknown_names_are_misuse_and_bad_files_are_bad_input() {
    let err = farkas(&["opt", "kernels/gemm.c", "--strategy", "plutp"]).expect(2).err;
    assert!(err.contains("unknown strategy `plutp`: expected one of auto, pluto, "), "{err}");
    let err = farkas(&["opt", "kernels/gemm.c", "--strategy", "no/such.json"]).expect(1).err;
    assert!(err.contains("error[unreadable-file]"), "{err}");
    let err = farkas(&["opt", "kernels/gemm.c", "--influence", "no/such.json"]).expect(1).err;
    assert!(err.contains("error[unreadable-file]"), "{err}");
    let (_, err) = opt("{ \"scheduling_strategy\": { \"fusion_heuristc\": \"max\" } }", 1);
    assert!(err.contains("did you mean `fusion_heuristic`?"), "{err}");
    let (_, err) = opt(
        "{ \"scheduling_strategy\": { \"directives\": [{ \"type\": \"parallel\", \"stmts\": \"7\", \"iterator\": 0 }] } }",
        1,
    );
    assert!(err.contains("mine.json:1:"), "{err}");
}

#[test]
fn statements_are_named_by_their_line() {
    let (out, _) = opt(
        r#"{
  "scheduling_strategy": {
    "directives": [{ "type": "parallel", "stmts": "line:7", "iterator": "j" }]
  }
}
"#,
        0,
    );
    let first = out.find("for (int j = 0").expect("a loop over j");
    let second = out.find("for (int i = 0").expect("a loop over i");
    assert!(first < second, "{out}");
}

#[test]
fn a_walk_through_an_influence_tree_is_explained() {
    let args = [
        "explain",
        "tests/cases/influence-carried.c",
        "--no-tile",
        "--influence",
        "tests/cases/influence-fig-3b.json",
    ];
    let out = farkas(&args).expect(0).out;
    let walk = out.split("  influence:\n").nth(1).expect("a walk");
    let walk = walk.split("  fusion:").next().expect("a walk");
    insta::assert_snapshot!(walk);
}

/// What a strategy file grants, and what the command line does, holds both.
#[test]
fn files_and_flags_grant_together() {
    let program = "void f(int n, double *a, double *b, double *c)
{
#pragma scop
    for (int i = 0; i < n; i++) { b[i] = a[i]; c[i] = a[i]; }
#pragma endscop
}
";
    let strategy = r#"{ "scheduling_strategy": { "assume": ["no-overlap=b"] } }"#;
    let run = |command: &str, flags: &[&str]| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("f.c"), program).expect("a file");
        fs::write(folder.path().join("mine.json"), strategy).expect("a file");
        let args = [&[command, "f.c"], flags].concat();
        farkas_in(folder.path(), &args).expect(0).out
    };
    let count = |flags: &[&str]| run("explain", flags).matches("(no-overlap: granted)").count();
    assert_eq!(count(&["--strategy", "pluto"]), 0);
    assert_eq!(count(&["--strategy", "pluto", "--assume", "no-overlap=a"]), 2);
    assert_eq!(count(&["--strategy", "mine.json"]), 2);
    let both = ["--strategy", "mine.json", "--assume", "no-overlap=a"];
    assert_eq!(count(&both), 3);
    let code = run("opt", &both);
    assert!(!code.contains("} else {"), "{code}");
    let (_, err) = opt(r#"{ "scheduling_strategy": { "assume": ["no-alias"] } }"#, 1);
    assert!(err.contains("error[unknown-assumption]: `no-alias` is no kind"), "{err}");
    assert!(err.contains("mine.json:1:"), "{err}");
}

#[test]
fn flags_count_more_than_the_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), PROGRAM).expect("a file");
    let strategy = r#"{ "scheduling_strategy": { "tiling": { "enabled": true, "sizes": [7] } } }"#;
    fs::write(folder.path().join("mine.json"), strategy).expect("a file");
    let run = |flags: &[&str]| {
        let args = [&["opt", "f.c", "--strategy", "mine.json"], flags].concat();
        farkas_in(folder.path(), &args).expect(0).out
    };
    assert!(run(&[]).contains("+= 7"));
    assert!(run(&["--tile-sizes", "5"]).contains("+= 5"));
    assert!(!run(&["--no-tile"]).contains("+= "));
}

#[test]
fn isls_own_scheduler_is_a_strategy() {
    let out = farkas(&["opt", "kernels/gemm.c", "--strategy", "libisl"]).expect(0).out;
    assert!(out.contains("strategy libisl, 2 statements"), "{out}");
    assert!(out.contains("#pragma omp parallel for"), "{out}");
    for strategy in ["libisl", "original"] {
        let influence = ["--influence", "tests/cases/influence-fig-3b.json"];
        let run =
            farkas(&[&["opt", "kernels/gemm.c", "--strategy", strategy][..], &influence].concat());
        assert!(run.expect(2).err.contains("follows no influence tree"));
    }
}

/// A strategy with these constraints in these rows.
fn with_constraints(dimension: &str, constraints: &str) -> String {
    let entry =
        format!("{{ \"scheduling_dimension\": {dimension}, \"constraints\": [{constraints}] }}");
    format!("{{ \"scheduling_strategy\": {{ \"custom_constraints\": [{entry}] }} }}")
}

#[test]
fn a_constraint_on_the_outermost_row_is_not_lost_to_distribution() {
    let (out, err) = opt(&with_constraints("0", "\"S1_cst - S0_cst = 3\""), 0);
    assert!(out.contains("B[i - 3][j]"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn constraints_over_several_nests_conflict() {
    let (_, err) = opt(&with_constraints("\"default\"", "\"Si_it_i <= 1\""), 1);
    insta::assert_snapshot!(err);
    let (_, err) = opt(&with_constraints("7", "\"S1_it_0 = 3\""), 1);
    insta::assert_snapshot!(err);
}

#[test]
fn the_original_order_is_told_with_the_constraints_that_it_drops() {
    let (out, err) = opt(&with_constraints("0", "\"S1_it_0 = 4611686018427387904\""), 0);
    assert!(out.contains("B[i][j] = B[i][j - 1] + A[i][j];"), "{out}");
    assert!(err.contains("warning[no-schedule]: no schedule found for S0, S1"), "{err}");
    assert!(err.contains("warning[constraint-dropped]"), "{err}");
}

/// A loop that jumps through memory.
const STRIDED: &str = "
void f(int n, double A[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[j][i] = i + 2 * j;
#pragma endscop
}
";

/// What `farkas opt` says of a program with these files and flags.
fn opt_with(program: &str, files: &[(&str, &str)], flags: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), program).expect("a file");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    farkas_in(folder.path(), &[&["opt", "f.c"], flags].concat())
}

#[test]
fn a_strided_loop_runs_in_vector_lanes_where_that_is_asked_for() {
    let strategy = r#"{ "scheduling_strategy": {
        "directives": [{ "type": "vectorize", "stmts": "0", "iterator": "j" }]
    } }"#;
    let files = [("mine.json", strategy)];
    let flags = ["--strategy", "mine.json", "--no-tile"];
    let run = opt_with(STRIDED, &files, &flags).expect(0);
    let vector = "#pragma omp simd\n      for (int j = 0; j < n; j++)";
    assert!(run.out.contains(vector), "{}", run.out);
    assert_eq!(run.err, "");
    // Where no loop can be marked, a warning says so.
    let run = opt_with(STRIDED, &files, &[&flags[..], &["--target", "c"]].concat()).expect(0);
    assert!(run.err.contains("warning[directive-dropped]"), "{}", run.err);
}

#[test]
fn parts_of_loops_in_soft_constraints_are_refused() {
    let rows = r#"{ "soft constraints": [{ "statement": "S_0", "meta": [2, 1],
        "coefficients": ["[1, 0, 0, ?] (/4)", "[1, 0, 0, ?] (%4)"] }] }"#;
    let run = opt_with(STRIDED, &[("rows.json", rows)], &["--influence", "rows.json"]);
    insta::assert_snapshot!(run.expect(1).err);
}

#[test]
fn requirements_that_leave_no_row_are_named() {
    let tree = r#"{ "influence_tree": { "children": [{
    "constraints": ["S1_it_[j] = 1", "S1_it_[i] = 0"], "parallel": true }] } }
"#;
    let flags = ["--strategy", "pluto", "--no-tile", "--influence", "tree.json"];
    let run = opt_with(PROGRAM, &[("tree.json", tree)], &flags).expect(0);
    insta::assert_snapshot!(run.err);
}
