//! `--sizes` and `#pragma farkas sizes`: what forms are chosen for, and nothing else.

mod support;

use std::fs;
use std::path::Path;
use support::{Run, farkas_in};
use tempfile::TempDir;

/// Sums down the columns of a matrix, whose order matters where it is large.
const COLUMNS: &str = "\
#include <stdio.h>
#include <stdlib.h>
void sums(int rows, int cols, double A[rows][cols], double *restrict x) {
  /* here */
#pragma scop
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      x[j] += A[i][j];
#pragma endscop
}
int main(void) {
  int rows = 300, cols = 170;
  double (*A)[cols] = malloc(sizeof(double[rows][cols])), *x = calloc(cols, sizeof *x);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++)
      A[i][j] = 0.1 * i - 0.3 * j;
  sums(rows, cols, A, x);
  for (int j = 0; j < cols; j++)
    printf(\"%.17g\\n\", x[j]);
  return 0;
}
";

fn columns() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("columns.c"), COLUMNS).expect("a file");
    folder
}

/// The form that is chosen for a machine that is the same wherever the test runs.
fn opt(folder: &Path, file: &str, more: &[&str]) -> Run {
    farkas_in(folder, &[&["opt", file, "--report", "--machine", "amd-zen4"], more].concat())
}

const TINY: [&str; 2] = ["--sizes", "rows=4,cols=3"];

#[test]
fn the_choice_is_made_for_the_sizes() {
    let folder = columns();
    let assumed = opt(folder.path(), "columns.c", &[]).expect(0);
    assert!(!assumed.err.contains("(told)") && assumed.out != COLUMNS, "{}", assumed.err);
    let tiny = opt(folder.path(), "columns.c", &TINY).expect(0);
    assert!(tiny.err.contains("at cols = 3 (told), rows = 4 (told), in cycles"), "{}", tiny.err);
    assert_eq!(tiny.out, COLUMNS, "nothing is faster for a dozen elements");
    let half = opt(folder.path(), "columns.c", &["--sizes", "cols=3000"]).expect(0);
    assert!(
        half.err.contains("cols = 3000 (told)") && !half.err.contains("rows = 4 "),
        "{}",
        half.err
    );
}

#[test]
fn a_pragma_says_the_same_and_flags_count_more() {
    let folder = columns();
    let text = COLUMNS.replace("/* here */", "#pragma farkas sizes(rows=4, cols=3)");
    fs::write(folder.path().join("told.c"), &text).expect("a file");
    assert_eq!(opt(folder.path(), "told.c", &[]).expect(0).out, text);
    let more = opt(folder.path(), "told.c", &["--sizes", "rows=4000", "--sizes", "cols=3000"]);
    let more = more.expect(0);
    assert!(more.err.contains("cols = 3000 (told), rows = 4000 (told)"), "{}", more.err);
    assert_ne!(more.out, text);
    let wrong = COLUMNS.replace("/* here */", "#pragma farkas sizes(rows)");
    fs::write(folder.path().join("wrong.c"), wrong).expect("a file");
    assert!(opt(folder.path(), "wrong.c", &[]).expect(1).err.contains("error[bad-size]"));
}

#[test]
fn results_are_right_for_other_sizes() {
    let folder = columns();
    for sizes in ["rows=4,cols=3", "rows=1000000000,cols=1000000000", "rows=1,cols=1000000"] {
        for strategy in ["auto", "pluto"] {
            let args = ["bench", "columns.c", "--sizes", sizes, "--strategy", strategy];
            let run = farkas_in(folder.path(), &[&args[..], &["--runs", "1"]].concat()).expect(0);
            assert!(run.out.contains("  equal"), "{sizes}: {}", run.out);
        }
    }
}

#[test]
fn other_commands_take_them() {
    let folder = columns();
    let run = |args: &[&str]| farkas_in(folder.path(), &[args, &TINY].concat()).expect(0);
    assert!(run(&["explain", "columns.c"]).out.contains("rows = 4 (told)"));
    run(&["show", "columns.c", "--ast"]);
    run(&["explore", "columns.c", "--budget", "1", "--runs", "1", "-o", "best.json"]);
}

#[test]
fn what_has_no_effect_is_told_and_what_is_no_size_is_misuse() {
    let folder = columns();
    let err = opt(folder.path(), "columns.c", &["--sizes", "col=3"]).expect(0).err;
    assert!(
        err.contains("warning[unused-size]: `col` is no parameter")
            && err.contains("did you mean `cols`?"),
        "{err}"
    );
    let err = opt(folder.path(), "columns.c", &["--context", "cols > 10", "--sizes", "cols=3"]);
    let err = err.expect(0).err;
    assert!(err.contains("`cols` is never 3 in region"), "{err}");
    assert!(!err.contains("(told)"), "{err}");
    for wrong in ["cols", "cols=", "cols=x", "=3", "cols=99999999999"] {
        farkas_in(folder.path(), &["opt", "columns.c", "--sizes", wrong]).expect(2);
    }
}

#[test]
fn what_is_no_c_takes_them_too() {
    let folder = columns();
    let path = folder.path();
    farkas_in(
        path,
        &["opt", "columns.c", "--to", "openscop", "--strategy", "original", "-o", "c.scop"],
    )
    .expect(0);
    let run = opt(path, "c.scop", &["--sizes", "rows=7,colls=9"]).expect(0);
    assert!(
        run.err.contains("rows = 7 (told)") && run.err.contains("did you mean `cols`?"),
        "{}",
        run.err
    );
}
