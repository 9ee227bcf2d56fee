//! `--reassociate`: sums run on threads and in lanes, of which compilers make vector loops, and they are right.

mod common;

use common::repository;
use farkas::TileSizes;
use farkas::{Options, ReadOptions, Strategy, read, splice};
use farkas::{Template, optimize};
use farkas_run::{Build, Compiler, RunOptions};
use farkas_scop::Reassociation;
use std::path::Path;
use std::process::Command;

/// All values are small whole numbers, so that sums are exact in every order.
const PROGRAM: &str = r#"#include <stdio.h>
static double x[61], y[61], L[61][61], s[2];
static float t, z[61];
int main(void) {
  for (int i = 0; i < 61; i++) {
    x[i] = i % 7 - 3; z[i] = i % 4; y[i] = i % 5 - 2;
    for (int j = 0; j < 61; j++) L[i][j] = (i + 2 * j) % 29 == 0 ? 1 - (i + j) % 3 : 0;
  }
#pragma scop
  for (int i = 0; i < 61; i++) s[0] += x[i] * y[i];
  for (int i = 0; i < 61; i++) t -= z[60 - i];
  for (int i = 0; i < 48; i++)
    for (int j = 0; j < i; j++)
      y[i] -= L[i][j] * y[j];
  for (int i = 0; i < 61; i++) s[1] = s[1] + y[i];
#pragma endscop
  printf("%.17g %.17g %.9g\n", s[0], s[1], t);
  for (int i = 0; i < 61; i++) printf("%.17g ", y[i]);
  return 0;
}
"#;

/// The program with its sums reassociated, or not.
fn result(reassociate: bool, strategy: Strategy) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sums.c");
    std::fs::write(&path, PROGRAM).expect("a file");
    let mut reading = ReadOptions::default();
    if reassociate {
        reading.front.reassociation = Reassociation::Rounded;
    }
    let input = read(&path, &reading).expect("C");
    let options = Options {
        strategy,
        template: Template::default().tiled(TileSizes::none()),
        ..Options::default()
    };
    let code = optimize(&input.regions[0], &options).expect("code").code;
    splice(&input.source, &[(input.regions[0].span, code)])
}

/// What a compiler says of a text; nothing where it is not there.
fn told(compiler: &str, text: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sums.c");
    std::fs::write(&file, text).expect("a file");
    let mut words = compiler.split_whitespace();
    let output = Command::new(words.next()?)
        .args(words)
        .args([Path::new("-c"), Path::new("-o"), Path::new("/dev/null"), &file])
        .current_dir(repository())
        .output()
        .ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn sums_are_right() {
    let run = |text: &str| {
        let compiler: Compiler = "gcc -O3 -fopenmp -Wall -Wextra -Werror -Wno-unknown-pragmas"
            .parse()
            .expect("a command line");
        let program = compiler.compile(&Build::text("sums.c", text)).expect("it compiles");
        program.run(&RunOptions::default().threads(2)).expect("it runs").stdout
    };
    let expected = run(PROGRAM);
    assert!(expected.len() > 100);
    for strategy in [Strategy::Auto, Strategy::Pluto] {
        let text = result(true, strategy);
        let lanes = text.matches(" farkas_lanes[32] ").count();
        assert_eq!(lanes, 4, "{text}");
        // `z[60 - i]` alone runs backward.
        assert_eq!(text.matches("one block at a time").count(), 1, "{text}");
        assert_eq!(run(&text), expected, "{text}");
    }
    assert!(!result(false, Strategy::Pluto).contains("farkas_lanes"));
}

/// gcc says of each loop over lanes that it vectorised it, and clang, which has no lanes written out, of each sum.
#[test]
fn compilers_make_vector_loops_of_sums() {
    let text = result(true, Strategy::Pluto);
    let pragmas = text.lines().enumerate().filter(|(_, line)| line.contains("#pragma omp simd"));
    let (of_sums, over_lanes): (Vec<_>, Vec<_>) =
        pragmas.partition(|(_, line)| line.contains("reduction("));
    for (compiler, words, lines) in [
        ("gcc -O3 -fopenmp -fopt-info-vec-optimized", "loop vectorized", over_lanes),
        ("clang -O2 -fopenmp -Rpass=loop-vectorize", "vectorized loop", of_sums),
    ] {
        assert_eq!(lines.len(), 4, "{text}");
        let Some(told) = told(compiler, &text) else {
            assert!(compiler.starts_with("clang"), "there is no gcc");
            continue;
        };
        for (at, _) in lines {
            // The line of the clause, of the loop or of its body.
            let places: Vec<String> = (1..=4).map(|n| format!("sums.c:{}:", at + n)).collect();
            let is_meant = |line: &str| {
                line.contains(words) && places.iter().any(|place| line.contains(place))
            };
            assert!(told.lines().any(is_meant), "{compiler}, line {}:\n{told}\n{text}", at + 1);
        }
    }
}
