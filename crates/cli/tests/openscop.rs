//! OpenSCoP in and out of the program.

mod support;

use std::fs;
use std::path::Path;
use support::{farkas_in, piped};
use tempfile::TempDir;

/// A function with two statements, of which one is in a loop that counts down.
const SUMS: &str = "\
void sums(int n, double A[100][100], double x[100]) {
#pragma scop
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    for (int j = n - 1; j >= 0; j--)
      x[i] += A[i][j];
  }
#pragma endscop
}
";

/// A folder with `sums.c`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("sums.c"), SUMS).expect("a file");
    folder
}

/// The region of `sums.c` as OpenSCoP.
fn document(folder: &Path) -> String {
    let args = ["opt", "sums.c", "--to", "openscop", "--strategy", "original"];
    farkas_in(folder, &args).expect(0).out
}

#[test]
fn c_becomes_openscop_in_its_own_order() {
    let folder = folder();
    let text = document(folder.path());
    // The place in the file is that of a temporary folder's file, but its name is given as it was named.
    insta::assert_snapshot!("c_becomes_openscop_in_its_own_order", text);
}

#[test]
fn a_pipe_transforms_openscop() {
    let folder = folder();
    let text = document(folder.path());
    let args = ["opt", "--from", "openscop", "--to", "openscop", "--report"];
    let run = piped(folder.path(), &args, &text).expect(0);
    assert!(run.err.contains("verified"), "{}", run.err);
    assert!(run.out.contains("<loop>") && run.out.contains("x[i] += A[i][j];"), "{}", run.out);
    let dashed = ["opt", "-", "--from", "openscop", "--to", "openscop"];
    assert_eq!(piped(folder.path(), &dashed, &text).expect(0).out, run.out);
    // What comes out goes in again, and the order is the same.
    fs::write(folder.path().join("new.scop"), &run.out).expect("a file");
    let kept = ["opt", "new.scop", "--to", "openscop", "--strategy", "original", "-o", "out.scop"];
    farkas_in(folder.path(), &kept).expect(0);
    let out = fs::read_to_string(folder.path().join("out.scop")).expect("the output");
    assert!(out.contains("SCATTERING"));
}

#[test]
fn openscop_becomes_loops() {
    let folder = folder();
    fs::write(folder.path().join("sums.scop"), document(folder.path())).expect("a file");
    let words = ["opt", "sums.scop", "--strategy", "pluto", "--no-tile", "--machine", "amd-zen4"];
    let run = farkas_in(folder.path(), &words).expect(0);
    insta::assert_snapshot!("openscop_becomes_loops", run.out);
    let plain = farkas_in(
        folder.path(),
        &["opt", "sums.scop", "--strategy", "pluto", "--no-tile", "--to", "c"],
    )
    .expect(0);
    let without: String =
        run.out.lines().filter(|l| !l.contains("#pragma")).map(|l| format!("{l}\n")).collect();
    assert!(!plain.out.contains("omp") && plain.out.lines().count() <= without.lines().count());
}

#[test]
fn other_commands_read_openscop_too() {
    let folder = folder();
    fs::write(folder.path().join("sums.scop"), document(folder.path())).expect("a file");
    let shown = farkas_in(folder.path(), &["show", "sums.scop", "--scop"]).expect(0);
    assert!(shown.out.contains("iterator int j = { S2[i0, i1] -> [(-i1)] }"), "{}", shown.out);
    let explained = farkas_in(folder.path(), &["explain", "sums.scop"]).expect(0);
    assert!(explained.out.contains("x[i] += A[i][j];"), "{}", explained.out);
    let check = |schedule: &str| {
        fs::write(folder.path().join("s.map"), schedule).expect("a file");
        farkas_in(folder.path(), &["check", "sums.scop", "--schedule", "s.map"])
    };
    check("{ S1[i] -> [i, 0, 0]; S2[i, j] -> [i, 1, j] }").expect(0);
    let illegal = check("{ S1[i] -> [i, 0, 0]; S2[i, j] -> [i, 1, -j] }").expect(1);
    assert!(illegal.err.contains("illegal-schedule"), "{}", illegal.err);
    let bench = farkas_in(folder.path(), &["bench", "sums.scop"]).expect(2);
    assert!(bench.err.contains("bad-option"), "{}", bench.err);
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let folder = folder();
    let text = document(folder.path());
    let broken = text.replacen("SCATTERING", "SCATTERED", 1);
    fs::write(folder.path().join("broken.scop"), &broken).expect("a file");
    let args = ["opt", "broken.scop", "--to", "openscop", "-o", "out.scop"];
    let run = farkas_in(folder.path(), &args).expect(1);
    assert!(run.err.contains("bad-openscop") && run.err.contains("broken.scop:"), "{}", run.err);
    assert!(!folder.path().join("out.scop").exists());
    let run = piped(folder.path(), &["opt", "--from", "openscop"], &broken).expect(1);
    assert!(run.err.contains("standard input:"), "{}", run.err);
    let run = piped(folder.path(), &["opt", "--from", "openscop"], "").expect(1);
    assert!(run.err.contains("empty-file"), "{}", run.err);
    let endless = text.replace("   -1    0    1   -1    ## -i+n-1 >= 0", "    1    0    0    0");
    assert_ne!(endless, text);
    let run = piped(folder.path(), &["opt", "--from", "openscop", "--to", "c"], &endless).expect(1);
    assert!(run.err.contains("has no bound"), "{}", run.err);
    let run = piped(folder.path(), &["opt", "--from", "openscop", "--to", "openscop"], &endless);
    run.expect(0);
    let fortran = text.replace("# Language\nC\n", "# Language\nFORTRAN\n");
    let run = piped(folder.path(), &["opt", "--from", "openscop", "--to", "c"], &fortran).expect(1);
    assert!(run.err.contains("the bodies are FORTRAN"), "{}", run.err);
}

#[test]
fn what_is_assumed_or_lost_is_said() {
    let folder = folder();
    let text = document(folder.path());
    assert_eq!(piped(folder.path(), &["opt", "--from", "openscop"], &text).expect(0).err, "");
    let start = text.find("SCATTERING").expect("a scattering");
    let end = text[start..].find("# ---").map(|at| start + at).expect("its end");
    let missing = format!("{}{}", &text[..start], &text[end..]).replacen("\n3\n", "\n2\n", 1);
    let run = piped(folder.path(), &["opt", "--from", "openscop"], &missing).expect(0);
    assert!(run.err.contains("assumed-order"), "{}", run.err);
    let own = SUMS.replace("x[i] = 0;", "double s = 0;").replace("x[i] +=", "s +=");
    let own = own.replace("A[i][j];\n", "A[i][j];\n    x[i] = s;\n");
    fs::write(folder.path().join("own.c"), own).expect("a file");
    let run = farkas_in(folder.path(), &["opt", "own.c", "--to", "openscop"]).expect(0);
    assert!(run.err.contains("declaration-dropped") && run.err.contains("`s`"), "{}", run.err);
    let run =
        farkas_in(folder.path(), &["opt", "sums.c", "--to", "openscop", "--expand"]).expect(0);
    assert!(run.err.contains("temporaries stay where they are"), "{}", run.err);
}

#[test]
fn a_senseless_command_line_is_misuse() {
    let folder = folder();
    farkas_in(folder.path(), &["opt"]).expect(2);
    let run = farkas_in(folder.path(), &["opt", "-"]).expect(2);
    assert!(run.err.contains("--from openscop"), "{}", run.err);
    farkas_in(folder.path(), &["opt", "--from", "c"]).expect(2);
    farkas_in(folder.path(), &["opt", "sums.c", "--to", "cuda"]).expect(2);
    farkas_in(folder.path(), &["opt", "sums.scop", "--from", "c"]).expect(2);
    farkas_in(folder.path(), &["opt", "sums.scop", "--context", "n > 3"]).expect(2);
}
