//! Times the scheduler on known kernels and on scops that grow:
//! `cargo run --release -p farkas-schedule --example growth [NAME] [--tree] [--isl] [--solver isl] [--fuse max|no|cluster]
//! [--strategy isl]`.
//!
//! A case is scheduled when its name starts with NAME: `gemm`, `chain1d` (a time loop around a ring of one-dimensional
//! stencils), `chain2d`, `pipe2d` (two-dimensional stencils one after another), ... `--tree` prints schedule and report,
//! `--isl` times isl's scheduler on the same dependences.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a developer's tool")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;

use farkas_deps::{DependenceOptions, Dependences, dependences, legality};
use farkas_poly::{ScheduleConstraints, SchedulerOptions, UnionMap};
use farkas_schedule::{
    FusionHeuristic, Isl, IslOptions, Pluto, ScheduleOptions, Scheduled, SolverChoice, Strategy,
    schedule,
};
use farkas_scop::Scop;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|a| a == name);
    let value = |name: &str| {
        let at = arguments.iter().position(|a| a == name);
        at.and_then(|at| arguments.get(at + 1)).map_or("", String::as_str)
    };
    let only = arguments.first().filter(|a| !a.starts_with("--")).map_or("", String::as_str);
    let fusion = match value("--fuse") {
        "max" => FusionHeuristic::Max,
        "no" => FusionHeuristic::No,
        "cluster" => FusionHeuristic::Cluster,
        _ => FusionHeuristic::Smart,
    };
    let solver = if value("--solver") == "isl" { SolverChoice::Isl } else { SolverChoice::Ours };
    let options = ScheduleOptions { solver, ..ScheduleOptions::default() };
    println!(
        "{:12} {:>5} {:>6} {:>9} {:>9} {:>5} {:>8} {:>13} {:>8} {:>9}",
        "scop",
        "deps",
        "shapes",
        "deps ms",
        "ms",
        "ilps",
        "pivots",
        "largest ilp",
        "check ms",
        "isl ms"
    );
    for (name, text) in cases(only) {
        if !name.starts_with(only) {
            continue;
        }
        let scop = common::scop(&text);
        let start = Instant::now();
        let deps = dependences(&scop, DependenceOptions::default()).unwrap();
        let deps_time = start.elapsed();
        let strategy = || -> Box<dyn Strategy> {
            if value("--strategy") == "isl" {
                Box::new(Isl::new(IslOptions { fusion, ..IslOptions::default() }))
            } else {
                Box::new(Pluto::new(fusion))
            }
        };
        let (time, scheduled) =
            best(|| schedule(&scop, &deps, strategy().as_mut(), &options).unwrap());
        let stats = scheduled.stats;
        let largest = scheduled.report.rows.iter().map(|r| r.ilp_size).max_by_key(|s| s.1);
        let isl = if has("--isl") { ms(time_isl(&scop, &deps)) } else { "-".to_owned() };
        let start = Instant::now();
        let legal = if has("--check") {
            legality::check(&scop, &scheduled.tree).unwrap().is_legal()
        } else {
            true
        };
        println!(
            "{name:12} {:5} {:6} {:>9} {:>9} {:5} {:8} {:>13} {:>8} {isl:>9} {}",
            deps.deps.len(),
            stats.n_shapes,
            ms(deps_time),
            ms(time),
            stats.n_ilps,
            stats.n_pivots,
            largest.map_or(String::new(), |(n, m)| format!("{m} x {n}")),
            ms(start.elapsed()),
            if legal { "" } else { "ILLEGAL" },
        );
        if has("--tree") {
            show(&scheduled);
        }
        if has("--deps") {
            print!("{deps}");
        }
    }
}

/// Prints schedule and report.
fn show(scheduled: &Scheduled) {
    println!("{}", scheduled.tree);
    for row in &scheduled.report.rows {
        let rows: Vec<String> =
            row.stmts.iter().zip(&row.rows).map(|(s, r)| format!("{s} {r}")).collect();
        println!(
            "  row {} member {} coincident {} cost {:?} carries {:?} {:?}\n      {}",
            row.dimension,
            row.member,
            row.coincident,
            row.cost,
            row.carried,
            row.fallback,
            rows.join("  ")
        );
    }
    for decision in &scheduled.report.fusion {
        let verb = if decision.fused { "fused" } else { "apart" };
        println!("  {verb} {:?} + {:?}: {}", decision.with, decision.stmts, decision.reason);
    }
    for warning in &scheduled.report.warnings {
        println!("  warning: {warning}");
    }
}

/// Names and texts of all cases; `random-SEED` is one of the random scops of the tests.
fn cases(only: &str) -> Vec<(String, String)> {
    let mut cases: Vec<(String, String)> =
        common::kernels::ALL.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
    if let Some(seed) = only.strip_prefix("random-") {
        let seed = seed.parse().unwrap();
        let text = common::random::scop_text(&mut common::random::Random::new(seed));
        println!("{text}");
        cases.push((only.to_owned(), text));
    }
    for n in [5, 10, 20, 40, 80, 160] {
        cases.push((format!("chain1d-{n}"), common::kernels::ring(n)));
    }
    for n in [5, 10, 20, 40, 80, 160, 320] {
        cases.push((format!("pipe2d-{n}"), pipe_2d(n)));
    }
    for n in [5, 10, 20, 40, 80, 160, 320] {
        cases.push((format!("chain2d-{n}"), chain_2d(n)));
    }
    cases
}

/// `n` two-dimensional five-point stencils one after another.
fn pipe_2d(n: usize) -> String {
    let mut text = String::from("params n : n >= 3\n");
    for s in 0..n {
        text.push_str(&format!(
            "S{s}[i, j] : 1 <= i < n - 1 and 1 <= j < n - 1 @ {s}, i, j : {}, w A{}[i, j]\n",
            five_points(&format!("A{s}")),
            s + 1
        ));
    }
    text
}

/// A time loop around a ring of `n` two-dimensional five-point stencils.
fn chain_2d(n: usize) -> String {
    let mut text = String::from("params steps, n : steps >= 1 and n >= 3\n");
    for s in 0..n {
        text.push_str(&format!(
            "S{s}[t, i, j] : 0 <= t < steps and 1 <= i < n - 1 and 1 <= j < n - 1 @ t, {s}, i, j : {}, w A{s}[i, j]\n",
            five_points(&format!("A{}", (s + n - 1) % n)),
        ));
    }
    text
}

/// The reads of a five-point stencil.
fn five_points(array: &str) -> String {
    ["i, j", "i - 1, j", "i + 1, j", "i, j - 1", "i, j + 1"]
        .map(|at| format!("r {array}[{at}]"))
        .join(", ")
}

/// isl's scheduler on the same dependences.
fn time_isl(scop: &Scop, deps: &Dependences) -> Duration {
    let pairs = UnionMap::union_all(deps.validity().map(|(_, d)| d.relation.clone())).unwrap();
    let constraints = ScheduleConstraints::on_domain(&scop.domain().unwrap())
        .and_then(|c| c.set_validity(&pairs))
        .and_then(|c| c.set_coincidence(&pairs))
        .and_then(|c| c.set_proximity(&pairs))
        .unwrap();
    let start = Instant::now();
    constraints.compute_schedule(SchedulerOptions::default()).unwrap();
    start.elapsed()
}

/// The best of a few runs, fewer where they are long.
fn best<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let start = Instant::now();
    let mut result = run();
    let mut time = start.elapsed();
    while start.elapsed() < Duration::from_millis(200) {
        let start = Instant::now();
        result = run();
        time = time.min(start.elapsed());
    }
    (time, result)
}

/// Milliseconds.
fn ms(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}
