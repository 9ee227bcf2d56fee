//! `farkas bench` as a user runs it: what it compares, what it says of the numbers, what it does when outputs differ.

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use support::{command, farkas_in};
use tempfile::TempDir;

/// A program that sums up rows and prints what `print` says.
fn program(print: &str) -> TempDir {
    let text = format!(
        "\
#include <stdio.h>
#include <unistd.h>
#ifndef N
#define N 60
#endif
double A[N][N], x[N];
int main(void) {{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = 1.0 + 1e-9 * (i * 7 % 11) - 1e-9 * j;
#pragma scop
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      x[i] += A[i][j] * A[i][j];
#pragma endscop
  {print}
  return 0;
}}
"
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("rows.c"), text).expect("a file");
    folder
}

const PRINT: &str = "for (int i = 0; i < N; i++) printf(\"%.17g\\n\", x[i]);";

fn bench(folder: &Path, more: &[&str]) -> support::Run {
    let quick = ["bench", "rows.c", "--strategy", "pluto", "--runs", "2", "--baseline", "gcc -O1"];
    farkas_in(folder, &[&quick[..], more].concat())
}

#[test]
fn it_says_how_outputs_compared_and_what_the_numbers_are_from() {
    let folder = program(PRINT);
    let run = bench(folder.path(), &["--threads", "2", "--json", "all.json"]).expect(0);
    let row = run.out.lines().find(|line| line.starts_with("rows.c")).expect("a row");
    assert!(row.ends_with("  equal"), "{}", run.out);
    assert!(run.out.contains("\ncompiler: gcc -O1 (") && run.out.contains("\nthreads:  2\n"));
    assert!(run.out.contains("\nmachine:  ") && run.out.contains(" L1 "), "{}", run.out);

    let text = fs::read_to_string(folder.path().join("all.json")).expect("a file");
    let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&all["schema"], &all["environment"]["threads"]), (&2.into(), &2.into()));
    assert_eq!(all["baseline"], "gcc -O1");
    assert!(all["environment"]["compiler"].as_str().is_some_and(|version| !version.is_empty()));
    assert!(all["environment"]["machine"]["caches"][0]["bytes"].as_u64().is_some());
    assert_eq!(all["programs"][0]["variants"][0]["outcome"]["outputs"], "equal");
}

#[test]
fn a_program_that_prints_nothing_is_refused_unless_that_is_asked_for() {
    let folder = program("fprintf(stderr, \"time_s 1.5\\n\");");
    let run = bench(folder.path(), &["--message-format", "concise"]).expect(1);
    assert!(run.err.contains("error[no-output]: rows.c: "), "{}", run.err);
    assert!(run.out.contains("no output"), "{}", run.out);
    let run = bench(folder.path(), &["--allow-no-output"]).expect(0);
    assert!(run.out.contains("nothing is printed"), "{}", run.out);
}

#[test]
fn the_error_stream_counts_too() {
    let folder = program("fprintf(stderr, \"%.17g\\ntime_s 1.5\\n\", x[3]);");
    let run = bench(folder.path(), &[]).expect(0);
    assert!(run.out.contains("  equal"), "{}", run.out);
}

#[test]
fn a_program_that_varies_is_told_of_and_no_result_accused() {
    let folder = program("printf(\"p%d\\n\", (int)getpid());");
    let run = bench(folder.path(), &["--message-format", "concise"]).expect(1);
    assert!(run.err.contains(
        "error[varying-output]: rows.c: the program prints something else from run to run"
    ));
    assert!(!run.out.contains("wrong output"), "{}", run.out);
}

/// A compiler that makes of each program one that prints something else, unless contraction is off and `also` holds.
fn compiler(folder: &Path, also: &str) -> String {
    let path = folder.join("compiler");
    let script = format!(
        "#!/bin/sh\ncase \"$* \" in\n*-ffp-contract=off*) {also} ;;\n*-fopenmp*) set -- -DOFF=1e-5 \"$@\" ;;\nesac\nexec gcc -DOFF=0 -w \"$@\"\n"
    );
    fs::write(&path, script).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path.display().to_string()
}

#[test]
fn contraction_has_a_name() {
    let folder = program("for (int i = 0; i < N; i++) printf(\"%.17g\\n\", x[i] + OFF);");
    let bench = |compiler: &str, more: &[&str]| {
        let args = [
            "bench",
            "rows.c",
            "--strategy",
            "pluto",
            "--runs",
            "1",
            "--message-format",
            "concise",
        ];
        farkas_in(folder.path(), &[&args[..], &["--baseline", compiler], more].concat())
    };
    let fused = compiler(folder.path(), ":");
    let run = bench(&fused, &[]).expect(1);
    assert!(
        run.err.contains(
            "error[contracted-output]: rows.c, pluto: the outputs differ only by contraction"
        ),
        "{}",
        run.err
    );
    assert!(run.out.contains("wrong output: line 1, column 1"), "{}", run.out);
    let run = bench(&fused, &["--tolerance", "1e-3"]).expect(0);
    assert!(run.out.contains("within 1e-3 (largest relative difference "), "{}", run.out);
    let wrong = compiler(folder.path(), "set -- -DOFF=$$ \"$@\"");
    let run = bench(&wrong, &[]).expect(1);
    assert!(!run.err.contains("contract") && run.out.contains("wrong output"), "{}", run.err);
}

/// A folder of programs: these, under the names that they have here.
fn programs(folder: &Path, names: &[(&str, &str)]) -> String {
    let found = |name: &str| {
        let path = std::env::var_os("PATH").expect("a path");
        let mut all = std::env::split_paths(&path).map(|folder| folder.join(name));
        all.find(|file| file.exists()).unwrap_or_else(|| panic!("{name}"))
    };
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    for (name, target) in names {
        symlink(found(target), bin.join(name)).expect("a link");
    }
    bin.display().to_string()
}

#[test]
fn cc_stands_in_for_gcc() {
    let folder = program(PRINT);
    let args = ["bench", "rows.c", "--strategy", "pluto", "--runs", "1", "--target", "c"];
    // The preprocessor is `cc`, too, or else `gcc`.
    for compiler in ["cc", "gcc"] {
        let inner = folder.path().join(compiler);
        let path = programs(&inner, &[(compiler, "cc"), ("as", "as"), ("ld", "ld")]);
        let mut run = command(folder.path(), &args);
        let output = run.env("PATH", &path).output().expect("the program starts");
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{out}{}", String::from_utf8_lossy(&output.stderr));
        assert!(out.contains(&format!("compiler: {compiler} -O3 -march=native (")), "{out}");
        assert!(out.contains("threads:  1\n"), "{out}");
    }
    for verb in ["bench", "explore"] {
        let mut run = command(folder.path(), &[verb, "rows.c"]);
        let output = run.env("PATH", folder.path()).output().expect("the program starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains("neither `gcc` nor `cc`"), "{err}");
    }
}
