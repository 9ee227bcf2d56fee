//! Messages on folders that are not there name them as they were written.

mod support;

use std::fs;
use support::farkas_in;

const PROGRAM: &str = "\
#include <stdio.h>
double x[8];
int main(void) {
#pragma scop
  for (int i = 0; i < 8; i++)
    x[i] += i;
#pragma endscop
  printf(\"%g\\n\", x[3]);
  return 0;
}
";

#[test]
fn missing_folders_are_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("a.c"), PROGRAM).expect("a file");
    let all: [&[&str]; 6] = [
        &["opt", "a.c", "-o", "no/such/dir/out.c"],
        &["bench", "a.c", "--json", "no/such/dir/out.c"],
        &["explore", "a.c", "--json", "no/such/dir/out.c"],
        &["explore", "a.c", "-o", "no/such/dir/out.c"],
        &["recipe", "template", "--strategy", "pluto", "-o", "no/such/dir/out.c"],
        &["recipe", "extract", "a.c", "--strategy", "pluto", "-o", "no/such/dir/out.c"],
    ];
    for args in all {
        let run = farkas_in(folder.path(), args).expect(1);
        let expected = "cannot write `no/such/dir/out.c`: there is no folder `no/such/dir`";
        assert!(run.err.contains(expected), "{args:?}: {}", run.err);
        assert_eq!(run.out, "", "{args:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn a_file_in_the_place_of_a_folder_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("a.c"), PROGRAM).expect("a file");
    let run = farkas_in(folder.path(), &["man", "a.c/pages"]).expect(1);
    assert!(run.err.contains("cannot write to the folder `a.c/pages`: "), "{}", run.err);
    let run = farkas_in(folder.path(), &["opt", "a.c", "-o", "a.c/out.c"]).expect(1);
    assert!(
        run.err.contains("cannot write `a.c/out.c`: ") && !run.err.contains(".farkas-"),
        "{}",
        run.err
    );
}
