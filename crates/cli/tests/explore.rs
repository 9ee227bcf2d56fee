//! `farkas explore` as a user runs it.

mod support;

use std::fs;
use std::path::Path;
use support::farkas_in;
use tempfile::TempDir;

/// A program whose nest is walked across its memory.
const TINY: &str = "\
#include <stdio.h>
#ifndef N
#define N 50
#endif
double A[N][N], x[N];
int main(void) {
#pragma scop
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      A[i][j] = 3 * i - j;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x[i] += A[i][j];
#pragma endscop
  for (int i = 0; i < N; i++)
    printf(\"%g\\n\", x[i]);
  return 0;
}
";

fn tiny() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("tiny.c"), TINY).expect("a file");
    folder
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("a file that was written")
}

const QUICK: [&str; 8] =
    ["explore", "tiny.c", "--budget", "3", "--runs", "1", "--baseline", "gcc -O1"];

#[test]
fn the_best_is_written_and_can_be_used() {
    let folder = tiny();
    let flags = ["-o", "best.json", "--json", "all.json", "--threads", "1", "-DN=40"];
    let run = farkas_in(folder.path(), &[&QUICK[..], &flags].concat()).expect(0);
    assert_eq!(run.out, "");
    assert!(run.err.contains("tiny.c: ") && run.err.contains("best: "), "{}", run.err);

    let best = read(folder.path(), "best.json");
    assert!(best.contains("for tiny with -DN=40, 1 thread, gcc -O1"), "{best}");
    let all: serde_json::Value =
        serde_json::from_str(&read(folder.path(), "all.json")).expect("JSON");
    let candidates = all["candidates"].as_array().expect("a list");
    assert!(!candidates.is_empty() && candidates.len() <= 3, "{candidates:?}");
    assert_eq!(all["setting"]["flags"][0], "-DN=40");

    let opt = ["opt", "tiny.c", "-DN=40", "--strategy", "best.json"];
    let code = farkas_in(folder.path(), &opt).expect(0).out;
    let is_auto = best.contains("\"shipped\": \"auto\"");
    assert!(is_auto || code.contains("strategy tiny, 2 statements"), "{code}");
    let bench = ["bench", "tiny.c", "--strategy", "pluto,best.json", "--runs", "1"];
    let table = farkas_in(folder.path(), &bench).expect(0).out;
    assert!(table.contains("geometric mean of best.json over 1 program"), "{table}");
}

#[test]
fn without_a_file_it_goes_to_standard_output() {
    let folder = tiny();
    let run = farkas_in(folder.path(), &QUICK).expect(0);
    assert!(run.out.starts_with("{\n  \"scheduling_strategy\": {"), "{}", run.out);
    fs::write(folder.path().join("best.json"), &run.out).expect("a file");
    farkas_in(folder.path(), &["opt", "tiny.c", "--strategy", "best.json"]).expect(0);
}

#[test]
fn failures_are_told() {
    let folder = tiny();
    let with = |more: &[&str]| farkas_in(folder.path(), &[&QUICK[..], more].concat());
    let err = farkas_in(folder.path(), &["explore", "tiny.c", "--baseline", "no-such-compiler"]);
    assert!(err.expect(1).err.contains("the compiler `no-such-compiler` cannot be started"));
    farkas_in(folder.path(), &["explore", "tiny.scop"]).expect(2);
    farkas_in(folder.path(), &["explore", "none.c"]).expect(1);
    let err = with(&["-o", "no/such/folder.json"]).expect(1).err;
    assert!(err.contains("cannot write `no/such/folder.json`"), "{err}");
    fs::write(folder.path().join("tiny.c"), TINY.replace("return 0", "return 4")).expect("a file");
    let err = with(&[]).expect(1).err;
    assert!(err.contains("the original program fails: exit status 4"), "{err}");
}
