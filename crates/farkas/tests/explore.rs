//! The search over the real pipeline: the points that stand for shipped strategies are those, and what is written
//! gives what was measured.

mod common;

use common::repository;
use farkas::explore::{ExploreError, ExploreOptions, Explored, explore};
use farkas::{Options, ReadOptions, Strategy, optimize, read, splice};
use farkas_base::{Id, SourceFile};
use farkas_codegen::Target;
use farkas_machine::Machine;
use farkas_run::{RunOptions, Tolerance};
use farkas_scop::Region;
use farkas_tune::{COSTS, Point, Settings, generic_points};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The options that a strategy file's text asks for.
fn of_text(text: &str) -> Options {
    let source = Arc::new(SourceFile::new("best.json", text));
    let strategy = Strategy::from_source(source).expect("a strategy");
    let plain = Options::default();
    let said = match &strategy {
        Strategy::File(file) => plain.with_file(file),
        _ => plain,
    };
    Options { strategy, ..said }
}

/// The transformed file.
fn code(path: &Path, options: &Options) -> String {
    let input = read(path, &ReadOptions::default()).expect("a program");
    let of = |region: &Region| {
        let options = options.clone().of_file(&input.source);
        let optimized = optimize(region, &options).expect("a schedule");
        Some((region.span, optimized.replacement()?.to_owned()))
    };
    let regions: Vec<_> = input.regions.iter().filter_map(of).collect();
    splice(&input.source, &regions)
}

#[test]
fn generic_points_are_the_shipped_strategies() {
    for kernel in ["gemm", "jacobi-1d", "bicg", "backsolve"] {
        let path = repository().join(format!("kernels/{kernel}.c"));
        let pluto = ("pluto", Point::new(COSTS[0]));
        for (name, point) in generic_points().into_iter().chain([pluto]) {
            let strategy = Strategy::from_name(name).expect("a shipped strategy");
            let defaults = match &strategy {
                Strategy::File(file) => Options::default().with_file(file),
                _ => Options::default(),
            };
            let shipped = code(&path, &Options { strategy, ..defaults });
            assert_eq!(code(&path, &of_text(&point.to_text(name, None))), shipped, "{kernel}");
        }
    }
}

/// Explores a program with a small budget.
fn try_out(path: &Path, budget: usize) -> Result<Explored, ExploreError> {
    let run = RunOptions { time_limit: Duration::from_secs(20), ..RunOptions::default() };
    let options = ExploreOptions {
        compiler: "gcc -O1".parse().expect("a command"),
        target: Target::OpenMp,
        machine: Machine::generic(),
        settings: Settings { budget, rounds: 2 },
        run,
        threads: 1,
        tolerance: Tolerance::relative(1e-9),
        allows_no_output: false,
        time: Duration::from_secs(600),
    };
    explore(path, &ReadOptions::default(), &options, &mut |_| ())
}

/// A program with two regions.
const SMALL: &str = "\
#include <stdio.h>
double A[64][64], B[64][64];
int main(void) {
  double sum = 0;
#pragma scop
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      A[i][j] = i + 2 * j;
#pragma endscop
#pragma scop
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      B[j][i] = A[j][i] + A[i][j];
#pragma endscop
  for (int i = 0; i < 64; i++)
    sum = sum / 2 + B[i][63 - i];
  printf(\"%.17g\\n\", sum);
  return 0;
}
";

#[test]
fn the_strategy_gives_the_code_that_was_measured() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("small.c");
    fs::write(&path, SMALL).expect("a file");
    let explored = try_out(&path, 8).expect("an exploration");
    let candidates = &explored.exploration.candidates;
    assert!(candidates.len() > 2 && candidates.len() <= 8, "{}", candidates.len());
    assert!(candidates.iter().all(|c| c.failure.is_none()));
    let winner = explored.exploration.winner().expect("a winner");
    let text = explored.strategy.expect("a strategy");
    assert!(text.contains("\"name\": \"small\""), "{text}");
    assert_eq!(code(&path, &of_text(&text)), winner.text);
}

/// What `auto` makes of the program is the first candidate, runs to the end, and is written where nothing beats it.
#[test]
fn auto_is_always_measured() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("small.c");
    fs::write(&path, SMALL).expect("a file");
    for budget in [1, 6] {
        let explored = try_out(&path, budget).expect("an exploration");
        let Explored { exploration, strategy, .. } = explored;
        let first = &exploration.candidates[0];
        let auto = Options { strategy: Strategy::Auto, ..Options::default() };
        assert_eq!((first.generic, &first.text), (Some("auto"), &code(&path, &auto)));
        let times = exploration.contest.times.iter().find(|(id, _)| id.index() == 0);
        assert_eq!(times.map(|(_, seconds)| seconds.len()), Some(2), "{budget}");
        let is_special = exploration.verdict.is_special;
        let winner = exploration.winner().expect("a winner");
        assert_eq!(code(&path, &of_text(&strategy.expect("a strategy"))), winner.text);
        assert!(budget > 1 || !is_special && winner.generic == Some("auto"));
    }
}

#[test]
fn what_cannot_be_explored_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = |text: &str| {
        let path = folder.path().join("a.c");
        fs::write(&path, text).expect("a file");
        try_out(&path, 2).expect_err("no exploration").to_string()
    };
    assert!(refused("int main(void) { return 0; }\n").contains("has no region"));
    let failing = SMALL.replace("return 0;", "return 3;");
    assert_eq!(refused(&failing), "the original program fails: exit status 3");
    let incomplete = SMALL.replace("main", "start");
    assert!(refused(&incomplete).contains("does not compile"), "{}", refused(&incomplete));
    let path = folder.path().join("none.c");
    assert!(matches!(try_out(&path, 2), Err(ExploreError::Refused(_))));
}
