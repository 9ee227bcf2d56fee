//! Times dependence analysis and the legality check: `cargo run --release -p farkas-deps --example profile [NAME]`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a developer's tool")]

#[path = "../tests/common/mod.rs"]
mod common;

use farkas_deps::{DependenceOptions, FlowBy, Verdict, dependences, legality};
use std::time::{Duration, Instant};

fn main() {
    let only = std::env::args().nth(1);
    let mut cases: Vec<(String, String)> =
        common::kernels::ALL.iter().map(|(n, t)| (n.to_string(), t.to_string())).collect();
    for n in [10, 20, 40, 80, 160] {
        cases.push((format!("ring-{n}"), common::kernels::ring(n)));
    }
    println!("{:12} {:>5} {:>10} {:>10} {:>10}", "scop", "deps", "value", "memory", "check");
    for (name, text) in cases {
        if only.as_ref().is_some_and(|o| !name.starts_with(o.as_str())) {
            continue;
        }
        let scop = common::scop(&text);
        let tree = farkas_tree::original_tree(&scop).unwrap();
        let by = |flow| DependenceOptions { flow, input: false };
        let deps = dependences(&scop, by(FlowBy::Value)).unwrap();
        if std::env::args().nth(2).is_some() {
            print!("{deps}");
        }
        let value = best(|| drop(dependences(&scop, by(FlowBy::Value)).unwrap()));
        let memory = best(|| drop(dependences(&scop, by(FlowBy::Memory)).unwrap()));
        let check = best(|| assert_eq!(legality::check(&scop, &tree).unwrap(), Verdict::Legal));
        let n = deps.deps.len();
        println!("{name:12} {n:5} {value:>10.2?} {memory:>10.2?} {check:>10.2?}");
    }
}

/// The best of several runs.
fn best(mut run: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
    }
    best
}
